// Loads on single faces, by their shape functions.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/mesh/boundary.hpp"
#include "quartic/loads.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// Adds the forces of a traction on a face to its vertices. @param list gets as many entries as the face has vertices
void add_traction(const VolumeMesh& mesh, const BoundaryFace& face, const Eigen::Vector3d& traction,
                  std::vector<PointForce>& list);

/// The same of a pressure against the normal that the face is wound about, exact also on curved faces.
void add_pressure(const VolumeMesh& mesh, const BoundaryFace& face, double pressure, std::vector<PointForce>& list);

/// [m^2]
[[nodiscard]] double area_of(const VolumeMesh& mesh, const BoundaryFace& face);

}  // namespace quartic
