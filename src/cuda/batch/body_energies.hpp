// Energies of bodies, in double.
#pragma once

#include <cstdint>

#include "cuda/base/runtime.hpp"

namespace quartic::cuda {

/// Elastic energy of `bodies` bodies of one model: `q` and `result` begin at the first one.
/// @param coefficients of the model's QuarticEnergy
/// @param stiffness_scale what each body's is multiplied with, from the first one on
template <class T>
void elastic_energies(const double* coefficients, int rank, const T* q, std::int64_t pitch, std::int64_t bodies,
                      const T* stiffness_scale, double* result, cudaStream_t stream);

template <class T>
void kinetic_energies(int rank, const T* velocity, std::int64_t pitch, std::int64_t bodies, double* result,
                      cudaStream_t stream);

}  // namespace quartic::cuda
