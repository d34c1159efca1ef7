// Weights on their way from one thread to another, without locks: of several, the last one arrives.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

namespace quartic {

struct NewWeights {
  std::vector<double> values = {};
  double time = 0;  // in which they are to be reached [s]
};

/// Three places: one is written, one is read, one lies between. One thread writes, one reads; neither allocates.
class WeightExchange {
 public:
  explicit WeightExchange(std::size_t count) {
    for (NewWeights& place : places_) place.values.resize(count);
  }

  /// Where the writer may write until it publishes.
  [[nodiscard]] NewWeights& draft() { return places_[static_cast<std::size_t>(written_)]; }
  void publish() { written_ = between_.exchange(written_ | fresh, std::memory_order_acq_rel) & ~fresh; }
  /// What has been published since the last call; null: nothing. Valid until the next one.
  [[nodiscard]] const NewWeights* take() {
    if ((between_.load(std::memory_order_relaxed) & fresh) == 0) return nullptr;
    read_ = between_.exchange(read_, std::memory_order_acq_rel) & ~fresh;
    return &places_[static_cast<std::size_t>(read_)];
  }

 private:
  static constexpr int fresh = 4;
  std::array<NewWeights, 3> places_;
  int written_ = 0, read_ = 1;
  std::atomic<int> between_{2};
};

}  // namespace quartic
