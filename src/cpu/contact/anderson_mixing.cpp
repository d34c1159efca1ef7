#include "cpu/contact/anderson_mixing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "cpu/contact/linear_solve.hpp"

namespace quartic::cpu {
namespace {

double product(const double* a, const double* b, std::size_t size) {
  return std::inner_product(a, a + size, b, 0.0);
}

}  // namespace

void AndersonMixing::reserve(std::size_t size) {
  if (residual_.size() >= size) return;
  residual_.resize(size), image_.resize(size);
  residual_changes_.resize(depth * size), image_changes_.resize(depth * size);
}

void AndersonMixing::begin(std::size_t size) {
  reserve(size);
  size_ = size;
  calls_ = 0;
}

void AndersonMixing::keep_changes(std::span<const double> x, std::span<const double> image) {
  const std::size_t first = calls_ == 0 ? 0 : (calls_ - 1) % depth * size_;
  for (std::size_t i = 0; i < size_; ++i) {
    const double residual = image[i] - x[i];
    residual_changes_[first + i] = residual - residual_[i];
    image_changes_[first + i] = image[i] - image_[i];
    residual_[i] = residual;
    image_[i] = image[i];
  }
  ++calls_;
}

// The image, less the combination of changes whose residuals leave least of this one.
void AndersonMixing::next(std::span<double> x, std::span<const double> image) {
  keep_changes(x, image);
  std::copy_n(image.begin(), size_, x.begin());
  const std::size_t count = std::min(calls_ - 1, depth);
  std::array<double, depth * depth> products;
  std::array<double, depth> shares;
  for (std::size_t a = 0; a < count; ++a) {
    const double* changes = residual_changes_.data() + a * size_;
    shares[a] = product(changes, residual_.data(), size_);
    for (std::size_t b = 0; b < count; ++b)
      products[a * depth + b] = product(changes, residual_changes_.data() + b * size_, size_);
    products[a * depth + a] *= 1 + 1e-10;  // changes may be alike
    if (!(products[a * depth + a] > 0)) return;
  }
  solve_in_place(static_cast<std::ptrdiff_t>(count), depth, products.data(), shares.data());
  if (!std::all_of(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(count),
                   [](double share) { return std::isfinite(share); }))
    return;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t i = 0; i < size_; ++i) x[i] -= shares[a] * image_changes_[a * size_ + i];
}

}  // namespace quartic::cpu
