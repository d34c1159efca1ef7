// Owner of a mesh in device memory.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fem/mesh_image.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/fem/mesh_view.hpp"

namespace quartic::cuda {

class DeviceRule {
 public:
  DeviceRule(const RuleImage& rule, cudaStream_t stream);
  [[nodiscard]] RuleView view() const;

 private:
  DeviceArray<double> weights_, values_, gradients_;
};

struct DeviceBlock {
  BlockView view;
  std::int64_t count, first_element;  // elements
  bool quadratic;
  DeviceRule stiffness, mass;
  DeviceArray<std::int32_t> vertices;
};

class DeviceMesh {
 public:
  DeviceMesh(const MeshImage& mesh, cudaStream_t stream);
  /// What it takes of the device's memory.
  [[nodiscard]] static std::size_t bytes(const MeshImage& mesh);
  [[nodiscard]] const std::vector<DeviceBlock>& blocks() const { return blocks_; }
  [[nodiscard]] std::int64_t vertex_count() const { return positions_.size() / 3; }
  [[nodiscard]] const double* lambda() const { return lambda_.data(); }    ///< [region]
  [[nodiscard]] const double* mu() const { return mu_.data(); }            ///< [region]
  [[nodiscard]] const double* density() const { return density_.data(); }  ///< [region]

 private:
  DeviceArray<double> positions_, lambda_, mu_, density_;
  DeviceArray<std::int32_t> region_;
  std::vector<DeviceBlock> blocks_;
};

}  // namespace quartic::cuda
