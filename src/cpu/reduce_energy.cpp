#include <algorithm>
#include <optional>
#include <string>

#include "core/quadrature.hpp"
#include "core/quartic_polynomial.hpp"
#include "core/quartic_tensor.hpp"
#include "core/thread_pool.hpp"
#include "cpu/blas.hpp"
#include "cpu/strain_panel.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

// So many that dsyrk reads and writes the Gram matrix seldom and that many threads find work in one tile. A constant,
// since the order of summation follows from it.
constexpr std::int64_t points_per_tile = 2048;

// Lame constants by region; elements of regions without an entry are passed over.
using RegionConstants = std::vector<std::optional<ElasticConstants>>;

// The Gram matrix of the strains of all quadrature points of a mesh, tile by tile.
class GramAccumulator {
 public:
  GramAccumulator(const VolumeMesh& mesh, const MatrixRef& basis, const RegionConstants& constants,
                  const ReduceEnergyOptions& options)
      : mesh_(mesh), basis_(basis), constants_(constants) {
    for (const auto& entry : constants)
      if (entry) strain_count_ = static_cast<std::int64_t>(entry->strain_count());
    const std::int64_t r = basis.cols(), pairs = (r + 1) * (r + 2) / 2 - 1;
    const std::int64_t point_bytes = strain_count_ * pairs * static_cast<std::int64_t>(sizeof(double));
    tile_points_ = std::min(points_per_tile, options.workspace_bytes / point_bytes);
    if (tile_points_ < 1)
      throw InputError("workspace_bytes is " + std::to_string(options.workspace_bytes) + ", but at rank " +
                       std::to_string(r) + " a single quadrature point takes " + std::to_string(point_bytes) +
                       "; raise it, best to a thousand times that");
    gram_ = Eigen::MatrixXd::Zero(pairs, pairs);
  }

  // Adds the elements of a block; `done(elements)` is told after each tile how many of these are through.
  template <class Done>
  void add(const ElementBlock& block, std::int64_t first_element, const Done& done) {
    const ElementTable& table = element_table(block.type);
    const TabulatedRule rule(table, table.stiffness_rule);
    std::vector<std::int64_t> elements;
    for (std::int64_t e = 0; e < block.count(); ++e)
      if (constants_of(first_element + e)) elements.push_back(e);
    const std::int64_t points = std::ssize(elements) * std::ssize(rule.weights);
    const std::int64_t rows = strain_count_ * std::min(points, tile_points_);
    if (tile_.rows() < rows) tile_.resize(rows, gram_.cols());
    for (std::int64_t begin = 0; begin < points; begin += tile_points_) {
      const std::int64_t end = std::min(points, begin + tile_points_);
      fill_tile(block, first_element, rule, elements, begin, end);
      blas::rank_k_update_transposed(tile_.topRows(strain_count_ * (end - begin)), gram_);
      done(end / std::ssize(rule.weights));
    }
  }

  [[nodiscard]] const Eigen::MatrixXd& gram() const { return gram_; }  // lower triangle

 private:
  [[nodiscard]] const std::optional<ElasticConstants>& constants_of(std::int64_t element) const {
    return constants_[static_cast<std::size_t>(mesh_.element_region[static_cast<std::size_t>(element)])];
  }

  // Points [begin, end) of a list of elements, counted through all of them.
  void fill_tile(const ElementBlock& block, std::int64_t first_element, const TabulatedRule& rule,
                 std::span<const std::int64_t> elements, std::int64_t begin, std::int64_t end) {
    constexpr auto panel_points = static_cast<std::int64_t>(StrainPanel::capacity);
    const auto points = std::ssize(rule.weights);
    parallel_for((end - begin + panel_points - 1) / panel_points, [&](std::int64_t task) {
      const std::int64_t first = begin + task * panel_points, last = std::min(end, first + panel_points);
      StrainPanel panel(basis_);
      PointGeometry geometry;
      std::array<std::array<double, 3>, 20> x;
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t e = elements[static_cast<std::size_t>(i / points)];
        const auto p = static_cast<std::size_t>(i % points);
        const auto vertices = block.element(e);
        gather_positions(mesh_, vertices, x);
        point_geometry({x.data(), vertices.size()}, reinterpret_cast<const double(*)[3]>(rule.gradients[p].data()),
                       rule.weights[p], geometry);
        panel.add_point(vertices, geometry, *constants_of(first_element + e));
      }
      panel.write(static_cast<std::size_t>(strain_count_), tile_.data() + strain_count_ * (first - begin),
                  static_cast<std::size_t>(tile_.outerStride()));
    });
  }

  const VolumeMesh& mesh_;
  const MatrixRef& basis_;
  const RegionConstants& constants_;
  std::int64_t strain_count_ = 6;
  std::int64_t tile_points_ = 0;
  Eigen::MatrixXd gram_;
  Eigen::MatrixXd tile_;  // strains of some points: column per pair
};

void require_basis(const VolumeMesh& mesh, const MatrixRef& basis) {
  if (basis.rows() != 3 * mesh.vertex_count())
    throw InputError("the basis has " + std::to_string(basis.rows()) + " rows, but the mesh has " +
                     std::to_string(mesh.vertex_count()) + " vertices, three rows each");
  if (basis.cols() < 1 || basis.cols() > rank_limit)
    throw InputError("the basis must have 1 .. " + std::to_string(rank_limit) + " columns, not " +
                     std::to_string(basis.cols()));
  if (!basis.allFinite()) throw InputError("the basis has an entry that isn't a finite number");
}

QuarticEnergy reduce_with(const VolumeMesh& mesh, const MatrixRef& basis, const RegionConstants& constants,
                          const ReduceEnergyOptions& options, const Progress& progress) {
  const auto report = [&](std::int64_t elements) {
    const auto total = static_cast<double>(mesh.element_count());
    if (progress) progress("quartic energy", static_cast<double>(elements) / total);
  };
  GramAccumulator accumulator(mesh, basis, constants, options);
  report(0);
  std::int64_t first_element = 0;
  for (const ElementBlock& block : mesh.blocks) {
    accumulator.add(block, first_element, [&](std::int64_t elements) { report(first_element + elements); });
    first_element += block.count();
  }
  report(first_element);
  return symmetrise(accumulator.gram(), static_cast<int>(basis.cols()));
}

}  // namespace

QuarticEnergy reduce_energy(const VolumeMesh& mesh, MatrixRef basis, const ReduceEnergyOptions& options) {
  require_backend(options.backend);
  require_usable(mesh);
  require_basis(mesh, basis);
  const ElementMaterials materials(mesh);
  RegionConstants constants;
  for (std::size_t g = 0; g < mesh.regions.size(); ++g)
    constants.push_back(ElasticConstants{materials.lambda[g], materials.mu[g]});
  return reduce_with(mesh, basis, constants, options, options.progress);
}

std::vector<RegionEnergy> reduce_region_energy(const VolumeMesh& mesh, MatrixRef basis,
                                               const ReduceEnergyOptions& options) {
  require_backend(options.backend);
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
