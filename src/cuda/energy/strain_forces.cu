// R from strains (StrainForm, quartic_energy.hpp), three kernels: y = L m, then w = L^T y = dV/dm, then
//   R_i = w_i + w_ii q_i + sum_j w_ij q_j,
// since the square q_i^2 counts twice.
//
// The first two are products as in evaluate.cu, warp w summing `block_rows` rows for the 128 bodies of a tile, but of a
// triangle: a block of rows takes the slabs of columns in which it has an entry. The block's warps go through the slabs
// of all of them together, since they share the monomials, or strains; who has no entry in a slab waits. What is right
// of or below the triangle in the slabs on the diagonal, and rows and columns that fill up blocks, are zeros.
//
// Each sum has one order and one thread: its bits depend on nothing but the body and the model.
//
// Shared memory: as evaluate.cu. Per body, with p = r (r+3) / 2: 2 p (p+1) flops for the products, up to a sixteenth of
// p more columns for the diagonal; p values written and read twice, within the L2 cache. The last kernel takes 2 r
// (r+2) flops and reads each w_ij twice.
#include "cuda/base/shared_memory.cuh"
#include "cuda/energy/strain_forces.hpp"
#include "cuda/energy/whole_tile_product.cuh"

namespace quartic::cuda {
namespace {

constexpr int forces_per_thread = 4;

struct SlabRange {
  int begin, end;
  [[nodiscard]] __device__ bool has(int slab) const { return slab >= begin && slab < end; }
};

// The strains y of the tile at one of its points, and behind them w.
template <class T>
__device__ T* tile_strains(const BatchView<T>& batch, const Tile& tile, const ModelView<T>& model, int point) {
  const std::int64_t rows = std::int64_t{2} * model.strain_blocks * block_rows<T>;
  return batch.strains + (tile.strain_row + point * rows) * tile_bodies;
}

// A slab of the strains of the tile's 128 bodies, shared out among all threads of the block.
template <class T>
__device__ void copy_strains(const T* strains, T* slab) {
  constexpr int packs = slab_monomials<T> * tile_bodies / pack_size<T>;
  for (int n = static_cast<int>(threadIdx.x); n < packs; n += static_cast<int>(blockDim.x))
    __pipeline_memcpy_async(slab + n * pack_size<T>, strains + n * pack_size<T>, 16);
}

// The rows of one warp. `own`: the slabs in which they have entries, which begin at `coefficients`; `all`: those of the
// block's warps together. `make_slab(s, to)`: starts or makes slab s of what the triangle is multiplied with.
template <class T, class MakeSlab>
__device__ void multiply_triangle(const T* coefficients, const SlabRange& own, const SlabRange& all,
                                  const MakeSlab& make_slab, TileSums<T>& sums) {
  constexpr int slab_values = slab_monomials<T> * block_rows<T>, factor_values = slab_monomials<T> * tile_bodies;
  T* factors = reinterpret_cast<T*>(shared_memory());
  T* slabs = factors + 2 * factor_values + 2 * (static_cast<int>(threadIdx.x) / warp_size) * slab_values;
  const auto fetch = [&](int s) {
    if (own.has(s))
      copy_coefficients<T, slab_monomials<T>>(coefficients + (s - own.begin) * slab_values,
                                              slabs + s % 2 * slab_values);
    make_slab(s, factors + s % 2 * factor_values);
    __pipeline_commit();
  };
  fetch(all.begin);
  for (int s = all.begin; s < all.end; ++s) {
    __pipeline_wait_prior(0);
    __syncthreads();  // slab s is there, and nobody reads slab s - 1 any more
    if (s + 1 < all.end) fetch(s + 1);
    if (own.has(s)) sums.add_slab(slabs + s % 2 * slab_values, factors + s % 2 * factor_values);
  }
}

template <class T, bool transposed>
__global__ void __launch_bounds__(product_warps* warp_size, 3)
    multiply_factor(const BatchView<T> batch, int row_warps) {
  const Tile& tile = batch.tiles[blockIdx.x];
  const ModelView<T>& model = batch.models[tile.model];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  // The longest rows first.
  const int group = static_cast<int>(transposed ? gridDim.y - 1 - blockIdx.y : blockIdx.y);
  const int first = group * row_warps, block = first + warp, slabs = model.monomials / slab_monomials<T>;
  if (first >= model.strain_blocks || !any_open(batch, tile)) return;
  const bool has_rows = warp < row_warps && block < model.strain_blocks;
  T* strains = tile_strains(batch, tile, model, static_cast<int>(blockIdx.z));
  T* products = strains + model.strain_blocks * block_rows<T> * tile_bodies;

  constexpr int slab_values = slab_monomials<T> * block_rows<T>;
  TileSums<T> sums;
  if constexpr (transposed) {
    const SlabRange own{0, has_rows ? block + 1 : 0};
    const SlabRange all{0, first + row_warps < model.strain_blocks ? first + row_warps : model.strain_blocks};
    multiply_triangle(
        model.strain_transposed + transposed_slabs(block) * slab_values, own, all,
        [&](int s, T* to) { copy_strains(strains + s * slab_monomials<T> * tile_bodies, to); }, sums);
  } else {
    const SlabRange own{has_rows ? block : slabs, slabs}, all{first, slabs};
    const T* points = (blockIdx.z == 0 ? batch.points : batch.second_points) + tile.point_row * tile_bodies;
    multiply_triangle(
        model.strain_factor + factor_slabs(block, slabs) * slab_values, own, all,
        [&](int s, T* to) { make_slab_monomials(model.pairs + s * slab_monomials<T>, points, to); }, sums);
  }
  if (has_rows) sums.store(block_rows<T>, (transposed ? products : strains) + block * block_rows<T> * tile_bodies);
}

// A thread per body and `forces_per_thread` rows.
template <class T>
__global__ void __launch_bounds__(tile_bodies) sum_forces(const BatchView<T> batch) {
  const Tile& tile = batch.tiles[blockIdx.x];
  const ModelView<T>& model = batch.models[tile.model];
  const int rank = model.rank, first = static_cast<int>(blockIdx.y) * forces_per_thread;
  if (first >= rank || !any_open(batch, tile)) return;
  const int lane = static_cast<int>(threadIdx.x);
  const T* q = (blockIdx.z == 0 ? batch.points : batch.second_points) + (tile.point_row + 1) * tile_bodies + lane;
  const T* w = tile_strains(batch, tile, model, static_cast<int>(blockIdx.z)) +
               model.strain_blocks * block_rows<T> * tile_bodies + lane;
  const auto squares = [&](int i, int j) {  // w_ij, rows i <= j in pair order
    const int a = i < j ? i : j, b = i < j ? j : i;
    return w[(rank + a * (2 * rank - a - 1) / 2 + b) * tile_bodies];
  };
  T sum[forces_per_thread] = {};
  const int rows = rank - first < forces_per_thread ? rank - first : forces_per_thread;
#pragma unroll
  for (int n = 0; n < forces_per_thread; ++n)
    if (n < rows)
      sum[n] = fma(squares(first + n, first + n), q[(first + n) * tile_bodies], w[(first + n) * tile_bodies]);
  for (int j = 0; j < rank; ++j) {
    const T qj = q[j * tile_bodies];
#pragma unroll
    for (int n = 0; n < forces_per_thread; ++n)
      if (n < rows) sum[n] = fma(squares(first + n, j), qj, sum[n]);
  }
  T* forces =
      (blockIdx.z == 0 ? batch.h : batch.second_h) + (tile.h_row + stiffness_rows(rank) + first) * tile_bodies + lane;
#pragma unroll
  for (int n = 0; n < forces_per_thread; ++n)
    if (n < rows) forces[n * tile_bodies] = sum[n];
}

}  // namespace

template <class T>
void StrainEvaluator<T>::evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const {
  stiffness_.evaluate(batch, shape, stream);
  const ProductLaunch products = product_launch(batch, shape, shape.strain_blocks);
  launch(multiply_factor<T, false>, products.shape, stream, batch, products.row_warps);
  launch(multiply_factor<T, true>, products.shape, stream, batch, products.row_warps);
  const int rows = (shape.rank + forces_per_thread - 1) / forces_per_thread;
  launch(sum_forces<T>,
         {dim3(products.shape.grid.x, static_cast<unsigned>(rows), products.shape.grid.z), dim3(tile_bodies)}, stream,
         batch);
}

template class StrainEvaluator<float>;
template class StrainEvaluator<double>;

}  // namespace quartic::cuda
