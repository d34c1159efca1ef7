// H at the points of all tiles, on tensor cores.
#pragma once

#include "cuda/base/runtime.hpp"
#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/step_shape.hpp"
#include "cuda/energy/tensor_view.hpp"

namespace quartic::cuda {

/// As Evaluator::evaluate(). `images`: of the models, on the device.
template <class T>
void evaluate_on_tensor_cores(const BatchView<T>& batch, const TensorImage<T>* images, const StepShape& shape,
                              cudaStream_t stream);

}  // namespace quartic::cuda
