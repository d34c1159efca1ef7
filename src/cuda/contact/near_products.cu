// A block for a tile of 128 seats and up to 64 rows of one of a model's products: see cuda/energy/tensor_tile.cuh, in
// double. Tiles in which no step is at work cost nothing.
//
// Shared memory: two slabs of 16 kB of monomials. Per body: 2 h_rows (r+1)(r+2)/2 flops for H, 2 (13 r^2 + r (12 + 9
// r)) for what flies; coefficients are read once per tile, from L2.
#include "cuda/base/shared_memory.cuh"
#include "cuda/contact/near_products.hpp"
#include "cuda/energy/tensor_tile.cuh"

namespace quartic::cuda {
namespace {

constexpr int warps_across = tile_bodies / warp_bodies<double, tile_bodies>;
constexpr int block_tiles = most_tensor_warps / warps_across * warp_row_tiles;

[[nodiscard]] constexpr int blocks_of(int rows) {
  return (rows + block_tiles * tensor_rows - 1) / (block_tiles * tensor_rows);
}

// Where the blocks of each product begin.
struct BlockRanges {
  int first[near_product_count + 1];
};

[[nodiscard]] __device__ bool any_open(const NearView& near, int tile) {
  const int taken = near.taken_in(tile), lane = static_cast<int>(threadIdx.x);
  const int open = lane < taken ? near.open[std::int64_t{tile} * tile_bodies + lane] : 0;
  return __syncthreads_or(open) != 0;
}

__global__ void __launch_bounds__(most_tensor_warps* warp_size, 2)
    multiply_all(const NearView near, const BlockRanges blocks) {
  const int tile = static_cast<int>(blockIdx.x), block = static_cast<int>(blockIdx.y);
  int product = 0;
  while (block >= blocks.first[product + 1]) ++product;
  const int group = near.group_of_tile[tile];
  const TensorImage<double>& image = near.images[group * near_product_count + product];
  const int first_tile = (block - blocks.first[product]) * block_tiles;
  if (first_tile >= image.row_tiles || !any_open(near, tile)) return;
  const int rank = near.ranks[group];
  const NearProducts places(rank, true);
  const int rows = places.first[product + 1] - places.first[product];
  double* to = near.products + near.first_places[tile] * near.products_size + places.first[product];
  const int size = near.products_size;
  const auto taken = static_cast<unsigned>(near.taken_in(tile));
  multiply_on_tensor_cores<double, tile_bodies>(image, near.point(points_of(product), std::int64_t{tile} * tile_bodies),
                                                first_tile, min(block_tiles, image.row_tiles - first_tile),
                                                reinterpret_cast<unsigned char*>(shared_memory()), [&](unsigned row) {
                                                  double* of_row = static_cast<int>(row) < rows ? to + row : nullptr;
                                                  return [of_row, size, taken](unsigned body, const double2& pair) {
                                                    if (of_row == nullptr) return;
                                                    if (body < taken)
                                                      of_row[static_cast<std::int64_t>(body) * size] = pair.x;
                                                    if (body + 1 < taken)
                                                      of_row[static_cast<std::int64_t>(body + 1) * size] = pair.y;
                                                  };
                                                });
}

}  // namespace

void multiply_near_bodies(const NearView& near, bool flies, cudaStream_t stream) {
  const NearProducts places(near.rank, flies);
  BlockRanges blocks = {};
  for (int p = 0; p < near_product_count; ++p)
    blocks.first[p + 1] = blocks.first[p] + blocks_of(places.first[p + 1] - places.first[p]);
  launch(multiply_all,
         {dim3(static_cast<unsigned>(near.tiles), static_cast<unsigned>(blocks.first[near_product_count])),
          dim3(most_tensor_warps * warp_size), std::size_t{2} * tensor_slab_bytes<double>(tile_bodies)},
         stream, near, blocks);
}

}  // namespace quartic::cuda
