#include "core/base/cuda_library.hpp"

#include <dlfcn.h>

#include <string>
#include <string_view>

#include "quartic/error.hpp"
#include "quartic/version.hpp"

namespace quartic {
namespace {

constexpr const char* file_name = "libquartic_cuda.so." QUARTIC_SOVERSION;
constexpr const char* entry_name = "quartic_cuda_library";

// The folder of the library that this code is in, with a slash behind it.
std::string own_folder() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string path = info.dli_fname;
  return path.substr(0, path.find_last_of('/') + 1);
}

const CudaLibrary& open_library() {
  // Never closed: its kernels and the context stay with the process.
  void* file = dlopen((own_folder() + file_name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) file = dlopen(file_name, RTLD_NOW | RTLD_LOCAL);  // where the system looks
  if (file == nullptr) {
    const char* error = dlerror();
    throw BackendUnavailable(std::string("the backend 'cuda' can't be loaded (") +
                             (error != nullptr ? error : "unknown error") +
                             "); build quartic with QUARTIC_CUDA=ON, or use the backend 'cpu'");
  }
  using Entry = const CudaLibrary* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(file, entry_name));
  const CudaLibrary* library = entry == nullptr ? nullptr : entry();
  if (library == nullptr || std::string_view(library->version) != version)
    throw BackendUnavailable(own_folder() + file_name + " isn't of the same version as libquartic, " + version);
  return *library;
}

}  // namespace

const CudaLibrary& cuda_library() {
  static const CudaLibrary& library = open_library();  // tried again if it throws
  library.require_device();
  return library;
}

}  // namespace quartic
