// Memory that a run takes, and what there is.
#pragma once

#include <cstdint>

namespace quartic::cli {

/// Most memory that this process, or the largest of those that it started, has had so far, in bytes.
[[nodiscard]] std::int64_t peak_memory_bytes();

/// What the system says is available without swapping; all of the machine's memory where it doesn't say.
[[nodiscard]] double available_memory_bytes();

}  // namespace quartic::cli
