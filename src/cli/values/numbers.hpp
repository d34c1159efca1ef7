// Numbers for people, the same in every locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quartic::cli {

/// "0.5213", "1.2e+07": this many significant digits, without trailing zeros.
[[nodiscard]] std::string significant(double value, int digits = 4);

/// "0.43 s", "2 min 5 s".
[[nodiscard]] std::string seconds_text(double seconds);

/// "1 frame", "3 frames", "2 bodies".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view one, std::string_view many);

}  // namespace quartic::cli
