// H of a fused block's bodies by plain multiply-adds, as evaluate.cu makes it.
//
// The warps share out the units of rows (product_tile.cuh), one to four each at a time. Slabs of coefficients come by
// asynchronous copies, slabs of monomials are computed, each by all warps for all; both are double-buffered, with one
// barrier per slab.
#pragma once

#include <type_traits>

#include "cuda/batch/steps/fused_bodies.cuh"
#include "cuda/energy/product_tile.cuh"

namespace quartic::cuda {

/// Calls with `value` as a constant, if it is among 1 .. `most`.
template <int most, class Call>
__device__ void with_constant(int value, const Call& call) {
  if (value == most)
    call(std::integral_constant<int, most>());
  else if constexpr (most > 1)
    with_constant<most - 1>(value, call);
}

/// H at the block's points, into the rows of its bodies.
/// @tparam adds to what is there
template <class T, int width, bool adds = false>
class FusedProduct {
 public:
  using Memory = FusedMemory<T, width>;
  static constexpr bool on_tensor_cores = false;

  __device__ FusedProduct(const BatchView<T>& batch, const FusedLayout& layout) : batch_(batch), layout_(layout) {}

  /// K into the matrix and H_i0 into `solution`. Begins and ends with a barrier.
  __device__ void evaluate() const {
    for (int first = 0; first < model().row_blocks; first += layout_.pass_blocks) {
      __syncthreads();  // points are complete, and nobody reads a slab any more
      Sums sums = {};
      sum_rows(first, sums);
      store(first, sums);
    }
    fill_padding(model().rank, memory());
    __syncthreads();
  }

 private:
  using Grid = LaneGrid<T, Memory::bodies>;
  using Sums = T[fused_units<T>(width) * pack_size<T>][Grid::columns];
  static constexpr int block_units = block_rows<T> / Grid::unit_rows;
  static constexpr int unit_values = fused_slab * Grid::unit_rows, block_values = fused_slab * block_rows<T>;
  static_assert(block_values == warp_size * pack_size<T>, "a slab of a block of rows is one copy per lane");

  // These are made anew where they are needed: the sums leave no registers for them.
  [[nodiscard]] __device__ const ModelView<T>& model() const { return fused_lane_bodies<T, width>(batch_).model; }
  [[nodiscard]] __device__ Memory memory() const { return {model().rank, layout_}; }
  [[nodiscard]] static __device__ int warp() { return recomputed(static_cast<int>(threadIdx.x)) / warp_size; }
  [[nodiscard]] static __device__ int warps() { return static_cast<int>(blockDim.x) / warp_size; }
  [[nodiscard]] static __device__ int lane() { return recomputed(static_cast<int>(threadIdx.x)) % warp_size; }

  // A warp's units of the pass over the rows from `first_block` on. The first warps have one more, so that schedulers
  // have as many, or nearly.
  struct Share {
    int first, count;
  };
  [[nodiscard]] __device__ Share share(const ModelView<T>& model, int first_block) const {
    const int rows = fused_rows(model.rank) - first_block * block_rows<T>;
    const int all = min(layout_.pass_blocks * block_units, (rows + Grid::unit_rows - 1) / Grid::unit_rows);
    int each = 0;  // all / warps
#pragma unroll
    for (int n = 1; n <= fused_units<T>(width); ++n) each += all >= n * warps() ? 1 : 0;
    const int more = all - each * warps(), number = warp();
    return {each * number + min(number, more), each + (number < more ? 1 : 0)};
  }

  // The slabs that the product is made of.
  struct Slabs {
    T* memory;
    int block_count;  // of coefficients
    [[nodiscard]] __device__ T* monomials(int buffer) const { return memory + buffer * fused_slab * Memory::bodies; }
    [[nodiscard]] __device__ T* coefficients(int buffer) const {
      return memory + 2 * fused_slab * Memory::bodies + buffer * block_count * block_values;
    }
  };

  __device__ void sum_rows(int first_block, Sums& sums) const {
    const ModelView<T>& of = model();
    Memory parts(of.rank, layout_);
    const Slabs slabs{parts.slabs, layout_.pass_blocks};
    const Share own = share(of, first_block);
    const int step = of.monomials * block_rows<T>;
    const int blocks = min(layout_.pass_blocks, of.row_blocks - first_block);
    const T* from = of.coefficients + (first_block + warp()) * step + lane() * pack_size<T>;
    const int place = lane_place(), row = own.first * unit_values + Grid::row(), body = Grid::body();
    start_slab(slabs, 0, place, from, step, blocks, parts);
    int buffer = 0;
    for (int left = (of.rank + 1) * (of.rank + 2) / 2; left > 0; left -= fused_slab, buffer = 1 - buffer) {
      __pipeline_wait_prior(0);
      __syncthreads();  // this slab is there, and nobody reads the one before any more
      parts.pairs += fused_slab;
      if (left > fused_slab) start_slab(slabs, 1 - buffer, place, from += block_values, step, blocks, parts);
      const T *c = slabs.coefficients(buffer) + row, *m = slabs.monomials(buffer) + body;
      with_constant<fused_units<T>(width)>(own.count, [&](auto units) {
        if (left >= fused_slab) {
#pragma unroll
          for (int k = 0; k < fused_slab; ++k) multiply<units>(c, m, k, sums);
        } else {
#pragma unroll 1
          for (int k = 0; k < left; ++k) multiply<units>(c, m, k, sums);
        }
      });
    }
  }

  template <int units>
  __device__ static void multiply(const T* c, const T* m, int k, Sums& sums) {
    multiply_monomial<Memory::bodies, units>(c + k * Grid::unit_rows, unit_values, m + k * Memory::bodies, sums);
  }

  // `from`: of the warp's first block, the values that this lane copies to `place`; blocks lie `step` apart. The slab's
  // monomials are the first of `parts.pairs`.
  __device__ static void start_slab(const Slabs& slabs, int buffer, int place, const T* from, int step, int blocks,
                                    const Memory& parts) {
    T* to = slabs.coefficients(buffer) + place;
#pragma unroll 1
    for (int block = warp(); block < blocks; block += warps(), from += warps() * step)
      __pipeline_memcpy_async(to + block * block_values, from, 16);
    __pipeline_commit();
    make_monomials<T, Memory::bodies, fused_slab>(parts.pairs, parts.points, slabs.monomials(buffer));
  }
  // Where a lane puts what it copies of a block's [monomial][row]: unit by unit.
  [[nodiscard]] static __device__ int lane_place() {
    const int value = lane() * pack_size<T>, monomial = value / block_rows<T>, row = value % block_rows<T>;
    return row / Grid::unit_rows * unit_values + monomial * Grid::unit_rows + row % Grid::unit_rows;
  }

  __device__ void store(int first_block, const Sums& sums) const {
    const Memory parts = memory();
    const Share own = share(model(), first_block);
    const int first_row = first_block * block_rows<T> + own.first * Grid::unit_rows + Grid::row();
    const int rows = fused_rows(model().rank);
    T* bodies = parts.rows_of(Grid::body());
#pragma unroll
    for (int n = 0; n < fused_units<T>(width) * pack_size<T>; ++n) {
      const int row = first_row + n / pack_size<T> * Grid::unit_rows + n % pack_size<T>;
      if (n / pack_size<T> >= own.count || row >= rows) continue;
      const RowPlace place = parts.places[row];
#pragma unroll
      for (int b = 0; b < Grid::columns; b += pack_size<T>) {
        // From one pack of bodies to the next the same step as from one group of 32 to the next, or within a group.
        const int step = b / pack_size<T> * Grid::column_step;
        T* to = bodies + step / warp_size * parts.group_rows * warp_size + step % warp_size;
        put(sums[n] + b, to + place.entry * warp_size);
        if (place.mirrored != place.entry) put(sums[n] + b, to + place.mirrored * warp_size);
      }
    }
  }

  __device__ static void put(const T* sums, T* to) {
    if constexpr (adds) {
      T values[pack_size<T>];
      load_vector<pack_size<T>>(to, values);
#pragma unroll
      for (int k = 0; k < pack_size<T>; ++k) values[k] += sums[k];
      store_vector<pack_size<T>>(values, to);
    } else {
      store_vector<pack_size<T>>(sums, to);
    }
  }

  const BatchView<T>& batch_;
  const FusedLayout& layout_;
};

}  // namespace quartic::cuda
