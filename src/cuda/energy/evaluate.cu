// H = C m: the coefficients of a model times the monomials of 128 bodies, made on the way.
//
// A block of 4 warps works on one tile. W <= 4 of them sum `block_rows` rows of H each, a lane 8 rows (float) or 4 for
// 8 bodies: per monomial 64 or 32 multiply-adds for 4 or 6 loads of 16 bytes from shared memory. Slabs of coefficients
// come by asynchronous copies, each warp for itself, slabs of monomials are computed by all warps, also those without
// rows; both are double-buffered, with one barrier per slab.
//
// Each sum runs over the monomials in order, in one thread: its bits depend on nothing but the body and the model.
//
// Shared memory: 2 slabs of (128 + W block_rows) values per monomial, 24 kB at W = 4 in float.
// Per body: 2 h_rows (r+1)(r+2)/2 flops; (r+1) values read, h_rows written; coefficients are read once per tile, from
// L2.
#include "cuda/base/shared_memory.cuh"
#include "cuda/energy/any_open.cuh"
#include "cuda/energy/evaluate.hpp"
#include "cuda/energy/whole_tile_product.cuh"

namespace quartic::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(product_warps* warp_size, 3) evaluate_tiles(const BatchView<T> batch, int row_warps) {
  constexpr int slab_values = slab_monomials<T> * block_rows<T>, monomial_values = slab_monomials<T> * tile_bodies;
  const Tile& tile = batch.tiles[blockIdx.x];
  const ModelView<T>& model = batch.models[tile.model];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int first_block = static_cast<int>(blockIdx.y) * row_warps, row_block = first_block + warp;
  if (first_block >= model.row_blocks || !any_open(batch, tile)) return;
  const bool has_rows = warp < row_warps && row_block < model.row_blocks;

  T* monomials = reinterpret_cast<T*>(shared_memory());
  T* coefficients = monomials + 2 * monomial_values + 2 * warp * slab_values;
  const T* next = model.coefficients + static_cast<std::int64_t>(row_block) * model.monomials * block_rows<T>;
  const T* points = (blockIdx.z == 0 ? batch.points : batch.second_points) + tile.point_row * tile_bodies;
  T* h = blockIdx.z == 0 ? batch.h : batch.second_h;

  if (has_rows) copy_coefficients<T, slab_monomials<T>>(next, coefficients);
  __pipeline_commit();
  make_slab_monomials(model.pairs, points, monomials);
  TileSums<T> sums;
  const int slabs = model.monomials / slab_monomials<T>;
  for (int s = 0; s < slabs; ++s) {
    __pipeline_wait_prior(0);
    __syncthreads();  // slab s is there, and nobody reads slab s - 1 any more
    const int current = s % 2, other = 1 - current;
    if (s + 1 < slabs) {
      if (has_rows)
        copy_coefficients<T, slab_monomials<T>>(next + (s + 1) * slab_values, coefficients + other * slab_values);
      __pipeline_commit();
      make_slab_monomials(model.pairs + (s + 1) * slab_monomials<T>, points, monomials + other * monomial_values);
    }
    if (has_rows) sums.add_slab(coefficients + current * slab_values, monomials + current * monomial_values);
  }
  if (has_rows)
    sums.store(model.h_rows - row_block * block_rows<T>,
               h + (tile.h_row + static_cast<std::int64_t>(row_block) * block_rows<T>)*tile_bodies);
}

}  // namespace

template <class T>
void StrictEvaluator<T>::evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const {
  const ProductLaunch product = product_launch(batch, shape, shape.row_blocks);
  launch(evaluate_tiles<T>, product.shape, stream, batch, product.row_warps);
}

template class StrictEvaluator<float>;
template class StrictEvaluator<double>;

}  // namespace quartic::cuda
