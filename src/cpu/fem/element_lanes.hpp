// Elements in lanes: loops over a mesh's elements that take `lanes` of them at a time, one per SIMD lane, and add nodal
// forces element by element, so that sums don't depend on the lanes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/elements/quadrature.hpp"
#include "core/fem/prepared_mesh.hpp"

namespace quartic::cpu {

inline constexpr int lanes = 8;

using Lane = std::array<double, lanes>;

// One number per lane for each entry of a row-major 3 x 3 matrix.
using LaneMatrix = std::array<Lane, 9>;

// One quadrature point of `lanes` elements.
struct LanePoint {
  std::array<std::array<Lane, 3>, 20> gradient;
  Lane weight, lambda, mu;
};

// A = sum of x_a g_a^T of one field.
inline void field_gradient(const double* field, std::span<const std::int32_t> vertices, std::size_t corners,
                           const LanePoint& point, LaneMatrix& a) {
  a = {};
  for (std::size_t k = 0; k < corners; ++k)
    for (std::size_t r = 0; r < 3; ++r) {
      Lane x;
      for (std::size_t l = 0; l < lanes; ++l) x[l] = field[3 * static_cast<std::size_t>(vertices[l * corners + k]) + r];
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t l = 0; l < lanes; ++l) a[3 * r + c][l] += x[l] * point.gradient[k][c][l];
    }
}

// w S(sym E) for a full matrix E.
inline void weighted_stress(const LanePoint& point, const LaneMatrix& e, LaneMatrix& s) {
  Lane pressure, shear;
  for (std::size_t l = 0; l < lanes; ++l) {
    pressure[l] = point.weight[l] * point.lambda[l] * (e[0][l] + e[4][l] + e[8][l]);
    shear[l] = point.weight[l] * point.mu[l];
  }
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t l = 0; l < lanes; ++l)
        s[3 * r + c][l] = shear[l] * (e[3 * r + c][l] + e[3 * c + r][l]) + (r == c ? pressure[l] : 0.0);
}

// Adds D g_a to the elements' own forces, shape (corners, 3).
inline void add_forces(const LanePoint& point, const LaneMatrix& d, std::size_t corners, Lane* force) {
  for (std::size_t k = 0; k < corners; ++k) {
    const auto& g = point.gradient[k];
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t l = 0; l < lanes; ++l)
        force[3 * k + r][l] += d[3 * r][l] * g[0][l] + d[3 * r + 1][l] * g[1][l] + d[3 * r + 2][l] * g[2][l];
  }
}

// Adds the forces of the first `count` elements to their vertices, element by element.
inline void scatter_forces(std::span<const std::int32_t> vertices, std::size_t corners, std::size_t count,
                           const Lane* force, double* column) {
  for (std::size_t l = 0; l < count; ++l)
    for (std::size_t k = 0; k < corners; ++k) {
      double* target = column + 3 * static_cast<std::ptrdiff_t>(vertices[l * corners + k]);
      for (std::size_t r = 0; r < 3; ++r) target[r] += force[3 * k + r][l];
    }
}

// The element block with what its points need.
struct BlockLoop {
  const VolumeMesh& mesh;
  const ElementBlock& block;
  const ElementMaterials& materials;
  TabulatedRule rule;
  std::int64_t first_element;

  // Vertices of the lanes' elements; lanes beyond `count` repeat the first one.
  void gather_vertices(std::int64_t begin, std::size_t count, std::vector<std::int32_t>& vertices) const {
    vertices.clear();
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto element = block.element(begin + static_cast<std::int64_t>(l < count ? l : 0));
      vertices.insert(vertices.end(), element.begin(), element.end());
    }
  }

  void gather_point(std::int64_t begin, std::size_t count, std::size_t p, LanePoint& point) const {
    const auto corners = static_cast<std::size_t>(rule.vertex_count);
    std::array<std::array<double, 3>, 20> x;
    PointGeometry geometry;
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto e = begin + static_cast<std::int64_t>(l < count ? l : 0);
      gather_positions(mesh, block.element(e), x);
      point_geometry(x, rule, p, geometry);
      for (std::size_t k = 0; k < corners; ++k)
        for (std::size_t c = 0; c < 3; ++c) point.gradient[k][c][l] = geometry.gradient[k][c];
      const auto region = materials.region(first_element + e);
      point.weight[l] = geometry.weight;
      point.lambda[l] = materials.lambda[region];
      point.mu[l] = materials.mu[region];
    }
  }
};

}  // namespace quartic::cpu
