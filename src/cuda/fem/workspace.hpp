#pragma once

#include <cstdint>

namespace quartic::cuda {

/// What elements are worked through in at once, unless the device has less [B].
inline constexpr std::int64_t most_workspace = std::int64_t{256} << 20;
inline constexpr auto number_bytes = static_cast<std::int64_t>(sizeof(double));

}  // namespace quartic::cuda
