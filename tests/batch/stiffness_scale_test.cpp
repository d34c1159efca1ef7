// What a body's stiffness is multiplied with, against a model whose energy has that factor. By powers of 4 all numbers
// of a step are scaled without rounding, so that the two have the same bits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/free_batches.hpp"
#include "support/random_moments.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class StiffnessScaleTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(StiffnessScaleTest, Precisions);

constexpr int scaled_rank = 5;
const std::vector<double> scales = {1, 4, 0.25, 16, 1, 0.0625, 4, 1, 4, 0.25, 1, 1, 16, 4, 1, 0.25, 4, 1};
const auto scaled_bodies = std::ssize(scales);

// As a model whose Young's moduli have the factor.
BodyGroup scaled(BodyGroup group, double factor) {
  group.bodies = 1;
  for (double& c : group.energy.coefficients) c *= factor;
  for (double& l : group.strain_form.factor) l *= std::sqrt(factor);
  return group;
}

template <class T>
void start(Batch<T>& batch, std::int64_t slot, unsigned number) {
  set_random_body(batch, slot, number);
  if (!batch.has_frame()) return;
  FreeState state;
  state.q = random_vector(scaled_rank, 3 * number, 0.3);
  state.rate = random_vector(scaled_rank, 3 * number + 1, 2);
  state.velocity = random_vector(3, 3 * number + 2, 1);
  state.spin = random_vector(3, 3 * number + 3, 4);
  set_state(batch, slot, state);
}

// Bodies of one batch with scales of their own, each against a batch of its own energy.
template <class T>
void expect_scaled_energies(BodyGroup group, BatchOptions options) {
  SCOPED_TRACE(std::string(integrator_name(options.integrator)) + " " +
               std::string(evaluation_name(options.evaluation)));
  options.rayleigh_mass = 0.5;
  options.rayleigh_stiffness = 0.002;
  group.bodies = scaled_bodies;
  TestedBatch<T> batch({group}, options);
  batch.set_stiffness_scale(scales);
  for (unsigned b = 0; b < scaled_bodies; ++b) start(batch, b, b);
  batch.step(0.02, 2);
  batch.step(0.01);
  const std::vector<double> energies = batch.elastic_energy();
  for (std::int64_t b = 0; b < scaled_bodies; ++b) {
    TestedBatch<T> alone({scaled(group, scales[static_cast<std::size_t>(b)])}, options);
    start(alone, 0, static_cast<unsigned>(b));
    alone.step(0.02, 2);
    alone.step(0.01);
    EXPECT_EQ(full_state(batch, b), full_state(alone, 0)) << b;
    EXPECT_EQ(energies[static_cast<std::size_t>(b)], alone.elastic_energy()[0]) << b;
  }
}

TYPED_TEST(StiffnessScaleTest, IsAFactorOfTheEnergy) {
  const SumOfSquares squares = random_squares(scaled_rank, 3, static_cast<int>(strain_count(scaled_rank)));
  for (const Integrator integrator : all_integrators)
    for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency, Evaluation::accurate})
      expect_scaled_energies<TypeParam>({.energy = squares.energy(), .strain_form = squares.strain_form()},
                                        {.integrator = integrator, .newton_iterations = 2, .evaluation = evaluation});
}

TYPED_TEST(StiffnessScaleTest, IsAFactorOfFreeBodiesEnergies) {
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler, Integrator::energy_conserving})
    for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency})
      expect_scaled_energies<TypeParam>(
          {.energy = random_squares(scaled_rank, 7).energy(), .frame = random_moments(scaled_rank, 5)},
          {.integrator = integrator, .newton_iterations = 2, .evaluation = evaluation});
}

// A factor that isn't a power of 2: rounding alone.
TYPED_TEST(StiffnessScaleTest, OtherFactorsAreRounded) {
  const QuarticEnergy energy = random_squares(scaled_rank, 3).energy();
  for (const Integrator integrator : all_integrators) {
    TestedBatch<TypeParam> batch(energy, {.integrator = integrator, .newton_iterations = 3});
    TestedBatch<TypeParam> alone({scaled({.energy = energy}, static_cast<double>(TypeParam{2.7F}))},
                                 {.integrator = integrator, .newton_iterations = 3});
    batch.set_stiffness_scale(std::vector{static_cast<double>(TypeParam{2.7F})});
    for (TestedBatch<TypeParam>* b : {&batch, &alone}) {
      set_random_body(*b, 0, 1);
      b->step(0.05, 5);
    }
    // Each step's rounding, and a factor 2 / (omega dt) for velocities.
    const double tolerance = 500 * double{std::numeric_limits<TypeParam>::epsilon()};
    EXPECT_LE(relative_difference<TypeParam>(batch.q(), alone.q()), tolerance);
    EXPECT_LE(relative_difference<TypeParam>(batch.velocity(), alone.velocity()), 5 * tolerance);
  }
}

// Beside bodies with scales, one whose scale is 1 has the bits that it has without any.
TYPED_TEST(StiffnessScaleTest, OneChangesNoBit) {
  const QuarticEnergy energy = random_squares(scaled_rank, 3).energy();
  for (const Integrator integrator : all_integrators) {
    TestedBatch<TypeParam> batch(energy, {.bodies = scaled_bodies, .integrator = integrator});
    TestedBatch<TypeParam> plain(energy, {.bodies = scaled_bodies, .integrator = integrator});
    batch.set_stiffness_scale(scales);
    for (TestedBatch<TypeParam>* b : {&batch, &plain}) {
      for (unsigned n = 0; n < scaled_bodies; ++n) set_random_body(*b, n, n);
      b->step(0.03, 3);
    }
    for (std::int64_t b = 0; b < scaled_bodies; ++b)
      EXPECT_EQ(full_state(batch, b) == full_state(plain, b), scales[static_cast<std::size_t>(b)] == 1) << b;
  }
}

TYPED_TEST(StiffnessScaleTest, BadScalesChangeNothing) {
  TestedBatch<TypeParam> batch(duffing(1, 1), {.bodies = 2});
  batch.set_stiffness_scale(std::vector{2.0, 3.0});
  for (const double value : {0.0, -1.0, std::nan(""), double{INFINITY}, 1e-320, 1e39}) {
    if (value == 1e39 && sizeof(TypeParam) == 8) continue;  // fits into double
    EXPECT_THROW(batch.set_stiffness_scale(std::vector{1.0, value}), InputError) << value;
  }
  EXPECT_THROW(batch.set_stiffness_scale(std::vector{1.0}), InputError);
  EXPECT_EQ(batch.stiffness_scale()[0], TypeParam{2});
  EXPECT_EQ(batch.stiffness_scale()[1], TypeParam{3});
}

}  // namespace
}  // namespace quartic
