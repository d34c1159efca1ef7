// Each integrator against an independent step in double, closed forms and its order of convergence.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "quartic/batch.hpp"
#include "support/batch_states.hpp"
#include "support/reference_comparison.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class IntegratorsTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(IntegratorsTest, Precisions);

TYPED_TEST(IntegratorsTest, StepsMatchAnIndependentOne) {
  for (const int rank : {1, 2, 3, 12, 20, 31}) {
    SCOPED_TRACE(rank);
    const SumOfSquares squares = random_squares(rank, static_cast<unsigned>(rank));
    const QuarticEnergy energy = squares.energy();
    // Sums over up to (r+1)(r+2)/2 terms of mixed sign.
    const double tolerance = 20 * (2 + std::sqrt(rank)) * std::numeric_limits<TypeParam>::epsilon();
    for (const Integrator integrator : all_integrators)
      for (const int iterations : {1, 4}) {
        SCOPED_TRACE(static_cast<int>(integrator));
        compare_with_reference<TypeParam>(squares, energy, {.integrator = integrator, .newton_iterations = iterations},
                                          tolerance);
      }
    compare_with_reference<TypeParam>(
        squares, energy, {.newmark_beta = 0.3025, .newmark_gamma = 0.6, .newton_iterations = 3}, tolerance);
  }
}

TEST(IntegratorsTest, LargeRankMatchesToo) {
  const SumOfSquares squares = random_squares(80, 80, 6);
  const QuarticEnergy energy = squares.energy();
  compare_with_reference<double>(squares, energy, {}, 5e-14);
  compare_with_reference<float>(squares, energy, {}, 2e-5);
}

// Newmark on q'' + 2 zeta omega q' + omega^2 q = 0 is a fixed matrix per step: its trace and determinant are in every
// textbook. With gamma = 1/2, beta = 1/4, undamped: eigenvalues exp(+-i theta), tan(theta/2) = omega dt / 2.
TYPED_TEST(IntegratorsTest, NewmarkHasItsClosedFormFrequency) {
  const double omega = 3, dt = 0.1;
  TestedBatch<TypeParam> batch(duffing(omega * omega, 0));
  batch.q()(0, 0) = 1;
  batch.acceleration()(0, 0) = static_cast<TypeParam>(-omega * omega);
  const double theta = 2 * std::atan(omega * dt / 2);
  for (int n = 1; n <= 100; ++n) {
    batch.step(dt);
    ASSERT_NEAR(batch.q()(0, 0), std::cos(theta * n), 20.0 * n * double{std::numeric_limits<TypeParam>::epsilon()});
  }
}

TEST(IntegratorsTest, NewmarkDampsAsItsAmplificationMatrix) {
  // For any beta and gamma, one step of a linear oscillator multiplies (q, dt v, dt^2 a) by a matrix that follows from
  // q1 = q + dt v + dt^2 ((1/2-beta) a + beta a1), v1 = v + dt ((1-gamma) a + gamma a1), a1 + c v1 + k q1 = 0.
  const double k = 40, alpha = 0.8, beta_r = 0.01, dt = 0.07, beta = 0.3, gamma = 0.6;
  const double c = alpha + beta_r * k;
  Eigen::Matrix3d left, right;
  left << 1, 0, -beta, 0, 1, -gamma, k * dt * dt, c * dt, 1;
  right << 1, 1, 0.5 - beta, 0, 1, 1 - gamma, 0, 0, 0;
  const Eigen::Matrix3d amplification = left.inverse() * right;
  TestedBatch<double> batch(
      duffing(k, 0),
      {.newmark_beta = beta, .newmark_gamma = gamma, .rayleigh_mass = alpha, .rayleigh_stiffness = beta_r});
  Eigen::Vector3d state(0.5, 0.2 * dt, -1.5 * dt * dt);
  batch.q()(0, 0) = 0.5;
  batch.velocity()(0, 0) = 0.2;
  batch.acceleration()(0, 0) = -1.5;
  for (int n = 0; n < 50; ++n) {
    batch.step(dt);
    state = amplification * state;
    ASSERT_NEAR(batch.q()(0, 0), state[0], 1e-14);
    ASSERT_NEAR(batch.velocity()(0, 0) * dt, state[1], 1e-14);
    ASSERT_NEAR(batch.acceleration()(0, 0) * dt * dt, state[2], 1e-14);
  }
}

Eigen::VectorXd position_at_end(const QuarticEnergy& energy, const BatchOptions& options, int steps) {
  const int rank = energy.rank;
  TestedBatch<double> batch(energy, options);
  set_body(batch.q(), 0, random_vector(rank, 1, 0.3));
  set_body(batch.velocity(), 0, random_vector(rank, 2, 1));
  set_body(batch.force(), 0, random_vector(rank, 3, 10));
  if (options.integrator == Integrator::newmark) {
    // Newmark takes the acceleration at its word: a consistent one, from a vanishing step of central differences.
    TestedBatch<double> start(energy, {.integrator = Integrator::central_differences,
                                       .rayleigh_mass = options.rayleigh_mass,
                                       .rayleigh_stiffness = options.rayleigh_stiffness});
    copy_state<double>(batch.q(), start.q());
    copy_state<double>(batch.velocity(), start.velocity());
    copy_state<double>(batch.force(), start.force());
    start.step(1e-12);
    copy_state<double>(start.acceleration(), batch.acceleration());
  }
  batch.step(0.5, steps);
  return get_body<double>(batch.q(), 0);
}

TEST(IntegratorsTest, ConvergesWithItsOrder) {
  const QuarticEnergy energy = random_squares(4, 9).energy();
  struct Case {
    Integrator integrator;
    double damping;
    double order;
  };
  // The damping of central differences lags by half a step.
  for (const Case& c : {Case{Integrator::newmark, 1, 2}, Case{Integrator::backward_euler, 1, 1},
                        Case{Integrator::central_differences, 0, 2}, Case{Integrator::central_differences, 1, 1},
                        Case{Integrator::energy_conserving, 1, 2}}) {
    SCOPED_TRACE(static_cast<int>(c.integrator));
    BatchOptions options{.integrator = Integrator::newmark,
                         .rayleigh_mass = c.damping * 0.5,
                         .rayleigh_stiffness = c.damping * 0.005,
                         .newton_iterations = 8};
    const Eigen::VectorXd exact =
        (4 * position_at_end(energy, options, 8000) - position_at_end(energy, options, 4000)) / 3;
    options.integrator = c.integrator;
    const double coarse = (position_at_end(energy, options, 400) - exact).norm();
    const double fine = (position_at_end(energy, options, 800) - exact).norm();
    EXPECT_NEAR(std::log2(coarse / fine), c.order, 0.1);
  }
}

TEST(IntegratorsTest, CentralDifferencesSatisfyTheirRecurrence) {
  const SumOfSquares squares = random_squares(3, 11);
  const double dt = 0.01;
  TestedBatch<double> batch(squares.energy(), {.integrator = Integrator::central_differences});
  const Eigen::VectorXd f = random_vector(3, 1, 10);
  set_body(batch.force(), 0, f);
  Eigen::VectorXd last = get_body<double>(batch.q(), 0);
  batch.step(dt);
  Eigen::VectorXd now = get_body<double>(batch.q(), 0);
  EXPECT_LE((now - 0.5 * dt * dt * f).norm(), 1e-16);  // q_1 = dt^2/2 f from rest: second order at the start
  for (int n = 0; n < 50; ++n) {
    batch.step(dt);
    const Eigen::VectorXd next = get_body<double>(batch.q(), 0);
    ASSERT_LE(((next - 2 * now + last) - dt * dt * (f - squares.force(now))).norm(), 1e-14);
    last = now;
    now = next;
  }
}

template <class T>
double total_energy(const TestedBatch<T>& batch, std::size_t body) {
  return batch.elastic_energy()[body] + batch.kinetic_energy()[body];
}

TEST(IntegratorsTest, EnergyIsConservedToRoundOff) {
  // Steps of a third of the shortest period, amplitudes where the quartic terms dominate.
  const QuarticEnergy energy = random_squares(3, 13).energy();
  TestedBatch<double> batch(energy, {.bodies = 4, .integrator = Integrator::energy_conserving});
  for (unsigned b = 0; b < 4; ++b) {
    set_body(batch.q(), b, random_vector(3, b, 1.5));
    set_body(batch.velocity(), b, random_vector(3, b + 10, 10));
  }
  std::vector<double> start;
  for (std::size_t b = 0; b < 4; ++b) start.push_back(total_energy(batch, b));
  for (int n = 0; n < 100; ++n) {
    batch.step(1.0, 100);
    for (std::size_t b = 0; b < 4; ++b) ASSERT_NEAR(total_energy(batch, b), start[b], 1e-11 * start[b]);
  }
  EXPECT_GT((get_body<double>(batch.q(), 0) - random_vector(3, 0, 1.5)).norm(), 0.01);
}

// A step that has not converged says so: where none does, the energy is conserved. Velocities up to 1e4 take bodies far
// beyond where Newton's method finds its way.
TYPED_TEST(IntegratorsTest, StepsThatDoNotConvergeAreFlagged) {
  using T = TypeParam;
  const QuarticEnergy energy = random_squares(4, 13).energy();
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
    TestedBatch<T> batch(energy, {.bodies = 80, .integrator = Integrator::energy_conserving, .evaluation = evaluation});
    std::vector<double> start;
    for (unsigned b = 0; b < 80; ++b) {
      set_body(batch.velocity(), b, random_vector(4, b, std::pow(10.0, b % 5)));
      start.push_back(total_energy(batch, b));
    }
    batch.step(0.3, 3);
    int converged = 0, broken = 0;
    for (std::size_t b = 0; b < 80; ++b) {
      if (batch.status()[b] == BodyStatus::diverged) continue;
      const double change = std::abs(total_energy(batch, b) / start[b] - 1);
      const double small = 1e5 * double{std::numeric_limits<T>::epsilon()};
      if (batch.flags()[b] == BodyFlags::none) {
        ++converged;
        EXPECT_LE(change, small) << b;
      } else {
        EXPECT_EQ(batch.flags()[b], BodyFlags::not_converged);
        broken += change > small ? 1 : 0;
      }
    }
    EXPECT_GT(converged, 20);
    EXPECT_GT(broken, 3);
  }
  TestedBatch<T> newmark(energy, {.bodies = 2});
  newmark.step(0.3);
  EXPECT_EQ(newmark.flags()[0], BodyFlags::none);
}

TEST(IntegratorsTest, WorkOfAConstantForceIsAccountedFor) {
  // The energy-conserving scheme conserves V + T - f.q under a constant force.
  const QuarticEnergy energy = random_squares(3, 17).energy();
  TestedBatch<double> batch(energy, {.integrator = Integrator::energy_conserving});
  const Eigen::VectorXd f = random_vector(3, 5, 40);
  set_body(batch.force(), 0, f);
  for (int n = 0; n < 100; ++n) {
    batch.step(0.2, 10);
    ASSERT_NEAR(total_energy(batch, 0), f.dot(get_body<double>(batch.q(), 0)), 1e-11 * total_energy(batch, 0));
  }
}

TEST(IntegratorsTest, DampingTakesEnergyAway) {
  const QuarticEnergy energy = random_squares(3, 19).energy();
  for (const Integrator integrator : {Integrator::energy_conserving, Integrator::backward_euler}) {
    TestedBatch<double> batch(energy, {.integrator = integrator, .rayleigh_mass = 0.2, .rayleigh_stiffness = 1e-3});
    set_body(batch.q(), 0, random_vector(3, 1, 0.2));
    double last = total_energy(batch, 0);
    for (int n = 0; n < 200; ++n) {
      batch.step(0.02);
      const double now = total_energy(batch, 0);
      ASSERT_LT(now, last);
      last = now;
    }
  }
}

TEST(IntegratorsTest, EnergyOfCentralDifferencesStaysBounded) {
  // Symplectic: no drift. The oscillation of the energy is (omega dt)^2 / 8 of it or so, omega dt <= 0.2.
  const QuarticEnergy energy = random_squares(3, 23).energy();
  TestedBatch<double> batch(energy, {.integrator = Integrator::central_differences});
  set_body(batch.q(), 0, random_vector(3, 1, 0.3));
  const double start = total_energy(batch, 0);
  for (int n = 0; n < 100; ++n) {
    batch.step(1.0, 100);
    ASSERT_NEAR(total_energy(batch, 0), start, 0.02 * start);
  }
}

TEST(IntegratorsTest, ToleranceStopsNewton) {
  const SumOfSquares squares = random_squares(5, 29);
  // At this tolerance the residual passes after some of the iterations, in both implementations alike; with a huge one
  // nothing is solved at all and the increment stays zero.
  compare_with_reference<double>(squares, squares.energy(), {.newton_iterations = 10, .newton_tolerance = 1e-2}, 1e-13);
  compare_with_reference<double>(squares, squares.energy(), {.newton_iterations = 2, .newton_tolerance = 1e9}, 1e-13);
  const BatchOptions loose{.newton_iterations = 10, .newton_tolerance = 1e-2};
  const BatchOptions tight{.newton_iterations = 10};
  TestedBatch<double> first(squares.energy(), loose), second(squares.energy(), tight);
  set_random_body(first, 0, 1);
  set_random_body(second, 0, 1);
  first.step(0.05);
  second.step(0.05);
  EXPECT_NE(full_state(first, 0), full_state(second, 0));
}

}  // namespace
}  // namespace quartic
