// Memory that the machine has left, asked for before it is needed: a process that runs out of it is ended without a
// word.
#pragma once

#include <string>

#include "quartic/export.hpp"

namespace quartic {

/// What this process may still take without swapping: what the system says, or less where a container or `ulimit -v`
/// limits it. In bytes.
[[nodiscard]] QUARTIC_EXPORT double available_memory_bytes();

/// "1.21 GB"
[[nodiscard]] QUARTIC_EXPORT std::string bytes_text(double bytes);

/// @throws InputError "`what` take `bytes`, but ... are available; `remedy`"
QUARTIC_EXPORT void require_memory(double bytes, const std::string& what, const std::string& remedy);

}  // namespace quartic
