#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/algebra/dense.hpp"
#include "core/batch/shift_rule.hpp"
#include "core/unreduced/newton_equilibrium.hpp"
#include "quartic/error.hpp"

namespace quartic {

void check_statics_options(const StaticsOptions& options) {
  if (options.load_steps < 1 || options.halvings < 0 || options.newton_iterations < 1)
    throw InputError("statics needs at least one load step and one Newton iteration, and no negative count");
  if (!(options.tolerance > 0) || !(options.tolerance < 1))
    throw InputError("the tolerance of statics must lie between 0 and 1, not " + std::to_string(options.tolerance));
}

namespace {

/// What NewtonEquilibrium asks of a body.
class ReducedBody {
 public:
  ReducedBody(const QuarticEnergy& energy, std::span<const double> start)
      : energy_(energy), q_(VectorXd::Zero(energy.rank)) {
    if (!start.empty()) q_ = VectorXd::Map(start.data(), std::ssize(start));
  }

  void evaluate() { forces_ = forces_at(q_); }
  [[nodiscard]] VectorXd internal() const { return VectorXd::Map(forces_.force.data(), q_.size()); }
  [[nodiscard]] double internal_norm() const { return internal().norm(); }
  [[nodiscard]] VectorXd internal_at(double t, const VectorXd& d) const {
    const ReducedForces forces = forces_at(q_ + t * d);
    return VectorXd::Map(forces.force.data(), q_.size());
  }
  [[nodiscard]] double energy() const { return forces_at(q_).energy; }
  void move(double t, const VectorXd& d) { q_ += t * d; }
  [[nodiscard]] const VectorXd& position() const { return q_; }
  void place(const VectorXd& position) { q_ = position; }

  // The rule of a Batch's system matrix.
  std::optional<double> factorize() {
    const Eigen::MatrixXd k = forces_.stiffness.map();
    const auto first = [&] { return first_shift(k.diagonal().cwiseAbs().sum()) / static_cast<double>(k.rows()); };
    const ShiftResult<double> result = factorize_by_shifts<double>(first, [&](double shift) {
      factor_ = dense::cholesky(k + shift * Eigen::MatrixXd::Identity(k.rows(), k.cols()));
      return factor_.has_value();
    });
    return result.solvable ? std::optional(result.shift) : std::nullopt;
  }
  void solve(VectorXd& x) const { factor_->solve(x); }

 private:
  [[nodiscard]] ReducedForces forces_at(const VectorXd& q) const {
    return quartic::evaluate(energy_, std::span(q.data(), static_cast<std::size_t>(q.size())));
  }

  const QuarticEnergy& energy_;
  VectorXd q_;
  ReducedForces forces_;
  std::optional<dense::Cholesky> factor_;
};

void require_coordinates(std::span<const double> values, int rank, const std::string& name) {
  if (std::ssize(values) != rank)
    throw InputError(name + " has " + std::to_string(values.size()) + " numbers, but the energy has the rank " +
                     std::to_string(rank));
  if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
    throw InputError(name + " has an entry that isn't a finite number");
}

}  // namespace

Equilibrium reduced_equilibrium(const QuarticEnergy& energy, std::span<const double> force,
                                std::span<const double> start, const StaticsOptions& options) {
  check_statics_options(options);
  require_coordinates(force, energy.rank, "the force");
  if (!start.empty()) require_coordinates(start, energy.rank, "the start");
  ReducedBody body(energy, start);
  Equilibrium result = NewtonEquilibrium(body, options).solve(VectorXd::Map(force.data(), std::ssize(force)));
  result.solution.assign(body.position().begin(), body.position().end());
  return result;
}

}  // namespace quartic
