#include "core/modes/elastic_system.hpp"

#include <string>
#include <utility>

#include "core/algebra/blas.hpp"
#include "core/algebra/sparse_check.hpp"
#include "core/base/number_text.hpp"
#include "core/fem/host_matrices.hpp"
#include "core/fem/rigid_motions.hpp"
#include "core/modes/modes_operations.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

void require_square(const SparseMatrix& matrix, const std::string& name) {
  require_well_formed(matrix, name);
  if (matrix.rows != matrix.cols || matrix.rows % 3 != 0)
    throw InputError(name + " must be square with three rows per vertex, but its shape is " +
                     std::to_string(matrix.rows) + " x " + std::to_string(matrix.cols));
}

// Far below the elastic eigenvalues, yet far above round-off of the largest one, which the traces tell of.
constexpr double relative_shift = 1e-9;

Factorization factorize(const ElasticSystem::Impl& system, const FactorizationOptions& options) {
  try {
    return system.matrices->factorize(system.shift, options);
  } catch (const NumericalError& error) {
    throw NumericalError(std::string("the stiffness matrix can't be factorised (") + error.what() +
                         "): a part of the body can move freely, or the stiffness isn't positive definite");
  }
}

// Z has to be what it says: in the null space of K, and M-orthonormal. @param product K Z
void require_rigid(const ElasticSystem::Impl& system, const Eigen::MatrixXd& product) {
  for (Eigen::Index j = 0; j < product.cols(); ++j)
    if (product.col(j).norm() > 1e-8 * system.stiffness_norm * system.rigid.col(j).norm())
      throw InputError("rigid mode " + std::to_string(j) + " isn't in the null space of the stiffness matrix");
  const Eigen::MatrixXd gram = blas::multiply_transposed(system.rigid, system.mass_rigid);
  if ((gram - Eigen::MatrixXd::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff() > 1e-8)
    throw InputError("rigid_modes must be orthonormal with respect to the mass matrix");
}

// Far from the ends of the range of double, so that products of products stay within.
void require_range(double norm, const char* name) {
  if (norm >= 1e-120 && norm <= 1e120) return;
  throw InputError(std::string(name) + " has entries that can't be computed with: its norm is " + number_text(norm, 3) +
                   ", but must lie between 1e-120 and 1e120; are the units right?");
}

// A device works on whole vertices, and assembles elements alone.
Backend backend_of(ElasticSystem::Impl& system, Backend wanted, bool has_attachments) {
  require_backend(wanted);
  if (wanted == Backend::cpu || (system.map.holds_whole_vertices() && !has_attachments)) return wanted;
  system.warnings.emplace_back(
      "supports in single directions, joints, masses and springs are the CPU's: modes and their derivatives are "
      "computed there");
  return Backend::cpu;
}

// Adds sizes, rigid modes, factor and solver to matrices. @param rigid Z on the free degrees of freedom, or no columns
void complete(ElasticSystem::Impl& system, Eigen::MatrixXd rigid, const FactorizationOptions& options) {
  const ElasticMatrices& matrices = *system.matrices;
  const MatrixSizes stiffness = matrices.stiffness_sizes(), mass = matrices.mass_sizes();
  system.stiffness_norm = stiffness.norm;
  system.mass_norm = mass.norm;
  require_range(stiffness.norm, "the stiffness matrix");
  require_range(mass.norm, "the mass matrix");
  if (rigid.cols() > 0) {
    system.rigid = std::move(rigid);
    system.mass_rigid = matrices.mass_times(system.rigid);
    require_rigid(system, matrices.stiffness_times(system.rigid));
    system.shift = relative_shift * stiffness.trace / mass.trace;
  }
  FactorizationOptions own = options;
  own.backend = system.backend;
  system.factor.emplace(factorize(system, own));
  system.solver = modes_operations(system.backend).make_solver(system);
}

}  // namespace

ElasticSystem::ElasticSystem(const SparseMatrix& stiffness, const SparseMatrix& mass, const Supports& supports,
                             const Matrix& rigid_modes, const FactorizationOptions& options)
    : impl_(std::make_unique<Impl>()) {
  require_square(stiffness, "the stiffness matrix");
  require_square(mass, "the mass matrix");
  if (stiffness.rows != mass.rows)
    throw InputError("stiffness has " + std::to_string(stiffness.rows) + " rows, but mass has " +
                     std::to_string(mass.rows));
  if (rigid_modes.cols > 0 && rigid_modes.rows != mass.rows)
    throw InputError("rigid_modes must have as many rows as the mass matrix");
  impl_->dofs = mass.rows;
  impl_->map = FreedomMap(mass.rows, supports);
  impl_->backend = backend_of(*impl_, options.backend, false);
  impl_->matrices = std::make_unique<HostMatrices>(stiffness, mass, impl_->map);
  complete(*impl_, rigid_modes.cols > 0 ? impl_->restrict_displacements(rigid_modes.map()) : Eigen::MatrixXd(),
           options);
}

ElasticSystem::ElasticSystem(const VolumeMesh& mesh, const Supports& supports, MassMatrix kind,
                             const FactorizationOptions& options) {
  require_backend(options.backend);
  const PreparedMesh prepared(mesh);
  impl_ = assemble_system(prepared, supports, kind, options.backend, nullptr);
  factorize_system(*impl_, prepared, options);
}

std::unique_ptr<ElasticSystem::Impl> assemble_system(const PreparedMesh& mesh, const Supports& supports,
                                                     MassMatrix kind, Backend backend,
                                                     const ReductionSizes* reduction) {
  auto system = std::make_unique<ElasticSystem::Impl>();
  system->dofs = 3 * mesh.vertex_count();
  system->map = FreedomMap(mesh.mesh(), supports);
  system->warnings = system->map.warnings();
  system->backend = backend_of(*system, backend, !mesh.mesh().masses.empty() || !mesh.mesh().springs.empty());
  system->matrices = modes_operations(system->backend).assemble(mesh, system->map, kind, reduction);
  return system;
}

void factorize_system(ElasticSystem::Impl& system, const PreparedMesh& mesh, const FactorizationOptions& options) {
  complete(system, system.matrices->orthonormal_motions(rigid_motions(mesh, system.map)), options);
}

ElasticSystem::ElasticSystem(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ElasticSystem::ElasticSystem(ElasticSystem&&) noexcept = default;
ElasticSystem& ElasticSystem::operator=(ElasticSystem&&) noexcept = default;
ElasticSystem::~ElasticSystem() = default;

std::int64_t ElasticSystem::dof_count() const {
  return impl_->dofs;
}
std::int64_t ElasticSystem::free_dof_count() const {
  return impl_->free_count();
}
int ElasticSystem::rigid_mode_count() const {
  return static_cast<int>(impl_->rigid.cols());
}
const SparseMatrix& ElasticSystem::mass() const {
  return impl_->mass();
}
std::string_view ElasticSystem::factorization_name() const {
  return impl_->factor->name();
}

const SparseMatrix& ElasticSystem::Impl::mass() const {
  return matrices->mass();
}
const SparseMatrix& ElasticSystem::Impl::mass_free() const {
  return matrices->mass_free();
}
const SparseMatrix& ElasticSystem::Impl::stiffness_free() const {
  return matrices->stiffness_free();
}

void ElasticSystem::Impl::project_displacements(Eigen::Ref<Eigen::MatrixXd> x) const {
  if (rigid.cols() > 0) blas::multiply(-1, rigid, blas::multiply_transposed(mass_rigid, x), 1, x);
}

void ElasticSystem::Impl::project_forces(Eigen::Ref<Eigen::MatrixXd> f) const {
  if (rigid.cols() > 0) blas::multiply(-1, mass_rigid, blas::multiply_transposed(rigid, f), 1, f);
}

Eigen::MatrixXd ElasticSystem::Impl::restrict_displacements(MatrixRef whole) const {
  return map.restrict_displacements(whole);
}

Eigen::MatrixXd ElasticSystem::Impl::restrict_forces(MatrixRef whole) const {
  return map.restrict_forces(whole);
}

void ElasticSystem::Impl::scatter_from_free(MatrixRef free, Eigen::Ref<Eigen::MatrixXd> whole) const {
  map.expand(free, whole);
}

}  // namespace quartic
