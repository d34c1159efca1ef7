#include "cuda/fem/device_mesh.hpp"

namespace quartic::cuda {
namespace {

template <class T>
DeviceArray<T> copy(const std::vector<T>& values, cudaStream_t stream) {
  return DeviceArray<T>(std::span<const T>(values), stream);
}

}  // namespace

DeviceRule::DeviceRule(const RuleImage& rule, cudaStream_t stream)
    : weights_(copy(rule.weights, stream)),
      values_(copy(rule.values, stream)),
      gradients_(copy(rule.gradients, stream)) {}

RuleView DeviceRule::view() const {
  return {static_cast<int>(weights_.size()), weights_.data(), values_.data(), gradients_.data()};
}

DeviceMesh::DeviceMesh(const MeshImage& mesh, cudaStream_t stream)
    : positions_(mesh.positions, stream),
      lambda_(copy(mesh.materials.lambda, stream)),
      mu_(copy(mesh.materials.mu, stream)),
      density_(copy(mesh.materials.density, stream)),
      region_(mesh.element_region, stream) {
  for (const BlockImage& image : mesh.blocks) {
    DeviceBlock block{.view = {},
                      .count = image.count(),
                      .first_element = image.first_element,
                      .quadratic = image.quadratic,
                      .stiffness = DeviceRule(image.stiffness, stream),
                      .mass = DeviceRule(image.mass, stream),
                      .vertices = DeviceArray<std::int32_t>(image.vertices, stream)};
    block.view = {positions_.data(), block.vertices.data(), region_.data() + image.first_element, image.corners};
    blocks_.push_back(std::move(block));
  }
}

std::size_t DeviceMesh::bytes(const MeshImage& mesh) {
  std::size_t bytes = mesh.positions.size_bytes() + mesh.element_region.size_bytes();
  for (const BlockImage& block : mesh.blocks) bytes += block.vertices.size_bytes();
  return bytes;
}

}  // namespace quartic::cuda
