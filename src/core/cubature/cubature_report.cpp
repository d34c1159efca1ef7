#include "core/cubature/cubature_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/algebra/dense.hpp"
#include "core/base/thread_pool.hpp"
#include "quartic/matrix.hpp"
#include "quartic/statics.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

using StateErrors = std::array<double, 4>;  // of force, energy, tangent, equilibrium

std::span<const double> entries(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

double energy_norm(const MatrixXd& stiffness, const VectorXd& x) {
  return std::sqrt(std::max(0.0, x.dot(stiffness * x)));
}

StateErrors errors_at(const Cubature& cubature, const Cubature& all, const VectorXd& q) {
  const MatrixXd stiffness = all.stiffness.map();
  const auto factor = dense::cholesky(stiffness);
  const ReducedForces exact = evaluate(all, entries(q)), sampled = evaluate(cubature, entries(q));
  const VectorXd force = VectorXd::Map(exact.force.data(), q.size());
  VectorXd error = VectorXd::Map(sampled.force.data(), q.size()) - force, response = force;
  const VectorXd difference = error;
  factor->solve(error);
  factor->solve(response);
  const auto tangent = dense::symmetric_eigen(sampled.stiffness.map() - exact.stiffness.map(), stiffness);
  const Equilibrium found = reduced_equilibrium(cubature, exact.force, entries(q), {.tolerance = 1e-8});
  const VectorXd shift = VectorXd::Map(found.solution.data(), q.size()) - q;
  return {std::sqrt(difference.dot(error) / force.dot(response)),
          std::abs(sampled.energy - exact.energy) / exact.energy, tangent->values.cwiseAbs().maxCoeff(),
          found.converged ? energy_norm(stiffness, shift) / energy_norm(stiffness, q) : 1.0};  // none was found: 100 %
}

CubatureError summary(std::vector<double> errors) {
  std::ranges::sort(errors);
  const auto at = [&](double share) {
    return errors[static_cast<std::size_t>(std::lround(share * static_cast<double>(errors.size() - 1)))];
  };
  return {.median = at(0.5), .ninetieth = at(0.9), .largest = errors.back()};
}

}  // namespace

CubatureReport report_on(const Cubature& cubature, const Cubature& all, const std::vector<VectorXd>& states,
                         const Progress& progress) {
  std::vector<StateErrors> errors(states.size());
  const std::int64_t at_once = std::max(8, default_thread_count());
  for (std::int64_t first = 0; first < std::ssize(states); first += at_once) {
    if (progress) progress("cubature report", static_cast<double>(first) / static_cast<double>(states.size()));
    parallel_for(std::min(at_once, std::ssize(states) - first), [&](std::int64_t n) {
      const auto state = static_cast<std::size_t>(first + n);
      errors[state] = errors_at(cubature, all, states[state]);
    });
  }
  const auto column = [&](std::size_t which) {
    std::vector<double> values;
    for (const StateErrors& of_state : errors) values.push_back(of_state[which]);
    return summary(std::move(values));
  };
  CubatureReport report;
  report.states = static_cast<int>(states.size());
  report.force = column(0);
  report.energy = column(1);
  report.tangent = column(2);
  report.equilibrium = column(3);
  return report;
}

}  // namespace quartic
