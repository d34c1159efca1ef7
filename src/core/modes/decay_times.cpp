// Rayleigh damping from how long sounds last.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/base/number_text.hpp"
#include "quartic/error.hpp"
#include "quartic/participation.hpp"

namespace quartic {
namespace {

// A decay rate c of alpha + beta w^2 = c, relative to c: alpha a + beta b = 1.
struct Equation {
  double a, b;
};

Equation equation(const DecayTime& time) {
  const auto valid = [](double value) { return value > 0 && std::isfinite(value); };
  if (!valid(time.frequency) || !valid(time.t60))
    throw InputError("decay times need frequencies [Hz] and T60 [s] that are finite and > 0, not " +
                     number_text(time.frequency, 6) + " and " + number_text(time.t60, 6));
  const double w = 2 * std::numbers::pi * time.frequency, rate = 2 * std::log(1000.0) / time.t60;
  return {1 / rate, w * w / rate};
}

// Sums of a least-squares problem in two unknowns.
struct Normal {
  double aa = 0, ab = 0, bb = 0, a = 0, b = 0;
  void add(const Equation& e) { aa += e.a * e.a, ab += e.a * e.b, bb += e.b * e.b, a += e.a, b += e.b; }
};

// Twice the rest of the objective, without its constant.
double objective(const Normal& n, const RayleighDamping& d) {
  return n.aa * d.mass * d.mass + 2 * n.ab * d.mass * d.stiffness + n.bb * d.stiffness * d.stiffness -
         2 * (n.a * d.mass + n.b * d.stiffness);
}

// The best with no number below 0: the minimum itself, or else one of those on the two edges.
RayleighDamping fit(std::span<const DecayTime> times) {
  Normal n;
  for (const DecayTime& time : times) n.add(equation(time));
  const double determinant = n.aa * n.bb - n.ab * n.ab;
  const RayleighDamping inside = {(n.bb * n.a - n.ab * n.b) / determinant, (n.aa * n.b - n.ab * n.a) / determinant};
  if (inside.mass >= 0 && inside.stiffness >= 0) return inside;
  const RayleighDamping mass = {n.a / n.aa, 0}, stiffness = {0, n.b / n.bb};
  return objective(n, mass) <= objective(n, stiffness) ? mass : stiffness;
}

// The two equations' solution, by differences of rates.
RayleighDamping solution(const DecayTime& low, const DecayTime& high) {
  const Equation l = equation(low), h = equation(high);
  const double l_rate = 1 / l.a, h_rate = 1 / h.a, l_square = l.b / l.a, h_square = h.b / h.a;
  const double stiffness = (h_rate - l_rate) / (h_square - l_square);
  const double mass = (l_rate * h_square - h_rate * l_square) / (h_square - l_square);
  const std::string pair = number_text(low.t60, 6) + " s at " + number_text(low.frequency, 6) + " Hz and " +
                           number_text(high.t60, 6) + " s at " + number_text(high.frequency, 6) + " Hz";
  if (stiffness < 0)
    throw InputError("T60 of " + pair +
                     " ask for a negative stiffness damping: high frequencies must not last longer than low ones; "
                     "make both equal, or give one alone");
  if (mass < 0)
    throw InputError("T60 of " + pair +
                     " ask for a negative mass damping: the rate of decay may grow with the square of the frequency at "
                     "most; make the first T60 shorter or the second longer");
  return {mass, stiffness};
}

}  // namespace

RayleighDamping rayleigh_damping(std::span<const DecayTime> times) {
  if (times.empty()) throw InputError("damping from decay times needs a pair of frequency and T60 at least");
  if (times.size() == 1) return {1 / equation(times[0]).a, 0};
  const auto [low, high] = std::ranges::minmax_element(times, {}, &DecayTime::frequency);
  for (const DecayTime& time : times) (void)equation(time);
  if (low->frequency == high->frequency)
    throw InputError("damping from several decay times needs different frequencies, not " +
                     number_text(low->frequency, 6) + " Hz alone");
  return times.size() == 2 ? solution(*low, *high) : fit(times);
}

}  // namespace quartic
