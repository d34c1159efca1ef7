#include "quartic/backend.hpp"

#include <string>

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

}  // namespace quartic
