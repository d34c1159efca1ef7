// Newton's method for equilibria of any body, with a line search that is exact where the energy is a polynomial of
// degree four, and load steps that shrink where it fails.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "core/unreduced/line_minimum.hpp"
#include "quartic/statics.hpp"

namespace quartic {

using Eigen::VectorXd;

/// @throws InputError that names the option
void check_statics_options(const StaticsOptions& options);

/// Pressures must be finite, one per chamber or none at all. @throws InputError
void require_pressures(std::span<const double> pressures, std::size_t chambers);

/// @tparam Body a body at a displacement u, with
///   void evaluate()                               internal forces R(u), those of pressures taken off, and K(u)
///   VectorXd internal() const                     R(u) where u is free, of the last evaluation
///   double internal_norm() const                  |R(u)| with the reactions, or |sum p V'| where that is more
///   VectorXd internal_at(double t, const VectorXd& d)  R(u + t d) where u is free
///   double energy()                               elastic, V(u)
///   double potential()                            V(u) less the work of pressures
///   void set_load_factor(double factor)           of the whole pressures, those that act from now on
///   std::optional<double> factorize()             of K + tau I: the shift tau, or nothing
///   void solve(VectorXd&) const                   by that factor
///   void move(double t, const VectorXd& d)        u += t d
///   VectorXd position() const                     u where it is free
///   void place(const VectorXd& position)          the same u again
///   bool is_quartic() const                       whether the potential is a polynomial of degree four
template <class Body>
class NewtonEquilibrium {
 public:
  NewtonEquilibrium(Body& body, const StaticsOptions& options) : body_(body), options_(options) {}

  /// From where the body is; leaves it at the last load that was reached. The result lacks the solution.
  Equilibrium solve(const VectorXd& load) {
    body_.set_load_factor(0);
    body_.evaluate();
    held_ = body_.internal();
    load_ = load;
    least_force_ = least_share * body_.internal_norm();
    least_energy_ = least_share * least_share * body_.energy();
    double step = 1.0 / options_.load_steps;
    for (int halvings = 0, successes = 0; result_.load_factor < 1;) {
      if (options_.progress) options_.progress("equilibrium", result_.load_factor);
      const double next = result_.load_factor + step > 1 - 1e-9 ? 1 : result_.load_factor + step;
      const VectorXd before = body_.position();
      body_.set_load_factor(next);
      if (reach(target(next), before)) {
        result_.load_factor = next;
        ++result_.load_steps;
        if (++successes < 2 || halvings == 0) continue;
        --halvings;
        step *= 2;
      } else {
        body_.place(before);
        successes = 0;
        if (halvings++ == options_.halvings) break;
        step /= 2;
      }
    }
    judge();
    return result_;
  }

 private:
  // A full correction is taken without a search if it leaves at most this share of the slope.
  static constexpr double small_slope = 0.1;
  // Corrections this small, squared and in terms of the energy, that no longer shrink are round-off.
  static constexpr double rounded_correction = 1e-14;
  // Forces that are to vanish are measured by this share of those at the start.
  static constexpr double least_share = 1e-3;
  // Full corrections, tried first. Bending by straight displacements stretches a slender body and raises the potential
  // at first, which the next corrections undo: a search would make many short steps of them.
  static constexpr int full_corrections = 25;
  // Armijo's rule: at least this share of the descent that the slope promises; or so many halvings are too many.
  static constexpr double least_descent = 1e-4;
  static constexpr int line_halvings = 40;

  enum class Length : std::uint8_t { full, searched };

  [[nodiscard]] VectorXd target(double factor) const { return (1 - factor) * held_ + factor * load_; }

  // What full corrections find counts where the potential is lower than at the start, as a search would leave it.
  bool reach(const VectorXd& target, const VectorXd& start) {
    const double potential = body_.potential() - target.dot(start);
    if (iterate(target, Length::full, std::min(full_corrections, options_.newton_iterations)) &&
        body_.potential() - target.dot(body_.position()) <= potential)
      return true;
    body_.place(start);
    return iterate(target, Length::searched, options_.newton_iterations);
  }

  // Newton's method for R(u) = target.
  bool iterate(const VectorXd& target, Length length, int limit) {
    double last_correction = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration <= limit; ++iteration) {
      body_.evaluate();
      const VectorXd gradient = body_.internal() - target;
      const double residual = relative(gradient, target);
      if (residual <= options_.tolerance) return true;
      if (!std::isfinite(residual) || iteration == limit) return false;
      const std::optional<double> shift = factorize();
      if (!shift || (length == Length::full && *shift > 0)) return false;
      VectorXd d = -gradient;
      body_.solve(d);
      const double slope = gradient.dot(d);
      if (!(slope < 0)) return false;
      // Squared, in the energy norm, relative.
      const double correction = -slope / (2 * std::max(body_.energy(), least_energy_));
      result_.energy_error = std::sqrt(correction);
      const bool rounded = correction < rounded_correction && correction > 0.1 * last_correction;
      if (*shift == 0 && rounded) return true;
      const std::optional<double> t =
          length == Length::full ? 1 : search(d, target, slope, -slope - *shift * d.squaredNorm());
      if (!t) return *shift == 0 && correction < rounded_correction;
      body_.move(*t, d);
      if (*shift == 0 && correction <= options_.tolerance * options_.tolerance) return true;
      last_correction = correction;
    }
    return false;
  }

  std::optional<double> factorize() {
    const std::optional<double> shift = body_.factorize();
    ++result_.iterations;
    if (shift != 0) ++result_.regularised;
    return shift;
  }

  // How far to go along d, where the potential begins with this slope and curvature.
  std::optional<double> search(const VectorXd& d, const VectorXd& target, double slope, double curvature) {
    const auto slope_at = [&](double t) { return (body_.internal_at(t, d) - target).dot(d); };
    const double full = slope_at(1);
    std::optional<double> t = 1;
    if (!(std::abs(full) <= small_slope * std::abs(slope))) t = nearest_minimum(slope, curvature, slope_at(0.5), full);
    return body_.is_quartic() ? t : descend(t.value_or(1), d, target, slope);
  }

  // As far along d or less, until the potential is lower: the nearest minimum is a guess where it isn't of degree four.
  std::optional<double> descend(double t, const VectorXd& d, const VectorXd& target, double slope) {
    const VectorXd start = body_.position();
    const double before = body_.potential() - target.dot(start);
    const double rounding = 1e-14 * (std::abs(before) + body_.energy());
    for (int halving = 0; halving < line_halvings; ++halving, t /= 2) {
      body_.move(t, d);
      const double after = body_.potential() - target.dot(body_.position());
      body_.place(start);
      if (after <= before + least_descent * t * slope + rounding) return t;
    }
    return {};
  }

  // To the internal forces on all vertices, reactions included, or to the load before there are any, or to what they
  // were at the start.
  [[nodiscard]] double relative(const VectorXd& gradient, const VectorXd& target) const {
    const double scale = std::max({body_.internal_norm(), target.norm(), least_force_});
    return scale == 0 ? 0 : gradient.norm() / scale;
  }

  // What there is to say of the place where the body is left.
  void judge() {
    body_.set_load_factor(result_.load_factor);
    body_.evaluate();
    const VectorXd reached = target(result_.load_factor);
    result_.residual = relative(body_.internal() - reached, reached);
    result_.converged = result_.load_factor == 1;
    result_.stable = body_.factorize() == 0;
  }

  Body& body_;
  const StaticsOptions& options_;
  VectorXd held_, load_;
  double least_force_ = 0, least_energy_ = 0;
  Equilibrium result_;
};

}  // namespace quartic
