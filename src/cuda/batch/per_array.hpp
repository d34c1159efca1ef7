// The arrays of a batch's state, by name.
#pragma once

#include "core/batch/batch_impl.hpp"

namespace quartic::cuda {

inline constexpr StateArray all_state_arrays[] = {StateArray::q, StateArray::velocity, StateArray::acceleration,
                                                  StateArray::force};

/// A value for each array of the state.
template <class Value>
struct PerArray {
  Value q, velocity, acceleration, force;

  [[nodiscard]] Value& operator[](StateArray which) {
    switch (which) {
      case StateArray::q:
        return q;
      case StateArray::velocity:
        return velocity;
      case StateArray::acceleration:
        return acceleration;
      case StateArray::force:
        break;
    }
    return force;
  }
  [[nodiscard]] const Value& operator[](StateArray which) const { return const_cast<PerArray&>(*this)[which]; }
};

}  // namespace quartic::cuda
