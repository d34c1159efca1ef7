// Vertices of many bodies in device memory, and forces on them. The contract of all functions is in quartic/cuda.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <span>

#include "quartic/cuda/vertices.hpp"
#include "quartic/export.hpp"
#include "quartic/matrix.hpp"
#include "quartic/state.hpp"

namespace quartic::cuda {

/// The basis U of one model on a device: from reduced coordinates to vertices, and from vertex forces back. Movable,
/// not copyable; may be used in several streams at once. Work with it must be finished before it is destroyed.
class QUARTIC_EXPORT Embedding {
 public:
  /// @param basis U, shape (3n, r)
  /// @param rest_positions [m], shape (n, 3), row per vertex
  /// @throws InputError for shapes that don't match, indices out of range, too little memory; BackendUnavailable
  Embedding(MatrixRef basis, std::span<const double> rest_positions, const EmbeddingOptions& options = {});
  Embedding(Embedding&&) noexcept;
  Embedding& operator=(Embedding&&) noexcept;
  ~Embedding();

  [[nodiscard]] int rank() const;
  [[nodiscard]] std::int64_t vertices() const;
  [[nodiscard]] int device() const;

  /// Positions x = X + U q [m].
  /// @param q of all bodies that `bodies` may name; rank as the basis
  /// @param bodies which to write, in this order, 0-based, device memory; nullptr = 0, 1, ... The number is
  /// `positions.bodies`.
  void positions(StateView<const float> q, VertexView positions, cudaStream_t stream,
                 const std::int32_t* bodies = nullptr) const;
  void positions(StateView<const double> q, VertexView positions, cudaStream_t stream,
                 const std::int32_t* bodies = nullptr) const;
  /// Displacements u = U q [m], otherwise the same.
  void displacements(StateView<const float> q, VertexView displacements, cudaStream_t stream,
                     const std::int32_t* bodies = nullptr) const;
  void displacements(StateView<const double> q, VertexView displacements, cudaStream_t stream,
                     const std::int32_t* bodies = nullptr) const;

  /// Positions c + R (X - origin + U q) [m] of bodies with poses, in world axes.
  /// @param pose of all bodies that `bodies` may name, shape (7, B), as DeviceState::pose
  /// @throws InputError for shapes that don't fit, or memory that the device can't use; nothing is written then
  void positions(StateView<const float> q, StateView<const float> pose, VertexView positions, cudaStream_t stream,
                 const std::int32_t* bodies = nullptr) const;
  void positions(StateView<const double> q, StateView<const double> pose, VertexView positions, cudaStream_t stream,
                 const std::int32_t* bodies = nullptr) const;

  /// Vertex normals of unit length: the mean of the incident triangles' normals by area. Zero where a vertex has no
  /// triangle, or they cancel. @throws InputError if the embedding has no triangles
  void normals(VertexView positions, VertexView normals, cudaStream_t stream) const;

  /// Adds U^T f of each listed force to the reduced forces, body by body in list order.
  template <class T>
  void add_vertex_forces(const DeviceVertexForces& forces, StateView<T> reduced_force, cudaStream_t stream) const;
  /// The same of bodies with poses, for forces in world axes: adds U^T R^T f to the reduced forces, f to the first rows
  /// of the wrenches and R y x f to the others, y = X - origin + U q. Both turn with the body: call it before each
  /// step.
  /// @param q, pose, wrench shapes (r, B), (7, B) and (6, B) of the same bodies as the reduced force
  /// @throws InputError as above; nothing is changed then
  template <class T>
  void add_vertex_forces(const DeviceVertexForces& forces, StateView<const T> q, StateView<const T> pose,
                         StateView<T> reduced_force, StateView<T> wrench, cudaStream_t stream) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quartic::cuda
