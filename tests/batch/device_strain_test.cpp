// Evaluation::accurate on a device: forces from strains.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "quartic/checkpoint.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/statics.hpp"
#include "support/batch_states.hpp"
#include "support/dense.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

// As many squares as strains, so that no row of the form is zero.
BodyGroup sample_group(int rank, std::int64_t bodies, unsigned seed = 7) {
  const SumOfSquares squares = random_squares(rank, seed, static_cast<int>(strain_count(rank)));
  return {squares.energy(), bodies, squares.strain_form()};
}

template <class T>
class DeviceStrainTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
  [[nodiscard]] static BatchOptions options(Integrator integrator) {
    return {.integrator = integrator,
            .rayleigh_mass = 0.7,
            .rayleigh_stiffness = 0.002,
            .newton_iterations = 2,
            .evaluation = Evaluation::accurate,
            .backend = Backend::cuda};
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceStrainTest, Precisions);

// Ranks whose strains fill no block of rows, one, and some with the last one full or partly filled; sizes around a
// tile.
TYPED_TEST(DeviceStrainTest, AgreesWithTheCpuAndWithStrictSteps) {
  for (const auto& [rank, count] : {std::pair{1, 33}, {2, 1}, {3, 129}, {5, 33}, {8, 2}, {13, 33}, {29, 1}})
    for (const Integrator integrator : all_integrators) {
      if (rank > 8 && integrator != Integrator::newmark) continue;  // slow where it is emulated
      SCOPED_TRACE(std::to_string(rank) + ' ' + std::to_string(static_cast<int>(integrator)));
      const std::vector<BodyGroup> groups = {sample_group(rank, count)};
      BatchOptions options = this->options(integrator);
      Batch<TypeParam> cuda(groups, options);
      options.backend = Backend::cpu;
      Batch<TypeParam> cpu(groups, options);
      options.evaluation = Evaluation::strict;
      Batch<TypeParam> strict(groups, options);
      for (Batch<TypeParam>* batch : {&cuda, &cpu, &strict}) {
        for (unsigned b = 0; b < static_cast<unsigned>(count); ++b) set_random_body(*batch, b, b);
        batch->step(0.004, 2);
      }
      // As of strict steps: rounding of r^2 / 2 monomials, and 2 / (omega dt) for each time derivative.
      const double tolerance = 30.0 * (1 + rank) * double{std::numeric_limits<TypeParam>::epsilon()};
      for (const Batch<TypeParam>* other : {&cpu, &strict}) {
        EXPECT_LE(relative_difference(std::as_const(cuda).q(), other->q()), tolerance);
        EXPECT_LE(relative_difference(std::as_const(cuda).velocity(), other->velocity()), 5 * tolerance);
        EXPECT_LE(relative_difference(std::as_const(cuda).acceleration(), other->acceleration()), 30 * tolerance);
      }
      EXPECT_EQ(cuda.status()[0], BodyStatus::ok);
    }
}

// Alone, and as the last but one of a tile beside a tile of another model, with a load curve and frozen neighbours.
TYPED_TEST(DeviceStrainTest, PlaceAndCompanyDoNotMatter) {
  const BodyGroup group = sample_group(6, 1), other = sample_group(9, 3, 5);
  const LoadCurve ramp = {.times = {0, 0.01}, .scales = {0, 1}};
  for (const Integrator integrator : all_integrators) {
    const auto run = [&](std::vector<BodyGroup> groups, int which, std::int64_t place) {
      groups[static_cast<std::size_t>(which)].strain_form = group.strain_form;
      Batch<TypeParam> batch(groups, this->options(integrator));
      for (unsigned b = 0; b < batch.bodies(); ++b) set_random_body(batch, b, b);
      GroupRange one = batch.group(which);
      one.first_body += place, one.bodies = 1;
      const StateView<TypeParam> arrays[] = {batch.q(), batch.velocity(), batch.acceleration(), batch.force()};
      const double scales[] = {0.3, 2, 10, 20};
      for (unsigned k = 0; k < 4; ++k) set_body(arrays[k].part(one), 0, random_vector(6, 900 + k, scales[k]));
      batch.set_load_curves({{ramp}}, std::vector<std::int32_t>(static_cast<std::size_t>(batch.bodies()), 0));
      std::vector<BodyStatus> status(static_cast<std::size_t>(batch.bodies()), BodyStatus::ok);
      if (batch.bodies() > 1) status.back() = BodyStatus::diverged;
      batch.set_status(status);
      for (int n = 0; n < 3; ++n) batch.step(0.004, 1 + n / 2);
      std::vector<TypeParam> state;
      for (const StateView<const TypeParam> view :
           {std::as_const(batch).q(), std::as_const(batch).velocity(), std::as_const(batch).acceleration()})
        for (std::int64_t i = 0; i < 6; ++i) state.push_back(view(i, one.first_body));
      return state;
    };
    const std::vector<TypeParam> alone = run({group}, 0, 0);
    EXPECT_EQ(run({{group.energy, 130, group.strain_form}}, 0, 128), alone);
    EXPECT_EQ(run({other, {group.energy, 5, {}}}, 1, 3), alone);
  }
}

// Beside groups whose forces come from coefficients, in each way that those are stepped.
TYPED_TEST(DeviceStrainTest, GroupsOfAMixedBatchMoveAsTheyDoAlone) {
  const BodyGroup strains = sample_group(4, 3), more_strains = sample_group(3, 2, 5);
  const BodyGroup groups[] = {{.energy = sample_group(3, 1).energy, .bodies = 5},
                              {.bodies = 3, .force_model = ForceModel(strains.energy, strains.strain_form)},
                              {.energy = sample_group(5, 1).energy, .bodies = 2},
                              {.bodies = 2, .force_model = ForceModel(more_strains.energy, more_strains.strain_form)}};
  const auto run = [](std::span<const BodyGroup> some, const BatchOptions& options, unsigned first_group) {
    Batch<TypeParam> batch(std::vector<BodyGroup>(some.begin(), some.end()), options);
    for (int g = 0; g < batch.group_count(); ++g) {
      const GroupRange range = batch.group(g);
      for (unsigned b = 0; b < range.bodies; ++b) {
        const unsigned number = 3 * (10 * (first_group + static_cast<unsigned>(g)) + b);
        const auto rank = static_cast<int>(range.rank);
        set_body(batch.q().part(range), b, random_vector(rank, number, 0.3));
        set_body(batch.velocity().part(range), b, random_vector(rank, number + 1, 2));
        set_body(batch.force().part(range), b, random_vector(rank, number + 2, 20));
      }
    }
    for (int n = 0; n < 2; ++n) batch.step(0.004, 2);
    std::vector<std::vector<TypeParam>> states;
    for (int g = 0; g < batch.group_count(); ++g) {
      const GroupRange range = batch.group(g);
      states.emplace_back();
      for (const StateView<const TypeParam> view :
           {std::as_const(batch).q(), std::as_const(batch).velocity(), std::as_const(batch).acceleration()})
        for (std::int64_t i = 0; i < range.rank; ++i)
          for (std::int64_t b = 0; b < range.bodies; ++b) states.back().push_back(view.part(range)(i, b));
    }
    return states;
  };
  for (const char* fused : {"0", "1"}) {
    ASSERT_EQ(setenv("QUARTIC_CUDA_FUSED", fused, 1), 0);
    for (const Evaluation evaluation :
         {Evaluation::strict, Evaluation::latency, Evaluation::accurate, Evaluation::tensor})
      for (const Integrator integrator : {Integrator::newmark, Integrator::energy_conserving}) {
        BatchOptions options = this->options(integrator);
        options.evaluation = evaluation;
        std::vector<BodyGroup> mixed(std::begin(groups), std::end(groups));
        for (BodyGroup& group : mixed)  // an energy alone, also with Evaluation::accurate
          if (!group.force_model) group.force_model = ForceModel(std::exchange(group.energy, {}));
        const auto together = run(mixed, options, 0);
        for (unsigned g = 0; g < mixed.size(); ++g)
          EXPECT_EQ(together[g], run(std::span(mixed).subspan(g, 1), options, g)[0])
              << fused << ' ' << evaluation_name(evaluation) << ' ' << static_cast<int>(integrator) << ' ' << g;
      }
  }
  unsetenv("QUARTIC_CUDA_FUSED");
}

TYPED_TEST(DeviceStrainTest, AnotherStrainFormMovesAsInAFreshBatch) {
  const BodyGroup before = sample_group(5, 3), after = sample_group(5, 3, 8);
  const BatchOptions options = this->options(Integrator::newmark);
  Batch<TypeParam> batch({before}, options), fresh({after}, options);
  batch.step(0.004);
  batch.set_force_model({after.energy, after.strain_form});
  for (Batch<TypeParam>* one : {&batch, &fresh})
    for (unsigned b = 0; b < 3; ++b) set_random_body(*one, b, b);
  batch.step(0.004);
  fresh.step(0.004);
  for (std::int64_t b = 0; b < 3; ++b) EXPECT_EQ(full_state(batch, b), full_state(fresh, b));
  EXPECT_EQ(batch.elastic_energy(), fresh.elastic_energy());
}

TYPED_TEST(DeviceStrainTest, ResumesFromACheckpoint) {
  const TemporaryFolder folder;
  const std::vector<BodyGroup> groups = {sample_group(4, 3)};
  Batch<TypeParam> batch(groups, this->options(Integrator::newmark)), resumed(groups, batch.options());
  for (unsigned b = 0; b < 3; ++b) set_random_body(batch, b, b);
  batch.step(0.01);
  save_checkpoint(batch, folder / "a.qstate");
  load_checkpoint(resumed, folder / "a.qstate");
  batch.step(0.01);
  resumed.step(0.01);
  EXPECT_EQ(full_state(resumed, 2), full_state(batch, 2));
  EXPECT_THROW(batch.set_energy(groups[0].energy), InputError);
  EXPECT_THROW(Batch<TypeParam>(groups[0].energy, batch.options()), InputError);
}

// A slender beam that a load bends far: how far rounded forces would move it, in float, on both backends. A step of
// central differences from rest, so short that the body stays where it is, leaves -R in the acceleration.
TEST(DeviceStrainAccuracyTest, ForcesOfABentBeamLoseAsLittleAsOnTheCpu) {
  if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  const ProceduralMesh beam =
      make_box({.length = 1, .width = 0.02, .height = 0.02, .cells_x = 40, .cells_y = 1, .cells_z = 1});
  const ReducedModel model = reduce(beam.mesh, beam.fixed_vertices, {.modes = 8, .rank = 20});
  const std::vector<BodyGroup> groups = {{model.energy, 1, reduce_strains(model.mesh, model.basis.map())}};
  std::vector<double> load, q;
  for (int i = 0; i < model.rank(); ++i) load.push_back(-4 * model.unit_acceleration(i, 2));
  for (const double x : reduced_equilibrium(model.energy, load).solution) q.push_back(static_cast<float>(x));
  const ReducedForces exact = evaluate(groups[0].strain_form, q);
  const Eigen::Map<const Eigen::VectorXd> place(q.data(), model.rank());
  const auto error_of = [&](Evaluation evaluation, Backend backend) {
    Batch<float> batch(groups,
                       {.integrator = Integrator::central_differences, .evaluation = evaluation, .backend = backend});
    set_body(batch.q(), 0, place);
    batch.step(1e-15);
    EXPECT_LT((get_body<float>(batch.q(), 0) - place).norm(),
              1e-30);  // what is zero by symmetry moves by round-off h^2
    const Eigen::VectorXd force = -get_body<float>(batch.acceleration(), 0);
    const Eigen::Map<const Eigen::VectorXd> expected(exact.force.data(), model.rank());
    return solve(exact.stiffness.map(), force - expected).norm() / place.norm();
  };
  const double accurate = error_of(Evaluation::accurate, Backend::cuda);
  EXPECT_LT(accurate, 1e-6);  // some roundings of float
  EXPECT_LT(accurate, 3 * error_of(Evaluation::accurate, Backend::cpu));
  EXPECT_GT(error_of(Evaluation::strict, Backend::cuda), 10 * accurate);
}

}  // namespace
}  // namespace quartic
