// Force models of groups: batches that mix them, and other ones for bodies on the move.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class ForceModelTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ForceModelTest, Precisions);

ForceModel with_strains(int rank, unsigned seed) {
  const SumOfSquares squares = random_squares(rank, seed);
  return {squares.energy(), squares.strain_form()};
}

BatchOptions strain_options(Integrator integrator, Evaluation evaluation) {
  return {.integrator = integrator,
          .rayleigh_mass = 0.3,
          .rayleigh_stiffness = 0.001,
          .newton_iterations = 2,
          .threads = 2,
          .evaluation = evaluation};
}

// Starts all bodies of a group; the numbers depend on `seed` and the body's place in the group.
template <class T>
void start_group(Batch<T>& batch, int group, unsigned seed) {
  const GroupRange range = batch.group(group);
  const auto rank = static_cast<int>(range.rank);
  for (std::int64_t body = 0; body < range.bodies; ++body) {
    const unsigned number = 4 * (100 * seed + static_cast<unsigned>(body));
    set_body(batch.q().part(range), body, random_vector(rank, number, 0.3));
    set_body(batch.velocity().part(range), body, random_vector(rank, number + 1, 2));
    set_body(batch.acceleration().part(range), body, random_vector(rank, number + 2, 10));
    set_body(batch.force().part(range), body, random_vector(rank, number + 3, 20));
  }
}

// q, velocity and acceleration of all bodies of a group.
template <class T>
std::vector<T> state_of(const Batch<T>& batch, int group) {
  std::vector<T> values;
  const GroupRange range = batch.group(group);
  for (const StateView<const T> view : {batch.q(), batch.velocity(), batch.acceleration()})
    for (std::int64_t body = 0; body < range.bodies; ++body)
      for (std::int64_t i = 0; i < range.rank; ++i) values.push_back(view.part(range)(i, body));
  return values;
}

std::vector<double> part(const std::vector<double>& values, const GroupRange& range) {
  return {values.begin() + range.first_body, values.begin() + range.first_body + range.bodies};
}

TYPED_TEST(ForceModelTest, GroupsOfAMixedBatchMoveAsTheyDoAlone) {
  const std::vector<ForceModel> models = {random_squares(5, 1).energy(), with_strains(4, 2),
                                          random_squares(9, 3).energy(), with_strains(7, 4)};
  const std::vector<std::int64_t> bodies = {19, 18, 3, 1};
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency})
    for (const Integrator integrator : all_integrators) {
      SCOPED_TRACE(testing::Message() << evaluation_name(evaluation) << ", " << static_cast<int>(integrator));
      std::vector<BodyGroup> groups;
      for (std::size_t g = 0; g < models.size(); ++g) groups.push_back({.bodies = bodies[g], .force_model = models[g]});
      TestedBatch<TypeParam> mixed(groups, strain_options(integrator, evaluation));
      for (int g = 0; g < mixed.group_count(); ++g) start_group(mixed, g, static_cast<unsigned>(g));
      mixed.step(0.03, 3);
      for (int g = 0; g < mixed.group_count(); ++g) {
        const ForceModel& model = models[static_cast<std::size_t>(g)];
        // Strain forms as they are in batches that have nothing else.
        TestedBatch<TypeParam> alone(
            {{model.energy, mixed.group(g).bodies, model.strain_form}},
            strain_options(integrator, model.has_strain_form() ? Evaluation::accurate : evaluation));
        start_group(alone, 0, static_cast<unsigned>(g));
        alone.step(0.03, 3);
        EXPECT_EQ(state_of(mixed, g), state_of(alone, 0)) << g;
        EXPECT_EQ(part(mixed.elastic_energy(), mixed.group(g)), alone.elastic_energy());
        EXPECT_EQ(part(mixed.kinetic_energy(), mixed.group(g)), alone.kinetic_energy());
      }
    }
}

// Otherwise the tests above and below could say nothing.
TYPED_TEST(ForceModelTest, StrainsGiveOtherLastBitsThanCoefficients) {
  const ForceModel model = with_strains(6, 5);
  TestedBatch<TypeParam> strains({{.bodies = 4, .force_model = model}}), coefficients({{model.energy, 4}});
  for (Batch<TypeParam>* batch : {&strains, &coefficients}) {
    start_group(*batch, 0, 0);
    batch->step(0.01);
  }
  EXPECT_TRUE(strains.force_model().has_strain_form());
  EXPECT_FALSE(coefficients.force_model().has_strain_form());
  EXPECT_NE(state_of(strains, 0), state_of(coefficients, 0));
  // Equal but for rounding.
  EXPECT_LT(relative_difference<TypeParam>(strains.q(), coefficients.q()), 1e-4);
}

// A strain form without Evaluation::accurate, and not as the force model: ignored, as it has always been.
TYPED_TEST(ForceModelTest, StrainFormsBesideTheEnergyAreForAccurateAlone) {
  const ForceModel model = with_strains(4, 5);
  TestedBatch<TypeParam> with({{model.energy, 4, model.strain_form}}), without({{model.energy, 4}});
  for (Batch<TypeParam>* batch : {&with, &without}) {
    start_group(*batch, 0, 0);
    batch->step(0.01);
  }
  EXPECT_EQ(state_of(with, 0), state_of(without, 0));
}

TYPED_TEST(ForceModelTest, AnotherModelMovesAsInAFreshBatch) {
  const ForceModel soft = with_strains(6, 5), stiff = with_strains(6, 6), other = random_squares(3, 7).energy();
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency, Evaluation::accurate})
    for (const Integrator integrator : all_integrators) {
      const BatchOptions options = strain_options(integrator, evaluation);
      TestedBatch<TypeParam> batch({{.bodies = 18, .force_model = soft}, {.bodies = 2, .force_model = other}}, options);
      TestedBatch<TypeParam> fresh({{.bodies = 18, .force_model = stiff}, {.bodies = 2, .force_model = other}},
                                   options);
      for (int g : {0, 1}) start_group(batch, g, static_cast<unsigned>(g));
      batch.step(0.02, 2);
      const auto copy = [](StateView<const TypeParam> from, StateView<TypeParam> to) { copy_state(from, to); };
      copy(std::as_const(batch).q(), fresh.q());
      copy(std::as_const(batch).velocity(), fresh.velocity());
      copy(std::as_const(batch).acceleration(), fresh.acceleration());
      copy(std::as_const(batch).force(), fresh.force());
      batch.set_force_model(stiff);
      EXPECT_EQ(batch.energy().coefficients, stiff.energy.coefficients);
      EXPECT_EQ(batch.force_model().strain_form.factor, stiff.strain_form.factor);
      batch.step(0.02, 2);
      fresh.step(0.02, 2);
      for (int g : {0, 1}) EXPECT_EQ(state_of(batch, g), state_of(fresh, g)) << g;
      EXPECT_EQ(batch.elastic_energy(), fresh.elastic_energy());
    }
}

TYPED_TEST(ForceModelTest, IsKeptIfTheNewOneIsBad) {
  const ForceModel model = with_strains(3, 5), other = with_strains(3, 6);
  const std::vector<BodyGroup> groups = {{.bodies = 2, .force_model = model}, {model.energy, 2}};
  TestedBatch<TypeParam> batch(groups), untouched(groups);
  EXPECT_THROW(batch.set_energy(other.energy), InputError);                            // the strain form is missing
  EXPECT_THROW(batch.set_force_model(other, 1), InputError);                           // or too much
  EXPECT_THROW(batch.set_force_model({other.energy, model.strain_form}), InputError);  // of another energy
  EXPECT_THROW(batch.set_force_model(with_strains(4, 6)), InputError);                 // of another rank
  EXPECT_THROW(batch.set_force_model({other.energy, {.rank = 3}}), InputError);        // without numbers
  EXPECT_THROW(batch.set_force_model(other, 2), InputError);                           // no such group
  EXPECT_EQ(batch.energy(0).coefficients, model.energy.coefficients);
  for (Batch<TypeParam>* one : {&batch, &untouched}) {
    for (int g : {0, 1}) start_group(*one, g, static_cast<unsigned>(g));
    one->step(0.01);
  }
  for (int g : {0, 1}) EXPECT_EQ(state_of(batch, g), state_of(untouched, g));
}

TYPED_TEST(ForceModelTest, GroupsSayOnceWhatTheyAreMadeOf) {
  const ForceModel model = with_strains(3, 5);
  const auto refused = [](BodyGroup group) { EXPECT_THROW(TestedBatch<TypeParam>({std::move(group)}), InputError); };
  refused({.energy = model.energy, .force_model = model});
  refused({.strain_form = model.strain_form, .force_model = model});
  refused({.force_model = ForceModel(model.energy, with_strains(3, 6).strain_form)});
  refused({});
}

}  // namespace
}  // namespace quartic
