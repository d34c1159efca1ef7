// The range of one body in double.
#include <string>

#include "core/batch/batch_checks.hpp"
#include "core/batch/range_rule.hpp"
#include "quartic/error.hpp"

namespace quartic {

static_assert(static_cast<std::uint32_t>(BodyFlags::inverted) == inverted_bit);
static_assert(static_cast<std::uint32_t>(BodyFlags::strained) == strained_bit);
static_assert(out_of_range == (BodyFlags::inverted | BodyFlags::strained));

BodyFlags range_flags(const ModelRange& range, std::span<const double> q) {
  check_range_of(range, range.rank);
  if (std::ssize(q) != range.rank)
    throw InputError("the range is of rank " + std::to_string(range.rank) + ", but q has " + std::to_string(q.size()) +
                     " coordinates");
  std::uint32_t bits = 0;
  const double* row = range.gradients.data();
  for (std::int64_t point = 0; point < range.points(); ++point) {
    double g[9] = {};
    for (double& entry : g)
      for (const double x : q) entry += *row++ * x;
    bits |= range_bits(g);
  }
  return static_cast<BodyFlags>(bits);
}

}  // namespace quartic
