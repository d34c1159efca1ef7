// A loop for learning on a device: thousands of environments, resets, actions, steps and observations as one graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "quartic/bound_tree.hpp"
#include "quartic/cuda.hpp"
#include "quartic/frame_moments.hpp"
#include "quartic/world.hpp"
#include "support/device_memory.hpp"
#include "support/free_batches.hpp"

namespace quartic {
namespace {

using namespace test;
using Tree = std::shared_ptr<const BoundTree>;

std::int64_t number_at(const std::int64_t* on_device) {
  std::int64_t number = 0;
  EXPECT_EQ(cudaMemcpy(&number, on_device, sizeof(number), cudaMemcpyDeviceToHost), cudaSuccess);
  return number;
}

const ReducedModel& small_block() {
  static const ReducedModel model = free_block(2e6, 2, 3);
  return model;
}

// Resets by a mask, actions, steps, observations: nothing in it waits or allocates, or it couldn't be captured,
// whatever this thread does. Each environment does what one by itself does, to the bit.
TEST(DeviceLearningTest, ALoopOfManyEnvironmentsIsOneGraph) {
  if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  constexpr std::int64_t environments = 4096, observed = 13;
  static const Tree tree = std::make_shared<BoundTree>(bound_tree(small_block()));
  const auto make = [](std::int64_t bodies) {
    World<float> world(Batch<float>({flying(small_block(), bodies)},
                                    {.integrator = Integrator::backward_euler, .backend = Backend::cuda}),
                       {tree}, {.friction = 0.2});
    world.colliders() = {Collider{Shape{PlaneShape{}}}};
    cuda::send_colliders(world);
    return world;
  };
  const auto mass = static_cast<float>(free_frame(small_block()).mass);
  const auto pushes = [&](std::int64_t environment) { return environment % 2 == 0 ? 8 * mass : 0; };
  const auto run = [&](std::int64_t bodies, const std::function<std::int64_t(std::int64_t)>& environment_of) {
    World<float> world = make(bodies);
    std::vector<float> actions(static_cast<std::size_t>(6 * bodies)), starts(static_cast<std::size_t>(7 * bodies));
    std::vector<std::uint8_t> masks(static_cast<std::size_t>(bodies));
    for (std::int64_t b = 0; b < bodies; ++b) {
      const auto n = static_cast<std::size_t>(b);
      const std::int64_t environment = environment_of(b);
      actions[6 * n] = pushes(environment), actions[6 * n + 2] = -9.81F * mass;
      starts[7 * n + 2] = 0.15F, starts[7 * n + 6] = 1;
      masks[n] = environment % 4 == 0 ? 1 : 0;
    }
    const DeviceVector<float> action(actions), start(starts);
    const DeviceVector<float> observation(std::vector<float>(static_cast<std::size_t>(observed * bodies)));
    const DeviceVector<std::uint8_t> done(std::vector<std::uint8_t>(masks.size(), 1));
    const TestStream stream;
    cuda::reserve_contacts(world, 32 * bodies);
    const cuda::DeviceState<float> state = cuda::device_state(world.batch());
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    cuda::reset_bodies(world.batch(), done.data(), {.pose = {start.data(), 7, bodies, 1, 7}}, stream);
    cuda::copy_state(StateView<const float>{action.data(), 6, bodies, 1, 6}, state.wrench, stream);
    cuda::step(world, 1e-2, 2, stream);
    cuda::copy_state(state.pose, {observation.data(), 7, bodies, 1, observed}, stream);
    cuda::copy_state(state.twist, {observation.data() + 7, 6, bodies, 1, observed}, stream);
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cudaGraphExec_t iteration = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&iteration, graph, 0), cudaSuccess);
    for (int n = 0; n < 3; ++n) {
      EXPECT_EQ(cudaGraphLaunch(iteration, stream), cudaSuccess);
      stream.synchronize();
      const std::vector<std::uint8_t> next(masks.size(), 0);
      EXPECT_EQ(cudaMemcpy(done.data(), (n == 1 ? masks : next).data(), masks.size(), cudaMemcpyHostToDevice),
                cudaSuccess);
    }
    EXPECT_LE(number_at(cuda::device_contacts(world).needed), 32 * bodies);
    const std::span<const double> wrench = world.contact_wrench();
    for (std::size_t n = 0; n < masks.size(); ++n) EXPECT_GT(wrench[6 * n + 2], 0) << n;
    cudaGraphExecDestroy(iteration);
    cudaGraphDestroy(graph);
    return observation.values();
  };
  const std::vector<float> all = run(environments, [](std::int64_t b) { return b; });
  const std::vector<float> four = run(4, [](std::int64_t b) { return environments - 4 + b; });
  EXPECT_TRUE(std::equal(four.begin(), four.end(), all.end() - 4 * observed));
  EXPECT_GT(four[2 * observed], 0.5F * 8 * 0.03F * 0.03F * 0.7F) << "slides for 30 ms";
  EXPECT_LT(four[0], 0.3F * four[2 * observed]) << "anew for 10 ms";
  EXPECT_LT(std::abs(four[observed]), 1e-4F) << "nobody pushes";
}

}  // namespace
}  // namespace quartic
