// The loop over a mesh's quadrature points that every integral over the body goes through.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "core/elements/elements.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// A block's quadrature rule with the shape functions' values and gradients at its points.
struct TabulatedRule {
  explicit TabulatedRule(const ElementTable& table, const QuadratureRule& rule);
  int vertex_count = 0;
  std::vector<double> weights;
  std::vector<std::vector<double>> values;                    ///< [point][vertex]
  std::vector<std::vector<std::array<double, 3>>> gradients;  ///< [point][vertex]
};

/// Geometry of the element with vertex positions `x[vertex_count][3]` at point `p` of a rule.
inline void point_geometry(const std::array<std::array<double, 3>, 20>& x, const TabulatedRule& rule, std::size_t p,
                           PointGeometry& geometry) {
  point_geometry({x.data(), static_cast<std::size_t>(rule.vertex_count)},
                 reinterpret_cast<const double(*)[3]>(rule.gradients[p].data()), rule.weights[p], geometry);
}

/// Rest positions of an element's vertices.
void gather_positions(const VolumeMesh& mesh, std::span<const std::int32_t> element,
                      std::array<std::array<double, 3>, 20>& x);

/// Lame constants and density of each element, in element order. @throws InputError as fem.hpp says (region, material)
struct ElementMaterials {
  explicit ElementMaterials(const VolumeMesh& mesh);
  std::vector<double> lambda, mu, density;  ///< by region
  std::vector<MaterialLaw> law;             ///< likewise
  std::vector<double> mooney_share;         ///< likewise
  [[nodiscard]] std::size_t region(std::int64_t element) const {
    return static_cast<std::size_t>((*regions)[static_cast<std::size_t>(element)]);
  }
  const std::vector<std::int32_t>* regions;
};

/// For what is known of the law StVK alone. @param what in the plural, as the beginning of the message
/// @throws InputError that names the first region of another law, and the remedy
void require_stvk(const VolumeMesh& mesh, std::string_view what);

/// Checks that positions are finite and that elements and vertex sets name vertices that the mesh has. @throws
/// InputError
void require_indices(const VolumeMesh& mesh);

/// Calls `body(element, vertices, geometry, point)` for the quadrature points of elements [begin, end) of a block,
/// element by element. `element` counts within the block, `point` within the rule.
template <class Body>
void for_each_point(const VolumeMesh& mesh, const ElementBlock& block, const TabulatedRule& rule, std::int64_t begin,
                    std::int64_t end, const Body& body) {
  std::array<std::array<double, 3>, 20> x;
  PointGeometry geometry;
  for (std::int64_t e = begin; e < end; ++e) {
    const auto vertices = block.element(e);
    gather_positions(mesh, vertices, x);
    for (std::size_t p = 0; p < rule.weights.size(); ++p) {
      point_geometry(x, rule, p, geometry);
      body(e, vertices, geometry, p);
    }
  }
}

}  // namespace quartic
