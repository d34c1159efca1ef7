// The device's table for core/batch/batch_operations.hpp.
#pragma once

#include "core/batch/batch_operations.hpp"

namespace quartic::cuda {

extern const BatchOperations batch_operations;

}  // namespace quartic::cuda
