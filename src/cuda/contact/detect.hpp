// Where bodies may come to touch shapes in a step.
#pragma once

#include "cuda/base/runtime.hpp"
#include "cuda/contact/world_view.hpp"

namespace quartic::cuda {

/// Shapes at both ends of a step; their poses are those at its end afterwards.
void move_shapes(const ShapesView& shapes, double dt, cudaStream_t stream);

/// Margins and counts of candidates.
template <class T>
void count_candidates(const WorldView<T>& world, cudaStream_t stream);

/// Given where each body's would begin: bodies whose candidates don't fit have none, and the flag `contacts_lost`. Says
/// who has some.
template <class T>
void drop_what_does_not_fit(const WorldView<T>& world, cudaStream_t stream);

/// The candidates that fit.
template <class T>
void fill_candidates(const WorldView<T>& world, cudaStream_t stream);

}  // namespace quartic::cuda
