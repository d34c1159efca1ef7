// Bases of fields that are even or odd in each mirror plane, and the zeros of their tensors.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <span>
#include <vector>

#include "core/energy/parity.hpp"
#include "core/symmetry/mirrors.hpp"
#include "quartic/enclosed_volume.hpp"
#include "quartic/matrix.hpp"
#include "quartic/quartic_energy.hpp"

namespace quartic {

/// u . K u of displacements u, shape (3n).
using StaticEnergy = std::function<double(const Eigen::VectorXd&)>;

/// Turns M-orthonormal fields, of which each space of equal importance is as symmetric as the body, so that each field
/// is even or odd: those that are mixed with each other (pairs of equal frequency), then all are rounded to their
/// parity. Where the last ones are half of a pair, the softer part stays, whatever mixture it was. Orthonormality and
/// signs are kept.
/// @param fields shape (3n, r)
/// @return the parities of (1, q): a bit per mirror
[[nodiscard]] Parities make_pure(Matrix& fields, const SparseMatrix& mass, const StaticEnergy& energy,
                                 std::span<const Mirror> mirrors);

/// Takes out of U^T M by the unit x, y, z fields, shape (r, 3), what parities forbid: an even field has no momentum
/// across its plane, an odd one none along it. A load that is even then leaves odd coordinates at rest, exactly.
void make_pure(Matrix& unit_acceleration, const Parities& parities, std::span<const Mirror> mirrors);

/// Entries below this share of the largest of their degree are round-off.
inline constexpr double entry_round_off = 1e-11;

/// Sets the entries to zero that a parity leaves at round-off, if all of them are: below `entry_round_off` of the
/// largest entry of their degree, in coordinates of unit static energy. Parity by parity; one that doesn't hold changes
/// nothing.
/// @param scale diagonal of the stiffness at rest that says what is large, shape (r)
/// @return the largest entry that parities forbid, in this measure
[[nodiscard]] double set_zeros(QuarticEnergy& energy, const Parities& parities, std::span<const double> scale);
[[nodiscard]] double set_zeros(EnclosedVolume& volume, const Parities& parities, std::span<const double> scale);

/// K_ii at rest.
[[nodiscard]] std::vector<double> rest_stiffness(const QuarticEnergy& energy);

}  // namespace quartic
