// The device's table for core/modes/modes_operations.hpp.
#pragma once

#include "core/modes/modes_operations.hpp"

namespace quartic::cuda {

extern const ModesOperations modes_operations;

}  // namespace quartic::cuda
