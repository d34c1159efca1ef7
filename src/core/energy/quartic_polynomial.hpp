// The quartic polynomial as kernels see it: order of the coefficients, and the matrix that batches multiply with.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "core/energy/symmetric_tensor.hpp"
#include "quartic/enclosed_volume.hpp"
#include "quartic/error.hpp"
#include "quartic/export.hpp"
#include "quartic/quartic_energy.hpp"
#include "quartic/storage.hpp"

namespace quartic {

/// Largest rank that is accepted: at 255 the coefficients take 1.5 GB, the largest index of a pair still fits 16 bits.
inline constexpr int rank_limit = 255;

/// Checks that 1 <= rank <= rank_limit and that there are C(rank + 4, 4) coefficients, all finite.
/// @throws InputError that says which of these fails
void check(const QuarticEnergy& energy);

/// S_abcd for indices in 0..rank in any order.
[[nodiscard]] double coefficient(const QuarticEnergy& energy, std::size_t a, std::size_t b, std::size_t c,
                                 std::size_t d);

/// A coefficient in T. @throws InputError if it is too large
template <class T>
[[nodiscard]] T rounded_coefficient(double value) {
  if (std::abs(value) > double{std::numeric_limits<T>::max()})
    throw InputError("a coefficient of the quartic energy is too large for float; take double");
  return static_cast<T>(value);
}

/// The matrix that turns the monomials of q^ = (1, q) into stiffness and force: with m the (r+1)(r+2)/2 products
/// q^_c q^_d, c <= d, in pair order, column i of the result times m is
///   K_ij, 1 <= i <= j, in pair order: r(r+1)/2 columns;
///   H_i0, i = 1..r: r columns; R_i = (H_i0 + sum_j K_ij q_j) / 3;
///   H_00 if asked for: one column; V = (H_00 + sum_i q_i (H_i0 + 3 R_i)) / 12.
/// The entry of H_ab at (c, d) is S_abcd, halved where c = d.
/// @return shape ((r+1)(r+2)/2, r(r+1)/2 + r [+ 1]): the coefficients of one entry of H are contiguous
/// @throws InputError as check()
[[nodiscard]] QUARTIC_EXPORT Matrix coefficient_matrix(const QuarticEnergy& energy, bool with_energy_row = false);

/// The same of a body with chambers, whose energy V - sum_c p_c V_c is a quartic in (q, p), each pressure being one
/// more coordinate. Behind the monomials of q^ stand those of each chamber, p_c q^_0, ..., p_c q^_r: r + 1 rows each.
/// Behind the columns H_i0 stand each chamber's H_ip = -dV_c/dq_i, r columns each, so that
///   R_i = (H_i0 + sum_j K_ij q_j + sum_c p_c H_ip) / 3
/// is the force of both. Without chambers the matrix is the energy's own.
/// @param chambers of the energy's rank
[[nodiscard]] Matrix coefficient_matrix(const QuarticEnergy& energy, std::span<const EnclosedVolume> chambers);

}  // namespace quartic
