// Memory that a run took.
#pragma once

#include <cstdint>

namespace quartic::cli {

/// Most memory that this process, or the largest of those that it started, has had so far, in bytes.
[[nodiscard]] std::int64_t peak_memory_bytes();

}  // namespace quartic::cli
