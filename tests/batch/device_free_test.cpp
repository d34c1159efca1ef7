// Free bodies on a device: steps in one kernel against the same in several, bit for bit; work in a caller's stream.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "quartic/cuda.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/device_memory.hpp"
#include "support/free_batches.hpp"
#include "support/random_moments.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

BodyGroup random_flying(int rank, std::int64_t bodies) {
  return {.energy = random_squares(rank, 7).energy(), .bodies = bodies, .frame = random_moments(rank, 5)};
}

template <class T>
class DeviceFreeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceFreeTest, Precisions);

template <class T>
void set_tumbling(Batch<T>& batch, std::int64_t body, int rank) {
  const auto number = static_cast<unsigned>(body);
  FreeState state;
  state.q = random_vector(rank, 3 * number, 0.3);
  state.rate = random_vector(rank, 3 * number + 1, 2);
  state.velocity = random_vector(3, 3 * number + 2, 1);
  state.spin = random_vector(3, 3 * number + 3, 4);
  set_state(batch, body, state);
  for (int i = 0; i < rank; ++i) batch.force()(i, body) = static_cast<T>(random_vector(rank, number + 9, 20)[i]);
  for (int i = 0; i < 6; ++i) batch.wrench()(i, body) = static_cast<T>(random_vector(6, number + 4, 3)[i]);
}

template <class T>
std::vector<T> numbers_of(const Batch<T>& batch) {
  std::vector<T> values;
  for (int g = 0; g < batch.group_count(); ++g) {
    const GroupRange range = batch.group(g);
    for (std::int64_t b = range.first_body; b < range.first_body + range.bodies; ++b) {
      for (const StateView<const T> view : {batch.q(), batch.velocity(), batch.acceleration()})
        for (std::int64_t i = 0; i < range.rank; ++i) values.push_back(view(i, b));
      for (const StateView<const T> view : {batch.pose(), batch.twist(), batch.twist_rate()})
        for (std::int64_t i = 0; i < view.rank; ++i) values.push_back(view(i, b));
    }
  }
  return values;
}

/// Sets QUARTIC_CUDA_FUSED while it lives.
class FusedSetting {
 public:
  explicit FusedSetting(const char* value) { setenv("QUARTIC_CUDA_FUSED", value, 1); }
  ~FusedSetting() { unsetenv("QUARTIC_CUDA_FUSED"); }
  FusedSetting(const FusedSetting&) = delete;
  FusedSetting& operator=(const FusedSetting&) = delete;
};

template <class T>
struct Outcome {
  std::vector<T> numbers;
  std::vector<BodyStatus> status;
  bool operator==(const Outcome&) const = default;
};

template <class T>
Outcome<T> run(const std::vector<BodyGroup>& groups, BatchOptions options, const char* fused, int bad_body = -1) {
  const FusedSetting setting(fused);
  options.backend = Backend::cuda;
  Batch<T> batch(groups, options);
  for (int g = 0; g < batch.group_count(); ++g) {
    const GroupRange range = batch.group(g);
    for (std::int64_t b = range.first_body; b < range.first_body + range.bodies; ++b)
      if (batch.has_frame(g)) set_tumbling(batch, b, static_cast<int>(range.rank));
  }
  if (bad_body >= 0) batch.wrench()(4, bad_body) = std::numeric_limits<T>::infinity();
  for (int n = 0; n < 2; ++n) batch.step(0.02, 2);
  return {numbers_of(batch), {batch.status().begin(), batch.status().end()}};
}

// Every tile size; ranks on both sides of a block of the factor; both implicit integrators; one or more iterations, of
// which some bodies need fewer, or all none.
TYPED_TEST(DeviceFreeTest, FusedStepsGiveTheSameBits) {
  for (const int rank : {1, 4, 9, 13, 20}) {
    const std::vector<BodyGroup> groups = {random_flying(rank, rank < 9 ? 67 : 5)};
    for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler}) {
      const BatchOptions options{.integrator = integrator,
                                 .rayleigh_mass = 0.7,
                                 .rayleigh_stiffness = 0.002,
                                 .newton_iterations = rank < 9 || rank == 13 ? 3 : 1,
                                 .newton_tolerance = rank == 4    ? 1e-2
                                                     : rank == 13 ? 1e30
                                                                  : 0};
      const Outcome<TypeParam> apart = run<TypeParam>(groups, options, "0");
      EXPECT_EQ(run<TypeParam>(groups, options, "1"), apart) << "rank " << rank;
      for (const TypeParam x : apart.numbers) ASSERT_TRUE(std::isfinite(x));
    }
  }
}

// Held ones beside them, an indefinite stiffness that takes shifts, and a body that diverges; on tensor cores, too.
TYPED_TEST(DeviceFreeTest, EventsGiveTheSameBits) {
  BodyGroup shifted = random_flying(1, 3);
  shifted.energy = duffing(-5e4, 1);
  const std::vector<BodyGroup> groups = {
      random_flying(5, 34), {.energy = random_squares(5, 3).energy(), .bodies = 2}, shifted};
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::tensor}) {
    const BatchOptions options{.newton_iterations = 2, .newton_tolerance = 1e-2, .evaluation = evaluation};
    const Outcome<TypeParam> apart = run<TypeParam>(groups, options, "0", 3);
    EXPECT_EQ(run<TypeParam>(groups, options, "1", 3), apart) << evaluation_name(evaluation);
    EXPECT_EQ(apart.status[0], BodyStatus::ok);
    EXPECT_EQ(apart.status[3], BodyStatus::diverged);
    EXPECT_NE(apart.status[36], BodyStatus::ok);
  }
}

// Steps and a reset of some bodies, captured, against the same calls of the host's.
TYPED_TEST(DeviceFreeTest, CapturedStepsAndResetsAreTheHosts) {
  using T = TypeParam;
  constexpr std::int64_t bodies = 5;
  const std::vector<BodyGroup> groups = {random_flying(4, bodies - 1), {.energy = duffing(20, 1), .bodies = 1}};
  Batch<T> host(groups, {.backend = Backend::cuda}), device(groups, {.backend = Backend::cuda});
  for (Batch<T>* batch : {&host, &device})
    for (std::int64_t b = 0; b < bodies - 1; ++b) set_tumbling(*batch, b, 4);
  std::vector<T> q(4 * bodies, T{0.125}), pose(7 * bodies, T{0}), twist(6 * bodies, T{2});
  for (std::int64_t b = 0; b < bodies; ++b) pose[static_cast<std::size_t>(7 * b + 5)] = 1;  // half a turn about z
  const std::vector<std::uint8_t> mask = {0, 1, 0, 1, 1};
  const DeviceVector<T> device_q(q), device_pose(pose), device_twist(twist);
  const DeviceVector<std::uint8_t> device_mask(mask);
  const auto start = [&](const T* x, const T* p, const T* w) {
    return BodyStart<T>{.q = {x, 4, bodies, 1, 4}, .pose = {p, 7, bodies, 1, 7}, .twist = {w, 6, bodies, 1, 6}};
  };
  const TestStream stream;
  cuda::send(device, stream);
  cuda::step(device, 0.01, 1, stream);  // the first loads kernels, which a capture must not
  cuda::reset_bodies(device, device_mask.data(), start(device_q.data(), device_pose.data(), device_twist.data()),
                     stream);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  cuda::step(device, 0.02, 2, stream);
  cuda::reset_bodies(device, device_mask.data(), start(device_q.data(), device_pose.data(), device_twist.data()),
                     stream);
  cuda::step(device, 0.01, 1, stream);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  stream.synchronize();
  host.step(0.01, 1);
  reset_bodies(host, mask, start(q.data(), pose.data(), twist.data()));
  host.step(0.02, 2);
  reset_bodies(host, mask, start(q.data(), pose.data(), twist.data()));
  host.step(0.01, 1);
  cuda::fetch(device, stream);
  stream.synchronize();
  EXPECT_EQ(numbers_of(device), numbers_of(host));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

TYPED_TEST(DeviceFreeTest, StateIsWhereKernelsWriteIt) {
  using T = TypeParam;
  Batch<T> batch({random_flying(4, 3)}, {.backend = Backend::cuda}), held(duffing(1, 1), {.backend = Backend::cuda});
  set_tumbling(batch, 2, 4);
  const TestStream stream;
  cuda::send(batch, stream);
  const cuda::DeviceState<T> state = cuda::device_state(batch);
  EXPECT_EQ(state.pose.rank, 7);
  EXPECT_EQ(state.wrench.bodies, 3);
  EXPECT_EQ(cuda::device_state(held).pose.data, nullptr);
  DeviceVector<T> rows(std::vector<T>(18));
  cuda::copy_state(state.twist, StateView<T>{rows.data(), 6, 3, 1, 6}, stream);
  stream.synchronize();
  const std::vector<T> values = rows.values();
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(values[static_cast<std::size_t>(12 + i)], batch.twist()(i, 2));
  cuda::copy_state(state.wrench, state.twist, stream);
  cuda::fetch(batch, stream);
  stream.synchronize();
  EXPECT_EQ(batch.twist()(4, 2), batch.wrench()(4, 2));
}

TYPED_TEST(DeviceFreeTest, ResetsRefuseWhatTheyCannotUse) {
  using T = TypeParam;
  Batch<T> batch({random_flying(4, 3)}, {.backend = Backend::cuda}), held(duffing(1, 1), {.backend = Backend::cuda});
  const DeviceVector<T> numbers(std::vector<T>(21));
  const DeviceVector<std::uint8_t> mask(std::vector<std::uint8_t>(3));
  const std::vector<std::uint8_t> on_host(3);
  const auto expect_refused = [&](Batch<T>& of, const std::uint8_t* chosen, const BodyStart<T>& start,
                                  const char* part) {
    try {
      cuda::reset_bodies(of, chosen, start, nullptr);
      ADD_FAILURE() << "accepted, not refused for '" << part << "'";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect_refused(batch, on_host.data(), {}, "mask of reset_bodies");
  expect_refused(batch, mask.data(), {.pose = {numbers.data(), 6, 3, 1, 6}}, "7 rows");
  expect_refused(batch, mask.data(), {.q = {numbers.data(), 3, 3, 1, 3}}, "4 coordinates");
  expect_refused(batch, mask.data(), {.twist = {numbers.data(), 6, 2, 1, 6}}, "3 bodies");
  expect_refused(held, mask.data(), {.twist = {numbers.data(), 6, 1, 1, 6}}, "BodyGroup::frame");
}

}  // namespace
}  // namespace quartic
