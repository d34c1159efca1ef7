// Steps of the bodies that have candidates.
#pragma once

#include <cstddef>

#include "cuda/base/runtime.hpp"
#include "cuda/contact/world_view.hpp"

namespace quartic::cuda {

/// Largest shared memory of a block for bodies of a rank [bytes].
[[nodiscard]] std::size_t near_shared_bytes(int rank, bool flies);
template <class T>
void prepare_near_steps(std::size_t shared_bytes);

/// New states into `next`, forces and impulses into `readout`, records of the candidates at the step's end.
template <class T>
void step_near_bodies(const WorldView<T>& world, std::size_t shared_bytes, cudaStream_t stream);

/// Once the batch has stepped: the new states into the batch, with status and flags from before the step.
template <class T>
void put_near_bodies(const WorldView<T>& world, cudaStream_t stream);

/// The candidates that are in a shape, given where each body's begin: see ReadoutView.
template <class T>
void list_contacts(const WorldView<T>& world, cudaStream_t stream);

}  // namespace quartic::cuda
