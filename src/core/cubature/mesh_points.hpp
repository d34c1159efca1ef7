// The quadrature points of a mesh as a cubature has them.
#pragma once

#include <vector>

#include "core/fem/prepared_mesh.hpp"
#include "quartic/cubature.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

/// @throws InputError for a basis of another shape or a number that isn't finite
void require_cubature_basis(const PreparedMesh& mesh, MatrixRef basis);

/// All points of the rules for stiffness, element by element.
[[nodiscard]] std::vector<CubaturePoint> all_points(const VolumeMesh& mesh);

/// Volumes, gradients and materials of these points, with weight 1, in a cubature without a stiffness.
/// @throws InputError for a point that the mesh doesn't have
[[nodiscard]] Cubature points_of(const PreparedMesh& mesh, MatrixRef basis, std::vector<CubaturePoint> points);

/// K(0) = U^T K U, and the base energy where the control variate is StVK, into the cubature.
/// @throws InputError for springs without a control variate
void set_base(const PreparedMesh& mesh, MatrixRef basis, ControlVariate base, Cubature& cubature);

}  // namespace quartic
