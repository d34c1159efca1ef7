// The device's table for core/reduction/reduction_operations.hpp.
#pragma once

#include "core/reduction/reduction_operations.hpp"

namespace quartic::cuda {

extern const ReductionOperations reduction_operations;

}  // namespace quartic::cuda
