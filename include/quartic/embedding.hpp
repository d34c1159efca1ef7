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

/// Displacements u = U q [m] of chosen vertices of all bodies.
/// @param vertices 0-based; empty means all
/// @param displacement shape (B, vertices, 3), C order
/// @throws InputError for a vertex out of range or an output of the wrong size
template <class T>
QUARTIC_EXPORT void vertex_displacements(MatrixRef basis, StateView<const T> q, std::span<const std::int32_t> vertices,
                                         std::span<T> displacement);

}  // namespace quartic
