// Contacts on a device: against the CPU, room for them, and work in a caller's stream.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "contact/contact_models.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/cuda.hpp"
#include "quartic/error.hpp"
#include "quartic/frame_motion.hpp"
#include "quartic/gas.hpp"
#include "quartic/world.hpp"
#include "support/device_memory.hpp"
#include "support/error_message.hpp"
#include "support/free_batches.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using namespace test;
using Tree = std::shared_ptr<const BoundTree>;

const Tree& soft_tree() {
  static const Tree tree = std::make_shared<BoundTree>(bound_tree(soft_block(), {.spacing = 0.2}));
  return tree;
}

template <class T>
class DeviceWorldTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceWorldTest, Precisions);

DistanceGrid ball_grid() {
  return distance_grid(Shape{SphereShape{0.3}}, {-0.4, -0.4, -0.4}, {0.4, 0.4, 0.4}, 0.1);
}

// An octahedron.
MeshShape jewel(double size) {
  return {{size, 0, 0, -size, 0, 0, 0, size, 0, 0, -size, 0, 0, 0, size, 0, 0, -size},
          {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5}};
}

// A plane that tilts, and things of all kinds that move in it.
std::vector<Collider> all_shapes() {
  return {Collider{Shape{PlaneShape{{0.1, 0, 1}, 0}}, {0, 0, -0.02, 0, 0, 0, 1}, {0, 0, 0.1, 0, 0.05, 0}},
          Collider{Shape{SphereShape{0.3}}, {0.4, 0.1, -0.2, 0, 0, 0, 1}, {0, 0, 0, 0, 2, 0}},
          Collider{Shape{CapsuleShape{0.1, 0.3}}, {-0.3, 0, 0, 0, 0.6, 0, 0.8}, {0.2, 0, 0, 0, 0, 0}},
          Collider{Shape{BoxShape{{0.1, 0.2, 0.1}}}, {0, 0.2, -0.05, 0.1, 0, 0, 1}, {0, 0, 0, 0, 0, 1}},
          Collider{Shape{ball_grid()}, {-0.45, -0.2, -0.22, 0, 0, 0.5, 1}, {}},
          Collider{Shape{jewel(0.25)}, {0.15, -0.1, -0.1, 0, 0.1, 0, 1}, {0, 0, 0, 0.5, 0, 0}}};
}

// Two bodies that fly, one of them far from everything at first, and one that is held.
template <class T>
World<T> mixed_world(Backend backend, Integrator integrator) {
  std::vector<BodyGroup> groups = {flying(soft_block(), 2), {.energy = soft_block().energy, .bodies = 1}};
  World<T> world(Batch<T>(std::move(groups), {.integrator = integrator,
                                              .rayleigh_mass = 0.5,
                                              .rayleigh_stiffness = 1e-3,
                                              .threads = 1,
                                              .backend = backend}),
                 {soft_tree(), soft_tree()},
                 {.stiffness = 2e6, .dissipation = 0.3, .friction = 0.4, .tolerance = 1e-13});
  world.colliders() = all_shapes();
  for (std::int64_t b = 0; b < 2; ++b) {
    FreeState state = tumbling(soft_block(), static_cast<unsigned>(b + 1));
    state.position = {0, 0, b == 0 ? 0.16 : 0.35};
    state.velocity = {0.3, 0, -2};
    state.spin *= 0.2;
    set_state(world.batch(), b, state);
  }
  world.batch().velocity()(0, 2) = T{1};
  const std::vector<LoadCurve> curves = {{.times = {0, 0.02}, .scales = {1, 0.5}}};
  world.batch().set_load_curves(curves, std::vector<std::int32_t>{0, -1, 0});
  add_gravity(world.batch(), {0, 0, -9.81});
  return world;
}

template <class T>
std::vector<double> motion_of(const World<T>& world) {
  std::vector<double> numbers;
  const Batch<T>& batch = world.batch();
  for (const StateView<const T>& view :
       {batch.q(), batch.velocity(), batch.pose(), batch.twist(), batch.acceleration(), batch.twist_rate()})
    for (std::int64_t b = 0; b < view.bodies; ++b)
      for (std::int64_t i = 0; i < view.rank; ++i) numbers.push_back(double{view(i, b)});
  return numbers;
}

double largest_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// Both solve each step's equations to 1e-13 of their terms, so that states differ by round-off, which grows by about
// the Courant number of the stiff contacts, 1e3, from step to step while bodies bounce.
TYPED_TEST(DeviceWorldTest, AgreesWithTheCpu) {
  using T = TypeParam;
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler}) {
    World<T> device = mixed_world<T>(Backend::cuda, integrator), host = mixed_world<T>(Backend::cpu, integrator);
    std::size_t most = 0;
    const double allowed = sizeof(T) == 8 ? 1e-8 : 1e-3;
    for (int n = 0; n < 8; ++n) {
      device.step(2e-3, 2);
      host.step(2e-3, 2);
      SCOPED_TRACE(n);
      const std::vector<double> expected = motion_of(host), found = motion_of(device);
      EXPECT_LE(largest_difference(found, expected), allowed * largest_of(expected));
      EXPECT_LE(largest_difference(device.contact_wrench(), host.contact_wrench()),
                allowed * largest_of(host.contact_wrench()));
      EXPECT_LE(largest_difference(device.contact_impulse(), host.contact_impulse()),
                allowed * largest_of(host.contact_impulse()));
      most = std::max(most, host.contacts().size());
      for (std::size_t c = 0; c < device.colliders().size(); ++c)
        EXPECT_LE(largest_difference(device.colliders()[c].pose, host.colliders()[c].pose), 1e-14);
    }
    EXPECT_GT(most, 8U);
    EXPECT_EQ(device.batch().flags()[0], BodyFlags::none);
  }
}

// Contact by contact, in their order. A point on the verge of touching may be in one list alone.
TYPED_TEST(DeviceWorldTest, ListsTheContactsOfTheCpu) {
  using T = TypeParam;
  World<T> device = mixed_world<T>(Backend::cuda, Integrator::backward_euler),
           host = mixed_world<T>(Backend::cpu, Integrator::backward_euler);
  device.step(1e-3);
  host.step(1e-3);
  ASSERT_GT(host.contacts().size(), 4U);
  ASSERT_EQ(device.contacts().size(), host.contacts().size());
  const double allowed = sizeof(T) == 8 ? 1e-9 : 1e-5;
  for (std::size_t n = 0; n < host.contacts().size(); ++n) {
    const Contact &a = device.contacts()[n], &b = host.contacts()[n];
    EXPECT_EQ(a.body, b.body);
    EXPECT_EQ(a.shape, b.shape);
    EXPECT_EQ(a.point, b.point);
    EXPECT_EQ(a.area, b.area);
    EXPECT_NEAR(a.gap, b.gap, allowed);
    EXPECT_LE(largest_difference(a.position, b.position), allowed);
    EXPECT_LE(largest_difference(a.normal, b.normal), allowed);
    EXPECT_LE(largest_difference(a.force, b.force), allowed * (1 + largest_of(b.force)) * 1e3);
  }
}

// Bodies are stepped from what a checkpoint has, and where colliders are: nothing else is kept from step to step.
TYPED_TEST(DeviceWorldTest, GoesOnFromACheckpointToTheBit) {
  using T = TypeParam;
  const TemporaryFolder folder;
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler}) {
    World<T> world = mixed_world<T>(Backend::cuda, integrator), resumed = mixed_world<T>(Backend::cuda, integrator);
    for (int n = 0; n < 3; ++n) world.step(2e-3, 2);
    EXPECT_GT(world.contacts().size(), 4U);
    save_checkpoint(world.batch(), folder / "touching.qstate");
    load_checkpoint(resumed.batch(), folder / "touching.qstate");
    resumed.colliders() = world.colliders();
    for (int n = 0; n < 3; ++n) {
      world.step(2e-3, 2);
      resumed.step(2e-3, 2);
    }
    EXPECT_EQ(motion_of(resumed), motion_of(world));
    EXPECT_EQ(resumed.batch().time(), world.batch().time());
    EXPECT_EQ(resumed.contacts().size(), world.contacts().size());
    EXPECT_EQ(largest_difference(resumed.contact_wrench(), world.contact_wrench()), 0);
  }
}

// Groups of other ranks, and such that touch nothing, change no body's bits.
TYPED_TEST(DeviceWorldTest, GroupsOfAllRanksStepSideBySide) {
  using T = TypeParam;
  static const ReducedModel small = free_block(5e5, 2, 3);
  const Tree small_tree = std::make_shared<BoundTree>(bound_tree(small, {.spacing = 0.2}));
  const auto run = [&](std::vector<BodyGroup> groups, const std::vector<Tree>& trees) {
    World<T> world(Batch<T>(std::move(groups), {.integrator = Integrator::newmark, .backend = Backend::cuda}), trees,
                   {.stiffness = 1e6});
    world.colliders() = {Collider{Shape{PlaneShape{}}}};
    for (std::int64_t b = 0; b < world.batch().bodies(); ++b) {
      world.batch().pose()(2, b) = T(0.149);
      world.batch().twist()(0, b) = T(0.3);
    }
    add_gravity(world.batch(), {0, 0, -9.81});
    world.step(8e-3, 2);
    std::vector<std::vector<double>> bodies;
    const Batch<T>& batch = world.batch();
    for (std::int64_t b = 0; b < batch.bodies(); ++b) {
      const Eigen::VectorXd pose = get_body<T>(batch.pose(), b), twist = get_body<T>(batch.twist(), b);
      bodies.emplace_back(pose.begin(), pose.end());
      bodies.back().insert(bodies.back().end(), twist.begin(), twist.end());
      EXPECT_EQ(world.contact_wrench()[static_cast<std::size_t>(6 * b + 2)] > 0,
                trees[static_cast<std::size_t>(b)] != nullptr);
    }
    return bodies;
  };
  const auto of_small = run({flying(small, 1)}, {small_tree}), of_soft = run({flying(soft_block(), 1)}, {soft_tree()});
  const auto both = run({flying(small, 1), flying(soft_block(), 1)}, {small_tree, soft_tree()});
  EXPECT_EQ(both[0], of_small[0]);
  EXPECT_EQ(both[1], of_soft[0]);
  const auto one = run({flying(soft_block(), 1), flying(small, 1)}, {nullptr, small_tree});
  EXPECT_EQ(one[1], of_small[0]);
}

// ---- Room

constexpr std::int64_t flat_bodies = 9;

// Blocks that lie flat, each with hundreds of points near the plane.
template <class T>
World<T> flat_world(std::int64_t bodies = flat_bodies) {
  static const Tree tree = std::make_shared<BoundTree>(bound_tree(soft_block(), {.spacing = 0.06}));
  World<T> world(
      Batch<T>({flying(soft_block(), bodies)}, {.integrator = Integrator::backward_euler, .backend = Backend::cuda}),
      {tree}, {.stiffness = 1e6});
  world.colliders() = {Collider{Shape{PlaneShape{}}}};
  for (std::int64_t b = 0; b < bodies; ++b) world.batch().pose()(2, b) = T(0.1495);
  add_gravity(world.batch(), {0, 0, -9.81});
  return world;
}

TYPED_TEST(DeviceWorldTest, GrowsAndDoesTheStepAgain) {
  World<TypeParam> grows = flat_world<TypeParam>(), has_room = flat_world<TypeParam>();
  const std::int64_t before = cuda::device_contacts(grows).capacity;
  cuda::reserve_contacts(has_room, 100000);
  for (int n = 0; n < 2; ++n) {
    grows.step(4e-3, 2);
    has_room.step(4e-3, 2);
  }
  EXPECT_GT(cuda::device_contacts(grows).capacity, before);
  EXPECT_EQ(cuda::device_contacts(has_room).capacity, 100000);
  EXPECT_EQ(motion_of(grows), motion_of(has_room));
  EXPECT_EQ(grows.contacts().size(), has_room.contacts().size());
  EXPECT_EQ(grows.batch().time(), has_room.batch().time());
  for (const BodyFlags flags : grows.batch().flags()) EXPECT_EQ(flags, BodyFlags::none);
}

std::int64_t number_at(const std::int64_t* on_device) {
  std::int64_t number = 0;
  EXPECT_EQ(cudaMemcpy(&number, on_device, sizeof(number), cudaMemcpyDeviceToHost), cudaSuccess);
  return number;
}

// In a stream nothing grows: what fits is stepped to the bit, what doesn't falls, and is flagged.
TYPED_TEST(DeviceWorldTest, WhatDoesNotFitIsLeftOutWhole) {
  World<TypeParam> world = flat_world<TypeParam>(), has_room = flat_world<TypeParam>();
  const TestStream stream;
  const std::int64_t capacity = cuda::device_contacts(world).capacity;
  cuda::send_colliders(world);
  cuda::send(world.batch(), stream);
  cuda::step(world, 1e-3, 1, stream);
  cuda::fetch(world.batch(), stream);
  stream.synchronize();
  has_room.step(1e-3);
  const std::int64_t needed = number_at(cuda::device_contacts(world).needed);
  EXPECT_GT(needed, capacity);
  const std::int64_t each = needed / flat_bodies;
  const Batch<TypeParam>&found = std::as_const(world).batch(), &expected = std::as_const(has_room).batch();
  for (std::int64_t b = 0; b < flat_bodies; ++b) {
    const bool fits = (b + 1) * each <= capacity;
    EXPECT_EQ(world.batch().flags()[static_cast<std::size_t>(b)], fits ? BodyFlags::none : BodyFlags::contacts_lost)
        << b;
    if (fits)
      EXPECT_EQ(get_body<TypeParam>(found.twist(), b), get_body<TypeParam>(expected.twist(), b));
    else
      EXPECT_NEAR(double{found.twist()(2, b)}, -9.81e-3, 1e-6);
  }
  EXPECT_LT(number_at(cuda::device_contacts(world).count), capacity);
  cuda::reserve_contacts(world, needed);
  EXPECT_EQ(cuda::device_contacts(world).capacity, needed);
}

// ---- A stream of the caller's

TYPED_TEST(DeviceWorldTest, CapturedStepsAreThoseOfTheHost) {
  using T = TypeParam;
  World<T> world = mixed_world<T>(Backend::cuda, Integrator::backward_euler),
           expected = mixed_world<T>(Backend::cuda, Integrator::backward_euler);
  const TestStream stream;
  cuda::send_colliders(world);
  cuda::send(world.batch(), stream);
  stream.synchronize();
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  cuda::step(world, 2e-3, 2, stream);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphExec_t steps = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&steps, graph, 0), cudaSuccess);
  for (int n = 0; n < 4; ++n) {
    ASSERT_EQ(cudaGraphLaunch(steps, stream), cudaSuccess);
    expected.step(2e-3, 2);
  }
  stream.synchronize();
  cuda::fetch(world.batch(), stream);
  stream.synchronize();
  EXPECT_EQ(motion_of(world), motion_of(expected));
  ASSERT_EQ(world.contacts().size(), expected.contacts().size());
  EXPECT_GT(world.contacts().size(), 4U);
  EXPECT_EQ(largest_difference(world.contact_wrench(), expected.contact_wrench()), 0);
  cudaGraphExecDestroy(steps);
  cudaGraphDestroy(graph);
}

// A gas takes hollow bodies out of the kernel that the world's steps are captured with, and puts them back.
TYPED_TEST(DeviceWorldTest, GasesOfThePastAreForgotten) {
  using T = TypeParam;
  EnclosedVolume volume{soft_block().rank(), {}};
  volume.coefficients.assign(static_cast<std::size_t>(cubic_coefficient_count(volume.rank)), 0);
  volume.coefficients[0] = 6;  // 1 m^3
  const auto stepped = [&](bool with_gas) {
    BodyGroup hollow{.energy = soft_block().energy, .bodies = 2, .chambers = {volume}};
    World<T> world(Batch<T>({std::move(hollow), flying(soft_block())}, {.backend = Backend::cuda}),
                   {nullptr, soft_tree()});
    world.colliders() = {Collider{Shape{PlaneShape{}}}};
    world.batch().velocity()(0, 1) = T{1};
    world.step(1e-3);
    if (with_gas) {
      set_gas<T>(world.batch(), std::vector<double>{1, 2, 0});
      expect_refused([&] { world.step(1e-3); }, "set_gas");
      set_gas<T>(world.batch(), std::vector<double>(3));
    }
    world.step(1e-3);
    return motion_of(world);
  };
  EXPECT_EQ(stepped(true), stepped(false));
}

TYPED_TEST(DeviceWorldTest, RefusesWhatItCannotDo) {
  using T = TypeParam;
  World<T> host = mixed_world<T>(Backend::cpu, Integrator::newmark);
  expect_refused([&] { static_cast<void>(cuda::device_contacts(host)); }, "Backend::cuda");
  World<T> world = mixed_world<T>(Backend::cuda, Integrator::newmark);
  expect_refused([&] { cuda::step(world, 1e-3, 1, nullptr); }, "send_colliders");
  expect_refused([&] { cuda::reserve_contacts(world, 0); }, "above 0");
}

}  // namespace
}  // namespace quartic
