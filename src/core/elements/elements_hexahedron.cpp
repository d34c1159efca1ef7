// Hexahedra: reference corners at (+-1, +-1, +-1), bottom face first, counter-clockwise.
#include "core/elements/element_rules.hpp"
#include "core/elements/element_tables.hpp"

namespace quartic {
namespace {

using Point = std::array<double, 3>;

constexpr double corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                  {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

// Of the bottom, of the top, upright.
constexpr std::array<std::array<std::size_t, 2>, 12> hexahedron_edges = {
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};

// ---- hex8 ----------------------------------------------------------------------------------------------------

void hex8_shape(const Point& xi, double* values) {
  for (int a = 0; a < 8; ++a) {
    const double* c = corners[a];
    values[a] = (1 + c[0] * xi[0]) * (1 + c[1] * xi[1]) * (1 + c[2] * xi[2]) / 8;
  }
}

void hex8_gradient(const Point& xi, double (*gradients)[3]) {
  for (int a = 0; a < 8; ++a) {
    const double* c = corners[a];
    const double f[3] = {1 + c[0] * xi[0], 1 + c[1] * xi[1], 1 + c[2] * xi[2]};
    gradients[a][0] = c[0] * f[1] * f[2] / 8;
    gradients[a][1] = c[1] * f[0] * f[2] / 8;
    gradients[a][2] = c[2] * f[0] * f[1] / 8;
  }
}

// ---- hex20, the serendipity element: the corners of hex8, then the middles of its edges ----------------------

// A corner's function is f_x f_y f_z (c . xi - 2) / 8 with f = 1 + c xi along each axis. A middle's is f_x f_y f_z / 4,
// where along its edge f = 1 - xi^2.
struct MiddleFactors {
  double f[3], slope[3];
};

MiddleFactors middle_factors(const Point& xi, std::size_t edge) {
  const double *a = corners[hexahedron_edges[edge][0]], *b = corners[hexahedron_edges[edge][1]];
  MiddleFactors factors;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool along = a[d] != b[d];
    factors.f[d] = along ? 1 - xi[d] * xi[d] : 1 + a[d] * xi[d];
    factors.slope[d] = along ? -2 * xi[d] : a[d];
  }
  return factors;
}

void hex20_shape(const Point& xi, double* values) {
  hex8_shape(xi, values);
  for (std::size_t a = 0; a < 8; ++a) {
    const double* c = corners[a];
    values[a] *= c[0] * xi[0] + c[1] * xi[1] + c[2] * xi[2] - 2;
  }
  for (std::size_t e = 0; e < 12; ++e) {
    const auto [f, slope] = middle_factors(xi, e);
    values[8 + e] = f[0] * f[1] * f[2] / 4;
  }
}

void hex20_gradient(const Point& xi, double (*gradients)[3]) {
  for (std::size_t a = 0; a < 8; ++a) {
    const double* c = corners[a];
    const double f[3] = {1 + c[0] * xi[0], 1 + c[1] * xi[1], 1 + c[2] * xi[2]};
    const double s = c[0] * xi[0] + c[1] * xi[1] + c[2] * xi[2] - 2;
    for (std::size_t d = 0; d < 3; ++d) gradients[a][d] = c[d] * f[(d + 1) % 3] * f[(d + 2) % 3] * (s + f[d]) / 8;
  }
  for (std::size_t e = 0; e < 12; ++e) {
    const auto [f, slope] = middle_factors(xi, e);
    for (std::size_t d = 0; d < 3; ++d) gradients[8 + e][d] = slope[d] * f[(d + 1) % 3] * f[(d + 2) % 3] / 4;
  }
}

}  // namespace

// On parallelepipeds the strain energy is of degree 4 in each coordinate, stiffness and mass of degree 2.
ElementTable hex8_table() {
  ElementTable table;
  table.type = ElementType::hex8;
  table.vertex_count = 8;
  table.shape = hex8_shape;
  table.shape_gradient = hex8_gradient;
  for (const auto& c : corners) table.corners.push_back({c[0], c[1], c[2]});
  table.edges = {hexahedron_edges.begin(), hexahedron_edges.end()};
  table.stiffness_rule = hexahedron_gauss_27();
  table.mass_rule = hexahedron_gauss_27();
  table.faces = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  table.mirror_swaps = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  return table;
}

// On parallelepipeds stiffness and mass are of degree 4 in each coordinate, on curved elements the volume of degree 5:
// exact. The energy is of degree 8 and more: there, the rule defines the model.
ElementTable hex20_table() {
  ElementTable table = with_middles(hex8_table(), ElementType::hex20);
  table.shape = hex20_shape;
  table.shape_gradient = hex20_gradient;
  table.stiffness_rule = hexahedron_gauss_27();
  table.mass_rule = hexahedron_gauss_27();
  return table;
}

}  // namespace quartic
