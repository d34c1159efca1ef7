#include "core/fem/device_matrices.hpp"

#include <utility>

#include "core/factorization/factorization_operations.hpp"
#include "core/fem/free_matrix.hpp"
#include "core/fem/rigid_motions.hpp"
#include "core/fem/scalar_mass.hpp"
#include "core/fem/unit_acceleration.hpp"

namespace quartic {

MeshPattern::MeshPattern(const VertexGraph& graph, std::span<const std::int32_t> free_dofs) : whole(graph) {
  std::vector<bool> is_free(whole.offsets.size() - 1);
  for (std::size_t i = 0; i < free_dofs.size(); i += 3) {
    free_vertices.push_back(free_dofs[i] / 3);
    is_free[static_cast<std::size_t>(free_dofs[i] / 3)] = true;
  }
  free = whole.restricted_to(is_free);
}

DeviceMatrices::DeviceMatrices(MeshPattern pattern, MassMatrix kind) : pattern_(std::move(pattern)), kind_(kind) {}
DeviceMatrices::~DeviceMatrices() = default;

FreedomMap DeviceMatrices::freedom() const {
  std::vector<std::int32_t> dofs;
  dofs.reserve(3 * pattern_.free_vertices.size());
  for (const std::int32_t v : pattern_.free_vertices) dofs.insert(dofs.end(), {3 * v, 3 * v + 1, 3 * v + 2});
  return {3 * (std::ssize(pattern_.whole.offsets) - 1), std::move(dofs)};
}

const SparseMatrix& DeviceMatrices::mass() const {
  return mass_.get([&] {
    const std::vector<double> values = masses();
    return lumped() ? diagonal_matrix(values) : block_matrix(pattern_.whole, values, false);
  });
}

const SparseMatrix& DeviceMatrices::stiffness_free() const {
  return stiffness_free_.get(
      [&] { return FreeMatrix(block_matrix(pattern_.free, stiffness_blocks(), true), freedom()).matrix; });
}

const SparseMatrix& DeviceMatrices::mass_free() const {
  return mass_free_.get([&] { return FreeMatrix(mass(), freedom()).matrix; });
}

SparseMatrix DeviceMatrices::scalar_mass() const {
  const std::vector<double> values = masses();
  return lumped() ? quartic::scalar_mass(values) : quartic::scalar_mass(pattern_.whole, values);
}

Eigen::MatrixXd DeviceMatrices::orthonormal_motions(Eigen::MatrixXd motions) const {
  Eigen::MatrixXd z = freedom().restrict_displacements(motions);
  orthonormalize_rigid(z, [&](const Eigen::MatrixXd& x) { return mass_times(x); });
  return z;
}

Matrix DeviceMatrices::unit_acceleration(const Matrix& basis) const {
  return quartic::unit_acceleration(basis, vertex_masses());
}

Factorization DeviceMatrices::factorize(double shift, const FactorizationOptions& options) const {
  return Factorization(factorization_operations(Backend::cuda).factorize_assembled(*this, shift, options));
}

}  // namespace quartic
