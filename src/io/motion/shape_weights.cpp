#include "io/motion/shape_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace quartic::io {

std::vector<WeightRange> weight_ranges(const SurfaceMotion& motion) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<WeightRange> ranges(static_cast<std::size_t>(motion.rank()), {infinity, -infinity});
  for (std::int64_t n = 0; n < motion.frames() * motion.bodies(); ++n) {
    const auto q = motion.q(n / motion.bodies(), n % motion.bodies());
    for (std::size_t i = 0; i < q.size(); ++i) {
      (void)to_single(q[i]);  // neither NaN nor infinite
      ranges[i] = {std::min(ranges[i].from, q[i]), std::max(ranges[i].to, q[i])};
    }
  }
  for (WeightRange& range : ranges)
    if (std::abs(range.to) < std::abs(range.from)) std::swap(range.from, range.to);
  return ranges;
}

std::vector<double> weightless_positions(const SurfaceMotion& motion, const std::vector<WeightRange>& ranges) {
  std::vector<double> positions = motion.surface().rest;
  Eigen::VectorXd q(std::ssize(ranges));
  for (std::int64_t i = 0; i < q.size(); ++i) q[i] = ranges[static_cast<std::size_t>(i)].from;
  Eigen::Map<Eigen::VectorXd>(positions.data(), std::ssize(positions)) += motion.basis().map() * q;
  return positions;
}

}  // namespace quartic::io
