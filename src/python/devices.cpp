// CUDA devices: whether there are any, and the words for them.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <charconv>
#include <string>

#include "core/device/device_operations.hpp"
#include "python/bindings.hpp"
#include "python/choices.hpp"
#include "quartic/cuda_folder.hpp"

namespace quartic::python {
namespace {

namespace nb = nanobind;

// Tells where the library for CUDA is, if another package brings it: once, before it is opened.
void prepare_cuda() {
  nb::module_::import_("quartic._cuda").attr("prepare")();
}

std::string unavailable_reason() {
  prepare_cuda();
  try {
    require_backend(Backend::cuda);
  } catch (const BackendUnavailable& error) {
    return error.what();
  }
  return {};
}

}  // namespace

DeviceChoice device_of(const std::string& keyword, std::string_view word) {
  if (word == "cpu") return {};
  DeviceChoice choice{Backend::cuda, -1};
  std::string_view number = word;
  if (word.starts_with("cuda:")) number.remove_prefix(5);
  const bool sound =
      word == "cuda" || (number.size() < word.size() &&
                         std::from_chars(number.data(), number.data() + number.size(), choice.device).ptr ==
                             number.data() + number.size() &&
                         !number.empty() && choice.device >= 0);
  if (!sound)
    throw InputError(keyword + "=\"" + std::string(word) +
                     "\" is no device; there are \"cpu\", \"cuda\" and \"cuda:0\", \"cuda:1\", ...");
  prepare_cuda();
  require_backend(Backend::cuda);
  return choice;
}

void bind_devices(nb::module_& module) {
  module.def(
      "cuda_available", [] { return unavailable_reason().empty(); },
      "Whether device=\"cuda\" works; if not, cuda_unavailable_reason() says why.");
  module.def("cuda_unavailable_reason", &unavailable_reason,
             "What is missing for device=\"cuda\"; \"\" if nothing is.");
  module.def("_set_cuda_folder", &set_cuda_folder, nb::arg("folder"));
}

}  // namespace quartic::python
