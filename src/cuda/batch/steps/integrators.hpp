// One time step of all tiles, by each integrator.
#pragma once

#include "core/batch/step_settings.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/step_shape.hpp"

namespace quartic::cuda {

/// Makes the points of all tiles (1, q), and opens all bodies that aren't frozen.
template <class T>
void begin_steps(const BatchView<T>& batch, int tiles, cudaStream_t stream);

/// Implicit Newmark and backward Euler: they differ in the coefficients of StepSettings. As all integrators, takes
/// (1, q) in `points` and leaves the new one there.
template <class T>
void implicit_step(const BatchView<T>& batch, const StepSettings<T>& settings, const StepShape& shape,
                   cudaStream_t stream);

/// @param h_is_current true if H was evaluated at `points` already, as this function leaves it for the next step
template <class T>
void central_differences_step(const BatchView<T>& batch, const StepSettings<T>& settings, bool h_is_current,
                              const StepShape& shape, cudaStream_t stream);

template <class T>
void energy_conserving_step(const BatchView<T>& batch, const StepSettings<T>& settings, const StepShape& shape,
                            cudaStream_t stream);

/// Before the first of some steps of tiles of free bodies: their momenta.
template <class T>
void begin_free_steps(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream);

/// The same of free bodies. Central differences can't move them.
template <class T>
void free_implicit_step(const BatchView<T>& batch, const StepSettings<T>& settings, const StepShape& shape,
                        cudaStream_t stream);
template <class T>
void free_energy_conserving_step(const BatchView<T>& batch, const StepSettings<T>& settings, const StepShape& shape,
                                 cudaStream_t stream);

/// Lets the kernels of an integrator use this much shared memory on the current device; before they are started.
template <class T>
void prepare_implicit_step(std::size_t shared_bytes);
template <class T>
void prepare_central_differences_step(std::size_t shared_bytes);
template <class T>
void prepare_energy_conserving_step(std::size_t shared_bytes);
/// Those of free bodies: what all integrators need, and each.
template <class T>
void prepare_free_steps(std::size_t shared_bytes);
template <class T>
void prepare_free_implicit_step(std::size_t shared_bytes);
template <class T>
void prepare_free_energy_conserving_step(std::size_t shared_bytes);

}  // namespace quartic::cuda
