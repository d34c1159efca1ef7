// Seats of the bodies that have candidates, and the memory that their steps are made in.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cuda/base/runtime.hpp"
#include "cuda/contact/near_images.hpp"
#include "cuda/contact/near_view.hpp"
#include "quartic/batch.hpp"

namespace quartic::cuda {

/// A group as its steps with contacts see it.
struct NearKind {
  GroupRange range;
  bool has_tree = false, flies = false;
};

class NearBodies {
 public:
  NearBodies() = default;
  NearBodies(std::span<const NearKind> kinds, NearImages::Models models, NearImages::Frames frames,
             cudaStream_t stream);

  /// Others of the same ranks. Synchronises with the stream.
  void set_models(NearImages::Models models, NearImages::Frames frames, cudaStream_t stream) {
    images_.set(models, frames, stream);
  }
  [[nodiscard]] NearView view() const;
  [[nodiscard]] static std::size_t bytes(std::span<const NearKind> kinds);

 private:
  NearView shape_;  // numbers alone
  NearImages images_;
  DeviceArray<std::int64_t> has_candidates_, before_, taken_, first_places_;
  DeviceArray<NearGroup> groups_;
  DeviceArray<std::int32_t> group_of_tile_, ranks_, bodies_;
  DeviceArray<std::uint8_t> open_;
  DeviceArray<double> points_[near_point_kinds], products_, kept_;
};

}  // namespace quartic::cuda
