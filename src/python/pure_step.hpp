// Steps as functions of a state.
#pragma once

#include <array>

#include "python/batch.hpp"

namespace quartic::python {

/// From q, velocity and acceleration to the same after the steps; shapes (r, B) each.
template <class T>
struct PureStep {
  std::array<StateView<const T>, 3> from;
  StateView<const T> force;
  std::array<StateView<T>, 3> to;  ///< may be where `from` is
  double dt;
  int substeps;
};

/// @param batch that of `locked`, which the caller has locked
/// @throws InputError for bodies with a frame, and as Batch::step
template <class T>
void pure_step(LockedBatch& locked, Batch<T>& batch, const PureStep<T>& call, const Place& place);

}  // namespace quartic::python
