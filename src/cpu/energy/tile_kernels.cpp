// The operations of tile_operations.hpp for the instruction sets that a machine may have: what the build targets, AVX2
// with FMA, and AVX-512.
#include "cpu/energy/tile_kernels.hpp"

#include <cmath>

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
PackedCoefficients<T>::PackedCoefficients(const QuarticEnergy& energy, std::span<const EnclosedVolume> volumes)
    : PackedCoefficients(energy.rank, coefficient_matrix(energy, volumes), static_cast<int>(volumes.size())) {}

template <class T>
PackedCoefficients<T>::PackedCoefficients(int rank_of, const Matrix& matrix, int chamber_count)
    : rank(rank_of),
      chambers(chamber_count),
      monomials(matrix.rows),
      rows((matrix.cols + row_block - 1) / row_block * row_block) {
  values = AlignedArray<T>(rows * monomials);
  for (std::int64_t row = 0; row < matrix.cols; ++row)
    for (std::int64_t n = 0; n < monomials; ++n) {
      const double value = matrix(n, row);
      values.data()[(row / row_block * monomials + n) * row_block + row % row_block] = rounded_coefficient<T>(value);
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
