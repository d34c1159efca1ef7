// H at the points of all tiles, on tensor cores.
#pragma once

#include "cuda/batch_view.hpp"
#include "cuda/integrators.hpp"
#include "cuda/runtime.hpp"
#include "cuda/tensor_view.hpp"

namespace quartic::cuda {

/// As evaluate(). `images`: of the models, on the device.
template <class T>
void evaluate_on_tensor_cores(const BatchView<T>& batch, const TensorImage<T>* images, const StepShape& shape,
                              cudaStream_t stream);

}  // namespace quartic::cuda
