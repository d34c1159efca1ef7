// A model's coefficients in the order in which tensor cores take them.
#pragma once

#include <cstddef>
#include <vector>

#include "cuda/energy/model_image.hpp"
#include "cuda/energy/tensor_view.hpp"
#include "quartic/quartic_energy.hpp"

namespace quartic::cuda {

[[nodiscard]] constexpr int row_tile_count(int rank) {
  return (h_row_count(rank) + tensor_rows - 1) / tensor_rows;
}
template <class T>
[[nodiscard]] constexpr int step_count(int rank) {
  return ((rank + 1) * (rank + 2) / 2 + tensor_depth<T> - 1) / tensor_depth<T>;
}
template <class T>
[[nodiscard]] constexpr std::size_t tensor_bytes(int rank) {
  return static_cast<std::size_t>(step_count<T>(rank)) *
         (static_cast<std::size_t>(row_tile_count(rank)) * tile_fragments<T> * sizeof(Fragment<T>) +
          4 * sizeof(MonomialFactors<T>));
}

/// Those of an image; 1 times 1 in the padding.
template <class T>
[[nodiscard]] std::vector<MonomialFactors<T>> monomial_factors(int rank);

/// The fragments of an image, with zeros where rows and monomials are padded.
/// @throws InputError for an energy of the wrong size or one that T, or for float bfloat16, can't hold
template <class T>
[[nodiscard]] std::vector<Fragment<T>> tensor_fragments(const QuarticEnergy& energy);

}  // namespace quartic::cuda
