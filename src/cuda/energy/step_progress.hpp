// What kernels tell each other, and the host, of a body.
#pragma once

#include <cstdint>

namespace quartic::cuda {

/// Values of BodyStatus.
inline constexpr std::int32_t status_regularised = 1;
inline constexpr std::int32_t status_diverged = 2;

/// Bits of BodyFlags.
inline constexpr std::uint32_t flag_not_converged = 4;

/// How far a body's step is: at work, finished (or frozen), or without a solution.
inline constexpr std::uint8_t step_closed = 0;
inline constexpr std::uint8_t step_open = 1;
inline constexpr std::uint8_t step_failed = 2;

}  // namespace quartic::cuda
