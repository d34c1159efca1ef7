// The state of a batch on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/batch/state_layout.hpp"
#include "cuda/base/runtime.hpp"

namespace quartic::cuda {

/// The blocks of a layout, (rows, pitch) each.
template <class T>
class StateBlocks {
 public:
  StateBlocks() = default;
  /// Zeros.
  /// @param rank the largest of the batch
  StateBlocks(StateLayout layout, std::int64_t rank, std::int64_t pitch, cudaStream_t stream) : layout_(layout) {
    for (const StateBlock& block : layout) {
      blocks_.emplace_back(block.rows(rank) * pitch, stream);
      blocks_.back().fill_zero(stream);
    }
  }

  [[nodiscard]] StateLayout layout() const { return layout_; }
  [[nodiscard]] const DeviceArray<T>& block(std::size_t index) const { return blocks_[index]; }
  [[nodiscard]] T* data(StateArray which) const { return blocks_[index_of(which)].data(); }

 private:
  StateLayout layout_;
  std::vector<DeviceArray<T>> blocks_;
};

}  // namespace quartic::cuda
