// Random numbers that are the same with every standard library.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>

namespace quartic {

/// Numbers of nearly normal distribution: sums of twelve uniform ones.
class NormalNumbers {
 public:
  explicit NormalNumbers(std::uint64_t seed = std::mt19937_64::default_seed) : engine_(seed) {}

  Eigen::VectorXd vector(Eigen::Index size) {
    Eigen::VectorXd numbers(size);
    for (double& x : numbers) x = next();
    return numbers;
  }
  /// Uniform in 0 .. count - 1, but for 2^-64 of count.
  Eigen::Index index(Eigen::Index count) {
    return static_cast<Eigen::Index>(engine_() % static_cast<std::uint64_t>(count));
  }

 private:
  double next() {
    double sum = -6;
    for (int n = 0; n < 12; ++n) sum += static_cast<double>(engine_() >> 11U) * 0x1p-53;
    return sum;
  }
  std::mt19937_64 engine_;
};

}  // namespace quartic
