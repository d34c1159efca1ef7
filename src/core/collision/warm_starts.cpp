#include "core/collision/warm_starts.hpp"

#include <algorithm>
#include <utility>

namespace quartic {

ContactPoint WarmStarts::force(const ContactKey& key) const {
  const auto found = std::ranges::lower_bound(starts_, key, {}, &WarmStart::key);
  return found != starts_.end() && found->key == key ? point_of(found->force.data()) : ContactPoint{0, 0, 0};
}

void WarmStarts::sort() {
  std::ranges::sort(starts_, {}, &WarmStart::key);
}

void WarmStarts::set(std::vector<WarmStart> starts) {
  require_warm_starts(starts);
  starts_ = std::move(starts);
}

}  // namespace quartic
