#include "cli/runs/memory.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace quartic::cli {

std::int64_t peak_memory_bytes() {
  rusage own{}, children{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &children);
  return std::int64_t{std::max(own.ru_maxrss, children.ru_maxrss)} * 1024;  // Linux counts in KiB
}

}  // namespace quartic::cli
