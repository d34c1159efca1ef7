// From natural states to the fields that follow, and to the products of their strains.
#include <algorithm>
#include <string>
#include <utility>

#include "core/algebra/blas.hpp"
#include "core/algebra/sparse_product.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/fem/fem_operations.hpp"
#include "core/fem/region_constants.hpp"
#include "core/modes/elastic_system.hpp"
#include "core/relaxation/combined_products.hpp"
#include "core/relaxation/following_products.hpp"
#include "core/relaxation/mesh_relaxation.hpp"
#include "core/relaxation/relaxation_check.hpp"
#include "core/relaxation/relaxation_operations.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

void require_fields(const PreparedMesh& mesh, const MatrixRef& fields, const std::string& name) {
  if (fields.rows() != 3 * mesh.vertex_count())
    throw InputError(name + " has " + std::to_string(fields.rows()) + " rows, but the mesh has " +
                     std::to_string(mesh.vertex_count()) + " vertices, three rows each");
  if (!fields.allFinite()) throw InputError(name + " has an entry that isn't a finite number");
}

void require_basis(const PreparedMesh& mesh, const MatrixRef& basis) {
  if (basis.cols() < 1 || basis.cols() > rank_limit)
    throw InputError("the basis must have 1 .. " + std::to_string(rank_limit) + " columns, not " +
                     std::to_string(basis.cols()));
  require_fields(mesh, basis, "the basis");
}

MatrixXd side_by_side(const MatrixRef& basis, const MatrixRef& fields) {
  MatrixXd all(basis.rows(), basis.cols() + fields.cols());
  all << basis, fields;
  return all;
}

// Of (U, Y) with the whole body, springs included.
StrainProducts products_of(const PreparedMesh& mesh, const MatrixRef& basis, const MatrixRef& fields,
                           const RelaxStrainsOptions& options) {
  const MatrixXd all = side_by_side(basis, fields);
  const MatrixXd force = sparse_times(fem_operations(options.backend).stiffness(mesh), all);
  return {.stiffness = to_matrix(blas::multiply_transposed(all, force)),
          .forces = relaxation_operations(options.backend)
                        .geometric_products(mesh, basis, all, options.workspace_bytes, options.progress)};
}

// The same of each region's constants.
std::vector<RegionRelaxation> regions_of(const PreparedMesh& mesh, const MatrixRef& basis, const MatrixRef& fields,
                                         const RelaxStrainsOptions& options) {
  const Progress progress = [&](std::string_view, double share) { options.progress("relaxed strains", share); };
  std::vector<StrainProducts> parts =
      relaxation_operations(options.backend)
          .strain_products(mesh, side_by_side(basis, fields), basis.cols(), unit_constants(mesh.mesh().regions.size()),
                           options.workspace_bytes, options.progress ? progress : Progress());
  std::vector<RegionRelaxation> regions;
  for (std::size_t n = 0; n < parts.size(); n += 2)
    regions.push_back({.lambda_part = std::move(parts[n]), .mu_part = std::move(parts[n + 1])});
  return regions;
}

// Parts of what the products have: without the fields that count as none.
void keep_fields(const FollowingCombination& combination, std::vector<RegionRelaxation>& regions) {
  for (RegionRelaxation& region : regions)
    for (StrainProducts* part : {&region.lambda_part, &region.mu_part}) *part = combine_fields(*part, combination);
}

double largest_linear_energy(const QuarticEnergy& energy, const Matrix& states) {
  double largest = 0;
  for (std::int64_t s = 0; s < states.cols; ++s) largest = std::max(largest, linear_energy(energy, states.col(s)));
  return largest;
}

/// Makes fields orthonormal in K and K-orthogonal to a basis.
class FieldsBeside {
 public:
  /// @param basis U on the free degrees of freedom
  FieldsBeside(const ElasticSystem::Impl& system, MatrixXd basis)
      : basis_(std::move(basis)),
        stiffness_(blas::multiply_transposed(basis_, system.matrices->stiffness_times(basis_))) {}

  /// Those that are (nearly) in the space of the others or of the basis are left out. @param force K times the fields
  void orthonormalize(const MatrixXd& force, MatrixXd& fields) const {
    const FollowingCombination combination = orthonormal_combination(
        stiffness_, blas::multiply_transposed(basis_, force), blas::multiply_transposed(fields, force));
    MatrixXd result(fields.rows(), combination.fields.cols());
    blas::multiply(1, fields, combination.fields, 0, result);
    blas::multiply(1, basis_, combination.basis, 1, result);
    fields = std::move(result);
  }

 private:
  MatrixXd basis_, stiffness_;
};

}  // namespace

Matrix following_fields(const VolumeMesh& mesh, const ElasticSystem& system, MatrixRef basis, MatrixRef states) {
  return following_fields(PreparedMesh(mesh), system, basis, states);
}

Matrix following_fields(const PreparedMesh& mesh, const ElasticSystem& system, const MatrixRef& basis,
                        const MatrixRef& states) {
  require_basis(mesh, basis);
  if (basis.rows() != system.dof_count() || states.rows() != basis.cols())
    throw InputError("states need a row per column of the basis, and the basis a row per degree of freedom");
  const ElasticSystem::Impl& s = system.impl();
  MatrixXd force;
  {
    MatrixXd displacements(basis.rows(), states.cols());
    blas::multiply(1, basis, states, 0, displacements);
    force = s.restrict_forces(relaxation_operations(s.backend).quadratic_forces(mesh, displacements).map());
  }
  MatrixXd fields = force;
  s.solver->solve_static(fields);
  // K Y is the forces at first. What is taken out leaves round-off along U, which a second time takes out.
  const FieldsBeside beside(s, s.restrict_displacements(basis));
  beside.orthonormalize(force, fields);
  force = s.matrices->stiffness_times(fields);
  beside.orthonormalize(force, fields);
  Matrix result(basis.rows(), fields.cols());
  s.scatter_from_free(fields, result.map());
  return result;
}

Relaxation relax_strains(const VolumeMesh& mesh, MatrixRef basis, MatrixRef fields,
                         const RelaxStrainsOptions& options) {
  return relax_strains(PreparedMesh(mesh), basis, fields, false, options);
}

Relaxation relax_strains(const PreparedMesh& mesh, const MatrixRef& basis, const MatrixRef& fields, bool orthonormal,
                         const RelaxStrainsOptions& options) {
  check_relaxed_share(options.share);
  require_basis(mesh, basis);
  require_fields(mesh, fields, "the matrix of fields that follow");
  Relaxation relaxation{.products = {}, .share = options.share};
  if (options.region_parts && mesh.mesh().springs.empty()) {  // no region has a spring's share
    relaxation.regions = regions_of(mesh, basis, fields, options);
    const StrainProducts products = combined_products(relaxation.regions, constants_of(mesh));
    const FollowingCombination combination = orthonormal_combination(products, basis.cols());
    relaxation.products = following_products(products.forces, combination);
    if (relaxation.field_count() < fields.cols()) keep_fields(combination, relaxation.regions);
  } else if (orthonormal) {
    relaxation.products = relaxation_operations(options.backend)
                              .geometric_products(mesh, basis, fields, options.workspace_bytes, options.progress);
  } else {
    relaxation.products = following_products(products_of(mesh, basis, fields, options), basis.cols());
  }
  return relaxation;
}

Relaxation relax_strains(const VolumeMesh& mesh, const ElasticSystem& system, MatrixRef basis,
                         const QuarticEnergy& energy, const RelaxStrainsOptions& options,
                         const NaturalStatesOptions& states) {
  return relax_strains(PreparedMesh(mesh), system, basis, energy, options, states);
}

Relaxation relax_strains(const PreparedMesh& mesh, const ElasticSystem& system, const MatrixRef& basis,
                         const QuarticEnergy& energy, const RelaxStrainsOptions& options,
                         const NaturalStatesOptions& states) {
  const Matrix natural = natural_states(mesh.mesh().vertices, basis, energy, states);
  const Matrix fields = following_fields(mesh, system, basis, natural.map());
  Relaxation relaxation = relax_strains(mesh, basis, fields.map(), true, options);
  relaxation.reach = largest_linear_energy(energy, natural);
  return relaxation;
}

}  // namespace quartic
