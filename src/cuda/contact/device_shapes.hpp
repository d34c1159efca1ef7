// The colliders of a world on the device.
#pragma once

#include <span>
#include <vector>

#include "cuda/base/runtime.hpp"
#include "cuda/contact/contact_view.hpp"

namespace quartic::cuda {

class DeviceShapes {
 public:
  /// Whether these colliders have the shapes that are here.
  [[nodiscard]] bool has_shapes_of(std::span<const Collider> colliders) const;
  /// Gets other shapes: what `view` and `data` gave is of no use any more. Synchronises with the stream.
  void set_shapes(std::span<const Collider> colliders, cudaStream_t stream);
  /// Poses and twists of as many colliders. Both synchronise with the stream.
  void send(std::span<const Collider> colliders, cudaStream_t stream);
  void fetch(std::span<Collider> colliders, cudaStream_t stream) const;

  [[nodiscard]] ShapesView view() const;

 private:
  [[nodiscard]] SolidView uploaded(const Shape& shape, cudaStream_t stream);

  std::vector<Shape> shapes_;
  std::vector<DeviceArray<double>> numbers_;  // of grids and meshes
  std::vector<DeviceArray<std::int32_t>> indices_;
  DeviceArray<SolidView> solids_;
  DeviceArray<double> poses_;
  DeviceArray<Motion> start_, end_;
};

}  // namespace quartic::cuda
