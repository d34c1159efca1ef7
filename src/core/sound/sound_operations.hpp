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

/// Modes whose states and sums are worked on together: their powers stay in the cache.
inline constexpr std::int64_t mode_block = 64;
/// Samples side by side in powers by modes.
inline constexpr std::int64_t row_frames = 16;
/// Where the powers of a block's first mode are of a sample.
[[nodiscard]] constexpr std::int64_t power_place(std::int64_t n) {
  return n / row_frames * (2 * row_frames * mode_block) + n % row_frames;
}
/// Modes side by side in powers by lanes.
inline constexpr std::int64_t mode_lanes = 16;

/// Work on a block of 64 modes; what isn't told how many there are works on zeros, too. Rows of complex numbers are 64
/// real parts and as many imaginary ones.
/// Powers p^n over a piece come in two orders: `rows`, shape (2, modes, 2, 16), samples 0-15 and 16-31, Re(p^n) and
/// -Im(p^n); and `lanes`, shape (modes / 16, 32, 2, 16), Re(p^n) and Im(p^n), with zeros for modes that aren't there.
template <class T>
struct SoundOperations {
  /// z_mc = a w_c p^(32 m): what is heard of a at the start of each piece.
  /// @param weight shape (channels, weight_stride), of the block's first mode
  /// @param q p^32, p^64, p^128, p^256, shape (4, 2, 64) @param z shape (pieces, channels, 2, 64), pieces <= 16
  void (*sweep)(ConstComplexRow a, ConstComplexRow weight, std::int64_t weight_stride, std::int64_t channels,
                const T* q, std::int64_t pieces, T* z);
  /// b = q b + added_m from each piece to the next, and z_mc += b w_c. @param weight shape (channels, 2,
  /// weight_stride)
  /// @param added shape (pieces, 2, 64) @param b shape (2, 64), 0 at first; at the end that of the last piece's start
  void (*carry)(const T* q, const T* added, const T* weight, std::int64_t weight_stride, std::int64_t channels,
                std::int64_t pieces, T* b, T* z);
  /// out[m][n] += sum_i Re(z_mi p_i^n), modes in order. @param z shape (columns, 2, 64) @param out shape (columns, 32)
  void (*ring)(const T* rows, const T* z, std::int64_t modes, std::int64_t columns, T* out);
  /// e_mi = sum_n u_mn p_i^n. @param u shape (pieces, 32) @param e shape (pieces, 2, 64), Re and Im
  void (*gather)(const T* lanes, const T* u, std::int64_t modes, std::int64_t pieces, T* e);
  /// added_m += e_m d. @param d shape (2, d_stride) @param added shape (pieces, 2, 64)
  void (*drive)(const T* e, const T* d, std::int64_t d_stride, std::int64_t pieces, T* added);
  /// out[n] += sum_(m <= n) response[n - m] u[m] over a piece. @param response shape (64), of which the first 32 are 0
  void (*respond)(const T* response, const T* u, T* out);
  /// a *= by
  void (*advance)(ComplexRow a, ConstComplexRow by);
};

/// T = float or double.
template <class T>
[[nodiscard]] const SoundOperations<T>& sound_operations();

}  // namespace quartic
