// Forces of contacts from one step to the next.
#pragma once

#include <vector>

#include "core/contact/body_collisions.hpp"
#include "core/contact/body_frame.hpp"

namespace quartic {

/// Of the last step. Forces are found by their keys, whose order they are in.
class WarmStarts {
 public:
  /// On the point [N], zero where there was none.
  [[nodiscard]] ContactPoint force(const ContactKey& key) const;
  [[nodiscard]] const std::vector<WarmStart>& all() const { return starts_; }
  /// @throws InputError as `require_warm_starts`
  void set(std::vector<WarmStart> starts);

  /// All new ones; in any order.
  void clear() { starts_.clear(); }
  void add(const ContactKey& key, const ContactPoint& force) { starts_.push_back({key, array_of(force)}); }
  void sort();

 private:
  std::vector<WarmStart> starts_;
};

}  // namespace quartic
