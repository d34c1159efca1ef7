// A thread per body and monomial: two values read (mostly from cache), one written.
#include "cuda/energy/monomials.hpp"

namespace quartic::cuda {
namespace {

constexpr int monomials_per_block = 32;

template <class T>
__global__ void __launch_bounds__(tile_bodies)
    multiply_pairs(const BatchView<T> batch, int first, int monomials, const T* points, T* result) {
  const Tile& tile = batch.tiles[first + static_cast<int>(blockIdx.x)];
  const MonomialPair* pairs = batch.models[tile.model].pairs;
  points += tile.point_row * tile_bodies + threadIdx.x;
  result += static_cast<std::int64_t>(blockIdx.x) * monomials * tile_bodies + threadIdx.x;
  const int begin = static_cast<int>(blockIdx.y) * monomials_per_block;
  for (int n = begin; n < monomials && n < begin + monomials_per_block; ++n)
    result[n * tile_bodies] = points[pairs[n].first * tile_bodies] * points[pairs[n].second * tile_bodies];
}

}  // namespace

template <class T>
void make_monomials(const BatchView<T>& batch, int first, int tiles, int monomials, const T* points, T* result,
                    cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(tiles),
                  static_cast<unsigned>((monomials + monomials_per_block - 1) / monomials_per_block));
  launch(multiply_pairs<T>, {grid, dim3(tile_bodies)}, stream, batch, first, monomials, points, result);
}

template void make_monomials(const BatchView<float>&, int, int, int, const float*, float*, cudaStream_t);
template void make_monomials(const BatchView<double>&, int, int, int, const double*, double*, cudaStream_t);

}  // namespace quartic::cuda
