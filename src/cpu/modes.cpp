// Linear modes on the CPU: picks the method, checks what came out, cleans it up.
#include "quartic/modes.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "core/block_lanczos.hpp"
#include "core/elastic_system.hpp"
#include "core/lobpcg.hpp"
#include "cpu/block_space.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Up to here a dense eigensolver is as quick as an iteration, and can't miss a thing.
constexpr std::int64_t dense_limit = 400;

// All pairs by a dense solver; the rigid ones come first and are cut off.
EigenResult<CpuBlockSpace> dense_modes(const ElasticSystem::Impl& system, Eigen::Index count) {
  const MatrixXd stiffness = MatrixXd(system.stiffness_free.map());
  const MatrixXd mass = MatrixXd(system.mass_free.map());
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(stiffness, mass);
  if (eigen.info() != Eigen::Success) throw NumericalError("the mass matrix isn't positive definite");
  const Eigen::Index rigid = system.rigid.cols();
  const Eigen::Index shown = std::min(count + 2, stiffness.rows() - rigid);
  EigenResult<CpuBlockSpace> result;
  result.converged = static_cast<int>(std::min(shown, count));
  result.vectors = eigen.eigenvectors().middleCols(rigid, shown);
  return result;
}

EigenResult<CpuBlockSpace> iterate(CpuBlockSpace& space, const ElasticSystem::Impl& system,
                                   const ModesOptions& options) {
  const std::int64_t elastic = system.free_count() - system.rigid.cols();
  if (elastic <= dense_limit || options.count > elastic / 5) return dense_modes(system, options.count);
  EigenOptions eigen_options{options.count, options.tolerance, options.iteration_limit, {}};
  if (options.progress) eigen_options.progress = [&options](double share) { options.progress("linear modes", share); };
  return options.method == ModesMethod::lobpcg ? lobpcg(space, eigen_options) : block_lanczos(space, eigen_options);
}

// Rayleigh-Ritz on the found vectors with fresh products; guards stay at the end.
void polish(const CpuBlockSpace& space, EigenResult<CpuBlockSpace>& result) {
  orthonormalize(space, result.vectors, {});
  const MatrixXd projected = space.inner(result.vectors, space.stiffness_times(result.vectors));
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(0.5 * (projected + projected.transpose()));
  result.values = eigen.eigenvalues();
  result.vectors = product(space, result.vectors, eigen.eigenvectors());
}

VectorXd backward_errors(const CpuBlockSpace& space, const MatrixXd& x, const VectorXd& values) {
  MatrixXd r = space.stiffness_times(x);
  space.subtract_scaled(r, space.mass_times(x), values);
  return space.column_norms(r).array() /
         ((space.stiffness_norm() + values.array().abs() * space.mass_norm()) * space.column_norms(x).array());
}

void check_options(const ElasticSystem::Impl& system, const ModesOptions& options) {
  const std::int64_t elastic = system.free_count() - system.rigid.cols();
  if (options.count < 1) throw InputError("the number of modes must be at least 1");
  if (options.count > elastic)
    throw InputError(std::to_string(options.count) + " modes were asked for, but the body has " +
                     std::to_string(elastic) + " elastic degrees of freedom");
  if (!(options.tolerance > 0)) throw InputError("the tolerance of the modes must be positive");
  if (options.iteration_limit < 1) throw InputError("the iteration limit of the modes must be at least 1");
}

void require_converged(const VectorXd& residuals, double tolerance, int iterations) {
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

// Two neighbours closer than this are a cluster: any rotation of their modes is as good.
constexpr double cluster_gap = 1e-3;

void warn_of_split_cluster(const VectorXd& values, int count, std::vector<std::string>& warnings) {
  if (values.size() <= count) return;
  const double gap = (values[count] - values[count - 1]) / values[count];
  if (gap > cluster_gap) return;
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << "mode " << count << " and the next one have nearly the same frequency (relative gap of the eigenvalues "
       << gap << "): the cut between them is arbitrary; one mode more or less keeps them together";
  warnings.push_back(text.str());
}

}  // namespace

LinearModes linear_modes(const ElasticSystem& system, const ModesOptions& options) {
  const ElasticSystem::Impl& s = system.impl();
  check_options(s, options);
  if (options.progress) options.progress("linear modes", 0);
  CpuBlockSpace space(s, options.seed);
  EigenResult<CpuBlockSpace> found = iterate(space, s, options);
  if (found.converged < options.count)
    throw NumericalError("only " + std::to_string(found.converged) + " of " + std::to_string(options.count) +
                         " modes converged in " + std::to_string(found.iterations) +
                         " iterations; allow more of them, or ask for fewer modes");
  polish(space, found);
  const MatrixXd wanted = found.vectors.leftCols(options.count);
  const VectorXd values = found.values.head(options.count);
  const VectorXd residuals = backward_errors(space, wanted, values);
  require_converged(residuals, options.tolerance, found.iterations);
  if (!(values[0] > 0)) throw NumericalError("the lowest elastic eigenvalue isn't positive: a part can move freely");

  LinearModes modes;
  modes.eigenvalues.assign(values.begin(), values.end());
  modes.residuals.assign(residuals.begin(), residuals.end());
  modes.vectors = Matrix(system.dof_count(), options.count);
  s.scatter_from_free(wanted, modes.vectors.map());
  fix_signs(modes.vectors);
  modes.rigid_modes = system.rigid_mode_count();
  modes.iterations = found.iterations;
  modes.solves = space.solves();
  warn_of_split_cluster(found.values, options.count, modes.warnings);
  if (options.progress) options.progress("linear modes", 1);
  return modes;
}

void fix_signs(Matrix& columns) {
  for (std::int64_t j = 0; j < columns.cols; ++j) {
    const auto column = columns.col(j);
    double largest = 0;
    for (const double x : column) largest = std::max(largest, std::abs(x));
    const auto first =
        std::find_if(column.begin(), column.end(), [&](double x) { return std::abs(x) >= (1 - 1e-8) * largest; });
    if (first != column.end() && *first < 0)
      for (double& x : column) x = -x;
  }
}

}  // namespace quartic
