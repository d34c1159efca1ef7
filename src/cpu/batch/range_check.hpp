// Whether bodies are in their model's range: du/dX at its points, several bodies at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quartic/range.hpp"

namespace quartic::cpu {

template <class T>
class RangeCheck {
 public:
  static constexpr std::int64_t lanes = 32 / sizeof(T);  ///< bodies at a time

  explicit RangeCheck(const ModelRange& range);

  [[nodiscard]] bool is_empty() const { return gradients_.empty(); }
  /// @param q of the first body, shape (r, pitch)
  /// @param result shape (bodies)
  void flags(const T* q, std::int64_t pitch, std::span<BodyFlags> result) const;

 private:
  int rank_;
  std::vector<T> gradients_;  // shape (points, r, 9)
};

}  // namespace quartic::cpu
