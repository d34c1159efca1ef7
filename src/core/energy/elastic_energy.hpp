// The elastic energy alone, straight from the distinct coefficients.
#pragma once

#include <cstddef>

#include "core/base/host_device.hpp"

namespace quartic {

/// V = 1/24 S_abcd x_a x_b x_c x_d, one multiplication and addition per distinct coefficient, in a fixed order. An
/// index quadruple with counts n_1, n_2, ... of equal indices stands for 24 / (n_1! n_2! ...) terms of the full sum.
/// @param coefficients of a QuarticEnergy of rank n - 1
/// @param x callable: x(a) = entry a of (1, q), a = 0 .. n - 1
template <class Point>
[[nodiscard]] QUARTIC_HD double elastic_energy(const double* coefficients, std::size_t n, const Point& x) {
  double sum_a = 0;
  for (std::size_t a = 0; a < n; ++a) {
    double sum_b = 0;
    for (std::size_t b = a; b < n; ++b) {
      double sum_c = 0;
      for (std::size_t c = b; c < n; ++c) {
        // How often c stands among (a, b, c): d = c makes it one more.
        const int equal = 1 + (b == c ? 1 : 0) + (a == c ? 1 : 0);
        double sum_d = *coefficients++ * x(c) / (equal + 1);
        for (std::size_t d = c + 1; d < n; ++d) sum_d += *coefficients++ * x(d);
        sum_c += sum_d * x(c) / equal;
      }
      sum_b += sum_c * x(b) / (a == b ? 2 : 1);
    }
    sum_a += sum_b * x(a);
  }
  return sum_a;
}

}  // namespace quartic
