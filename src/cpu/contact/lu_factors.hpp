// A small dense matrix by elimination with row exchanges, for many right-hand sides.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace quartic::cpu {

/// Memory only grows.
class LuFactors {
 public:
  /// Of a singular matrix solutions aren't finite. @param a shape (n, pitch), row-major, overwritten; must stay there
  void factorise(std::ptrdiff_t n, std::ptrdiff_t pitch, double* a) {
    n_ = n, pitch_ = pitch, a_ = a;
    pivots_.resize(static_cast<std::size_t>(n));
    for (std::ptrdiff_t k = 0; k < n; ++k) {
      std::ptrdiff_t pivot = k;
      for (std::ptrdiff_t i = k + 1; i < n; ++i)
        if (std::abs(a[i * pitch + k]) > std::abs(a[pivot * pitch + k])) pivot = i;
      pivots_[static_cast<std::size_t>(k)] = pivot;
      if (pivot != k) std::swap_ranges(a + k * pitch, a + k * pitch + n, a + pivot * pitch);
      const double inverse = 1 / a[k * pitch + k];
      for (std::ptrdiff_t i = k + 1; i < n; ++i) {
        const double factor = a[i * pitch + k] *= inverse;
        for (std::ptrdiff_t j = k + 1; j < n; ++j) a[i * pitch + j] -= factor * a[k * pitch + j];
      }
    }
  }
  /// x <- A^-1 x. @param x shape (n)
  void solve(double* x) const {
    for (std::ptrdiff_t k = 0; k < n_; ++k) std::swap(x[k], x[pivots_[static_cast<std::size_t>(k)]]);
    for (std::ptrdiff_t i = 0; i < n_; ++i)
      for (std::ptrdiff_t j = 0; j < i; ++j) x[i] -= a_[i * pitch_ + j] * x[j];
    for (std::ptrdiff_t i = n_ - 1; i >= 0; --i) {
      for (std::ptrdiff_t j = i + 1; j < n_; ++j) x[i] -= a_[i * pitch_ + j] * x[j];
      x[i] /= a_[i * pitch_ + i];
    }
  }

 private:
  std::ptrdiff_t n_ = 0, pitch_ = 0;
  double* a_ = nullptr;
  std::vector<std::ptrdiff_t> pivots_;
};

}  // namespace quartic::cpu
