// Steps of the bodies that have candidates.
#pragma once

#include <cstddef>

#include "cuda/base/runtime.hpp"
#include "cuda/contact/world_view.hpp"

namespace quartic::cuda {

/// Rounds of products that all bodies at work share: as many as nearly all bodies take.
inline constexpr int near_rounds = 8;

/// How they are started.
struct NearShape {
  std::size_t shared_bytes = 0;  // of a block
  int multiprocessors = 1;
  bool flies = false;  // whether any body does
};

/// Largest shared memory of a block for bodies of a rank [bytes].
[[nodiscard]] std::size_t near_shared_bytes(int rank, bool flies);
template <class T>
void prepare_near_steps(std::size_t shared_bytes);

/// Their seats, given how many there are before each.
template <class T>
void seat_near_bodies(const WorldView<T>& world, cudaStream_t stream);

/// New states into `next`, forces and impulses into `readout`, records of the candidates at the step's end.
template <class T>
void step_near_bodies(const WorldView<T>& world, const NearShape& shape, cudaStream_t stream);

/// Once the batch has stepped: the new states into the batch, with status and flags from before the step.
template <class T>
void put_near_bodies(const WorldView<T>& world, cudaStream_t stream);

/// The candidates that are in a shape, given where each body's begin: see ReadoutView.
template <class T>
void list_contacts(const WorldView<T>& world, cudaStream_t stream);

}  // namespace quartic::cuda
