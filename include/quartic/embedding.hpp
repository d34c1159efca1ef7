// Between reduced coordinates and vertices: u = U q, and U^T f.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "quartic/batch.hpp"
#include "quartic/export.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

/// A force on one vertex of one body.
struct VertexForce {
  std::int64_t body = 0;          ///< 0-based
  std::int32_t vertex = 0;        ///< 0-based
  std::array<double, 3> force{};  ///< [N]
};

/// A strided view of a (B, v, 3) array: coordinate c of vertex v of body b is
/// `data[b * stride_body + v * stride_vertex + c * stride_axis]`. Packed: strides 3 v, 3 and 1. They may be negative,
/// and zero where entries are only read.
template <class T>
struct VertexView {
  T* data = nullptr;
  std::int64_t bodies = 0;
  std::int64_t vertices = 0;
  std::int64_t stride_body = 0;
  std::int64_t stride_vertex = 3;
  std::int64_t stride_axis = 1;

  [[nodiscard]] T& operator()(std::int64_t body, std::int64_t vertex, std::int64_t axis) const {
    return data[body * stride_body + vertex * stride_vertex + axis * stride_axis];
  }
};

/// Adds U^T f of each listed force to the reduced forces, in list order.
/// @param basis U, shape (3n, r)
/// @throws InputError for a body or vertex out of range or a rank that differs; nothing is changed then
template <class T>
QUARTIC_EXPORT void add_vertex_forces(MatrixRef basis, std::span<const VertexForce> forces, StateView<T> reduced_force);

/// The same of bodies with poses (BodyGroup::frame), for forces in world axes on their points as they lie now,
/// c + R y with y = X + U q: adds U^T R^T f to the reduced forces, f to the first rows of the wrenches and R y x f to
/// the others. Both turn with the body: evaluate them anew for each step.
/// @param vertices X in the mesh's coordinates [m], shape (n, 3)
/// @param frame the group's, whose `origin` X is about
/// @param q, pose, reduced_force, wrench views of the same bodies, as `part` and `all_rows` of a batch's views give
/// them
/// @throws InputError as above, or for shapes that don't fit; nothing is changed then
template <class T>
QUARTIC_EXPORT void add_vertex_forces(MatrixRef basis, std::span<const double> vertices, const FrameMoments& frame,
                                      std::span<const VertexForce> forces, StateView<const T> q,
                                      StateView<const T> pose, StateView<T> reduced_force, StateView<T> wrench);

/// Adds U^T f of forces on the same vertices of all bodies to the reduced forces: each body's sum is taken in double,
/// and doesn't depend on the other bodies. Works in parallel; 6 v r flops per body.
/// @param vertices 0-based; empty means all
/// @param forces [N], shape (B, v, 3), of any strides
/// @throws InputError for a vertex out of range or shapes that don't fit; nothing is changed then
template <class T>
QUARTIC_EXPORT void add_vertex_forces(MatrixRef basis, std::span<const std::int32_t> vertices,
                                      VertexView<const T> forces, StateView<T> reduced_force);

/// Displacements u = U q [m] of chosen vertices of all bodies.
/// @param vertices 0-based; empty means all
/// @param displacement shape (B, vertices, 3), C order
/// @throws InputError for a vertex out of range or an output of the wrong size
template <class T>
QUARTIC_EXPORT void vertex_displacements(MatrixRef basis, StateView<const T> q, std::span<const std::int32_t> vertices,
                                         std::span<T> displacement);

/// The same into an array of any strides, such as vertex buffers. @param displacement shape (B, vertices, 3)
template <class T>
QUARTIC_EXPORT void vertex_displacements(MatrixRef basis, StateView<const T> q, std::span<const std::int32_t> vertices,
                                         VertexView<T> displacement);

/// Positions c + R (X + U q) [m] of chosen vertices of bodies with poses, in world axes.
/// @param vertices X in the mesh's coordinates [m], shape (n, 3)
/// @param frame the group's, whose `origin` X is about
/// @param chosen 0-based; empty means all
/// @param positions shape (B, vertices, 3), C order
/// @throws InputError as vertex_displacements, or for shapes that don't fit
template <class T>
QUARTIC_EXPORT void vertex_positions(MatrixRef basis, std::span<const double> vertices, const FrameMoments& frame,
                                     StateView<const T> q, StateView<const T> pose,
                                     std::span<const std::int32_t> chosen, std::span<T> positions);

/// The same into an array of any strides. @param positions shape (B, vertices, 3)
template <class T>
QUARTIC_EXPORT void vertex_positions(MatrixRef basis, std::span<const double> vertices, const FrameMoments& frame,
                                     StateView<const T> q, StateView<const T> pose,
                                     std::span<const std::int32_t> chosen, VertexView<T> positions);

}  // namespace quartic
