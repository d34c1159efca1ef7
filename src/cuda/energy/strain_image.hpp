// A model's strain form in the order in which kernels read it: L and L^T in blocks of rows and slabs of columns,
// without the slabs before or behind the triangle.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/energy/batch_view.hpp"
#include "quartic/quartic_energy.hpp"

namespace quartic::cuda {

/// The strain with row n of L begins with the monomial n + 1 of (1, q_1, ..., q_r, q_1 q_1, ...).
template <class T>
[[nodiscard]] constexpr int strain_block_count(int rank) {
  return (static_cast<int>(strain_count(rank)) + block_rows<T> - 1) / block_rows<T>;
}
/// Rows of 128 values at one point: strains, and their products with L^T.
template <class T>
[[nodiscard]] constexpr std::int64_t strain_workspace_rows(int rank) {
  return std::int64_t{2} * strain_block_count<T>(rank) * block_rows<T>;
}

template <class T>
struct StrainImage {
  std::vector<T> factor, transposed;  // [row block][column][row of the block]
};

/// How many numbers a StrainImage has.
template <class T>
[[nodiscard]] std::int64_t strain_image_size(int rank);

/// @throws InputError for a form that T can't hold
template <class T>
[[nodiscard]] StrainImage<T> strain_image(const StrainForm& form);

}  // namespace quartic::cuda
