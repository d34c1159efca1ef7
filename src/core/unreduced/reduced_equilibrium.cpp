#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "core/algebra/dense.hpp"
#include "core/batch/gas_law.hpp"
#include "core/batch/shift_rule.hpp"
#include "core/energy/enclosed_volume.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/unreduced/newton_equilibrium.hpp"
#include "quartic/error.hpp"
#include "quartic/gas_equilibrium.hpp"

namespace quartic {

void check_statics_options(const StaticsOptions& options) {
  if (options.load_steps < 1 || options.halvings < 0 || options.newton_iterations < 1)
    throw InputError("statics needs at least one load step and one Newton iteration, and no negative count");
  if (!(options.tolerance > 0) || !(options.tolerance < 1))
    throw InputError("the tolerance of statics must lie between 0 and 1, not " + std::to_string(options.tolerance));
}

void require_pressures(std::span<const double> pressures, std::size_t chambers) {
  if (!pressures.empty() && pressures.size() != chambers)
    throw InputError("there are " + std::to_string(chambers) + " chambers, but " + std::to_string(pressures.size()) +
                     " pressures");
  if (!std::all_of(pressures.begin(), pressures.end(), [](double p) { return std::isfinite(p); }))
    throw InputError("a pressure isn't a finite number");
}

namespace {

using Eigen::MatrixXd;

/// A quartic energy by one product with the monomials of (1, q): see coefficient_matrix.
class QuarticForces {
 public:
  explicit QuarticForces(const QuarticEnergy& energy) : coefficients_(coefficient_matrix(energy, true)) {}

  // V, R and K.
  double operator()(const VectorXd& q, VectorXd& force, MatrixXd& stiffness) const {
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

 private:
  Matrix coefficients_;
};

/// A cubature's V, R and K.
double cubature_forces(const Cubature& cubature, const VectorXd& q, VectorXd& force, MatrixXd& stiffness) {
  const ReducedForces forces =
      quartic::evaluate(cubature, std::span<const double>(q.data(), static_cast<std::size_t>(q.size())));
  force = VectorXd::Map(forces.force.data(), q.size());
  stiffness = forces.stiffness.map();
  return forces.energy;
}

/// What NewtonEquilibrium asks of a body.
class ReducedBody {
 public:
  using Forces = std::function<double(const VectorXd& q, VectorXd& force, MatrixXd& stiffness)>;

  /// @param gases of all chambers, or of none
  ReducedBody(const QuarticEnergy& energy, std::span<const EnclosedVolume> chambers, std::span<const double> pressures,
              const Gases& gases)
      : evaluate_at(QuarticForces(energy)),
        is_quartic_(true),
        chambers_(chambers),
        whole_pressures_(pressures),
        gases_(gases),
        q_(VectorXd::Zero(energy.rank)) {}
  /// @param cubature, gases (empty) must outlive this object
  ReducedBody(const Cubature& cubature, const Gases& gases)
      : evaluate_at([&cubature](const VectorXd& q, VectorXd& force, MatrixXd& stiffness) {
          return cubature_forces(cubature, q, force, stiffness);
        }),
        is_quartic_(false),
        gases_(gases),
        q_(VectorXd::Zero(cubature.rank)) {}

  void evaluate() {
    energy_ = evaluate_at(q_, elastic_, stiffness_);
    is_evaluated_ = true;
    internal_ = elastic_;
    subtract_pressures(q_, internal_, &stiffness_);
  }
  [[nodiscard]] const VectorXd& internal() const { return internal_; }
  [[nodiscard]] double internal_norm() const { return std::max(elastic_.norm(), (elastic_ - internal_).norm()); }
  [[nodiscard]] VectorXd internal_at(double t, const VectorXd& d) const {
    VectorXd force;
    MatrixXd stiffness;
    evaluate_at(q_ + t * d, force, stiffness);
    subtract_pressures(q_ + t * d, force, nullptr);
    return force;
  }
  [[nodiscard]] double energy() const {
    if (is_evaluated_) return energy_;
    VectorXd force;
    MatrixXd stiffness;
    return evaluate_at(q_, force, stiffness);
  }
  [[nodiscard]] double potential() const {
    double sum = energy();
    for (std::size_t c = 0; c < chambers_.size(); ++c) {
      const double amount = amount_in(c), given = given_pressure(c);
      if (given == 0 && amount == 0) continue;
      const double volume = volume_at(chambers_[c], numbers(q_));
      sum -= load_factor_ * given * volume;
      if (amount > 0) sum += load_factor_ * (gases_.atmosphere * volume - amount * std::log(volume));
    }
    return sum;
  }
  void set_load_factor(double factor) { load_factor_ = factor; }
  void move(double t, const VectorXd& d) { place(q_ + t * d); }
  [[nodiscard]] const VectorXd& position() const { return q_; }
  void place(const VectorXd& position) {
    q_ = position;
    is_evaluated_ = false;
  }

  [[nodiscard]] bool is_quartic() const { return is_quartic_; }

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
  [[nodiscard]] static std::span<const double> numbers(const VectorXd& q) {
    return {q.data(), static_cast<std::size_t>(q.size())};
  }
  [[nodiscard]] double given_pressure(std::size_t c) const {
    return whole_pressures_.empty() ? 0 : whole_pressures_[c];
  }
  [[nodiscard]] double amount_in(std::size_t c) const { return gases_.amount.empty() ? 0 : gases_.amount[c]; }

  // Those of gases, too, which fall as the volume grows.
  void subtract_pressures(const VectorXd& q, VectorXd& force, MatrixXd* stiffness) const {
    for (std::size_t c = 0; c < chambers_.size(); ++c) {
      const double amount = amount_in(c);
      if (load_factor_ == 0 || (given_pressure(c) == 0 && amount == 0)) continue;
      const VolumeDerivatives v = quartic::evaluate(chambers_[c], numbers(q));
      const auto gradient = VectorXd::Map(v.gradient.data(), q.size());
      double pressure = given_pressure(c);
      if (amount > 0) {
        const GasState gas = gas_at(amount, v.volume);
        pressure += gas.pressure - gases_.atmosphere;
        if (stiffness != nullptr) *stiffness += load_factor_ * gas.stiffness * gradient * gradient.transpose();
      }
      force -= load_factor_ * pressure * gradient;
      if (stiffness != nullptr) *stiffness -= load_factor_ * pressure * v.hessian.map();
    }
  }

  Forces evaluate_at;  // NOLINT(readability-identifier-naming): it is called as a function
  bool is_quartic_;
  std::span<const EnclosedVolume> chambers_;
  std::span<const double> whole_pressures_;
  const Gases& gases_;
  double load_factor_ = 0;  // of pressures
  double energy_ = 0;
  bool is_evaluated_ = false;  // at q
  VectorXd q_, internal_, elastic_;
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

void require_gases(const Gases& gases, std::size_t chambers) {
  if (!gases.amount.empty() && gases.amount.size() != chambers)
    throw InputError("there are " + std::to_string(chambers) + " chambers, but " + std::to_string(gases.amount.size()) +
                     " amounts of gas");
  const auto is_sound = [](double x) { return x >= 0 && std::isfinite(x); };
  if (!std::all_of(gases.amount.begin(), gases.amount.end(), is_sound) || !is_sound(gases.atmosphere))
    throw InputError("amounts of gas and the atmosphere must be finite and >= 0");
}

void check_reduced_options(const StaticsOptions& options) {
  check_statics_options(options);
  if (!options.heating.empty())
    throw InputError("a reduced body's heat is in its energy: take heated_energy, and no StaticsOptions::heating");
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
  return reduced_equilibrium(energy, {}, {}, force, start, options);
}

Equilibrium reduced_equilibrium(const QuarticEnergy& energy, std::span<const EnclosedVolume> chambers,
                                std::span<const double> pressure, std::span<const double> force,
                                std::span<const double> start, const StaticsOptions& options) {
  return reduced_equilibrium(energy, chambers, pressure, Gases{}, force, start, options);
}

Equilibrium reduced_equilibrium(const QuarticEnergy& energy, std::span<const EnclosedVolume> chambers,
                                std::span<const double> pressure, const Gases& gases, std::span<const double> force,
                                std::span<const double> start, const StaticsOptions& options) {
  check_reduced_options(options);
  for (const EnclosedVolume& volume : chambers) {
    check(volume);
    if (volume.rank != energy.rank)
      throw InputError("a chamber's volume is of rank " + std::to_string(volume.rank) + ", but the energy of rank " +
                       std::to_string(energy.rank));
  }
  require_pressures(pressure, chambers.size());
  require_gases(gases, chambers.size());
  require_coordinates(force, energy.rank, "the force");
  if (!start.empty()) require_coordinates(start, energy.rank, "the start");
  ReducedBody body(energy, chambers, pressure, gases);
  return solve(body, VectorXd::Map(force.data(), std::ssize(force)), start, options);
}

Equilibrium reduced_equilibrium(const Cubature& cubature, std::span<const double> force, std::span<const double> start,
                                const StaticsOptions& options) {
  check_reduced_options(options);
  check_cubature(cubature);
  require_coordinates(force, cubature.rank, "the force");
  if (!start.empty()) require_coordinates(start, cubature.rank, "the start");
  const Gases no_gases;
  ReducedBody body(cubature, no_gases);
  return solve(body, VectorXd::Map(force.data(), std::ssize(force)), start, options);
}

std::vector<Equilibrium> reduced_equilibria(const QuarticEnergy& energy, MatrixRef forces,
                                            const StaticsOptions& options) {
  check_reduced_options(options);
  if (forces.rows() != energy.rank || !forces.allFinite())
    throw InputError("the forces must have " + std::to_string(energy.rank) +
                     " rows, the rank of the energy, and finite entries");
  const Gases no_gases;
  ReducedBody body(energy, {}, {}, no_gases);
  std::vector<Equilibrium> results;
  StaticsOptions each = options;
  if (options.progress)
    each.progress = [&](std::string_view stage, double fraction) {
      options.progress(stage, (static_cast<double>(results.size()) + fraction) / static_cast<double>(forces.cols()));
    };
  for (Eigen::Index n = 0; n < forces.cols(); ++n) results.push_back(solve(body, forces.col(n), {}, each));
  return results;
}

}  // namespace quartic
