// Where heavy operations run, and how long operations report their progress.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "quartic/export.hpp"

namespace quartic {

/// Where an operation runs. The CPU is the reference. There is no silent fallback to another backend.
enum class Backend : std::uint8_t { cpu, cuda };

/// "cpu" or "cuda".
[[nodiscard]] QUARTIC_EXPORT std::string_view backend_name(Backend backend);

/// True if the backend is in this build and finds its hardware.
[[nodiscard]] QUARTIC_EXPORT bool backend_available(Backend backend);

/// @throws BackendUnavailable that says whether the build or the hardware is missing
QUARTIC_EXPORT void require_backend(Backend backend);

/// Called from the calling thread during long operations with the name of the stage and its completed fraction in
/// [0, 1]; a new stage starts at 0. An exception thrown from it cancels the operation and reaches the caller.
using Progress = std::function<void(std::string_view stage, double fraction)>;

/// Number of threads of precomputation, and wherever options say 0: the value of the environment variable
/// QUARTIC_THREADS, or else the number of hardware threads.
/// @throws InputError if QUARTIC_THREADS isn't a number from 1 to 1024
[[nodiscard]] QUARTIC_EXPORT int default_thread_count();

}  // namespace quartic
