// A base that accelerates: recordings, and held bodies on it beside bodies whose fixed vertices are moved.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "quartic/batch.hpp"
#include "quartic/error.hpp"
#include "quartic/loads.hpp"
#include "quartic/unreduced.hpp"
#include "support/boxes.hpp"
#include "support/error_message.hpp"
#include "support/moving_base.hpp"
#include "supports/supported_boxes.hpp"

namespace {

using Eigen::Vector3d;
using namespace quartic;

class BaseAccelerationFile : public testing::Test {
 protected:
  BaseAcceleration read(const std::string& text) {
    std::ofstream(folder_ / "shake.csv") << text;
    return read_base_acceleration(folder_ / "shake.csv");
  }
  std::string refusal(const std::string& text) {
    return test::message_of([&] { static_cast<void>(read(text)); });
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(BaseAccelerationFile, IsLinearBetweenSamplesAndZeroOutside) {
  const BaseAcceleration base = read("Time,ax,ay,az\n# a step and a ramp\n1,2,0,0\n1.5, 4 0 -1\n3,4,0,0\n");
  ASSERT_EQ(base.times.size(), 3);
  EXPECT_EQ(acceleration_at(base, 0.99), (std::array<double, 3>{}));
  EXPECT_EQ(acceleration_at(base, 1), (std::array<double, 3>{2, 0, 0}));
  EXPECT_EQ(acceleration_at(base, 1.25), (std::array<double, 3>{3, 0, -0.5}));
  EXPECT_EQ(acceleration_at(base, 1.5), (std::array<double, 3>{4, 0, -1}));
  EXPECT_EQ(acceleration_at(base, 3), (std::array<double, 3>{4, 0, 0}));
  EXPECT_EQ(acceleration_at(base, 3.01), (std::array<double, 3>{}));
  EXPECT_EQ(acceleration_at({}, 0), (std::array<double, 3>{}));
  EXPECT_NE(test::message_of([] {
              (void)acceleration_at({{0, 1}, {{1, 2, 3}}}, 0.5);
            }).find("2 times, but 1 acc"),
            std::string::npos);
}

TEST_F(BaseAccelerationFile, IsRefusedWithItsLine) {
  EXPECT_NE(refusal("0,1,2\n").find("shake.csv:1: the number of 'az' is missing"), std::string::npos);
  EXPECT_NE(refusal("0,1,2,3\n0,1,2,3\n").find(":2: times must ascend"), std::string::npos);
  EXPECT_NE(refusal("time,ax,az,ay\n0,1,2,3\n").find("columns"), std::string::npos);
  EXPECT_NE(refusal("0,1,2,x\n").find("'x' is not a finite number"), std::string::npos);
  EXPECT_NE(refusal("0,1,2,inf\n").find("finite"), std::string::npos);
  EXPECT_NE(refusal("0,1,2,3,4\n").find("behind the last number"), std::string::npos);
  EXPECT_NE(refusal("time,ax,ay,az\n").find("there are no numbers"), std::string::npos);
}

// In the base's frame under -M 1 a, and in the world with fixed vertices that go the way that Newmark's rule makes of
// a. With a lumped mass matrix fixed vertices' inertia isn't the free ones', so that both are the same motion.
TEST(BaseAcceleration, MovesABodyAsItsMovedSupportsDo) {
  const VolumeMesh mesh = test::make_box(test::BoxCells::alternating, {3, 1, 1});
  const auto fixed = test::plane(mesh, 0, 0);
  const BaseAcceleration base{{0, 0.02, 0.05, 0.11, 0.2}, {{}, {60, -30, 90}, {-80, 20, 10}, {30, 0, -70}, {}}};
  const UnreducedOptions options{.newton_iterations = 8, .newton_tolerance = 1e-12, .mass_matrix = MassMatrix::lumped};
  UnreducedBody relative(mesh, fixed, options), world(mesh, fixed, options);
  const double dt = 0.005;
  Vector3d place = Vector3d::Zero(), velocity = Vector3d::Zero(), acceleration = Vector3d::Zero();
  double largest = 0, difference = 0;
  for (int step = 1; step <= 50; ++step) {
    const auto a = acceleration_at(base, step * dt);
    const std::vector<double> force = gravity_force(relative.mass(), std::array<double, 3>{-a[0], -a[1], -a[2]});
    std::copy(force.begin(), force.end(), relative.force().begin());
    relative.step(dt);
    const Vector3d next = Vector3d::Map(a.data());
    place += dt * velocity + dt * dt / 4 * (acceleration + next);
    velocity += dt / 2 * (acceleration + next);
    acceleration = next;
    for (const auto v : fixed) Vector3d::Map(world.displacement().data() + 3 * std::ptrdiff_t{v}) = place;
    world.step(dt);
    for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {
      const Vector3d here = Vector3d::Map(relative.displacement().data() + 3 * std::ptrdiff_t{v});
      const Vector3d there = Vector3d::Map(world.displacement().data() + 3 * std::ptrdiff_t{v});
      largest = std::max(largest, here.norm());
      difference = std::max(difference, (here + place - there).norm());
    }
  }
  EXPECT_GT(largest, 0.02);
  EXPECT_LE(difference, 1e-10 * largest);
}

// A reduced body under -s a, and the same mounted on a base that the caller moves.
TEST(BaseAcceleration, MovesAReducedBodyAsAMountedOne) {
  const ReducedModel model = test::held_block(4e5, 4, 8);
  BodyGroup mounted{.energy = model.energy, .bodies = 1, .frame = base_frame(model), .motion = FrameMotion::prescribed};
  const BatchOptions options{.newton_iterations = 6};
  Batch<double> held(model.energy, options), carried({mounted}, options);
  const BaseAcceleration base{{0, 0.03, 0.1, 0.2}, {{}, {20, -30, 15}, {-25, 10, 5}, {}}};
  const double dt = 0.004;
  double largest = 0;
  for (int step = 1; step <= 60; ++step) {
    const auto a = acceleration_at(base, step * dt);
    for (int i = 0; i < 8; ++i) {
      double force = 0;
      for (int c = 0; c < 3; ++c) force -= model.unit_acceleration(i, c) * a[static_cast<std::size_t>(c)];
      held.force()(i, 0) = force;
    }
    for (int c = 0; c < 3; ++c) carried.twist_rate()(c, 0) = a[static_cast<std::size_t>(c)];
    held.step(dt);
    carried.step(dt);
    for (int i = 0; i < 8; ++i) {
      largest = std::max(largest, std::abs(held.q()(i, 0)));
      ASSERT_NEAR(held.q()(i, 0), carried.q()(i, 0), 1e-12 * largest) << step;
    }
  }
  EXPECT_GT(largest, 0.1);
}

}  // namespace
