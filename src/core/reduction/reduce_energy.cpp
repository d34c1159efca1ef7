// The reduction of a mesh's energy: what is the same on every backend.
#include <string>
#include <utility>

#include "core/algebra/dense.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/fem/masses_and_springs.hpp"
#include "core/fem/region_constants.hpp"
#include "core/reduction/mesh_energy.hpp"
#include "core/reduction/reduction_operations.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

void require_basis(const PreparedMesh& mesh, const MatrixRef& basis) {
  if (basis.rows() != 3 * mesh.vertex_count())
    throw InputError("the basis has " + std::to_string(basis.rows()) + " rows, but the mesh has " +
                     std::to_string(mesh.vertex_count()) + " vertices, three rows each");
  if (basis.cols() < 1 || basis.cols() > rank_limit)
    throw InputError("the basis must have 1 .. " + std::to_string(rank_limit) + " columns, not " +
                     std::to_string(basis.cols()));
  if (!basis.allFinite()) throw InputError("the basis has an entry that isn't a finite number");
}

// One energy for each set of constants.
std::vector<QuarticEnergy> reduce_with(const PreparedMesh& mesh, const MatrixRef& basis,
                                       std::span<const RegionConstants> sets, const ReduceEnergyOptions& options) {
  return reduction_operations(options.backend)
      .reduce_energies(mesh, basis, sets, options.workspace_bytes, options.progress);
}

// A spring's extension is a strain of its own: F q with F^T F = U^T K U, below the triangle, which is made one again.
void add_spring_strains(std::span<const Spring> springs, const MatrixRef& basis, StrainForm& form) {
  if (springs.empty()) return;
  const dense::Eigenpairs pairs = dense::symmetric_eigen(reduced_springs(springs, basis));
  const Eigen::Index r = form.rank, p = strain_count(form.rank);
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(p + r, p);
  rows.bottomLeftCorner(r, r) = pairs.values.cwiseMax(0).cwiseSqrt().asDiagonal() * pairs.vectors.transpose();
  auto entry = form.factor.begin();
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = i; j < p; ++j) rows(i, j) = *entry++;
  dense::triangularize(rows);
  entry = form.factor.begin();
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = i; j < p; ++j) *entry++ = rows(i, j);
}

}  // namespace

QuarticEnergy reduce_energy(const VolumeMesh& mesh, MatrixRef basis, const ReduceEnergyOptions& options) {
  require_backend(options.backend);
  return reduce_energy(PreparedMesh(mesh), basis, options);
}

QuarticEnergy reduce_energy(const PreparedMesh& mesh, const MatrixRef& basis, const ReduceEnergyOptions& options) {
  require_basis(mesh, basis);
  require_stvk(mesh.mesh(), "quartic energies");
  const RegionConstants constants = constants_of(mesh);
  QuarticEnergy energy = std::move(reduce_with(mesh, basis, std::span(&constants, 1), options).front());
  add_reduced_springs(mesh.mesh().springs, basis, energy);
  return energy;
}

StrainForm reduce_strains(const VolumeMesh& mesh, MatrixRef basis, const ReduceEnergyOptions& options) {
  if (options.backend != Backend::cpu)  // before its library is looked for
    throw BackendUnavailable("a strain form is made on the backend 'cpu' only, not on '" +
                             std::string(backend_name(options.backend)) +
                             "'; reduce_energy runs there, and Batch takes the form on either backend");
  const PreparedMesh prepared(mesh);
  require_basis(prepared, basis);
  require_stvk(mesh, "strain forms");
  StrainForm form =
      reduction_operations(options.backend)
          .triangularize_strains(prepared, basis, constants_of(prepared), options.workspace_bytes, options.progress);
  add_spring_strains(mesh.springs, basis, form);
  return form;
}

std::vector<RegionEnergy> reduce_region_energy(const VolumeMesh& mesh, MatrixRef basis,
                                               const ReduceEnergyOptions& options) {
  require_backend(options.backend);
  return reduce_region_energy(PreparedMesh(mesh), basis, options);
}

std::vector<RegionEnergy> reduce_region_energy(const PreparedMesh& mesh, const MatrixRef& basis,
                                               const ReduceEnergyOptions& options) {
  require_basis(mesh, basis);
  require_stvk(mesh.mesh(), "quartic energies");
  std::vector<QuarticEnergy> energies = reduce_with(mesh, basis, unit_constants(mesh.mesh().regions.size()), options);
  std::vector<RegionEnergy> result;
  for (std::size_t n = 0; n < energies.size(); n += 2)
    result.push_back({.lambda_part = std::move(energies[n]), .mu_part = std::move(energies[n + 1])});
  return result;
}

QuarticEnergy combine_region_energy(std::span<const RegionEnergy> parts, std::span<const Material> materials) {
  if (parts.empty()) throw InputError("there are no region energies to combine");
  if (parts.size() != materials.size())
    throw InputError("there are energies of " + std::to_string(parts.size()) + " regions, but " +
                     std::to_string(materials.size()) + " materials");
  const int rank = parts.front().lambda_part.rank;
  for (std::size_t g = 0; g < parts.size(); ++g) {
    check_material(materials[g], "region " + std::to_string(g));
    if (materials[g].law != MaterialLaw::stvk)
      throw InputError("region " + std::to_string(g) + " has the material law " +
                       std::string(material_law_name(materials[g].law)) +
                       ", but region energies are parts of the law stvk's; give it the law stvk");
    for (const QuarticEnergy* part : {&parts[g].lambda_part, &parts[g].mu_part}) {
      check(*part);
      if (part->rank != rank)
        throw InputError("region " + std::to_string(g) + " has an energy of rank " + std::to_string(part->rank) +
                         ", region 0 one of rank " + std::to_string(rank));
    }
  }
  QuarticEnergy energy{rank, std::vector<double>(parts.front().lambda_part.coefficients.size())};
  for (std::size_t g = 0; g < parts.size(); ++g) {
    const double lambda = lame_lambda(materials[g]), mu = lame_mu(materials[g]);
    for (std::size_t i = 0; i < energy.coefficients.size(); ++i)
      energy.coefficients[i] += lambda * parts[g].lambda_part.coefficients[i] + mu * parts[g].mu_part.coefficients[i];
  }
  return energy;
}

}  // namespace quartic
