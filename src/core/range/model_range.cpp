// The points of a model's range: those of many ways' first corners that find most of the ways' ends.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "core/algebra/dense.hpp"
#include "core/algebra/normal_numbers.hpp"
#include "core/batch/range_rule.hpp"
#include "core/elements/quadrature.hpp"
#include "core/range/first_corners.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/range.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Along the axes, the diagonals of faces and those of space.
std::vector<Eigen::Vector3d> accelerations() {
  std::vector<Eigen::Vector3d> all;
  for (int n = 0; n < 27; ++n)
    if (n != 13) all.emplace_back(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
  return all;
}

// Directions of the ways, shape (r, count): responses at rest K^-1 f to uniform accelerations, then in turn to random
// forces that a unit mass matrix makes equal in all modes, and states K^(-1/2) z with equal energies.
MatrixXd directions_of_ways(const ReducedModel& model, int count) {
  const int r = model.rank();
  const std::vector<double> rest(static_cast<std::size_t>(r));
  const dense::Eigenpairs modes = dense::symmetric_eigen(evaluate(model, rest).stiffness.map());
  const double least = 1e-12 * modes.values.cwiseAbs().maxCoeff();
  const VectorXd stiffness = modes.values.cwiseMax(least > 0 ? least : 1);
  MatrixXd directions(r, count);
  NormalNumbers random;
  const std::vector<Eigen::Vector3d> uniform = accelerations();
  for (Eigen::Index way = 0; way < count; ++way) {
    const auto number = static_cast<std::size_t>(way);
    VectorXd amplitudes;
    if (number < uniform.size() && model.unit_acceleration.rows == r)
      amplitudes = modes.vectors.transpose() * (model.unit_acceleration.map() * uniform[number]);
    else
      amplitudes = random.vector(r);
    const bool equal_energies = number >= uniform.size() && number % 2 == 1;
    directions.col(way) = modes.vectors * (equal_energies ? amplitudes.cwiseQuotient(stiffness.cwiseSqrt()).eval()
                                                          : amplitudes.cwiseQuotient(stiffness).eval());
  }
  return directions;
}

/// A state that is out of range a little: 5 % beyond where its way's first corner is.
struct Finding {
  VectorXd q;
  std::uint32_t bit;  // what is to be found there
};

// Which findings each candidate makes.
std::vector<std::vector<bool>> findings_of(const std::vector<MatrixXd>& candidates,
                                           const std::vector<Finding>& findings) {
  std::vector<std::vector<bool>> table;
  for (const MatrixXd& gradients : candidates) {
    std::vector<bool>& row = table.emplace_back();
    for (const Finding& finding : findings) {
      double g[9];
      Eigen::Map<Eigen::Matrix<double, 9, 1>>{g} = gradients * finding.q;
      row.push_back((range_bits(g) & finding.bit) != 0);
    }
  }
  return table;
}

// The candidates that find the most of what those before haven't found.
std::vector<std::size_t> greedy_cover(const std::vector<std::vector<bool>>& table, std::size_t most) {
  std::vector<std::size_t> chosen;
  std::vector<bool> found(table.empty() ? 0 : table.front().size());
  while (chosen.size() < most) {
    std::size_t best = 0, best_gain = 0;
    for (std::size_t c = 0; c < table.size(); ++c) {
      std::size_t gain = 0;
      for (std::size_t n = 0; n < found.size(); ++n) gain += table[c][n] && !found[n] ? 1 : 0;
      if (gain > best_gain) best = c, best_gain = gain;
    }
    if (best_gain == 0) break;
    chosen.push_back(best);
    for (std::size_t n = 0; n < found.size(); ++n) found[n] = found[n] || table[best][n];
  }
  return chosen;
}

void check(const ReducedModel& model, const RangeOptions& options) {
  if (options.points < 1) throw InputError("RangeOptions::points must be at least 1");
  if (options.directions < 1) throw InputError("RangeOptions::directions must be at least 1");
  if (model.rank() < 1 || (!model.cubature && model.energy.rank != model.rank()))
    throw InputError("a model without basis and energy has no range; it holds linear modes only");
  require_indices(model.mesh);
  if (model.basis.rows != std::ssize(model.mesh.vertices))
    throw InputError("the model's basis must have three rows per vertex of its mesh");
}

}  // namespace

ModelRange model_range(const ReducedModel& model, const RangeOptions& options) {
  check(model, options);
  const MatrixXd directions = directions_of_ways(model, options.directions);
  const std::vector<WayExits> exits = first_corners(model.mesh, model.basis.map(), directions);
  std::set<ElementCorner> corners;
  std::vector<Finding> findings;
  for (std::size_t way = 0; way < exits.size(); ++way)
    for (const auto& [exit, bit] :
         {std::pair{exits[way].inverted, inverted_bit}, std::pair{exits[way].strained, strained_bit}}) {
      if (exit.corner.element < 0) continue;
      corners.insert(exit.corner);
      findings.push_back({1.05 * exit.scale * directions.col(static_cast<Eigen::Index>(way)), bit});
    }
  std::vector<MatrixXd> candidates;
  candidates.reserve(corners.size());
  for (const ElementCorner& corner : corners)
    candidates.push_back(corner_gradients(model.mesh, model.basis.map(), corner));

  ModelRange range{.rank = model.rank()};
  for (const std::size_t c :
       greedy_cover(findings_of(candidates, findings), static_cast<std::size_t>(options.points))) {
    const Eigen::Matrix<double, 9, Eigen::Dynamic, Eigen::RowMajor> rows = candidates[c];
    range.gradients.insert(range.gradients.end(), rows.data(), rows.data() + rows.size());
    range.elements.push_back(std::next(corners.begin(), static_cast<std::ptrdiff_t>(c))->element);
  }
  return range;
}

}  // namespace quartic
