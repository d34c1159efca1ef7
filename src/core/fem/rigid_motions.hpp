// Rigid modes of a mesh that has been checked, and their two steps, for a mass matrix that isn't on the host.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <span>

#include "core/fem/prepared_mesh.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

/// Rigid motions of each component that vanish on its fixed vertices, shape (3n, m), linearly independent. @throws as
/// rigid_modes
[[nodiscard]] Eigen::MatrixXd rigid_motions(const PreparedMesh& mesh, std::span<const std::int32_t> fixed_vertices);

/// Makes them orthonormal in the mass whose product is given. @throws NumericalError if it isn't positive on them
void orthonormalize_rigid(Eigen::MatrixXd& z, const std::function<Eigen::MatrixXd(const Eigen::MatrixXd&)>& mass_times);
void orthonormalize_rigid(Eigen::MatrixXd& z, const SparseMatrix& mass);

/// As the function of fem.hpp.
[[nodiscard]] Matrix rigid_modes(const PreparedMesh& mesh, const SparseMatrix& mass,
                                 std::span<const std::int32_t> fixed_vertices);

}  // namespace quartic
