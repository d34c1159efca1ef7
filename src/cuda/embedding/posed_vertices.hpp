// Vertices of bodies with poses, in world axes, and forces there back: kernels.
#pragma once

#include <cstdint>

#include "core/frame/vector3.hpp"
#include "cuda/embedding/embedding.hpp"

namespace quartic::cuda {

/// Rows of each body, as StateView: entry (row, body) is `data[row * stride_row + body * stride_body]`.
template <class T>
struct BodyRowsView {
  T* data;
  std::int64_t stride_row, stride_body;
};

/// x <- c + R (x - origin) for all vertices of the target.
/// @param pose of the bodies that `bodies` names, or of 0, 1, ... where that is null
template <class T>
void place_vertices(const BodyRowsView<const T>& pose, const std::int32_t* bodies, const frame::Vector3<float>& origin,
                    std::int64_t vertices, const RowTarget& target, cudaStream_t stream);

/// Forces in world axes, sorted by body: see DeviceVertexForces.
struct WorldForces {
  const std::int64_t* starts;
  const std::int32_t* vertices;
  const float* forces;
};

/// What forces on vertices act on: bodies with poses.
template <class T>
struct PosedBodies {
  std::int64_t bodies;
  BodyRowsView<const T> q, pose;
  BodyRowsView<T> force, wrench;
};

/// force += U^T R^T f, wrench += (f, R y x f) with y = X - origin + U q. @param rest X, shape (n, 3)
template <class Number, class T>
void gather_world_forces(const BasisView<Number>& basis, const float* rest, const frame::Vector3<float>& origin,
                         const WorldForces& forces, const PosedBodies<T>& to, cudaStream_t stream);

}  // namespace quartic::cuda
