#include "cpu/energy/strain_kernels.hpp"

#include "core/base/instruction_set.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/energy/strain_form.hpp"
#include "cpu/energy/tile_operations.hpp"

namespace quartic::cpu {
namespace {

// The force at q from the monomials that `evaluate` left: y = L m, then w = L^T y, which is dV/dm, and R = dm/dq w:
// R_i = w_i + w_ii q_i + sum_j w_ij q_j, since the square q_i^2 counts twice.
template <class T, int bytes>
[[gnu::always_inline]] inline T* strain_force(const StrainCoefficients<T>& c, const T* q, T* workspace) {
  using R = tile_operations::Row<T, bytes>;
  const T* monomials = workspace + lanes<T>;  // behind the constant
  T* strains = workspace + c.monomials * lanes<T>;
  T* products = strains + c.strain_rows * lanes<T>;
  T* force = products + c.strain_rows * lanes<T>;
  const T* entry = c.factor.data();
  for (std::int64_t row = 0; row < c.strain_rows; row += strain_group) {
    const std::int64_t columns = c.factor_columns(row);
    tile_operations::multiply_blocks<T, bytes>(entry, 2, columns, monomials + row * lanes<T>, strains + row * lanes<T>);
    entry += strain_group * columns;
  }
  entry = c.transposed.data();
  for (std::int64_t row = 0; row < c.strain_rows; row += strain_group) {
    const std::int64_t columns = c.transposed_columns(row);
    tile_operations::multiply_blocks<T, bytes>(entry, 2, columns, strains, products + row * lanes<T>);
    entry += strain_group * columns;
  }
  const T* squares = products + c.rank * lanes<T>;
  tile_operations::multiply<T, bytes>(c.rank, squares, q, force);
  for (int i = 0; i < c.rank; ++i)
    for (int p = 0; p < R::parts; ++p)
      R::at(force, i)[p] +=
          R::at(products, i)[p] + R::at(squares, LaneSystem<T>::diagonal_row(c.rank, i))[p] * R::at(q, i)[p];
  return force;
}

template <class T, int bytes>
[[gnu::always_inline]] inline void apply(const StrainCoefficients<T>& c, T weight, const T* q, const T* pressures,
                                         T* workspace, const T* h, const T* x, T* y) {
  tile_operations::multiply<T, bytes>(c.rank, h, x, y);
  tile_operations::add<T, bytes>(c.rank, weight, strain_force<T, bytes>(c, q, workspace), y);
  tile_operations::add_pressures<T, bytes>(c, weight, pressures, h, y);  // H_ip = -dV/dq
}

template <class T>
using Apply = decltype(EvaluatorKernels<T, StrainCoefficients<T>>::apply);

template <class T>
void apply_portable(const StrainCoefficients<T>& c, T weight, const T* q, const T* pressures, T* workspace, const T* h,
                    T* x, T* y) {
  apply<T, 16>(c, weight, q, pressures, workspace, h, x, y);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target(QUARTIC_TARGET_AVX2)]] void apply_avx2(const StrainCoefficients<T>& c, T weight, const T* q,
                                                     const T* pressures, T* workspace, const T* h, T* x, T* y) {
  apply<T, 32>(c, weight, q, pressures, workspace, h, x, y);
}
template <class T>
[[gnu::target(QUARTIC_TARGET_AVX512)]] void apply_avx512(const StrainCoefficients<T>& c, T weight, const T* q,
                                                         const T* pressures, T* workspace, const T* h, T* x, T* y) {
  apply<T, 64>(c, weight, q, pressures, workspace, h, x, y);
}
#endif

template <class T>
Apply<T> fastest_apply() {
#if defined(__x86_64__)
  if (instruction_set() == InstructionSet::avx512) return apply_avx512<T>;
  if (instruction_set() == InstructionSet::avx2) return apply_avx2<T>;
#endif
  return apply_portable<T>;
}

template <class T>
void evaluate(const StrainCoefficients<T>& c, const T* q, const T* pressures, T* workspace, T* h) {
  PackedCoefficients<T>::kernels().evaluate(c, q, pressures, workspace, h);
}

}  // namespace

template <class T>
StrainCoefficients<T>::StrainCoefficients(const QuarticEnergy& energy, std::span<const EnclosedVolume> volumes,
                                          const StrainForm& form)
    : PackedCoefficients<T>(energy, volumes, Parities{}) {  // monomials in pair order
  const std::int64_t strains = strain_count(form.rank);
  strain_rows = (strains + strain_group - 1) / strain_group * strain_group;
  std::int64_t size = 0, transposed_size = 0;
  for (std::int64_t row = 0; row < strain_rows; row += strain_group) {
    size += strain_group * factor_columns(row);
    transposed_size += strain_group * transposed_columns(row);
  }
  factor = AlignedArray<T>(size);
  transposed = AlignedArray<T>(transposed_size);
  T *entry = factor.data(), *transposed_entry = transposed.data();
  const auto value = [&](std::int64_t row, std::int64_t column) {
    if (row >= strains || column >= strains || row > column) return T{0};
    return rounded_coefficient<T>(form.factor[strain_entry(row, column, strains)]);
  };
  for (std::int64_t group = 0; group < strain_rows; group += strain_group)
    for (std::int64_t block = group; block < group + strain_group; block += row_block) {
      for (std::int64_t column = 0; column < factor_columns(group); ++column)
        for (std::int64_t row = block; row < block + row_block; ++row) *entry++ = value(row, group + column);
      for (std::int64_t column = 0; column < transposed_columns(group); ++column)
        for (std::int64_t row = block; row < block + row_block; ++row) *transposed_entry++ = value(column, row);
    }
}

template <class T>
const EvaluatorKernels<T, StrainCoefficients<T>>& StrainCoefficients<T>::kernels() {
  static const EvaluatorKernels<T, StrainCoefficients> kernels = {evaluate<T>, fastest_apply<T>()};
  return kernels;
}

template struct StrainCoefficients<float>;
template struct StrainCoefficients<double>;

}  // namespace quartic::cpu
