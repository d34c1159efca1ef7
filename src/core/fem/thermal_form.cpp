#include "core/fem/thermal_form.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/number_text.hpp"
#include "core/elements/quadrature.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/energy/symmetric_tensor.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

// One number for all, or one each.
class Numbers {
 public:
  Numbers(const std::vector<double>& numbers, std::int64_t count, const std::string& what, const std::string& of)
      : numbers_(numbers) {
    if (numbers.size() != 1 && std::ssize(numbers) != count)
      throw InputError(what + " takes one number, or one per " + of + ", which are " + std::to_string(count) +
                       ", not " + std::to_string(numbers.size()));
    if (!std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); }))
      throw InputError(what + " has a number that isn't finite");
  }
  double operator[](std::size_t i) const { return numbers_[numbers_.size() == 1 ? 0 : i]; }

 private:
  const std::vector<double>& numbers_;
};

}  // namespace

ThermalForm::ThermalForm(const PreparedMesh& prepared, const Heating& heating)
    : vertices_(prepared.vertex_count()), force_(static_cast<std::size_t>(3 * vertices_)) {
  const VolumeMesh& mesh = prepared.mesh();
  require_stvk(mesh, "strains of heat");
  const ElementMaterials& materials = prepared.materials();
  const Numbers temperature(heating.temperature, vertices_, "the temperature", "vertex");
  const Numbers expansion(heating.expansion, std::ssize(mesh.regions), "the expansion", "region");
  const VertexGraph& graph = prepared.graph();
  rows_ = {graph.offsets.begin(), graph.offsets.end()};
  columns_ = {graph.neighbours.begin(), graph.neighbours.end()};
  values_.resize(columns_.size());
  std::int64_t first = 0;
  for (const ElementBlock& block : mesh.blocks) {
    const TabulatedRule rule(element_table(block.type), stiffness_rule(block));
    for_each_point(
        mesh, block, rule, 0, block.count(),
        [&](std::int64_t e, std::span<const std::int32_t> element, const PointGeometry& geometry, std::size_t point) {
          const std::size_t region = materials.region(first + e);
          double warmth = 0;
          for (std::size_t a = 0; a < element.size(); ++a)
            warmth += rule.values[point][a] * temperature[static_cast<std::size_t>(element[a])];
          const double strain = expansion[region] * warmth;
          if (!(1 + 2 * strain > 0))
            throw InputError("the thermal strain " + number_text(strain, 6) + " in element " +
                             std::to_string(first + e) + " is -1/2 or below: nothing would be left of it");
          const double c = geometry.weight * (3 * materials.lambda[region] + 2 * materials.mu[region]) * strain;
          constant_ += 1.5 * c * strain;
          for (std::size_t a = 0; a < element.size(); ++a) {
            const auto& slope = geometry.gradient[a];
            const auto row = static_cast<std::size_t>(element[a]);
            for (std::size_t d = 0; d < 3; ++d) force_[3 * row + d] += c * slope[d];
            const auto begin = columns_.begin() + rows_[row], end = columns_.begin() + rows_[row + 1];
            for (std::size_t b = 0; b < element.size(); ++b) {
              const auto& other = geometry.gradient[b];
              const double product = slope[0] * other[0] + slope[1] * other[1] + slope[2] * other[2];
              values_[static_cast<std::size_t>(std::lower_bound(begin, end, element[b]) - columns_.begin())] +=
                  c * product;
            }
          }
        });
    first += block.count();
  }
}

void ThermalForm::add_force(std::span<const double> u, double* r) const {
  for (std::size_t v = 0; v + 1 < rows_.size(); ++v)
    for (std::size_t d = 0; d < 3; ++d) {
      double sum = force_[3 * v + d];
      for (auto i = static_cast<std::size_t>(rows_[v]); i < static_cast<std::size_t>(rows_[v + 1]); ++i)
        sum += values_[i] * u[3 * static_cast<std::size_t>(columns_[i]) + d];
      r[3 * v + d] -= sum;
    }
}

double ThermalForm::energy(std::span<const double> u) const {
  double sum = constant_;
  for (std::size_t v = 0; v + 1 < rows_.size(); ++v)
    for (std::size_t d = 0; d < 3; ++d) {
      double row = 0;
      for (auto i = static_cast<std::size_t>(rows_[v]); i < static_cast<std::size_t>(rows_[v + 1]); ++i)
        row += values_[i] * u[3 * static_cast<std::size_t>(columns_[i]) + d];
      sum -= u[3 * v + d] * (force_[3 * v + d] + row / 2);
    }
  return sum;
}

void ThermalForm::add_stiffness(SparseMatrix& k) const {
  for (std::size_t v = 0; v + 1 < rows_.size(); ++v)
    for (std::size_t d = 0; d < 3; ++d) {
      auto at = k.columns.begin() + k.row_offsets[3 * v + d];
      for (auto i = static_cast<std::size_t>(rows_[v]); i < static_cast<std::size_t>(rows_[v + 1]); ++i) {
        at = std::find(at, k.columns.end(), static_cast<std::int32_t>(3 * columns_[i] + static_cast<std::int32_t>(d)));
        k.values[static_cast<std::size_t>(at - k.columns.begin())] -= values_[i];
      }
    }
}

// V has S_0000 / 24, S_000i q_i / 6 and S_00ij q_i q_j / 4, summed over all i and j.
void ThermalForm::add_reduced(const MatrixRef& basis, QuarticEnergy& energy) const {
  const Eigen::Index r = basis.cols();
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(basis.rows(), r);
  for (std::size_t v = 0; v + 1 < rows_.size(); ++v)
    for (auto i = static_cast<std::size_t>(rows_[v]); i < static_cast<std::size_t>(rows_[v + 1]); ++i)
      product.middleRows<3>(3 * static_cast<Eigen::Index>(v)) +=
          values_[i] * basis.middleRows<3>(3 * Eigen::Index{columns_[i]});
  const Eigen::MatrixXd quadratic = basis.transpose() * product;
  const Eigen::VectorXd linear = basis.transpose() * Eigen::VectorXd::Map(force_.data(), std::ssize(force_));
  const auto rank = static_cast<std::size_t>(energy.rank);
  energy.coefficients[sorted_index(0, 0, 0, 0, rank)] += 24 * constant_;
  for (std::size_t i = 1; i <= rank; ++i) {
    const auto row = static_cast<Eigen::Index>(i - 1);
    energy.coefficients[sorted_index(0, 0, 0, i, rank)] -= 6 * linear[row];
    for (std::size_t j = i; j <= rank; ++j) {
      const auto column = static_cast<Eigen::Index>(j - 1);
      energy.coefficients[sorted_index(0, 0, i, j, rank)] -= quadratic(row, column) + quadratic(column, row);
    }
  }
}

QuarticEnergy heated_energy(const QuarticEnergy& energy, const VolumeMesh& mesh, MatrixRef basis,
                            const Heating& heating) {
  check(energy);
  if (basis.rows() != 3 * mesh.vertex_count() || basis.cols() != energy.rank || !basis.allFinite())
    throw InputError(
        "the basis must be finite, with three rows per vertex of the mesh and as many columns as the "
        "energy's rank");
  QuarticEnergy heated = energy;
  ThermalForm(PreparedMesh(mesh), heating).add_reduced(basis, heated);
  return heated;
}

std::vector<double> thermal_force(const VolumeMesh& mesh, std::span<const double> u, const Heating& heating) {
  if (u.size() != mesh.vertices.size()) throw InputError("the displacement needs three numbers per vertex");
  std::vector<double> force(u.size());
  ThermalForm(PreparedMesh(mesh), heating).add_force(u, force.data());
  return force;
}

double thermal_energy(const VolumeMesh& mesh, std::span<const double> u, const Heating& heating) {
  if (u.size() != mesh.vertices.size()) throw InputError("the displacement needs three numbers per vertex");
  return ThermalForm(PreparedMesh(mesh), heating).energy(u);
}

}  // namespace quartic
