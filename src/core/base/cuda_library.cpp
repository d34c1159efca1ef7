#include "core/base/cuda_library.hpp"

#include <dlfcn.h>

#include <mutex>
#include <string>
#include <string_view>

#include "quartic/cuda_folder.hpp"
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

// Where the library is looked for, and that it has been found. Never destroyed: the program's end may still ask.
struct Place {
  std::mutex mutex;
  std::string folder;  // the caller's, with a slash behind it, or empty
  const CudaLibrary* opened = nullptr;
};
Place& place() {
  static auto& place = *new Place;
  return place;
}

void* open_in(const std::string& folder) {
  return dlopen((folder + file_name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

const CudaLibrary& open_library(const std::string& folder) {
  // Never closed: its kernels and the context stay with the process. What was asked for first tells why it failed.
  void* file = open_in(folder.empty() ? own_folder() : folder);
  const char* reason = file == nullptr ? dlerror() : nullptr;
  const std::string error = reason != nullptr ? reason : "unknown error";
  if (file == nullptr && !folder.empty()) file = open_in(own_folder());
  if (file == nullptr) file = open_in("");  // where the system looks
  if (file == nullptr) {
    throw BackendUnavailable(std::string("the backend 'cuda' can't be loaded (") + error +
                             "); build quartic with QUARTIC_CUDA=ON, or use the backend 'cpu'");
  }
  using Entry = const CudaLibrary* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(file, entry_name));
  const CudaLibrary* library = entry == nullptr ? nullptr : entry();
  if (library == nullptr || std::string_view(library->version) != version)
    throw BackendUnavailable(std::string(file_name) + " isn't of the same version as libquartic, " + version);
  return *library;
}

}  // namespace

const CudaLibrary& cuda_library() {
  const CudaLibrary* library = nullptr;
  {
    const std::lock_guard lock(place().mutex);
    if (place().opened == nullptr) place().opened = &open_library(place().folder);  // tried again if it throws
    library = place().opened;
  }
  library->require_device();
  return *library;
}

void set_cuda_folder(const std::filesystem::path& folder) {
  const std::string wanted = folder.empty() ? "" : (folder / "").string();
  const std::lock_guard lock(place().mutex);
  if (place().opened != nullptr && wanted != place().folder)
    throw InputError("libquartic_cuda has been opened already; tell its folder before the first use of a GPU");
  place().folder = wanted;
}

}  // namespace quartic
