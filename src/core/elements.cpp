#include "core/elements.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "quartic/error.hpp"

namespace quartic {
namespace {

using Point = std::array<double, 3>;

// ---- quadrature ------------------------------------------------------------------------------------------

// Three-point Gauss rule on [-1, 1], exact to degree 5, in three directions.
QuadratureRule hexahedron_gauss_27() {
  const double a = std::sqrt(0.6);
  const double x[3] = {-a, 0, a};
  const double w[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  QuadratureRule rule;
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) {
        rule.points.push_back({x[i], x[j], x[k]});
        rule.weights.push_back(w[i] * w[j] * w[k]);
      }
  return rule;
}

// Four points, exact to degree 2 (Hammer, Marlowe & Stroud 1956).
QuadratureRule tetrahedron_degree_2() {
  const double a = (5 - std::sqrt(5.0)) / 20;
  const double b = (5 + 3 * std::sqrt(5.0)) / 20;
  return {{{a, a, a}, {b, a, a}, {a, b, a}, {a, a, b}}, {1.0 / 24, 1.0 / 24, 1.0 / 24, 1.0 / 24}};
}

/// Points that a tetrahedron's symmetries map to each other: those whose barycentric coordinates are a permutation of
/// four numbers. The weight is that of each, as a share of the volume.
struct TetrahedronOrbit {
  double weight;
  std::array<double, 4> barycentric;
};

QuadratureRule tetrahedron_rule(const std::vector<TetrahedronOrbit>& orbits) {
  QuadratureRule rule;
  for (const TetrahedronOrbit& orbit : orbits) {
    std::array<double, 4> b = orbit.barycentric;
    std::sort(b.begin(), b.end());
    do {
      rule.points.push_back({b[1], b[2], b[3]});
      rule.weights.push_back(orbit.weight / 6);
    } while (std::next_permutation(b.begin(), b.end()));
  }
  return rule;
}

// 14 points, exact to degree 5, all weights positive (Walkington 2000).
QuadratureRule tetrahedron_degree_5() {
  constexpr double a = 0.3108859192633006098, b = 0.092735250310891226402, c = 0.045503704125649649492;
  return tetrahedron_rule({{0.1126879257180158508, {a, a, a, 1 - 3 * a}},
                           {0.073493043116361949544, {b, b, b, 1 - 3 * b}},
                           {0.042546020777081466438, {c, c, 0.5 - c, 0.5 - c}}});
}

// 35 points, exact to degree 7, all weights positive (Zhang, Cui & Liu 2009).
QuadratureRule tetrahedron_degree_7() {
  constexpr double a = 0.31570114977820279942, b = 0.050489822598396368763;
  constexpr double c = 0.18883383102600104774, d = 0.57517163758700002348;
  constexpr double e = 0.021265472541483245989, f = 0.81083024109854856112;
  return tetrahedron_rule({{0.095485289464130848861, {0.25, 0.25, 0.25, 0.25}},
                           {0.042329581209967029076, {a, a, a, 1 - 3 * a}},
                           {0.031896927832857579934, {b, b, 0.5 - b, 0.5 - b}},
                           {0.03720713072833462137, {c, c, d, 1 - 2 * c - d}},
                           {0.0081107708299033415661, {e, e, f, 1 - 2 * e - f}}});
}

// ---- tet4: reference vertices 0, e1, e2, e3 ----------------------------------------------------------------

void tet4_shape(const Point& xi, double* values) {
  values[0] = 1 - xi[0] - xi[1] - xi[2];
  for (std::size_t c = 0; c < 3; ++c) values[c + 1] = xi[c];
}

void tet4_gradient(const Point& /*xi*/, double (*gradients)[3]) {
  for (int c = 0; c < 3; ++c) {
    gradients[0][c] = -1;
    for (int a = 0; a < 3; ++a) gradients[a + 1][c] = a == c ? 1 : 0;
  }
}

ElementTable tet4_table() {
  ElementTable table;
  table.type = ElementType::tet4;
  table.name = "tet4";
  table.vertex_count = 4;
  table.affine = true;
  table.shape = tet4_shape;
  table.shape_gradient = tet4_gradient;
  table.corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  table.stiffness_rule = {{{0.25, 0.25, 0.25}}, {1.0 / 6}};
  table.mass_rule = tetrahedron_degree_2();
  table.faces = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  table.mirror_swaps = {{0, 1}};
  return table;
}

// ---- tet10: the corners of tet4, then the middles of its edges ----------------------------------------------

void tet10_shape(const Point& xi, double* values) {
  double corner[4];  // barycentric coordinates
  tet4_shape(xi, corner);
  for (std::size_t a = 0; a < 4; ++a) values[a] = corner[a] * (2 * corner[a] - 1);
  for (std::size_t e = 0; e < 6; ++e) values[4 + e] = 4 * corner[tet10_edges[e][0]] * corner[tet10_edges[e][1]];
}

void tet10_gradient(const Point& xi, double (*gradients)[3]) {
  double corner[4], slope[4][3];
  tet4_shape(xi, corner);
  tet4_gradient(xi, slope);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t a = 0; a < 4; ++a) gradients[a][c] = (4 * corner[a] - 1) * slope[a][c];
    for (std::size_t e = 0; e < 6; ++e) {
      const auto [i, j] = tet10_edges[e];
      gradients[4 + e][c] = 4 * (corner[i] * slope[j][c] + corner[j] * slope[i][c]);
    }
  }
}

ElementTable tet10_table() {
  ElementTable table;
  table.type = ElementType::tet10;
  table.name = "tet10";
  table.vertex_count = 10;
  table.shape = tet10_shape;
  table.shape_gradient = tet10_gradient;
  table.corners = tet4_table().corners;
  for (const auto& [a, b] : tet10_edges) {
    Point middle;
    for (std::size_t c = 0; c < 3; ++c) middle[c] = 0.5 * (table.corners[a][c] + table.corners[b][c]);
    table.corners.push_back(middle);
  }
  table.stiffness_rule = tetrahedron_degree_5();
  table.mass_rule = tetrahedron_degree_7();
  table.faces = {{0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {0, 3, 2, 7, 9, 6}};
  table.mirror_swaps = {{0, 1}, {5, 6}, {7, 8}};
  return table;
}

// ---- hex8: reference vertices at (+-1, +-1, +-1), bottom face first, counter-clockwise ---------------------

constexpr double hex8_corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                      {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

void hex8_shape(const Point& xi, double* values) {
  for (int a = 0; a < 8; ++a) {
    const double* c = hex8_corner[a];
    values[a] = (1 + c[0] * xi[0]) * (1 + c[1] * xi[1]) * (1 + c[2] * xi[2]) / 8;
  }
}

void hex8_gradient(const Point& xi, double (*gradients)[3]) {
  for (int a = 0; a < 8; ++a) {
    const double* c = hex8_corner[a];
    const double f[3] = {1 + c[0] * xi[0], 1 + c[1] * xi[1], 1 + c[2] * xi[2]};
    gradients[a][0] = c[0] * f[1] * f[2] / 8;
    gradients[a][1] = c[1] * f[0] * f[2] / 8;
    gradients[a][2] = c[2] * f[0] * f[1] / 8;
  }
}

ElementTable hex8_table() {
  ElementTable table;
  table.type = ElementType::hex8;
  table.name = "hex8";
  table.vertex_count = 8;
  table.shape = hex8_shape;
  table.shape_gradient = hex8_gradient;
  for (const auto& c : hex8_corner) table.corners.push_back({c[0], c[1], c[2]});
  table.stiffness_rule = hexahedron_gauss_27();
  table.mass_rule = hexahedron_gauss_27();
  table.faces = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  table.mirror_swaps = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  return table;
}

// ---- the list ----------------------------------------------------------------------------------------------

const std::vector<ElementTable>& supported_tables() {
  static const std::vector<ElementTable> tables = {tet4_table(), tet10_table(), hex8_table()};
  return tables;
}

std::string supported_names() {
  std::string names;
  for (const ElementTable& table : supported_tables()) names += (names.empty() ? "" : ", ") + std::string(table.name);
  return names;
}

struct TypeName {
  std::string_view name;
  int vertex_count;
};
constexpr std::array<TypeName, element_type_count> type_names = {
    {{"tet4", 4}, {"tet10", 10}, {"hex8", 8}, {"hex20", 20}, {"wedge6", 6}, {"wedge15", 15}, {"pyramid5", 5}}};

}  // namespace

std::string_view element_type_name(ElementType type) {
  return type_names[static_cast<std::size_t>(type)].name;
}

int element_vertex_count(ElementType type) {
  return type_names[static_cast<std::size_t>(type)].vertex_count;
}

bool element_supported(ElementType type) {
  for (const ElementTable& table : supported_tables())
    if (table.type == type) return true;
  return false;
}

const ElementTable& element_table(ElementType type) {
  for (const ElementTable& table : supported_tables())
    if (table.type == type) return table;
  throw InputError("elements of type " + std::string(element_type_name(type)) +
                   " can't be used by this version; it knows " + supported_names());
}

void point_geometry(std::span<const Point> x, const double (*reference)[3], double weight, PointGeometry& geometry) {
  // J_cd = dX_c / dxi_d; gradients by position are J^-T times those by reference coordinate.
  double jacobian[3][3] = {};
  for (std::size_t a = 0; a < x.size(); ++a)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t d = 0; d < 3; ++d) jacobian[c][d] += x[a][c] * reference[a][d];
  double cofactor[3][3];
  for (int c = 0; c < 3; ++c)
    for (int d = 0; d < 3; ++d) {
      const int c1 = (c + 1) % 3, c2 = (c + 2) % 3, d1 = (d + 1) % 3, d2 = (d + 2) % 3;
      cofactor[c][d] = jacobian[c1][d1] * jacobian[c2][d2] - jacobian[c1][d2] * jacobian[c2][d1];
    }
  const double determinant =
      jacobian[0][0] * cofactor[0][0] + jacobian[0][1] * cofactor[0][1] + jacobian[0][2] * cofactor[0][2];
  geometry.weight = weight * determinant;
  for (std::size_t a = 0; a < x.size(); ++a)
    for (std::size_t c = 0; c < 3; ++c)
      geometry.gradient[a][c] =
          (cofactor[c][0] * reference[a][0] + cofactor[c][1] * reference[a][1] + cofactor[c][2] * reference[a][2]) /
          determinant;
}

}  // namespace quartic
