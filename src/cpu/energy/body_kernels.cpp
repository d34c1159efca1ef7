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

// The products of pairs, in their order.
template <class T, class Put>
[[gnu::always_inline]] inline void for_each_monomial(const SymmetricCoefficients<T>& coefficients, const T* x,
                                                     const T* pressures, const Put& put) {
  const std::int64_t rank = coefficients.rank;
  for (std::int64_t a = 0; a <= rank; ++a) {
    for (std::int64_t b = 0; b < a; ++b) put(x[a] * x[b]);
    put(T{0.5} * x[a] * x[a]);
  }
  for (int c = 0; c < coefficients.chambers; ++c)
    for (std::int64_t b = 0; b <= rank; ++b) put(pressures[c] * x[b]);
}

// The lower triangle, row by row, and what is linear.
template <class T>
[[gnu::always_inline]] inline void take_in_order(const SymmetricCoefficients<T>& coefficients, const T* row, T* h) {
  const std::int64_t rank = coefficients.rank, pitch = coefficients.array_rows();
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
[[gnu::always_inline]] inline void take_from_places(const SymmetricCoefficients<T>& coefficients, const T* products,
                                                    T* h) {
  const std::int64_t rank = coefficients.rank, pitch = coefficients.array_rows();
  const std::int32_t* place = coefficients.place.data();
  for (std::int64_t a = 0; a < rank; ++a) {
    T* k = h + a * pitch;
    for (std::int64_t b = 0; b <= a; ++b) k[b] = products[*place++];
    for (std::int64_t b = a + 1; b % vector_length<T> != 0; ++b) k[b] = 0;
  }
  for (std::int64_t row = rank; row <= rank + coefficients.chambers;
       ++row, ++place)  // behind each, that of the pair's 1
    for (std::int64_t b = 0; b < rank; ++b) h[row * pitch + b] = products[*place++];
}

template <class T>
[[gnu::always_inline]] inline void evaluate(const SymmetricCoefficients<T>& coefficients, const T* q,
                                            const T* pressures, T* workspace, T* h) {
  const std::int64_t rank = coefficients.rank;
  T* x = workspace;
  T* monomials = x + coefficients.array_rows();
  T* products = monomials + (coefficients.places / vector_length<T> + 3) * vector_length<T>;
  std::copy_n(q, rank, x);
  x[rank] = 1;
  if (coefficients.place.empty()) {
    T* next = monomials;
    for_each_monomial<T>(coefficients, x, pressures, [&](T value) { *next++ = value; });
    std::fill_n(next, vector_length<T> + row_block, T{0});
  } else {
    std::fill_n(monomials, coefficients.places + vector_length<T> + row_block, T{0});
    const std::int32_t* place = coefficients.place.data();
    for_each_monomial<T>(coefficients, x, pressures, [&](T value) { monomials[*place++] = value; });
  }
  const bool large = coefficients.values.size() * static_cast<std::int64_t>(sizeof(T)) > cached_bytes;
  for (const auto& one : coefficients.classes) {
    const T* values = coefficients.values.data() + one.first_value;
    if (large)
      multiply_symmetric<T, true>(one.pairs, values, monomials + one.first_place, products + one.first_place);
    else
      multiply_symmetric<T, false>(one.pairs, values, monomials + one.first_place, products + one.first_place);
  }
  if (coefficients.place.empty())
    take_in_order(coefficients, products, h);
  else
    take_from_places(coefficients, products, h);
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

using Index = std::array<std::size_t, 2>;  // of two coordinates, the pressures behind (1, q)

// All pairs in the order of SymmetricCoefficients.
std::vector<Index> pairs_of(std::int64_t rank, std::size_t chambers) {
  std::vector<Index> pairs;
  for (std::int64_t a = 0; a <= rank; ++a)
    for (std::int64_t b = 0; b <= a; ++b) pairs.push_back({canonical(a, rank), canonical(b, rank)});
  for (std::size_t c = 0; c < chambers; ++c)
    for (std::int64_t b = 0; b <= rank; ++b)
      pairs.push_back({static_cast<std::size_t>(rank) + 1 + c, canonical(b, rank)});
  return pairs;
}

std::size_t class_of(const Index& pair, const Parities& parities) {
  const std::size_t first = pair[0] < parities.of.size() ? parities.of[pair[0]] : 0;  // pressures are even
  return first ^ parities.of[pair[1]];
}

// Numbers that a packed matrix of so many rows takes.
template <class T>
std::int64_t symmetric_size(std::int64_t count) {
  std::int64_t size = 0;
  for (std::int64_t row = 0; row < count; row += row_block)
    size += row_block * ((row + row_block - 1) / vector_length<T> + 1) * vector_length<T>;
  return size;
}

// One class's matrix, of which the rows and columns are `pairs`.
template <class T, class Entry>
T* write_symmetric(std::span<const Index> pairs, const Entry& entry_at, T* next) {
  const auto count = std::ssize(pairs);
  for (std::int64_t first = 0; first < count; first += row_block)
    for (std::int64_t c = 0; c <= (first + row_block - 1) / vector_length<T>; ++c)
      for (std::int64_t row = first; row < first + row_block; ++row)
        for (std::int64_t column = c * vector_length<T>; column < (c + 1) * vector_length<T>; ++column, ++next) {
          if (row >= count || column > row) continue;
          const double value = (column == row ? 0.5 : 1.0) *
                               entry_at(pairs[static_cast<std::size_t>(row)], pairs[static_cast<std::size_t>(column)]);
          *next = rounded_coefficient<T>(value);
        }
  return next;
}

}  // namespace

template <class T>
SymmetricCoefficients<T>::SymmetricCoefficients(const QuarticEnergy& energy, std::span<const EnclosedVolume> volumes,
                                                const Parities& by)
    : rank(energy.rank), chambers(static_cast<int>(volumes.size())) {
  constexpr std::int64_t whole = std::max(row_block, vector_length<T>);
  const std::vector<Index> pairs = pairs_of(rank, volumes.size());
  std::vector<std::vector<Index>> pairs_of_class(by.count == 0 ? 1 : static_cast<std::size_t>(by.classes()));
  std::vector<std::size_t> number;  // of a pair in its class
  for (const Index& pair : pairs) {
    std::vector<Index>& own = pairs_of_class[by.count == 0 ? 0 : class_of(pair, by)];
    number.push_back(own.size());
    own.push_back(pair);
  }
  std::int64_t size = 0;
  for (const std::vector<Index>& own : pairs_of_class) {
    classes.push_back({places, std::ssize(own), size});
    places += (std::ssize(own) + whole - 1) / whole * whole;
    size += symmetric_size<T>(std::ssize(own));
  }
  for (std::size_t n = 0; by.count > 0 && n < pairs.size(); ++n)
    place.push_back(static_cast<std::int32_t>(classes[class_of(pairs[n], by)].first_place) +
                    static_cast<std::int32_t>(number[n]));
  values = AlignedArray<T>(size);
  T* next = values.data();
  for (const std::vector<Index>& own : pairs_of_class)
    next = write_symmetric(
        std::span(own),
        [&](const Index& row, const Index& column) {
          return entry(energy, volumes, row[0], row[1], column[0], column[1]);
        },
        next);
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
