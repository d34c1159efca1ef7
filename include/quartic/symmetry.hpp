// Bodies with mirror planes, and what these save: coefficients between coordinates of different parity are zero.
#pragma once

#include <array>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/mesh.hpp"
#include "quartic/quartic_energy.hpp"
#include "quartic/supports.hpp"

namespace quartic {

/// The points x with normal . x = offset.
struct MirrorPlane {
  std::array<double, 3> normal = {};  ///< of length 1
  double offset = 0;                  ///< [m]
};

/// Planes at right angles, three at most, that mirror a body onto itself: vertices within `weld_tolerance` (1e-9 of the
/// size), elements with rule and material, and fixed vertices. None is looked for where supports hold single
/// directions, or joints, masses or springs belong to the body. O(n log n)
/// @throws InputError for a vertex, a fixed vertex or a region out of range
[[nodiscard]] QUARTIC_EXPORT std::vector<MirrorPlane> mirror_planes(const VolumeMesh& mesh, const Supports& supports);

/// What zeros of a tensor save.
struct TensorSymmetry {
  int parities = 0;       ///< independent ones that the tensor keeps, 0 .. 3; a mirror plane of the body is one
  double work_share = 1;  ///< multiply-adds of an evaluation over those of a tensor without zeros: 2^-parities at best
};

/// Found in exact zeros alone, so that it holds for tensors from anywhere. With a parity that is 0 for even and 1 for
/// odd coordinates, S_abcd is zero unless the parities of its indices add up to an even number.
/// @throws InputError if the energy's size is wrong
[[nodiscard]] QUARTIC_EXPORT TensorSymmetry tensor_symmetry(const QuarticEnergy& energy);

}  // namespace quartic
