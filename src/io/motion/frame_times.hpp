// Times of frames, as animation formats count them.
#pragma once

#include <optional>
#include <vector>

namespace quartic::io {

/// @throws InputError that names the frame unless there is at least one and the times are finite and ascend
void require_ascending(const std::vector<double>& times);

/// The time between two frames [s], if it is the same everywhere but for a ten-thousandth of it; 0 of a single frame.
/// @param times ascending
[[nodiscard]] std::optional<double> even_spacing(const std::vector<double>& times);

/// The times in single precision, with those that rounding made equal moved on by one bit, since keyframes must ascend.
/// @throws InputError as `to_single`
[[nodiscard]] std::vector<float> single_precision_times(const std::vector<double>& times);

/// USD's time codes: frame i is at `codes[i]`, which is the time `codes[i] / per_second`.
struct TimeCodes {
  double per_second = 24;
  std::vector<double> codes;
};

/// One code per frame where the spacing is even, whole numbers if the first frame is at a multiple of it; else 24 per
/// second, of which frames have any fractions. Numbers within a billionth of a whole one are taken for it.
/// @throws InputError as `require_ascending`, or if codes can't tell the times apart
[[nodiscard]] TimeCodes time_codes(const std::vector<double>& times);

}  // namespace quartic::io
