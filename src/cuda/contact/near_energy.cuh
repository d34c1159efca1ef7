// H of one body's energy by a block, from coefficients in L2: a warp sums `block_rows` rows at once with lanes over
// rows and monomials, as latency_body.cuh does, in an order that the number of monomials gives.
#pragma once

#include "cuda/contact/near_block.cuh"
#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/product_tile.cuh"

namespace quartic::cuda {

// `block_rows` rows, by a warp: lane l takes the pack l % packs of the rows of every (32 / packs)-th monomial.
__device__ inline void sum_h_block(const ModelView<double>& model, int block, const double* monomials, double* h) {
  constexpr int size = pack_size<double>, rows = block_rows<double>, packs = rows / size, stride = warp_size / packs;
  const int lane = near_thread() % warp_size, pack = lane % packs;
  const double* coefficients = model.coefficients + static_cast<std::int64_t>(block) * model.monomials * rows;
  double sum[size] = {};
#pragma unroll 4
  for (int n = lane / packs; n < model.monomials; n += stride) {
    double c[size];
    load_vector<size>(coefficients + (n * packs + pack) * size, c);
#pragma unroll
    for (int e = 0; e < size; ++e) sum[e] = fma(c[e], monomials[n], sum[e]);
  }
#pragma unroll
  for (int distance = packs; distance < warp_size; distance *= 2)
#pragma unroll
    for (int e = 0; e < size; ++e) sum[e] += __shfl_xor_sync(0xffffffffU, sum[e], distance);
  if (lane >= packs) return;
  for (int e = 0; e < size; ++e)
    if (block * rows + pack * size + e < model.h_rows) h[block * rows + pack * size + e] = sum[e];
}

/// K's lower triangle row by row, then H_i0. Begins and ends with a barrier.
/// @param point (1, q), in shared memory as the others
__device__ inline void evaluate_h(const ModelView<double>& model, const double* point, double* monomials, double* h) {
  __syncthreads();
  for_each_index(model.monomials, [&](int n) {
    const MonomialPair pair = model.pairs[n];
    monomials[n] = point[pair.first] * point[pair.second];
  });
  __syncthreads();
  for (int block = near_thread() / warp_size; block < model.row_blocks; block += near_threads / warp_size)
    sum_h_block(model, block, monomials, h);
  __syncthreads();
}

}  // namespace quartic::cuda
