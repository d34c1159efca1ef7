// Voxelised shapes: counts, volumes against integrals of the formulas, symmetry, and that nothing hangs on a hinge.
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <vector>

#include "core/procedural/voxelize.hpp"
#include "quartic/basis.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"
#include "support/soundness.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using test::expect_sound;
constexpr Material rubber = {.youngs_modulus = 1e6, .poissons_ratio = 0.3, .density = 1000};

/// Which of these elements hang together through faces; each entry of `links` joins two.
std::size_t class_count(std::size_t count, const std::vector<std::array<std::size_t, 2>>& links) {
  std::vector<std::size_t> parent(count);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t a) {
    while (parent[a] != a) a = parent[a] = parent[parent[a]];
    return a;
  };
  std::size_t classes = count;
  for (const auto& [a, b] : links) {
    const std::size_t x = root(a), y = root(b);
    if (x == y) continue;
    parent[x] = y;
    --classes;
  }
  return classes;
}

struct Connection {
  std::size_t parts;  // of the mesh, connected through faces
  std::size_t fans;   // the same counted around each vertex: as many as vertices if there is no hinge
};

Connection connection_through_faces(const VolumeMesh& mesh) {
  const ElementBlock& block = mesh.blocks.front();
  std::map<std::vector<std::int32_t>, std::int64_t> first_owner;
  std::vector<std::array<std::size_t, 2>> neighbours, corners;
  for (std::int64_t e = 0; e < block.count(); ++e)
    for (const auto& face : test::hexahedron_faces) {
      std::vector<std::int32_t> key;
      for (const std::size_t corner : face) key.push_back(block.element(e)[corner]);
      std::sort(key.begin(), key.end());
      const auto [entry, is_new] = first_owner.try_emplace(key, e);
      if (is_new) continue;
      neighbours.push_back({static_cast<std::size_t>(e), static_cast<std::size_t>(entry->second)});
      for (const std::int32_t v : key) {
        const auto place = [&](std::int64_t element) {
          const auto vertices = block.element(element);
          return static_cast<std::size_t>(8 * element +
                                          (std::find(vertices.begin(), vertices.end(), v) - vertices.begin()));
        };
        corners.push_back({place(e), place(entry->second)});
      }
    }
  const auto elements = static_cast<std::size_t>(block.count());
  return {class_count(elements, neighbours), class_count(8 * elements, corners)};
}

void expect_no_hinges(const VolumeMesh& mesh) {
  const Connection connection = connection_through_faces(mesh);
  EXPECT_EQ(connection.parts, 1U);
  EXPECT_EQ(connection.fans, static_cast<std::size_t>(mesh.vertex_count()));
}

struct Shape {
  const char* name;
  ProceduralMesh (*make)(int resolution, ElementType type);
  std::vector<int> resolutions;  // the least one and odd ones among them
  int smallest, largest;
  std::vector<std::size_t> mirrored_axes;
};

const Shape spoon = {"spoon", make_spoon, {20, 21, 33, 57, 100}, 20, 1000, {1}};
const Shape tower = {"tower", make_tower, {40, 41, 63, 140}, 40, 600, {0, 1}};
const Shape basket = {"basket", make_basket, {16, 17, 24, 40}, 16, 400, {0, 1}};
const Shape heart = {"heart", make_heart, {4, 5, 9, 16, 37}, 4, 300, {0, 1}};

class Shapes : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(All, Shapes, testing::Values(basket, spoon, tower, heart),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(Shapes, AreSoundAndWithoutHingesAtEveryResolution) {
  for (const int resolution : GetParam().resolutions) {
    SCOPED_TRACE(resolution);
    const ProceduralMesh shape = GetParam().make(resolution, ElementType::hex8);
    expect_sound(shape);
    expect_no_hinges(shape.mesh);
    EXPECT_GT(check_mesh(shape.mesh).worst_quality, 1 - 1e-9);  // cubes
    EXPECT_EQ(shape.mesh.regions.front().name, GetParam().name);
    EXPECT_FALSE(shape.fixed_vertices.empty());
    EXPECT_EQ(rigid_modes(shape.mesh, mass_matrix(shape.mesh), shape.fixed_vertices).cols, 0);
  }
}

// Positions are halves of cells off the middle times the cell's size: mirror images differ by round-off only.
TEST_P(Shapes, AreTheirOwnMirrorImages) {
  for (const int resolution : GetParam().resolutions) {
    const VolumeMesh mesh = GetParam().make(resolution, ElementType::hex8).mesh;
    std::set<std::array<long long, 3>> centres, mirrored;
    for (const std::size_t axis : GetParam().mirrored_axes) {
      for (std::int64_t e = 0; e < mesh.element_count(); ++e) {
        std::array<double, 3> centre{};
        for (const std::int32_t v : mesh.blocks.front().element(e))
          for (std::size_t x = 0; x < 3; ++x) centre[x] += mesh.vertices[3 * static_cast<std::size_t>(v) + x] / 8;
        const auto key = [&] {
          return std::array{std::llround(centre[0] * 1e9), std::llround(centre[1] * 1e9),
                            std::llround(centre[2] * 1e9)};
        };
        centres.insert(key());
        centre[axis] = -centre[axis];
        mirrored.insert(key());
      }
      EXPECT_EQ(centres, mirrored) << resolution << ", axis " << axis;
      mirrored.clear();
    }
  }
}

// A free body has six rigid motions and no other motion without energy, which the solver would find as a null space
// that it hasn't been told of or as an eigenvalue at round-off level beside the next one.
TEST_P(Shapes, HaveSixRigidModesWhenFree) {
  for (const int resolution : {GetParam().resolutions[0], GetParam().resolutions[1]}) {
    const VolumeMesh mesh = GetParam().make(resolution, ElementType::hex8).mesh;
    const LinearModes modes = linear_modes(ElasticSystem(mesh, {}), {.count = 3});
    EXPECT_EQ(modes.rigid_modes, 6);
    EXPECT_GT(modes.eigenvalues[0], 1e-4 * modes.eigenvalues[2]);
  }
}

TEST_P(Shapes, Reduce) {
  const ProceduralMesh shape = GetParam().make(GetParam().smallest, ElementType::hex8);
  const ReducedModel model = reduce(shape.mesh, shape.fixed_vertices, {.modes = 4, .rank = 8});
  EXPECT_EQ(model.rigid_modes, 0);
  EXPECT_GT(model.eigenvalues.front(), 0);
  EXPECT_LE(orthonormality_error(model.basis.map(), mass_matrix(shape.mesh)), 1e-12);
}

TEST_P(Shapes, RefuseOtherResolutionsAndElements) {
  EXPECT_THROW(static_cast<void>(GetParam().make(GetParam().smallest - 1, ElementType::hex8)), InputError);
  EXPECT_THROW(static_cast<void>(GetParam().make(GetParam().largest + 1, ElementType::hex8)), InputError);
  EXPECT_THROW(static_cast<void>(GetParam().make(-100, ElementType::hex8)), InputError);
  EXPECT_THROW(static_cast<void>(GetParam().make(GetParam().smallest, ElementType::wedge6)), InputError);
}

// The counts that docs/paper-2005.md gives.
TEST(DefaultShapes, HaveAboutAsManyElementsAsThePapersModels) {
  struct Counts {
    VolumeMesh mesh;
    std::int64_t vertices, elements, paper;
    double tolerance;
  };
  // The bridge's count jumps from 5160 to 6216 between two resolutions.
  for (const auto& [mesh, vertices, elements, paper, tolerance] :
       {Counts{make_spoon().mesh, 3627, 1964, 2005, 0.05}, Counts{make_bridge().mesh, 11638, 6216, 5854, 0.065},
        Counts{make_tower().mesh, 24008, 11488, 11304, 0.05}, Counts{make_heart().mesh, 16684, 14326, 14444, 0.05}}) {
    EXPECT_EQ(mesh.vertex_count(), vertices);
    EXPECT_EQ(mesh.element_count(), elements);
    EXPECT_NEAR(static_cast<double>(elements) / static_cast<double>(paper), 1, tolerance);
  }
}

// The tower stands on four equal feet.
TEST(Tower, IsHeldAtItsFeet) {
  const ProceduralMesh shape = make_tower();
  std::array<int, 4> feet{};
  for (const std::int32_t v : shape.fixed_vertices) {
    const double* p = &shape.mesh.vertices[3 * static_cast<std::size_t>(v)];
    EXPECT_NEAR(p[2], 0, 1e-12);
    ++feet[static_cast<std::size_t>((p[0] > 0 ? 1 : 0) + (p[1] > 0 ? 2 : 0))];
  }
  for (const int foot : feet) EXPECT_EQ(foot, static_cast<int>(shape.fixed_vertices.size()) / 4);
}

// Voxel volumes differ from the solid's by what the surface gains and loses in the cells that it cuts, pseudo-random
// and of order h or better. So: close at one resolution, and at least as close per cell at twice and four times as
// many.
void expect_volume_converges(ProceduralMesh (*make)(int, ElementType), const std::array<int, 3>& resolutions,
                             double volume, double first_tolerance) {
  double tolerance = first_tolerance;
  for (const int resolution : resolutions) {
    const VolumeMesh mesh = make(resolution, ElementType::hex8).mesh;
    const auto& element = mesh.blocks.front().vertices;
    const double h = mesh.vertices[3 * static_cast<std::size_t>(element[1])] -
                     mesh.vertices[3 * static_cast<std::size_t>(element[0])];
    EXPECT_NEAR(static_cast<double>(mesh.element_count()) * h * h * h / volume, 1, tolerance) << resolution;
    tolerance /= 2;
  }
}

// The heart's surface meets each ray from the origin once, at a root of r -> (a r^2 - 1)^3 - b r^5; its volume is the
// integral of r^3 / 3 over all directions.
TEST(Heart, HasTheVolumeInsideItsSurface) {
  double integral = 0;
  constexpr int rings = 400, sectors = 400;
  for (int i = 0; i < rings; ++i)
    for (int j = 0; j < sectors; ++j) {
      const double z = (2 * i + 1.0) / rings - 1, ring = std::sqrt(1 - z * z);  // rings of equal area
      const double angle = 2 * std::numbers::pi * (j + 0.5) / sectors;
      const double x2 = std::pow(ring * std::cos(angle), 2), y2 = std::pow(ring * std::sin(angle), 2);
      const double a = x2 + 2.25 * y2 + z * z, b = (x2 + 0.1125 * y2) * z * z * z;
      double inside = 0, outside = 3;
      for (int bisection = 0; bisection < 40; ++bisection) {
        const double r = (inside + outside) / 2;
        (std::pow(a * r * r - 1, 3) < b * std::pow(r, 5) ? inside : outside) = r;
      }
      integral += std::pow(inside, 3) / 3;
    }
  const double volume = integral * 4 * std::numbers::pi / (rings * sectors) * std::pow(0.05, 3);
  expect_volume_converges(make_heart, {16, 32, 64}, volume, 0.02);
}

// The spoon's volume by columns: a column at (x, y) within the outline is as high as the shell of 4 mm is thick along
// z, cut off at the rim. Derivatives of the middle surface are taken numerically.
TEST(Spoon, HasTheVolumeOfAShell) {
  constexpr double length = 0.2, neck = 0.134, thickness = 0.004;
  const auto bowl_u = [](double x) { return (x - 0.167) / 0.033; };
  const auto circle = [](double s) { return std::abs(s) < 1 ? std::sqrt(1 - s * s) : 0; };
  const auto middle = [&](double x, double y) {
    const double rise = x < neck ? 0.018 * std::pow(std::cos(std::numbers::pi / 2 * x / neck), 2) : 0;
    return rise - 0.011 * std::max(0.0, 1 - std::pow(bowl_u(x), 2) - std::pow(y / 0.022, 2));
  };
  const auto half_width = [&](double x) {
    double handle = x < neck ? 0.004 + 0.0045 * std::pow(1 - x / neck, 2) : 0.004;
    if (x < 0.0085) handle *= circle(1 - x / 0.0085);
    if (x > 0.167) handle *= circle(bowl_u(x));
    return std::pow(std::pow(handle, 4) + std::pow(0.022 * circle(bowl_u(x)), 4), 0.25);
  };
  double volume = 0;
  constexpr int columns_x = 2000, columns_y = 440;
  constexpr double dx = length / columns_x, dy = 0.044 / columns_y, step = 1e-7;
  for (int i = 0; i < columns_x; ++i)
    for (int j = 0; j < columns_y; ++j) {
      const double x = (i + 0.5) * dx, y = (j + 0.5) * dy - 0.022;
      if (std::abs(y) > half_width(x)) continue;
      const double slope_x = (middle(x + step, y) - middle(x - step, y)) / (2 * step);
      const double slope_y = (middle(x, y + step) - middle(x, y - step)) / (2 * step);
      const double half = thickness / 2 * std::hypot(1, slope_x, slope_y);
      double top = middle(x, y) + half;
      const double bottom = middle(x, y) - half;
      if (x > neck) top = std::min(top, bowl_u(x) < 0 ? thickness / 2 * std::pow(bowl_u(x), 4) : 0);
      volume += std::max(0.0, top - bottom) * dx * dy;
    }
  expect_volume_converges(make_spoon, {100, 200, 400}, volume, 0.03);
}

using Cells = std::set<std::array<int, 3>>;

/// A solid of some of the 4 x 4 x 4 cells of size 1; others lie just outside, the rest far.
Solid solid_of(const Cells& inside, const Cells& near = {}) {
  return {{0, 0, 0}, {4, 4, 4}, [inside, near](const Point& p) {
            const std::array cell = {static_cast<int>(p[0]), static_cast<int>(p[1]), static_cast<int>(p[2])};
            return inside.contains(cell) ? 1.0 : near.contains(cell) ? -0.5 : -1.0;
          }};
}

TEST(Voxels, ThatTouchAlongAnEdgeAreJoinedByTheNearestCell) {
  const VolumeMesh mesh = voxelize(solid_of({{1, 1, 1}, {2, 2, 1}}, {{2, 1, 1}}), 4, "pair", rubber);
  EXPECT_EQ(mesh.element_count(), 3);
  expect_no_hinges(mesh);
}

TEST(Voxels, ThatTouchAlongAnEdgeAreJoinedByBothOfEquallyNearCells) {
  const VolumeMesh mesh = voxelize(solid_of({{1, 1, 1}, {2, 2, 1}}, {{2, 1, 1}, {1, 2, 1}}), 4, "pair", rubber);
  EXPECT_EQ(mesh.element_count(), 4);
  expect_no_hinges(mesh);
}

TEST(Voxels, ThatTouchAtAVertexAreJoined) {
  const Cells pair = {{1, 1, 1}, {2, 2, 2}};
  const VolumeMesh thin = voxelize(solid_of(pair, {{2, 1, 1}, {2, 2, 1}}), 4, "pair", rubber);
  EXPECT_EQ(thin.element_count(), 4);
  expect_no_hinges(thin);
  const VolumeMesh full = voxelize(solid_of(pair), 4, "pair", rubber);
  EXPECT_EQ(full.element_count(), 8);
  expect_no_hinges(full);
}

// In a ring of cells whose ends touch along an edge, all hangs together through faces and yet there is a hinge.
TEST(Voxels, ThatMeetAtAnEdgeAfterAWayRoundAreJoined) {
  const Cells ring = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 0}, {1, 2, 0}, {0, 1, 0}};
  const VolumeMesh mesh = voxelize(solid_of(ring, {{0, 2, 0}}), 4, "ring", rubber);
  EXPECT_EQ(mesh.element_count(), 8);
  expect_no_hinges(mesh);
}

TEST(Voxels, InTwoPartsLeaveTheLargerOne) {
  const VolumeMesh mesh = voxelize(solid_of({{0, 0, 0}, {3, 3, 3}, {3, 3, 2}}), 4, "parts", rubber);
  EXPECT_EQ(mesh.element_count(), 2);
  EXPECT_EQ(mesh.vertex_count(), 12);
  EXPECT_EQ(check_mesh(mesh).bounding_box, (std::array<double, 6>{3, 3, 2, 4, 4, 4}));
}

TEST(Voxels, NeedACentreInside) {
  EXPECT_THROW(static_cast<void>(voxelize(solid_of({}), 4, "nothing", rubber)), InputError);
}

}  // namespace
}  // namespace quartic
