// The tables of all element types, and what the mesh tools make of them: shape functions, rules, faces, orientation,
// quality, middles of edges.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "core/elements/elements.hpp"
#include "quartic/quartic.hpp"
#include "support/boxes.hpp"
#include "support/dense.hpp"
#include "support/surface.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Point = std::array<double, 3>;
using test::BoxCells;

const auto all_types = testing::Values(ElementType::tet4, ElementType::tet10, ElementType::hex8, ElementType::hex20,
                                       ElementType::wedge6, ElementType::wedge15);
const auto name_of_type = [](const auto& param) { return std::string(element_type_name(param.param)); };

bool is_simplex(ElementType type) {
  return type == ElementType::tet4 || type == ElementType::tet10;
}

double reference_volume(ElementType type) {
  return is_simplex(type) ? 1.0 / 6 : is_wedge(type) ? 1 : 8;
}

// Points inside all reference elements.
std::vector<Point> inner_points() {
  std::vector<Point> points;
  const auto numbers = test::random_numbers(30, 4);
  for (std::size_t i = 0; i < 30; i += 3)
    points.push_back({0.25 + 0.1 * numbers[i], 0.25 + 0.1 * numbers[i + 1], 0.25 + 0.1 * numbers[i + 2]});
  return points;
}

class ElementTables : public testing::TestWithParam<ElementType> {
 protected:
  [[nodiscard]] VectorXd values(const Point& at) const {
    VectorXd result(table.vertex_count);
    table.shape(at, result.data());
    return result;
  }
  const ElementTable& table = element_table(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Types, ElementTables, all_types, name_of_type);

// ---- shape functions -------------------------------------------------------------------------------------------

TEST_P(ElementTables, ShapeFunctionsAreOneAtTheirVertexAndZeroAtOthers) {
  ASSERT_EQ(std::ssize(table.corners), element_vertex_count(GetParam()));
  for (int b = 0; b < table.vertex_count; ++b)
    EXPECT_LE((values(table.corners[static_cast<std::size_t>(b)]) - VectorXd::Unit(table.vertex_count, b))
                  .lpNorm<Eigen::Infinity>(),
              1e-15);
}

// All are of degree 2 at most along each axis, so that central differences are exact at any distance.
TEST_P(ElementTables, GradientsAreDerivatives) {
  for (const Point& at : inner_points()) {
    std::array<std::array<double, 3>, 20> gradient;
    table.shape_gradient(at, reinterpret_cast<double(*)[3]>(gradient.data()));
    for (std::size_t c = 0; c < 3; ++c) {
      Point left = at, right = at;
      left[c] -= 0.5;
      right[c] += 0.5;
      const VectorXd slope = values(right) - values(left);
      for (std::size_t a = 0; a < static_cast<std::size_t>(table.vertex_count); ++a)
        EXPECT_NEAR(gradient[a][c], slope[static_cast<Eigen::Index>(a)], 2e-15);
    }
  }
}

// Linear types hold all linear functions, quadratic ones all quadratic ones: the sum of 1 is the partition of unity.
TEST_P(ElementTables, InterpolationReproducesPolynomials) {
  for (int i = 0; i <= 2; ++i)
    for (int j = 0; i + j <= 2; ++j)
      for (int k = 0; i + j + k <= 2; ++k) {
        const auto monomial = [&](const Point& x) { return std::pow(x[0], i) * std::pow(x[1], j) * std::pow(x[2], k); };
        VectorXd at_vertices(table.vertex_count);
        for (int a = 0; a < table.vertex_count; ++a)
          at_vertices[a] = monomial(table.corners[static_cast<std::size_t>(a)]);
        double worst = 0;
        for (const Point& at : inner_points())
          worst = std::max(worst, std::abs(values(at).dot(at_vertices) - monomial(at)));
        if (i + j + k <= (is_quadratic(GetParam()) ? 2 : 1)) {
          EXPECT_LE(worst, 2e-15) << i << j << k;
        } else if (i == 2 || j == 2 || k == 2) {  // hex8 has x y, but no linear type a square
          EXPECT_GE(worst, 0.1) << i << j << k;
        }
      }
}

// ---- the order of vertices -------------------------------------------------------------------------------------

using Edges = std::vector<std::array<std::size_t, 2>>;

// VTK's numbers, as the file formats' documentation has them.
Edges documented_edges(ElementType type) {
  if (is_simplex(type)) return {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  if (is_wedge(type)) return {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
  return {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
}

TEST_P(ElementTables, MiddlesFollowTheCornersInVtksOrder) {
  const Edges edges = documented_edges(GetParam());
  EXPECT_EQ(table.edges, edges);
  if (!is_quadratic(GetParam())) return;
  const std::size_t corners = table.corners.size() - edges.size();
  for (std::size_t e = 0; e < edges.size(); ++e)
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_EQ(table.corners[corners + e][c], (table.corners[edges[e][0]][c] + table.corners[edges[e][1]][c]) / 2);
}

TEST(ElementOrder, WedgesPointFromTheFirstTriangleToTheSecond) {
  VolumeMesh mesh;
  mesh.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0, 2, 0, 1, 2};
  mesh.blocks = {{ElementType::wedge6, {0, 1, 2, 3, 4, 5}}};
  mesh.element_region = {0};
  mesh.regions = {{"one", test::soft}};
  EXPECT_EQ(check_mesh(mesh).inverted, 0);
  EXPECT_NEAR(check_mesh(mesh).volume, 1, 1e-15);
  mesh.blocks[0].vertices = {3, 4, 5, 0, 1, 2};
  EXPECT_EQ(check_mesh(mesh).inverted, 1);
}

// ---- rules ------------------------------------------------------------------------------------------------------

double factorial(int n) {
  return n < 2 ? 1 : n * factorial(n - 1);
}

double line_integral(int k) {  // of x^k over [-1, 1]
  return k % 2 == 0 ? 2.0 / (k + 1) : 0;
}

double sum_of_monomial(const QuadratureRule& rule, int i, int j, int k) {
  double sum = 0;
  for (std::size_t p = 0; p < rule.points.size(); ++p) {
    const auto& [x, y, z] = rule.points[p];
    sum += rule.weights[p] * std::pow(x, i) * std::pow(y, j) * std::pow(z, k);
  }
  return sum;
}

TEST_P(ElementTables, RulesHavePositiveWeightsAndTheElementsVolume) {
  for (const QuadratureRule* rule : {&table.stiffness_rule, &table.mass_rule}) {
    EXPECT_NEAR(sum_of_monomial(*rule, 0, 0, 0), reference_volume(GetParam()), 4e-15);
    for (const double w : rule->weights) EXPECT_GT(w, 0);
  }
}

// The integral of x^i y^j over the triangle is i! j! / (i + j + 2)!.
TEST(ElementRules, WedgesAreExactToDegreeFourInTheTriangleAndFiveAlong) {
  for (const ElementType type : {ElementType::wedge6, ElementType::wedge15}) {
    const QuadratureRule& rule = element_table(type).stiffness_rule;
    EXPECT_EQ(rule.points.size(), 18U);
    for (int i = 0; i <= 4; ++i)
      for (int j = 0; i + j <= 4; ++j)
        for (int k = 0; k <= 5; ++k)
          EXPECT_NEAR(sum_of_monomial(rule, i, j, k),
                      factorial(i) * factorial(j) / factorial(i + j + 2) * line_integral(k), 1e-15)
              << i << j << k;
    for (const auto& [x, y, z] : rule.points) EXPECT_GT(std::min({x, y, 1 - x - y, 1 - std::abs(z)}), 0);
  }
}

TEST(ElementRules, HexahedraAreExactToTheirDegreeAlongEachAxis) {
  ElementBlock block{ElementType::hex8, {}};
  for (const auto& [choice, degree] : {std::pair{HexahedronRule::gauss_3x3x3, 5}, {HexahedronRule::gauss_2x2x2, 3}}) {
    block.hexahedron_rule = choice;
    for (const QuadratureRule* rule : {&stiffness_rule(block), &mass_rule(block)}) {
      EXPECT_EQ(rule->points.size(), degree == 5 ? 27U : 8U);
      for (int i = 0; i <= degree; ++i)
        for (int j = 0; j <= degree; ++j)
          for (int k = 0; k <= degree; ++k)
            EXPECT_NEAR(sum_of_monomial(*rule, i, j, k), line_integral(i) * line_integral(j) * line_integral(k), 4e-15);
    }
  }
}

TEST(ElementRules, OnlyHex8AsksForTwoPoints) {
  for (const ElementType type : {ElementType::tet4, ElementType::hex20, ElementType::wedge6}) {
    const ElementBlock block{type, {}, HexahedronRule::gauss_2x2x2};
    EXPECT_EQ(&stiffness_rule(block), &element_table(type).stiffness_rule);
    EXPECT_EQ(&mass_rule(block), &element_table(type).mass_rule);
  }
}

// ---- faces --------------------------------------------------------------------------------------------------------

/// A point of a face with its position and the tangents by the face's own coordinates s and t.
struct FacePoint {
  Vector3d x = Vector3d::Zero(), by_s = x, by_t = x;
};

// The textbook's functions of faces with 3, 4, 6 and 8 vertices, on the unit triangle or on [-1, 1]^2, and their
// slopes.
std::vector<std::array<double, 3>> face_functions(std::size_t vertices, double s, double t) {
  constexpr double cs[4] = {-1, 1, 1, -1}, ct[4] = {-1, -1, 1, 1};
  std::vector<std::array<double, 3>> n;
  if (vertices == 3) return {{1 - s - t, -1, -1}, {s, 1, 0}, {t, 0, 1}};
  if (vertices == 6) {
    const auto l = face_functions(3, s, t);
    for (const auto& [v, ds, dt] : l) n.push_back({v * (2 * v - 1), (4 * v - 1) * ds, (4 * v - 1) * dt});
    for (std::size_t i = 0; i < 3; ++i) {
      const auto &a = l[i], &b = l[(i + 1) % 3];
      n.push_back({4 * a[0] * b[0], 4 * (a[1] * b[0] + a[0] * b[1]), 4 * (a[2] * b[0] + a[0] * b[2])});
    }
    return n;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const double fs = 1 + cs[i] * s, ft = 1 + ct[i] * t, g = cs[i] * s + ct[i] * t - 1;
    if (vertices == 4) n.push_back({fs * ft / 4, cs[i] * ft / 4, ct[i] * fs / 4});
    if (vertices == 8) n.push_back({fs * ft * g / 4, cs[i] * ft * (g + fs) / 4, ct[i] * fs * (g + ft) / 4});
  }
  if (vertices == 8)
    for (std::size_t i = 0; i < 4; ++i) {  // edges 0 and 2 run along s
      const double c = i % 2 == 0 ? ct[i] : cs[i];
      if (i % 2 == 0) n.push_back({(1 - s * s) * (1 + c * t) / 2, -s * (1 + c * t), c * (1 - s * s) / 2});
      if (i % 2 == 1) n.push_back({(1 - t * t) * (1 + c * s) / 2, c * (1 - t * t) / 2, -t * (1 + c * s)});
    }
  return n;
}

// Gauss's points and weights on [-1, 1] (Golub & Welsch 1969).
std::pair<VectorXd, VectorXd> gauss(int n) {
  MatrixXd jacobi = MatrixXd::Zero(n, n);
  for (int i = 1; i < n; ++i) jacobi(i, i - 1) = jacobi(i - 1, i) = i / std::sqrt(4.0 * i * i - 1);
  const test::EigenPairs eigen = test::eigen_pairs(jacobi);
  return {eigen.values, 2 * eigen.vectors.row(0).array().square().matrix().transpose()};
}

// The flow of x / 3 through a face, positive outwards.
double flow_through(const std::vector<Vector3d>& face) {
  const auto [points, weights] = gauss(6);
  const bool triangle = face.size() % 3 == 0;
  double flow = 0;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      double s = points[i], t = points[j], w = weights[i] * weights[j];
      if (triangle) {  // the square folded to the triangle
        s = (1 + s) / 2;
        t = (1 + t) / 2 * (1 - s);
        w *= (1 - s) / 4;
      }
      const auto n = face_functions(face.size(), s, t);
      FacePoint point;
      for (std::size_t a = 0; a < face.size(); ++a) {
        point.x += n[a][0] * face[a];
        point.by_s += n[a][1] * face[a];
        point.by_t += n[a][2] * face[a];
      }
      flow += w * point.x.dot(point.by_s.cross(point.by_t)) / 3;
    }
  return flow;
}

/// One element with vertices moved from their reference positions by up to `noise`, elsewhere in space.
VolumeMesh one_element(ElementType type, double noise) {
  const ElementTable& table = element_table(type);
  VolumeMesh mesh;
  mesh.blocks = {{type, {}}};
  const auto numbers = test::random_numbers(60, 6);
  for (const Point& x : table.corners) {
    mesh.blocks[0].vertices.push_back(static_cast<std::int32_t>(mesh.vertices.size() / 3));
    for (std::size_t c = 0; c < 3; ++c) mesh.vertices.push_back(x[c] + 2 + noise * numbers[mesh.vertices.size()]);
  }
  mesh.element_region = {0};
  mesh.regions = {{"one", test::soft}};
  return mesh;
}

// Volume is the flow through the faces, which are wound outwards; also of curved elements, whose faces have the
// functions of the textbook. Both sides are polynomials that their rules integrate exactly.
TEST_P(ElementTables, FacesEncloseTheElement) {
  for (const double noise : {0.0, 0.06}) {
    const VolumeMesh mesh = one_element(GetParam(), noise);
    double volume = 0;
    for (const auto& numbers : table.faces) {
      std::vector<Vector3d> face;
      for (const int a : numbers) face.push_back(Vector3d::Map(&mesh.vertices[static_cast<std::size_t>(3 * a)]));
      volume += flow_through(face);
    }
    const MeshReport report = check_mesh(mesh);
    EXPECT_EQ(report.inverted + report.degenerate, 0);
    EXPECT_NEAR(report.volume, volume, 1e-13 * volume);
    if (noise == 0) {
      EXPECT_NEAR(volume, reference_volume(GetParam()), 1e-13 * volume);
      EXPECT_NEAR(test::enclosed_volume(mesh), volume, 1e-13 * volume);
    }
  }
}

// Flat triangles through the middles of a sphere's curved faces come nearer to it than those of the corners.
TEST_P(ElementTables, CurvedFacesAreDrawnThroughTheirMiddles) {
  if (!is_quadratic(GetParam())) return;
  VolumeMesh mesh = one_element(GetParam(), 0);
  const double straight = check_mesh(mesh).volume;
  Vector3d centre = Vector3d::Zero();
  for (std::size_t v = 0; v < mesh.vertices.size(); v += 3) centre += Vector3d::Map(&mesh.vertices[v]);
  centre /= static_cast<double>(mesh.vertex_count());
  const auto corners = static_cast<std::size_t>(table.vertex_count) - table.edges.size();
  for (std::size_t v = 3 * corners; v < mesh.vertices.size(); v += 3) {  // middles pulled outwards
    Eigen::Map<Vector3d> x(&mesh.vertices[v]);
    x += 0.1 * (x - centre);
  }
  const double drawn = test::enclosed_volume(mesh), curved = check_mesh(mesh).volume;
  EXPECT_GT(drawn, 1.05 * straight);
  EXPECT_GT(curved, drawn);
  const std::size_t expected = is_simplex(GetParam()) ? 16 : is_wedge(GetParam()) ? 8 + 18 : 36;
  EXPECT_EQ(boundary_triangles(mesh).size() / 3, expected);
}

// ---- meshes of one type and of several --------------------------------------------------------------------------

class ElementMeshes : public testing::TestWithParam<BoxCells> {
 protected:
  VolumeMesh mesh = test::make_box(GetParam(), {3, 3, 2});
  static constexpr double volume = 3 * 3 * 2 * 0.5 * 0.3 * 0.4;
};
INSTANTIATE_TEST_SUITE_P(Cells, ElementMeshes,
                         testing::Values(BoxCells::tets, BoxCells::hexes, BoxCells::wedges, BoxCells::hexes_and_wedges,
                                         BoxCells::straight_tet10, BoxCells::straight_hex20, BoxCells::straight_wedge15,
                                         BoxCells::curved_tet10, BoxCells::curved_hex20, BoxCells::curved_wedge15,
                                         BoxCells::curved_hexes_and_wedges),
                         [](const auto& param) { return test::name_of(param.param); });

TEST_P(ElementMeshes, FacesMatchAndTheBoundaryIsClosed) {
  const MeshReport report = check_mesh(mesh);
  EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
  EXPECT_NEAR(report.volume, volume, 1e-14 * volume);
  EXPECT_NEAR(test::enclosed_volume(mesh), volume, 1e-14 * volume);
  EXPECT_GT(report.worst_quality, 0.1);
}

// Vertex swaps that mirror an element, and others than the library itself turns elements round with.
std::vector<std::array<std::size_t, 2>> mirror(ElementType type) {
  switch (type) {
    case ElementType::tet4:
      return {{2, 3}};
    case ElementType::tet10:
      return {{2, 3}, {5, 8}, {6, 7}};
    case ElementType::hex8:
      return {{1, 3}, {5, 7}};
    case ElementType::hex20:
      return {{1, 3}, {5, 7}, {8, 11}, {9, 10}, {12, 15}, {13, 14}, {17, 19}};
    case ElementType::wedge6:
      return {{1, 2}, {4, 5}};
    default:
      return {{1, 2}, {4, 5}, {6, 8}, {9, 11}, {13, 14}};
  }
}

TEST_P(ElementMeshes, MirroredElementsAreTurnedRound) {
  VolumeMesh broken = mesh;
  std::int64_t mirrored = 0;
  for (ElementBlock& block : broken.blocks)
    for (std::int64_t e = 0; e < block.count(); e += 3, ++mirrored)
      for (const auto& [a, b] : mirror(block.type)) {
        std::int32_t* element = block.vertices.data() + e * element_vertex_count(block.type);
        std::swap(element[a], element[b]);
      }
  EXPECT_EQ(check_mesh(broken).inverted, mirrored);
  EXPECT_NEAR(test::enclosed_volume(broken), volume, 1e-14 * volume);
  EXPECT_EQ(repair_orientation(broken), mirrored);
  EXPECT_EQ(check_mesh(broken).inverted + check_mesh(broken).degenerate, 0);
  EXPECT_NEAR(test::enclosed_volume(broken), volume, 1e-14 * volume);
  const MatrixXd k = stiffness_matrix(mesh).map(), repaired = stiffness_matrix(broken).map();
  EXPECT_LE((repaired - k).cwiseAbs().maxCoeff(), 1e-13 * k.cwiseAbs().maxCoeff());
}

TEST_P(ElementMeshes, RepeatedElementsAreCounted) {
  ElementBlock& block = mesh.blocks.back();
  const auto n = static_cast<std::ptrdiff_t>(element_vertex_count(block.type));
  std::vector<std::int32_t> first(block.vertices.begin(), block.vertices.begin() + n);
  std::reverse(first.begin(), first.end());
  block.vertices.insert(block.vertices.end(), first.begin(), first.end());
  mesh.element_region.push_back(0);
  EXPECT_EQ(check_mesh(mesh).repeated_elements, 1);
}

// A tetrahedron shares a wedge's triangle; a hexahedron and a quadratic one with four corners in common share no face.
TEST(ElementFaces, MatchAcrossTypesWhereAllVerticesAgree) {
  VolumeMesh mesh;
  mesh.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 2};
  mesh.blocks = {{ElementType::tet4, {3, 4, 5, 6}}, {ElementType::wedge6, {0, 1, 2, 3, 4, 5}}};
  mesh.element_region = {0, 0};
  mesh.regions = {{"one", test::soft}};
  EXPECT_EQ(boundary_triangles(mesh).size() / 3, 3U + 1U + 6U);
  EXPECT_NEAR(test::enclosed_volume(mesh), 0.5 + 1.0 / 6, 1e-15);
  EXPECT_TRUE(check_mesh(mesh).warnings.empty());
  EXPECT_NEAR(test::enclosed_volume(make_quadratic(mesh)), 0.5 + 1.0 / 6, 1e-15);

  VolumeMesh hexes = test::make_box(BoxCells::straight_hex20, {2, 1, 1});
  const auto element = hexes.blocks[0].element(1);
  const std::vector<std::int32_t> corners(element.begin(), element.begin() + 8);
  hexes.blocks[0].vertices.resize(20);
  hexes.blocks.insert(hexes.blocks.begin(), ElementBlock{ElementType::hex8, corners});
  EXPECT_EQ(boundary_triangles(hexes).size() / 3, 12U + 36U);
}

// A brick on two wedges, which cut its square face along a diagonal: the bodies touch, but aren't joined.
TEST(ElementFaces, HexahedraOnTheTrianglesOfWedgesAreNonConforming) {
  VolumeMesh mesh = test::make_box(BoxCells::hexes, {1, 1, 2});
  const auto v = mesh.blocks[0].element(0);
  mesh.blocks.push_back(
      {ElementType::wedge6, {v[0], v[1], v[2], v[4], v[5], v[6], v[0], v[2], v[3], v[4], v[6], v[7]}});
  auto& hexahedra = mesh.blocks[0].vertices;
  hexahedra.erase(hexahedra.begin(), hexahedra.begin() + 8);
  mesh.element_region = {0, 0, 0};
  const auto warning = [](const VolumeMesh& checked) {
    const MeshReport report = check_mesh(checked);
    return report.warnings.empty() ? "" : report.warnings.back();
  };
  EXPECT_NE(warning(mesh).find("4 boundary triangles lie on an internal interface"), std::string::npos);
  EXPECT_NE(warning(make_quadratic(mesh)).find("lie on an internal interface"), std::string::npos);
}

// ---- quality ------------------------------------------------------------------------------------------------------

double quality_of(ElementType type, const std::vector<double>& corners) {
  VolumeMesh mesh;
  mesh.vertices = corners;
  mesh.blocks = {{type, {}}};
  for (std::size_t v = 0; v < corners.size() / 3; ++v) mesh.blocks[0].vertices.push_back(static_cast<std::int32_t>(v));
  mesh.element_region = {0};
  mesh.regions = {{"one", test::soft}};
  const double linear = check_mesh(mesh).worst_quality, quadratic = check_mesh(make_quadratic(mesh)).worst_quality;
  EXPECT_NEAR(quadratic, linear, 0.05 * linear);  // measured at middles, too
  return linear;
}

TEST(ElementQuality, IsOneForRegularElements) {
  const double h = std::sqrt(0.75);
  EXPECT_NEAR(quality_of(ElementType::wedge6, {0, 0, 0, 1, 0, 0, 0.5, h, 0, 0, 0, 1, 1, 0, 1, 0.5, h, 1}), 1, 1e-15);
  EXPECT_NEAR(quality_of(ElementType::hex8, {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1}),
              1, 1e-15);
}

// Of a right triangle with equal legs, 4 sqrt(3) area over the sum of squared sides is sqrt(3) / 2, whichever corner is
// first. Sheared by 45 degrees, the height is 1 / sqrt(2) of the edge.
TEST(ElementQuality, OfWedgesDependsOnTheTriangleAndTheSlant) {
  const double half = std::sqrt(0.75);
  EXPECT_NEAR(quality_of(ElementType::wedge6, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1}), half, 1e-15);
  EXPECT_NEAR(quality_of(ElementType::wedge6, {1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1}), half, 1e-15);
  EXPECT_NEAR(quality_of(ElementType::wedge6, {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1}), half, 1e-15);
  EXPECT_NEAR(quality_of(ElementType::wedge6, {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 2, 0, 1, 1, 1, 1}),
              half * std::sqrt(0.5), 1e-15);
  EXPECT_LT(quality_of(ElementType::wedge6, {0, 0, 0, 1, 0, 0, 0.5, 1e-4, 0, 0, 0, 1, 1, 0, 1, 0.5, 1e-4, 1}), 1e-3);
}

TEST(ElementQuality, FoldedQuadraticElementsAreDegenerate) {
  for (const ElementType type : {ElementType::hex20, ElementType::wedge15}) {
    VolumeMesh mesh = one_element(type, 0);
    const auto middle = 3 * (element_table(type).corners.size() - element_table(type).edges.size());
    for (std::size_t c = 0; c < 3; ++c)  // the middle of edge 0-1 beyond vertex 1
      mesh.vertices[middle + c] = mesh.vertices[3 + c] + 0.4 * (mesh.vertices[3 + c] - mesh.vertices[c]);
    EXPECT_EQ(check_mesh(mesh).degenerate, 1);
    EXPECT_THROW((void)stiffness_matrix(mesh), InputError);
  }
}

// ---- linear to quadratic --------------------------------------------------------------------------------------------

TEST(MakeQuadratic, PutsAVertexOnEveryEdge) {
  // 27 lattice points and 54 edges along the axes; wedges have diagonals of the squares across z as well.
  for (const auto& [cells, type, vertices] :
       {std::tuple{BoxCells::hexes, ElementType::hex20, 81}, {BoxCells::wedges, ElementType::wedge15, 81 + 12}}) {
    VolumeMesh linear = test::make_box(cells, {2, 2, 2}, 0);
    linear.vertex_sets["bottom"] = vertices_in_box(linear, {-1, -1, 0, 9, 9, 0});
    linear.blocks[0].hexahedron_rule = HexahedronRule::gauss_2x2x2;
    const VolumeMesh mesh = make_quadratic(linear);
    EXPECT_EQ(mesh.vertex_count(), vertices);
    ASSERT_EQ(mesh.blocks.size(), 1U);
    EXPECT_EQ(mesh.blocks[0].type, type);
    EXPECT_EQ(mesh.blocks[0].hexahedron_rule, HexahedronRule::gauss_3x3x3);
    EXPECT_TRUE(std::equal(linear.vertices.begin(), linear.vertices.end(), mesh.vertices.begin()));
    EXPECT_EQ(mesh.element_region, linear.element_region);
    EXPECT_EQ(mesh.vertex_sets.at("bottom"), vertices_in_box(mesh, {-1, -1, 0, 9, 9, 0}));
    const MeshReport before = check_mesh(linear), after = check_mesh(mesh);
    EXPECT_NEAR(after.volume, before.volume, 1e-14 * before.volume);
    EXPECT_NEAR(after.worst_quality, before.worst_quality, 1e-14);
  }
}

TEST(MakeQuadratic, KeepsTheOrderOfBlocks) {
  const VolumeMesh linear = test::make_box(BoxCells::hexes_and_wedges, {2, 2, 1});
  const VolumeMesh mesh = make_quadratic(linear);
  ASSERT_EQ(mesh.blocks.size(), 2U);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::hex20);
  EXPECT_EQ(mesh.blocks[1].type, ElementType::wedge15);
  EXPECT_EQ(mesh.blocks[0].count(), linear.blocks[0].count());
  EXPECT_EQ(mesh.blocks[1].count(), linear.blocks[1].count());
}

TEST(MakeQuadratic, RefusesOtherElements) {
  EXPECT_THROW((void)make_quadratic(test::make_box(BoxCells::straight_hex20, {1, 1, 1})), InputError);
  VolumeMesh mesh = one_element(ElementType::hex8, 0);
  mesh.blocks.push_back({ElementType::pyramid5, {0, 1, 2, 3, 4}});
  mesh.element_region.push_back(0);
  try {
    (void)make_quadratic(mesh);
    FAIL() << "pyramids have no quadratic type here";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("pyramid5"), std::string::npos) << error.what();
  }
  EXPECT_THROW((void)stiffness_matrix(mesh), InputError);
}

}  // namespace
}  // namespace quartic
