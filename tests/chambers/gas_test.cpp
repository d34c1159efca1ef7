// Gases that keep p V in the chambers of bodies.
#include "quartic/gas.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "quartic/checkpoint.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/gas_equilibrium.hpp"
#include "support/batch_states.hpp"
#include "support/error_message.hpp"
#include "support/files.hpp"
#include "support/free_batches.hpp"
#include "support/random_moments.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int gas_rank = 4;
constexpr double amount = 40, outside = 30;

// 1 m^3 and what changes it by some tenths where coordinates are of order 0.3.
EnclosedVolume chamber(unsigned seed = 4) {
  std::vector<double> numbers = random_numbers(static_cast<std::size_t>(cubic_coefficient_count(gas_rank)), seed);
  for (double& x : numbers) x *= 0.4;
  numbers[0] = 6;
  return {gas_rank, std::move(numbers)};
}

std::vector<Evaluation> evaluations() {
  if (tested_backend() == Backend::cuda) return {Evaluation::strict, Evaluation::tensor, Evaluation::latency};
  return {Evaluation::strict, Evaluation::latency};
}

std::span<const double> numbers(const VectorXd& q) {
  return {q.data(), static_cast<std::size_t>(q.size())};
}

// Of the elastic body and the gas, in double, on the formulas of the header.
struct GasBody {
  QuarticEnergy energy = random_squares(gas_rank, 3).energy();
  EnclosedVolume volume = chamber();

  [[nodiscard]] VectorXd force(const VectorXd& q) const {
    const ReducedForces elastic = evaluate(energy, numbers(q));
    const VolumeDerivatives v = evaluate(volume, numbers(q));
    return VectorXd::Map(elastic.force.data(), gas_rank) -
           (amount / v.volume - outside) * VectorXd::Map(v.gradient.data(), gas_rank);
  }
  [[nodiscard]] double potential(const VectorXd& q) const {
    const double v = evaluate(volume, numbers(q)).volume;
    return evaluate(energy, numbers(q)).energy + outside * v - amount * std::log(v);
  }
  // By differences of the force.
  [[nodiscard]] MatrixXd stiffness(const VectorXd& q) const {
    MatrixXd k(gas_rank, gas_rank);
    for (int i = 0; i < gas_rank; ++i) {
      const auto slope = [&](double h) {
        const VectorXd e = h * VectorXd::Unit(gas_rank, i);
        return VectorXd((force(q + e) - force(q - e)) / (2 * h));
      };
      k.col(i) = (4 * slope(1e-3) - slope(2e-3)) / 3;
    }
    return k;
  }
  template <class T = double>
  [[nodiscard]] TestedBatch<T> batch(BatchOptions options = {}, std::int64_t bodies = 1) const {
    options.bodies = bodies;
    std::vector<BodyGroup> groups(1);
    groups[0].energy = energy, groups[0].bodies = bodies, groups[0].chambers = {volume};
    TestedBatch<T> batch(groups, options);
    set_gas<T>(batch, std::vector<double>(static_cast<std::size_t>(bodies), amount), 0, outside);
    return batch;
  }
};

void put(Batch<double>& batch, const VectorXd& q, const VectorXd& velocity) {
  set_body(batch.q(), 0, q);
  set_body(batch.velocity(), 0, velocity);
}
VectorXd q_of(const Batch<double>& batch) {
  return get_body(batch.q(), 0);
}

const VectorXd start_q = random_vector(gas_rank, 1, 0.3), start_velocity = random_vector(gas_rank, 2, 2);

TEST(GasTest, ForceIsMinusTheEnergysGradient) {
  const GasBody body;
  for (int i = 0; i < gas_rank; ++i) {
    const auto slope = [&](double h) {
      const VectorXd e = h * VectorXd::Unit(gas_rank, i);
      return (body.potential(start_q + e) - body.potential(start_q - e)) / (2 * h);
    };
    EXPECT_NEAR(body.force(start_q)[i], (4 * slope(1e-3) - slope(2e-3)) / 3, 1e-8);
  }
  // Central differences leave q'' = -R of where they end.
  for (const Evaluation evaluation : evaluations()) {
    Batch<double> batch = body.batch({.integrator = Integrator::central_differences, .evaluation = evaluation});
    put(batch, start_q, start_velocity);
    batch.step(0.01);
    const VectorXd force = body.force(q_of(batch));
    EXPECT_LE((get_body(std::as_const(batch).acceleration(), 0) + force).norm(), 1e-12 * force.norm());
    // The functions that tell of a gas.
    const double volume = batch.enclosed_volume()[0];
    EXPECT_NEAR(gas_pressure(batch)[0], amount / volume - outside, 1e-12 * amount);
    const double rest = evaluate(body.volume, std::vector<double>(gas_rank)).volume;
    EXPECT_NEAR(gas_energy(batch)[0], outside * (volume - rest) - amount * std::log(volume / rest), 1e-12 * amount);
  }
}

// A Newton iteration has the whole tangent: q'' + C q' + R = 0 with C = alpha + beta K at the start's q, and one step
// of backward Euler is (1 / h^2 + alpha / h + (1 + beta / h) K) d = v / h - R.
TEST(GasTest, NewtonTakesTheExactTangent) {
  const GasBody body;
  const double h = 0.02, alpha = 0.5, beta = 0.01;
  for (const Evaluation evaluation : evaluations())
    for (const double scale : {1.0, 2.0}) {
      Batch<double> batch = body.batch({.integrator = Integrator::backward_euler,
                                        .rayleigh_mass = alpha,
                                        .rayleigh_stiffness = beta,
                                        .newton_iterations = 1,
                                        .evaluation = evaluation});
      GasBody scaled = body;
      for (double& c : scaled.energy.coefficients) c *= scale;
      batch.set_stiffness_scale(std::vector{scale});
      put(batch, start_q, start_velocity);
      batch.step(h);
      const MatrixXd k = scaled.stiffness(start_q);
      const MatrixXd system = (1 / (h * h) + alpha / h) * MatrixXd::Identity(gas_rank, gas_rank) + (1 + beta / h) * k;
      const VectorXd d = system.ldlt().solve(start_velocity / h - scaled.force(start_q));
      EXPECT_LE((q_of(batch) - start_q - d).norm(), 1e-8 * d.norm());
    }
}

// Classical Runge-Kutta steps, which are exact here.
VectorXd exact_motion(const GasBody& body, double time) {
  constexpr int steps = 2000;
  const double h = time / steps;
  VectorXd q = start_q, v = start_velocity;
  for (int n = 0; n < steps; ++n) {
    const VectorXd a1 = -body.force(q), v2 = v + h / 2 * a1, a2 = -body.force(q + h / 2 * v), v3 = v + h / 2 * a2;
    const VectorXd a3 = -body.force(q + h / 2 * v2), v4 = v + h * a3, a4 = -body.force(q + h * v3);
    q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return q;
}

TEST(GasTest, MotionConvergesWithEachOrder) {
  const GasBody body;
  constexpr double time = 0.4;
  const VectorXd exact = exact_motion(body, time);
  ASSERT_GT((exact - start_q).norm(), 0.1);
  for (const Integrator integrator : all_integrators) {
    const auto error = [&](int steps) {
      Batch<double> batch = body.batch({.integrator = integrator, .newton_iterations = 4});
      put(batch, start_q, start_velocity);
      set_body(batch.acceleration(), 0, -body.force(start_q));
      batch.step(time, steps);
      return (q_of(batch) - exact).norm();
    };
    const double order = integrator == Integrator::backward_euler ? 1 : 2;
    EXPECT_NEAR(std::log2(error(100) / error(200)), order, 0.15) << integrator_name(integrator);
    EXPECT_LE(error(200), order == 1 ? 0.2 : 2e-3) << integrator_name(integrator);
  }
}

TEST(GasTest, EnergyIsConservedToRounding) {
  const GasBody body;
  for (const bool is_free : {false, true})
    for (const Evaluation evaluation : evaluations()) {
      std::vector<BodyGroup> groups(1);
      groups[0].energy = body.energy, groups[0].chambers = {body.volume};
      if (is_free) groups[0].frame = random_moments(gas_rank, 5);
      TestedBatch<double> batch(groups, {.integrator = Integrator::energy_conserving, .evaluation = evaluation});
      set_gas<double>(batch, std::vector{amount}, 0, outside);
      batch.set_pressure(std::vector{3.0});
      put(batch, start_q, start_velocity);
      const auto total = [&] {
        return batch.elastic_energy()[0] + batch.kinetic_energy()[0] + gas_energy(batch)[0] -
               3 * batch.enclosed_volume()[0];
      };
      const double before = total(), size = batch.kinetic_energy()[0] + batch.elastic_energy()[0];
      double least = batch.enclosed_volume()[0], most = least;
      for (int n = 0; n < 200; ++n) {
        batch.step(0.02);
        least = std::min(least, batch.enclosed_volume()[0]), most = std::max(most, batch.enclosed_volume()[0]);
        ASSERT_NEAR(total(), before, 1e-11 * size) << n;
      }
      EXPECT_GT(most - least, 0.05);  // of 1 m^3
      EXPECT_EQ(batch.status()[0], BodyStatus::ok);
      EXPECT_EQ(batch.flags()[0], BodyFlags::none);
    }
}

// A piston of area A on a spring k, which shuts in a gas: k q = (a / (V0 + A q) - b) A, a quadratic equation.
TEST(GasTest, PistonsRestWhereBoyleSays) {
  constexpr double k = 3000, area = 0.2, v0 = 0.05, a = 2 * 101325 * 0.05;
  const EnclosedVolume volume{1, {6 * v0, 2 * area, 0, 0}};
  TestedBatch<double> batch({{.energy = duffing(k, 0), .chambers = {volume}}},
                            {.integrator = Integrator::backward_euler, .rayleigh_mass = 500, .newton_iterations = 4});
  set_gas<double>(batch, std::vector{a});
  EXPECT_EQ(gas_atmosphere(batch), standard_atmosphere);
  EXPECT_NEAR(gas_pressure(batch)[0], standard_atmosphere, 1e-9);
  batch.step(20, 2000);
  const double linear = k * v0 + standard_atmosphere * area * area, constant = (standard_atmosphere * v0 - a) * area;
  const double expected = (-linear + std::sqrt(linear * linear - 4 * k * area * constant)) / (2 * k * area);
  ASSERT_GT(expected, 0.1);
  EXPECT_NEAR(batch.q()(0, 0), expected, 1e-10);
}

TEST(GasTest, EquilibriaBalanceTheGas) {
  const GasBody body;
  const VectorXd force = random_vector(gas_rank, 6, 10);
  const std::vector<double> pressure = {-2};
  const Equilibrium end = reduced_equilibrium(body.energy, std::span(&body.volume, 1), pressure,
                                              {.amount = {amount}, .atmosphere = outside}, numbers(force));
  ASSERT_TRUE(end.converged);
  EXPECT_TRUE(end.stable);
  const VectorXd q = VectorXd::Map(end.solution.data(), gas_rank);
  const std::vector<double> slope = evaluate(body.volume, numbers(q)).gradient;
  const VectorXd left = body.force(q) + 2 * VectorXd::Map(slope.data(), gas_rank) - force;
  EXPECT_LE(left.norm(), 1e-9 * force.norm());
  // Boyle's piston, as above.
  const EnclosedVolume cylinder{1, {6 * 0.05, 2 * 0.2, 0, 0}};
  const Equilibrium piston = reduced_equilibrium(duffing(3000, 0), std::span(&cylinder, 1), {},
                                                 {.amount = {2 * standard_atmosphere * 0.05}}, std::vector{0.0});
  const double linear = 3000 * 0.05 + standard_atmosphere * 0.04, constant = -standard_atmosphere * 0.05 * 0.2;
  EXPECT_NEAR(piston.solution[0], (-linear + std::sqrt(linear * linear - 2400 * constant)) / 1200, 1e-10);
  EXPECT_TRUE(piston.converged);
}

TEST(GasTest, MistakesOfEquilibriaAreTold) {
  const GasBody body;
  const auto refused = [&](std::vector<double> amounts, double atmosphere, const char* what) {
    EXPECT_NE(message_of([&] {
                static_cast<void>(reduced_equilibrium(body.energy, std::span(&body.volume, 1), {},
                                                      {std::move(amounts), atmosphere}, std::vector<double>(gas_rank)));
              }).find(what),
              std::string::npos);
  };
  refused({1, 2}, 0, "there are 1 chambers, but 2 amounts of gas");
  refused({-1}, 0, "must be finite and >= 0");
  refused({1}, std::numeric_limits<double>::infinity(), "must be finite and >= 0");
}

// Bits don't depend on the batch, bodies without a gas move as those of a batch without, and float rounds.
template <class T>
void expect_own_motion(Integrator integrator, Evaluation evaluation) {
  const GasBody body;
  const BatchOptions options{.integrator = integrator, .newton_iterations = 2, .evaluation = evaluation};
  constexpr std::int64_t bodies = 19;
  Batch<T> batch = body.batch<T>(options, bodies);
  std::vector<double> amounts(bodies, amount);
  amounts[5] = 0;
  set_gas<T>(batch, amounts, 0, outside);
  for (unsigned b = 0; b < bodies; ++b) set_random_body(batch, b, b);
  batch.step(0.03, 3);
  for (const std::int64_t b : {0, 5, 18}) {
    Batch<T> alone = body.batch<T>(options);
    set_gas<T>(alone, std::vector{amounts[static_cast<std::size_t>(b)]}, 0, outside);
    set_random_body(alone, 0, static_cast<unsigned>(b));
    alone.step(0.03, 3);
    EXPECT_EQ(full_state(batch, b), full_state(alone, 0)) << b;
  }
}

TEST(GasTest, BodiesDontDependOnTheirBatch) {
  for (const Integrator integrator : all_integrators)
    for (const Evaluation evaluation : evaluations()) {
      expect_own_motion<float>(integrator, evaluation);
      expect_own_motion<double>(integrator, evaluation);
    }
}

TEST(GasTest, NoVolumeLeftIsADivergedBody) {
  const EnclosedVolume volume{1, {6 * 0.1, 2, 0, 0}};  // 0.1 + q
  for (const Integrator integrator : all_integrators) {
    TestedBatch<double> batch({{.energy = duffing(1, 0), .bodies = 2, .chambers = {volume}}},
                              {.integrator = integrator});
    set_gas<double>(batch, std::vector{1e-9, 1.0}, 0, 0);
    batch.q()(0, 0) = -0.2;
    batch.step(0.01);
    EXPECT_EQ(batch.status()[0], BodyStatus::diverged) << integrator_name(integrator);
    EXPECT_EQ(batch.q()(0, 0), -0.2);
    EXPECT_EQ(batch.status()[1], BodyStatus::ok);
  }
}

TEST(GasTest, CheckpointsGoOn) {
  const TemporaryFolder folder;
  const GasBody body;
  Batch<double> batch = body.batch({}, 3), restored = body.batch({}, 3);
  set_gas<double>(batch, std::vector{amount, 0.0, 7.0}, 0, 20);
  for (unsigned b = 0; b < 3; ++b) set_random_body(batch, b, b);
  batch.step(0.05, 3);
  save_checkpoint(batch, folder / "a.qstate");
  batch.step(0.05, 3);
  EXPECT_TRUE(checkpoint_has_pressures(folder / "a.qstate"));
  EXPECT_TRUE(load_checkpoint(restored, folder / "a.qstate").empty());
  EXPECT_EQ(gas_amount(restored), (std::vector{amount, 0.0, 7.0}));
  EXPECT_EQ(gas_atmosphere(restored), 20);
  restored.step(0.05, 3);
  for (std::int64_t b = 0; b < 3; ++b) EXPECT_EQ(full_state(batch, b), full_state(restored, b)) << b;
  // Taken out, there is none in the file, which resets it.
  set_gas<double>(batch, std::vector(3, 0.0));
  save_checkpoint(batch, folder / "b.qstate");
  EXPECT_FALSE(checkpoint_has_pressures(folder / "b.qstate"));
  load_checkpoint(restored, folder / "b.qstate");
  EXPECT_EQ(gas_amount(restored), std::vector(3, 0.0));
  EXPECT_EQ(gas_atmosphere(restored), 0);
}

TEST(GasTest, MistakesAreTold) {
  Batch<double> batch = GasBody().batch({}, 2);
  const auto refused = [&](std::vector<double> amounts, int of, double atmosphere, const char* what) {
    EXPECT_NE(message_of([&] { set_gas<double>(batch, amounts, of, atmosphere); }).find(what), std::string::npos)
        << what;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  refused({1.0}, 0, 0, "1 amounts of gas for 2 bodies");
  refused({1.0, -1.0}, 0, 0, "the amount of gas of body 1");
  refused({infinity, 1.0}, 0, 0, "the amount of gas of body 0");
  refused({1.0, 1.0}, 1, 0, "there is no chamber 1");
  refused({1.0, 1.0}, 0, -1, "the atmosphere");
  EXPECT_EQ(gas_amount(batch), std::vector(2, amount));
  EXPECT_THROW(static_cast<void>(gas_amount(batch, 1)), InputError);
}

}  // namespace
}  // namespace quartic
