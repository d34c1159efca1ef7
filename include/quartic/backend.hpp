// Which machine does the heavy work, and how long work tells of itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "quartic/export.hpp"

namespace quartic {

/// Where an operation runs. The CPU is the reference; nothing moves between backends silently.
enum class Backend : std::uint8_t { cpu, cuda };

[[nodiscard]] QUARTIC_EXPORT std::string_view backend_name(Backend backend);

/// True if the backend is in this build and finds its hardware.
[[nodiscard]] QUARTIC_EXPORT bool backend_available(Backend backend);

/// @throws BackendUnavailable that says whether the build or the hardware is missing
QUARTIC_EXPORT void require_backend(Backend backend);

/// Called from the calling thread while long work goes on: the stage's name and the share of it that is done, in
/// [0, 1]; a new stage starts with 0. An exception thrown from it stops the work and reaches the caller.
using Progress = std::function<void(std::string_view stage, double fraction)>;

/// Number of threads that `0` stands for in options, and that precomputation runs on: the hardware's, or what the
/// environment variable QUARTIC_THREADS says.
/// @throws InputError if that is no number from 1 to 1024
[[nodiscard]] QUARTIC_EXPORT int default_thread_count();

}  // namespace quartic
