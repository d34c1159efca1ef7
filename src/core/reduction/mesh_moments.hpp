// Moments of mass from a mesh.
#pragma once

#include <array>
#include <vector>

#include "quartic/frame_moments.hpp"
#include "quartic/matrix.hpp"
#include "quartic/model.hpp"

namespace quartic {

/// The Gram matrix of [1, X, U] in the scalar mass m: one sparse product and one dense one, O(n r^2), in a fixed order
/// of summation. Memory of another basis.
/// @param vertices shape (n, 3), from which X is taken about `origin`
/// @param basis U, shape (3n, r), r may be 0 @param mass m, (n, n)
[[nodiscard]] FrameMoments moments_about(const std::array<double, 3>& origin, const std::vector<double>& vertices,
                                         const Matrix& basis, const SparseMatrix& mass);

/// The same about the mass centre, whose first moment is zero. Unit accelerations are those that the model has already.
[[nodiscard]] FrameMoments centred_moments(const ReducedModel& model, const SparseMatrix& mass);

/// Each region's part at density 1 about the mass centre of the whole: those that the model holds, or else from its
/// mesh.
[[nodiscard]] std::vector<FrameMoments> region_moments(const ReducedModel& model);

/// Whether a model is of one component that nothing holds.
[[nodiscard]] bool is_free(const ReducedModel& model);

}  // namespace quartic
