// Wedges: the triangle 0, e1, e2 along z from -1 to 1. Vertices of the triangle at -1 first, then those at 1.
#include "core/elements/element_rules.hpp"
#include "core/elements/element_tables.hpp"

namespace quartic {
namespace {

using Point = std::array<double, 3>;

// Of the bottom, of the top, upright.
constexpr std::array<std::array<std::size_t, 2>, 9> wedge_edges = {
    {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}}};

// Barycentric coordinates L of the triangle and their slopes.
constexpr double slopes[3][2] = {{-1, -1}, {1, 0}, {0, 1}};

std::array<double, 3> barycentric(const Point& xi) {
  return {1 - xi[0] - xi[1], xi[0], xi[1]};
}

// ---- wedge6: L (1 -+ z) / 2 ------------------------------------------------------------------------------------

void wedge6_shape(const Point& xi, double* values) {
  const auto l = barycentric(xi);
  for (std::size_t a = 0; a < 3; ++a) {
    values[a] = l[a] * (1 - xi[2]) / 2;
    values[a + 3] = l[a] * (1 + xi[2]) / 2;
  }
}

void wedge6_gradient(const Point& xi, double (*gradients)[3]) {
  const auto l = barycentric(xi);
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t d = 0; d < 2; ++d) {
      gradients[a][d] = slopes[a][d] * (1 - xi[2]) / 2;
      gradients[a + 3][d] = slopes[a][d] * (1 + xi[2]) / 2;
    }
    gradients[a][2] = -l[a] / 2;
    gradients[a + 3][2] = l[a] / 2;
  }
}

// ---- wedge15, the serendipity element: the corners of wedge6, then the middles of its edges ----------------------
//
// With s = -1 at the bottom and 1 at the top: corners have L (1 + s z) (2 L + s z - 2) / 2, the triangles' middles
// 2 L_i L_j (1 + s z), and the upright edges' middles L (1 - z^2).

void wedge15_shape(const Point& xi, double* values) {
  const auto l = barycentric(xi);
  const double z = xi[2];
  for (std::size_t a = 0; a < 6; ++a) {
    const double s = a < 3 ? -1 : 1, corner = l[a % 3];
    values[a] = corner * (1 + s * z) * (2 * corner + s * z - 2) / 2;
  }
  for (std::size_t e = 0; e < 6; ++e) {
    const auto [i, j] = wedge_edges[e % 3];
    values[6 + e] = 2 * l[i] * l[j] * (1 + (e < 3 ? -z : z));
  }
  for (std::size_t a = 0; a < 3; ++a) values[12 + a] = l[a] * (1 - z * z);
}

void wedge15_gradient(const Point& xi, double (*gradients)[3]) {
  const auto l = barycentric(xi);
  const double z = xi[2];
  for (std::size_t a = 0; a < 6; ++a) {
    const double s = a < 3 ? -1 : 1, corner = l[a % 3];
    for (std::size_t d = 0; d < 2; ++d) gradients[a][d] = slopes[a % 3][d] * (1 + s * z) * (4 * corner + s * z - 2) / 2;
    gradients[a][2] = corner * (s * (2 * corner - 1) + 2 * z) / 2;
  }
  for (std::size_t e = 0; e < 6; ++e) {
    const auto [i, j] = wedge_edges[e % 3];
    const double s = e < 3 ? -1 : 1;
    for (std::size_t d = 0; d < 2; ++d)
      gradients[6 + e][d] = 2 * (l[i] * slopes[j][d] + l[j] * slopes[i][d]) * (1 + s * z);
    gradients[6 + e][2] = 2 * s * l[i] * l[j];
  }
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t d = 0; d < 2; ++d) gradients[12 + a][d] = slopes[a][d] * (1 - z * z);
    gradients[12 + a][2] = -2 * l[a] * z;
  }
}

}  // namespace

// On prisms (the top is the bottom moved along) the strain energy is of degree 4 in the triangle and along it. The mass
// is of degree 3 and 4 on every wedge. Both are exact.
ElementTable wedge6_table() {
  ElementTable table;
  table.type = ElementType::wedge6;
  table.vertex_count = 6;
  table.shape = wedge6_shape;
  table.shape_gradient = wedge6_gradient;
  table.corners = {{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  table.edges = {wedge_edges.begin(), wedge_edges.end()};
  table.stiffness_rule = wedge_degree_4();
  table.mass_rule = wedge_degree_4();
  table.faces = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
  table.mirror_swaps = {{0, 3}, {1, 4}, {2, 5}};
  return table;
}

// On straight prisms stiffness and mass are of degree 4 in the triangle and along it, on curved elements the volume of
// degree 4 and 5: exact. The energy is of degree 8: there, the rule defines the model.
ElementTable wedge15_table() {
  ElementTable table = with_middles(wedge6_table(), ElementType::wedge15);
  table.shape = wedge15_shape;
  table.shape_gradient = wedge15_gradient;
  table.stiffness_rule = wedge_degree_4();
  table.mass_rule = wedge_degree_4();
  return table;
}

}  // namespace quartic
