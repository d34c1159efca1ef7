#include "core/modal/modal_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/number_text.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

void require(bool condition, const std::string& name, const char* range, double value) {
  if (!condition) throw InputError(name + " must be " + range + ", not " + number_text(value, 6));
}

bool finite_and_not_negative(double value) {
  return value >= 0 && std::isfinite(value);
}

}  // namespace

template <class T>
void check_modal_options(const ModalOptions& options, std::int64_t rank) {
  if (rank == 0)
    throw InputError("a modal batch needs a mode at least; a model whose materials were edited has none: reduce again");
  // Far above any memory, far below an overflow of sizes.
  require(options.bodies >= 1 && options.bodies <= std::numeric_limits<std::int64_t>::max() / (1024 * rank),
          "ModalOptions::bodies", "at least 1 and fit into memory", static_cast<double>(options.bodies));
  require(finite_and_not_negative(options.rayleigh_mass), "rayleigh_mass", "finite and >= 0", options.rayleigh_mass);
  require(finite_and_not_negative(options.rayleigh_stiffness), "rayleigh_stiffness", "finite and >= 0",
          options.rayleigh_stiffness);
  const auto ratios = std::ssize(options.damping_ratios);
  require(ratios == 0 || ratios == rank, "the number of damping_ratios", "that of the modes or 0",
          static_cast<double>(ratios));
  for (const double ratio : options.damping_ratios)
    require(finite_and_not_negative(ratio), "each of damping_ratios", "finite and >= 0", ratio);
  require(options.hold <= ForceHold::first_order, "hold", "one of ForceHold", static_cast<double>(options.hold));
  require(options.threads >= 0, "threads", "at least 0", options.threads);
}
template void check_modal_options<float>(const ModalOptions&, std::int64_t);
template void check_modal_options<double>(const ModalOptions&, std::int64_t);

std::vector<double> checked_eigenvalues(std::span<const double> eigenvalues) {
  std::vector<double> result(eigenvalues.begin(), eigenvalues.end());
  double largest = 0;
  for (const double value : result) {
    if (!std::isfinite(value)) throw InputError("eigenvalues of a modal batch must be finite");
    largest = std::max(largest, value);
  }
  constexpr double round_off = 1e-8;
  for (double& value : result) {
    if (value < -round_off * largest)
      throw InputError("an eigenvalue of a modal batch is " + number_text(value, 6) +
                       ": a motion that grows by itself is no oscillator");
    value = std::max(value, 0.0);
  }
  return result;
}

std::vector<double> modal_damping(std::span<const double> eigenvalues, const ModalOptions& options) {
  std::vector<double> result;
  for (std::size_t i = 0; i < eigenvalues.size(); ++i) {
    const double ratio = options.damping_ratios.empty() ? 0 : options.damping_ratios[i];
    result.push_back(options.rayleigh_mass + options.rayleigh_stiffness * eigenvalues[i] +
                     2 * ratio * std::sqrt(eigenvalues[i]));
    require(std::isfinite(result.back()), "the damping of mode " + std::to_string(i), "finite", result.back());
  }
  return result;
}

template <class T>
void check_impulse(std::int64_t body, std::span<const double> jump, double delay, std::int64_t bodies,
                   std::int64_t rank) {
  if (body < 0 || body >= bodies)
    throw InputError("there is no body " + std::to_string(body) + " for an impulse; the batch has " +
                     std::to_string(bodies));
  if (std::ssize(jump) != rank)
    throw InputError("an impulse needs a number for each of the " + std::to_string(rank) + " modes, not " +
                     std::to_string(jump.size()));
  require(finite_and_not_negative(delay), "the delay of an impulse", "finite and >= 0 (the past is gone)", delay);
  for (const double value : jump)
    require(std::abs(value) <= double{std::numeric_limits<T>::max()}, "an impulse", "finite in the batch's precision",
            value);
}
template void check_impulse<float>(std::int64_t, std::span<const double>, double, std::int64_t, std::int64_t);
template void check_impulse<double>(std::int64_t, std::span<const double>, double, std::int64_t, std::int64_t);

}  // namespace quartic
