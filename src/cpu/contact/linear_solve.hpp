// Small dense systems, in place and without memory of their own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace quartic::cpu {

/// x <- A^-1 x by elimination with row exchanges; A is overwritten. Of a singular matrix x isn't finite.
/// @param a shape (n, pitch), row-major, of which the first n columns count @param x shape (n)
inline void solve_in_place(std::ptrdiff_t n, std::ptrdiff_t pitch, double* a, double* x) {
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    std::ptrdiff_t pivot = k;
    for (std::ptrdiff_t i = k + 1; i < n; ++i)
      if (std::abs(a[i * pitch + k]) > std::abs(a[pivot * pitch + k])) pivot = i;
    if (pivot != k) {
      std::swap_ranges(a + k * pitch + k, a + k * pitch + n, a + pivot * pitch + k);
      std::swap(x[k], x[pivot]);
    }
    const double inverse = 1 / a[k * pitch + k];
    for (std::ptrdiff_t i = k + 1; i < n; ++i) {
      const double factor = inverse * a[i * pitch + k];
      for (std::ptrdiff_t j = k + 1; j < n; ++j) a[i * pitch + j] -= factor * a[k * pitch + j];
      x[i] -= factor * x[k];
    }
  }
  for (std::ptrdiff_t i = n - 1; i >= 0; --i) {
    for (std::ptrdiff_t j = i + 1; j < n; ++j) x[i] -= a[i * pitch + j] * x[j];
    x[i] /= a[i * pitch + i];
  }
}

}  // namespace quartic::cpu
