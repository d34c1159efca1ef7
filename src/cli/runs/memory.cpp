#include "cli/runs/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace quartic::cli {

std::int64_t peak_memory_bytes() {
  rusage own{}, children{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &children);
  return std::int64_t{std::max(own.ru_maxrss, children.ru_maxrss)} * 1024;  // Linux counts in KiB
}

double available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  for (double kilobytes = 0; file >> key; file.ignore(256, '\n'))
    if (key == "MemAvailable:" && file >> kilobytes) return 1024 * kilobytes;
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace quartic::cli
