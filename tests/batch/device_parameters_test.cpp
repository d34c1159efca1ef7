// Damping and stiffness of bodies, and bodies that start again, in the order of a caller's stream: quartic/cuda.hpp.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "quartic/cuda.hpp"
#include "quartic/cuda_folder.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/device_memory.hpp"
#include "support/free_batches.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

constexpr int rank = 5;
constexpr std::int64_t bodies = 37;

std::vector<double> ramp(double first, double step) {
  std::vector<double> values;
  for (std::int64_t b = 0; b < bodies; ++b) values.push_back(first + step * static_cast<double>(b));
  return values;
}

template <class T>
class DeviceParametersTest : public testing::Test {
 protected:
  const std::vector<double> masses = ramp(0, 0.25), stiffnesses = ramp(0, 1.0 / 1024), scales = ramp(0.5, 0.125);

  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
  [[nodiscard]] static Batch<T> make(Evaluation evaluation = Evaluation::strict) {
    Batch<T> batch(random_squares(rank, 3).energy(),
                   {.bodies = bodies, .newton_iterations = 2, .evaluation = evaluation, .backend = Backend::cuda});
    for (unsigned b = 0; b < bodies; ++b) set_random_body(batch, b, b);
    return batch;
  }
  static DeviceVector<T> on_device(const std::vector<double>& values) {
    return DeviceVector<T>(std::vector<T>(values.begin(), values.end()));
  }
  static void expect_same(const Batch<T>& host, Batch<T>& device) {
    cuda::fetch(device, nullptr);
    for (std::int64_t b = 0; b < bodies; ++b) EXPECT_EQ(full_state(host, b), full_state(device, b)) << b;
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceParametersTest, Precisions);

// They act at once, and the host's functions tell them.
TYPED_TEST(DeviceParametersTest, ComeFromDeviceMemory) {
  Batch<TypeParam> host = this->make(), device = this->make();
  host.set_rayleigh_damping(this->masses, this->stiffnesses);
  host.set_stiffness_scale(this->scales);
  host.step(0.02, 2);
  const DeviceVector<TypeParam> mass = this->on_device(this->masses), stiffness = this->on_device(this->stiffnesses);
  const DeviceVector<TypeParam> scale = this->on_device(this->scales);
  const TestStream stream;
  cuda::send(device, stream);
  cuda::set_rayleigh_damping<TypeParam>(device, mass.data(), stiffness.data(), stream);
  cuda::set_stiffness_scale<TypeParam>(device, scale.data(), stream);
  cuda::step(device, 0.02, 2, stream);
  this->expect_same(host, device);
  EXPECT_EQ(device.rayleigh_mass()[36], static_cast<TypeParam>(this->masses[36]));
  EXPECT_EQ(device.rayleigh_stiffness()[36], static_cast<TypeParam>(this->stiffnesses[36]));
  EXPECT_EQ(device.stiffness_scale()[36], static_cast<TypeParam>(this->scales[36]));
  EXPECT_EQ(device.elastic_energy(), host.elastic_energy());
  // What the host sets comes beside what the device had, and not instead of it.
  for (Batch<TypeParam>* batch : {&host, &device}) {
    batch->set_rayleigh_damping(this->stiffnesses, this->stiffnesses);
    batch->step(0.02);
  }
  this->expect_same(host, device);
}

TYPED_TEST(DeviceParametersTest, AreSetByCapturedGraphs) {
  Batch<TypeParam> host = this->make(), device = this->make();
  DeviceVector<TypeParam> scale = this->on_device(this->scales);
  const TestStream stream;
  cuda::send(device, stream);
  stream.synchronize();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  cuda::set_stiffness_scale<TypeParam>(device, scale.data(), stream);
  cuda::step(device, 0.02, 1, stream);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  for (int n = 0; n < 2; ++n) {
    host.set_stiffness_scale(this->scales);
    host.step(0.02);
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    stream.synchronize();
    this->expect_same(host, device);
    EXPECT_EQ(device.stiffness_scale()[3], static_cast<TypeParam>(this->scales[3]));
    device.set_stiffness_scale(std::vector<double>(bodies, 1.0));  // until the next launch
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

// On tensor cores and in cuBLAS' product, too, the scale is that of the model's energy, here by a power of 2.
TYPED_TEST(DeviceParametersTest, ScaleAnyProduct) {
  for (const Evaluation evaluation : {Evaluation::tensor, Evaluation::cublas}) {
    // One after the other: a small device has no memory for the work space of two products by a library.
    const auto states = [&](auto&& scale_by_four) {
      Batch<TypeParam> batch = this->make(evaluation);
      scale_by_four(batch);
      batch.step(0.02, 2);
      std::vector<std::vector<TypeParam>> all;
      for (std::int64_t b = 0; b < bodies; ++b) all.push_back(full_state(batch, b));
      return all;
    };
    const auto by_scale =
        states([](Batch<TypeParam>& batch) { batch.set_stiffness_scale(std::vector<double>(bodies, 4.0)); });
    const auto by_energy = states([](Batch<TypeParam>& batch) {
      QuarticEnergy energy = batch.energy();
      for (double& c : energy.coefficients) c *= 4;
      batch.set_energy(energy);
    });
    EXPECT_EQ(by_scale, by_energy);
  }
}

TYPED_TEST(DeviceParametersTest, BodiesStartAgainByNumber) {
  Batch<TypeParam> host = this->make(), device = this->make();
  const std::vector<std::int32_t> numbers = {30, 2, 7, 2};
  const DeviceVector<std::int32_t> on_device(std::vector<std::int32_t>{30, 2, bodies, 7, -1, 2});
  const std::vector<TypeParam> q(rank * bodies, TypeParam{0.25});
  const DeviceVector<TypeParam> start(q);
  const TestStream stream;
  host.step(0.02);
  reset_bodies<TypeParam>(host, numbers, {.q = {q.data(), rank, bodies, 1, rank}});
  host.step(0.02);
  cuda::send(device, stream);
  cuda::step(device, 0.02, 1, stream);
  cuda::reset_bodies<TypeParam>(device, on_device.data(), 6, {.q = {start.data(), rank, bodies, 1, rank}}, stream);
  cuda::reset_bodies<TypeParam>(device, nullptr, 0, {}, stream);
  cuda::step(device, 0.02, 1, stream);
  this->expect_same(host, device);
}

TYPED_TEST(DeviceParametersTest, WrongCallsChangeNothing) {
  Batch<TypeParam> batch = this->make();
  const std::vector<TypeParam> before = full_state(batch, 2), host(bodies);
  const std::vector<std::int32_t> numbers = {1};
  const DeviceVector<TypeParam> good = this->on_device(this->scales);
  const TypeParam* none = nullptr;
  expect_refused([&] { cuda::set_stiffness_scale(batch, host.data(), nullptr); },
                 "stiffness_scale points to host memory");
  expect_refused([&] { cuda::set_stiffness_scale(batch, none, nullptr); }, "null");
  expect_refused([&] { cuda::set_rayleigh_damping<TypeParam>(batch, good.data(), host.data(), nullptr); },
                 "rayleigh_stiffness");
  expect_refused([&] { cuda::reset_bodies<TypeParam>(batch, numbers.data(), 1, {}, nullptr); },
                 "numbers of reset_bodies");
  expect_refused([&] { cuda::reset_bodies<TypeParam>(batch, numbers.data(), -1, {}, nullptr); }, "-1 numbers");
  expect_refused([&] { reset_bodies<TypeParam>(batch, std::vector<std::int32_t>{37}, {}); }, "no body 37");
  expect_refused([] { set_cuda_folder("/nowhere"); }, "opened already");
  EXPECT_EQ(full_state(batch, 2), before);
  EXPECT_EQ(batch.stiffness_scale()[36], TypeParam{1});
}

}  // namespace
}  // namespace quartic
