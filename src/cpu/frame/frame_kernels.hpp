// What a free body's steps need of its inertia, for bodies side by side in the layout of `System` (system.hpp): values
// are stored as [row][lane].
#pragma once

#include <cstdint>

#include "core/base/aligned_array.hpp"
#include "core/frame/inertia_forms.hpp"
#include "cpu/energy/system.hpp"

namespace quartic::cpu {

template <class System>
struct FrameKernels;

/// A model's inertia in the precision and the order in which the kernels read it: the affine forms D (six rows per
/// coordinate) and B (three).
template <class System>
struct FrameCoefficients {
  using T = typename System::Number;

  int rank = 0;
  T mass = 0;
  T rest[symmetric_entries] = {};     // J0
  AlignedArray<T> first;              // J1, shape (6 r)
  AlignedArray<T> values;             // the forms
  AlignedArray<T> unit_acceleration;  // S m U, shape (r, 3)

  explicit FrameCoefficients(const InertiaForms& forms);

  /// Rows of D and B with zeros behind, and of B alone.
  [[nodiscard]] static constexpr std::int64_t form_rows(std::int64_t rank) { return padded_rows(9 * rank); }
  [[nodiscard]] static constexpr std::int64_t axial_rows(std::int64_t rank) { return padded_rows(3 * rank); }
  /// Where B starts.
  [[nodiscard]] static constexpr std::int64_t axial_begin(std::int64_t rank) { return symmetric_entries * rank; }

  /// Those for this machine's instruction set.
  [[nodiscard]] static const FrameKernels<System>& kernels();

 private:
  // Whole blocks of rows, or whole vectors of one body.
  static constexpr std::int64_t row_unit = System::lanes == 1 ? 8 : 6;
  [[nodiscard]] static constexpr std::int64_t padded_rows(std::int64_t rows) {
    return (rows + row_unit - 1) / row_unit * row_unit;
  }
};

template <class System>
struct FrameKernels {
  using T = typename System::Number;
  /// D and B at q, shape (form_rows, lanes), and J, shape (6, lanes). @param point (1, q), shape (r + 1, lanes)
  void (*evaluate)(const FrameCoefficients<System>& coefficients, const T* point, T* forms, T* inertia);
  /// q'_p A_pi, shape (axial_rows, lanes). @param point (0, q'), shape (r + 1, lanes)
  void (*turn)(const FrameCoefficients<System>& coefficients, const T* point, T* turned);
  /// K <- K - b^T b. @param b shape (3 r, lanes), row k r + i for the axis k and the coordinate i
  void (*subtract)(int rank, const T* b, T* k);
};

}  // namespace quartic::cpu
