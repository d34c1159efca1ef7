// The device's table for core/factorization/factorization_operations.hpp.
#pragma once

#include "core/factorization/factorization_operations.hpp"

namespace quartic::cuda {

extern const FactorizationOperations factorization_operations;

}  // namespace quartic::cuda
