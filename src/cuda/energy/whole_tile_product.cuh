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

/// How such a product is started.
struct ProductLaunch {
  LaunchShape shape;
  int row_warps;  // of a block's warps, those that sum rows
};

/// As few blocks as the warps allow, since each makes all monomials; but more where few tiles would leave
/// multiprocessors idle: warps without rows then help with the monomials.
template <class T>
[[nodiscard]] ProductLaunch product_launch(const BatchView<T>& batch, const StepShape& shape, int row_blocks) {
  const int tiles = shape.tiles, points = batch.second_points == nullptr ? 1 : 2;
  const int fewest = (row_blocks + product_warps - 1) / product_warps;
  const int wanted =
      std::clamp((2 * shape.multiprocessors + tiles * points - 1) / (tiles * points), fewest, row_blocks);
  const int warps = (row_blocks + wanted - 1) / wanted;
  const int blocks = (row_blocks + warps - 1) / warps;
  const std::size_t shared_bytes =
      2 * sizeof(T) * static_cast<std::size_t>(slab_monomials<T> * (tile_bodies + warps * block_rows<T>));
  return {{dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(blocks), static_cast<unsigned>(points)),
           dim3(product_warps * warp_size), shared_bytes},
          warps};
}

/// A slab of monomials of the tile's bodies; all threads of the block.
template <class T>
__device__ void make_slab_monomials(const MonomialPair* pairs, const T* points, T* slab) {
  make_monomials<T, tile_bodies, slab_monomials<T>, product_warps * warp_size>(pairs, points, slab);
}

/// A warp's `block_rows` rows for the tile's bodies, as its lanes sum them.
template <class T>
struct TileSums {
  using Grid = LaneGrid<T, tile_bodies>;
  static constexpr int units = block_rows<T> / Grid::unit_rows;
  T values[units * pack_size<T>][Grid::columns] = {};

  __device__ void add_slab(const T* coefficients, const T* monomials) {
    const T *c = coefficients + Grid::row(), *m = monomials + Grid::body();
#pragma unroll
    for (int k = 0; k < slab_monomials<T>; ++k)
      multiply_monomial<tile_bodies, units>(c + k * block_rows<T>, Grid::unit_rows, m + k * tile_bodies, values);
  }

  /// @param rows that there are, at most those that the warp has sums for
  __device__ void store(int rows, T* h) const {
    const int first_row = Grid::row(), first_body = Grid::body();
#pragma unroll
    for (int n = 0; n < units * pack_size<T>; ++n) {
      const int row = n / pack_size<T> * Grid::unit_rows + first_row + n % pack_size<T>;
      if (row < rows)
#pragma unroll
        for (int b = 0; b < Grid::columns; b += pack_size<T>)
          store_vector<pack_size<T>>(values[n] + b,
                                     h + row * tile_bodies + first_body + b / pack_size<T> * Grid::column_step);
    }
  }
};

}  // namespace quartic::cuda
