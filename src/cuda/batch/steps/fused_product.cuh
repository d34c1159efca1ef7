// H of a fused block's bodies by plain multiply-adds, as evaluate.cu makes it.
//
// Lane l of each warp has `width` bodies, for which it sums one to four blocks of rows at once. Slabs of coefficients
// come by asynchronous copies, each warp for itself, slabs of monomials are computed by all warps; both are
// double-buffered, with one barrier per slab.
#pragma once

#include <type_traits>

#include "cuda/batch/steps/fused_bodies.cuh"
#include "cuda/energy/product_tile.cuh"

namespace quartic::cuda {

/// H at the block's points, into the rows of its bodies.
template <class T, int width>
class FusedProduct {
 public:
  using Memory = FusedMemory<T, width>;
  static constexpr bool on_tensor_cores = false;
  static constexpr int blocks_at_once = fused_row_blocks<T>(width);

  __device__ FusedProduct(const BatchView<T>& batch, bool iterates)
      : model_(batch.models[fused_lane_bodies<T, width>(batch).tile.model]),
        memory_(model_.rank, iterates, on_tensor_cores),
        warp_(static_cast<int>(threadIdx.x) / warp_size),
        warps_(static_cast<int>(blockDim.x) / warp_size),
        monomials_((model_.rank + 1) * (model_.rank + 2) / 2) {}

  /// K into the matrix and H_i0 into `solution`. Begins and ends with a barrier.
  __device__ void evaluate() const {
    for (int pass = 0; pass < model_.row_blocks; pass += warps_ * blocks_at_once) {
      const int first = pass + warp_ * blocks_at_once, rest = model_.row_blocks - first;
      __syncthreads();  // points are complete, and nobody reads a slab any more
      T sums[blocks_at_once * block_rows<T>][width] = {};
      if (rest >= blocks_at_once)
        multiply(first, std::integral_constant<int, blocks_at_once>(), sums);
      else
        multiply(first, rest, sums);
      if (rest > 0) store(first, sums);
    }
    fill_padding(model_.rank, memory_);
    __syncthreads();
  }

 private:
  // The first monomials of the first rows, for the copies by this lane; `count` blocks of rows: a constant for most
  // warps, or fewer (or none) for the last ones.
  template <class Count>
  __device__ void start_slab(const T* from, int slab, Count count) const {
    T* to = coefficients(slab % 2) + lane_pack();
    const int step = model_.monomials * block_rows<T>;
#pragma unroll
    for (int block = 0; block < blocks_at_once; ++block) {
      if (block >= count) break;
      __pipeline_memcpy_async(to + block * slab_values, from + slab * slab_values + block * step, 16);
    }
    __pipeline_commit();
    make_monomials<T, Memory::bodies, fused_slab>(model_.pairs + slab * fused_slab, memory_.points,
                                                  monomials(slab % 2));
  }

  template <class Count>
  __device__ void multiply(int first, Count count, T (&sums)[blocks_at_once * block_rows<T>][width]) const {
    const T* from =
        model_.coefficients + static_cast<std::int64_t>(first) * model_.monomials * block_rows<T> + lane_pack();
    const int slabs = (monomials_ + fused_slab - 1) / fused_slab;
    start_slab(from, 0, count);
    for (int s = 0; s < slabs; ++s) {
      __pipeline_wait_prior(0);
      __syncthreads();  // slab s is there, and nobody reads slab s - 1 any more
      if (s + 1 < slabs) start_slab(from, s + 1, count);
      const T *c = coefficients(s % 2), *m = monomials(s % 2);
      if (s + 1 < slabs || monomials_ % fused_slab == 0) {
#pragma unroll
        for (int k = 0; k < fused_slab; ++k)
          multiply_monomial(count, c + k * block_rows<T>, slab_values, m + k * Memory::bodies, sums);
      } else {
#pragma unroll 1
        for (int k = 0; k < monomials_ % fused_slab; ++k)
          multiply_monomial(count, c + k * block_rows<T>, slab_values, m + k * Memory::bodies, sums);
      }
    }
  }

  __device__ void store(int first, const T (&sums)[blocks_at_once * block_rows<T>][width]) const {
    using Lane = LaneVectors<T, width>;
    const RowPlace* places = memory_.places + first * block_rows<T>;
    T* to[Lane::count];
#pragma unroll
    for (int v = 0; v < Lane::count; ++v) to[v] = memory_.rows_of(Lane::first() + v * Lane::step);
#pragma unroll
    for (int n = 0; n < blocks_at_once * block_rows<T>; ++n) {
      const RowPlace place = places[n];
#pragma unroll
      for (int v = 0; v < Lane::count; ++v) {
        const T* values = sums[n] + v * Lane::size;
        store_vector<Lane::size>(values, to[v] + place.entry * warp_size);
        if (place.mirrored != place.entry) store_vector<Lane::size>(values, to[v] + place.mirrored * warp_size);
      }
    }
  }

  static constexpr int slab_values = fused_slab * block_rows<T>;
  static_assert(slab_values == warp_size * pack_size<T>, "a slab of a block of rows is one copy per lane");
  [[nodiscard]] static __device__ int lane_pack() {
    return static_cast<int>(threadIdx.x) % warp_size * pack_size<T>;
  }
  static constexpr int slab_monomials = fused_slab * Memory::bodies;
  [[nodiscard]] __device__ T* coefficients(int buffer) const {
    return memory_.slabs + 2 * slab_monomials + (2 * warp_ + buffer) * blocks_at_once * slab_values;
  }
  [[nodiscard]] __device__ T* monomials(int buffer) const {
    return memory_.slabs + buffer * slab_monomials;
  }

  const ModelView<T>& model_;
  Memory memory_;
  int warp_, warps_, monomials_;
};

}  // namespace quartic::cuda
