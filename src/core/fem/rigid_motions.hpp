// The two steps of rigid_modes in fem.hpp, for a mass matrix that isn't on the host.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <span>

#include "quartic/mesh.hpp"

namespace quartic {

/// Rigid motions of each component that vanish on its fixed vertices, shape (3n, m), linearly independent. @throws as
/// rigid_modes
[[nodiscard]] Eigen::MatrixXd rigid_motions(const VolumeMesh& mesh, std::span<const std::int32_t> fixed_vertices);

/// Makes them orthonormal in the mass whose product is given. @throws NumericalError if it isn't positive on them
void orthonormalize_rigid(Eigen::MatrixXd& z, const std::function<Eigen::MatrixXd(const Eigen::MatrixXd&)>& mass_times);

}  // namespace quartic
