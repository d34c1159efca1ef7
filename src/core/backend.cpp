#include "quartic/backend.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include "quartic/error.hpp"

namespace quartic {

std::string_view backend_name(Backend backend) {
  return backend == Backend::cpu ? "cpu" : "cuda";
}

bool backend_available(Backend backend) {
  return backend == Backend::cpu;
}

void require_backend(Backend backend) {
  if (backend_available(backend)) return;
  throw BackendUnavailable("the backend '" + std::string(backend_name(backend)) +
                           "' isn't in this build of quartic; use the backend 'cpu'");
}

int default_thread_count() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace quartic
