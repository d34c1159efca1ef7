// Products for a whole tile of 128 bodies per block, slab by slab: what evaluate.cu and strain_forces.cu share.
#pragma once

#include <algorithm>
#include <cstddef>

#include "cuda/base/runtime.hpp"
#include "cuda/energy/any_open.cuh"
#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/product_tile.cuh"
#include "cuda/energy/step_shape.hpp"

namespace quartic::cuda {

/// As few blocks as `most_product_warps` each allow, since each makes all monomials; but more where few tiles would
/// leave multiprocessors idle.
template <class T>
[[nodiscard]] LaunchShape product_launch(const BatchView<T>& batch, const StepShape& shape, int row_blocks) {
  const int tiles = shape.tiles, points = batch.second_points == nullptr ? 1 : 2;
  const int fewest = (row_blocks + most_product_warps - 1) / most_product_warps;
  const int wanted =
      std::clamp((2 * shape.multiprocessors + tiles * points - 1) / (tiles * points), fewest, row_blocks);
  const int warps = (row_blocks + wanted - 1) / wanted;
  const int blocks = (row_blocks + warps - 1) / warps;
  const std::size_t shared_bytes =
      2 * sizeof(T) * static_cast<std::size_t>(slab_monomials<T> * (tile_bodies + warps * block_rows<T>));
  return {dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(blocks), static_cast<unsigned>(points)),
          dim3(static_cast<unsigned>(warps * warp_size)), shared_bytes};
}

inline constexpr int bodies_per_lane = tile_bodies / warp_size;

template <class T>
__device__ void multiply_slab(const T* coefficients, const T* monomials, T (&sums)[block_rows<T>][bodies_per_lane]) {
#pragma unroll
  for (int k = 0; k < slab_monomials<T>; ++k)
    multiply_monomial(1, coefficients + k * block_rows<T>, 0, monomials + k * tile_bodies, sums);
}

template <class T>
__device__ void store_rows(const T (&sums)[block_rows<T>][bodies_per_lane], int rows, T* h) {
  using Lane = LaneVectors<T, bodies_per_lane>;
#pragma unroll
  for (int row = 0; row < block_rows<T>; ++row)
    if (row < rows)
#pragma unroll
      for (int v = 0; v < Lane::count; ++v)
        store_vector<Lane::size>(sums[row] + v * Lane::size, h + row * tile_bodies + Lane::first() + v * Lane::step);
}

}  // namespace quartic::cuda
