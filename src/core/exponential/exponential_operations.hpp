// The heavy operation of exponential steps, by the instruction set of this machine. On the CPU only.
#pragma once

#include "core/exponential/cubic_form.hpp"

namespace quartic {

/// Bodies side by side: a cache line of values per row.
template <class T>
inline constexpr int exponential_lanes = 64 / static_cast<int>(sizeof(T));

/// T = float or double.
template <class T>
struct ExponentialOperations {
  /// The monomials of z. @param z shape (r, lanes) @param monomials shape (monomials, lanes), overwritten
  void (*expand)(int rank, const T* z, T* monomials);
  /// The form's rows of N. @param n shape (blocks * CubicForm::block, lanes), overwritten
  void (*multiply)(const CubicForm<T>& form, const T* monomials, T* n);
};

template <class T>
[[nodiscard]] const ExponentialOperations<T>& exponential_operations();

}  // namespace quartic
