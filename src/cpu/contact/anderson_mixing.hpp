// Solves x = g(x) from one image to the next: Anderson's mixing (Walker & Ni, Anderson Acceleration for Fixed-Point
// Iterations, 2011). Converges also where g alone leads away along a few directions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace quartic::cpu {

class AndersonMixing {
 public:
  /// Takes memory for so many numbers; none of the following allocates then.
  void reserve(std::size_t size);
  /// Forgets what was.
  void begin(std::size_t size);
  /// @param x what the map was given; gets what it is to be given next, shape (size) @param image g(x)
  void next(std::span<double> x, std::span<const double> image);

 private:
  static constexpr std::size_t depth = 6;

  void keep_changes(std::span<const double> x, std::span<const double> image);

  std::size_t size_ = 0, calls_ = 0;
  std::vector<double> residual_, image_;                  // g(x) - x and g(x) of the last call
  std::vector<double> residual_changes_, image_changes_;  // of the last calls, shape (depth, size)
};

}  // namespace quartic::cpu
