// A model's range as backends keep it.
#pragma once

#include <vector>

#include "quartic/range.hpp"

namespace quartic {

/// The nine gradients of a field at a point side by side, in the batch's precision: shape (points, r, 9).
template <class T>
[[nodiscard]] std::vector<T> packed_gradients(const ModelRange& range) {
  std::vector<T> packed(range.gradients.size());
  const auto r = static_cast<std::size_t>(range.rank);
  for (std::size_t n = 0; n < packed.size(); ++n) {
    const std::size_t point = n / (9 * r), mode = n / 9 % r, entry = n % 9;
    packed[n] = static_cast<T>(range.gradients[(9 * point + entry) * r + mode]);
  }
  return packed;
}

}  // namespace quartic
