// Evaluation::tensor: H on tensor cores, against the CPU and against itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class DeviceTensorTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
  [[nodiscard]] static BatchOptions on_tensor_cores(BatchOptions options = {}) {
    options.backend = Backend::cuda;
    options.evaluation = Evaluation::tensor;
    return options;
  }
  // Largest difference of a body's entry, relative to the largest entry of any.
  static double error(StateView<const T> a, StateView<const double> expected) {
    double worst = 0, largest = 0;  // an acceleration may pass through zero
    for (std::int64_t b = 0; b < a.bodies; ++b) {
      worst = std::max(worst, (get_body(a, b) - get_body(expected, b)).template lpNorm<Eigen::Infinity>());
      largest = std::max(largest, get_body(expected, b).template lpNorm<Eigen::Infinity>());
    }
    return worst / largest;
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceTensorTest, Precisions);

// Ranks on both sides of what a warp sums, bodies on both sides of a tile; in `double` on the CPU.
TYPED_TEST(DeviceTensorTest, AgreesWithTheCpu) {
  const auto compare = [](int rank, Integrator integrator, std::int64_t bodies) {
    const QuarticEnergy squares = random_squares(rank, 7).energy();
    const BatchOptions options{.bodies = bodies,
                               .integrator = integrator,
                               .rayleigh_mass = 0.7,
                               .rayleigh_stiffness = 0.002,
                               .newton_iterations = 2};
    Batch<double> cpu(squares, options);
    Batch<TypeParam> cuda(squares, TestFixture::on_tensor_cores(options));
    for (unsigned b = 0; b < bodies; ++b) set_random_body(cpu, b, b), set_random_body(cuda, b, b);
    cpu.step(0.02, 2);
    cuda.step(0.02, 2);
    // As for the other kernels: rounding of r^2 / 2 monomials, and 2 / (omega dt) for each time derivative. A number as
    // three of 8 bits is one of 24.
    const double tolerance = 30.0 * (1 + rank) * double{std::numeric_limits<TypeParam>::epsilon()};
    const auto error = [](StateView<TypeParam> a, StateView<double> b) {
      return TestFixture::error({a.data, a.rank, a.bodies, a.stride_mode, a.stride_body},
                                {b.data, b.rank, b.bodies, b.stride_mode, b.stride_body});
    };
    EXPECT_LE(error(cuda.q(), cpu.q()), tolerance) << rank << ' ' << bodies;
    EXPECT_LE(error(cuda.velocity(), cpu.velocity()), 5 * tolerance) << rank << ' ' << bodies;
    EXPECT_LE(error(cuda.acceleration(), cpu.acceleration()), 30 * tolerance) << rank << ' ' << bodies;
  };
  for (const int rank : {1, 3, 12})
    for (const Integrator integrator : all_integrators) compare(rank, integrator, 33);
  for (const std::int64_t bodies : {1, 129}) compare(6, Integrator::newmark, bodies);
  for (const int rank : {20, 31}) compare(rank, Integrator::newmark, 5);
}

TYPED_TEST(DeviceTensorTest, PlaceAndCompanyDoNotMatter) {
  const QuarticEnergy energy = random_squares(7, 3).energy(), other = random_squares(13, 4).energy();
  for (const Integrator integrator : {Integrator::newmark, Integrator::energy_conserving}) {
    const auto run = [&](std::int64_t bodies, std::int64_t place, std::int64_t others) {
      std::vector<BodyGroup> groups{{energy, bodies}};
      if (others > 0) groups.insert(groups.begin(), {other, others});
      Batch<TypeParam> batch(groups, TestFixture::on_tensor_cores({.integrator = integrator, .newton_iterations = 2}));
      const GroupRange group = batch.group(static_cast<int>(groups.size()) - 1);
      const auto set = [&](std::int64_t b, unsigned number) {
        set_body(batch.q().part(group), b, random_vector(7, 2 * number, 0.3));
        set_body(batch.force().part(group), b, random_vector(7, 2 * number + 1, 20));
      };
      for (std::int64_t b = 0; b < bodies; ++b) set(b, static_cast<unsigned>(b));
      set(place, 12345);
      batch.step(0.02, 2);
      batch.step(0.015);
      std::vector<TypeParam> state;
      for (const StateView<TypeParam> view : {batch.q(), batch.velocity(), batch.acceleration()})
        for (int i = 0; i < 7; ++i) state.push_back(view.part(group)(i, place));
      return state;
    };
    const std::vector<TypeParam> alone = run(1, 0, 0);
    for (const std::int64_t place : {0, 63, 128}) EXPECT_EQ(run(129, place, 0), alone) << place;
    EXPECT_EQ(run(33, 17, 5), alone) << "beside another model";
  }
}

// Against our other kernel: a graph of two models with load curves, and another energy under way.
TYPED_TEST(DeviceTensorTest, ModelsAndEnergiesMayDiffer) {
  const auto run = [&](Evaluation evaluation) {
    BatchOptions options = TestFixture::on_tensor_cores();
    options.evaluation = evaluation;
    Batch<TypeParam> batch({{random_squares(5, 3).energy(), 130}, {random_squares(9, 4).energy(), 7}}, options);
    for (int g = 0; g < 2; ++g) {
      const GroupRange group = batch.group(g);
      for (std::int64_t b = 0; b < group.bodies; ++b)
        set_body(batch.force().part(group), b, random_vector(static_cast<int>(group.rank), 7, 20));
    }
    batch.set_load_curves({{{.times = {0, 0.03}, .scales = {0, 1}}}}, std::vector<std::int32_t>(137, 0));
    for (int n = 0; n < 3; ++n) batch.step(0.02, 2);
    batch.set_energy(random_squares(5, 11).energy(), 0);
    batch.step(0.02, 2);
    std::vector<double> values;
    for (const std::int64_t body : {0, 129, 130, 136})
      for (std::int64_t i = 0; i < 5; ++i) values.push_back(static_cast<double>(std::as_const(batch).q()(i, body)));
    return values;
  };
  const std::vector<double> strict = run(Evaluation::strict), tensor = run(Evaluation::tensor);
  const double largest = std::abs(
      *std::max_element(strict.begin(), strict.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
  for (std::size_t n = 0; n < strict.size(); ++n)
    EXPECT_NEAR(tensor[n], strict[n], 300 * double{std::numeric_limits<TypeParam>::epsilon()} * largest) << n;
}

TYPED_TEST(DeviceTensorTest, CheckpointsResumeToTheBit) {
  const QuarticEnergy energy = random_squares(5, 3).energy();
  const BatchOptions options = TestFixture::on_tensor_cores({.bodies = 33});
  Batch<TypeParam> batch(energy, options), resumed(energy, options);
  for (unsigned b = 0; b < 33; ++b) set_random_body(batch, b, b);
  batch.step(0.02, 2);
  const std::string path = testing::TempDir() + "device_tensor_test.qstate";
  save_checkpoint(batch, path);
  load_checkpoint(resumed, path);
  for (Batch<TypeParam>* one : {&batch, &resumed}) one->step(0.02);
  for (int b = 0; b < 33; ++b) EXPECT_EQ(full_state(resumed, b), full_state(batch, b)) << b;
}

// Numbers far from 1 lose nothing, large coordinates with small coefficients or the other way round: in another unit of
// length, a power of two, every bit is the same.
TYPED_TEST(DeviceTensorTest, UnitsDoNotMatter) {
  const int rank = 6;
  const auto run = [&](double unit) {
    QuarticEnergy energy = random_squares(rank, 5).energy();
    std::size_t n = 0;  // S_abcd of a monomial of degree d goes with the unit's power 2 - d
    for (int a = 0; a <= rank; ++a)
      for (int b = a; b <= rank; ++b)
        for (int c = b; c <= rank; ++c)
          for (int d = c; d <= rank; ++d)
            energy.coefficients[n++] *= std::pow(unit, 2 - (a > 0) - (b > 0) - (c > 0) - (d > 0));
    Batch<TypeParam> batch(energy, TestFixture::on_tensor_cores({.bodies = 9, .newton_iterations = 2}));
    for (unsigned b = 0; b < 9; ++b) {
      set_body(batch.q(), b, unit * random_vector(rank, 2 * b, 2));
      set_body(batch.force(), b, unit * random_vector(rank, 2 * b + 1, 20));
    }
    batch.step(0.02, 3);
    std::vector<TypeParam> q;
    for (std::int64_t b = 0; b < 9; ++b)
      for (std::int64_t i = 0; i < rank; ++i) q.push_back(batch.q()(i, b) / static_cast<TypeParam>(unit));
    return q;
  };
  const std::vector<TypeParam> expected = run(1);
  EXPECT_EQ(run(0x1p40), expected);
  EXPECT_EQ(run(0x1p-40), expected);
}

// Coordinates whose monomials overflow, infinite loads, systems that aren't definite: the body says so, its neighbours
// keep their bits.
TYPED_TEST(DeviceTensorTest, BodiesThatGoWrongDisturbNobody) {
  const int rank = 4;
  const QuarticEnergy energy = random_squares(rank, 43).energy();
  for (const Integrator integrator : all_integrators) {
    SCOPED_TRACE(static_cast<int>(integrator));
    const auto run = [&](bool with_wrong) {
      Batch<TypeParam> batch(energy, TestFixture::on_tensor_cores({.bodies = 12, .integrator = integrator}));
      for (unsigned b = 0; b < 12; ++b) set_random_body(batch, b, b);
      if (with_wrong) {
        batch.q()(1, 3) = std::sqrt(std::numeric_limits<TypeParam>::max()) * TypeParam{1.5};
        batch.force()(2, 7) = std::numeric_limits<TypeParam>::infinity();
      }
      batch.step(0.01, 2);
      return batch;
    };
    const Batch<TypeParam> healthy = run(false), batch = run(true);
    for (int b = 0; b < 12; ++b)
      if (b == 3 || b == 7)
        EXPECT_EQ(batch.status()[static_cast<std::size_t>(b)], BodyStatus::diverged) << b;
      else
        EXPECT_EQ(full_state(batch, b), full_state(healthy, b)) << b;
  }
  // V = -c q^2 / 2: A = 4 / dt^2 - c < 0.
  Batch<TypeParam> soft(duffing(-5e4, 0), TestFixture::on_tensor_cores());
  soft.q()(0, 0) = static_cast<TypeParam>(0.25);
  soft.step(0.01);
  EXPECT_EQ(soft.status()[0], BodyStatus::regularised);
}

TYPED_TEST(DeviceTensorTest, TheCpuHasNone) {
  try {
    const Batch<TypeParam> batch(duffing(1, 1), {.evaluation = Evaluation::tensor});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("Evaluation::tensor is for the backend 'cuda'"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace quartic
