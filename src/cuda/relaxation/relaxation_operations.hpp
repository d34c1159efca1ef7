// The table of core/relaxation on the device.
#pragma once

#include "core/relaxation/relaxation_operations.hpp"

namespace quartic::cuda {

extern const RelaxationOperations relaxation_operations;

}  // namespace quartic::cuda
