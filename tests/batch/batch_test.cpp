// The batch as a container: state, options, copies, energies.
#include "quartic/batch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class BatchTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(BatchTest, Precisions);

TYPED_TEST(BatchTest, StartsAtRestInPaddedRows) {
  TestedBatch<TypeParam> batch(random_squares(3, 1).energy(), {.bodies = 37});
  EXPECT_EQ(batch.rank(), 3);
  EXPECT_EQ(batch.bodies(), 37);
  for (const StateView<TypeParam> view : {batch.q(), batch.velocity(), batch.acceleration(), batch.force()}) {
    EXPECT_EQ(view.rank, 3);
    EXPECT_EQ(view.bodies, 37);
    EXPECT_EQ(view.stride_body, 1);
    EXPECT_EQ(view.stride_mode * static_cast<std::int64_t>(sizeof(TypeParam)) % 128, 0);
    EXPECT_GE(view.stride_mode, 37);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.data) % 128, 0U);
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t b = 0; b < 37; ++b) EXPECT_EQ(view(i, b), TypeParam{0});
  }
  for (const BodyStatus status : batch.status()) EXPECT_EQ(status, BodyStatus::ok);
}

TYPED_TEST(BatchTest, PaddingStaysZero) {
  // An energy with a force at rest: bodies in the padding would move if they were stored.
  QuarticEnergy energy = duffing(10, 1);
  energy.coefficients[1] = 4;
  for (const Integrator integrator : all_integrators) {
    TestedBatch<TypeParam> batch(energy, {.bodies = 5, .integrator = integrator});
    batch.step(0.01, 3);
    const StateView<TypeParam> q = batch.q();
    EXPECT_NE(q(0, 4), TypeParam{0});
    for (std::int64_t b = 5; b < q.stride_mode; ++b) EXPECT_EQ(q.data[b], TypeParam{0});
  }
}

TYPED_TEST(BatchTest, RefusesOptionsOutOfRangeByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<BatchOptions, std::string>> cases = {
      {{.bodies = 0}, "bodies"},
      {{.bodies = std::numeric_limits<std::int64_t>::max()}, "bodies"},
      {{.integrator = static_cast<Integrator>(9)}, "integrator"},
      {{.newmark_beta = 0}, "newmark_beta"},
      {{.newmark_beta = 0.51}, "newmark_beta"},
      {{.newmark_beta = nan}, "newmark_beta"},
      {{.newmark_gamma = -0.1}, "newmark_gamma"},
      {{.newmark_gamma = 1.1}, "newmark_gamma"},
      {{.rayleigh_mass = -1}, "rayleigh_mass"},
      {{.rayleigh_mass = nan}, "rayleigh_mass"},
      {{.rayleigh_stiffness = infinity}, "rayleigh_stiffness"},
      {{.newton_iterations = 0}, "newton_iterations"},
      {{.newton_tolerance = -1}, "newton_tolerance"},
      {{.threads = -1}, "threads"},
  };
  const QuarticEnergy energy = duffing(1, 1);
  for (const auto& [options, name] : cases) {
    try {
      const TestedBatch<TypeParam> batch(energy, options);
      ADD_FAILURE() << name << " was accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(TestedBatch<TypeParam>(QuarticEnergy{.rank = 2, .coefficients = {1, 2, 3}}), InputError);
}

TYPED_TEST(BatchTest, SaysSoWhereThereIsNoDevice) {
  if (backend_available(Backend::cuda)) GTEST_SKIP() << "there is one";
  try {
    const Batch<TypeParam> batch(duffing(1, 1), {.backend = Backend::cuda});
    ADD_FAILURE() << "accepted";
  } catch (const BackendUnavailable& error) {
    EXPECT_NE(std::string(error.what()).find("use the backend 'cpu'"), std::string::npos) << error.what();
  }
}

TEST(BatchTest, TooManyBodiesForMemoryAreAnInputError) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer ends the program instead of throwing";
#else
  // Too many for any machine, and more than this one has although each array could be asked for.
  for (const std::int64_t bodies : {std::int64_t{10'000'000'000'000}, std::int64_t{200'000'000'000}})
    EXPECT_THROW(TestedBatch<double>(duffing(1, 1), {.bodies = bodies}), InputError) << bodies;
#endif
}

TEST(BatchTest, RefusesCoefficientsThatOverflowFloat) {
  EXPECT_THROW(TestedBatch<float>(duffing(1, 1e39)), InputError);
  EXPECT_NO_THROW(TestedBatch<double>(duffing(1, 1e39)));
}

TYPED_TEST(BatchTest, RefusesStepsThatAreNotPositive) {
  TestedBatch<TypeParam> batch(duffing(1, 1));
  batch.force()(0, 0) = 1;
  for (const double dt : {0.0, -0.1, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(batch.step(dt), InputError);
  EXPECT_THROW(batch.step(0.1, 0), InputError);
  EXPECT_EQ(batch.q()(0, 0), TypeParam{0});
}

TYPED_TEST(BatchTest, SubstepsAreStepsOfTheirOwn) {
  const QuarticEnergy energy = random_squares(4, 3).energy();
  for (const Integrator integrator : all_integrators) {
    const BatchOptions options{
        .bodies = 3, .integrator = integrator, .rayleigh_mass = 0.5, .rayleigh_stiffness = 0.001};
    TestedBatch<TypeParam> together(energy, options), apart(energy, options);
    for (unsigned b = 0; b < 3; ++b) {
      set_random_body(together, b, b);
      set_random_body(apart, b, b);
    }
    together.step(0.04, 4);
    for (int i = 0; i < 4; ++i) apart.step(0.01);
    for (int b = 0; b < 3; ++b) EXPECT_EQ(full_state(together, b), full_state(apart, b));
  }
}

TYPED_TEST(BatchTest, EnergiesMatchTheClosedForm) {
  const SumOfSquares squares = random_squares(6, 5);
  TestedBatch<TypeParam> batch(squares.energy(), {.bodies = 19});
  for (unsigned b = 0; b < 19; ++b) set_random_body(batch, b, b);
  const std::vector<double> elastic = batch.elastic_energy(), kinetic = batch.kinetic_energy();
  ASSERT_EQ(elastic.size(), 19U);
  ASSERT_EQ(kinetic.size(), 19U);
  for (std::size_t b = 0; b < 19; ++b) {
    const auto body = static_cast<std::int64_t>(b);
    const Eigen::VectorXd v = get_body<TypeParam>(batch.velocity(), body);
    // Both are computed in double whatever the state: rounding of some 200 terms that cancel ten-fold at most.
    const double expected = squares.energy_at(get_body<TypeParam>(batch.q(), body));
    EXPECT_NEAR(elastic[b], expected, 1e-13 * expected);
    EXPECT_NEAR(kinetic[b], 0.5 * v.squaredNorm(), 1e-14 * v.squaredNorm());
  }
}

TYPED_TEST(BatchTest, CopiesFromAndToEitherOrder) {
  const std::int64_t bodies = 131;
  TestedBatch<TypeParam> batch(random_squares(3, 1).energy(), {.bodies = bodies});
  std::vector<TypeParam> rows;  // (B, r) in C order
  for (const double x : random_numbers(3 * 131, 7)) rows.push_back(static_cast<TypeParam>(x));
  const StateView<TypeParam> by_body{rows.data(), 3, bodies, 1, 3};
  copy_state<TypeParam>(by_body, batch.q());
  for (std::int64_t b = 0; b < bodies; ++b)
    for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(batch.q()(i, b), rows[static_cast<std::size_t>(3 * b + i)]);

  std::vector<TypeParam> back(rows.size());
  copy_state<TypeParam>(batch.q(), {back.data(), 3, bodies, 1, 3});
  EXPECT_EQ(back, rows);
  std::vector<TypeParam> columns(rows.size());
  copy_state<TypeParam>(batch.q(), {columns.data(), 3, bodies, bodies, 1});
  EXPECT_EQ(columns[static_cast<std::size_t>(2 * bodies + 5)], rows[3 * 5 + 2]);
  EXPECT_THROW(copy_state<TypeParam>(batch.q(), {back.data(), 3, bodies - 1, 1, 3}), InputError);
}

TYPED_TEST(BatchTest, MovesWithItsState) {
  const QuarticEnergy energy = random_squares(4, 3).energy();
  const auto make = [&] {
    TestedBatch<TypeParam> batch(energy, {.bodies = 2});
    for (unsigned b = 0; b < 2; ++b) set_random_body(batch, b, b);
    return batch;
  };
  TestedBatch<TypeParam> stayed = make(), source = make();
  const std::vector<TypeParam> start = full_state(source, 1);
  const TypeParam* const memory = source.q().data;
  TestedBatch<TypeParam> constructed = std::move(source);
  EXPECT_EQ(constructed.q().data, memory);  // views stay good
  const auto step_and_compare = [&](TestedBatch<TypeParam>& moved) {
    stayed.step(0.01);
    moved.step(0.01);
    for (int b = 0; b < 2; ++b) EXPECT_EQ(full_state(moved, b), full_state(stayed, b));
  };
  step_and_compare(constructed);
  EXPECT_NE(full_state(constructed, 1), start);
  TestedBatch<TypeParam> assigned(duffing(1, 1));
  assigned = std::move(constructed);
  EXPECT_EQ(assigned.rank(), 4);
  step_and_compare(assigned);
}

}  // namespace
}  // namespace quartic
