// Rows of H = C m for a block's 32, 64 or 128 bodies on tensor cores.
//
// A matrix instruction adds the product of 16 rows and 8 monomials with 8 bodies. A warp sums 32 rows for up to 64
// bodies (float) or 32 (double): 64 registers of sums per thread. The warps of a block stand side by side over the
// block's bodies and below each other over rows. Per step of 8 monomials they share a slab of coefficients, which
// asynchronous copies bring in the order of the lanes, and one of monomials, which all threads make; both are
// double-buffered, with one barrier per step.
//
// float: a number is the sum of two with 11 bits each (TF32), x = x' + x" up to 2^-23 |x|. A product takes three
// instructions, c" m' + c' m" + c' m'. These cut off what they sum, so each step's sum starts at zero, and is then
// rounded into the running one.
//
// Each sum runs over the steps in order: its bits depend on nothing but the body and the model.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "cuda/base/mma.cuh"
#include "cuda/energy/tensor_view.hpp"

namespace quartic::cuda {

/// How T is computed. `fragment`: of two monomials k = t and t + 4 of a body, as a lane holds them.
template <class T>
struct TensorArithmetic;

template <>
struct TensorArithmetic<float> {
  using Pair = float2;
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
};

template <>
struct TensorArithmetic<double> {
  using Pair = double2;
  static __device__ double2 fragment(double first, double second) { return make_double2(first, second); }
  static __device__ void multiply_add(const double2 (&c)[2], const double2& m, double (&sums)[4]) {
    multiply_add_double(c[0], c[1], m.x, m.y, sums);
  }
};

/// Bodies of a warp where a block has `bodies`.
template <class T, int bodies>
inline constexpr int warp_bodies = most_warp_bodies<T> < bodies ? most_warp_bodies<T> : bodies;

/// Where the monomials of lane (g, t) are among those of a column of 8 bodies: such that neither those who write, g =
/// 0, 2, 4, 6 of two columns side by side, nor those who read, t = 0 .. 3 for two g, meet in a bank.
[[nodiscard]] __device__ constexpr unsigned monomial_place(unsigned column, unsigned g, unsigned t) {
  return t * tensor_columns + (g ^ (2 * t) ^ (column % 2));
}

/// Starts the copies of a step's coefficients for the block's `row_tiles` tiles of rows; all threads.
template <class T>
__device__ void copy_fragments(const Fragment<T>* fragments, unsigned row_tiles, Fragment<T>* slab) {
  for (unsigned n = threadIdx.x; n < row_tiles * step_fragments; n += blockDim.x)
    __pipeline_memcpy_async(slab + n, fragments + n, 16);
}

/// A step's monomials of the block's bodies; all threads, a warp for 64 bodies and two monomials at a time.
template <class T, int bodies>
__device__ void make_monomial_fragments(const MonomialFactors* factors, const T* points, Fragment<T>* slab) {
  using Pair = typename TensorArithmetic<T>::Pair;
  constexpr unsigned pairs = bodies / 2, shorter = tile_bodies / bodies;  // rows than those that factors count in
  for (unsigned n = threadIdx.x; n < tensor_depth / 2 * pairs; n += blockDim.x) {
    const unsigned t = n / pairs, body = n % pairs * 2, column = body / tensor_columns, g = body % tensor_columns;
    const MonomialFactors rows = factors[t];
    const Pair* point = reinterpret_cast<const Pair*>(points) + n % pairs;
    const Pair a = point[rows.x / shorter], b = point[rows.y / shorter];
    const Pair c = point[rows.z / shorter], d = point[rows.w / shorter];
    slab[column * warp_size + monomial_place(column, g, t)] = TensorArithmetic<T>::fragment(a.x * b.x, c.x * d.x);
    slab[column * warp_size + monomial_place(column, g + 1, t)] = TensorArithmetic<T>::fragment(a.y * b.y, c.y * d.y);
  }
}

/// A warp's sums, as its lanes hold them.
template <class T, int bodies>
struct TensorSums {
  static constexpr int column_tiles = warp_bodies<T, bodies> / tensor_columns;
  T values[warp_row_tiles][column_tiles][4] = {};

  /// Adds a step's products for the first `row_tiles` tiles of rows; from what lies in shared memory for the warp.
  template <int row_tiles>
  __device__ void add_step(const Fragment<T>* coefficients, const Fragment<T>* monomials) {
    const unsigned lane = threadIdx.x % warp_size;
    Fragment<T> c[row_tiles][2];
#pragma unroll
    for (int tile = 0; tile < row_tiles; ++tile)
#pragma unroll
      for (int part = 0; part < 2; ++part) c[tile][part] = coefficients[lane + (tile * 2 + part) * warp_size];
#pragma unroll
    for (int column = 0; column < column_tiles; ++column) {
      const Fragment<T> m = monomials[column * warp_size + monomial_place(column, lane / 4, lane % 4)];
#pragma unroll
      for (int tile = 0; tile < row_tiles; ++tile) TensorArithmetic<T>::multiply_add(c[tile], m, values[tile][column]);
    }
  }

  /// Calls place(row)(body, value and that of the next body), bodies counted from the block's first, of which the
  /// warp's first is `first_body`, rows from the warp's first.
  template <class Place>
  __device__ void store(int row_tiles, unsigned first_body, const Place& place) const {
    using Pair = typename TensorArithmetic<T>::Pair;
    const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
    for (int tile = 0; tile < warp_row_tiles; ++tile)
      if (tile < row_tiles)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const auto row = place(static_cast<unsigned>(tile * tensor_rows + half * 8) + lane / 4);
#pragma unroll
          for (int column = 0; column < column_tiles; ++column)
            row(first_body + static_cast<unsigned>(column * tensor_columns) + lane % 4 * 2,
                Pair{values[tile][column][2 * half], values[tile][column][2 * half + 1]});
        }
  }
};

/// The rows of H from tile `first_tile` of rows on, as many as the block's warps sum at once, for bodies with these
/// points ([row][bodies], in any memory). place(row)(body, pair) takes a row's values of two bodies; it is also called
/// for rows that pad the last tile. All threads of the block, with `slabs` of tensor_slab_bytes(), which some may still
/// read when others return: a barrier stands before their next use.
template <class T, int bodies, class Place>
__device__ void multiply_on_tensor_cores(const TensorImage<T>& image, const T* points, int first_tile,
                                         Fragment<T>* slabs, const Place& place) {
  constexpr int warps_across = bodies / warp_bodies<T, bodies>;
  constexpr int monomial_fragments = bodies / tensor_columns * warp_size;
  const unsigned warp = threadIdx.x / warp_size, across = warp % warps_across, down = warp / warps_across;
  const int most_tiles = static_cast<int>(blockDim.x) / (warp_size * warps_across) * warp_row_tiles;
  const int block_tiles = min(most_tiles, image.row_tiles - first_tile);
  const int own_tiles = block_tiles - static_cast<int>(down) * warp_row_tiles;  // none if not positive
  const int slab_size = tensor_slab_fragments(bodies, most_tiles);
  const Fragment<T>* fragments = image.fragments + first_tile * step_fragments;
  const MonomialFactors* factors = image.factors;

  const auto begin_next_step = [&](Fragment<T>* slab) {
    copy_fragments<T>(fragments, static_cast<unsigned>(block_tiles), slab + monomial_fragments);
    __pipeline_commit();
    make_monomial_fragments<T, bodies>(factors, points, slab);
    fragments += image.row_tiles * step_fragments;
    factors += tensor_depth / 2;
  };
  TensorSums<T, bodies> sums;
  begin_next_step(slabs);
  int current = 0;
  for (int left = image.steps; left > 0; --left) {
    __pipeline_wait_prior(0);
    __syncthreads();  // this step's slab is there, and nobody reads the one before any more
    if (left > 1) begin_next_step(slabs + (slab_size - current));
    const Fragment<T>* coefficients = slabs + current + monomial_fragments + down * (warp_row_tiles * step_fragments);
    const Fragment<T>* monomials = slabs + current + across * (TensorSums<T, bodies>::column_tiles * warp_size);
    if (own_tiles >= warp_row_tiles)
      sums.template add_step<warp_row_tiles>(coefficients, monomials);
    else if (own_tiles > 0)
      sums.template add_step<1>(coefficients, monomials);
    current = slab_size - current;
  }
  const unsigned first_row = (static_cast<unsigned>(first_tile) + down * warp_row_tiles) * tensor_rows;
  sums.store(own_tiles, across * warp_bodies<T, bodies>, [&](unsigned row) { return place(first_row + row); });
}

}  // namespace quartic::cuda
