// Arrays of others in device memory.
#pragma once

#include <string>

#include "python/arrays/array.hpp"

namespace quartic::python {

/// @throws InputError that tells both places, unless the device, or -1 for the CPU, is that of the place
void require_same_device(int device, const Place& place, const std::string& name);

[[nodiscard]] bool has_cuda_interface(nb::handle object);

/// By `__cuda_array_interface__`, of versions 2 and 3. @throws InputError
[[nodiscard]] Array from_cuda_interface(nb::handle object, const std::string& name, const Place& place);

}  // namespace quartic::python
