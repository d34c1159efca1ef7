// The points at which a step begins, tile by tile.
#include "cuda/batch/steps/integrators.hpp"
#include "cuda/batch/steps/step_kernels.cuh"

namespace quartic::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(tile_bodies) make_points(const BatchView<T> batch) {
  const Tile& tile = batch.tiles[blockIdx.x];
  const int lane = static_cast<int>(threadIdx.x), rank = batch.models[tile.model].rank;
  const bool valid = lane < tile.bodies;
  const std::int64_t body = tile.first_body + (valid ? lane : 0);
  for (int row = 0; row <= rank; ++row) {
    const T value = row == 0 ? T{1} : valid ? batch.q[(row - 1) * batch.pitch + body] : T{0};
    const std::int64_t at = (tile.point_row + row) * tile_bodies + lane;
    batch.points[at] = value;
    if (batch.second_points != nullptr) batch.second_points[at] = value;
  }
  if (valid) batch.progress[body] = batch.status[body] == status_diverged ? step_closed : step_open;
}

}  // namespace

template <class T>
void begin_steps(const BatchView<T>& batch, int tiles, cudaStream_t stream) {
  launch(make_points<T>, {dim3(static_cast<unsigned>(tiles)), dim3(tile_bodies)}, stream, batch);
}

template void begin_steps(const BatchView<float>&, int, cudaStream_t);
template void begin_steps(const BatchView<double>&, int, cudaStream_t);

}  // namespace quartic::cuda
