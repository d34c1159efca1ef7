// Arrays in device memory: how they are made and copied.
#pragma once

#include "python/arrays/array.hpp"

namespace quartic::python {

/// `copy_of` of an array on a device.
[[nodiscard]] Array copy_on_device(const Array& array);

}  // namespace quartic::python
