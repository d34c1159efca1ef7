// Steps of oscillators, as many bodies side by side as a vector register has numbers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/modal/modal_impl.hpp"

namespace quartic::cpu {

/// As wide as T: 0 for no, -1 for yes, as comparisons of vectors give it.
template <class T>
using Mark = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// One mode of some bodies, whose arrays begin where a vector register may. The rest of the last register has bodies
/// that aren't there, of zeros.
template <class T>
struct ModalRow {
  T *q, *velocity;
  const T* force;
  T* force_before;        // null for a force that is the same all along
  const Mark<T>* frozen;  // bodies that aren't stepped
  Mark<T>* failed;        // bodies get a mark whose state or energy wouldn't have been finite, and stays
  std::int64_t bodies;
};

/// Equal substeps, by the instruction set of this machine.
template <class T>
void step_row(const PackedPropagator<T>& propagator, int substeps, const ModalRow<T>& row);

}  // namespace quartic::cpu
