// Vertices at one place: counted by the check, joined by welding. Compared with sums over all pairs.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "quartic/quartic.hpp"
#include "support/meshes.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Point = std::array<double, 3>;

Point point_of(const VolumeMesh& mesh, std::size_t v) {
  return {mesh.vertices[3 * v], mesh.vertices[3 * v + 1], mesh.vertices[3 * v + 2]};
}

double distance(const Point& a, const Point& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

VolumeMesh points_only(const std::vector<Point>& points) {
  VolumeMesh mesh;
  for (const Point& x : points) mesh.vertices.insert(mesh.vertices.end(), x.begin(), x.end());
  return mesh;
}

std::set<Point> places(const VolumeMesh& mesh) {
  std::set<Point> result;
  for (std::size_t v = 0; v < static_cast<std::size_t>(mesh.vertex_count()); ++v) result.insert(point_of(mesh, v));
  return result;
}

/// The mesh with each element on vertices of its own.
VolumeMesh exploded(const VolumeMesh& mesh) {
  VolumeMesh result = mesh;
  result.vertices.clear();
  for (ElementBlock& block : result.blocks)
    for (std::int32_t& v : block.vertices) {
      const Point x = point_of(mesh, static_cast<std::size_t>(v));
      v = static_cast<std::int32_t>(result.vertices.size() / 3);
      result.vertices.insert(result.vertices.end(), x.begin(), x.end());
    }
  return result;
}

/// Two boxes of 3 x 2 x 4 cells that touch at x = 1 without sharing the 15 vertices there.
VolumeMesh touching_boxes(ElementType type, double gap = 0) {
  const BoxOptions options{
      .length = 1, .width = 0.7, .height = 1.3, .cells_x = 3, .cells_y = 2, .cells_z = 4, .type = type};
  ProceduralMesh body = make_box(options);
  test::append_copy(body, make_box(options), {1 + gap, 0, 0});
  return body.mesh;
}

/// The rule of mesh.hpp, by looking at all places: in the order of x, y, z, to the nearest place within the tolerance.
std::set<Point> places_by_all_pairs(std::vector<Point> points, double tolerance) {
  std::sort(points.begin(), points.end());
  std::vector<Point> founded;
  for (const Point& x : points)
    if (std::none_of(founded.begin(), founded.end(), [&](const Point& y) { return distance(x, y) <= tolerance; }))
      founded.push_back(x);
  return {founded.begin(), founded.end()};
}

std::vector<Point> random_points(std::size_t count, unsigned seed) {
  const std::vector<double> numbers = test::random_numbers(3 * count, seed);
  std::vector<Point> points(count);
  for (std::size_t i = 0; i < count; ++i) points[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
  return points;
}

TEST(WeldVertices, RandomPointsAsByAllPairs) {
  for (const double tolerance : {0.0, 1e-3, 0.02, 0.1, 0.5, 10.0}) {
    std::vector<Point> points = random_points(1500, 3);
    for (std::size_t i = 0; i < 200; ++i) points.push_back(points[3 * i]);  // exactly equal ones
    for (Point& x : points)
      if (x[0] > 0.5)
        for (double& c : x) c = std::round(8 * c) / 8;  // a lattice: many at the same distance
    VolumeMesh mesh = points_only(points);
    std::vector<std::int32_t> numbers;
    const auto welded = weld_vertices(mesh, tolerance, &numbers);
    EXPECT_EQ(places(mesh), places_by_all_pairs(points, tolerance)) << tolerance;
    EXPECT_EQ(mesh.vertex_count() + welded, 1700) << tolerance;
    EXPECT_GE(welded, 200) << tolerance;
    // No vertex moves farther than the tolerance, and numbers stand in the order of the lowest vertex.
    std::int32_t most = -1;
    for (std::size_t v = 0; v < points.size(); ++v) {
      const double moved = distance(points[v], point_of(mesh, static_cast<std::size_t>(numbers[v])));
      EXPECT_LE(moved, tolerance);
      EXPECT_LE(numbers[v], most + 1);
      most = std::max(most, numbers[v]);
    }
  }
}

TEST(WeldVertices, TheOrderOfVerticesDoesNotMatter) {
  const std::vector<Point> points = random_points(3000, 5);
  VolumeMesh mesh = points_only(points);
  std::vector<std::int32_t> numbers;
  weld_vertices(mesh, 0.08, &numbers);
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 engine(11);
  for (int round = 0; round < 3; ++round) {
    std::shuffle(order.begin(), order.end(), engine);
    std::vector<Point> shuffled;
    for (const std::size_t i : order) shuffled.push_back(points[i]);
    VolumeMesh other = points_only(shuffled);
    std::vector<std::int32_t> other_numbers;
    weld_vertices(other, 0.08, &other_numbers);
    ASSERT_EQ(other.vertex_count(), mesh.vertex_count());
    for (std::size_t i = 0; i < order.size(); ++i)  // each point goes to the same place
      EXPECT_EQ(point_of(other, static_cast<std::size_t>(other_numbers[i])),
                point_of(mesh, static_cast<std::size_t>(numbers[order[i]])));
  }
}

// Points 0.9 tolerances apart: each second one stays, instead of all becoming one.
TEST(WeldVertices, ChainsDoNotCollapse) {
  std::vector<Point> points;
  for (int i = 0; i < 100; ++i) points.push_back({0.9e-3 * i, 0, 0});
  VolumeMesh mesh = points_only(points);
  EXPECT_EQ(weld_vertices(mesh, 1e-3), 50);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(point_of(mesh, static_cast<std::size_t>(i)), points[2 * static_cast<std::size_t>(i)]);
}

// A distance of exactly the tolerance is within it.
TEST(WeldVertices, TiesAndLimits) {
  VolumeMesh mesh = points_only({{2, 0, 0}, {0, 0, 0}, {1, 0, 0}, {-0.0, 0, -0.0}});
  std::vector<std::int32_t> numbers;
  EXPECT_EQ(weld_vertices(mesh, 1, &numbers), 2);  // 0 and 2 stay; 1 comes before 2 and goes to 0
  EXPECT_EQ(numbers, (std::vector<std::int32_t>{0, 1, 1, 1}));
  mesh = points_only({{0, 0, 0}, {2, 0, 0}, {1.5, 0, 0}, {2.2, 0, 0}});
  EXPECT_EQ(weld_vertices(mesh, 0.6, &numbers), 1);  // 1.5 founds a place before 2 does; 2.2 is too far from it
  EXPECT_EQ(numbers, (std::vector<std::int32_t>{0, 1, 1, 2}));
  mesh = points_only({{0, 0, 0}, {0, 0, std::nextafter(0.0, 1.0)}, {0, 0, 0}});
  EXPECT_EQ(weld_vertices(mesh, 0), 1);
  mesh = points_only({{1, 0, 0}, {1, 1e-320, 0}, {1, 0, 0}});
  EXPECT_EQ(weld_vertices(mesh, 1e-319), 2);
  mesh = points_only({{1e308, 0, 0}, {-1e308, 0, 0}, {1e308, 1, 0}});
  EXPECT_EQ(weld_vertices(mesh, 2), 1);
  mesh = points_only({{1e308, 0, 0}, {-1e308, 0, 0}, {1e308, 1, 0}});
  EXPECT_EQ(weld_vertices(mesh, std::numeric_limits<double>::max()), 1);  // the others' distance is beyond all numbers
}

TEST(WeldVertices, PutsExplodedMeshesTogether) {
  for (const ElementType type : {ElementType::tet4, ElementType::tet10, ElementType::hex8})
    for (const double scale : {1e-9, 1e-4, 1.0, 1e6})
      for (const double offset : {0.0, 1e4}) {
        VolumeMesh whole = make_box({.cells_x = 3, .cells_y = 2, .cells_z = 4, .type = type}).mesh;
        for (double& x : whole.vertices) x = scale * (x + offset);
        VolumeMesh mesh = exploded(whole);
        const MeshReport before = check_mesh(mesh);
        EXPECT_EQ(before.components, whole.element_count());
        EXPECT_EQ(before.coincident_vertices, mesh.vertex_count() - whole.vertex_count());
        EXPECT_EQ(before.coincident_between_components, before.coincident_vertices);
        EXPECT_EQ(weld_vertices(mesh, default_weld_tolerance(mesh)), before.coincident_vertices);
        EXPECT_EQ(places(mesh), places(whole));
        const MeshReport after = check_mesh(mesh);
        EXPECT_EQ(after.components, 1);
        EXPECT_EQ(after.coincident_vertices, 0);
        EXPECT_TRUE(after.warnings.empty()) << after.warnings.front();
        EXPECT_EQ(boundary_triangles(mesh).size(), boundary_triangles(whole).size());
      }
}

// What touches is found, and reported as what it is.
TEST(WeldVertices, TouchingPartsAreReported) {
  for (const double scale : {1e-4, 1.0, 1e3})
    for (const double offset : {0.0, 1e6}) {
      VolumeMesh mesh = touching_boxes(ElementType::tet4);
      for (double& x : mesh.vertices) x = scale * x + scale * offset;
      const MeshReport report = check_mesh(mesh);
      EXPECT_EQ(report.components, 2);
      EXPECT_EQ(report.coincident_vertices, 15);
      EXPECT_EQ(report.coincident_between_components, 15);
      const std::string& warning = report.warnings.back();
      EXPECT_NE(warning.find("15 vertices of one part lie at the place of another part's"), std::string::npos)
          << warning;
      EXPECT_NE(warning.find("--weld"), std::string::npos);
    }
  EXPECT_EQ(check_mesh(touching_boxes(ElementType::hex8, 1e-6)).coincident_vertices, 0);
  VolumeMesh apart = touching_boxes(ElementType::hex8, 1e-6);
  EXPECT_EQ(weld_vertices(apart, 2e-6), 15);
}

// A crack: two vertices at one place that belong to one part.
TEST(WeldVertices, VerticesOfOnePartAreReportedOnTheirOwn) {
  VolumeMesh mesh = make_box({.cells_x = 2, .cells_y = 2, .cells_z = 1}).mesh;  // hex8; vertex 4 is in all elements
  const auto split = static_cast<std::int32_t>(mesh.vertex_count());
  for (std::size_t c = 0; c < 3; ++c) mesh.vertices.push_back(mesh.vertices[3 * 4 + c]);
  std::int32_t* vertices = mesh.blocks[0].vertices.data();
  *std::find(vertices, vertices + 8, 4) = split;
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(report.components, 1);
  EXPECT_EQ(report.coincident_vertices, 1);
  EXPECT_EQ(report.coincident_between_components, 0);
  EXPECT_TRUE(std::any_of(report.warnings.begin(), report.warnings.end(), [](const std::string& warning) {
    return warning.find("1 vertex lies at the place of another one of the same part; join them with --weld") !=
           std::string::npos;
  }));
}

// Three parts at one place are joined by two vertices less.
TEST(WeldVertices, ManyPartsAtOnePlace) {
  VolumeMesh mesh = exploded(make_box({.cells_x = 1, .cells_y = 1, .cells_z = 1, .type = ElementType::tet4}).mesh);
  const MeshReport report = check_mesh(mesh);  // six tets round a diagonal, 24 vertices at 8 places
  EXPECT_EQ(report.coincident_vertices, 16);
  EXPECT_EQ(report.coincident_between_components, 16);
  mesh.vertices.insert(mesh.vertices.end(), {0, 0, 0, 0, 0, 0});  // unreferenced ones at that place aren't counted
  EXPECT_EQ(check_mesh(mesh).coincident_vertices, 16);
}

// Two halves of a beam, welded, vibrate as the whole one does.
TEST(WeldVertices, AWeldedBeamHasTheModesOfTheWholeOne) {
  const BoxOptions options{.length = 1, .width = 0.2, .height = 0.3, .cells_x = 6, .cells_y = 2, .cells_z = 2};
  BoxOptions half_options = options;
  half_options.length = 0.5;
  half_options.cells_x = 3;
  ProceduralMesh halves = make_box(half_options);
  ProceduralMesh other = make_box(half_options);
  other.fixed_vertices.clear();
  test::append_copy(halves, other, {0.5, 0, 0});
  EXPECT_EQ(weld_vertices(halves.mesh, default_weld_tolerance(halves.mesh)), 9);
  const ProceduralMesh whole = make_box(options);
  const auto modes = [](const ProceduralMesh& body) {
    return linear_modes(ElasticSystem(body.mesh, body.fixed_vertices), {.count = 5}).eigenvalues;
  };
  const std::vector<double> ours = modes(halves), expected = modes(whole);
  // Cells of 1/6 m are rounded differently by 1e-16, and an eigenvalue by that share of the largest, 1e4 times itself.
  for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(ours[j] / expected[j], 1, 1e-10);
}

TEST(WeldVertices, SetsAndElementsAreRenumbered) {
  VolumeMesh mesh = touching_boxes(ElementType::hex8);
  const VolumeMesh before = mesh;
  std::vector<std::int32_t> all(static_cast<std::size_t>(mesh.vertex_count()));
  std::iota(all.begin(), all.end(), 0);
  mesh.vertex_sets["all"] = all;
  std::vector<std::int32_t> numbers;
  EXPECT_EQ(weld_vertices(mesh, 1e-9, &numbers), 15);
  EXPECT_EQ(std::ssize(mesh.vertex_sets["all"]), mesh.vertex_count());
  EXPECT_EQ(mesh.vertex_sets["all"].back(), mesh.vertex_count() - 1);
  for (std::size_t i = 0; i < mesh.blocks[0].vertices.size(); ++i) {
    const auto old = static_cast<std::size_t>(before.blocks[0].vertices[i]);
    EXPECT_EQ(mesh.blocks[0].vertices[i], numbers[old]);
    EXPECT_LE(distance(point_of(mesh, static_cast<std::size_t>(numbers[old])), point_of(before, old)), 1e-9);
  }
}

TEST(WeldVertices, RefusesWhatWouldSpoilElements) {
  VolumeMesh mesh = touching_boxes(ElementType::tet4);
  const VolumeMesh before = mesh;
  try {
    weld_vertices(mesh, 0.34);  // cells are 1/3 x 0.35 x 0.325
    FAIL() << "it welded";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("of element 0, which would lose its volume"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(mesh.vertices, before.vertices);
  EXPECT_EQ(mesh.blocks[0].vertices, before.blocks[0].vertices);
  for (const double tolerance :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(weld_vertices(mesh, tolerance), InputError);
  mesh.vertices[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(weld_vertices(mesh, 0.1), InputError);
  mesh = before;
  mesh.blocks[0].vertices[7] = 1000;
  EXPECT_THROW(weld_vertices(mesh, 0.1), InputError);
  EXPECT_THROW((void)default_weld_tolerance(mesh), InputError);
  VolumeMesh nothing;
  EXPECT_EQ(weld_vertices(nothing, default_weld_tolerance(nothing)), 0);
}

// A collapsed hexahedron, as mesh generators leave them, has a vertex twice already: that isn't welding's doing.
TEST(WeldVertices, ElementsWithAVertexTwiceStayAsTheyAre) {
  VolumeMesh mesh = touching_boxes(ElementType::hex8);
  mesh.blocks[0].vertices[1] = mesh.blocks[0].vertices[0];
  EXPECT_EQ(weld_vertices(mesh, 1e-9), 15);
}

TEST(WeldVertices, TheDefaultToleranceIsRelative) {
  const VolumeMesh box = make_box({.length = 3, .width = 4, .height = 12}).mesh;
  EXPECT_DOUBLE_EQ(default_weld_tolerance(box), 13e-9);
  VolumeMesh stray = box;  // what no element uses may lie anywhere
  stray.vertices.insert(stray.vertices.end(), {1e30, 0, 0});
  EXPECT_DOUBLE_EQ(default_weld_tolerance(stray), 13e-9);
  EXPECT_TRUE(check_mesh(stray).degenerate == 0);
  VolumeMesh far = box;
  for (double& x : far.vertices) x = 1e-6 * x + 1e6;  // round-off of 1e-10 is more than 1e-9 of the size
  EXPECT_GT(default_weld_tolerance(far), 1e-10);
}

}  // namespace
}  // namespace quartic
