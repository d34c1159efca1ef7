// Progress of long operations, as Python sees it.
#pragma once

#include <nanobind/nanobind.h>

#include "quartic/backend.hpp"

namespace quartic::python {

/// For a call that runs without the GIL: looks for Ctrl-C, then calls `callback(stage, fraction)` unless that is None.
/// What it raises cancels the operation. The handle must outlive the operation.
[[nodiscard]] Progress progress_for(nanobind::handle callback);

}  // namespace quartic::python
