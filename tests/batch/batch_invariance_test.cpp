// A body's trajectory is bitwise the same whatever batch it is in.
#include <gtest/gtest.h>

#include <vector>

#include "quartic/batch.hpp"
#include "support/batch_states.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class BatchInvarianceTest : public testing::Test {
 protected:
  static constexpr int rank = 7;
  const QuarticEnergy energy = random_squares(rank, 3).energy();
  static constexpr unsigned probe = 12345;  // the number of the body that is watched

  [[nodiscard]] static BatchOptions options(Integrator integrator, std::int64_t bodies, int threads) {
    return {.bodies = bodies,
            .integrator = integrator,
            .rayleigh_mass = 0.3,
            .rayleigh_stiffness = 0.001,
            .newton_iterations = 3,
            .newton_tolerance = 1e-4,
            .threads = threads};
  }

  // The probe's state after some steps at `place` among `bodies` others.
  [[nodiscard]] std::vector<T> run(Integrator integrator, std::int64_t bodies, std::int64_t place, int threads) const {
    TestedBatch<T> batch(energy, options(integrator, bodies, threads));
    for (std::int64_t b = 0; b < bodies; ++b) set_random_body(batch, b, static_cast<unsigned>(b));
    set_random_body(batch, place, probe);
    batch.step(0.02, 2);
    batch.step(0.015);
    return full_state(batch, place);
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(BatchInvarianceTest, Precisions);

TYPED_TEST(BatchInvarianceTest, PlaceAndCompanyDoNotMatter) {
  for (const Integrator integrator : all_integrators) {
    const std::vector<TypeParam> alone = this->run(integrator, 1, 0, 1);
    for (const std::int64_t place : {0, 1, 7, 500, 511, 999})
      EXPECT_EQ(this->run(integrator, 1000, place, 1), alone) << place;
    for (const std::int64_t bodies : {2, 7, 8, 9, 15, 16, 17, 33})
      EXPECT_EQ(this->run(integrator, bodies, bodies - 1, 1), alone) << bodies;
  }
}

TYPED_TEST(BatchInvarianceTest, ThreadsDoNotMatter) {
  for (const Integrator integrator : all_integrators) {
    const std::vector<TypeParam> alone = this->run(integrator, 1, 0, 1);
    for (const int threads : {1, 2, 3, 7}) EXPECT_EQ(this->run(integrator, 300, 177, threads), alone) << threads;
  }
}

TYPED_TEST(BatchInvarianceTest, RunsRepeatAfterACopy) {
  for (const Integrator integrator : all_integrators) {
    TestedBatch<TypeParam> batch(this->energy, this->options(integrator, 40, 2));
    TestedBatch<TypeParam> other(this->energy, this->options(integrator, 23, 1));
    for (unsigned b = 0; b < 40; ++b) set_random_body(batch, b, b);
    batch.step(0.05, 3);
    // Bodies 10..32 go on elsewhere, through an array in the other order.
    std::vector<TypeParam> rows(23 * static_cast<std::size_t>(this->rank));
    const StateView<TypeParam> by_body{rows.data(), this->rank, 23, 1, this->rank};
    const auto move = [&](StateView<TypeParam> from, StateView<TypeParam> to) {
      copy_state<TypeParam>(StateView<TypeParam>{&from(0, 10), this->rank, 23, from.stride_mode, 1}, by_body);
      copy_state<TypeParam>(by_body, to);
    };
    move(batch.q(), other.q());
    move(batch.velocity(), other.velocity());
    move(batch.acceleration(), other.acceleration());
    move(batch.force(), other.force());
    batch.step(0.05, 3);
    other.step(0.05, 3);
    for (int b = 0; b < 23; ++b) EXPECT_EQ(full_state(other, b), full_state(batch, b + 10));
  }
}

TYPED_TEST(BatchInvarianceTest, ManyBodiesOfOneMode) {
  const std::int64_t bodies = 100003;
  TestedBatch<TypeParam> batch(duffing(30, 5), {.bodies = bodies, .threads = 3});
  TestedBatch<TypeParam> one(duffing(30, 5));
  for (std::int64_t b = 0; b < bodies; ++b) batch.q()(0, b) = static_cast<TypeParam>(b) / TypeParam{100003};
  batch.step(0.02, 2);
  for (const std::int64_t b : {std::int64_t{1}, std::int64_t{50001}, bodies - 1}) {
    one.q()(0, 0) = static_cast<TypeParam>(b) / TypeParam{100003};
    one.velocity()(0, 0) = one.acceleration()(0, 0) = 0;
    one.step(0.02, 2);
    EXPECT_EQ(full_state(batch, b), full_state(one, 0));
  }
}

}  // namespace
}  // namespace quartic
