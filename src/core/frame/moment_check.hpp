// What moments must be like.
#pragma once

#include "quartic/frame_moments.hpp"

namespace quartic {

/// Whether the arrays have the shapes of a rank, and their numbers are finite, the mass >= 0 (an empty
/// region has none).
[[nodiscard]] bool are_moments(const FrameMoments& moments, int rank);

/// Whether they are sums over points of some mass: the Gram matrix of [1, X, U] has no negative eigenvalue, but for
/// round-off. @param moments of the right shapes, see `are_moments`
[[nodiscard]] bool is_gram_matrix(const FrameMoments& moments);

/// False if they are `rest_moments`, which say nothing of the fields.
[[nodiscard]] bool are_coupled(const FrameMoments& moments);

/// Those of a body with a frame of its own: about the mass centre, of mass-orthonormal fields without translation, none
/// of which is a rotation. @throws InputError that says what isn't so, and what helps
void require_free_frame(const FrameMoments& moments, int rank);

/// Those of a body on a base that moves: about any point, of mass-orthonormal fields. @throws InputError likewise
void require_base_frame(const FrameMoments& moments, int rank);

}  // namespace quartic
