// Reduced coordinates as weights of blend shapes (morph targets) between 0 and 1, to which many programs confine them.
#pragma once

#include <cmath>
#include <vector>

#include "io/motion/render_surface.hpp"

namespace quartic::io {

/// What a coordinate is where the weight of its shape is 0 and 1: the ends of its range over a motion, the one closer
/// to rest first. With the surface at `weightless_positions` and U_i (to - from) as the shapes, the weights
/// (q_i - from) / (to - from) give the positions rest + U q; linear interpolation of weights is that of q.
struct WeightRange {
  double from = 0, to = 0;

  [[nodiscard]] double length() const { return to - from; }
  /// In [0, 1] for coordinates of the motion. 0 for all where the coordinate never changes.
  [[nodiscard]] float weight(double q) const {
    return from == to ? 0 : static_cast<float>(std::abs((q - from) / (to - from)));  // no -0
  }
};

/// Over all bodies, shape (r). @throws InputError as `to_single` for a coordinate
[[nodiscard]] std::vector<WeightRange> weight_ranges(const SurfaceMotion& motion);

/// Where the surface is with all weights 0: rest + sum of U_i from_i, from the origin [m], shape (s, 3).
[[nodiscard]] std::vector<double> weightless_positions(const SurfaceMotion& motion,
                                                       const std::vector<WeightRange>& ranges);

}  // namespace quartic::io
