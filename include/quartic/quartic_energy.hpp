// The reduced StVK energy as data, which is all that simulation needs. Formulas, and the functions that compute the
// data: quartic/energy.hpp.
#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace quartic
