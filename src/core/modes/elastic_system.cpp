#include "core/modes/elastic_system.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/algebra/blas.hpp"
#include "core/algebra/sparse_check.hpp"
#include "core/algebra/sparse_product.hpp"
#include "core/base/cuda_backend.hpp"
#include "core/elements/quadrature.hpp"
#include "core/fem/fem_backends.hpp"
#include "core/fem/free_dofs.hpp"
#include "core/fem/rigid_motions.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

void require_square(const SparseMatrix& matrix, const std::string& name) {
  require_well_formed(matrix, name);
  if (matrix.rows != matrix.cols || matrix.rows % 3 != 0)
    throw InputError(name + " must be square with three rows per vertex, but its shape is " +
                     std::to_string(matrix.rows) + " x " + std::to_string(matrix.cols));
}

// Largest absolute row sum: an upper bound of the 2-norm of a symmetric matrix.
double row_sum_norm(const SparseMatrix& matrix) {
  double norm = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    double sum = 0;
    for (auto entry = matrix.row_offsets[static_cast<std::size_t>(row)];
         entry < matrix.row_offsets[static_cast<std::size_t>(row) + 1]; ++entry)
      sum += std::abs(matrix.values[static_cast<std::size_t>(entry)]);
    norm = std::max(norm, sum);
  }
  return norm;
}

double trace(const SparseMatrix& matrix) {
  double sum = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    for (auto entry = matrix.row_offsets[static_cast<std::size_t>(row)];
         entry < matrix.row_offsets[static_cast<std::size_t>(row) + 1]; ++entry)
      if (matrix.columns[static_cast<std::size_t>(entry)] == row) sum += matrix.values[static_cast<std::size_t>(entry)];
  return sum;
}

// K + shift M; the pattern of M must lie within that of K, as it does in finite elements, else entries are added.
SparseMatrix shifted(const SparseMatrix& stiffness, const SparseMatrix& mass, double shift) {
  return to_sparse_matrix(
      Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>(stiffness.map() + shift * mass.map()));
}

MeshPattern mesh_pattern(VertexGraph graph, const std::vector<std::int32_t>& free_dofs) {
  MeshPattern pattern{.whole = std::move(graph), .free = {}, .free_vertices = {}};
  std::vector<bool> is_free(pattern.whole.offsets.size() - 1);
  for (std::size_t i = 0; i < free_dofs.size(); i += 3) {
    pattern.free_vertices.push_back(free_dofs[i] / 3);
    is_free[static_cast<std::size_t>(free_dofs[i] / 3)] = true;
  }
  pattern.free = pattern.whole.restricted_to(is_free);
  return pattern;
}

// Far below the elastic eigenvalues, yet far above round-off of the largest one, which the traces tell of.
constexpr double relative_shift = 1e-9;

Factorization factorize(const ElasticSystem::Impl& system, const FactorizationOptions& options) {
  try {
    if (system.matrices != nullptr)
      return Factorization(cuda_backend().factorize_assembled(*system.matrices, system.shift, options));
    return system.shift == 0
               ? Factorization(system.stiffness_free(), options)
               : Factorization(shifted(system.stiffness_free(), system.mass_free(), system.shift), options);
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

}  // namespace

ElasticSystem::ElasticSystem(const SparseMatrix& stiffness, const SparseMatrix& mass,
                             std::span<const std::int32_t> fixed_vertices, const Matrix& rigid_modes,
                             const FactorizationOptions& options)
    : impl_(std::make_unique<Impl>()) {
  require_square(stiffness, "the stiffness matrix");
  require_square(mass, "the mass matrix");
  if (stiffness.rows != mass.rows)
    throw InputError("stiffness has " + std::to_string(stiffness.rows) + " rows, but mass has " +
                     std::to_string(mass.rows));
  if (rigid_modes.cols > 0 && rigid_modes.rows != mass.rows)
    throw InputError("rigid_modes must have as many rows as the mass matrix");
  Impl& s = *impl_;
  s.dofs = mass.rows;
  s.free_dofs = find_free_dofs(mass.rows, fixed_vertices);
  s.host_mass.give(mass);
  s.host_stiffness_free.give(FreeMatrix(stiffness, s.free_dofs).matrix);
  s.host_mass_free.give(FreeMatrix(mass, s.free_dofs).matrix);
  s.stiffness_norm = row_sum_norm(s.stiffness_free());
  s.mass_norm = row_sum_norm(s.mass_free());
  if (rigid_modes.cols > 0) {
    s.rigid = s.restrict_to_free(rigid_modes.map());
    s.mass_rigid = sparse_times(s.mass_free(), s.rigid);
    require_rigid(s, sparse_times(s.stiffness_free(), s.rigid));
    s.shift = relative_shift * trace(s.stiffness_free()) / trace(s.mass_free());
  }
  s.factor.emplace(factorize(s, options));
  if (options.backend == Backend::cuda) s.device = cuda_backend().make_system(s);
}

ElasticSystem::ElasticSystem(const VolumeMesh& mesh, std::span<const std::int32_t> fixed_vertices, MassMatrix kind,
                             const FactorizationOptions& options) {
  if (options.backend == Backend::cuda) {
    impl_ = assemble_on_device(mesh, fixed_vertices, kind, nullptr);
    factorize_on_device(*impl_, mesh, fixed_vertices, options);
    return;
  }
  const auto [stiffness, mass] = elastic_matrices(mesh, kind, Backend::cpu);
  const Matrix rigid = quartic::rigid_modes(mesh, mass, fixed_vertices);
  *this = ElasticSystem(stiffness, mass, fixed_vertices, rigid, options);
}

std::unique_ptr<ElasticSystem::Impl> assemble_on_device(const VolumeMesh& mesh,
                                                        std::span<const std::int32_t> fixed_vertices, MassMatrix kind,
                                                        const ReductionSizes* reduction) {
  const CudaBackend& cuda = cuda_backend();
  require_usable(mesh);
  auto system = std::make_unique<ElasticSystem::Impl>();
  system->dofs = 3 * mesh.vertex_count();
  system->free_dofs = find_free_dofs(system->dofs, fixed_vertices);
  system->kind = kind;
  const std::vector<Incidence> incidences = incidences_of(mesh);
  system->pattern = mesh_pattern(VertexGraph(mesh, incidences), system->free_dofs);
  const MeshImage image(mesh);
  if (reduction != nullptr) cuda.require_reduction_memory(image, incidences, system->pattern, *reduction);
  system->matrices = cuda.assemble(image, incidences, system->pattern, kind);
  return system;
}

void factorize_on_device(ElasticSystem::Impl& system, const VolumeMesh& mesh,
                         std::span<const std::int32_t> fixed_vertices, const FactorizationOptions& options) {
  const DeviceMatrices& on_device = *system.matrices;
  const MatrixSizes stiffness = on_device.sizes(false), mass = on_device.sizes(true);
  system.stiffness_norm = stiffness.norm;
  system.mass_norm = mass.norm;
  if (const Matrix motions = to_matrix(rigid_motions(mesh, fixed_vertices)); motions.cols > 0) {
    system.rigid = system.restrict_to_free(motions.map());
    orthonormalize_rigid(system.rigid, [&](const Eigen::MatrixXd& x) { return on_device.mass_times(x); });
    system.mass_rigid = on_device.mass_times(system.rigid);
    require_rigid(system, on_device.stiffness_times(system.rigid));
    system.shift = relative_shift * stiffness.trace / mass.trace;
  }
  system.factor.emplace(factorize(system, options));
  system.device = cuda_backend().make_system(system);
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
  return host_mass.get([&] {
    const std::vector<double> masses = matrices->masses();
    return kind == MassMatrix::lumped ? diagonal_matrix(masses) : block_matrix(pattern.whole, masses, false);
  });
}

const SparseMatrix& ElasticSystem::Impl::mass_free() const {
  return host_mass_free.get([&] { return FreeMatrix(mass(), free_dofs).matrix; });
}

const SparseMatrix& ElasticSystem::Impl::stiffness_free() const {
  return host_stiffness_free.get(
      [&] { return FreeMatrix(block_matrix(pattern.free, matrices->stiffness_blocks(), true), free_dofs).matrix; });
}

void ElasticSystem::Impl::project_displacements(Eigen::Ref<Eigen::MatrixXd> x) const {
  if (rigid.cols() > 0) blas::multiply(-1, rigid, blas::multiply_transposed(mass_rigid, x), 1, x);
}

void ElasticSystem::Impl::project_forces(Eigen::Ref<Eigen::MatrixXd> f) const {
  if (rigid.cols() > 0) blas::multiply(-1, mass_rigid, blas::multiply_transposed(rigid, f), 1, f);
}

Eigen::MatrixXd ElasticSystem::Impl::restrict_to_free(MatrixRef whole) const {
  Eigen::MatrixXd free(free_count(), whole.cols());
  for (Eigen::Index j = 0; j < whole.cols(); ++j)
    for (Eigen::Index i = 0; i < free.rows(); ++i) free(i, j) = whole(free_dofs[static_cast<std::size_t>(i)], j);
  return free;
}

void ElasticSystem::Impl::scatter_from_free(MatrixRef free, Eigen::Ref<Eigen::MatrixXd> whole) const {
  whole.setZero();
  for (Eigen::Index j = 0; j < whole.cols(); ++j)
    for (Eigen::Index i = 0; i < free.rows(); ++i) whole(free_dofs[static_cast<std::size_t>(i)], j) = free(i, j);
}

}  // namespace quartic
