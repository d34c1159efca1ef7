// R from strains, for Evaluation::accurate.
#pragma once

#include "cuda/base/runtime.hpp"
#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/step_shape.hpp"

namespace quartic::cuda {

/// R at `points` to where H_i0 stands in `h`, and at `second_points` in `second_h` where the batch has them; behind the
/// evaluation of K. Takes the workspace `strains`.
template <class T>
void evaluate_strain_forces(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream);

}  // namespace quartic::cuda
