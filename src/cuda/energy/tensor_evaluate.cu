// A block for a tile of 128 bodies and up to 128 (float) or 64 (double) rows of H: see tensor_tile.cuh.
//
// Shared memory: two slabs of 12 kB (float) or 16 kB of monomials.
// Per body: 2 h_rows (r+1)(r+2)/2 flops, three times as many in float; (r+1) values read, h_rows written; coefficients
// are read once per tile, from L2.
#include <algorithm>
#include <type_traits>

#include "cuda/base/shared_memory.cuh"
#include "cuda/energy/any_open.cuh"
#include "cuda/energy/tensor_evaluate.hpp"
#include "cuda/energy/tensor_tile.cuh"

namespace quartic::cuda {
namespace {

template <class T>
constexpr int warps_across = tile_bodies / warp_bodies<T, tile_bodies>;

template <class T>
__global__ void __launch_bounds__(most_tensor_warps* warp_size, 2)
    evaluate_tiles_on_tensor_cores(const BatchView<T> batch, const TensorImage<T>* images) {
  const Tile& tile = batch.tiles[blockIdx.x];
  const ModelView<T>& model = batch.models[tile.model];
  const TensorImage<T>& image = images[tile.model];
  const int block_tiles = static_cast<int>(blockDim.x) / (warp_size * warps_across<T>)*warp_row_tiles;
  const int first_tile = static_cast<int>(blockIdx.y) * block_tiles;
  if (first_tile >= image.row_tiles || !any_open(batch, tile)) return;
  const T* points = (blockIdx.z == 0 ? batch.points : batch.second_points) + tile.point_row * tile_bodies;
  multiply_on_tensor_cores<T, tile_bodies>(
      image, points, first_tile, min(block_tiles, image.row_tiles - first_tile),
      reinterpret_cast<unsigned char*>(shared_memory()), [&](unsigned row) {
        T* h = (blockIdx.z == 0 ? batch.h : batch.second_h) + (tile.h_row + row) * tile_bodies;
        T* to = row < static_cast<unsigned>(model.h_rows) ? h : nullptr;
        return [to](unsigned body, const auto& pair) {
          if (to != nullptr) *reinterpret_cast<std::remove_cvref_t<decltype(pair)>*>(to + body) = pair;
        };
      });
}

}  // namespace

template <class T>
void evaluate_on_tensor_cores(const BatchView<T>& batch, const TensorImage<T>* images, const StepShape& shape,
                              cudaStream_t stream) {
  // As few blocks as the most warps allow, since each makes all monomials; but more where few tiles would leave
  // multiprocessors idle.
  constexpr int most_down = most_tensor_warps / warps_across<T>;
  const int tiles = shape.tiles, points = batch.second_points == nullptr ? 1 : 2;
  const int down = (stiffness_rows(shape.rank) + shape.rank + warp_row_tiles * tensor_rows - 1) /
                   (warp_row_tiles * tensor_rows);  // warps that the largest model needs
  const int fewest = (down + most_down - 1) / most_down;
  const int wanted = (2 * shape.multiprocessors + tiles * points - 1) / (tiles * points);
  const int warps_down = (down + std::clamp(wanted, fewest, down) - 1) / std::clamp(wanted, fewest, down);
  const int blocks = (down + warps_down - 1) / warps_down;
  const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(blocks), static_cast<unsigned>(points));
  const dim3 block(static_cast<unsigned>(warps_down * warps_across<T> * warp_size));
  launch(evaluate_tiles_on_tensor_cores<T>, {grid, block, std::size_t{2} * tensor_slab_bytes<T>(tile_bodies)}, stream,
         batch, images);
}

template void evaluate_on_tensor_cores(const BatchView<float>&, const TensorImage<float>*, const StepShape&,
                                       cudaStream_t);
template void evaluate_on_tensor_cores(const BatchView<double>&, const TensorImage<double>*, const StepShape&,
                                       cudaStream_t);

}  // namespace quartic::cuda
