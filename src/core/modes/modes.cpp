// Linear modes: checks of options, and what comes after the eigensolver.
#include "quartic/modes.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "core/factorization/factorization_impl.hpp"
#include "core/modes/elastic_system.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

void check_options(const ElasticSystem::Impl& system, const ModesOptions& options) {
  const std::int64_t elastic = system.free_count() - system.rigid.cols();
  if (options.count < 1) throw InputError("the number of modes must be at least 1");
  if (options.count > elastic)
    throw InputError(std::to_string(options.count) + " modes were requested, but the body has " +
                     std::to_string(elastic) + " elastic degrees of freedom");
  if (!(options.tolerance > 0)) throw InputError("the tolerance of the modes must be positive");
  if (options.iteration_limit < 1) throw InputError("the iteration limit of the modes must be at least 1");
}

// Two neighbours closer than this are a cluster: any rotation of their modes is as good.
constexpr double cluster_gap = 1e-3;

void warn_of_split_cluster(std::span<const double> values, int count, std::vector<std::string>& warnings) {
  const auto next = static_cast<std::size_t>(count);
  if (values.size() <= next) return;
  const double gap = (values[next] - values[next - 1]) / values[next];
  if (gap > cluster_gap) return;
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << "mode " << count << " and the next one have nearly the same frequency (relative gap of the eigenvalues "
       << gap << "): the cut between them is arbitrary; use one mode more or less";
  warnings.push_back(text.str());
}

// Nothing moves between backends silently.
void warn_of_fallback(const Factorization& factor, std::vector<std::string>& warnings) {
  const std::string why(factor.impl().fallback());
  if (!why.empty())
    warnings.push_back("the factor of the backend 'cuda' is on the CPU (" + std::string(factor.name()) +
                       "), and right-hand sides are copied back and forth: " + why);
}

}  // namespace

LinearModes linear_modes(const ElasticSystem& system, const ModesOptions& options) {
  const ElasticSystem::Impl& s = system.impl();
  check_options(s, options);
  if (options.progress) options.progress("linear modes", 0);
  FoundModes found = s.solver->solve_modes(options);
  LinearModes modes;
  modes.warnings = s.warnings;
  warn_of_fallback(*s.factor, modes.warnings);
  warn_of_split_cluster(found.values, options.count, modes.warnings);
  modes.eigenvalues.assign(found.values.begin(), found.values.begin() + options.count);
  modes.residuals = std::move(found.residuals);
  modes.vectors = Matrix(system.dof_count(), options.count);
  s.scatter_from_free(found.vectors.map(), modes.vectors.map());
  fix_signs(modes.vectors);
  modes.rigid_modes = system.rigid_mode_count();
  modes.iterations = found.iterations;
  modes.solves = found.solves;
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
