#include "core/collision/warm_starts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "quartic/error.hpp"

namespace quartic {

ContactPoint WarmStarts::force(const ContactKey& key) const {
  const auto found = std::ranges::lower_bound(starts_, key, {}, &WarmStart::key);
  return found != starts_.end() && found->key == key ? point_of(found->force.data()) : ContactPoint{0, 0, 0};
}

void WarmStarts::sort() {
  std::ranges::sort(starts_, {}, &WarmStart::key);
}

void WarmStarts::set(std::vector<WarmStart> starts) {
  for (std::size_t n = 0; n < starts.size(); ++n) {
    if (n > 0 && !(starts[n - 1].key < starts[n].key))
      throw InputError("forces of contacts between bodies must be in the order of their keys");
    for (const double x : starts[n].force)
      if (!std::isfinite(x)) throw InputError("a force of a contact between bodies isn't finite");
  }
  starts_ = std::move(starts);
}

}  // namespace quartic
