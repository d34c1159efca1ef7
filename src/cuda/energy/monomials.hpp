// Monomials of whole tiles, for products by a library.
#pragma once

#include "cuda/base/runtime.hpp"
#include "cuda/energy/batch_view.hpp"

namespace quartic::cuda {

/// [monomial][128] for tiles `first .. first + tiles` of one model, from its points.
template <class T>
void make_monomials(const BatchView<T>& batch, int first, int tiles, int monomials, const T* points, T* result,
                    cudaStream_t stream);

}  // namespace quartic::cuda
