// Evaluation::latency: bodies one by one, against independent steps and against tiles of them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/reference_comparison.hpp"
#include "support/reference_steps.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class LatencyTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(LatencyTest, Precisions);

BatchOptions latency_options(Integrator integrator, std::int64_t bodies = 1, int threads = 1) {
  return {.bodies = bodies,
          .integrator = integrator,
          .rayleigh_mass = 0.3,
          .rayleigh_stiffness = 0.001,
          .newton_iterations = 3,
          .newton_tolerance = 1e-4,
          .threads = threads,
          .evaluation = Evaluation::latency};
}

// Ranks around the length of vectors, 4 or 8, and around whole blocks of four pairs.
TYPED_TEST(LatencyTest, StepsMatchAnIndependentOne) {
  for (const int rank : {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 20, 31}) {
    SCOPED_TRACE(rank);
    const SumOfSquares squares = random_squares(rank, static_cast<unsigned>(rank));
    const QuarticEnergy energy = squares.energy();
    // Sums over up to (r+1)(r+2)/2 terms of mixed sign.
    const double tolerance = 20 * (2 + std::sqrt(rank)) * std::numeric_limits<TypeParam>::epsilon();
    for (const Integrator integrator : all_integrators)
      for (const int iterations : {1, 4})
        compare_with_reference<TypeParam>(
            squares, energy,
            {.integrator = integrator, .newton_iterations = iterations, .evaluation = Evaluation::latency}, tolerance);
  }
}

// Steps that are long against the periods, with much damping: there, the system matrix is K and not the inertia.
TYPED_TEST(LatencyTest, StiffStepsMatchAnIndependentOne) {
  for (const int rank : {5, 9}) {
    const SumOfSquares squares = random_squares(rank, static_cast<unsigned>(rank));
    const QuarticEnergy energy = squares.energy();
    for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
      Batch<TypeParam> batch(energy, {.integrator = Integrator::energy_conserving,
                                      .rayleigh_mass = 0.5,
                                      .rayleigh_stiffness = 1.5,
                                      .evaluation = evaluation});
      set_body(batch.q(), 0, random_vector(rank, 1, 0.05));
      set_body(batch.velocity(), 0, random_vector(rank, 2, 0.5));
      BodyState body{get_body<TypeParam>(batch.q(), 0), get_body<TypeParam>(batch.velocity(), 0),
                     get_body<TypeParam>(batch.acceleration(), 0)};
      const Eigen::VectorXd zero = Eigen::VectorXd::Zero(rank);
      for (int n = 0; n < 3; ++n) {
        batch.step(0.5);
        body = reference_step(squares, body, zero, 0.5, batch.options());
      }
      // Velocities reverse from step to step; their size and the condition of the system multiply the rounding.
      EXPECT_LE((get_body<TypeParam>(batch.q(), 0) - body.q).norm(),
                1000 * std::numeric_limits<TypeParam>::epsilon() * (body.q.norm() + 0.5 * body.v.norm()))
          << rank << ", " << static_cast<int>(evaluation);
      EXPECT_EQ(batch.status()[0], BodyStatus::ok);
    }
  }
}

TEST(LatencyTest, EnergyIsConservedToRoundOff) {
  const QuarticEnergy energy = random_squares(6, 13).energy();
  Batch<double> batch(energy, {.integrator = Integrator::energy_conserving, .evaluation = Evaluation::latency});
  set_body(batch.q(), 0, random_vector(6, 1, 1));
  set_body(batch.velocity(), 0, random_vector(6, 2, 10));
  const auto total = [&] { return batch.elastic_energy()[0] + batch.kinetic_energy()[0]; };
  const double start = total();
  for (int n = 0; n < 100; ++n) {
    batch.step(1.0, 50);
    ASSERT_NEAR(total(), start, 1e-11 * start);
  }
}

TEST(LatencyTest, LargeRankMatchesToo) {
  const SumOfSquares squares = random_squares(80, 80, 6);
  const QuarticEnergy energy = squares.energy();
  // As for tiles: sums over 3321 pairs of mixed sign.
  compare_with_reference<double>(squares, energy, {.evaluation = Evaluation::latency}, 5e-14);
  compare_with_reference<float>(squares, energy, {.evaluation = Evaluation::latency}, 2e-5);
}

TYPED_TEST(LatencyTest, PlaceCompanyAndThreadsDoNotMatter) {
  const QuarticEnergy energy = random_squares(7, 3).energy(), other = random_squares(10, 4).energy();
  for (const Integrator integrator : all_integrators) {
    Batch<TypeParam> alone(energy, latency_options(integrator));
    set_random_body(alone, 0, 77);
    alone.step(0.02, 2);
    alone.step(0.015);
    for (const std::int64_t place : {0, 3, 12}) {
      Batch<TypeParam> batch({{other, 5}, {energy, 13}}, latency_options(integrator, 1, 3));
      for (unsigned b = 0; b < 18; ++b) set_random_body(batch, b, b);
      const GroupRange one = {5 + place, 1, 7};
      const unsigned number = 4 * 77;
      set_body(batch.q().part(one), 0, random_vector(7, number, 0.3));
      set_body(batch.velocity().part(one), 0, random_vector(7, number + 1, 2));
      set_body(batch.acceleration().part(one), 0, random_vector(7, number + 2, 10));
      set_body(batch.force().part(one), 0, random_vector(7, number + 3, 20));
      batch.step(0.02, 2);
      batch.step(0.015);
      EXPECT_EQ(get_body<TypeParam>(batch.q().part(one), 0), get_body<TypeParam>(alone.q(), 0)) << place;
      EXPECT_EQ(get_body<TypeParam>(batch.velocity().part(one), 0), get_body<TypeParam>(alone.velocity(), 0)) << place;
    }
  }
}

// Both forms agree on which systems must be shifted, and on the result.
TYPED_TEST(LatencyTest, RegularisesWhatTilesDo) {
  const int rank = 5;
  const QuarticEnergy energy = random_squares(rank, 41).energy();
  constexpr std::int64_t bodies = 60;
  Batch<TypeParam> tiles(energy, {.bodies = bodies});
  Batch<TypeParam> single(energy, {.bodies = bodies, .evaluation = Evaluation::latency});
  for (Batch<TypeParam>* batch : {&tiles, &single})
    for (unsigned b = 0; b < bodies; ++b) {
      set_body(batch->q(), b, random_vector(rank, b, 0.05 * (b + 1)));
      set_body(batch->force(), b, random_vector(rank, 1000 + b, 5));
    }
  tiles.step(10);
  single.step(10);
  int regularised = 0;
  for (std::size_t b = 0; b < bodies; ++b) {
    EXPECT_EQ(tiles.status()[b], single.status()[b]) << b;
    regularised += single.status()[b] == BodyStatus::regularised ? 1 : 0;
    const auto body = static_cast<std::int64_t>(b);
    const Eigen::VectorXd expected = get_body<TypeParam>(tiles.q(), body);
    // Shifted matrices are near singular: the condition, up to 1e4 here, multiplies the rounding.
    EXPECT_LE((get_body<TypeParam>(single.q(), body) - expected).norm(),
              1e4 * std::numeric_limits<TypeParam>::epsilon() * expected.norm())
        << b;
  }
  EXPECT_GT(regularised, 3);
  EXPECT_LT(regularised, 55);
}

TYPED_TEST(LatencyTest, DivergedBodiesFreezeAndDisturbNobody) {
  const QuarticEnergy energy = random_squares(4, 43).energy();
  for (const Integrator integrator : all_integrators) {
    Batch<TypeParam> batch(energy, latency_options(integrator, 9, 2)), healthy(energy, latency_options(integrator, 9));
    for (unsigned b = 0; b < 9; ++b) {
      set_random_body(batch, b, b);
      set_random_body(healthy, b, b);
    }
    batch.force()(2, 6) = std::numeric_limits<TypeParam>::infinity();
    const std::vector<TypeParam> start = full_state(batch, 6);
    batch.step(0.02, 3);
    healthy.step(0.02, 3);
    EXPECT_EQ(batch.status()[6], BodyStatus::diverged);
    EXPECT_EQ(full_state(batch, 6), start);
    for (const std::int64_t b : {0, 5, 7, 8}) EXPECT_EQ(full_state(batch, b), full_state(healthy, b)) << b;
  }
}

TYPED_TEST(LatencyTest, HasDampingCurvesAndCheckpointsAsTilesDo) {
  const TemporaryFolder folder;
  const std::vector<BodyGroup> groups = {{random_squares(6, 5).energy(), 3}, {random_squares(3, 6).energy(), 2}};
  const LoadCurve curve = {.times = {0, 0.05, 0.05}, .scales = {0, 1, 2}};
  const std::vector<double> mass = {0, 1, 2, 3, 4}, stiffness = {0.004, 0.003, 0.002, 0.001, 0};
  const auto make = [&](Evaluation evaluation) {
    Batch<TypeParam> batch(groups, {.newton_iterations = 2, .evaluation = evaluation});
    batch.set_rayleigh_damping(mass, stiffness);
    batch.set_load_curves({{curve}}, std::vector<std::int32_t>{0, -1, 0, 0, -1});
    for (unsigned b = 0; b < 5; ++b) set_random_body(batch, b, b);
    return batch;
  };
  Batch<TypeParam> single = make(Evaluation::latency), tiles = make(Evaluation::strict);
  single.step(0.04, 4);
  tiles.step(0.04, 4);
  save_checkpoint(single, folder / "a.qstate");
  Batch<TypeParam> resumed(groups, {.newton_iterations = 2, .evaluation = Evaluation::latency});
  load_checkpoint(resumed, folder / "a.qstate");
  for (Batch<TypeParam>* batch : {&single, &tiles, &resumed}) batch->step(0.04, 4);
  for (int b = 0; b < 5; ++b) {
    EXPECT_EQ(full_state(single, b), full_state(resumed, b));
    const Eigen::VectorXd q = get_body<TypeParam>(tiles.q(), b);
    // Eight steps, each a few roundings of sums over 28 pairs.
    EXPECT_LE((get_body<TypeParam>(single.q(), b) - q).norm(),
              200 * std::numeric_limits<TypeParam>::epsilon() * q.norm());
  }
}

TYPED_TEST(LatencyTest, TakesAnotherEnergy) {
  const SumOfSquares soft = random_squares(6, 5), stiff = random_squares(6, 6);
  Batch<TypeParam> edited(soft.energy(), {.evaluation = Evaluation::latency});
  Batch<TypeParam> expected(stiff.energy(), {.evaluation = Evaluation::latency});
  set_random_body(edited, 0, 1);
  set_random_body(expected, 0, 1);
  edited.set_energy(stiff.energy());
  edited.step(0.01);
  expected.step(0.01);
  EXPECT_EQ(full_state(edited, 0), full_state(expected, 0));
}

TEST(LatencyTest, RefusesCoefficientsThatOverflowFloat) {
  EXPECT_THROW(Batch<float>(duffing(1, 1e39), {.evaluation = Evaluation::latency}), InputError);
}

}  // namespace
}  // namespace quartic
