// Scales that bring the modes of a basis into the range of half precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "quartic/matrix.hpp"

namespace quartic {

/// For each column the power of two that takes its largest entry to [1/2, 1): half precision has few exponents, and
/// entries of U are of the order of 1 / sqrt(mass).
[[nodiscard]] inline std::vector<float> mode_scales(const MatrixRef& basis) {
  std::vector<float> scales;
  for (Eigen::Index i = 0; i < basis.cols(); ++i) {
    int exponent = 0;
    std::frexp(basis.col(i).cwiseAbs().maxCoeff(), &exponent);
    scales.push_back(std::ldexp(1.0F, std::clamp(exponent, -120, 120)));
  }
  return scales;
}

}  // namespace quartic
