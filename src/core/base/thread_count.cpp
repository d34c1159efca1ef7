#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "quartic/backend.hpp"
#include "quartic/error.hpp"

namespace quartic {

int default_thread_count() {
  constexpr int most = 1024;  // more than any machine, fewer than a typing error
  if (const char* wish = std::getenv("QUARTIC_THREADS"); wish != nullptr && *wish != '\0') {
    int count = 0;
    const char* end = wish + std::strlen(wish);
    if (const auto read = std::from_chars(wish, end, count);
        read.ec != std::errc{} || read.ptr != end || count < 1 || count > most)
      throw InputError("QUARTIC_THREADS is \"" + std::string(wish) + "\"; it must be a number of threads, 1 to " +
                       std::to_string(most));
    return count;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace quartic
