// The device's table for core/fem/fem_operations.hpp.
#pragma once

#include "core/fem/fem_operations.hpp"

namespace quartic::cuda {

extern const FemOperations fem_operations;

}  // namespace quartic::cuda
