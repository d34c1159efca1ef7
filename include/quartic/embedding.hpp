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

/// Displacements u = U q [m] of chosen vertices of all bodies.
/// @param vertices 0-based; empty means all
/// @param displacement shape (B, vertices, 3), C order
/// @throws InputError for a vertex out of range or an output of the wrong size
template <class T>
QUARTIC_EXPORT void vertex_displacements(MatrixRef basis, StateView<const T> q, std::span<const std::int32_t> vertices,
                                         std::span<T> displacement);

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

}  // namespace quartic
