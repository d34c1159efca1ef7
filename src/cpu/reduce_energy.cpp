#include <algorithm>
#include <string>

#include "core/backend_checks.hpp"
#include "core/quartic_polynomial.hpp"
#include "core/quartic_tensor.hpp"
#include "cpu/blas.hpp"
#include "cpu/strain_tiles.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

void require_basis(const VolumeMesh& mesh, const MatrixRef& basis) {
  if (basis.rows() != 3 * mesh.vertex_count())
    throw InputError("the basis has " + std::to_string(basis.rows()) + " rows, but the mesh has " +
                     std::to_string(mesh.vertex_count()) + " vertices, three rows each");
  if (basis.cols() < 1 || basis.cols() > rank_limit)
    throw InputError("the basis must have 1 .. " + std::to_string(rank_limit) + " columns, not " +
                     std::to_string(basis.cols()));
  if (!basis.allFinite()) throw InputError("the basis has an entry that isn't a finite number");
}

// The sum over all points of the products of strains.
QuarticEnergy reduce_with(const VolumeMesh& mesh, const MatrixRef& basis, const RegionConstants& constants,
                          const ReduceEnergyOptions& options, const Progress& progress) {
  const StrainTiles tiles(mesh, basis, constants, options.workspace_bytes);
  Eigen::MatrixXd tile(tiles.rows(), tiles.pairs());
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(tiles.pairs(), tiles.pairs());  // lower triangle
  tiles.for_each(tile.data(), tile.outerStride(), progress,
                 [&](std::int64_t rows) { blas::rank_k_update_transposed(tile.topRows(rows), gram); });
  return symmetrise(gram, static_cast<int>(basis.cols()));
}

RegionConstants constants_of(const VolumeMesh& mesh) {
  const ElementMaterials materials(mesh);
  RegionConstants constants;
  for (std::size_t g = 0; g < mesh.regions.size(); ++g)
    constants.push_back(ElasticConstants{materials.lambda[g], materials.mu[g]});
  return constants;
}

}  // namespace

QuarticEnergy reduce_energy(const VolumeMesh& mesh, MatrixRef basis, const ReduceEnergyOptions& options) {
  require_cpu(options.backend, "the reduction of an energy");
  require_usable(mesh);
  require_basis(mesh, basis);
  return reduce_with(mesh, basis, constants_of(mesh), options, options.progress);
}

StrainForm reduce_strains(const VolumeMesh& mesh, MatrixRef basis, const ReduceEnergyOptions& options) {
  require_cpu(options.backend, "the reduction of an energy");
  require_usable(mesh);
  require_basis(mesh, basis);
  const std::int64_t pairs = strain_count(basis.cols());
  const StrainTiles tiles(mesh, basis, constants_of(mesh), options.workspace_bytes, pairs);
  // The triangle of the tiles so far, and the next tile below it.
  Eigen::MatrixXd stack = Eigen::MatrixXd::Zero(pairs + tiles.rows(), pairs);
  tiles.for_each(stack.data() + pairs, stack.outerStride(), options.progress,
                 [&](std::int64_t rows) { blas::triangularize(stack.topRows(pairs + rows)); });
  StrainForm form{.rank = static_cast<int>(basis.cols())};
  const auto r = static_cast<std::size_t>(basis.cols());
  for (Eigen::Index row = 0; row < pairs; ++row)
    for (std::size_t a = 0; a <= r; ++a)
      for (std::size_t b = std::max<std::size_t>(a, 1); b <= r; ++b) {
        const auto column = static_cast<Eigen::Index>(pair_index(a, b, r + 1)) - 1;
        if (column >= row) form.factor.push_back((a == b ? 0.5 : 1.0) * stack(row, column));
      }
  return form;
}

std::vector<RegionEnergy> reduce_region_energy(const VolumeMesh& mesh, MatrixRef basis,
                                               const ReduceEnergyOptions& options) {
  require_cpu(options.backend, "the reduction of an energy");
  require_usable(mesh);
  require_basis(mesh, basis);
  const std::size_t regions = mesh.regions.size();
  std::size_t part = 0;
  const auto reduce_part = [&](std::size_t region, const ElasticConstants& unit) {
    RegionConstants constants(regions);
    constants[region] = unit;
    const Progress share = [&](std::string_view stage, double fraction) {
      options.progress(stage, (static_cast<double>(part) + fraction) / static_cast<double>(2 * regions));
    };
    QuarticEnergy energy = reduce_with(mesh, basis, constants, options, options.progress ? share : Progress());
    ++part;
    return energy;
  };
  std::vector<RegionEnergy> result;
  for (std::size_t g = 0; g < regions; ++g) {
    RegionEnergy energy;
    energy.lambda_part = reduce_part(g, {.lambda = 1, .mu = 0});
    energy.mu_part = reduce_part(g, {.lambda = 0, .mu = 1});
    result.push_back(std::move(energy));
  }
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
