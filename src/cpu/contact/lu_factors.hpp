// A small dense matrix by elimination with row exchanges, for many right-hand sides.
#pragma once

#include <algorithm>
#include <array>
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
  /// x <- A^-1 x, of several right-hand sides side by side. @param x shape (n, sides)
  template <std::size_t sides = 1>
  void solve(double* x) const {
    const auto row = [x](std::ptrdiff_t i) { return x + static_cast<std::ptrdiff_t>(sides) * i; };
    for (std::ptrdiff_t k = 0; k < n_; ++k) {
      const std::ptrdiff_t pivot = pivots_[static_cast<std::size_t>(k)];
      if (pivot != k) std::swap_ranges(row(k), row(k) + sides, row(pivot));
    }
    std::array<double, sides> sum;
    const auto take_away = [&](std::ptrdiff_t i, std::ptrdiff_t first, std::ptrdiff_t end) {
      std::copy_n(row(i), sides, sum.data());
      for (std::ptrdiff_t j = first; j < end; ++j)
        for (std::size_t s = 0; s < sides; ++s) sum[s] -= a_[i * pitch_ + j] * row(j)[s];
    };
    for (std::ptrdiff_t i = 0; i < n_; ++i) {
      take_away(i, 0, i);
      std::copy_n(sum.data(), sides, row(i));
    }
    for (std::ptrdiff_t i = n_ - 1; i >= 0; --i) {
      take_away(i, i + 1, n_);
      for (std::size_t s = 0; s < sides; ++s) row(i)[s] = sum[s] / a_[i * pitch_ + i];
    }
  }

 private:
  std::ptrdiff_t n_ = 0, pitch_ = 0;
  double* a_ = nullptr;
  std::vector<std::ptrdiff_t> pivots_;
};

}  // namespace quartic::cpu
