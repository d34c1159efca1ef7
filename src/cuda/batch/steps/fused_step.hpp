// Many steps in one launch, the stiffness never leaving the multiprocessor.
#pragma once

#include "core/batch/step_settings.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/batch/steps/fused_shape.hpp"
#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/step_shape.hpp"

namespace quartic::cuda {

/// `substeps` steps of implicit Newmark or backward Euler for the first tiles of the batch, those of a chunk and all of
/// one rank: bit for bit what `begin_steps` and `implicit_step` do. Forces have one scale for all of them.
template <class T>
void fused_steps(const BatchView<T>& batch, const StepSettings<T>& settings, int substeps, const StepShape& chunk,
                 const FusedShape& shape, cudaStream_t stream);

/// The same where the bodies have chambers.
template <class T>
void fused_chamber_steps(const BatchView<T>& batch, const StepSettings<T>& settings, int substeps,
                         const StepShape& chunk, const FusedShape& shape, cudaStream_t stream);

/// Lets the kernels use this much shared memory on the current device; before they are started.
template <class T>
void prepare_fused_steps(std::size_t shared_bytes);
template <class T>
void prepare_fused_chamber_steps(std::size_t shared_bytes);

}  // namespace quartic::cuda
