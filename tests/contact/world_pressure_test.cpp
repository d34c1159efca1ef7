// Hollow bodies under pressure that touch the ground: the pressure acts on their shape, and on nothing else.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "chambers/hollow.hpp"
#include "quartic/chambers.hpp"
#include "quartic/frame_motion.hpp"
#include "quartic/model.hpp"
#include "quartic/world.hpp"
#include "support/free_batches.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::VectorXd;

constexpr double standing_gravity = 9.81;

// A box of 1.5 x 0.9 x 1.2 m with a closed cavity, free to fly.
const ReducedModel& hollow_model() {
  static const ReducedModel model = [] {
    VolumeMesh mesh = hollow_box(BoxCells::hexes, 0);
    ReducedModel made = reduce(mesh, {}, {.modes = 5, .rank = 10});
    add_chamber(made, find_cavities(made.mesh).at(0));
    return made;
  }();
  return model;
}

BodyGroup hollow_body() {
  return {.energy = hollow_model().energy,
          .frame = free_frame(hollow_model()),
          .chambers = chamber_volumes(hollow_model())};
}

World<double> hollow_world(const BatchOptions& options, const ContactOptions& contact) {
  World<double> world(Batch<double>({hollow_body()}, options),
                      {std::make_shared<BoundTree>(bound_tree(hollow_model()))}, contact);
  world.colliders() = {Collider{Shape{PlaneShape{}}}};
  return world;
}

// What pressure, internal forces and contacts leave of the equations of q at rest.
struct Balance {
  VectorXd internal, pressed, pushed;
};
Balance balance_of(const World<double>& world, double pressure, double stiffness_scale) {
  const ReducedModel& model = hollow_model();
  const VectorXd q = get_body<double>(world.batch().q(), 0), pose = get_body<double>(world.batch().pose(), 0);
  const std::span<const double> at(q.data(), static_cast<std::size_t>(q.size()));
  const auto map = [](const std::vector<double>& x) { return VectorXd(VectorXd::Map(x.data(), std::ssize(x))); };
  Balance balance{.internal = stiffness_scale * map(evaluate(model.energy, at).force),
                  .pressed = pressure * map(evaluate(model.chambers[0].volume, at).gradient),
                  .pushed = VectorXd::Zero(q.size())};
  const Eigen::Matrix3d rotation = rotation_of(Eigen::Vector4d(pose.tail<4>()));
  const ContactPoints points = bound_tree(model).points;
  for (const Contact& contact : world.contacts())
    balance.pushed += points.basis.map().middleRows(3 * contact.point, 3).transpose() *
                      (rotation.transpose() * Eigen::Map<const Eigen::Vector3d>(contact.force.data()));
  return balance;
}

// Five centimetres above the ground and fast, so that it may come to touch and is stepped with its contacts, of which
// there are none in the end: a batch whose Newton's method converges does the same. Pressure alone deforms it.
TEST(WorldPressureTest, ABodyThatTouchesNothingMovesAsInABatch) {
  for (const Integrator integrator : {Integrator::backward_euler, Integrator::newmark}) {
    const BatchOptions options{.integrator = integrator, .rayleigh_stiffness = 1e-3, .threads = 1};
    BatchOptions converged = options;
    converged.newton_iterations = 30;
    World<double> world = hollow_world(options, {.tolerance = 1e-13});
    Batch<double> reference({hollow_body()}, converged), once({hollow_body()}, options);
    const double lowest = free_frame(hollow_model()).origin[2];
    for (Batch<double>* batch : {&world.batch(), &reference, &once}) {
      batch->set_pressure(std::vector{4e3});
      batch->set_stiffness_scale(std::vector{0.5});
      batch->pose()(2, 0) = lowest + 0.05;
      batch->twist()(0, 0) = 20;
    }
    for (int n = 0; n < 3; ++n) {
      world.step(5e-3);
      reference.step(5e-3);
      once.step(5e-3);
      ASSERT_TRUE(world.contacts().empty());
    }
    const auto distance = [&](const Batch<double>& other) {
      const VectorXd q = get_body<double>(other.q(), 0);
      return (get_body<double>(std::as_const(world).batch().q(), 0) - q).norm() / q.norm();
    };
    EXPECT_LT(distance(reference), 1e-10);
    EXPECT_GT(distance(once), 1e-7) << "was stepped as the batch does it, so that this tells nothing";
  }
}

// At rest the ground bears the weight, whatever the pressure is, and q is where internal forces are those of the
// pressure and of the ground.
TEST(WorldPressureTest, AtRestTheGroundBearsTheWeightAlone) {
  const FrameMoments frame = free_frame(hollow_model());
  const double weight = frame.mass * standing_gravity;
  double unpressed_volume = 0;
  for (const double pressure : {0.0, 3e4}) {
    World<double> world = hollow_world(
        {.integrator = Integrator::backward_euler, .rayleigh_mass = 60, .rayleigh_stiffness = 5e-3, .threads = 1},
        {.stiffness = 1e7, .dissipation = 5, .friction = 0});
    world.batch().set_pressure(std::vector{pressure});
    world.batch().set_stiffness_scale(std::vector{0.5});
    world.batch().pose()(2, 0) = frame.origin[2];
    add_gravity(world.batch(), {0, 0, -standing_gravity});
    for (int n = 0; n < 400; ++n) world.step(1e-2);
    ASSERT_EQ(world.batch().flags()[0], BodyFlags::none);
    EXPECT_NEAR(world.contact_wrench()[2], weight, 1e-5 * weight) << pressure;
    EXPECT_LT(std::hypot(world.contact_wrench()[0], world.contact_wrench()[1]), 1e-9 * weight);
    const Balance balance = balance_of(world, pressure, 0.5);
    EXPECT_LT((balance.internal - balance.pressed - balance.pushed).norm(), 1e-5 * balance.pushed.norm()) << pressure;
    if (pressure == 0) {
      unpressed_volume = world.batch().enclosed_volume()[0];
    } else {
      EXPECT_GT(balance.pressed.norm(), 1e-3 * balance.pushed.norm()) << "so that the balance tells something";
      EXPECT_GT(world.batch().enclosed_volume()[0], 1.0005 * unpressed_volume);
    }
  }
}

}  // namespace
}  // namespace quartic
