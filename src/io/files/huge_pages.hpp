// Large pages of memory for large arrays.
#pragma once

#include <cstddef>

namespace quartic::io {

/// Asks the system to give memory that hasn't been touched yet in pages of megabytes: the first touch of so many small
/// ones takes a third of the time that reading a large file takes. Only advice: nothing depends on it.
void prefer_huge_pages(void* begin, std::size_t bytes);

}  // namespace quartic::io
