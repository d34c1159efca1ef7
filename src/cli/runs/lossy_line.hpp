// A line that loses some of what is sent, the same at each run.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "cli/options/stream_options.hpp"
#include "quartic/streaming.hpp"

namespace quartic::cli {

/// Steps are lost in rows of a random length, after Gilbert (1960): from a line that works to one that doesn't, and
/// back, by chance in each step. The first step arrives. A share `loss` is lost for bursts of loss / (1 - loss) steps
/// or more (`check_line`).
class LossyLine {
 public:
  explicit LossyLine(const LineOptions& options) : options_(options), engine_(options.seed) {}

  /// Sends a step's packets, and what was lost `resend` steps ago. @return what arrives, in order
  std::vector<Packet> pass(AccelerationSender& sender, std::span<const Packet> packets) {
    std::vector<Packet> arrived;
    const bool lost = next_is_lost();
    if (!lost) arrived.assign(packets.begin(), packets.end());
    const auto step = std::ssize(lost_);
    lost_.push_back(lost);
    if (options_.resend > 0 && step >= options_.resend && lost_[static_cast<std::size_t>(step - options_.resend)])
      for (Packet& packet : sender.send_again(step - options_.resend)) arrived.push_back(std::move(packet));
    for (const Packet& packet : arrived) bytes_ += std::ssize(packet);
    return arrived;
  }

  [[nodiscard]] std::int64_t lost() const {
    std::int64_t count = 0;
    for (const bool lost : lost_) count += lost ? 1 : 0;
    return count;
  }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }  ///< that arrived

 private:
  bool next_is_lost() {
    if (lost_.empty() || options_.loss == 0) return false;
    const double ends = 1 / options_.burst, begins = options_.loss / (options_.burst * (1 - options_.loss));
    const double chance = static_cast<double>(engine_() >> 11U) * 0x1p-53;  // the same with any standard library
    fails_ = fails_ ? chance >= ends : chance < begins;
    return fails_;
  }

  LineOptions options_;
  std::mt19937_64 engine_;
  std::vector<bool> lost_;  // of each step
  bool fails_ = false;
  std::int64_t bytes_ = 0;
};

}  // namespace quartic::cli
