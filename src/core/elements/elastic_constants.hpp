// Lame constants as the reduction of the energy takes them: of materials, or 1 and 0 for the parts of a region.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace quartic {

/// Lame constants. With mu = 0 only the trace is left: one number per pair and point, six otherwise.
struct ElasticConstants {
  double lambda = 0, mu = 0;
  [[nodiscard]] std::size_t strain_count() const { return mu == 0 ? 1 : 6; }
};

/// Lame constants by region; elements of regions without an entry are passed over. Either all entries have mu = 0 or
/// none.
using RegionConstants = std::vector<std::optional<ElasticConstants>>;

}  // namespace quartic
