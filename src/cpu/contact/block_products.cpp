#include "cpu/contact/block_products.hpp"

#include "core/base/instruction_set.hpp"

namespace quartic::cpu {
namespace {

template <int bytes>
struct Tile {
  typedef double Vector __attribute__((vector_size(bytes), may_alias));  // NOLINT: no `using` with attributes in GCC 12
  static constexpr std::int64_t width = bytes / 8;

  // Rows i .. i + 1 of c, `count` vectors from the column j on; sums stay in registers.
  template <int count>
  [[gnu::always_inline]] static void run(std::int64_t pitch, std::int64_t rows, const double* a, const double* b,
                                         double* c, bool both) {
    Vector first[count] = {}, second[count] = {};
    for (std::int64_t k = 0; k < rows; ++k, a += pitch, b += pitch) {
      const double x = a[0], y = both ? a[1] : 0;
#pragma GCC unroll 8
      for (int v = 0; v < count; ++v) {
        const Vector of_b = *reinterpret_cast<const Vector*>(b + v * width);
        first[v] += x * of_b;
        second[v] += y * of_b;
      }
    }
    for (int v = 0; v < count; ++v) {
      *reinterpret_cast<Vector*>(c + v * width) += first[v];
      if (both) *reinterpret_cast<Vector*>(c + pitch + v * width) += second[v];
    }
  }

  [[gnu::always_inline]] static void all(std::int64_t n, std::int64_t pitch, std::int64_t rows, const double* a,
                                         const double* b, double* c) {
    for (std::int64_t i = 0; i < n; i += 2)
      for (std::int64_t j = 0; j < n;) {
        const double *x = a + i, *y = b + j;
        double* z = c + i * pitch + j;
        const bool both = i + 1 < n;
        if (n - j > 3 * width)
          run<4>(pitch, rows, x, y, z, both), j += 4 * width;
        else if (n - j > width)
          run<2>(pitch, rows, x, y, z, both), j += 2 * width;
        else
          run<1>(pitch, rows, x, y, z, both), j += width;
      }
  }
};

using Kernel = void (*)(std::int64_t, std::int64_t, std::int64_t, const double*, const double*, double*);

void portable(std::int64_t n, std::int64_t pitch, std::int64_t rows, const double* a, const double* b, double* c) {
  Tile<16>::all(n, pitch, rows, a, b, c);
}

#if defined(__x86_64__)
[[gnu::target(QUARTIC_TARGET_AVX2)]] void avx2(std::int64_t n, std::int64_t pitch, std::int64_t rows, const double* a,
                                               const double* b, double* c) {
  Tile<32>::all(n, pitch, rows, a, b, c);
}
[[gnu::target(QUARTIC_TARGET_AVX512)]] void avx512(std::int64_t n, std::int64_t pitch, std::int64_t rows,
                                                   const double* a, const double* b, double* c) {
  Tile<64>::all(n, pitch, rows, a, b, c);
}
#endif

Kernel kernel() {
#if defined(__x86_64__)
  if (instruction_set() == InstructionSet::avx512) return avx512;
  if (instruction_set() == InstructionSet::avx2) return avx2;
#endif
  return portable;
}

}  // namespace

void add_products(std::int64_t n, std::int64_t pitch, std::int64_t rows, const double* a, const double* b, double* c) {
  kernel()(n, pitch, rows, a, b, c);
}

}  // namespace quartic::cpu
