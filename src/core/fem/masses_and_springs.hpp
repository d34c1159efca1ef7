// What point masses and springs of a mesh add to its matrices, forces and energy.
#pragma once

#include <Eigen/Core>
#include <span>

#include "core/fem/incidence.hpp"
#include "quartic/export.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/quartic_energy.hpp"

namespace quartic {

/// Masses, springs and joints. @throws InputError for a vertex out of range or of no element, a number that isn't
/// finite, a mass or a stiffness below 0
void require_sound_attachments(const VolumeMesh& mesh);

/// The graph with edges between all vertices of each spring, and of points with a mass to themselves.
[[nodiscard]] QUARTIC_EXPORT VertexGraph with_attachments(VertexGraph graph, const VolumeMesh& mesh);

/// Adds masses to the diagonal of M, (3n, 3n).
QUARTIC_EXPORT void add_masses(std::span<const PointMass> masses, SparseMatrix& mass);

/// The masses alone, a number per vertex on a diagonal, (n, n): as scalar_mass has them.
[[nodiscard]] SparseMatrix scalar_point_masses(const VolumeMesh& mesh);

/// Adds k a a^T of each spring to K, whose pattern has them.
QUARTIC_EXPORT void add_springs(std::span<const Spring> springs, SparseMatrix& stiffness);
/// Adds their forces k (a . u) a to r.
void add_spring_forces(std::span<const Spring> springs, std::span<const double> u, std::span<double> r);
/// Their energy [J].
[[nodiscard]] double spring_energy(std::span<const Spring> springs, std::span<const double> u);

/// U^T K U of the springs alone, shape (r, r).
[[nodiscard]] Eigen::MatrixXd reduced_springs(std::span<const Spring> springs, MatrixRef basis);

/// Adds the springs' energy, quadratic in q, to coefficients.
void add_reduced_springs(std::span<const Spring> springs, MatrixRef basis, QuarticEnergy& energy);

}  // namespace quartic
