// The heavy operations of sound, by the instruction set of this machine. On the CPU only.
#pragma once

#include <cstdint>

namespace quartic {

/// Samples of a piece: what follows from a mode's state at its start is a product.
inline constexpr std::int64_t piece_frames = 32;

/// Complex numbers, by mode.
struct ComplexRow {
  double *re, *im;
};
struct ConstComplexRow {
  const double *re, *im;
};

/// V, the powers p^n of each mode over a piece: shape (k, 2, 32), Re(p^n) and -Im(p^n).
template <class T>
struct SoundOperations {
  /// out[m][n] = sum_i Re(z_mi p_i^n), modes in order, in blocks.
  /// @param z shape (columns, 2, k) @param out shape (columns, 32), overwritten
  void (*ring)(const T* v, const T* z, std::int64_t modes, std::int64_t columns, T* out);
  /// e_ji = sum_n u_jn p_i^n for j = 0, 1. @param u shape (2, 32) @param e shape (2, 2, k), Re and Im
  void (*gather)(const T* v, const T* u, std::int64_t modes, T* e);
  /// z = a times weight, rounded.
  void (*project)(ComplexRow a, ConstComplexRow weight, std::int64_t modes, T* z_re, T* z_im);
  /// a *= by
  void (*advance)(ComplexRow a, ConstComplexRow by, std::int64_t modes);
};

/// T = float or double.
template <class T>
[[nodiscard]] const SoundOperations<T>& sound_operations();

}  // namespace quartic
