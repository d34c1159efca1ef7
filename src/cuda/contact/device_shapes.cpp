#include "cuda/contact/device_shapes.hpp"

#include <algorithm>
#include <variant>

#include "core/contact/solids.hpp"

namespace quartic::cuda {
namespace {

constexpr std::size_t pose_rows = 7, motion_rows = 13;

}  // namespace

bool DeviceShapes::has_shapes_of(std::span<const Collider> colliders) const {
  return std::ranges::equal(colliders, shapes_, [](const Collider& collider, const Shape& shape) {
    return &collider.shape.geometry() == &shape.geometry();
  });
}

SolidView DeviceShapes::uploaded(const Shape& shape, cudaStream_t stream) {
  SolidView solid = shape.solid().view();
  const auto copy = [&]<class V>(std::vector<DeviceArray<V>>& arrays, const V*& values, std::size_t count) {
    arrays.emplace_back(std::span<const V>(values, count), stream);
    values = arrays.back().data();
  };
  if (const auto* grid = std::get_if<DistanceGrid>(&shape.geometry()))
    copy(numbers_, solid.grid.values, grid->values.size());
  if (const auto* geometry = std::get_if<MeshShape>(&shape.geometry())) {
    MeshView& mesh = solid.mesh;
    const std::size_t corners = geometry->triangles.size();
    copy(numbers_, mesh.vertices, geometry->vertices.size());
    copy(numbers_, mesh.vertex_normals, geometry->vertices.size());
    copy(numbers_, mesh.normals, corners);
    copy(numbers_, mesh.edge_normals, 3 * corners);
    copy(numbers_, mesh.boxes, 6 * static_cast<std::size_t>(mesh.starts[mesh.levels]));
    copy(indices_, mesh.triangles, corners);
    copy(indices_, mesh.numbers, corners / 3);
  }
  return solid;
}

void DeviceShapes::set_shapes(std::span<const Collider> colliders, cudaStream_t stream) {
  shapes_.clear();
  numbers_.clear();
  indices_.clear();
  std::vector<SolidView> solids;
  for (const Collider& collider : colliders) solids.push_back(uploaded(collider.shape, stream));
  solids_ = DeviceArray<SolidView>(std::span<const SolidView>(solids), stream);
  const auto count = static_cast<std::int64_t>(colliders.size());
  poses_ = DeviceArray<double>(static_cast<std::int64_t>(motion_rows) * count, stream);
  start_ = DeviceArray<Motion>(count, stream);
  end_ = DeviceArray<Motion>(count, stream);
  for (const Collider& collider : colliders) shapes_.push_back(collider.shape);
}

void DeviceShapes::send(std::span<const Collider> colliders, cudaStream_t stream) {
  std::vector<double> poses;
  for (const Collider& collider : colliders) {
    poses.insert(poses.end(), collider.pose.begin(), collider.pose.end());
    poses.insert(poses.end(), collider.twist.begin(), collider.twist.end());
  }
  poses_.copy_from(poses, stream);
}

void DeviceShapes::fetch(std::span<Collider> colliders, cudaStream_t stream) const {
  if (colliders.empty()) return;
  std::vector<double> poses(motion_rows * colliders.size());
  check(cudaMemcpyAsync(poses.data(), poses_.data(), poses_.bytes(), cudaMemcpyDeviceToHost, stream),
        "copy colliders from the device");
  check(cudaStreamSynchronize(stream), "copy colliders from the device");
  for (std::size_t s = 0; s < colliders.size(); ++s)
    std::copy_n(poses.data() + motion_rows * s, pose_rows, colliders[s].pose.begin());
}

ShapesView DeviceShapes::view() const {
  return {.count = static_cast<int>(shapes_.size()),
          .solids = solids_.data(),
          .poses = poses_.data(),
          .start = start_.data(),
          .end = end_.data()};
}

}  // namespace quartic::cuda
