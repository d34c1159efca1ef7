// What bodies with candidates are multiplied with on tensor cores: of each group's model.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "cuda/base/runtime.hpp"
#include "cuda/contact/near_view.hpp"
#include "quartic/force_model.hpp"
#include "quartic/frame_moments.hpp"

namespace quartic::cuda {

class NearImages {
 public:
  using Models = std::span<const std::shared_ptr<const ForceModel>>;
  using Frames = std::span<const std::shared_ptr<const FrameMoments>>;

  NearImages() = default;
  /// @param has_tree of each group: others have no images. @param frames null for those that are held
  NearImages(const std::vector<bool>& has_tree, Models models, Frames frames, cudaStream_t stream);

  /// Others of the same ranks. Synchronises with the stream.
  void set(Models models, Frames frames, cudaStream_t stream);
  [[nodiscard]] const TensorImage<double>* views() const { return views_.data(); }
  [[nodiscard]] static std::size_t bytes(int rank, bool flies);

 private:
  struct Image {
    DeviceArray<Fragment<double>> fragments;
    DeviceArray<MonomialFactors<double>> factors;
  };

  std::vector<Image> images_;  // near_product_count of each group
  DeviceArray<TensorImage<double>> views_;
};

}  // namespace quartic::cuda
