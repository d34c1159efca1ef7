// Steps in one kernel against the same steps in two kernels per Newton iteration: bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "batch/fused_setting.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class FusedStepTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FusedStepTest, Precisions);

/// What the two ways must agree on.
template <class T>
struct Outcome {
  std::vector<T> state;
  std::vector<BodyStatus> status;
  bool operator==(const Outcome&) const = default;
};

template <class T>
Outcome<T> run(std::vector<BodyGroup> groups, BatchOptions options, const char* fused, int infinite_load = -1) {
  const FusedSetting setting(fused);
  options.backend = Backend::cuda;
  Batch<T> batch(std::move(groups), options);
  unsigned number = 0;
  for (int g = 0; g < batch.group_count(); ++g) {
    const GroupRange range = batch.group(g);
    for (std::int64_t b = 0; b < range.bodies; ++b, ++number) {
      const int rank = static_cast<int>(range.rank);
      set_body(batch.q().part(range), b, random_vector(rank, 3 * number, 0.3));
      set_body(batch.velocity().part(range), b, random_vector(rank, 3 * number + 1, 2));
      set_body(batch.force().part(range), b, random_vector(rank, 3 * number + 2, 20));
    }
  }
  if (infinite_load >= 0) batch.force()(0, infinite_load) = std::numeric_limits<T>::infinity();
  for (int n = 0; n < 2; ++n) batch.step(0.02, 2);
  Outcome<T> outcome;
  for (int g = 0; g < batch.group_count(); ++g) {
    const GroupRange range = batch.group(g);
    for (const StateView<const T> view :
         {std::as_const(batch).q(), std::as_const(batch).velocity(), std::as_const(batch).acceleration()})
      for (std::int64_t b = 0; b < range.bodies; ++b)
        for (std::int64_t i = 0; i < range.rank; ++i) outcome.state.push_back(view.part(range)(i, b));
  }
  outcome.status.assign(batch.status().begin(), batch.status().end());
  return outcome;
}

template <class T>
void expect_same_bits(int rank, std::int64_t bodies) {
  const std::vector<BodyGroup> groups = {{random_squares(rank, 7).energy(), bodies}};
  const BatchOptions options{.rayleigh_mass = 0.7, .rayleigh_stiffness = 0.002};
  const Outcome<T> apart = run<T>(groups, options, "0");
  EXPECT_EQ(run<T>(groups, options, "1"), apart) << "rank " << rank;
  EXPECT_EQ(run<T>(groups, options, ""), apart) << "rank " << rank << ", by the rule";
  for (const T x : apart.state) ASSERT_TRUE(std::isfinite(x));
}

// All tile sizes and several passes over the rows; ranks on both sides of a block of the factor.
TYPED_TEST(FusedStepTest, EveryRankGivesTheSameBits) {
  const bool single = sizeof(TypeParam) == sizeof(float);
  for (const int rank : {1, 3, 4, 9, 12, 13, 20, 31, 36}) {
    if (rank > 20 && !single && rank != 31) continue;  // slow where it is emulated
    expect_same_bits<TypeParam>(rank, rank <= 12 ? 161 : rank <= 20 ? 33 : 3);
  }
}

// A tile of each size: few enough for a tool that looks at each access.
TYPED_TEST(FusedStepTest, SomeRanksGiveTheSameBits) {
  for (const int rank : {4, 13, 20}) expect_same_bits<TypeParam>(rank, 5);
}

// The same on tensor cores: one to four warps across a block's bodies, one and several passes over the rows.
TYPED_TEST(FusedStepTest, TensorCoresGiveTheSameBits) {
  for (const int rank : {1, 6, 13, 20, 31}) {
    const std::int64_t bodies = rank <= 6 ? 161 : rank <= 20 ? 65 : 33;
    if (rank == 31 && sizeof(TypeParam) == 8) continue;  // slow where it is emulated
    const std::vector<BodyGroup> groups = {{random_squares(rank, 7).energy(), bodies}, {duffing(-5e4, 1), 3}};
    const BatchOptions options{.newton_iterations = rank <= 6 ? 2 : 1, .evaluation = Evaluation::tensor};
    const Outcome<TypeParam> apart = run<TypeParam>(groups, options, "0");
    EXPECT_EQ(run<TypeParam>(groups, options, "1"), apart) << "rank " << rank;
    EXPECT_NE(apart.status.back(), BodyStatus::ok);
    for (const TypeParam x : apart.state) ASSERT_TRUE(std::isfinite(x));
  }
}

// Several models in one batch, one of them with a stiffness that is indefinite and one that takes shifts far up,
// several Newton iterations of which some bodies need fewer, and a body that diverges.
TYPED_TEST(FusedStepTest, EventsGiveTheSameBits) {
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler})
    for (const int iterations : {1, 4}) {
      const std::vector<BodyGroup> groups = {
          {random_squares(5, 3).energy(), 70}, {duffing(-5e4, 1), 34}, {duffing(-1e30, 0), 2}, {duffing(20, 1), 3}};
      const BatchOptions options{.integrator = integrator, .newton_iterations = iterations, .newton_tolerance = 1e-2};
      const Outcome<TypeParam> apart = run<TypeParam>(groups, options, "0", 3);
      EXPECT_EQ(run<TypeParam>(groups, options, "1", 3), apart) << iterations;
      EXPECT_EQ(apart.status[0], BodyStatus::ok);
      EXPECT_EQ(apart.status[3], BodyStatus::diverged);
      EXPECT_EQ(apart.status[70], BodyStatus::regularised);
      EXPECT_NE(apart.status[104], BodyStatus::ok);
    }
}

TYPED_TEST(FusedStepTest, LoadCurvesGiveTheSameBits) {
  const auto states = [](const char* fused) {
    const FusedSetting setting(fused);
    Batch<TypeParam> batch(random_squares(6, 3).energy(), {.bodies = 40, .backend = Backend::cuda});
    for (unsigned b = 0; b < 40; ++b) set_random_body(batch, b, b);
    batch.set_load_curves(std::vector<LoadCurve>{{.times = {0, 0.03, 0.05}, .scales = {0, 1, -1}}},
                          std::vector<std::int32_t>(40, 0));
    batch.step(0.06, 4);
    EXPECT_DOUBLE_EQ(batch.time(), 0.06);
    std::vector<TypeParam> values;
    for (int b = 0; b < 40; ++b)
      for (const TypeParam x : full_state(batch, b)) values.push_back(x);
    return values;
  };
  EXPECT_EQ(states("1"), states("0"));
}

TYPED_TEST(FusedStepTest, AnotherSettingIsRefused) {
  const FusedSetting setting("yes");
  try {
    const Batch<TypeParam> batch(duffing(1, 1), {.backend = Backend::cuda});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("QUARTIC_CUDA_FUSED"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace quartic
