#include "quartic/backend.hpp"

#include "core/base/cuda_library.hpp"
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
  if (backend == Backend::cuda) static_cast<void>(cuda_library());
}

}  // namespace quartic
