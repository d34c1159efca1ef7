// Tetrahedra: reference vertices 0, e1, e2, e3.
#include "core/elements/element_rules.hpp"
#include "core/elements/element_tables.hpp"

namespace quartic {
namespace {

using Point = std::array<double, 3>;

constexpr std::array<std::array<std::size_t, 2>, 6> tetrahedron_edges = {
    {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};

// ---- tet4 ----------------------------------------------------------------------------------------------------

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

// ---- tet10: the corners of tet4, then the middles of its edges ----------------------------------------------

void tet10_shape(const Point& xi, double* values) {
  double corner[4];  // barycentric coordinates
  tet4_shape(xi, corner);
  for (std::size_t a = 0; a < 4; ++a) values[a] = corner[a] * (2 * corner[a] - 1);
  for (std::size_t e = 0; e < 6; ++e)
    values[4 + e] = 4 * corner[tetrahedron_edges[e][0]] * corner[tetrahedron_edges[e][1]];
}

void tet10_gradient(const Point& xi, double (*gradients)[3]) {
  double corner[4], slope[4][3];
  tet4_shape(xi, corner);
  tet4_gradient(xi, slope);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t a = 0; a < 4; ++a) gradients[a][c] = (4 * corner[a] - 1) * slope[a][c];
    for (std::size_t e = 0; e < 6; ++e) {
      const auto [i, j] = tetrahedron_edges[e];
      gradients[4 + e][c] = 4 * (corner[i] * slope[j][c] + corner[j] * slope[i][c]);
    }
  }
}

}  // namespace

ElementTable tet4_table() {
  ElementTable table;
  table.type = ElementType::tet4;
  table.vertex_count = 4;
  table.affine = true;
  table.shape = tet4_shape;
  table.shape_gradient = tet4_gradient;
  table.corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  table.edges = {tetrahedron_edges.begin(), tetrahedron_edges.end()};
  table.stiffness_rule = tetrahedron_degree_1();
  table.mass_rule = tetrahedron_degree_2();
  table.faces = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  table.mirror_swaps = {{0, 1}};
  return table;
}

// Straight, the strain is linear and the energy of degree 4; curved, the mass is of degree 7.
ElementTable tet10_table() {
  ElementTable table = with_middles(tet4_table(), ElementType::tet10);
  table.shape = tet10_shape;
  table.shape_gradient = tet10_gradient;
  table.stiffness_rule = tetrahedron_degree_5();
  table.mass_rule = tetrahedron_degree_7();
  return table;
}

}  // namespace quartic
