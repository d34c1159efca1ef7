// The weights of a stream's oscillators over time, in samples: linear between moments.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace quartic {

/// Only the constructor allocates.
class WeightTrack {
 public:
  /// @param moments in samples, ascending; empty: weights that stay @param values shape (moments or 1, count)
  WeightTrack(std::vector<double> moments, std::vector<double> values, std::size_t count)
      : moments_(std::move(moments)), values_(std::move(values)), count_(count) {
    moments_.reserve(2);
    values_.reserve(2 * count);
  }

  [[nodiscard]] std::span<const double> values() const { return values_; }
  /// To the weights at a sample, which isn't before that of the last call.
  void go_to(std::int64_t sample) {
    while (next_ < moments_.size() && moments_[next_] <= static_cast<double>(sample)) ++next_;
  }
  /// The first sample at which other weights hold, or change otherwise.
  [[nodiscard]] std::int64_t end() const {
    return next_ < moments_.size() ? static_cast<std::int64_t>(std::ceil(moments_[next_]))
                                   : std::numeric_limits<std::int64_t>::max();
  }
  [[nodiscard]] bool changes() const { return next_ > 0 && next_ < moments_.size(); }
  /// Those of the last moment, or before the first its own.
  [[nodiscard]] std::span<const double> now() const { return part(next_ > 0 ? next_ - 1 : 0); }
  /// Those to which they change.
  [[nodiscard]] std::span<const double> after() const { return changes() ? part(next_) : std::span<const double>(); }
  /// How far they have changed at a sample before the end, from 0 to 1.
  [[nodiscard]] double share(std::int64_t sample) const {
    return (static_cast<double>(sample) - moments_[next_ - 1]) / (moments_[next_] - moments_[next_ - 1]);
  }

  /// From what weights are at a sample to others, in so many samples. @param values shape (count)
  void turn_to(std::span<const double> values, std::int64_t sample, double samples) {
    go_to(sample);
    const double share_now = changes() ? share(sample) : 0;
    const std::size_t before = next_ > 0 ? next_ - 1 : 0, other = changes() ? next_ : before;
    for (std::size_t i = 0; i < count_; ++i)  // in place: no moment is before the first
      values_[i] = (1 - share_now) * values_[before * count_ + i] + share_now * values_[other * count_ + i];
    values_.resize(2 * count_);
    moments_.resize(2);
    for (std::size_t i = 0; i < count_; ++i) values_[count_ + i] = values[i];
    moments_[0] = static_cast<double>(sample), moments_[1] = moments_[0] + samples;
    next_ = 0;
    go_to(sample);
  }

 private:
  [[nodiscard]] std::span<const double> part(std::size_t moment) const {
    return std::span(values_).subspan(moment * count_, count_);
  }

  std::vector<double> moments_, values_;
  std::size_t count_, next_ = 0;
};

}  // namespace quartic
