// Size and shape of single elements, for checks and repairs. Nothing here depends on where the mesh lies or on its
// unit of length: positions are taken relative to the element, and thresholds relative to its edges.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/elements/elements.hpp"
#include "core/elements/jacobian_sign.hpp"
#include "core/elements/quadrature.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

struct ElementMeasure {
  ElementShape shape = ElementShape::proper;
  double quality = 0;        ///< 1 = regular, 0 = flat or folded; of an inverted element as if it were turned round
  double signed_volume = 0;  ///< [m^3]
};

/// Measures the elements of one type.
class ElementRuler {
 public:
  explicit ElementRuler(const ElementTable& table);
  /// @param coordinate_error size of the round-off in the mesh's positions [m]
  [[nodiscard]] ElementMeasure measure(const VolumeMesh& mesh, std::span<const std::int32_t> element,
                                       double coordinate_error) const;
  /// The shape alone.
  [[nodiscard]] ElementShape shape(const VolumeMesh& mesh, std::span<const std::int32_t> element,
                                   double coordinate_error) const;
  /// Integral of the Jacobian's determinant, negative for an inverted element.
  [[nodiscard]] double signed_volume(const VolumeMesh& mesh, std::span<const std::int32_t> element) const;

 private:
  const ElementTable* table_;
  TabulatedRule volume_;
  TabulatedRule corners_;
  JacobianSign sign_;
};

/// The box around all elements' vertices: x0, y0, z0, x1, y1, z1 [m]. Indices must be in range; coordinates that aren't
/// finite are passed over, and so are vertices outside all elements, which may lie anywhere. Zeros if nothing is left.
[[nodiscard]] std::array<double, 6> element_box(const VolumeMesh& mesh);

/// Half the distance of the double precision numbers around the farthest coordinate in `element_box` [m].
[[nodiscard]] double coordinate_error(const VolumeMesh& mesh);

}  // namespace quartic
