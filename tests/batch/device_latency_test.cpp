// Evaluation::latency on a device: bodies one by one, by blocks that share the coefficients.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "quartic/checkpoint.hpp"
#include "quartic/cuda.hpp"
#include "support/batch_states.hpp"
#include "support/device_memory.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class DeviceLatencyTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
  [[nodiscard]] static BatchOptions options(Integrator integrator, Evaluation evaluation = Evaluation::latency) {
    return {.integrator = integrator,
            .rayleigh_mass = 0.7,
            .rayleigh_stiffness = 0.002,
            .newton_iterations = 2,
            .evaluation = evaluation,
            .backend = Backend::cuda};
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceLatencyTest, Precisions);

// Ranks of one panel, of some, and of one block (up to 16), of a cluster (from 20 on).
TYPED_TEST(DeviceLatencyTest, AgreesWithTheCpu) {
  for (const auto& [rank, count] : {std::pair{1, 3}, {2, 1}, {4, 2}, {5, 2}, {9, 1}, {13, 1}, {20, 2}, {31, 1}})
    for (const Integrator integrator : all_integrators) {
      if (rank > 20 && integrator != Integrator::newmark) continue;  // slow where it is emulated
      SCOPED_TRACE(std::to_string(rank) + ' ' + std::to_string(static_cast<int>(integrator)));
      const QuarticEnergy energy = random_squares(rank, 7).energy();
      BatchOptions options = this->options(integrator);
      options.bodies = count;
      Batch<TypeParam> cuda(energy, options);
      options.backend = Backend::cpu;
      Batch<TypeParam> cpu(energy, options);
      for (Batch<TypeParam>* batch : {&cuda, &cpu}) {
        for (unsigned b = 0; b < static_cast<unsigned>(count); ++b) set_random_body(*batch, b, b);
        batch->step(0.02, 2);
      }
      // As of strict steps: rounding of r^2 / 2 monomials, and 2 / (omega dt) for each time derivative.
      const double tolerance = 30.0 * (1 + rank) * double{std::numeric_limits<TypeParam>::epsilon()};
      EXPECT_LE(relative_difference(std::as_const(cuda).q(), std::as_const(cpu).q()), tolerance);
      EXPECT_LE(relative_difference(std::as_const(cuda).velocity(), std::as_const(cpu).velocity()), 5 * tolerance);
      EXPECT_LE(relative_difference(std::as_const(cuda).acceleration(), std::as_const(cpu).acceleration()),
                30 * tolerance);
      EXPECT_EQ(cuda.time(), cpu.time());
    }
}

// Alone, and among others with frozen neighbours and another model; by single steps, and in a stream.
TYPED_TEST(DeviceLatencyTest, PlaceAndCompanyDoNotMatter) {
  for (const int rank : {6, 20}) {
    const QuarticEnergy energy = random_squares(rank, 3).energy(), other = random_squares(9, 5).energy();
    const LoadCurve ramp = {.times = {0, 0.01}, .scales = {0, 1}};
    const auto make = [&](const std::vector<BodyGroup>& groups, int which, std::int64_t place) {
      Batch<TypeParam> batch(groups, this->options(Integrator::newmark));
      for (unsigned b = 0; b < batch.bodies(); ++b) set_random_body(batch, b, b);
      GroupRange one = batch.group(which);
      one.first_body += place, one.bodies = 1;
      const StateView<TypeParam> arrays[] = {batch.q(), batch.velocity(), batch.acceleration(), batch.force()};
      const double scales[] = {0.3, 2, 10, 20};
      for (unsigned k = 0; k < 4; ++k) set_body(arrays[k].part(one), 0, random_vector(rank, 900 + k, scales[k]));
      batch.set_load_curves({{ramp}}, std::vector<std::int32_t>(static_cast<std::size_t>(batch.bodies()), 0));
      std::vector<BodyStatus> status(static_cast<std::size_t>(batch.bodies()), BodyStatus::ok);
      if (batch.bodies() > 1) status.back() = BodyStatus::diverged;
      batch.set_status(status);
      return batch;
    };
    const auto state = [&](const Batch<TypeParam>& batch, std::int64_t body) {
      std::vector<TypeParam> values;
      for (const StateView<const TypeParam> view : {batch.q(), batch.velocity(), batch.acceleration()})
        for (std::int64_t i = 0; i < rank; ++i) values.push_back(view(i, body));
      return values;
    };
    Batch<TypeParam> alone = make({{energy, 1, {}}}, 0, 0), crowd = make({{other, 2, {}}, {energy, 4, {}}}, 1, 2);
    const TestStream stream;
    cuda::send(crowd, stream);
    for (int n = 0; n < 3; ++n) {
      alone.step(0.004, 2);
      cuda::step(crowd, 0.004, 2, stream);
    }
    cuda::fetch(crowd, stream);
    stream.synchronize();
    EXPECT_EQ(state(crowd, 4), state(alone, 0));
    EXPECT_EQ(crowd.status()[5], BodyStatus::diverged);
  }
}

// Which systems are shifted, and by how much, is the same as in tiles.
TYPED_TEST(DeviceLatencyTest, RegularisesWhatTilesDo) {
  const QuarticEnergy energy = random_squares(5, 41).energy();
  constexpr std::int64_t bodies = 60;
  BatchOptions options{.bodies = bodies, .backend = Backend::cuda};
  Batch<TypeParam> tiles(energy, options);
  options.evaluation = Evaluation::latency;
  Batch<TypeParam> single(energy, options);
  for (Batch<TypeParam>* batch : {&tiles, &single}) {
    for (unsigned b = 0; b < bodies; ++b) {
      set_body(batch->q(), b, random_vector(5, b, 0.05 * (b + 1)));
      set_body(batch->force(), b, random_vector(5, 1000 + b, 5));
    }
    batch->step(10);
  }
  int regularised = 0;
  for (std::int64_t b = 0; b < bodies; ++b) {
    const auto n = static_cast<std::size_t>(b);
    EXPECT_EQ(tiles.status()[n], single.status()[n]) << b;
    regularised += single.status()[n] == BodyStatus::regularised ? 1 : 0;
    const Eigen::VectorXd expected = get_body<TypeParam>(tiles.q(), b);
    // Shifted matrices are near singular: the condition, up to 1e4 here, multiplies the rounding.
    EXPECT_LE((get_body<TypeParam>(single.q(), b) - expected).norm(),
              1e4 * double{std::numeric_limits<TypeParam>::epsilon()} * expected.norm())
        << b;
  }
  EXPECT_GT(regularised, 3);
  EXPECT_LT(regularised, 55);
}

TYPED_TEST(DeviceLatencyTest, DivergedBodiesFreezeAndDisturbNobody) {
  for (const int rank : {4, 20})
    for (const Integrator integrator : all_integrators) {
      BatchOptions options = this->options(integrator);
      options.bodies = 2, options.newton_tolerance = 1e-4;
      const QuarticEnergy energy = random_squares(rank, 43).energy();
      Batch<TypeParam> batch(energy, options), healthy(energy, options);
      for (unsigned b = 0; b < 2; ++b) set_random_body(batch, b, b), set_random_body(healthy, b, b);
      batch.force()(2, 1) = std::numeric_limits<TypeParam>::infinity();
      const std::vector<TypeParam> start = full_state(batch, 1);
      batch.step(0.02, 2);
      healthy.step(0.02, 2);
      EXPECT_EQ(batch.status()[1], BodyStatus::diverged);
      EXPECT_EQ(full_state(batch, 1), start);
      EXPECT_EQ(full_state(batch, 0), full_state(healthy, 0));
    }
}

// Another energy, and a checkpoint.
TYPED_TEST(DeviceLatencyTest, GoesOnAsTheCpuDoes) {
  const TemporaryFolder folder;
  const QuarticEnergy energy = random_squares(6, 3).energy(), harder = random_squares(6, 11).energy();
  BatchOptions options = this->options(Integrator::backward_euler);
  Batch<TypeParam> batch(energy, options), resumed(harder, options);
  options.backend = Backend::cpu;
  Batch<TypeParam> cpu(energy, options);
  for (Batch<TypeParam>* b : {&batch, &cpu}) {
    set_random_body(*b, 0, 5);
    b->step(0.01, 2);
    b->set_energy(harder);
    b->step(0.01);
  }
  save_checkpoint(batch, folder / "a.qstate");
  load_checkpoint(resumed, folder / "a.qstate");
  for (Batch<TypeParam>* b : {&batch, &cpu, &resumed}) b->step(0.01);
  EXPECT_EQ(full_state(resumed, 0), full_state(batch, 0));
  EXPECT_LE(relative_difference(std::as_const(batch).q(), std::as_const(cpu).q()),
            200 * double{std::numeric_limits<TypeParam>::epsilon()});
}

}  // namespace
}  // namespace quartic
