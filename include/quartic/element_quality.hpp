// What is wrong with elements though they can be computed with: folds, and how much too stiff linear ones are.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// Elements whose Jacobian has both signs, wherever in them (docs/math.md): there, part of the body is twice. They are
/// usable as long as no quadrature point is at such a place, but rarely meant.
struct FoldedElements {
  std::int64_t count = 0;
  std::int64_t first = -1;        ///< element number
  double ratio = 0;               ///< of that element: the least determinant of the Jacobian over the largest
  std::array<double, 3> place{};  ///< where it is least [m]
};

/// Decided by bounds over the whole element, sharp to 1e-12 of the largest determinant or to the round-off of
/// positions; a determinant that only reaches zero is no fold. Elements of types that this version doesn't support are
/// passed over. On all threads; the result doesn't depend on their number. O(elements), at little cost for those near
/// parallelepipeds, and none for tet4.
/// @throws InputError for a vertex number out of range or a position that isn't finite
[[nodiscard]] QUARTIC_EXPORT FoldedElements folded_elements(const VolumeMesh& mesh);

// Linear elements can't bend without shear, and near a Poisson's ratio of 1/2 not without a change of volume: they
// lock. A few across a thickness may be enough for a stocky body and by far too few for a plate.

/// The place of a mesh that locks most, but for a twentieth of its boundary.
struct LockingEstimate {
  /// Stiffness of the elements in pure bending over the exact one: 1 or more, and 1 if nothing was measured. Of one
  /// hex8 of length 2a, thickness 2b and no width, 1/(1+nu) [1/(1-nu) + (a/b)^2 / 2].
  double stiffness_ratio = 1;
  /// By how much frequencies of bending come out too high: its square root.
  double frequency_ratio = 1;
  std::int64_t element = -1;   ///< in the middle of the elements that were bent; -1: nothing was measured
  double thickness = 0;        ///< of the body there [m]
  double elements_across = 0;  ///< along the thickness
  double poissons_ratio = 0;   ///< there; 0.3 if the region has no material
};

/// Measures thickness and elements across it along lines from up to 4096 boundary faces inwards, and bends elements
/// with some 400 vertices by forces where they are widest for their thickness, for each of the (at most eight largest)
/// Poisson's ratios. Lowest frequencies of cantilevers came out within 10 % of it, up to a Poisson's ratio of 0.499
/// within 15 %; beyond, where whole bodies lock more than a patch, it is a lower bound. Quadratic elements aren't
/// measured. Cost: the boundary's, O(elements), and some milliseconds per patch.
/// @throws InputError for a vertex number out of range or an element type that this version doesn't support
[[nodiscard]] QUARTIC_EXPORT LockingEstimate estimate_locking(const VolumeMesh& mesh);

/// A sentence with these numbers if frequencies of bending come out more than 5 % too high, else none.
/// @param remedy what helps, for the end of the sentence
[[nodiscard]] QUARTIC_EXPORT std::vector<std::string> locking_hints(
    const LockingEstimate& estimate, const std::string& remedy = "make_quadratic makes them quadratic");

}  // namespace quartic
