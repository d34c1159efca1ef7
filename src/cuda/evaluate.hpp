// H at the points of all tiles.
#pragma once

#include "cuda/batch_view.hpp"
#include "cuda/runtime.hpp"

namespace quartic::cuda {

/// @param tiles their number
/// @param row_blocks the largest of their models'
template <class T>
void evaluate(const BatchView<T>& batch, const T* points, T* h, int tiles, int row_blocks, cudaStream_t stream);

}  // namespace quartic::cuda
