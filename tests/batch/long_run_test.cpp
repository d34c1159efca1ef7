// What becomes of a beam's energy in 100,000 steps of large swings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"

namespace quartic {
namespace {

constexpr int steps = 100'000, per_reading = 100, readings = steps / per_reading;

// Not of square section: pairs of equal singular values, where a rank cuts through one, leave the model to round-off.
const ReducedModel& beam() {
  static const ReducedModel model = [] {
    const ProceduralMesh shape = make_box({.height = 0.08, .cells_x = 8, .cells_y = 1, .cells_z = 1});
    return reduce(shape.mesh, shape.fixed_vertices, {.modes = 3, .rank = 7});
  }();
  return model;
}

/// Total energy over its start, at each reading. The straight beam starts with a velocity that a
/// linear one would bend with by a third of its length.
template <class T>
std::vector<double> energies(const BatchOptions& options, double steps_per_period) {
  const ReducedModel& model = beam();
  Batch<T> batch(model.energy, options);
  double largest = 0;  // displacement for q_0 = 1
  for (const double x : model.basis.col(0)) largest = std::max(largest, std::abs(x));
  const double omega = std::sqrt(model.eigenvalues.front()), period = 2 * std::numbers::pi / omega;
  batch.velocity()(0, 0) = static_cast<T>(omega * 0.33 / largest);
  const auto total = [&] { return batch.elastic_energy()[0] + batch.kinetic_energy()[0]; };
  const double start = total();
  std::vector<double> result = {1};
  for (int n = 0; n < readings; ++n) {
    batch.step(per_reading * period / steps_per_period, per_reading);
    result.push_back(total() / start);
  }
  EXPECT_EQ(batch.status()[0], BodyStatus::ok);
  return result;
}

double largest_error(std::span<const double> energies) {
  double error = 0;
  for (const double e : energies) error = std::max(error, std::abs(e - 1));
  return error;
}

constexpr std::size_t tenth = readings / 10;

TEST(LongRun, EnergyConservingKeepsItToRoundOff) {
  // Each step rounds the energy by some eps, with a bias that depends on the last bits of the model: steps x eps bounds
  // it.
  const BatchOptions options{.integrator = Integrator::energy_conserving};
  EXPECT_LE(largest_error(energies<double>(options, 60)), steps * std::numeric_limits<double>::epsilon());
  EXPECT_LE(largest_error(energies<float>(options, 60)), steps * double{std::numeric_limits<float>::epsilon()});
}

// Symplectic: the energy swings, by (omega dt)^2 or so of the stiffest motion, but never drifts.
TEST(LongRun, CentralDifferencesDoNotDrift) {
  const auto all = energies<double>({.integrator = Integrator::central_differences}, 2000);
  const double early = largest_error(std::span(all).first(tenth));
  EXPECT_LE(early, 0.01);
  EXPECT_LE(largest_error(std::span(all).last(tenth)), 1.1 * early);
}

// With converged iterations the average acceleration rule is as good; with one iteration per step it isn't, and
// a nonlinear body loses energy.
TEST(LongRun, NewmarkDoesNotDriftOnceConverged) {
  const auto all = energies<double>({.newton_iterations = 8}, 200);
  const double early = largest_error(std::span(all).first(tenth));
  EXPECT_LE(early, 0.01);
  EXPECT_LE(largest_error(std::span(all).last(tenth)), 1.1 * early);
  EXPECT_LT(energies<double>({.newton_iterations = 1}, 200).back(), 0.5);
}

TEST(LongRun, BackwardEulerOnlyLosesIt) {
  const auto all = energies<double>({.integrator = Integrator::backward_euler, .newton_iterations = 8}, 2000);
  for (std::size_t n = 1; n < all.size() && all[n - 1] > 1e-30; ++n) ASSERT_LT(all[n], all[n - 1]);
  EXPECT_LT(all.back(), 1e-15);
}

}  // namespace
}  // namespace quartic
