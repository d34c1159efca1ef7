// What pressures in the chambers of 32 bodies add to H, one body per lane, beside any evaluator.
//
// -p V(q) is a cubic: with the volumes' tensors T and q^ = (1, q)
//   K_p,ij = -sum_c p_c T_ijk q^_k,   H_p,i0 = -sum_c p_c T_i0k q^_k,   R_p = (H_p,i0 + K_p q) / 2.
// The integrators make R of (H_i0 + K q) / 3, or take it from strains. So that they give R + R_p, chambers add K_p to K
// and
//   3/2 H_p,i0 + 1/2 K_p q  to H_i0,   or R_p to R.
//
// K_p goes into the system's matrix first, by whole blocks; K q is made of it there, and then K is added to it. Per
// body and chamber r^3 + 5 r^2 flops, and no memory but the coefficients, which a warp reads once for its 32 bodies.
#pragma once

#include <cstdint>

#include "cuda/batch/steps/step_memory.hpp"
#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/chamber_image.hpp"
#include "cuda/energy/product_tile.cuh"

namespace quartic::cuda {

static_assert(chamber_block == block_size);

/// A thread's sums over the coefficients of its body's chambers.
template <class T>
struct ChamberSums {
  const ModelView<T>& model;
  const T* pressure;    // in the body's first chamber
  std::int64_t stride;  // to the next one's
  T scale;              // that K and R of both are multiplied with behind this

  /// sum <- what chambers add to as many entries, whose coefficients begin at `offset` of an image.
  /// @param point `point(k)` is q^_k
  template <int size, class Point>
  __device__ void make(std::int64_t offset, const Point& point, T (&sum)[size]) const {
#pragma unroll
    for (int e = 0; e < size; ++e) sum[e] = 0;
    for (int chamber = 0; chamber < model.chambers; ++chamber) {
      const T p = pressure[chamber * stride] / scale;
      const T* from = model.volumes + chamber * chamber_image_size(model.rank) + offset;
#pragma unroll 2
      for (int k = 0; k <= model.rank; ++k) {
        const T x = p * point(k);
        T c[size];
#pragma unroll
        for (int e = 0; e < size; e += pack_size<T>) load_vector<pack_size<T>>(from + k * size + e, c + e);
#pragma unroll
        for (int e = 0; e < size; ++e) sum[e] = fma(c[e], x, sum[e]);
      }
    }
  }
};

template <class Rows>
[[nodiscard]] __device__ ChamberSums<typename Rows::Number> chamber_sums(const Rows& rows) {
  const std::int64_t body = rows.lane.body;
  return {rows.lane.model, rows.batch.pressure + body, rows.batch.bodies, rows.batch.stiffness_scale[body]};
}

/// The system's matrix <- K_p. Each block stays with its warp: no barrier.
template <class Rows, class S, class Point>
__device__ void fill_chamber_stiffness(const Rows& rows, S& system, const Point& point) {
  const auto sums = chamber_sums(rows);
  system.fill([&](int i, int j, auto& entries) {
    sums.make(std::int64_t{i * (i + 1) / 2 + j} * (rows.rank + 1) * block_entries, point, entries);
  });
}

/// K_p into the system's matrix, and into `solution` what is added to H_i0 or to R. Begins and ends with a barrier.
template <class Rows, class S, class Point>
__device__ void begin_chambers(const Rows& rows, S& system, const Point& point) {
  using T = typename Rows::Number;
  constexpr T linear = Rows::has_force ? T{0.5} : T{1.5};
  const auto sums = chamber_sums(rows);
  __syncthreads();  // the matrix, `solution` and the point are no one else's any more
  fill_chamber_stiffness(rows, system, point);
  for (int block = rows.warp; block < block_count(rows.rank); block += rows.warps) {
    T sum[block_size];
    sums.make(chamber_blocks_size(rows.rank) + std::int64_t{block} * (rows.rank + 1) * block_size, point, sum);
#pragma unroll
    for (int m = 0; m < block_size; ++m) {
      const int row = block * block_size + m;
      rows.solution[row * warp_size] = linear * sum[m];
      rows.argument[row * warp_size] = row < rows.rank ? T{0.5} * point(row + 1) : T{0};
    }
  }
  __syncthreads();
  system.multiply_add(rows.argument, rows.solution);
  __syncthreads();
}

/// At a point of the workspace; nothing where bodies have no chambers.
template <class Rows, class S, class T>
__device__ void begin_point(const Rows& rows, S& system, T* points) {
  if constexpr (Rows::has_chambers) begin_chambers(rows, system, [&](int k) { return *rows.point(points, k - 1); });
}
/// Behind `begin_point`: K of both. Begins and ends with a barrier.
template <class Rows, class S, class Stiffness>
__device__ void complete_stiffness(const Rows&, S& system, const Stiffness& stiffness) {
  if constexpr (Rows::has_chambers)
    system.add(stiffness);
  else
    system.load(stiffness);
}
/// K of both anew. Begins and ends with a barrier.
template <class Rows, class S, class Stiffness, class Point>
__device__ void load_stiffness(const Rows& rows, S& system, const Stiffness& stiffness, const Point& point) {
  if constexpr (Rows::has_chambers) {
    __syncthreads();
    fill_chamber_stiffness(rows, system, point);
  }
  complete_stiffness(rows, system, stiffness);
}

}  // namespace quartic::cuda
