// What a time step does with coefficients, whatever their form: the heavy operations as a table of functions.
#pragma once

#include <cstdint>

namespace quartic::cpu {

/// Operations on bodies side by side, `Coefficients::lanes` of them: values are stored as [row][lane]. A form of the
/// coefficients says how many rows H, its factor and the workspace take; K comes first in H, then H_i0.
template <class T, class Coefficients>
struct StepKernels {
  /// H at q (array_rows() rows, zeros behind the rank).
  void (*evaluate)(const Coefficients& coefficients, const T* q, T* workspace, T* h);
  /// y = K x + weight R(q), with what `evaluate` left at q in `workspace` and `h`; x is overwritten.
  void (*apply)(const Coefficients& coefficients, T weight, const T* q, T* workspace, const T* h, T* x, T* y);
  /// A = scale K + (diagonal + shift) I into triangular factors; `scale`, `diagonal` and `shift` are rows, a value per
  /// lane. A lane whose pivot is <= 0 or not finite gets `failed` 1, others 0.
  void (*factorize)(int rank, const T* scale, const T* diagonal, const T* shift, const T* k, T* factor, T* failed);
  /// x <- A^-1 x.
  void (*solve)(int rank, const T* factor, T* x);
};

}  // namespace quartic::cpu
