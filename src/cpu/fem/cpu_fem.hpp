// What the CPU does with the finite elements of a mesh: see core/fem/fem_operations.hpp.
#pragma once

#include <array>
#include <span>

#include "core/fem/prepared_mesh.hpp"
#include "quartic/fem.hpp"
#include "quartic/matrix.hpp"

namespace quartic::cpu {

[[nodiscard]] SparseMatrix stiffness(const PreparedMesh& mesh);
[[nodiscard]] SparseMatrix mass(const PreparedMesh& mesh, MassMatrix kind);
[[nodiscard]] Matrix force_hessian(const PreparedMesh& mesh, const MatrixRef& fields,
                                   std::span<const std::array<int, 2>> pairs);
/// Nodal forces of the quadratic stress, g = integral of sym(grad v) : C : A^T A / 2 for all v: a column per field.
[[nodiscard]] Matrix quadratic_forces(const PreparedMesh& mesh, const MatrixRef& fields);

}  // namespace quartic::cpu
