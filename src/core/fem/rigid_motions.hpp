// Rigid modes of a mesh that has been checked, and their two steps, for a mass matrix that isn't on the host.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "core/fem/prepared_mesh.hpp"
#include "core/supports/freedom_map.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

/// Rigid motions of the components that obey supports and joints, shape (3n, m), linearly independent.
[[nodiscard]] Eigen::MatrixXd rigid_motions(const PreparedMesh& mesh, const FreedomMap& map);

/// Makes them orthonormal in the mass whose product is given. @throws NumericalError if it isn't positive on them
void orthonormalize_rigid(Eigen::MatrixXd& z, const std::function<Eigen::MatrixXd(const Eigen::MatrixXd&)>& mass_times);
void orthonormalize_rigid(Eigen::MatrixXd& z, const SparseMatrix& mass);

/// As the function of fem.hpp.
[[nodiscard]] Matrix rigid_modes(const PreparedMesh& mesh, const SparseMatrix& mass, const Supports& supports);

}  // namespace quartic
