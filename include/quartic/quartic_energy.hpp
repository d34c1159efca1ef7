// The reduced StVK energy: a quartic polynomial in q, held as one symmetric tensor.
//
// With q^ = (1, q):  V = 1/24 S_abcd q^_a q^_b q^_c q^_d,  H_ab = 1/2 S_abcd q^_c q^_d,
// stiffness K_ij = H_ij,  force R_i = 1/3 sum_b H_ib q^_b,  V = 1/12 q^^T H q^   (a..d = 0..r; i, j >= 1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/storage.hpp"

namespace quartic {

/// The distinct values of S, `a <= b <= c <= d` in 0..r, lexicographic: C(r+4, 4) of them.
struct QuarticEnergy {
  int rank = 0;                      ///< r >= 1
  std::vector<double> coefficients;  ///< [J], shape (C(r+4, 4))
};

/// C(r+4, 4).
[[nodiscard]] constexpr std::int64_t quartic_coefficient_count(std::int64_t rank) {
  return (rank + 4) * (rank + 3) / 2 * (rank + 2) / 3 * (rank + 1) / 4;
}

/// The result of one evaluation.
struct ReducedForces {
  double energy = 0;          ///< V [J]
  std::vector<double> force;  ///< R = dV/dq, shape (r)
  Matrix stiffness;           ///< K = dR/dq, shape (r, r), symmetric
};

/// Evaluates energy, force and stiffness of one body, in double, in a fixed order: the reference that the
/// fast evaluations of `Batch` are compared with.
/// @param q reduced coordinates, shape (r)
/// @throws InputError if q doesn't have r entries or the energy's size is wrong
[[nodiscard]] QUARTIC_EXPORT ReducedForces evaluate(const QuarticEnergy& energy, std::span<const double> q);

/// The same energy as half a sum of squares, V = 1/2 |L m|^2 with the monomials m = (q_1, ..., q_r, q_1 q_1, q_1 q_2,
/// ..., q_r q_r), so that the values squared are strains. A bent body has large displacements but small strains: forces
/// computed from strains lose less to rounding, which matters in `float` (docs/performance.md).
struct StrainForm {
  int rank = 0;  ///< r >= 1; 0 for none
  /// L [J^(1/2)], upper triangular, p = r + r(r+1)/2 rows: row by row from the diagonal on, shape (p (p + 1) / 2)
  std::vector<double> factor = {};
};

/// r + r(r+1)/2, the number of squares at most.
[[nodiscard]] constexpr std::int64_t strain_count(std::int64_t rank) {
  return rank * (rank + 3) / 2;
}

/// Energy, force and stiffness of one body, as the function of the same name for QuarticEnergy.
/// @throws InputError if q doesn't have r entries or the factor's size is wrong
[[nodiscard]] QUARTIC_EXPORT ReducedForces evaluate(const StrainForm& form, std::span<const double> q);

}  // namespace quartic
