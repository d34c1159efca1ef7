// Sums of ringing modes: a product whose columns are the states at the starts of pieces, or of channels.
//
// Lanes of `ring` are samples, so that a sample's modes are added in the same order by every instruction set. A tile
// has two registers of samples by some columns; per mode it loads its powers once for all columns. 4 flops per mode,
// sample and column. What forces leave in a mode at the end of a piece is the product with the transposed powers, whose
// lanes are modes. Sums go into blocks of modes first: round-off grows with the size of a block and their number, not
// with k.
#include <algorithm>
#include <cstdint>

#include "core/base/kernel_variants.hpp"
#include "core/sound/sound_operations.hpp"

namespace quartic {
namespace cpu {
namespace {

template <class T, int bytes>
struct Lanes {
  typedef T Vector __attribute__((vector_size(bytes), may_alias, aligned(sizeof(T))));  // NOLINT: no `using` in GCC 12
  static constexpr int count = bytes / static_cast<int>(sizeof(T));
  static constexpr int wide = 2;  // registers of a tile along the samples
  static constexpr int most = bytes == 64 ? 8 : 4;

  // Adds modes to `columns` columns of `wide` registers.
  template <int columns>
  [[gnu::always_inline]] static void tile(const T* rows, const T* z, std::int64_t modes, T* out) {
    Vector sums[columns][wide] = {};
    for (std::int64_t i = 0; i < modes; ++i) {
      Vector re[wide], im[wide];
#pragma GCC unroll 2
      for (int w = 0; w < wide; ++w) {
        const T* powers = rows + i * 2 * row_frames + power_place(w * count);
        re[w] = *reinterpret_cast<const Vector*>(powers);
        im[w] = *reinterpret_cast<const Vector*>(powers + row_frames);
      }
#pragma GCC unroll 8
      for (int m = 0; m < columns; ++m) {
        const T z_re = z[2 * m * mode_block + i], z_im = z[(2 * m + 1) * mode_block + i];
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

  [[gnu::always_inline]] static void ring(const T* rows, const T* z, std::int64_t modes, std::int64_t columns, T* out) {
    for (std::int64_t n = 0; n < piece_frames; n += wide * count) {
      std::int64_t m = 0;
      for (; m + most <= columns; m += most)
        tile<most>(rows + power_place(n), z + 2 * m * mode_block, modes, out + m * piece_frames + n);
      for (; m < columns; ++m)
        tile<1>(rows + power_place(n), z + 2 * m * mode_block, modes, out + m * piece_frames + n);
    }
  }

  [[gnu::always_inline]] static void respond(const T* response, const T* u, T* out) {
    for (std::int64_t first = 0; first < piece_frames; first += most * count) {
      constexpr int registers = most * count < piece_frames ? most : static_cast<int>(piece_frames) / count;
      Vector sums[registers] = {};
      for (std::int64_t m = 0; m < first + registers * count; ++m)
#pragma GCC unroll 8
        for (int w = 0; w < registers; ++w)
          sums[w] += u[m] * *reinterpret_cast<const Vector*>(response + piece_frames + first + w * count - m);
      for (int w = 0; w < registers; ++w) *reinterpret_cast<Vector*>(out + first + w * count) += sums[w];
    }
  }

  // A register of modes by some pieces.
  template <int pieces>
  [[gnu::always_inline]] static void gather_tile(const T* lanes, const T* u, T* e) {
    Vector sums[pieces][2] = {};
    for (std::int64_t n = 0; n < piece_frames; ++n) {
      const Vector re = *reinterpret_cast<const Vector*>(lanes + n * 2 * mode_lanes);
      const Vector im = *reinterpret_cast<const Vector*>(lanes + (n * 2 + 1) * mode_lanes);
#pragma GCC unroll 8
      for (int m = 0; m < pieces; ++m) {
        const T force = u[m * piece_frames + n];
        sums[m][0] = re * force + sums[m][0];
        sums[m][1] = im * force + sums[m][1];
      }
    }
    for (int m = 0; m < pieces; ++m)
      for (int part = 0; part < 2; ++part) *reinterpret_cast<Vector*>(e + (2 * m + part) * mode_block) = sums[m][part];
  }

  [[gnu::always_inline]] static void gather(const T* lanes, const T* u, std::int64_t modes, std::int64_t pieces, T* e) {
    for (std::int64_t i = 0; i < modes; i += count) {
      const T* group = lanes + i / mode_lanes * (2 * piece_frames * mode_lanes) + i % mode_lanes;
      std::int64_t m = 0;
      for (; m + most <= pieces; m += most) gather_tile<most>(group, u + m * piece_frames, e + 2 * m * mode_block + i);
      for (; m < pieces; ++m) gather_tile<1>(group, u + m * piece_frames, e + 2 * m * mode_block + i);
    }
  }
};

[[gnu::always_inline]] inline void advance_by(ComplexRow a, ConstComplexRow by) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < mode_block; ++i) {
    const double x = a.re[i], y = a.im[i], u = by.re[i], v = by.im[i];
    a.re[i] = x * u - y * v;
    a.im[i] = x * v + y * u;
  }
}

template <class T>
[[gnu::always_inline]] inline void project(ConstComplexRow a, ConstComplexRow weight, T* z) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < mode_block; ++i) {
    const double x = a.re[i], y = a.im[i], u = weight.re[i], v = weight.im[i];
    z[i] = static_cast<T>(x * u - y * v);
    z[mode_block + i] = static_cast<T>(x * v + y * u);
  }
}

// Rows of complex numbers of a block: real parts, and imaginary ones 64 numbers or a stride further.
template <class T>
[[gnu::always_inline]] inline void set_product(const T* x, const T* y, T* to) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < mode_block; ++i) {
    const T a = x[i], b = x[mode_block + i], u = y[i], v = y[mode_block + i];
    to[i] = a * u - b * v;
    to[mode_block + i] = a * v + b * u;
  }
}

template <class T>
[[gnu::always_inline]] inline void add_product(const T* x, const T* y, std::int64_t y_stride, T* to) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < mode_block; ++i) {
    const T a = x[i], b = x[mode_block + i], u = y[i], v = y[y_stride + i];
    const T re = to[i], im = to[mode_block + i];
    to[i] = re + a * u - b * v;
    to[mode_block + i] = im + a * v + b * u;
  }
}

/// b = q b + added
template <class T>
[[gnu::always_inline]] inline void carry_on(const T* q, const T* added, T* b) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < mode_block; ++i) {
    const T x = b[i], y = b[mode_block + i], u = q[i], v = q[mode_block + i];
    const T re = added[i], im = added[mode_block + i];
    b[i] = re + x * u - y * v;
    b[mode_block + i] = im + x * v + y * u;
  }
}

constexpr std::int64_t row = 2 * mode_block;

template <class T>
struct Sweep {
  template <int bytes>
  [[gnu::always_inline]] static void run(ConstComplexRow a, ConstComplexRow weight, std::int64_t weight_stride,
                                         std::int64_t channels, const T* q, std::int64_t pieces, T* z) {
    for (std::int64_t c = 0; c < channels; ++c)
      project(a, {weight.re + c * weight_stride, weight.im + c * weight_stride}, z + c * row);
    const std::int64_t columns = pieces * channels;
    for (std::int64_t known = channels; known < columns; known *= 2, q += row)
      for (std::int64_t column = known; column < std::min(2 * known, columns); ++column)
        set_product(z + (column - known) * row, q, z + column * row);
  }
};
template <class T>
struct Carry {
  template <int bytes>
  [[gnu::always_inline]] static void run(const T* q, const T* added, const T* weight, std::int64_t weight_stride,
                                         std::int64_t channels, std::int64_t pieces, T* b, T* z) {
    for (std::int64_t m = 1; m < pieces; ++m) {
      carry_on(q, added + (m - 1) * row, b);
      for (std::int64_t c = 0; c < channels; ++c)
        add_product(b, weight + 2 * c * weight_stride, weight_stride, z + (m * channels + c) * row);
    }
  }
};
template <class T>
struct Ring {
  template <int bytes>
  [[gnu::always_inline]] static void run(const T* rows, const T* z, std::int64_t modes, std::int64_t columns, T* out) {
    Lanes<T, bytes>::ring(rows, z, modes, columns, out);
  }
};
template <class T>
struct Gather {
  template <int bytes>
  [[gnu::always_inline]] static void run(const T* lanes, const T* u, std::int64_t modes, std::int64_t pieces, T* e) {
    Lanes<T, bytes>::gather(lanes, u, modes, pieces, e);
  }
};
template <class T>
struct DriveModes {
  template <int bytes>
  [[gnu::always_inline]] static void run(const T* e, const T* d, std::int64_t d_stride, std::int64_t pieces, T* added) {
    for (std::int64_t m = 0; m < pieces; ++m) add_product(e + m * row, d, d_stride, added + m * row);
  }
};
template <class T>
struct Respond {
  template <int bytes>
  [[gnu::always_inline]] static void run(const T* response, const T* u, T* out) {
    Lanes<T, bytes>::respond(response, u, out);
  }
};
struct Advance {
  template <int bytes>
  [[gnu::always_inline]] static void run(ComplexRow a, ConstComplexRow by) {
    advance_by(a, by);
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
    cpu::choose<cpu::Sweep<T>>(chosen.sweep);
    cpu::choose<cpu::Carry<T>>(chosen.carry);
    cpu::choose<cpu::Ring<T>>(chosen.ring);
    cpu::choose<cpu::Gather<T>>(chosen.gather);
    cpu::choose<cpu::DriveModes<T>>(chosen.drive);
    cpu::choose<cpu::Respond<T>>(chosen.respond);
    cpu::choose<cpu::Advance>(chosen.advance);
    return chosen;
  }();
  return operations;
}

template const SoundOperations<float>& sound_operations<float>();
template const SoundOperations<double>& sound_operations<double>();

}  // namespace quartic
