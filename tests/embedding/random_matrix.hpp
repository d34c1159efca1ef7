#pragma once

#include <Eigen/Core>

#include "support/support.hpp"

namespace quartic::test {

inline Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index cols, unsigned seed) {
  const auto numbers = random_numbers(static_cast<std::size_t>(rows * cols), seed);
  return Eigen::Map<const Eigen::MatrixXd>(numbers.data(), rows, cols);
}

}  // namespace quartic::test
