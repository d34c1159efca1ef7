// The last vectors of a basis, chosen by energy.
//
// Mass-PCA drops small displacements, among them those that keep a bent body from being stretched. Fields at natural
// amplitudes (modes p_i proportional to 1 / lambda_i, derivatives p_i p_j) say how much energy each would take.
#pragma once

#include "quartic/basis.hpp"
#include "quartic/matrix.hpp"
#include "quartic/modes.hpp"

namespace quartic {

/// How many of `rank` vectors a share is, to the nearest number. @throws InputError unless it is in [0, 1), and leaves
/// a vector
[[nodiscard]] int stiff_count(double share, int rank);

/// Modes and derivatives at amplitudes at which the first mode's largest component is 0.3 of the largest extent.
/// @param derivatives in the order of its pairs: i <= j alone for static ones, or all i, j
[[nodiscard]] Matrix natural_fields(const VolumeMesh& mesh, const LinearModes& modes,
                                    const ModalDerivatives& derivatives, DerivativeKind kind);

/// Appends `count` vectors: the first of a PCA in the K-norm of what the fields have beside the basis, K-orthogonal to
/// it. Together they are M-orthonormal; those that are there stay as they are.
/// @param fields shape (3n, any number), without rigid motions
/// @throws InputError if the fields have fewer
void append_stiff_vectors(const ElasticSystem& system, const Matrix& fields, int count, Matrix& basis);

}  // namespace quartic
