// Whether a tile has a body at work.
#pragma once

#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/step_progress.hpp"

namespace quartic::cuda {

/// All threads of the block.
template <class T>
__device__ bool any_open(const BatchView<T>& batch, const Tile& tile) {
  int open = 0;
  for (int lane = static_cast<int>(threadIdx.x); lane < tile.bodies; lane += static_cast<int>(blockDim.x))
    open |= batch.progress[tile.first_body + lane] == step_open ? 1 : 0;
  return __syncthreads_or(open) != 0;
}

}  // namespace quartic::cuda
