// Exponential steps against exact oscillators, against another integrator, and bodies that don't see each other.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "quartic/exponential.hpp"
#include "quartic/modal_batch.hpp"
#include "support/batch_states.hpp"
#include "support/error_message.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

constexpr int rank = 5;

template <class B>
void set_start(B& batch, std::int64_t body, unsigned number) {
  set_body(batch.q(), body, random_vector(rank, 4 * number, 0.3));
  set_body(batch.velocity(), body, random_vector(rank, 4 * number + 1, 2));
  set_body(batch.force(), body, random_vector(rank, 4 * number + 2, 20));
}

// A linear body is exact at any step: oscillators by ModalBatch in its own coordinates, which is tested against 120
// digits, and what is too fast for the step at rest under its force.
TEST(ExponentialBatch, IsExactForLinearBodies) {
  SumOfSquares squares = random_squares(rank, 7);
  squares.b.col(0) *= 30;  // one that is fast
  for (auto& h : squares.h) h.setZero();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(squares.stiffness(Eigen::VectorXd::Zero(rank)));
  const Eigen::VectorXd lambda = solver.eigenvalues();
  ExponentialBatch<double> batch(squares.energy(), {.bodies = 3, .rayleigh_mass = 0.3, .rayleigh_stiffness = 1e-3});
  for (int i = 0; i < rank; ++i)
    EXPECT_NEAR(batch.eigenvalues()[static_cast<std::size_t>(i)], lambda[i], 1e-9 * lambda[i]);
  const double h = 0.03;
  ASSERT_EQ(batch.oscillators(h), rank - 1);
  ModalBatch<double> modes(batch.eigenvalues(), {.rayleigh_mass = 0.3, .rayleigh_stiffness = 1e-3});
  set_start(batch, 2, 9);
  const Eigen::MatrixXd turn = solver.eigenvectors().transpose();
  set_body(modes.q(), 0, turn * get_body(std::as_const(batch).q(), 2));
  set_body(modes.velocity(), 0, turn * get_body(std::as_const(batch).velocity(), 2));
  set_body(modes.force(), 0, turn * get_body(std::as_const(batch).force(), 2));
  for (int n = 0; n < 50; ++n) {
    batch.step(h);
    modes.step(h);
    Eigen::VectorXd expected = get_body(std::as_const(modes).q(), 0);
    expected[rank - 1] = modes.force()(rank - 1, 0) / lambda[rank - 1];
    const Eigen::VectorXd found = turn * get_body(std::as_const(batch).q(), 2);
    ASSERT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-11) << n;
  }
  EXPECT_NEAR(batch.time(), 1.5, 1e-12);
}

// Where the step resolves every coordinate, steps of half the length leave a quarter of the error.
TEST(ExponentialBatch, IsOfSecondOrderForNonlinearBodies) {
  const QuarticEnergy energy = random_squares(rank, 7).energy();
  Batch<double> reference(energy, {.integrator = Integrator::energy_conserving});
  set_start(reference, 0, 3);
  reference.step(1, 20000);
  const auto error = [&](int steps) {
    ExponentialBatch<double> batch(energy);
    set_start(batch, 0, 3);
    batch.step(1, steps);
    EXPECT_EQ(batch.oscillators(1.0 / steps), rank);
    return relative_difference(std::as_const(batch).q(), std::as_const(reference).q());
  };
  const double coarse = error(200), fine = error(400);
  EXPECT_LT(coarse, 0.02);
  EXPECT_NEAR(coarse / fine, 4, 0.4);
}

TEST(ExponentialBatch, IsTheSameForABodyAloneBitByBit) {
  const QuarticEnergy energy = random_squares(rank, 7).energy();
  const auto compare = [&]<class T>(T) {
    ExponentialBatch<T> many(energy, {.bodies = 37, .rayleigh_mass = 0.1, .threads = 2});
    ExponentialBatch<T> one(energy, {.bodies = 1, .rayleigh_mass = 0.1});
    for (unsigned b = 0; b < 37; ++b) set_start(many, b, b);
    set_start(one, 0, 29);
    for (int n = 0; n < 5; ++n) {
      many.step(0.1, 4);
      one.step(0.1, 4);
    }
    for (int i = 0; i < rank; ++i) {
      EXPECT_EQ(many.q()(i, 29), one.q()(i, 0));
      EXPECT_EQ(many.velocity()(i, 29), one.velocity()(i, 0));
    }
  };
  compare(float{});
  compare(double{});
}

TEST(ExponentialBatch, IsNearlyTheSameInFloat) {
  const QuarticEnergy energy = random_squares(rank, 7).energy();
  ExponentialBatch<float> single(energy, {.bodies = 20});
  ExponentialBatch<double> full(energy, {.bodies = 20});
  for (unsigned b = 0; b < 20; ++b) set_start(single, b, b), set_start(full, b, b);
  single.step(1, 200);
  full.step(1, 200);
  double worst = 0;
  for (std::int64_t b = 0; b < 20; ++b)
    for (int i = 0; i < rank; ++i) worst = std::max(worst, std::abs(double{single.q()(i, b)} - full.q()(i, b)));
  EXPECT_LT(worst, 1e-4);
  EXPECT_GT(worst, 0);
}

// A body that is thrown beyond all bounds stops where it is; its neighbours don't notice.
TEST(ExponentialBatch, StopsBodiesThatDiverge) {
  const QuarticEnergy energy = random_squares(rank, 7).energy();
  ExponentialBatch<double> batch(energy, {.bodies = 3}), calm(energy, {.bodies = 3});
  for (unsigned b = 0; b < 3; ++b) set_start(batch, b, b), set_start(calm, b, b);
  batch.velocity()(0, 1) = 1e200;
  batch.step(0.1, 10);
  calm.step(0.1, 10);
  EXPECT_EQ(batch.status()[1], BodyStatus::diverged);
  const double where = batch.q()(0, 1);
  EXPECT_TRUE(std::isfinite(where));
  for (const int other : {0, 2}) {
    EXPECT_EQ(batch.status()[static_cast<std::size_t>(other)], BodyStatus::ok);
    for (int i = 0; i < rank; ++i) EXPECT_EQ(batch.q()(i, other), calm.q()(i, other));
  }
  batch.step(0.1);
  EXPECT_EQ(batch.q()(0, 1), where);
  batch.reset_status();
  set_start(batch, 1, 1);
  batch.step(0.01);
  EXPECT_EQ(batch.status()[1], BodyStatus::ok);
}

// Forces that stay displace oscillators as they do at rest, those that are nearly too fast for the steps, too: plain
// kicks displace these by a fifth of that.
TEST(ExponentialBatch, StaysInEquilibriumAtAnyStep) {
  SumOfSquares squares = random_squares(rank, 7);
  squares.b.col(0) *= 30;
  const QuarticEnergy energy = squares.energy();
  const Eigen::VectorXd rest = random_vector(rank, 5, 0.3);
  const std::vector<double> force = evaluate(energy, std::vector<double>(rest.begin(), rest.end())).force;
  for (const double stiffness : {0.0, 0.01}) {
    ExponentialBatch<double> batch(energy, {.rayleigh_stiffness = stiffness});
    const double fastest = std::sqrt(batch.eigenvalues()[rank - 1]);
    for (const double share : {0.02, 0.2, 0.44}) {
      set_body(batch.q(), 0, rest);
      set_body(batch.velocity(), 0, Eigen::VectorXd::Zero(rank));
      set_body(batch.force(), 0, Eigen::VectorXd::Map(force.data(), rank));
      const double h = share * 2 * std::numbers::pi / fastest;
      ASSERT_EQ(batch.oscillators(h), rank);
      batch.step(h, stiffness > 0 ? 20000 : 50);
      EXPECT_LT((get_body(std::as_const(batch).q(), 0) - rest).norm(), 1e-10 * rest.norm())
          << stiffness << ", " << share;
    }
  }
}

// Sweeps towards rest that move more and more are told.
TEST(ExponentialBatch, TellsWhereSweepsDontContract) {
  // An oscillator x, and y, stiff, with N_y = y^3 and a force under which the fixed point isn't stable.
  const QuarticEnergy stiff = duffing(1e4, 1e6);
  ExponentialBatch<double> batch(stiff, {.bodies = 2});
  ASSERT_EQ(batch.oscillators(0.1), 0);
  batch.force()(0, 0) = 1;  // y = 1e-4: linear
  batch.force()(0, 1) = 3e3;
  batch.step(0.1);
  EXPECT_FALSE(has_any(batch.flags()[0], BodyFlags::not_converged));
  EXPECT_NEAR(batch.q()(0, 0), 1e-4, 1e-9);
  EXPECT_TRUE(has_any(batch.flags()[1], BodyFlags::not_converged));
  batch.reset_flags();
  EXPECT_EQ(batch.flags()[1], BodyFlags::none);
}

TEST(ExponentialBatch, TellsEnergies) {
  const SumOfSquares squares = random_squares(rank, 7);
  ExponentialBatch<double> batch(squares.energy(), {.bodies = 2});
  set_start(batch, 1, 5);
  const Eigen::VectorXd q = get_body(std::as_const(batch).q(), 1), v = get_body(std::as_const(batch).velocity(), 1);
  EXPECT_NEAR(batch.elastic_energy()[1], squares.energy_at(q), 1e-12 * squares.energy_at(q));
  EXPECT_NEAR(batch.kinetic_energy()[1], 0.5 * v.squaredNorm(), 1e-13);
  EXPECT_EQ(batch.elastic_energy()[0], 0);
}

TEST(ExponentialBatch, RefusesWhatItCantStep) {
  const QuarticEnergy energy = random_squares(rank, 7).energy();
  const auto message = [&](const ExponentialOptions& options, const QuarticEnergy& of) {
    return message_of([&] { (void)ExponentialBatch<double>(of, options); });
  };
  EXPECT_NE(message({.bodies = 0}, energy).find("bodies"), std::string::npos);
  EXPECT_NE(message({.rayleigh_mass = -1}, energy).find("rayleigh_mass"), std::string::npos);
  EXPECT_NE(message({.highest = 0.5}, energy).find("highest"), std::string::npos);
  EXPECT_NE(message({.sweeps = 0}, energy).find("sweeps"), std::string::npos);
  EXPECT_NE(message({}, duffing(-1, 1)).find("below zero"), std::string::npos);
  QuarticEnergy short_of_one = energy;
  short_of_one.coefficients.pop_back();
  EXPECT_NE(message({}, short_of_one), "");
  QuarticEnergy large = energy;
  large.coefficients.back() = 1e300;
  EXPECT_NE(message_of([&] { (void)ExponentialBatch<float>(large); }).find("take double"), std::string::npos);
  ExponentialBatch<double> batch(energy);
  EXPECT_NE(message_of([&] { batch.step(0); }), "");
  EXPECT_NE(message_of([&] { batch.step(0.1, 0); }), "");
  EXPECT_NE(message_of([&] { batch.set_time(std::nan("")); }), "");
}

}  // namespace
}  // namespace quartic
