#include "cli/reports/progress_display.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "cli/values/numbers.hpp"

namespace quartic::cli {

namespace {

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

/// "45 %, 12 s left"; the time only when enough is done to tell.
std::string share_text(double fraction, double seconds) {
  std::string text = std::to_string(static_cast<int>(100 * fraction)) + " %";
  if (fraction > 0.02 && seconds > 1) text += ", " + seconds_text(seconds * (1 - fraction) / fraction) + " left";
  return text;
}

}  // namespace

ProgressDisplay::ProgressDisplay() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressDisplay::~ProgressDisplay() {
  if (!stage_.empty() && terminal_) std::cerr << '\n';
}

void ProgressDisplay::report(std::string_view stage, double fraction) {
  if (stage != stage_) {
    finish();
    begin(stage);
  }
  const auto now = Clock::now();
  const double interval = terminal_ ? 0.1 : 10;  // seconds between two pictures of one stage
  if (seconds_between(drawn_, now) < interval) return;
  drawn_ = now;
  draw(std::clamp(std::isnan(fraction) ? 0 : fraction, 0.0, 1.0), seconds_between(begun_, now));
}

void ProgressDisplay::begin(std::string_view stage) {
  stage_ = stage;
  begun_ = drawn_ = Clock::now();
  if (terminal_) draw(0, 0);
}

void ProgressDisplay::draw(double fraction, double seconds) {
  if (!terminal_) {
    std::cerr << stage_ << ": " << share_text(fraction, seconds) << std::endl;
    return;
  }
  constexpr int width = 30;
  const auto full = static_cast<std::size_t>(std::lround(width * fraction));
  std::cerr << "\r\033[K" << padded(stage_, 20) << " [" << padded(std::string(full, '#'), width) << "] "
            << share_text(fraction, seconds) << std::flush;
}

void ProgressDisplay::finish() {
  if (stage_.empty()) return;
  const std::string time = seconds_text(seconds_between(begun_, Clock::now()));
  if (terminal_) std::cerr << "\r\033[K" << padded(stage_, 20) << ' ' << time << std::endl;
  if (!terminal_) std::cerr << stage_ << ": " << time << std::endl;
  stage_.clear();
}

}  // namespace quartic::cli
