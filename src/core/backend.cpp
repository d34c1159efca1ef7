#include "quartic/backend.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "core/backend_checks.hpp"
#include "core/cuda_backend.hpp"
#include "quartic/error.hpp"

namespace quartic {

std::string_view backend_name(Backend backend) {
  return backend == Backend::cpu ? "cpu" : "cuda";
}

bool backend_available(Backend backend) {
  try {
    require_backend(backend);
  } catch (const BackendUnavailable&) {
    return false;
  }
  return true;
}

void require_backend(Backend backend) {
  if (backend == Backend::cuda) static_cast<void>(cuda_backend());
}

void require_cpu(Backend backend, std::string_view operation) {
  if (backend == Backend::cpu) return;
  throw BackendUnavailable(std::string(operation) + " runs on the backend 'cpu' only in this version, not on '" +
                           std::string(backend_name(backend)) + "'; bodies can be stepped there all the same");
}

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
