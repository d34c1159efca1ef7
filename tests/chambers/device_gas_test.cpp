// Gases in chambers on a device: CUDA against the CPU, and bodies without one beside those with.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "batch/device_states.hpp"
#include "batch/fused_setting.hpp"
#include "quartic/cuda.hpp"
#include "quartic/gas.hpp"
#include "support/device_memory.hpp"
#include "support/random_moments.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class DeviceGasTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceGasTest, Precisions);

constexpr double atmosphere = 10;

// 1 m^3 at rest, and some tenths more or less where coordinates are of order 0.3.
EnclosedVolume random_volume(int rank, unsigned seed) {
  std::vector<double> numbers = random_numbers(static_cast<std::size_t>(cubic_coefficient_count(rank)), seed);
  for (double& x : numbers) x *= 2.0 / rank;
  numbers[0] = 6;
  return {rank, std::move(numbers)};
}

BodyGroup hollow_group(int rank, std::int64_t bodies, int chambers = 1) {
  BodyGroup group{.energy = random_squares(rank, 7).energy(), .bodies = bodies};
  for (int c = 0; c < chambers; ++c) group.chambers.push_back(random_volume(rank, 11 + static_cast<unsigned>(c)));
  return group;
}

template <class T>
Batch<T> started(const std::vector<BodyGroup>& groups, BatchOptions options, Backend backend) {
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
  std::vector<double> scale, pressure;
  for (std::int64_t b = 0; b < batch.bodies(); ++b)
    scale.push_back(b % 3 == 2 ? 0.5 : 1), pressure.push_back(static_cast<double>(b % 7) - 3);
  batch.set_stiffness_scale(scale);
  batch.set_pressure(pressure);
  return batch;
}

// Every fourth body has none.
std::vector<double> amounts(std::int64_t bodies, double most) {
  std::vector<double> values;
  for (std::int64_t b = 0; b < bodies; ++b) values.push_back(b % 4 == 3 ? 0 : most / (1 + static_cast<double>(b % 3)));
  return values;
}

// The states behind some steps with gases that change once.
template <class T>
std::vector<std::vector<T>> run(const std::vector<BodyGroup>& groups, const BatchOptions& options, Backend backend) {
  Batch<T> batch = started<T>(groups, options, backend);
  for (int c = 0; c < batch.chamber_count(); ++c)
    set_gas<T>(batch, amounts(batch.bodies(), 30.0 + 5 * c), c, atmosphere);
  batch.step(0.02, 2);
  set_gas<T>(batch, amounts(batch.bodies(), 20), 0, atmosphere / 2);
  batch.step(0.01);
  return states_of(batch);
}

// Ranks on both sides of what a warp has, one and several chambers, odd numbers of bodies.
TYPED_TEST(DeviceGasTest, AllRanksMoveAsOnTheCpu) {
  for (const int rank : {1, 2, 4, 5, 8, 9, 13, 20}) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    const std::vector<BodyGroup> groups = {hollow_group(rank, rank <= 5 ? 37 : 5, rank <= 5 ? 3 : 1)};
    expect_close(run<TypeParam>(groups, {}, Backend::cuda), run<TypeParam>(groups, {}, Backend::cpu),
                 three_steps_tolerance<TypeParam>);
  }
}

// Groups of two ranks, one of them without chambers; free ones, too. Energy-conserving steps end where their equations
// are solved to rounding, whatever the way there.
TYPED_TEST(DeviceGasTest, AllIntegratorsMoveAsOnTheCpu) {
  for (const Integrator integrator : all_integrators)
    for (const Evaluation evaluation : {Evaluation::strict, Evaluation::tensor, Evaluation::latency}) {
      SCOPED_TRACE(std::string(integrator_name(integrator)) + " " + std::string(evaluation_name(evaluation)));
      std::vector<BodyGroup> groups = {hollow_group(6, 5, 2), {.energy = random_squares(3, 3).energy(), .bodies = 2}};
      BatchOptions options{.integrator = integrator, .newton_iterations = 2};
      if (evaluation == Evaluation::latency) options.evaluation = evaluation;
      BatchOptions other = options;
      other.evaluation = evaluation;
      const double k = evaluation == Evaluation::tensor ? 16 : 1;  // products on tensor cores round to 2^-21
      expect_close(run<TypeParam>(groups, other, Backend::cuda), run<TypeParam>(groups, options, Backend::cpu),
                   k * three_steps_tolerance<TypeParam>);
      if (integrator == Integrator::central_differences) continue;
      for (BodyGroup& group : groups) group.frame = random_moments(group.energy.rank, 5);
      expect_close(run<TypeParam>(groups, other, Backend::cuda), run<TypeParam>(groups, options, Backend::cpu),
                   k * three_steps_tolerance<TypeParam>);
    }
}

// Forces from strains, where R stands in the place of H_i0.
TYPED_TEST(DeviceGasTest, AccurateForcesTakeIt) {
  const SumOfSquares squares = random_squares(5, 7);
  std::vector<BodyGroup> groups(1);
  groups[0].energy = squares.energy(), groups[0].strain_form = squares.strain_form(), groups[0].bodies = 5;
  groups[0].chambers = {random_volume(5, 11)};
  for (const Integrator integrator : all_integrators) {
    const BatchOptions options{.integrator = integrator, .evaluation = Evaluation::accurate};
    expect_close(run<TypeParam>(groups, options, Backend::cuda), run<TypeParam>(groups, options, Backend::cpu),
                 three_steps_tolerance<TypeParam>);
  }
}

// Bodies without a gas, on the way through several kernels, have the bits of a batch that is stepped in one.
TYPED_TEST(DeviceGasTest, OthersKeepTheirBits) {
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::tensor, Evaluation::latency}) {
    const FusedSetting setting("1");
    const std::vector<BodyGroup> groups = {hollow_group(3, 37, 2)};
    const BatchOptions options{.newton_iterations = 2, .evaluation = evaluation};
    Batch<TypeParam> with = started<TypeParam>(groups, options, Backend::cuda);
    Batch<TypeParam> without = started<TypeParam>(groups, options, Backend::cuda);
    set_gas<TypeParam>(with, amounts(37, 30), 1, atmosphere);
    with.step(0.02, 2), without.step(0.02, 2);
    const auto a = states_of(with), b = states_of(without);
    for (std::size_t n = 0; n < a.size(); ++n) EXPECT_EQ(a[n] == b[n], n % 4 == 3) << n;
    // With the last one taken out, all steps are in one kernel again.
    for (Batch<TypeParam>* batch : {&with, &without}) {
      set_gas<TypeParam>(*batch, std::vector<double>(37), 1);
      for (unsigned n = 0; n < 37; ++n) set_random_body(*batch, n, n);
      batch->step(0.02, 2);
    }
    EXPECT_EQ(states_of(with), states_of(without));
  }
}

// Pressures of the device's memory come beside it, repeated steps are a graph, and amounts are read when steps start.
TYPED_TEST(DeviceGasTest, GoesWithStreamsAndGraphs) {
  constexpr std::int64_t bodies = 5;
  const std::vector<BodyGroup> groups = {hollow_group(4, bodies)};
  Batch<TypeParam> host = started<TypeParam>(groups, {}, Backend::cuda);
  Batch<TypeParam> device = started<TypeParam>(groups, {}, Backend::cuda);
  const DeviceVector<TypeParam> pressure(std::vector<TypeParam>(bodies, TypeParam{2}));
  const TestStream stream;
  cuda::send(device, stream);
  for (const double amount : {30.0, 30.0, 20.0}) {
    for (Batch<TypeParam>* batch : {&host, &device}) set_gas<TypeParam>(*batch, amounts(bodies, amount), 0, amount / 3);
    host.set_pressure(std::vector(bodies, 2.0));
    cuda::set_pressure<TypeParam>(device, pressure.data(), 0, stream);
    for (int n = 0; n < 3; ++n) {
      host.step(0.02);
      cuda::step(device, 0.02, 1, stream);
    }
  }
  stream.synchronize();
  cuda::fetch(device, nullptr);
  for (std::int64_t b = 0; b < bodies; ++b) EXPECT_EQ(full_state(host, b), full_state(device, b)) << b;
  EXPECT_EQ(device.pressure()[3], TypeParam{2});
}

// A batch's chambers and energy change under the gas.
TYPED_TEST(DeviceGasTest, ModelsAreReplaced) {
  const BodyGroup first = hollow_group(5, 3), second = [] {
    BodyGroup group{.energy = random_squares(5, 9).energy(), .bodies = 3};
    group.chambers = {random_volume(5, 21)};
    return group;
  }();
  const auto end = [](const BodyGroup& group, const BodyGroup* other) {
    Batch<TypeParam> batch = started<TypeParam>({group}, {}, Backend::cuda);
    set_gas<TypeParam>(batch, amounts(3, 30), 0, atmosphere);
    if (other != nullptr) batch.set_force_model(ForceModel(other->energy, {}, other->chambers));
    batch.step(0.02, 2);
    return states_of(batch);
  };
  EXPECT_EQ(end(first, &second), end(second, nullptr));
  EXPECT_NE(end(first, nullptr), end(second, nullptr));
}

}  // namespace
}  // namespace quartic
