// Inside of ElasticSystem: the matrices on the free degrees of freedom, the factor, and what is solved with them.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fem/elastic_matrices.hpp"
#include "core/fem/prepared_mesh.hpp"
#include "core/modes/system_solver.hpp"
#include "core/supports/freedom_map.hpp"
#include "quartic/modes.hpp"

namespace quartic {

struct ReductionSizes;

struct ElasticSystem::Impl {
  /// On the host; of matrices that were assembled on a device these are copies, fetched at the first call.
  [[nodiscard]] const SparseMatrix& mass() const;  // whole, (3n, 3n)
  [[nodiscard]] const SparseMatrix& stiffness_free() const;
  [[nodiscard]] const SparseMatrix& mass_free() const;

  std::int64_t dofs = 0;  // 3n
  FreedomMap map;         // u = T x
  std::unique_ptr<ElasticMatrices> matrices;
  Eigen::MatrixXd rigid;       // Z on the free degrees of freedom, M-orthonormal
  Eigen::MatrixXd mass_rigid;  // M Z
  double shift = 0;            // of the factor of K + shift M
  double stiffness_norm = 0;   // |K|, largest absolute row sum
  double mass_norm = 0;
  Backend backend = Backend::cpu;  // where the factor is
  std::vector<std::string> warnings;
  std::optional<Factorization> factor;
  std::unique_ptr<SystemSolver> solver;  // uses the matrices and the factor

  [[nodiscard]] std::int64_t free_count() const { return map.free_count(); }
  /// x <- (I - Z Z^T M) x: takes the rigid motions out of displacements.
  void project_displacements(Eigen::Ref<Eigen::MatrixXd> x) const;
  /// f <- (I - M Z Z^T) f: takes out of forces what would move the body rigidly.
  void project_forces(Eigen::Ref<Eigen::MatrixXd> f) const;
  /// Displacements (3n, m) on the free degrees of freedom, forces there (T^T f), and displacements back (T x).
  [[nodiscard]] Eigen::MatrixXd restrict_displacements(MatrixRef whole) const;
  [[nodiscard]] Eigen::MatrixXd restrict_forces(MatrixRef whole) const;
  void scatter_from_free(MatrixRef free, Eigen::Ref<Eigen::MatrixXd> whole) const;
};

/// K and M of a mesh on a backend, with its free degrees of freedom, without a factor. A device works on whole
/// vertices: of other supports, and of joints, the system is the CPU's, which it says in its warnings.
/// @param reduction as ModesOperations::assemble
[[nodiscard]] std::unique_ptr<ElasticSystem::Impl> assemble_system(const PreparedMesh& mesh, const Supports& supports,
                                                                   MassMatrix kind, Backend backend,
                                                                   const ReductionSizes* reduction);
/// Adds rigid motions, factor and solver to it. @throws as ElasticSystem's constructor
void factorize_system(ElasticSystem::Impl& system, const PreparedMesh& mesh, const FactorizationOptions& options);

}  // namespace quartic
