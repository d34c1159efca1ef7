// How much too stiff elements are in pure bending, measured on a few of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "quartic/factorization.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// The elements of a patch, with one material, as a mesh of its own. Elements of the wrong winding are turned round.
[[nodiscard]] VolumeMesh make_patch(const VolumeMesh& mesh, std::span<const std::int64_t> elements,
                                    const Material& material);

/// How much too stiff a patch is: the energy of pure bending over that of the patch's elements under the same forces, 1
/// or more.
struct BendingRatios {
  double beam = 1;   ///< no stress sideways
  double plate = 1;  ///< no strain sideways, as in a wide plate and where a body is clamped
};

/// Bends a patch about the plane through its centroid with the normal `normal`. The elements' displacement is the one
/// that they have under the exact solution's forces.
class BendingPatch {
 public:
  /// Cost: factorises the patch's stiffness.
  /// @param patch of one material; must outlive this object @param normal of unit length
  /// @throws InputError for elements that can't be used, NumericalError
  BendingPatch(const VolumeMesh& patch, const std::array<double, 3>& normal);
  /// @param along of unit length, orthogonal to the normal
  [[nodiscard]] BendingRatios ratios(const std::array<double, 3>& along) const;

 private:
  const VolumeMesh& patch_;
  std::array<double, 3> normal_;
  double middle_ = 0, square_ = 0;  // of the distance along the normal: its mean, and the integral of its square
  Factorization factor_;
};

}  // namespace quartic
