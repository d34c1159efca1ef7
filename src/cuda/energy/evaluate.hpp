// H at the points of all tiles.
#pragma once

#include "cuda/base/runtime.hpp"
#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/step_shape.hpp"

namespace quartic::cuda {

/// `h` from `points`, and `second_h` from `second_points` where the batch has them. For Evaluation::accurate K, and R
/// in the place of H_i0.
template <class T>
void evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream);

}  // namespace quartic::cuda
