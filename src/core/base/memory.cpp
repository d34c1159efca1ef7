#include "core/base/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string_view>

#include "core/base/number_text.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// The number behind a key of a table of the system, or `otherwise`.
double entry_of(const char* file_name, std::string_view wanted, double otherwise) {
  std::ifstream file(file_name);
  std::string key;
  for (double value = 0; file >> key; file.ignore(256, '\n'))
    if (key == wanted && file >> value) return value;
  return otherwise;
}

double machine_memory() {
  const double all = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return 1024 * entry_of("/proc/meminfo", "MemAvailable:", all / 1024);
}

// Of a container, as its own control group tells: its limit less what is in use and can't be dropped.
double group_memory() {
  std::ifstream limit_file("/sys/fs/cgroup/memory.max"), used_file("/sys/fs/cgroup/memory.current");
  double limit = 0, used = 0;
  if (!(limit_file >> limit) || !(used_file >> used)) return unlimited;  // "max", or no such group
  return std::max(0.0, limit - used + entry_of("/sys/fs/cgroup/memory.stat", "inactive_file", 0));
}

// Of the process, as `ulimit -v` sets it.
double process_memory() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  if (!(file >> pages)) return unlimited;
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
}

}  // namespace

double available_memory_bytes() {
  return std::min({machine_memory(), group_memory(), process_memory()});
}

std::string bytes_text(double bytes) {
  if (bytes < 1000) return number_text(bytes, 3) + " bytes";
  constexpr std::array<const char*, 5> units = {"", " kB", " MB", " GB", " TB"};
  std::size_t power = 0;
  for (; bytes >= 999.5 && power + 1 < units.size(); ++power) bytes /= 1000;
  return number_text(bytes, 3) + units[power];
}

void require_memory(double bytes, const std::string& what, const std::string& remedy) {
  const double available = available_memory_bytes();
  if (bytes <= available) return;
  throw InputError(what + " take " + bytes_text(bytes) + ", but this machine has " + bytes_text(available) +
                   " available; " + remedy);
}

}  // namespace quartic
