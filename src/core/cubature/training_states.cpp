#include "core/cubature/training_states.hpp"

#include <algorithm>
#include <cmath>

#include "core/algebra/dense.hpp"
#include "core/algebra/normal_numbers.hpp"
#include "core/base/thread_pool.hpp"
#include "quartic/statics.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int load_steps = 4;
constexpr double least_share = 0.15;  // of the largest displacement

std::span<const double> numbers(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

// Of the vertex that moves farthest.
double largest_displacement(const MatrixRef& basis, const VectorXd& q) {
  const VectorXd u = basis * q;
  return std::sqrt(u.reshaped(3, u.size() / 3).colwise().squaredNorm().maxCoeff());
}

// What random numbers are for: each kind of state has its own.
constexpr std::uint64_t for_loads = 0, for_lifts = 0xc2b2ae3d27d4eb4fU;

// Random numbers of a state by itself, whatever comes before it.
NormalNumbers numbers_of(std::uint64_t seed, std::uint64_t purpose, std::int64_t state) {
  return NormalNumbers(((seed * 0x9e3779b97f4a7c15U) ^ purpose) + static_cast<std::uint64_t>(state) + 1);
}

// Nearly uniform in [least_share, 1].
double random_share(NormalNumbers& random) {
  constexpr Index steps = Index{1} << 30;
  return least_share + (1 - least_share) * static_cast<double>(random.index(steps)) / static_cast<double>(steps);
}

std::vector<VectorXd> states_under(const StateSource& source, const dense::Eigenpairs& modes, std::int64_t load) {
  NormalNumbers random = numbers_of(source.seed, for_loads, load);
  const double share = random_share(random);
  const VectorXd linear = modes.vectors * (random.vector(modes.values.size()).cwiseQuotient(modes.values));
  const double moved = largest_displacement(source.basis, linear);
  const VectorXd whole = source.all.stiffness.map() * linear * (share * source.size / moved);
  std::vector<VectorXd> states;
  VectorXd q = VectorXd::Zero(linear.size());
  for (int step = 1; step <= load_steps; ++step) {
    const VectorXd force = whole * (static_cast<double>(step) / load_steps);
    const Equilibrium found =
        reduced_equilibrium(source.all, numbers(force), numbers(q), {.halvings = 2, .tolerance = 1e-8});
    if (!found.converged) break;
    q = VectorXd::Map(found.solution.data(), q.size());
    states.push_back(q);
  }
  return states;
}

// T_ij for the first modes, from differences of K along each.
std::vector<MatrixXd> mode_derivatives(const StateSource& source, const dense::Eigenpairs& modes, Index count) {
  const auto factor = dense::cholesky(source.all.stiffness.map());
  std::vector<MatrixXd> derivatives(static_cast<std::size_t>(count));
  parallel_for(count, [&](std::int64_t i) {
    const VectorXd mode = modes.vectors.col(i);
    const double h = 1e-3 * source.size / largest_displacement(source.basis, mode);
    const VectorXd plus = h * mode, minus = -h * mode;
    const MatrixXd change =
        (evaluate(source.all, numbers(plus)).stiffness.map() - evaluate(source.all, numbers(minus)).stiffness.map()) /
        (2 * h);
    MatrixXd& result = derivatives[static_cast<std::size_t>(i)];
    result = -change * modes.vectors.leftCols(count);
    factor->solve(result);
  });
  return derivatives;
}

}  // namespace

std::vector<VectorXd> static_states(const StateSource& source, int count, const Progress& progress) {
  const dense::Eigenpairs modes = dense::symmetric_eigen(source.all.stiffness.map());
  const std::int64_t loads = (count + load_steps - 1) / load_steps;
  std::vector<std::vector<VectorXd>> found(static_cast<std::size_t>(loads));
  const std::int64_t at_once = std::max(8, default_thread_count());
  for (std::int64_t first = 0; first < loads; first += at_once) {
    if (progress) progress("cubature states", static_cast<double>(first) / static_cast<double>(loads));
    parallel_for(std::min(at_once, loads - first), [&](std::int64_t n) {
      found[static_cast<std::size_t>(first + n)] = states_under(source, modes, first + n);
    });
  }
  std::vector<VectorXd> states;
  for (const auto& of_load : found) states.insert(states.end(), of_load.begin(), of_load.end());
  if (std::ssize(states) > count) states.resize(static_cast<std::size_t>(count));
  return states;
}

std::vector<VectorXd> lifted_states(const StateSource& source, int count, const Progress& progress) {
  const dense::Eigenpairs modes = dense::symmetric_eigen(source.all.stiffness.map());
  constexpr Index most_modes = 12;
  const Index used = std::min<Index>(most_modes, modes.values.size());
  if (progress) progress("cubature states", 0);
  const std::vector<MatrixXd> derivatives = mode_derivatives(source, modes, used);
  std::vector<VectorXd> states;
  for (int n = 0; n < count; ++n) {
    NormalNumbers random = numbers_of(source.seed, for_lifts, n);
    const double share = random_share(random);
    VectorXd eta = random.vector(used).cwiseQuotient(modes.values.head(used));
    const VectorXd linear = modes.vectors.leftCols(used) * eta;
    const double scale = share * source.size / largest_displacement(source.basis, linear);
    eta *= scale;
    VectorXd q = scale * linear;
    for (Index i = 0; i < used; ++i) q += 0.5 * eta[i] * (derivatives[static_cast<std::size_t>(i)] * eta);
    states.push_back(std::move(q));
  }
  return states;
}

}  // namespace quartic
