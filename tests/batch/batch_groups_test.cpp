// Several models in one batch, and other energies for bodies on the move.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class BatchGroupsTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(BatchGroupsTest, Precisions);

std::vector<BodyGroup> three_groups() {
  return {{random_squares(5, 1).energy(), 19}, {random_squares(2, 2).energy(), 1}, {random_squares(9, 3).energy(), 33}};
}

BatchOptions group_options(Integrator integrator) {
  return {.integrator = integrator,
          .rayleigh_mass = 0.3,
          .rayleigh_stiffness = 0.001,
          .newton_iterations = 2,
          .threads = 2};
}

// Coordinates of one body's own model: q, velocity, acceleration.
template <class T>
std::vector<T> state_of(const TestedBatch<T>& batch, int group, std::int64_t body) {
  std::vector<T> values;
  for (const StateView<const T> view : {batch.q(), batch.velocity(), batch.acceleration()}) {
    const StateView<const T> part = view.part(batch.group(group));
    for (std::int64_t i = 0; i < part.rank; ++i) values.push_back(part(i, body));
  }
  return values;
}

template <class T>
void start_body(TestedBatch<T>& batch, int group, std::int64_t body, unsigned number) {
  const GroupRange range = batch.group(group);
  const auto rank = static_cast<int>(range.rank);
  set_body(batch.q().part(range), body, random_vector(rank, 4 * number, 0.3));
  set_body(batch.velocity().part(range), body, random_vector(rank, 4 * number + 1, 2));
  set_body(batch.acceleration().part(range), body, random_vector(rank, 4 * number + 2, 10));
  set_body(batch.force().part(range), body, random_vector(rank, 4 * number + 3, 20));
}

TYPED_TEST(BatchGroupsTest, LieOneAfterTheOther) {
  const TestedBatch<TypeParam> batch(three_groups());
  EXPECT_EQ(batch.group_count(), 3);
  EXPECT_EQ(batch.rank(), 9);
  EXPECT_EQ(batch.bodies(), 53);
  EXPECT_EQ(batch.options().bodies, 53);
  EXPECT_EQ(batch.group(1).first_body, 19);
  EXPECT_EQ(batch.group(1).bodies, 1);
  EXPECT_EQ(batch.group(2).first_body, 20);
  EXPECT_EQ(batch.group(2).rank, 9);
  EXPECT_EQ(batch.energy(1).rank, 2);
  const StateView<const TypeParam> part = batch.q().part(batch.group(2));
  EXPECT_EQ(part.data, &batch.q()(0, 20));
  EXPECT_EQ(part.rank, 9);
  EXPECT_EQ(part.bodies, 33);
  EXPECT_THROW((void)batch.group(3), InputError);
  EXPECT_THROW((void)batch.energy(-1), InputError);
}

TYPED_TEST(BatchGroupsTest, MoveAsTheyDoAlone) {
  const std::vector<BodyGroup> groups = three_groups();
  for (const Integrator integrator : all_integrators) {
    SCOPED_TRACE(static_cast<int>(integrator));
    TestedBatch<TypeParam> batch(groups, group_options(integrator));
    for (int g = 0; g < batch.group_count(); ++g)
      for (std::int64_t b = 0; b < batch.group(g).bodies; ++b)
        start_body(batch, g, b, static_cast<unsigned>(100 * g + b));
    batch.step(0.03, 3);
    const std::vector<double> elastic = batch.elastic_energy(), kinetic = batch.kinetic_energy();
    for (int g = 0; g < batch.group_count(); ++g) {
      const GroupRange range = batch.group(g);
      for (const std::int64_t b : {std::int64_t{0}, range.bodies - 1}) {
        TestedBatch<TypeParam> alone(groups[static_cast<std::size_t>(g)].energy, group_options(integrator));
        start_body(alone, 0, 0, static_cast<unsigned>(100 * g + b));
        alone.step(0.03, 3);
        EXPECT_EQ(state_of(batch, g, b), state_of(alone, 0, 0)) << "group " << g << ", body " << b;
        const auto index = static_cast<std::size_t>(range.first_body + b);
        EXPECT_EQ(elastic[index], alone.elastic_energy()[0]);
        EXPECT_EQ(kinetic[index], alone.kinetic_energy()[0]);
      }
    }
  }
}

TYPED_TEST(BatchGroupsTest, LeaveRowsBeyondTheirRankAlone) {
  TestedBatch<TypeParam> batch(three_groups(), group_options(Integrator::newmark));
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  for (const StateView<TypeParam> view : {batch.q(), batch.velocity(), batch.acceleration(), batch.force()})
    view(7, 3) = nan;  // body 3 is of rank 5
  batch.step(0.01);
  EXPECT_EQ(batch.status()[3], BodyStatus::ok);
  EXPECT_TRUE(std::isnan(batch.q()(7, 3)));
  EXPECT_EQ(batch.q()(0, 3), TypeParam{0});
  EXPECT_EQ(batch.elastic_energy()[3], 0);
  EXPECT_EQ(batch.kinetic_energy()[3], 0);
}

TYPED_TEST(BatchGroupsTest, RefuseNoneAndBadOnes) {
  EXPECT_THROW(TestedBatch<TypeParam>(std::vector<BodyGroup>{}), InputError);
  std::vector<BodyGroup> groups = three_groups();
  groups[1].bodies = 0;
  EXPECT_THROW(TestedBatch<TypeParam>{groups}, InputError);
  groups = three_groups();
  groups[2].energy.coefficients.pop_back();
  EXPECT_THROW(TestedBatch<TypeParam>{groups}, InputError);
}

TYPED_TEST(BatchGroupsTest, TakeAnotherEnergyWhileTheyMove) {
  const QuarticEnergy soft = random_squares(6, 5).energy(), stiff = random_squares(6, 6).energy();
  const std::vector<BodyGroup> groups = {{soft, 18}, {random_squares(3, 7).energy(), 5}};
  TestedBatch<TypeParam> batch(groups, group_options(Integrator::newmark));
  for (unsigned b = 0; b < 18; ++b) start_body(batch, 0, b, b);
  for (unsigned b = 0; b < 5; ++b) start_body(batch, 1, b, 50 + b);
  batch.step(0.02, 2);
  // From here on: body 11 in a batch that has had the stiff energy all along, and the second group undisturbed.
  TestedBatch<TypeParam> expected({{stiff, 1}, {groups[1].energy, 5}}, group_options(Integrator::newmark));
  const auto copy_bodies = [&](StateView<const TypeParam> from, StateView<TypeParam> to) {
    copy_state<TypeParam>(from.part({11, 1, 6}), to.part({0, 1, 6}));
    copy_state<TypeParam>(from.part(batch.group(1)), to.part(expected.group(1)));
  };
  copy_bodies(batch.q(), expected.q());
  copy_bodies(batch.velocity(), expected.velocity());
  copy_bodies(batch.acceleration(), expected.acceleration());
  copy_bodies(batch.force(), expected.force());
  batch.set_energy(stiff);
  EXPECT_EQ(batch.energy().coefficients, stiff.coefficients);
  batch.step(0.02, 2);
  expected.step(0.02, 2);
  EXPECT_EQ(state_of(batch, 0, 11), state_of(expected, 0, 0));
  for (int b = 0; b < 5; ++b) EXPECT_EQ(state_of(batch, 1, b), state_of(expected, 1, b));
  EXPECT_EQ(batch.elastic_energy()[11], expected.elastic_energy()[0]);
}

TYPED_TEST(BatchGroupsTest, KeepTheirEnergyIfTheNewOneIsBad) {
  const QuarticEnergy energy = random_squares(3, 5).energy();
  TestedBatch<TypeParam> batch(energy), untouched(energy);
  set_random_body(batch, 0, 1);
  set_random_body(untouched, 0, 1);
  QuarticEnergy not_finite = energy, short_one = energy;
  not_finite.coefficients.back() = std::nan("");
  short_one.coefficients.pop_back();
  EXPECT_THROW(batch.set_energy(random_squares(4, 5).energy()), InputError);
  EXPECT_THROW(batch.set_energy(not_finite), InputError);
  EXPECT_THROW(batch.set_energy(short_one), InputError);
  EXPECT_THROW(batch.set_energy(energy, 1), InputError);
  if (std::is_same_v<TypeParam, float>) {
    QuarticEnergy huge = energy;
    huge.coefficients.back() = 1e39;
    EXPECT_THROW(batch.set_energy(huge), InputError);
  }
  batch.step(0.01);
  untouched.step(0.01);
  EXPECT_EQ(full_state(batch, 0), full_state(untouched, 0));
}

}  // namespace
}  // namespace quartic
