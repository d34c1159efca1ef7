// The flow of a damped oscillator over a time, by whichever formula loses no digits there.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/number_text.hpp"
#include "quartic/error.hpp"
#include "quartic/modal_batch.hpp"

namespace quartic {
namespace {

/// S = e^(-s h) sinh(sqrt(D) h)/sqrt(D), where A = e^(-s h) cosh(sqrt(D) h).
struct Flow {
  double a, s;
};

// Near the critical damping, also lambda = c = 0: series of cosh(x^(1/2)) and sinh(x^(1/2))/x^(1/2) in x = D h^2.
Flow critical(double s, double x, double h) {
  double cosh = 1, sinh = 1, even = 1, odd = 1;
  for (int k = 1; k <= 8; ++k) {
    even *= x / ((2 * k - 1) * (2 * k)), odd *= x / (2 * k * (2 * k + 1));
    cosh += even, sinh += odd;
  }
  const double decay = std::exp(-s * h);
  return {decay * cosh, decay * sinh * h};
}

Flow underdamped(double s, double discriminant, double h) {
  const double w = std::sqrt(-discriminant), decay = std::exp(-s * h);
  return {decay * std::cos(w * h), decay * std::sin(w * h) / w};
}

// By the slow root without cancellation; cosh would overflow.
Flow overdamped(double eigenvalue, double s, double discriminant, double h) {
  const double d = std::sqrt(discriminant), slow = std::exp(-eigenvalue / (s + d) * h), q = -std::expm1(-2 * d * h);
  return {slow * (2 - q) / 2, slow * q / (2 * d)};
}

Flow flow(double eigenvalue, double s, double h) {
  // s^2 - lambda, where both are nearly the same without cancellation.
  const double w = std::sqrt(eigenvalue), discriminant = (s - w) * (s + w), x = discriminant * h * h;
  if (std::abs(x) < 0.01) return critical(s, x, h);
  return discriminant < 0 ? underdamped(s, discriminant, h) : overdamped(eigenvalue, s, discriminant, h);
}

/// P1 and P2: integral of S, and of that.
struct Integrals {
  double first, second;
};

// Of short steps: the Taylor series of y'' + c y' + lambda y = 1, y(0) = y'(0) = 0, whose y is P1.
Integrals short_integrals(double ch, double lh2, double h) {
  double before = 0, last = 0.5, first = 0.5, second = 0.5 / 3;
  for (int k = 3; k < 30; ++k) {
    const double next = -(ch * (k - 1) * last + lh2 * before) / (k * (k - 1));
    before = last, last = next;
    first += next, second += next / (k + 1);
  }
  return {h * h * first, h * h * h * second};
}

// (e^(r h) - 1)/r and (e^(r h) - 1 - r h)/r^2
double phi(double r, double h) {
  return r == 0 ? h : std::expm1(r * h) / r;
}
double chi(double r, double h) {
  const double x = r * h;
  if (std::abs(x) >= 0.5) return (std::expm1(x) - x) / (r * r);
  double term = 0.5, sum = 0.5;
  for (int k = 3; k < 18; ++k) term *= x / k, sum += term;
  return h * h * sum;
}

Integrals integrals(double eigenvalue, double c, double h, const Flow& flow) {
  const double s = c / 2, ch = c * h, lh2 = eigenvalue * h * h;
  if (std::max(ch, lh2) < 0.5) return short_integrals(ch, lh2, h);
  if (s * s > 2 * eigenvalue) {  // by roots: lambda may be 0
    const double d = std::sqrt(s * s - eigenvalue), slow = -eigenvalue / (s + d), fast = -(s + d);
    return {(phi(slow, h) - phi(fast, h)) / (2 * d), (chi(slow, h) - chi(fast, h)) / (2 * d)};
  }
  const double first = (1 - flow.a - s * flow.s) / eigenvalue;
  return {first, (h - c * first - flow.s) / eigenvalue};
}

void require(double value, const char* name) {
  if (!(value >= 0 && std::isfinite(value)))
    throw InputError("a modal propagator's " + std::string(name) + " must be finite and >= 0, not " +
                     number_text(value, 6));
}

}  // namespace

ModalPropagator modal_propagator(double eigenvalue, double damping, double h) {
  require(eigenvalue, "eigenvalue");
  require(damping, "damping");
  require(h, "time");
  if (h == 0) return {};
  const Flow f = flow(eigenvalue, damping / 2, h);
  const Integrals p = integrals(eigenvalue, damping, h, f);
  return {.zz_less_one = -eigenvalue * p.first,
          .zv = f.s,
          .vz = -eigenvalue * f.s,
          .vv_less_one = -damping * f.s - eigenvalue * p.first,
          .z_force = p.first,
          .v_force = f.s,
          .z_ramp = p.second / h,
          .v_ramp = p.first / h};
}

}  // namespace quartic
