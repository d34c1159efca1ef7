// Batches in the order of a caller's stream: quartic/cuda.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "quartic/cuda.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/device_memory.hpp"
#include "support/sample_energies.hpp"
#include "support/sample_range.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class DeviceBatchTest : public testing::Test {
 protected:
  static constexpr int bodies = 37;
  const QuarticEnergy energy = random_squares(5, 3).energy();
  const LoadCurve ramp = {.times = {0, 0.03, 0.05}, .scales = {0, 1, -1}};

  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
  [[nodiscard]] Batch<T> make(Integrator integrator = Integrator::newmark, bool with_curve = true) const {
    Batch<T> batch(energy, {.bodies = bodies, .integrator = integrator, .backend = Backend::cuda});
    for (unsigned b = 0; b < bodies; ++b) set_random_body(batch, b, b);
    if (with_curve) batch.set_load_curves({{ramp}}, std::vector<std::int32_t>(bodies, 0));
    return batch;
  }
  static void expect_same(const Batch<T>& a, Batch<T>& b) {
    cuda::fetch(b, nullptr);
    for (int n = 0; n < bodies; ++n) EXPECT_EQ(full_state(a, n), full_state(b, n)) << n;
    EXPECT_EQ(a.time(), b.time());
  }
  static void expect_input_error(const std::function<void()>& call, const std::string& word) {
    try {
      call();
      ADD_FAILURE() << "accepted, not refused for '" << word << "'";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceBatchTest, Precisions);

TYPED_TEST(DeviceBatchTest, StepsInAStreamAreTheSame) {
  for (const Integrator integrator : all_integrators) {
    Batch<TypeParam> host = this->make(integrator), device = this->make(integrator);
    const TestStream stream;
    cuda::send(device, stream);
    for (const double dt : {0.01, 0.01, 0.01, 0.02, 0.01}) {  // alone, as a graph made and used, alone again
      host.step(dt, 2);
      cuda::step(device, dt, 2, stream);
    }
    this->expect_same(host, device);
    EXPECT_EQ(device.status()[0], BodyStatus::ok);
  }
}

TYPED_TEST(DeviceBatchTest, StreamsMayChange) {
  Batch<TypeParam> host = this->make(), device = this->make();
  const TestStream first, second;
  cuda::send(device, first);
  cuda::step(device, 0.01, 1, first);
  first.synchronize();
  cuda::step(device, 0.01, 1, second);
  second.synchronize();
  cuda::step(device, 0.01, 1, nullptr);  // the default stream, which can't be captured
  device.step(0.01);
  device.q()(0, 0) = 99;  // copies are explicit by now: not sent
  device.step(0.01);
  for (int n = 0; n < 5; ++n) host.step(0.01);
  this->expect_same(host, device);
}

TYPED_TEST(DeviceBatchTest, CapturedStepsGoOnWithTime) {
  for (const Integrator integrator : all_integrators) {
    Batch<TypeParam> host = this->make(integrator), device = this->make(integrator);
    const TestStream stream;
    cuda::send(device, stream);
    stream.synchronize();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    cuda::step(device, 0.01, 2, stream);
    cuda::step(device, 0.015, 1, stream);
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    for (int n = 0; n < 3; ++n) {
      ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
      host.step(0.01, 2);
      host.step(0.015, 1);
      stream.synchronize();
      this->expect_same(host, device);
    }
    // Damping acts in the graph, too, which goes on with the old load curves.
    const std::vector<double> damping(this->bodies, 3.0);
    for (Batch<TypeParam>* b : {&host, &device}) b->set_rayleigh_damping(damping, damping);
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    stream.synchronize();
    host.step(0.01, 2);
    host.step(0.015, 1);
    this->expect_same(host, device);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  }
}

TYPED_TEST(DeviceBatchTest, StateIsWhereKernelsWriteIt) {
  Batch<TypeParam> batch = this->make();
  const TestStream stream;
  cuda::send(batch, stream);
  const cuda::DeviceState<TypeParam> state = cuda::device_state(batch);
  EXPECT_EQ(cuda::device(batch), 0);
  EXPECT_EQ(state.q.rank, 5);
  EXPECT_EQ(state.q.bodies, 37);
  EXPECT_EQ(state.q.stride_body, 1);
  // To a (B, r) array in C order and back into the velocity.
  const std::int64_t count = 5 * this->bodies;
  DeviceVector<TypeParam> rows(std::vector<TypeParam>(static_cast<std::size_t>(count)));
  const StateView<TypeParam> by_body{rows.data(), 5, this->bodies, 1, 5};
  cuda::copy_state(state.q, by_body, stream);
  cuda::copy_state(by_body, state.velocity, stream);
  cuda::fetch(batch, stream);
  stream.synchronize();
  const std::vector<TypeParam> values = rows.values();
  for (std::int64_t b = 0; b < this->bodies; ++b)
    for (std::int64_t i = 0; i < 5; ++i) {
      EXPECT_EQ(values[static_cast<std::size_t>(5 * b + i)], batch.q()(i, b));
      EXPECT_EQ(batch.velocity()(i, b), batch.q()(i, b));
    }
}

// A kernel's writes are what the energies see, and stay.
TYPED_TEST(DeviceBatchTest, RangeIsCheckedInAStream) {
  std::vector<BodyGroup> groups(1);
  groups[0] = {.energy = this->energy, .bodies = this->bodies, .range = sample_range(5, 11, 1)};
  Batch<TypeParam> batch(groups, {.backend = Backend::cuda}), host(groups);
  for (Batch<TypeParam>* b : {&batch, &host})
    for (unsigned n = 0; n < this->bodies; ++n) set_body(b->q(), n, random_vector(5, n, 0.05 * (n % 9)));
  const std::vector<BodyFlags> expected(host.check_range().begin(), host.check_range().end());
  EXPECT_GT(std::count(expected.begin(), expected.end(), BodyFlags::none), 3);
  EXPECT_LT(std::count(expected.begin(), expected.end(), BodyFlags::none), 33);
  const TestStream stream;
  cuda::send(batch, stream);
  cuda::check_range(batch, stream);
  stream.synchronize();
  const cuda::DeviceState<TypeParam> state = cuda::device_state(batch);
  for (const BodyFlags* flags : {state.range_flags, state.flags}) {
    std::vector<BodyFlags> found(expected.size());
    ASSERT_EQ(cudaMemcpy(found.data(), flags, found.size() * sizeof(BodyFlags), cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(found, expected);
  }
  // At rest again: the present flags are gone, the others stay.
  for (unsigned n = 0; n < this->bodies; ++n) set_body(batch.q(), n, Eigen::VectorXd::Zero(5));
  cuda::send(batch, stream);
  cuda::check_range(batch, stream);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), batch.flags().begin()));
  std::vector<BodyFlags> now(expected.size());
  ASSERT_EQ(cudaMemcpy(now.data(), state.range_flags, now.size() * sizeof(BodyFlags), cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(now, std::vector<BodyFlags>(expected.size(), BodyFlags::none));
  EXPECT_THROW(cuda::check_range(host, stream), InputError);
}

TYPED_TEST(DeviceBatchTest, EnergiesAreOfTheDevicesState) {
  Batch<TypeParam> batch = this->make();
  const TestStream stream;
  cuda::send(batch, stream);
  const cuda::DeviceState<TypeParam> state = cuda::device_state(batch);
  const double before = batch.kinetic_energy()[3];
  cuda::copy_state(state.q, state.velocity, stream);
  stream.synchronize();
  double expected = 0;
  for (std::int64_t i = 0; i < 5; ++i) expected += 0.5 * double{batch.q()(i, 3)} * double{batch.q()(i, 3)};
  EXPECT_NE(before, expected);
  EXPECT_NEAR(batch.kinetic_energy()[3], expected, 1e-14 * expected);
  batch.velocity()(0, 3) = 7;
  EXPECT_NEAR(batch.kinetic_energy()[3], expected, 1e-14 * expected);
}

TYPED_TEST(DeviceBatchTest, BatchesDoNotDisturbEachOther) {
  const QuarticEnergy large = random_squares(19, 3).energy();
  Batch<TypeParam> first(large, {.bodies = 2, .backend = Backend::cuda}),
      alone(large, {.bodies = 2, .backend = Backend::cuda});
  first.force()(0, 0) = alone.force()(0, 0) = 1;
  first.step(0.01);
  alone.step(0.01);
  Batch<TypeParam> small = this->make();
  small.step(0.01);
  first.step(0.01);
  alone.step(0.01);
  EXPECT_EQ(full_state(first, 0), full_state(alone, 0));
}

TYPED_TEST(DeviceBatchTest, HostMemoryKeepsUpToDate) {
  Batch<TypeParam> batch = this->make(Integrator::newmark, false), expected = this->make(Integrator::newmark, false);
  const StateView<TypeParam> q = batch.q(), force = batch.force();  // kept over steps
  for (int n = 0; n < 3; ++n) {
    force(0, 3) = expected.force()(0, 3) = static_cast<TypeParam>(n);
    batch.step(0.01);
    expected.step(0.01);
    EXPECT_EQ(q(0, 3), expected.q()(0, 3));
  }
}

TYPED_TEST(DeviceBatchTest, RefusesWhatItCannotUse) {
  Batch<TypeParam> batch = this->make(), on_cpu(this->energy);
  const TestStream stream;
  const std::vector<TypeParam> start = full_state(batch, 3);
  std::vector<TypeParam> host(5 * 37);
  const StateView<TypeParam> view{host.data(), 5, 37, 1, 5};
  const cuda::DeviceState<TypeParam> state = cuda::device_state(batch);
  this->expect_input_error([&] { cuda::copy_state(view, state.q, stream); }, "source of copy_state");
  this->expect_input_error([&] { cuda::copy_state(state.q, view, stream); }, "host memory");
  this->expect_input_error(
      [&] {
        cuda::copy_state(state.q, StateView<TypeParam>{state.velocity.data, 4, 37, 64, 1}, stream);
      },
      "equal shape");
  this->expect_input_error([&] { cuda::step(on_cpu, 0.01, 1, stream); }, "backend 'cpu'");
  this->expect_input_error([&] { cuda::step(batch, -0.01, 1, stream); }, "time step");
  this->expect_input_error([&] { cuda::step(batch, 0.01, 0, stream); }, "substeps");
  const auto make_with = [&](const BatchOptions& options) {
    return [this, options] { Batch<TypeParam>(this->energy, options); };
  };
  this->expect_input_error(make_with({.evaluation = Evaluation::cublas}), "backend 'cuda'");
  this->expect_input_error(make_with({.backend = Backend::cuda, .device = 99}), "`device` is 99");
  this->expect_input_error(make_with({.bodies = std::int64_t{1} << 36, .backend = Backend::cuda}), "of device memory");
  EXPECT_EQ(full_state(batch, 3), start);
}

// The library's product for ours: the same but for rounding, also in a graph, with two models and another energy.
TYPED_TEST(DeviceBatchTest, CublasAgreesWithOurProduct) {
  for (const Integrator integrator : all_integrators) {
    const auto run = [&](Evaluation evaluation) {
      BatchOptions options{.integrator = integrator, .evaluation = evaluation, .backend = Backend::cuda};
      Batch<TypeParam> batch({{this->energy, 130}, {random_squares(9, 4).energy(), 7}}, options);
      for (int g = 0; g < 2; ++g) {
        const GroupRange group = batch.group(g);
        for (std::int64_t b = 0; b < group.bodies; ++b)
          set_body(batch.force().part(group), b, random_vector(static_cast<int>(group.rank), 7, 20));
      }
      for (int n = 0; n < 3; ++n) batch.step(0.02, 2);
      batch.set_energy(random_squares(5, 11).energy(), 0);
      batch.step(0.02, 2);
      std::vector<double> values;
      for (const std::int64_t body : {0, 129, 130, 136})
        for (std::int64_t i = 0; i < 5; ++i) values.push_back(static_cast<double>(std::as_const(batch).q()(i, body)));
      return values;
    };
    const std::vector<double> ours = run(Evaluation::strict), theirs = run(Evaluation::cublas);
    const double largest = std::abs(
        *std::max_element(ours.begin(), ours.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
    for (std::size_t n = 0; n < ours.size(); ++n)
      EXPECT_NEAR(theirs[n], ours[n], 300 * double{std::numeric_limits<TypeParam>::epsilon()} * largest) << n;
  }
}

// Blocks without a body at work touch nothing.
TYPED_TEST(DeviceBatchTest, FrozenBodiesStay) {
  for (const Integrator integrator : all_integrators) {
    Batch<TypeParam> batch = this->make(integrator);
    const std::vector<TypeParam> start = full_state(batch, 36);
    batch.set_status(std::vector<BodyStatus>(this->bodies, BodyStatus::diverged));
    batch.step(0.01, 2);
    EXPECT_EQ(full_state(batch, 36), start);
    EXPECT_EQ(batch.status()[36], BodyStatus::diverged);
  }
}

// Odd sizes on both sides of a warp and a tile, and ranks around those of a block: against the CPU.
TYPED_TEST(DeviceBatchTest, AgreesWithTheCpu) {
  for (const int rank : {1, 2, 3, 4, 5, 8, 9, 13, 18, 30}) {  // 1, 2, 4 and 8 warps per 32 bodies
    const QuarticEnergy squares = random_squares(rank, 7).energy();
    for (const Integrator integrator : all_integrators)
      for (const std::int64_t count : {1, 33, 129}) {
        if (rank > 13 && (integrator != Integrator::newmark || count != 33)) continue;  // slow where it is emulated
        BatchOptions options{.bodies = count,
                             .integrator = integrator,
                             .rayleigh_mass = 0.7,
                             .rayleigh_stiffness = 0.002,
                             .newton_iterations = 2};
        Batch<TypeParam> cpu(squares, options);
        options.backend = Backend::cuda;
        Batch<TypeParam> cuda(squares, options);
        for (unsigned b = 0; b < count; ++b) set_random_body(cpu, b, b), set_random_body(cuda, b, b);
        cpu.step(0.02, 2);
        cuda.step(0.02, 2);
        const auto error = [&](StateView<const TypeParam> a, StateView<const TypeParam> b) {
          double worst = 0, largest = 0;  // an acceleration may pass through zero
          for (std::int64_t n = 0; n < count; ++n) {
            worst = std::max(worst, (get_body(a, n) - get_body(b, n)).template lpNorm<Eigen::Infinity>());
            largest = std::max(largest, get_body(a, n).template lpNorm<Eigen::Infinity>());
          }
          return worst / largest;
        };
        // As against the reference steps: rounding of r^2 / 2 monomials, and 2 / (omega dt) for each time derivative.
        const double tolerance = 30.0 * (1 + rank) * double{std::numeric_limits<TypeParam>::epsilon()};
        EXPECT_LE(error(std::as_const(cpu).q(), std::as_const(cuda).q()), tolerance) << rank << ' ' << count;
        EXPECT_LE(error(std::as_const(cpu).velocity(), std::as_const(cuda).velocity()), 5 * tolerance) << rank;
        EXPECT_LE(error(std::as_const(cpu).acceleration(), std::as_const(cuda).acceleration()), 30 * tolerance) << rank;
      }
  }
}

}  // namespace
}  // namespace quartic
