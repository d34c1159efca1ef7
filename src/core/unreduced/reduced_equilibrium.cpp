#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/algebra/dense.hpp"
#include "core/batch/shift_rule.hpp"
#include "core/energy/quartic_polynomial.hpp"
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

using Eigen::MatrixXd;

/// What NewtonEquilibrium asks of a body.
class ReducedBody {
 public:
  explicit ReducedBody(const QuarticEnergy& energy)
      : coefficients_(coefficient_matrix(energy, true)), q_(VectorXd::Zero(energy.rank)) {}

  void evaluate() {
    energy_ = evaluate_at(q_, internal_, stiffness_);
    is_evaluated_ = true;
  }
  [[nodiscard]] const VectorXd& internal() const { return internal_; }
  [[nodiscard]] double internal_norm() const { return internal_.norm(); }
  [[nodiscard]] VectorXd internal_at(double t, const VectorXd& d) const {
    VectorXd force;
    MatrixXd stiffness;
    evaluate_at(q_ + t * d, force, stiffness);
    return force;
  }
  [[nodiscard]] double energy() const {
    if (is_evaluated_) return energy_;
    VectorXd force;
    MatrixXd stiffness;
    return evaluate_at(q_, force, stiffness);
  }
  void move(double t, const VectorXd& d) { place(q_ + t * d); }
  [[nodiscard]] const VectorXd& position() const { return q_; }
  void place(const VectorXd& position) {
    q_ = position;
    is_evaluated_ = false;
  }

  // The rule of a Batch's system matrix.
  std::optional<double> factorize() {
    const MatrixXd& k = stiffness_;
    const auto first = [&] { return first_shift(k.diagonal().cwiseAbs().sum()) / static_cast<double>(k.rows()); };
    const ShiftResult<double> result = factorize_by_shifts<double>(first, [&](double shift) {
      factor_ = dense::cholesky(k + shift * MatrixXd::Identity(k.rows(), k.cols()));
      return factor_.has_value();
    });
    return result.solvable ? std::optional(result.shift) : std::nullopt;
  }
  void solve(VectorXd& x) const { factor_->solve(x); }

 private:
  // R, K and the energy by one product with the monomials of (1, q): see coefficient_matrix.
  double evaluate_at(const VectorXd& q, VectorXd& force, MatrixXd& stiffness) const {
    const Eigen::Index r = q.size();
    VectorXd monomials(coefficients_.rows);
    monomials[0] = 1;
    monomials.segment(1, r) = q;
    for (Eigen::Index i = 0, next = r + 1; i < r; next += r - i, ++i)
      monomials.segment(next, r - i) = q[i] * q.tail(r - i);
    const VectorXd entries = coefficients_.map().transpose() * monomials;
    stiffness.resize(r, r);
    for (Eigen::Index i = 0, next = 0; i < r; next += r - i, ++i) {
      stiffness.col(i).tail(r - i) = entries.segment(next, r - i);
      stiffness.row(i).tail(r - i) = entries.segment(next, r - i).transpose();
    }
    const auto first = entries.segment(entries.size() - 1 - r, r);
    force = (first + stiffness * q) / 3;
    return (entries[entries.size() - 1] + q.dot(first + 3 * force)) / 12;
  }

  Matrix coefficients_;
  double energy_ = 0;
  bool is_evaluated_ = false;  // at q
  VectorXd q_, internal_;
  MatrixXd stiffness_;
  std::optional<dense::Cholesky> factor_;
};

void require_coordinates(std::span<const double> values, int rank, const std::string& name) {
  if (std::ssize(values) != rank)
    throw InputError(name + " has " + std::to_string(values.size()) + " numbers, but the energy has the rank " +
                     std::to_string(rank));
  if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
    throw InputError(name + " has an entry that isn't a finite number");
}

Equilibrium solve(ReducedBody& body, const VectorXd& force, std::span<const double> start,
                  const StaticsOptions& options) {
  body.place(VectorXd::Zero(force.size()));
  if (!start.empty()) body.place(VectorXd::Map(start.data(), std::ssize(start)));
  Equilibrium result = NewtonEquilibrium(body, options).solve(force);
  result.solution.assign(body.position().begin(), body.position().end());
  return result;
}

}  // namespace

Equilibrium reduced_equilibrium(const QuarticEnergy& energy, std::span<const double> force,
                                std::span<const double> start, const StaticsOptions& options) {
  check_statics_options(options);
  require_coordinates(force, energy.rank, "the force");
  if (!start.empty()) require_coordinates(start, energy.rank, "the start");
  ReducedBody body(energy);
  return solve(body, VectorXd::Map(force.data(), std::ssize(force)), start, options);
}

std::vector<Equilibrium> reduced_equilibria(const QuarticEnergy& energy, MatrixRef forces,
                                            const StaticsOptions& options) {
  check_statics_options(options);
  if (forces.rows() != energy.rank || !forces.allFinite())
    throw InputError("the forces must have " + std::to_string(energy.rank) +
                     " rows, the rank of the energy, and finite entries");
  ReducedBody body(energy);
  std::vector<Equilibrium> results;
  for (Eigen::Index n = 0; n < forces.cols(); ++n) results.push_back(solve(body, forces.col(n), {}, options));
  return results;
}

}  // namespace quartic
