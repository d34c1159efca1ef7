// The inertia of free bodies of any rank, without a mesh.
#pragma once

#include "quartic/frame_moments.hpp"

namespace quartic::test {

/// Moments of some point masses in fields without translation that are orthonormal in the masses.
[[nodiscard]] FrameMoments random_moments(int rank, unsigned seed);

}  // namespace quartic::test
