#include "cpu/embedding/displacement_kernels.hpp"

#include "core/base/instruction_set.hpp"

namespace quartic::cpu {
namespace {

// Vectors of `bytes` bytes; `together` bodies at a time fill the registers with sums.
template <class T, int bytes, std::size_t together>
[[gnu::always_inline]] inline void multiply(const T* rows, const T* bodies, std::size_t rank, std::size_t strips,
                                            std::size_t count, T* out, std::size_t stride) {
  typedef T Vector __attribute__((vector_size(bytes), may_alias));  // NOLINT: no `using` with attributes in GCC 12
  constexpr std::size_t parts = 64 / bytes;
  static_assert(group_bodies % together == 0);
  for (std::size_t first = 0; first < count; first += together) {
    const T* strip = rows;
    for (std::size_t s = 0; s < strips; ++s) {
      Vector sum[together][parts] = {};
      const T* q = bodies + first;
      for (std::size_t i = 0; i < rank; ++i, strip += strip_rows<T>, q += group_bodies) {
        const auto* row = reinterpret_cast<const Vector*>(strip);
#pragma GCC unroll 16  // so that sums stay in registers whatever the optimisation
        for (std::size_t b = 0; b < together; ++b)
#pragma GCC unroll 16
          for (std::size_t p = 0; p < parts; ++p) sum[b][p] += q[b] * row[p];
      }
      for (std::size_t b = 0; b < together; ++b)
        for (std::size_t p = 0; p < parts; ++p)
          reinterpret_cast<Vector*>(out + (first + b) * stride + s * strip_rows<T>)[p] = sum[b][p];
    }
  }
}

template <class T>
void portable(const T* rows, const T* bodies, std::size_t rank, std::size_t strips, std::size_t count, T* out,
              std::size_t stride) {
  multiply<T, 16, 2>(rows, bodies, rank, strips, count, out, stride);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target(QUARTIC_TARGET_AVX2)]] void avx2(const T* rows, const T* bodies, std::size_t rank, std::size_t strips,
                                               std::size_t count, T* out, std::size_t stride) {
  multiply<T, 32, 6>(rows, bodies, rank, strips, count, out, stride);
}

template <class T>
[[gnu::target(QUARTIC_TARGET_AVX512)]] void avx512(const T* rows, const T* bodies, std::size_t rank, std::size_t strips,
                                                   std::size_t count, T* out, std::size_t stride) {
  multiply<T, 64, 12>(rows, bodies, rank, strips, count, out, stride);
}
#endif

}  // namespace

template <class T>
StripProduct<T> strip_product() {
#if defined(__x86_64__)
  if (instruction_set() == InstructionSet::avx512) return avx512<T>;
  if (instruction_set() == InstructionSet::avx2) return avx2<T>;
#endif
  return portable<T>;
}

template StripProduct<float> strip_product();
template StripProduct<double> strip_product();

}  // namespace quartic::cpu
