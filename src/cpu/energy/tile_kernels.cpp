// The operations of tile_operations.hpp for the instruction sets that a machine may have: what the build targets, AVX2
// with FMA, and AVX-512.
#include "cpu/energy/tile_kernels.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/instruction_set.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "cpu/energy/tile_operations.hpp"

namespace quartic::cpu {
namespace {

template <class T>
void apply_portable(const PackedCoefficients<T>& coefficients, T weight, const T* q, const T* pressures,
                    T* /*monomials*/, const T* h, T* x, T* y) {
  tile_operations::apply<T, 16>(coefficients, weight, q, pressures, h, x, y);
}
template <class T>
constexpr EvaluatorKernels<T, PackedCoefficients<T>> portable_evaluator = {tile_operations::evaluate<T, 16>,
                                                                           apply_portable<T>};
template <class T>
constexpr SystemKernels<T> portable_system = {tile_operations::factorize<T, 16>, tile_operations::solve<T, 16>};

#if defined(__x86_64__)
// Functions for another instruction set inline the text of the operations; they can't be instantiations of it.
template <class T>
struct Avx2 {
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void evaluate(const PackedCoefficients<T>& coefficients, const T* q,
                                                            const T* pressures, T* monomials, T* h) {
    tile_operations::evaluate<T, 32>(coefficients, q, pressures, monomials, h);
  }
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void apply(const PackedCoefficients<T>& coefficients, T weight,
                                                         const T* q, const T* pressures, T* /*monomials*/, const T* h,
                                                         T* x, T* y) {
    tile_operations::apply<T, 32>(coefficients, weight, q, pressures, h, x, y);
  }
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void factorize(int rank, const T* scale, const T* diagonal,
                                                             const T* shift, const T* k, T* factor, T* failed) {
    tile_operations::factorize<T, 32>(rank, scale, diagonal, shift, k, factor, failed);
  }
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void solve(int rank, const T* factor, T* x) {
    tile_operations::solve<T, 32>(rank, factor, x);
  }
  static constexpr EvaluatorKernels<T, PackedCoefficients<T>> evaluator = {evaluate, apply};
  static constexpr SystemKernels<T> system = {factorize, solve};
};

template <class T>
struct Avx512 {
  [[gnu::target(QUARTIC_TARGET_AVX512)]] static void evaluate(const PackedCoefficients<T>& coefficients, const T* q,
                                                              const T* pressures, T* monomials, T* h) {
    tile_operations::evaluate<T, 64>(coefficients, q, pressures, monomials, h);
  }
  [[gnu::target(QUARTIC_TARGET_AVX512)]] static void apply(const PackedCoefficients<T>& coefficients, T weight,
                                                           const T* q, const T* pressures, T* /*monomials*/, const T* h,
                                                           T* x, T* y) {
    tile_operations::apply<T, 64>(coefficients, weight, q, pressures, h, x, y);
  }
  [[gnu::target(QUARTIC_TARGET_AVX512)]] static void factorize(int rank, const T* scale, const T* diagonal,
                                                               const T* shift, const T* k, T* factor, T* failed) {
    tile_operations::factorize<T, 64>(rank, scale, diagonal, shift, k, factor, failed);
  }
  [[gnu::target(QUARTIC_TARGET_AVX512)]] static void solve(int rank, const T* factor, T* x) {
    tile_operations::solve<T, 64>(rank, factor, x);
  }
  static constexpr EvaluatorKernels<T, PackedCoefficients<T>> evaluator = {evaluate, apply};
  static constexpr SystemKernels<T> system = {factorize, solve};
};
#endif

}  // namespace

template <class T>
PackedCoefficients<T>::PackedCoefficients(const QuarticEnergy& energy, std::span<const EnclosedVolume> volumes,
                                          const Parities& by)
    : rank(energy.rank), chambers(static_cast<int>(volumes.size())) {
  const auto n = static_cast<std::size_t>(rank) + 1;
  const auto parity = [&](std::size_t a, std::size_t b) { return by.count == 0 ? 0 : by.of_pair(a, b); };
  std::vector<int> of_monomials, of_rows;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a; b < n; ++b) {
      of_monomials.push_back(parity(a, b));
      if (a > 0) of_rows.push_back(parity(a, b));
    }
  for (std::size_t i = 1; i < n; ++i) of_rows.push_back(parity(0, i));
  for (int c = 0; c < chambers; ++c)
    for (std::size_t i = 0; i < n; ++i) {
      of_monomials.push_back(parity(0, i));
      if (i > 0) of_rows.push_back(parity(0, i));
    }
  pack(coefficient_matrix(energy, volumes), of_monomials, of_rows);
}

template <class T>
PackedCoefficients<T>::PackedCoefficients(int rank_of, const Matrix& matrix) : rank(rank_of) {
  pack(matrix, std::vector<int>(static_cast<std::size_t>(matrix.rows)),
       std::vector<int>(static_cast<std::size_t>(matrix.cols)));
}

template <class T>
void PackedCoefficients<T>::pack(const Matrix& matrix, std::span<const int> class_of_monomial,
                                 std::span<const int> class_of_row) {
  std::vector<std::vector<std::int64_t>> monomials_of(1 << most_parities), rows_of(1 << most_parities);
  for (std::int64_t n = 0; n < matrix.rows; ++n)
    monomials_of[static_cast<std::size_t>(class_of_monomial[static_cast<std::size_t>(n)])].push_back(n);
  for (std::int64_t n = 0; n < matrix.cols; ++n)
    rows_of[static_cast<std::size_t>(class_of_row[static_cast<std::size_t>(n)])].push_back(n);

  std::int64_t size = 0;
  for (std::size_t k = 0; k < rows_of.size(); ++k) {
    const std::int64_t blocks = (std::ssize(rows_of[k]) + row_block - 1) / row_block;
    classes.push_back({blocks, rows, std::ssize(monomials_of[k]), monomials});
    rows += blocks * row_block;
    monomials += std::ssize(monomials_of[k]);
    size += blocks * row_block * std::ssize(monomials_of[k]);
  }
  std::erase_if(classes, [](const Class& one) { return one.blocks == 0; });

  values = AlignedArray<T>(size);
  monomial_rows.resize(static_cast<std::size_t>(matrix.rows));
  T* block = values.data();
  std::int64_t next_monomial = 0, padding = matrix.cols;
  for (std::size_t k = 0; k < rows_of.size(); ++k) {
    for (const std::int64_t n : monomials_of[k])
      monomial_rows[static_cast<std::size_t>(n)] = static_cast<std::int32_t>(next_monomial++);
    const std::vector<std::int64_t>& of_class = rows_of[k];
    for (std::size_t first = 0; first < of_class.size(); first += row_block) {
      for (std::size_t i = first; i < first + row_block; ++i) {
        result_rows.push_back(static_cast<std::int32_t>(i < of_class.size() ? of_class[i] : padding++));
        if (i >= of_class.size()) continue;
        T* entry = block + static_cast<std::int64_t>(i - first);
        for (const std::int64_t n : monomials_of[k]) {
          *entry = rounded_coefficient<T>(matrix(n, of_class[i]));
          entry += row_block;
        }
      }
      block += row_block * std::ssize(monomials_of[k]);
    }
  }
}

template <class T>
const EvaluatorKernels<T, PackedCoefficients<T>>& PackedCoefficients<T>::kernels() {
#if defined(__x86_64__)
  if (instruction_set() == InstructionSet::avx512) return Avx512<T>::evaluator;
  if (instruction_set() == InstructionSet::avx2) return Avx2<T>::evaluator;
#endif
  return portable_evaluator<T>;
}

template <class T>
const SystemKernels<T>& LaneSystem<T>::kernels() {
#if defined(__x86_64__)
  if (instruction_set() == InstructionSet::avx512) return Avx512<T>::system;
  if (instruction_set() == InstructionSet::avx2) return Avx2<T>::system;
#endif
  return portable_system<T>;
}

template struct PackedCoefficients<float>;
template struct PackedCoefficients<double>;
template struct LaneSystem<float>;
template struct LaneSystem<double>;

}  // namespace quartic::cpu
