// The volume that a closed chamber of a reduced body encloses: a cubic polynomial in q, held as one symmetric tensor.
//
// With q^ = (1, q):  V = 1/6 T_abc q^_a q^_b q^_c,  dV/dq_i = 1/2 T_ibc q^_b q^_c,  d2V/dq_i dq_j = T_ijc q^_c
// (a..c = 0..r; i, j >= 1). A pressure p in the chamber has the energy -p V: it pushes with the force p dV/dq.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/storage.hpp"

namespace quartic {

/// The distinct values of T, `a <= b <= c` in 0..r, lexicographic: C(r+3, 3) of them.
struct EnclosedVolume {
  int rank = 0;                           ///< r >= 1
  std::vector<double> coefficients = {};  ///< [m^3], shape (C(r+3, 3))
};

/// C(r+3, 3).
[[nodiscard]] constexpr std::int64_t cubic_coefficient_count(std::int64_t rank) {
  return (rank + 3) * (rank + 2) / 2 * (rank + 1) / 3;
}

/// A volume and its derivatives at one q.
struct VolumeDerivatives {
  double volume = 0;             ///< V [m^3]
  std::vector<double> gradient;  ///< dV/dq, shape (r): the reduced force of a pressure of 1 Pa
  Matrix hessian;                ///< d2V/dq2, shape (r, r), symmetric: minus that pressure's stiffness
};

/// Evaluates a volume of one body, in double, in a fixed order.
/// @param q reduced coordinates, shape (r)
/// @throws InputError if q doesn't have r entries or the volume's size is wrong
[[nodiscard]] QUARTIC_EXPORT VolumeDerivatives evaluate(const EnclosedVolume& volume, std::span<const double> q);

}  // namespace quartic
