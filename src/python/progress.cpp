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

}  // namespace quartic::python
