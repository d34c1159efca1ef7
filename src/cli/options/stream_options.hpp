// How a motion is sent, what becomes of it on the way, and what a receiver makes of that.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quartic/streaming.hpp"

namespace quartic::cli {

/// A line that loses steps.
struct LineOptions {
  double loss = 0;   ///< share of steps, in [0, 1)
  double burst = 1;  ///< how many are lost in a row on average
  std::uint64_t seed = 1;
  std::int64_t resend = 0;  ///< lost steps come again so many steps later; 0: never
};

/// The options as they were typed.
struct StreamArguments {
  std::string type = "fp32", recovery;
  bool closed_loop = false;
  std::int64_t keyframes = 0;
  LineOptions line = {};
  std::optional<std::int64_t> delay;
};

/// --type, --closed-loop, --keyframe, --loss, --burst, --seed, --resend, --recovery, --delay
void add_stream_options(CLI::App& command, StreamArguments& arguments);

/// @throws UsageError for a loss that rows of `burst` lost steps can't make up
void check_line(const LineOptions& options);

/// How it is coded; rule, step and fingerprint are the caller's. @throws UsageError
[[nodiscard]] SenderOptions parse_sender(const StreamArguments& arguments);

/// The recoveries that were asked for: one, or all. @throws UsageError
[[nodiscard]] std::vector<Recovery> parse_recoveries(const StreamArguments& arguments);

/// Steps before and after the present one whose packets a receiver takes: with those that come again.
[[nodiscard]] std::int64_t window_of(const StreamArguments& arguments, Recovery recovery);

/// Why recovery by late steps can do nothing, or nothing where it can.
[[nodiscard]] std::string warning_of_late(const StreamArguments& arguments);

/// Steps that a receiver stays behind.
[[nodiscard]] std::int64_t delay_of(const StreamArguments& arguments, Recovery recovery);

}  // namespace quartic::cli
