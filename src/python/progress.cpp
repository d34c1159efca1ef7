#include "python/progress.hpp"

#include <string_view>

#include "python/choices.hpp"

namespace quartic::python {

namespace nb = nanobind;

Progress progress_for(nb::handle callback) {
  return [callback](std::string_view stage, double fraction) {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!callback.is_none()) callback(nb::str(stage.data(), stage.size()), fraction);
  };
}

Backend device_of(const std::string& keyword, std::string_view word) {
  if (word == "cpu") return Backend::cpu;
  if (word == "cuda" || word.starts_with("cuda:"))
    throw BackendUnavailable(
        keyword + "=\"" + std::string(word) +
        "\": quartic's Python package computes on the CPU alone so far. On a GPU use the library from C++ "
        "(Backend::cuda, quartic/cuda.hpp) or the command (quartic reduce --backend cuda)");
  throw InputError(keyword + "=\"" + std::string(word) + "\" is no device; there is \"cpu\"");
}

}  // namespace quartic::python
