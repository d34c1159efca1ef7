// One direction of the mass matrix, (n, n): M is isotropic, m_ab times the unit matrix for each pair of vertices.
#pragma once

#include <span>

#include "core/fem/incidence.hpp"
#include "quartic/storage.hpp"

namespace quartic {

/// m of an isotropic M, (3n, 3n).
[[nodiscard]] SparseMatrix scalar_mass(const SparseMatrix& mass);

/// m of a number for each edge of the graph. @throws InputError if 32-bit indices can't count them
[[nodiscard]] SparseMatrix scalar_mass(const VertexGraph& graph, std::span<const double> values);

/// Lumped: m of a number per vertex.
[[nodiscard]] SparseMatrix scalar_mass(std::span<const double> vertex_values);

}  // namespace quartic
