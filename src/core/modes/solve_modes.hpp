// Linear modes on any machine: picks the method, checks what came out, cleans it up.
//
// A template on the block-vector space of the backend, as the eigensolvers are.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/algebra/block_lanczos.hpp"
#include "core/algebra/dense.hpp"
#include "core/algebra/lobpcg.hpp"
#include "core/base/memory.hpp"
#include "core/modes/elastic_system.hpp"
#include "core/modes/system_solver.hpp"
#include "quartic/error.hpp"

namespace quartic {

namespace solve_modes_detail {

// Up to here a dense eigensolver is as quick as an iteration, and can't miss a thing.
constexpr std::int64_t dense_limit = 400;

// All pairs by a dense solver; the rigid ones come first and are cut off.
template <class Space>
EigenResult<Space> dense_modes(const Space& space, const ElasticSystem::Impl& system, Eigen::Index count) {
  const Eigen::MatrixXd stiffness = Eigen::MatrixXd(system.stiffness_free().map());
  const Eigen::MatrixXd mass = Eigen::MatrixXd(system.mass_free().map());
  const std::optional<dense::Eigenpairs> eigen = dense::symmetric_eigen(stiffness, mass);
  if (!eigen) throw NumericalError("the mass matrix isn't positive definite");
  const Eigen::Index rigid = system.rigid.cols();
  const Eigen::Index shown = std::min(count + 2, stiffness.rows() - rigid);
  EigenResult<Space> result;
  result.converged = static_cast<int>(std::min(shown, count));
  result.vectors = space.from_host(eigen->vectors.middleCols(rigid, shown));
  return result;
}

/// Whether `count` modes are so large a part of all that a dense solver finds them.
[[nodiscard]] inline bool are_dense(const ElasticSystem::Impl& system, std::int64_t count) {
  const std::int64_t elastic = system.free_count() - system.rigid.cols();
  return elastic <= dense_limit || count > elastic / 5;
}

template <class Space>
EigenResult<Space> iterate(Space& space, const ElasticSystem::Impl& system, const ModesOptions& options) {
  if (are_dense(system, options.count)) return dense_modes(space, system, options.count);
  EigenOptions eigen_options{options.count, options.tolerance, options.iteration_limit, {}};
  if (options.progress) eigen_options.progress = [&options](double share) { options.progress("linear modes", share); };
  const ModesMethod method = options.method == ModesMethod::automatic ? space.faster_method() : options.method;
  return method == ModesMethod::lobpcg ? lobpcg(space, eigen_options) : block_lanczos(space, eigen_options);
}

// Rayleigh-Ritz on the found vectors with fresh products; guards stay at the end.
template <class Space>
void polish(const Space& space, EigenResult<Space>& result) {
  orthonormalize(space, result.vectors, {});
  const Eigen::MatrixXd projected = space.inner(result.vectors, space.stiffness_times(result.vectors));
  const auto [values, vectors] = dense::symmetric_eigen(0.5 * (projected + projected.transpose()));
  result.values = values;
  result.vectors = product(space, result.vectors, vectors);
}

// Of the first columns: the others are guards.
template <class Space>
Eigen::VectorXd backward_errors(const Space& space, const EigenResult<Space>& found, Eigen::Index count) {
  std::vector<Eigen::Index> wanted(static_cast<std::size_t>(count));
  std::iota(wanted.begin(), wanted.end(), Eigen::Index{0});
  const auto x = space.select(found.vectors, wanted);
  const Eigen::VectorXd values = found.values.head(count);
  auto r = space.stiffness_times(x);
  space.subtract_scaled(r, space.mass_times(x), values);
  return space.column_norms(r).array() /
         ((space.stiffness_norm() + values.array().abs() * space.mass_norm()) * space.column_norms(x).array());
}

inline void require_converged(const Eigen::VectorXd& residuals, double tolerance, int iterations) {
  Eigen::Index good = 0;
  while (good < residuals.size() && residuals[good] <= tolerance) ++good;
  if (good == residuals.size()) return;
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << "only " << good << " of " << residuals.size() << " modes converged to a backward error of " << tolerance
       << " in " << iterations << " iterations (the next one has " << residuals[good]
       << "); allow more iterations or a larger tolerance";
  throw NumericalError(text.str());
}

}  // namespace solve_modes_detail

/// Of the host's: K and M as dense matrices with their workspace, or a basis of vectors (block_lanczos.hpp) with what
/// it is restarted from. @throws InputError if there is too little
inline void require_memory_for_modes(const ElasticSystem::Impl& system, std::int64_t count) {
  const bool dense = solve_modes_detail::are_dense(system, count);
  const auto rows = static_cast<double>(system.free_count());
  const double vectors = dense ? 4 * rows : 6 * static_cast<double>(count) + 100;
  require_memory(8 * rows * vectors,
                 std::to_string(count) + " modes of " + std::to_string(system.free_count()) + " degrees of freedom",
                 dense ? "ask for less than a fifth of all modes" : "ask for fewer modes");
}

/// @throws NumericalError if too few pairs converge
template <class Space>
FoundModes solve_modes(Space& space, const ElasticSystem::Impl& system, const ModesOptions& options) {
  using namespace solve_modes_detail;
  EigenResult<Space> found = iterate(space, system, options);
  if (found.converged < options.count)
    throw NumericalError("only " + std::to_string(found.converged) + " of " + std::to_string(options.count) +
                         " modes converged in " + std::to_string(found.iterations) +
                         " iterations; allow more of them, or ask for fewer modes");
  polish(space, found);
  Eigen::VectorXd residuals = backward_errors(space, found, options.count);
  // The iterations measure their errors otherwise: what is left for this one, inverse iteration takes away.
  for (int pass = 0; pass < 3 && residuals.maxCoeff() > options.tolerance; ++pass) {
    found.vectors = space.solve(space.mass_times(found.vectors));
    polish(space, found);
    residuals = backward_errors(space, found, options.count);
  }
  require_converged(residuals, options.tolerance, found.iterations);
  if (!(found.values[0] > 0))
    throw NumericalError("the lowest elastic eigenvalue isn't positive: a part can move freely");
  return {.values = {found.values.begin(), found.values.end()},
          .vectors = space.to_host(found.vectors, options.count),
          .residuals = {residuals.begin(), residuals.end()},
          .iterations = found.iterations,
          .solves = space.solves()};
}

}  // namespace quartic
