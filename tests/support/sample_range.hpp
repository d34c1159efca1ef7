// Ranges with made-up gradients, exactly representable in float.
#pragma once

#include "quartic/range.hpp"
#include "support/support.hpp"

namespace quartic::test {

[[nodiscard]] inline ModelRange sample_range(int rank, std::int64_t points, unsigned seed) {
  ModelRange range{.rank = rank};
  for (const double x : random_numbers(static_cast<std::size_t>(9 * points * rank), seed))
    range.gradients.push_back(static_cast<float>(x));
  for (std::int64_t p = 0; p < points; ++p) range.elements.push_back(p);
  return range;
}

}  // namespace quartic::test
