// A model's coefficients in the order in which kernels read them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuda/energy/batch_view.hpp"
#include "quartic/quartic_energy.hpp"
#include "quartic/storage.hpp"

namespace quartic::cuda {

[[nodiscard]] constexpr int h_row_count(int rank) {
  return stiffness_rows(rank) + rank;
}
/// With rows and monomials padded: see ModelView.
template <class T>
[[nodiscard]] constexpr int row_block_count(int rank) {
  return (h_row_count(rank) + block_rows<T> - 1) / block_rows<T>;
}
/// Of K alone.
template <class T>
[[nodiscard]] constexpr int stiffness_block_count(int rank) {
  return (stiffness_rows(rank) + block_rows<T> - 1) / block_rows<T>;
}
template <class T>
[[nodiscard]] constexpr int monomial_count(int rank) {
  const int count = (rank + 1) * (rank + 2) / 2;
  return (count + slab_monomials<T> - 1) / slab_monomials<T> * slab_monomials<T>;
}
template <class T>
[[nodiscard]] constexpr std::int64_t coefficient_count(int rank) {
  return std::int64_t{row_block_count<T>(rank)} * block_rows<T> * monomial_count<T>(rank);
}

/// For each row of H its column of coefficient_matrix().
[[nodiscard]] std::vector<std::int64_t> columns_of_rows(int rank);

/// Of each row its column of a matrix of coefficients, [row block][monomial][row of the block].
/// @throws InputError if T can't hold one
template <class T>
[[nodiscard]] std::vector<T> packed_columns(const Matrix& matrix, std::span<const std::int64_t> columns, int rank);

/// The same of an energy, by `columns_of_rows`. @throws InputError for an energy of the wrong size or one that T can't
/// hold
template <class T>
[[nodiscard]] std::vector<T> packed_coefficients(const QuarticEnergy& energy);

/// The factors of each monomial; 1 times 1 in the padding.
template <class T>
[[nodiscard]] std::vector<MonomialPair> monomial_pairs(int rank);

}  // namespace quartic::cuda
