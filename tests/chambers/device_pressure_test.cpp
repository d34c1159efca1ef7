// Pressure in chambers on a device: CUDA against the CPU, steps in one kernel against those in several, and pressures
// that only the device knows.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "batch/device_states.hpp"
#include "batch/fused_setting.hpp"
#include "quartic/cuda.hpp"
#include "quartic/error.hpp"
#include "support/device_memory.hpp"
#include "support/free_batches.hpp"
#include "support/random_moments.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class DevicePressureTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DevicePressureTest, Precisions);

// As large as the force of a body of any rank is at all: entries of T are summed over r^2 products.
EnclosedVolume random_volume(int rank, unsigned seed) {
  std::vector<double> numbers = random_numbers(static_cast<std::size_t>(cubic_coefficient_count(rank)), seed);
  for (double& x : numbers) x *= 5.0 / rank;
  return {rank, std::move(numbers)};
}

BodyGroup hollow_group(int rank, std::int64_t bodies, int chambers = 1) {
  BodyGroup group{.energy = random_squares(rank, 7).energy(), .bodies = bodies};
  for (int c = 0; c < chambers; ++c) group.chambers.push_back(random_volume(rank, 11 + static_cast<unsigned>(c)));
  return group;
}

std::vector<double> pressures(std::int64_t bodies, double first = -8) {
  std::vector<double> values;
  for (std::int64_t b = 0; b < bodies; ++b) values.push_back(first + static_cast<double>(b % 17));
  return values;
}

// The states behind some steps under pressures that change once.
template <class T>
std::vector<std::vector<T>> run(const std::vector<BodyGroup>& groups, BatchOptions options, Backend backend) {
  options.backend = backend;
  options.rayleigh_mass = 0.5;
  options.rayleigh_stiffness = 0.001;
  Batch<T> batch(groups, options);
  for (int g = 0; g < batch.group_count(); ++g) {
    const GroupRange range = batch.group(g);
    for (std::int64_t b = 0; b < range.bodies; ++b) {
      const auto number = static_cast<unsigned>(4 * (range.first_body + b));
      const int rank = static_cast<int>(range.rank);
      set_body(batch.q().part(range), b, random_vector(rank, number, 0.3));
      set_body(batch.velocity().part(range), b, random_vector(rank, number + 1, 2));
      set_body(batch.force().part(range), b, random_vector(rank, number + 2, 20));
    }
  }
  std::vector<double> scale;
  for (std::int64_t b = 0; b < batch.bodies(); ++b) scale.push_back(b % 3 == 2 ? 0.5 : 1);
  batch.set_stiffness_scale(scale);
  for (int c = 0; c < batch.chamber_count(); ++c) batch.set_pressure(pressures(batch.bodies(), -8 + 3 * c), c);
  batch.step(0.02, 2);
  batch.set_pressure(pressures(batch.bodies(), -3));
  batch.step(0.01);
  std::vector<std::vector<T>> states;
  for (std::int64_t b = 0; b < batch.bodies(); ++b) {
    EXPECT_NE(batch.status()[static_cast<std::size_t>(b)], BodyStatus::diverged) << b;
    states.push_back(full_state(batch, b));
  }
  return states;
}

// Ranks on both sides of a block of the factor and of a slab of monomials, one and several chambers, odd numbers of
// bodies.
TYPED_TEST(DevicePressureTest, AllRanksMoveAsOnTheCpu) {
  const bool single = sizeof(TypeParam) == sizeof(float);
  for (const int rank : {1, 2, 4, 5, 12, 13, 20, 31, 40}) {
    if (rank > 20 && rank != (single ? 40 : 31)) continue;  // slow where it is emulated
    SCOPED_TRACE("rank " + std::to_string(rank));
    const std::vector<BodyGroup> groups = {hollow_group(rank, rank <= 5 ? 37 : 3, rank <= 5 ? 3 : 1)};
    const auto expected = run<TypeParam>(groups, {}, Backend::cpu);
    expect_close(run<TypeParam>(groups, {}, Backend::cuda), expected, three_steps_tolerance<TypeParam>);
    if (rank > 20) continue;
    expect_close(run<TypeParam>(groups, {.evaluation = Evaluation::latency}, Backend::cuda), expected,
                 three_steps_tolerance<TypeParam>);
  }
}

TYPED_TEST(DevicePressureTest, AllIntegratorsMoveAsOnTheCpu) {
  for (const Integrator integrator : all_integrators)
    for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency, Evaluation::tensor}) {
      SCOPED_TRACE(std::string(integrator_name(integrator)) + " " + std::string(evaluation_name(evaluation)));
      std::vector<BodyGroup> groups = {hollow_group(6, 5, 2), {.energy = random_squares(6, 3).energy(), .bodies = 2}};
      const BatchOptions options{.integrator = integrator, .newton_iterations = 2};
      BatchOptions other = options;
      other.evaluation = evaluation;
      const double k = evaluation == Evaluation::tensor ? 16 : 1;  // products on tensor cores round to 2^-21
      expect_close(run<TypeParam>(groups, other, Backend::cuda), run<TypeParam>(groups, options, Backend::cpu),
                   k * three_steps_tolerance<TypeParam>);
      if (integrator == Integrator::central_differences) continue;
      for (BodyGroup& group : groups) group.frame = random_moments(6, 5);
      expect_close(run<TypeParam>(groups, other, Backend::cuda), run<TypeParam>(groups, options, Backend::cpu),
                   k * three_steps_tolerance<TypeParam>);
    }
}

template <class T>
void expect_same_bits(const std::vector<BodyGroup>& groups, const BatchOptions& options) {
  const auto states = [&](const char* fused) {
    const FusedSetting setting(fused);
    return run<T>(groups, options, Backend::cuda);
  };
  EXPECT_EQ(states("1"), states("0"));
}

TYPED_TEST(DevicePressureTest, StepsInOneKernelGiveTheSameBits) {
  const bool single = sizeof(TypeParam) == sizeof(float);
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::tensor})
    for (const int rank : {1, 3, 6, 12, 13, 20, 31}) {
      if (rank == 31 && !single) continue;  // slow where it is emulated
      SCOPED_TRACE(std::string(evaluation_name(evaluation)) + ", rank " + std::to_string(rank));
      const std::int64_t bodies = rank <= 6 ? 133 : rank <= 20 ? 33 : 3;
      expect_same_bits<TypeParam>(
          {hollow_group(rank, bodies, rank <= 6 ? 2 : 1), {.energy = random_squares(rank, 3).energy(), .bodies = 3}},
          {.newton_iterations = rank <= 6 ? 2 : 1, .evaluation = evaluation});
    }
}

// Bodies whose system needs a shift, for which H is made again; free bodies; several iterations.
TYPED_TEST(DevicePressureTest, EventsInOneKernelGiveTheSameBits) {
  BodyGroup soft{.energy = duffing(-5e4, 1), .bodies = 3, .chambers = {random_volume(1, 4)}};
  BodyGroup flying = hollow_group(5, 35);
  flying.frame = random_moments(5, 3);
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler})
    expect_same_bits<TypeParam>({soft, hollow_group(5, 34), flying},
                                {.integrator = integrator, .newton_iterations = 3, .newton_tolerance = 1e-2});
}

// Pressures of the device's memory act in the order of a stream, and as the host's.
TYPED_TEST(DevicePressureTest, ComesFromDeviceMemory) {
  constexpr std::int64_t bodies = 37;
  const auto make = [&] {
    Batch<TypeParam> batch({hollow_group(5, bodies, 2)}, {.newton_iterations = 2, .backend = Backend::cuda});
    for (unsigned b = 0; b < bodies; ++b) set_random_body(batch, b, b);
    return batch;
  };
  Batch<TypeParam> host = make(), device = make();
  const std::vector<double> first = pressures(bodies), second = pressures(bodies, 2);
  const auto copy = [](const std::vector<double>& x) {
    return DeviceVector<TypeParam>(std::vector<TypeParam>(x.begin(), x.end()));
  };
  const DeviceVector<TypeParam> on_device[] = {copy(first), copy(second)};
  const TestStream stream;
  cuda::send(device, stream);
  const auto expect_same = [&] {
    cuda::fetch(device, nullptr);
    for (std::int64_t b = 0; b < bodies; ++b) EXPECT_EQ(full_state(host, b), full_state(device, b)) << b;
  };
  host.set_pressure(first, 0);
  host.set_pressure(second, 1);
  host.step(0.02);
  host.set_pressure(second, 0);
  host.step(0.02);
  cuda::set_pressure<TypeParam>(device, on_device[0].data(), 0, stream);
  cuda::set_pressure<TypeParam>(device, on_device[1].data(), 1, stream);
  cuda::step(device, 0.02, 1, stream);
  cuda::set_pressure<TypeParam>(device, on_device[1].data(), 0, stream);
  cuda::step(device, 0.02, 1, stream);
  stream.synchronize();
  expect_same();
  EXPECT_EQ(device.pressure(0)[4], static_cast<TypeParam>(second[4]));
  // The host's come beside the device's, and not instead of them.
  for (Batch<TypeParam>* batch : {&host, &device}) {
    batch->set_pressure(first, 1);
    batch->step(0.02);
  }
  expect_same();
  EXPECT_EQ(device.pressure(0)[4], static_cast<TypeParam>(second[4]));
  EXPECT_THROW(cuda::set_pressure<TypeParam>(device, on_device[0].data(), 2, stream), InputError);
  const std::vector<TypeParam> in_host_memory(bodies);
  EXPECT_THROW(cuda::set_pressure<TypeParam>(device, in_host_memory.data(), 0, stream), InputError);
}

// Kernels write pressures where steps read them.
TYPED_TEST(DevicePressureTest, IsReadWhereTheStateSaysItIs) {
  constexpr std::int64_t bodies = 5;
  const BodyGroup group = hollow_group(4, bodies, 2);
  Batch<TypeParam> host({group}, {.backend = Backend::cuda}), device({group}, {.backend = Backend::cuda});
  const cuda::DeviceState<TypeParam> state = cuda::device_state(device);
  const std::vector<double> wish = pressures(bodies);
  const std::vector<TypeParam> rounded(wish.begin(), wish.end());
  host.set_pressure(wish, 1);
  ASSERT_EQ(cudaMemcpy(state.pressure + bodies, rounded.data(), bodies * sizeof(TypeParam), cudaMemcpyHostToDevice),
            cudaSuccess);
  host.step(0.02);
  device.step(0.02);
  cuda::fetch(device, nullptr);
  for (std::int64_t b = 0; b < bodies; ++b) EXPECT_EQ(full_state(host, b), full_state(device, b)) << b;
  EXPECT_EQ(device.pressure(1)[3], rounded[3]);
  Batch<TypeParam> plain({{.energy = group.energy}}, {.backend = Backend::cuda});
  EXPECT_EQ(cuda::device_state(plain).pressure, nullptr);
}

// A controller on the device: what it has written is taken at each launch of the same graph.
TYPED_TEST(DevicePressureTest, IsAnInputOfCapturedGraphs) {
  constexpr std::int64_t bodies = 5;
  const BodyGroup group = hollow_group(4, bodies);
  Batch<TypeParam> host({group}, {.backend = Backend::cuda}), device({group}, {.backend = Backend::cuda});
  const DeviceVector<TypeParam> pressure(std::vector<TypeParam>(bodies, TypeParam{0}));
  const TestStream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  cuda::set_pressure<TypeParam>(device, pressure.data(), 0, stream);
  cuda::step(device, 0.02, 1, stream);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  for (int n = 0; n < 3; ++n) {
    const std::vector<double> wish = pressures(bodies, n);
    const std::vector<TypeParam> rounded(wish.begin(), wish.end());
    host.set_pressure(wish);
    host.step(0.02);
    ASSERT_EQ(cudaMemcpy(pressure.data(), rounded.data(), bodies * sizeof(TypeParam), cudaMemcpyHostToDevice),
              cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    stream.synchronize();
    cuda::fetch(device, nullptr);
    for (std::int64_t b = 0; b < bodies; ++b) EXPECT_EQ(full_state(host, b), full_state(device, b)) << n << ' ' << b;
    EXPECT_EQ(device.pressure()[3], rounded[3]);
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

}  // namespace
}  // namespace quartic
