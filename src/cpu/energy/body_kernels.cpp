// Written once on the compilers' vector types and compiled for what the build targets and for AVX2.
#include "cpu/energy/body_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/base/instruction_set.hpp"
#include "core/energy/enclosed_volume.hpp"
#include "core/energy/quartic_polynomial.hpp"

namespace quartic::cpu {
namespace {

template <class T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(32), may_alias));  // NOLINT: no `using` with attributes in GCC 12
};
template <class T>
using Vector = typename VectorOf<T>::Type;

template <class T>
[[gnu::always_inline]] inline Vector<T>* vectors(T* values) {
  return reinterpret_cast<Vector<T>*>(values);
}
template <class T>
[[gnu::always_inline]] inline const Vector<T>* vectors(const T* values) {
  return reinterpret_cast<const Vector<T>*>(values);
}

template <class T>
[[gnu::always_inline]] inline T sum_of(const Vector<T>& v) {
  T sum = 0;
  for (int e = 0; e < vector_length<T>; ++e) sum += v[e];
  return sum;
}

// Adds the sums of four vectors to four values, by halves, which is a third of the work of one after the other.
[[gnu::always_inline]] inline void add_sums(const Vector<double>* v, double* result) {
  const Vector<double> low =
      __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6) + __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
  const Vector<double> high =
      __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6) + __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
  const Vector<double> sums =
      __builtin_shufflevector(low, high, 0, 1, 4, 5) + __builtin_shufflevector(low, high, 2, 3, 6, 7);
  for (int i = 0; i < 4; ++i) result[i] += sums[i];
}
[[gnu::always_inline]] inline void add_sums(const Vector<float>* v, float* result) {
  Vector<float> half[2];
  for (std::ptrdiff_t i = 0; i < 2; ++i)
    half[i] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
              __builtin_shufflevector(v[2 * i], v[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  const Vector<float> sums = __builtin_shufflevector(half[0], half[1], 0, 1, 8, 9, 4, 5, 12, 13) +
                             __builtin_shufflevector(half[0], half[1], 2, 3, 10, 11, 6, 7, 14, 15);
  for (int i = 0; i < 4; ++i) result[i] += sums[i] + sums[i + 4];
}

constexpr std::int64_t row_block = symmetric_row_block;
static_assert(row_block == 4, "add_sums takes four rows");

// A matrix that is larger than this [bytes] doesn't stay in a core's own cache from one step to the next, and is asked
// for this far ahead: processors' own prefetching stops at the end of each page. By measurement (latency_bench).
constexpr std::int64_t cached_bytes = 384 << 10, bytes_ahead = 1536;

// y = S m for the packed symmetric matrix; m and y have zeros up to a whole block of rows and a whole vector.
template <class T, bool ahead>
[[gnu::always_inline]] inline void multiply_symmetric(std::int64_t count, const T* matrix, const T* m, T* y) {
  const Vector<T>* entry = vectors(matrix);
  std::fill_n(y, count + row_block, T{0});
  for (std::int64_t row = 0; row < count; row += row_block) {
    Vector<T> factor[row_block], sum[row_block];
    for (int i = 0; i < row_block; ++i) {
      factor[i] = Vector<T>{} + m[row + i];
      sum[i] = Vector<T>{};
    }
    const std::int64_t columns = (row + row_block - 1) / vector_length<T> + 1;
    for (std::int64_t c = 0; c < columns; ++c) {
      const Vector<T> mc = vectors(m)[c];
      if constexpr (ahead)
        for (std::int64_t line = 0; line < row_block * 32; line += 64)
          __builtin_prefetch(reinterpret_cast<const char*>(entry) + bytes_ahead + line);
      Vector<T> even = vectors(y)[c], odd = {};  // two chains of additions
      for (int i = 0; i < row_block; ++i) {
        const Vector<T> s = *entry++;
        sum[i] += s * mc;
        (i % 2 == 0 ? even : odd) += s * factor[i];
      }
      vectors(y)[c] = even + odd;
    }
    add_sums(sum, y + row);
  }
}

template <class T>
[[gnu::always_inline]] inline void evaluate(const SymmetricCoefficients<T>& coefficients, const T* q,
                                            const T* pressures, T* workspace, T* h) {
  const std::int64_t rank = coefficients.rank, pitch = coefficients.array_rows();
  T* x = workspace;
  T* monomials = x + pitch;
  T* products = monomials + (coefficients.pairs / vector_length<T> + 3) * vector_length<T>;
  std::copy_n(q, rank, x);
  x[rank] = 1;
  T* next = monomials;
  for (std::int64_t a = 0; a <= rank; ++a) {
    for (std::int64_t b = 0; b < a; ++b) *next++ = x[a] * x[b];
    *next++ = T{0.5} * x[a] * x[a];
  }
  for (int c = 0; c < coefficients.chambers; ++c)
    for (std::int64_t b = 0; b <= rank; ++b) *next++ = pressures[c] * x[b];
  std::fill_n(next, vector_length<T> + row_block, T{0});
  if (coefficients.values.size() * static_cast<std::int64_t>(sizeof(T)) > cached_bytes)
    multiply_symmetric<T, true>(coefficients.pairs, coefficients.values.data(), monomials, products);
  else
    multiply_symmetric<T, false>(coefficients.pairs, coefficients.values.data(), monomials, products);
  const T* row = products;
  for (std::int64_t a = 0; a < rank; row += ++a) {
    T* k = h + a * pitch;
    for (std::int64_t b = 0; b <= a; b += vector_length<T>) std::memcpy(k + b, row + b, sizeof(Vector<T>));
    for (std::int64_t b = a + 1; b % vector_length<T> != 0; ++b) k[b] = 0;  // the next row's, copied along
  }
  std::copy_n(row, rank, h + rank * pitch);
  row += rank + 1;
  for (int c = 0; c < coefficients.chambers; ++c, row += rank + 1) std::copy_n(row, rank, h + (rank + 1 + c) * pitch);
}

template <class T>
[[gnu::always_inline]] inline void multiply(int rank, const T* k, const T* x, T* y) {
  const std::int64_t pitch = BodySystem<T>::array_rows(rank);
  std::fill_n(y, pitch, T{0});
  for (std::int64_t i = 0; i < rank; ++i, k += pitch) {
    Vector<T> sum = {};
    for (std::int64_t c = 0; c <= i / vector_length<T>; ++c) {
      sum += vectors(k)[c] * vectors(x)[c];
      vectors(y)[c] += vectors(k)[c] * x[i];
    }
    y[i] = sum_of<T>(sum);  // nothing was there but K_ii x_i, which the sum has
  }
}

// y = K x + weight R(q) with R = (H_i0 + K q + p H_ip) / 3: one product with K.
template <class T>
[[gnu::always_inline]] inline void apply(const SymmetricCoefficients<T>& coefficients, T weight, const T* q,
                                         const T* pressures, const T* h, T* x, T* y) {
  const T* linear = h + coefficients.stiffness_rows();
  const std::int64_t count = coefficients.array_rows() / vector_length<T>;
  for (std::int64_t c = 0; c < count; ++c) vectors(x)[c] += weight / 3 * vectors(q)[c];
  multiply<T>(coefficients.rank, h, x, y);
  for (std::int64_t c = 0; c < count; ++c) vectors(y)[c] += weight / 3 * vectors(linear)[c];
  for (int chamber = 0; chamber < coefficients.chambers; ++chamber) {
    linear += coefficients.array_rows();
    for (std::int64_t c = 0; c < count; ++c) vectors(y)[c] += weight / 3 * pressures[chamber] * vectors(linear)[c];
  }
}

// From the last pivot to the first, so that what is left is always the beginning of rows.
template <class T>
[[gnu::always_inline]] inline void factorize(int rank, const T* scale, const T* diagonal, const T* shift, const T* k,
                                             T* factor, T* failed) {
  const std::int64_t pitch = BodySystem<T>::array_rows(rank);
  T* inverse = factor + rank * pitch;
  *failed = 0;
  for (std::int64_t i = 0; i < rank; ++i) {
    for (std::int64_t c = 0; c <= i / vector_length<T>; ++c)
      vectors(factor + i * pitch)[c] = *scale * vectors(k + i * pitch)[c];
    factor[i * pitch + i] = (factor[i * pitch + i] + *diagonal) + *shift;
  }
  for (std::int64_t p = rank - 1; p >= 0; --p) {
    T* pivot_row = factor + p * pitch;
    T pivot = pivot_row[p];
    if (!(pivot > 0 && pivot <= std::numeric_limits<T>::max())) {
      *failed = 1;
      pivot = 1;
    }
    inverse[p] = 1 / pivot;
    for (std::int64_t i = 0; i < p; ++i) {  // what is behind the diagonal of a row is of no meaning
      const T multiplier = pivot_row[i] * inverse[p];
      for (std::int64_t c = 0; c <= i / vector_length<T>; ++c)
        vectors(factor + i * pitch)[c] -= multiplier * vectors(pivot_row)[c];
    }
    for (std::int64_t i = 0; i < p; ++i) pivot_row[i] *= inverse[p];
    std::fill_n(pivot_row + p, (p / vector_length<T> + 1) * vector_length<T> - p, T{0});
  }
}

template <class T>
[[gnu::always_inline]] inline void solve(int rank, const T* factor, T* x) {
  const std::int64_t pitch = BodySystem<T>::array_rows(rank);
  const T* inverse = factor + rank * pitch;
  for (std::int64_t p = rank - 1; p > 0; --p)  // U y = x
    for (std::int64_t c = 0; c <= p / vector_length<T>; ++c) vectors(x)[c] -= vectors(factor + p * pitch)[c] * x[p];
  for (std::int64_t p = 0; p < rank; ++p) {  // D U^T x = y
    Vector<T> sum = {};
    for (std::int64_t c = 0; c <= p / vector_length<T>; ++c) sum += vectors(factor + p * pitch)[c] * vectors(x)[c];
    x[p] = x[p] * inverse[p] - sum_of<T>(sum);
  }
}

template <class T>
struct Portable {
  using Coefficients = SymmetricCoefficients<T>;
  static void evaluate(const Coefficients& coefficients, const T* q, const T* pressures, T* workspace, T* h) {
    cpu::evaluate<T>(coefficients, q, pressures, workspace, h);
  }
  static void apply(const Coefficients& coefficients, T weight, const T* q, const T* pressures, T* /*workspace*/,
                    const T* h, T* x, T* y) {
    cpu::apply<T>(coefficients, weight, q, pressures, h, x, y);
  }
  static void factorize(int rank, const T* scale, const T* diagonal, const T* shift, const T* k, T* factor, T* failed) {
    cpu::factorize<T>(rank, scale, diagonal, shift, k, factor, failed);
  }
  static void solve(int rank, const T* factor, T* x) { cpu::solve<T>(rank, factor, x); }
  static constexpr EvaluatorKernels<T, Coefficients> evaluator = {evaluate, apply};
  static constexpr SystemKernels<T> system = {factorize, solve};
};

#if defined(__x86_64__)
template <class T>
struct Avx2 {
  using Coefficients = SymmetricCoefficients<T>;
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void evaluate(const Coefficients& coefficients, const T* q,
                                                            const T* pressures, T* workspace, T* h) {
    cpu::evaluate<T>(coefficients, q, pressures, workspace, h);
  }
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void apply(const Coefficients& coefficients, T weight, const T* q,
                                                         const T* pressures, T* /*workspace*/, const T* h, T* x, T* y) {
    cpu::apply<T>(coefficients, weight, q, pressures, h, x, y);
  }
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void factorize(int rank, const T* scale, const T* diagonal,
                                                             const T* shift, const T* k, T* factor, T* failed) {
    cpu::factorize<T>(rank, scale, diagonal, shift, k, factor, failed);
  }
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void solve(int rank, const T* factor, T* x) {
    cpu::solve<T>(rank, factor, x);
  }
  static constexpr EvaluatorKernels<T, Coefficients> evaluator = {evaluate, apply};
  static constexpr SystemKernels<T> system = {factorize, solve};
};
#endif

// The index in (1, q) of what is at `i` in (q, 1).
std::size_t canonical(std::int64_t i, std::int64_t rank) {
  return i == rank ? 0 : static_cast<std::size_t>(i) + 1;
}

// S of the energy V - sum p V_c in (1, q, p), for pairs (i, j) and (k, l) of which the first stands behind the second.
double entry(const QuarticEnergy& energy, std::span<const EnclosedVolume> volumes, std::size_t i, std::size_t j,
             std::size_t k, std::size_t l) {
  const auto rank = static_cast<std::size_t>(energy.rank);
  if (i <= rank) return coefficient(energy, i, j, k, l);
  return k <= rank ? -coefficient(volumes[i - rank - 1], j, k, l) : 0;
}

}  // namespace

template <class T>
SymmetricCoefficients<T>::SymmetricCoefficients(const QuarticEnergy& energy, std::span<const EnclosedVolume> volumes)
    : rank(energy.rank),
      chambers(static_cast<int>(volumes.size())),
      pairs(std::int64_t{energy.rank + 1} * (energy.rank + 2 + 2 * std::ssize(volumes)) / 2) {
  std::vector<std::array<std::size_t, 2>> pair;
  for (std::int64_t a = 0; a <= rank; ++a)
    for (std::int64_t b = 0; b <= a; ++b) pair.push_back({canonical(a, rank), canonical(b, rank)});
  for (std::size_t c = 0; c < volumes.size(); ++c)
    for (std::int64_t b = 0; b <= rank; ++b)
      pair.push_back({static_cast<std::size_t>(rank) + 1 + c, canonical(b, rank)});
  std::int64_t size = 0;
  for (std::int64_t row = 0; row < pairs; row += row_block)
    size += row_block * ((row + row_block - 1) / vector_length<T> + 1) * vector_length<T>;
  values = AlignedArray<T>(size);
  T* next = values.data();
  for (std::int64_t first = 0; first < pairs; first += row_block)
    for (std::int64_t c = 0; c <= (first + row_block - 1) / vector_length<T>; ++c)
      for (std::int64_t row = first; row < first + row_block; ++row)
        for (std::int64_t column = c * vector_length<T>; column < (c + 1) * vector_length<T>; ++column, ++next) {
          if (row >= pairs || column > row) continue;
          const auto& [i, j] = pair[static_cast<std::size_t>(row)];
          const auto& [k, l] = pair[static_cast<std::size_t>(column)];
          const double value = (column == row ? 0.5 : 1.0) * entry(energy, volumes, i, j, k, l);
          *next = rounded_coefficient<T>(value);
        }
}

template <class T>
const EvaluatorKernels<T, SymmetricCoefficients<T>>& SymmetricCoefficients<T>::kernels() {
#if defined(__x86_64__)
  if (instruction_set() >= InstructionSet::avx2) return Avx2<T>::evaluator;
#endif
  return Portable<T>::evaluator;
}

template <class T>
const SystemKernels<T>& BodySystem<T>::kernels() {
#if defined(__x86_64__)
  if (instruction_set() >= InstructionSet::avx2) return Avx2<T>::system;
#endif
  return Portable<T>::system;
}

template struct SymmetricCoefficients<float>;
template struct SymmetricCoefficients<double>;
template struct BodySystem<float>;
template struct BodySystem<double>;

}  // namespace quartic::cpu
