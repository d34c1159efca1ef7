// From Gram matrices of strain monomials to the distinct entries of the symmetric tensor S.
#pragma once

#include <cuda_runtime_api.h>

namespace quartic::cuda {

/// The entries as `symmetrise` in core/energy/quartic_tensor.hpp has them, [C(rank + 4, 4)].
/// @param gram column-major, its lower triangle is read
void symmetrise(int rank, const double* gram, double* coefficients, cudaStream_t stream);

}  // namespace quartic::cuda
