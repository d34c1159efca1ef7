#include "cli/options/stream_options.hpp"

#include <algorithm>

#include "cli/options/arguments.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"

namespace quartic::cli {

namespace {

constexpr const char* type_names[] = {"fp16", "fp32", "fp64"};

void add_coding_options(CLI::App& command, StreamArguments& arguments) {
  const auto group = "Coding";
  command.add_option("--type", arguments.type, "Numbers of accelerations: fp16, fp32 or fp64")
      ->check(CLI::IsMember({"fp16", "fp32", "fp64"}))
      ->capture_default_str()
      ->group(group);
  command
      .add_flag("--closed-loop", arguments.closed_loop,
                "Send accelerations that lead the receiver back, so that rounding doesn't add up")
      ->group(group);
  command
      .add_option("--keyframe", arguments.keyframes,
                  "Steps from one whole state to the next; 0 for one at the start alone")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(group);
}

void add_line_options(CLI::App& command, StreamArguments& arguments) {
  const auto group = "Line";
  command.add_option("--loss", arguments.line.loss, "Share of steps that are lost, in [0, 1)")
      ->check(non_negative_number() & CLI::Range(0.0, 0.999))
      ->capture_default_str()
      ->group(group);
  command.add_option("--burst", arguments.line.burst, "How many steps are lost in a row, on average")
      ->check(positive_number() & CLI::Range(1.0, 1e6))
      ->capture_default_str()
      ->group(group);
  command.add_option("--seed", arguments.line.seed, "Of what is lost")
      ->check(unsigned_number())
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--resend", arguments.line.resend,
                  "Lost steps come again so many steps later; 0: never. With --receive: how late they may be")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str()
      ->group(group);
}

}  // namespace

void add_stream_options(CLI::App& command, StreamArguments& arguments) {
  add_coding_options(command, arguments);
  add_line_options(command, arguments);
  const auto group = "Receiver";
  command
      .add_option("--recovery", arguments.recovery,
                  "For what is lost: zero, hold, interpolate, model or late; a report has all, if none is named")
      ->group(group);
  command.add_option("--delay", arguments.delay, "Steps that the receiver stays behind; 1 for interpolate, else 0")
      ->check(CLI::Range(0, 32))
      ->group(group);
}

void check_line(const LineOptions& options) {
  const double least = options.loss / (1 - options.loss);
  if (options.burst < least)
    throw UsageError("--burst: with --loss " + significant(options.loss, 6) + ", steps are lost in rows of " +
                     significant(least, 6) + " at least on average; give --burst " + significant(least, 6) +
                     " or more");
}

SenderOptions parse_sender(const StreamArguments& arguments) {
  SenderOptions options{.closed_loop = arguments.closed_loop, .keyframe_interval = arguments.keyframes};
  for (std::uint8_t n = 0; n < 3; ++n)
    if (arguments.type == type_names[n]) options.type = static_cast<AccelerationType>(n);
  options.history = arguments.line.resend + 1;
  return options;
}

std::vector<Recovery> parse_recoveries(const StreamArguments& arguments) {
  std::vector<Recovery> all;
  std::string names;
  for (std::uint8_t n = 0; n < recovery_count; ++n) {
    const auto recovery = static_cast<Recovery>(n);
    if (arguments.recovery == recovery_name(recovery)) return {recovery};
    names.append(names.empty() ? "" : ", ").append(recovery_name(recovery));
    all.push_back(recovery);
  }
  if (!arguments.recovery.empty())
    throw UsageError("--recovery: there is no '" + arguments.recovery + "'; there are " + names);
  return all;
}

std::int64_t window_of(const StreamArguments& arguments, Recovery recovery) {
  return std::max(ReceiverOptions{}.window, arguments.line.resend + delay_of(arguments, recovery) + 2);
}

std::string warning_of_late(const StreamArguments& arguments) {
  const bool is_asked = arguments.recovery.empty() || arguments.recovery == recovery_name(Recovery::late);
  if (!is_asked || arguments.line.loss == 0 || arguments.line.resend > 0) return "";
  return "without --resend nothing comes late: recovery late is the same as zero";
}

std::int64_t delay_of(const StreamArguments& arguments, Recovery recovery) {
  return arguments.delay.value_or(recovery == Recovery::interpolate ? 1 : 0);
}

}  // namespace quartic::cli
