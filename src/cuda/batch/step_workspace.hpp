// What the tiles at work take beside the state: see BatchView.
#pragma once

#include <cstdint>

#include "cuda/base/runtime.hpp"
#include "cuda/batch/tile_plan.hpp"
#include "cuda/energy/batch_view.hpp"

namespace quartic::cuda {

/// One for all chunks, which are at work one after the other.
template <class T>
struct StepWorkspace {
  DeviceArray<T> points, second_points, h, second_h, increment, system, strains, frames, damping, middle_points;
  DeviceArray<T> last_squares;         // shape (B)
  DeviceArray<std::uint8_t> progress;  // likewise

  StepWorkspace() = default;
  StepWorkspace(const WorkspaceRows& rows, Integrator integrator, std::int64_t bodies, cudaStream_t stream);
  void show(BatchView<T>& view) const;
};

}  // namespace quartic::cuda
