// Newton's method for equilibria of any body whose energy is a polynomial of degree four, with an exact line search,
// and load steps that shrink where it fails.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/line_minimum.hpp"
#include "quartic/statics.hpp"

namespace quartic {

/// @throws InputError that names the option
void check_statics_options(const StaticsOptions& options);

/// @tparam Body a displacement u with
///   void evaluate()                               internal forces R(u) and tangent stiffness K(u)
///   VectorXd internal() const                     R(u) where u is free, of the last evaluation
///   double internal_norm() const                  |R(u)| with the reactions
///   VectorXd internal_at(double t, const VectorXd& d)  R(u + t d) where u is free
///   double energy()                               V(u)
///   std::optional<double> factorize()             of K + tau I: the shift tau, or nothing
///   void solve(VectorXd&) const                   by that factor
///   void move(double t, const VectorXd& d)        u += t d
///   save(), restore()                             one u to come back to
template <class Body>
class NewtonEquilibrium {
 public:
  NewtonEquilibrium(Body& body, const StaticsOptions& options) : body_(body), options_(options) {}

  /// From where the body is; leaves it at the last load that was reached. The result lacks the displacement.
  Equilibrium solve(const Eigen::VectorXd& load) {
    body_.evaluate();
    const Eigen::VectorXd held = body_.internal();
    const auto share = [&](double factor) { return Eigen::VectorXd((1 - factor) * held + factor * load); };
    double step = 1.0 / options_.load_steps;
    body_.save();
    for (int halvings = 0; result_.load_factor < 1;) {
      if (options_.progress) options_.progress("equilibrium", result_.load_factor);
      const double next = result_.load_factor + step > 1 - 1e-9 ? 1 : result_.load_factor + step;
      const int before = result_.iterations;
      if (reach(share(next))) {
        body_.save();
        result_.load_factor = next;
        ++result_.load_steps;
        if (result_.iterations - before <= few_iterations) step *= 2;
      } else {
        body_.restore();
        if (halvings++ == options_.halvings) break;
        step /= 2;
      }
    }
    result_.converged = result_.load_factor == 1;
    body_.evaluate();
    result_.residual = relative(body_.internal() - share(result_.load_factor), share(result_.load_factor));
    return result_;
  }

 private:
  // A full correction is taken without a search if it leaves at most this share of the slope.
  static constexpr double small_slope = 0.1;
  // Corrections this small, squared and in terms of the energy, that no longer help are round-off.
  static constexpr double rounded_correction = 1e-14;
  // A load step that took no more iterations is followed by one twice as long.
  static constexpr int few_iterations = 6;

  bool reach(const Eigen::VectorXd& target) {
    for (int iteration = 0; iteration <= options_.newton_iterations; ++iteration) {
      body_.evaluate();
      const Eigen::VectorXd gradient = body_.internal() - target;
      const double residual = relative(gradient, target);
      if (residual <= options_.tolerance) return true;
      if (!std::isfinite(residual) || iteration == options_.newton_iterations) return false;
      ++result_.iterations;
      const std::optional<double> shift = body_.factorize();
      result_.stable = shift == 0;
      if (shift != 0) ++result_.regularised;
      if (!shift) return false;
      Eigen::VectorXd d = -gradient;
      body_.solve(d);
      const double slope = gradient.dot(d);
      if (!(slope < 0)) return false;
      const double correction = -slope / (2 * body_.energy());  // squared, in the energy norm, relative
      const std::optional<double> length = search(d, target, slope, -slope - *shift * d.squaredNorm());
      const bool rounded = correction < rounded_correction && (!length || *length < 0.5);
      if (length && !rounded) body_.move(*length, d);
      if (shift == 0 && (rounded || correction <= options_.tolerance * options_.tolerance)) return true;
      if (!length) return false;
    }
    return false;
  }

  // How far to go along d, where the potential begins with this slope and curvature.
  std::optional<double> search(const Eigen::VectorXd& d, const Eigen::VectorXd& target, double slope,
                               double curvature) {
    const auto slope_at = [&](double t) { return (body_.internal_at(t, d) - target).dot(d); };
    const double full = slope_at(1);
    if (std::abs(full) <= small_slope * std::abs(slope)) return 1;
    return nearest_minimum(slope, curvature, slope_at(0.5), full);
  }

  // To the internal forces on all vertices, reactions included, or to the load before there are any.
  [[nodiscard]] double relative(const Eigen::VectorXd& gradient, const Eigen::VectorXd& target) const {
    const double scale = std::max(body_.internal_norm(), target.norm());
    return scale == 0 ? 0 : gradient.norm() / scale;
  }

  Body& body_;
  const StaticsOptions& options_;
  Equilibrium result_;
};

}  // namespace quartic
