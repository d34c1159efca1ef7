// Rows of H = C m for a tile of 128 bodies on tensor cores.
//
// A matrix instruction adds the product of 16 rows and 8 monomials with 8 bodies. A warp sums 32 rows for 64 bodies
// (float) or 32 (double): 64 registers of sums per thread. The warps of a block stand side by side over the tile's 128
// bodies and below each other over rows. Per step of 8 monomials they share a slab of coefficients, which asynchronous
// copies bring in the order of the lanes, and one of monomials, which all threads make; both are double-buffered, with
// one barrier per step.
//
// float: a number is the sum of two with 11 bits each (TF32), x = x' + x" up to 2^-23 |x|. A product takes three
// instructions, c" m' + c' m" + c' m'. These cut off what they sum, so each step's sum starts at zero, and is then
// rounded into the running one.
//
// Each sum runs over the steps in order: its bits depend on nothing but the body and the model.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "cuda/mma.cuh"
#include "cuda/tensor_view.hpp"

namespace quartic::cuda {

/// How T is computed. `fragment`: of two monomials k = t and t + 4 of a body, as a lane holds them.
template <class T>
struct TensorArithmetic;

template <>
struct TensorArithmetic<float> {
  static constexpr int warp_bodies = 64;
  static __device__ float4 fragment(float first, float second) {
    const float high_first = round_to_tf32(first), high_second = round_to_tf32(second);
    return make_float4(high_first, high_second, round_to_tf32(first - high_first), round_to_tf32(second - high_second));
  }
  static __device__ void multiply_add(const float4 (&c)[2], const float4& m, float (&sums)[4]) {
    float step[4] = {};
    multiply_add_tf32(c[1], m.x, m.y, step);
    multiply_add_tf32(c[0], m.z, m.w, step);
    multiply_add_tf32(c[0], m.x, m.y, step);
#pragma unroll
    for (int n = 0; n < 4; ++n) sums[n] += step[n];
  }
  static __device__ float2 pair(float first, float second) {
    return make_float2(first, second);
  }
};

template <>
struct TensorArithmetic<double> {
  static constexpr int warp_bodies = 32;
  static __device__ double2 fragment(double first, double second) { return make_double2(first, second); }
  static __device__ void multiply_add(const double2 (&c)[2], const double2& m, double (&sums)[4]) {
    multiply_add_double(c[0], c[1], m.x, m.y, sums);
  }
  static __device__ double2 pair(double first, double second) { return make_double2(first, second); }
};

/// Warps side by side over a tile, and the tiles of rows of each warp.
template <class T>
inline constexpr int warps_across = tile_bodies / TensorArithmetic<T>::warp_bodies;
inline constexpr int warp_row_tiles = 2;

inline constexpr int tensor_column_tiles = tile_bodies / tensor_columns;
inline constexpr int monomial_fragments = tensor_column_tiles * warp_size;  // of a step
[[nodiscard]] __host__ __device__ constexpr int slab_fragments(int row_tiles) {
  return monomial_fragments + row_tiles * step_fragments;
}
/// Shared memory of a block that sums `row_tiles` at once.
[[nodiscard]] __host__ __device__ constexpr int tensor_shared_bytes(int row_tiles) {
  return 2 * slab_fragments(row_tiles) * 16;
}

/// Where lane (g, t) finds its monomials: such that neither those who write, g = 0 .. 7 side by side, nor those who
/// read, t = 0 .. 3 for two g, meet in a bank.
[[nodiscard]] __device__ constexpr int monomial_place(int g, int t) {
  return t * tensor_columns + (g ^ (2 * t));
}

/// Starts the copies of a step's coefficients for the block's `row_tiles` tiles of rows; all threads.
template <class T>
__device__ void copy_coefficients(const Fragment<T>* fragments, int steps, int row_tiles, int step, Fragment<T>* slab) {
  for (int n = static_cast<int>(threadIdx.x); n < row_tiles * step_fragments; n += static_cast<int>(blockDim.x)) {
    const int from = (n / step_fragments * steps + step) * step_fragments + n % step_fragments;
    __pipeline_memcpy_async(slab + n, fragments + from, 16);
  }
}

/// A step's monomials of the tile's 128 bodies; all threads, a warp for 32 bodies and two monomials at a time.
template <class T>
__device__ void make_monomials(const MonomialPair* pairs, const T* points, Fragment<T>* slab) {
  for (int n = static_cast<int>(threadIdx.x); n < monomial_fragments; n += static_cast<int>(blockDim.x)) {
    const int t = n / tile_bodies, body = n % tile_bodies;
    const MonomialPair first = pairs[t], second = pairs[t + 4];
    const T* point = points + body;
    slab[body / tensor_columns * warp_size + monomial_place(body % tensor_columns, t)] =
        TensorArithmetic<T>::fragment(point[first.first * tile_bodies] * point[first.second * tile_bodies],
                                      point[second.first * tile_bodies] * point[second.second * tile_bodies]);
  }
}

/// A warp's sums, as its lanes hold them.
template <class T>
struct TensorSums {
  static constexpr int column_tiles = TensorArithmetic<T>::warp_bodies / tensor_columns;
  T values[warp_row_tiles][column_tiles][4] = {};

  /// Adds a step's products for the first `row_tiles` tiles of rows; from what lies in shared memory for the warp.
  template <int row_tiles>
  __device__ void add_step(const Fragment<T>* coefficients, const Fragment<T>* monomials) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    Fragment<T> c[row_tiles][2];
#pragma unroll
    for (int tile = 0; tile < row_tiles; ++tile)
#pragma unroll
      for (int part = 0; part < 2; ++part) c[tile][part] = coefficients[(tile * 2 + part) * warp_size + lane];
    monomials += monomial_place(lane / 4, lane % 4);
#pragma unroll
    for (int column = 0; column < column_tiles; ++column) {
      const Fragment<T> m = monomials[column * warp_size];
#pragma unroll
      for (int tile = 0; tile < row_tiles; ++tile) TensorArithmetic<T>::multiply_add(c[tile], m, values[tile][column]);
    }
  }

  /// Calls store(row, body, value and that of the next body), rows and bodies counted from the warp's first.
  template <class Store>
  __device__ void store(int row_tiles, const Store& store) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
#pragma unroll
    for (int tile = 0; tile < warp_row_tiles; ++tile)
      if (tile < row_tiles)
#pragma unroll
        for (int half = 0; half < 2; ++half)
#pragma unroll
          for (int column = 0; column < column_tiles; ++column)
            store(tile * tensor_rows + half * 8 + lane / 4, column * tensor_columns + lane % 4 * 2,
                  TensorArithmetic<T>::pair(values[tile][column][2 * half], values[tile][column][2 * half + 1]));
  }
};

/// The rows of H from tile `first_tile` of rows on, as many as the block's warps sum at once, for the tile of bodies
/// with these points ([row][128], in any memory). Calls store(row of H, body, its value and that of the next body),
/// also for rows that pad the last tile. All threads of the block, with `slabs` of tensor_shared_bytes().
template <class T, class Store>
__device__ void multiply_on_tensor_cores(const TensorImage<T>& image, const MonomialPair* pairs, const T* points,
                                         int first_tile, Fragment<T>* slabs, const Store& store) {
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int across = warp % warps_across<T>, down = warp / warps_across<T>;
  const int most_tiles = static_cast<int>(blockDim.x) / warp_size / warps_across<T> * warp_row_tiles;
  const int block_tiles = min(most_tiles, image.row_tiles - first_tile);
  const int own_tiles = min(warp_row_tiles, block_tiles - down * warp_row_tiles);  // none if not positive
  const int slab_size = slab_fragments(most_tiles);

  const Fragment<T>* fragments = image.fragments + std::int64_t{first_tile} * image.steps * step_fragments;
  const auto begin_step = [&](int step, Fragment<T>* slab) {
    copy_coefficients<T>(fragments, image.steps, block_tiles, step, slab + monomial_fragments);
    __pipeline_commit();
    make_monomials(pairs + step * tensor_depth, points, slab);
  };
  TensorSums<T> sums;
  begin_step(0, slabs);
  for (int step = 0; step < image.steps; ++step) {
    __pipeline_wait_prior(0);
    __syncthreads();  // this step's slab is there, and nobody reads the one before any more
    const Fragment<T>* slab = slabs + step % 2 * slab_size;
    if (step + 1 < image.steps) begin_step(step + 1, slabs + (step + 1) % 2 * slab_size);
    const Fragment<T>* coefficients = slab + monomial_fragments + down * warp_row_tiles * step_fragments;
    const Fragment<T>* monomials = slab + across * TensorSums<T>::column_tiles * warp_size;
    if (own_tiles == warp_row_tiles)
      sums.template add_step<warp_row_tiles>(coefficients, monomials);
    else if (own_tiles > 0)
      sums.template add_step<1>(coefficients, monomials);
  }
  const int first_row = (first_tile + down * warp_row_tiles) * tensor_rows;
  sums.store(own_tiles, [&](int row, int body, const auto& pair) {
    store(first_row + row, across * TensorArithmetic<T>::warp_bodies + body, pair);
  });
}

}  // namespace quartic::cuda
