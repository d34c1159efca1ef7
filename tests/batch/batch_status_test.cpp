// Bodies that go wrong: indefinite systems, divergence, and their neighbours.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "quartic/batch.hpp"
#include "support/batch_states.hpp"
#include "support/dense.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class BatchStatusTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(BatchStatusTest, Precisions);

// One Newmark iteration by a dense solve with the least of the shifts tau, 10 tau, ... that makes the matrix definite.
Eigen::VectorXd shifted_step(const Eigen::MatrixXd& k, const Eigen::VectorXd& internal, const Eigen::VectorXd& v,
                             const Eigen::VectorXd& f, double dt) {
  const auto r = k.rows();
  Eigen::MatrixXd system = 4 / (dt * dt) * Eigen::MatrixXd::Identity(r, r) + k;
  double tau = 1e-6 * system.diagonal().cwiseAbs().sum() / static_cast<double>(r);
  const Eigen::MatrixXd unshifted = system;
  while (!is_positive_definite(system)) {
    system = unshifted + tau * Eigen::MatrixXd::Identity(r, r);
    tau *= 10;
  }
  return solve(system, f - internal + 4 / dt * v);
}

TYPED_TEST(BatchStatusTest, IndefiniteSystemsAreShifted) {
  const int rank = 5;
  const SumOfSquares squares = random_squares(rank, 41);
  // Large displacements along a direction of compression make K indefinite; a long step makes A so, too.
  const double dt = 10;
  Eigen::VectorXd q;
  unsigned seed = 0;
  do {
    q = random_vector(rank, ++seed, 3);
  } while (eigenvalues(squares.stiffness(q)).minCoeff() > -10);
  const Eigen::VectorXd v = random_vector(rank, 77, 1), f = random_vector(rank, 78, 5);

  TestedBatch<TypeParam> batch(squares.energy(), {.bodies = 20});
  TestedBatch<TypeParam> healthy(squares.energy(), {.bodies = 20});
  for (unsigned b = 0; b < 20; ++b) {
    set_body(batch.q(), b, random_vector(rank, b, 0.05));
    set_body(healthy.q(), b, random_vector(rank, b, 0.05));
  }
  set_body(batch.q(), 11, q);
  set_body(batch.velocity(), 11, v);
  set_body(batch.force(), 11, f);
  batch.step(dt);
  healthy.step(dt);

  const Eigen::VectorXd expected = shifted_step(squares.stiffness(q), squares.force(q), v, f, dt);
  const Eigen::VectorXd increment = get_body<TypeParam>(batch.q(), 11) - q;
  // The shifted matrix may be near singular: its condition, here below 1e3, multiplies the rounding.
  EXPECT_LE((increment - expected).norm(),
            1e3 * std::numeric_limits<TypeParam>::epsilon() * (expected.norm() + q.norm()));
  for (std::size_t b = 0; b < 20; ++b) {
    EXPECT_EQ(batch.status()[b], b == 11 ? BodyStatus::regularised : BodyStatus::ok) << b;
    if (b != 11) {
      EXPECT_EQ(full_state(batch, static_cast<int>(b)), full_state(healthy, static_cast<int>(b))) << b;
    }
  }
  batch.reset_status();
  EXPECT_EQ(batch.status()[11], BodyStatus::ok);
}

TYPED_TEST(BatchStatusTest, DivergedBodiesFreezeAndDisturbNobody) {
  const int rank = 4;
  const QuarticEnergy energy = random_squares(rank, 43).energy();
  for (const Integrator integrator : all_integrators) {
    SCOPED_TRACE(static_cast<int>(integrator));
    const BatchOptions options{.bodies = 21, .integrator = integrator, .newton_iterations = 2, .threads = 2};
    TestedBatch<TypeParam> batch(energy, options), healthy(energy, options);
    for (unsigned b = 0; b < 21; ++b) {
      set_random_body(batch, b, b);
      set_random_body(healthy, b, b);
    }
    // Body 6 starts from a place that is finite, but whose cubic force isn't.
    const TypeParam far = std::sqrt(std::numeric_limits<TypeParam>::max());
    for (int i = 0; i < rank; ++i) batch.q()(i, 6) = far;
    // Body 17 has a load that isn't a number.
    batch.force()(1, 17) = std::numeric_limits<TypeParam>::quiet_NaN();
    const std::vector<TypeParam> before = full_state(batch, 6), before_17 = full_state(batch, 17);
    batch.step(0.02, 2);
    batch.step(0.02);
    healthy.step(0.02, 2);
    healthy.step(0.02);
    EXPECT_EQ(full_state(batch, 6), before);
    EXPECT_EQ(full_state(batch, 17), before_17);
    for (std::size_t b = 0; b < 21; ++b) {
      const bool diverged = b == 6 || b == 17;
      EXPECT_EQ(batch.status()[b], diverged ? BodyStatus::diverged : BodyStatus::ok) << b;
      if (!diverged) {
        EXPECT_EQ(full_state(batch, static_cast<int>(b)), full_state(healthy, static_cast<int>(b))) << b;
      }
    }
    // Mended but still frozen; then thawed, it moves on as a body that starts there.
    set_random_body(batch, 6, 6);
    set_random_body(healthy, 6, 6);
    const std::vector<TypeParam> mended = full_state(batch, 6);
    batch.step(0.02);
    EXPECT_EQ(full_state(batch, 6), mended);
    batch.reset_status();
    batch.step(0.02);
    healthy.step(0.02);
    EXPECT_EQ(full_state(batch, 6), full_state(healthy, 6));
    EXPECT_EQ(batch.status()[6], BodyStatus::ok);
    EXPECT_EQ(batch.status()[17], BodyStatus::diverged);
  }
}

TYPED_TEST(BatchStatusTest, ExplicitOverstepEndsInTheLastFiniteState) {
  // omega dt = 10: far beyond the stability limit 2, so that the body leaves the range of numbers within some steps.
  const QuarticEnergy energy = duffing(100, 50);
  TestedBatch<TypeParam> batch(energy, {.bodies = 3, .integrator = Integrator::central_differences});
  TestedBatch<TypeParam> single(energy, {.integrator = Integrator::central_differences});
  batch.q()(0, 1) = 1;
  single.q()(0, 0) = 1;
  batch.step(100.0, 100);
  EXPECT_EQ(batch.status()[1], BodyStatus::diverged);
  EXPECT_EQ(batch.status()[0], BodyStatus::ok);
  EXPECT_EQ(batch.q()(0, 0), TypeParam{0});
  std::vector<TypeParam> last;
  while (single.status()[0] == BodyStatus::ok) {
    last = full_state(single, 0);
    single.step(1.0);
  }
  EXPECT_EQ(full_state(single, 0), last);
  EXPECT_EQ(full_state(batch, 1), last);
  for (const TypeParam x : last) EXPECT_TRUE(std::isfinite(x));
  EXPECT_GT(std::abs(last[0]), 1);
}

}  // namespace
}  // namespace quartic
