// The bound trees of a batch's groups on the device.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/contact/device_world.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/contact/contact_view.hpp"

namespace quartic::cuda {

class DeviceTrees {
 public:
  DeviceTrees() = default;
  /// @param trees by group, null for none; equal ones are there once @param frames by group, null for none
  DeviceTrees(const BoundTrees& trees, std::span<const SharedFrame> frames, cudaStream_t stream);

  [[nodiscard]] const TreeView* views() const { return views_.data(); }  // by group
  /// Groups' frames may have moved in their meshes. Synchronises with the stream.
  void set_frames(std::span<const SharedFrame> frames, cudaStream_t stream);

  [[nodiscard]] static std::size_t bytes(const BoundTrees& trees);

 private:
  struct Tree {
    std::shared_ptr<const BoundTree> source;
    DeviceArray<BoundNode> nodes;
    DeviceArray<double> rest_spheres, fields, sizes, positions, areas, basis, leaf_basis, largest;
  };
  [[nodiscard]] static Tree upload(const std::shared_ptr<const BoundTree>& source, cudaStream_t stream);
  [[nodiscard]] static TreeView view_of(const Tree& tree);

  std::vector<Tree> trees_;
  std::vector<TreeView> host_views_;
  DeviceArray<TreeView> views_;
};

}  // namespace quartic::cuda
