// Sums of ringing modes: a product whose columns are the states at the starts of pieces, or of channels.
//
// Lanes are samples, so that a sample's modes are added in the same order by every instruction set. A tile has a piece
// of two registers by some columns; per mode it loads its powers once for all columns. 4 flops per mode, sample and
// column. Sums go into blocks of modes first: round-off grows with the size of a block and their number, not with k.
#include <algorithm>
#include <cstdint>

#include "core/base/kernel_variants.hpp"
#include "core/sound/sound_operations.hpp"

namespace quartic {
namespace cpu {
namespace {

constexpr std::int64_t mode_block = 128;  // V of a block: 32 kB of floats

template <class T, int bytes>
struct Lanes {
  typedef T Vector __attribute__((vector_size(bytes), may_alias, aligned(sizeof(T))));  // NOLINT: no `using` in GCC 12
  static constexpr int count = bytes / static_cast<int>(sizeof(T));
  static constexpr int wide = 2;  // registers of a tile along the samples
  static constexpr int most = bytes == 64 ? 8 : 4;

  // Adds a block of modes to `columns` columns of `wide` registers.
  template <int columns>
  [[gnu::always_inline]] static void tile(const T* v, const T* z, std::int64_t modes, std::int64_t z_stride, T* out) {
    Vector sums[columns][wide] = {};
    for (std::int64_t i = 0; i < modes; ++i) {
      const T* powers = v + i * 2 * piece_frames;
      Vector re[wide], im[wide];
#pragma GCC unroll 2
      for (int w = 0; w < wide; ++w) {
        re[w] = *reinterpret_cast<const Vector*>(powers + w * count);
        im[w] = *reinterpret_cast<const Vector*>(powers + piece_frames + w * count);
      }
#pragma GCC unroll 8
      for (int m = 0; m < columns; ++m) {
        const T z_re = z[2 * m * z_stride + i], z_im = z[(2 * m + 1) * z_stride + i];
#pragma GCC unroll 2
        for (int w = 0; w < wide; ++w) {
          sums[m][w] = re[w] * z_re + sums[m][w];
          sums[m][w] = im[w] * z_im + sums[m][w];
        }
      }
    }
    for (int m = 0; m < columns; ++m)
      for (int w = 0; w < wide; ++w) *reinterpret_cast<Vector*>(out + m * piece_frames + w * count) += sums[m][w];
  }

  [[gnu::always_inline]] static void ring(const T* v, const T* z, std::int64_t modes, std::int64_t columns, T* out) {
    std::fill_n(out, columns * piece_frames, T{0});
    for (std::int64_t first = 0; first < modes; first += mode_block) {
      const std::int64_t block = std::min(mode_block, modes - first);
      const T* powers = v + first * 2 * piece_frames;
      std::int64_t m = 0;
      for (; m + most <= columns; m += most)
        for (std::int64_t n = 0; n < piece_frames; n += wide * count)
          tile<most>(powers + n, z + 2 * m * modes + first, block, modes, out + m * piece_frames + n);
      for (; m < columns; ++m)
        for (std::int64_t n = 0; n < piece_frames; n += wide * count)
          tile<1>(powers + n, z + 2 * m * modes + first, block, modes, out + m * piece_frames + n);
    }
  }

  [[gnu::always_inline]] static T sum(const Vector& x) {
    T total = x[0];
    for (int l = 1; l < count; ++l) total += x[l];
    return total;
  }

  [[gnu::always_inline]] static void gather(const T* v, const T* u, std::int64_t modes, T* e) {
    for (std::int64_t i = 0; i < modes; ++i) {
      const T* powers = v + i * 2 * piece_frames;
      Vector sums[2][2] = {};
      for (std::int64_t n = 0; n < piece_frames; n += count)
        for (int part = 0; part < 2; ++part) {
          const Vector p = *reinterpret_cast<const Vector*>(powers + part * piece_frames + n);
          for (int j = 0; j < 2; ++j)
            sums[j][part] = p * *reinterpret_cast<const Vector*>(u + j * piece_frames + n) + sums[j][part];
        }
      for (int j = 0; j < 2; ++j) {
        e[2 * j * modes + i] = sum(sums[j][0]);
        e[(2 * j + 1) * modes + i] = -sum(sums[j][1]);
      }
    }
  }
};

[[gnu::always_inline]] inline void advance_by(ComplexRow a, ConstComplexRow by, std::int64_t modes) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < modes; ++i) {
    const double x = a.re[i], y = a.im[i];
    a.re[i] = x * by.re[i] - y * by.im[i];
    a.im[i] = x * by.im[i] + y * by.re[i];
  }
}

template <class T>
[[gnu::always_inline]] inline void project_by(ComplexRow a, ConstComplexRow weight, std::int64_t modes, T* z_re,
                                              T* z_im) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < modes; ++i) {
    z_re[i] = static_cast<T>(a.re[i] * weight.re[i] - a.im[i] * weight.im[i]);
    z_im[i] = static_cast<T>(a.re[i] * weight.im[i] + a.im[i] * weight.re[i]);
  }
}

template <class T>
struct Ring {
  template <int bytes>
  [[gnu::always_inline]] static void run(const T* v, const T* z, std::int64_t modes, std::int64_t columns, T* out) {
    Lanes<T, bytes>::ring(v, z, modes, columns, out);
  }
};
template <class T>
struct Gather {
  template <int bytes>
  [[gnu::always_inline]] static void run(const T* v, const T* u, std::int64_t modes, T* e) {
    Lanes<T, bytes>::gather(v, u, modes, e);
  }
};
template <class T>
struct Project {
  template <int bytes>
  [[gnu::always_inline]] static void run(ComplexRow a, ConstComplexRow weight, std::int64_t modes, T* z_re, T* z_im) {
    project_by(a, weight, modes, z_re, z_im);
  }
};
struct Advance {
  template <int bytes>
  [[gnu::always_inline]] static void run(ComplexRow a, ConstComplexRow by, std::int64_t modes) {
    advance_by(a, by, modes);
  }
};

/// The variants of a kernel whose signature is a member's of SoundOperations.
template <class Kernel, class... Arguments>
void choose(void (*&member)(Arguments...)) {
  member = KernelVariants<Kernel, Arguments...>::chosen();
}

}  // namespace
}  // namespace cpu

template <class T>
const SoundOperations<T>& sound_operations() {
  static const SoundOperations<T> operations = [] {
    SoundOperations<T> chosen{};
    cpu::choose<cpu::Ring<T>>(chosen.ring);
    cpu::choose<cpu::Gather<T>>(chosen.gather);
    cpu::choose<cpu::Project<T>>(chosen.project);
    cpu::choose<cpu::Advance>(chosen.advance);
    return chosen;
  }();
  return operations;
}

template const SoundOperations<float>& sound_operations<float>();
template const SoundOperations<double>& sound_operations<double>();

}  // namespace quartic
