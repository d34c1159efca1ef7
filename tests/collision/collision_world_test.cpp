// Bodies that collide: conserved sums, closed forms, stacks, and what is refused.
#include <gtest/gtest.h>

#include "collision/colliding_blocks.hpp"
#include "quartic/error.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::Vector3d;

// Three that tumble into each other, with friction, and no other forces.
TEST(CollisionWorldTest, MomentaStayAsTheyAre) {
  for (const double stiffness : {1e6, 1e8}) {
    World<double> world = colliding_world<double>({{&soft_blocks(), 2}, {&blocks(), 1}}, backward_euler,
                                                  {.stiffness = stiffness, .dissipation = 0.1, .friction = 0.5});
    for (std::int64_t b = 0; b < 3; ++b)
      set_state(world.batch(), b, tumbling(soft_block(), 1 + static_cast<unsigned>(b)));
    place(world, 0, {-0.7, 0, 0.1});
    place(world, 1, {0.7, 0.1, 0});
    place(world, 2, {0, 1.2, 0});
    world.batch().twist()(0, 0) = 2, world.batch().twist()(0, 1) = -2, world.batch().twist()(1, 2) = -3;
    const Momenta before = momenta_of(world.batch());
    std::size_t touched = 0;
    double least = 0;
    for (int n = 0; n < 300; ++n) {
      world.step(2e-3);
      touched += body_contacts(world).size();
      for (const BodyContact& contact : body_contacts(world)) least = std::min(least, contact.gap);
    }
    const Momenta after = momenta_of(world.batch());
    EXPECT_GT(touched, 100U);
    EXPECT_GT(least, -0.1) << "they don't pass through each other";
    EXPECT_LT((after.linear - before.linear).norm(), 1e-12 * before.linear_size);
    EXPECT_LT((after.angular - before.angular).norm(), 1e-12 * before.angular_size);
    for (const BodyFlags flags : world.batch().flags()) EXPECT_EQ(flags, BodyFlags::none);
    std::cout << "stiffness " << stiffness << ": " << touched << " contacts, deepest " << -least << " m, P "
              << (after.linear - before.linear).norm() / before.linear_size << ", L "
              << (after.angular - before.angular).norm() / before.angular_size << '\n';
  }
}

// The impulses that are read out are the changes of each body's momenta.
TEST(CollisionWorldTest, ReadsOutWhatMovedTheBodies) {
  World<double> world =
      colliding_world<double>({{&soft_blocks(), 2}}, backward_euler, {.stiffness = 1e6, .friction = 0.5});
  place(world, 0, {0, 0, 0});
  place(world, 1, {0.2, 0.1, 0.2995});
  world.batch().twist()(2, 1) = -1, world.batch().twist()(0, 1) = 0.5;
  world.step(2e-3);
  ASSERT_FALSE(body_contacts(world).empty());
  Vector3d force = Vector3d::Zero();
  for (const BodyContact& contact : body_contacts(world))
    force += (contact.body == 0 ? 1 : -1) * Vector3d(contact.force.data());
  const Vector3d read(world.contact_wrench().data());
  EXPECT_LT((force - read).norm(), 1e-12 * force.norm());
  const Vector3d impulse(world.contact_impulse().data()), other(world.contact_impulse().data() + 6);
  EXPECT_LT((impulse - three(world.batch().linear_momentum(), 0)).norm(), 1e-12 * impulse.norm());
  EXPECT_LT((impulse + other).norm(), 1e-12 * impulse.norm());
  EXPECT_LT((Vector3d(world.contact_impulse().data() + 3) + Vector3d(world.contact_impulse().data() + 9)).norm(),
            1e-12 * impulse.norm());
  const CollisionReport report = collision_report(world);
  EXPECT_EQ(report.islands, 1);
  EXPECT_EQ(report.bodies, 2);
  EXPECT_EQ(report.largest_island, 2);
  EXPECT_EQ(report.contacts, std::ssize(body_contacts(world)));
}

// By the closed form for m v dv/dx = -k x (1 + c v), as for shapes; backward Euler takes pi/2 h omega of the speed.
TEST(CollisionWorldTest, BouncesAsHuntAndCrossleyHaveIt) {
  static const ReducedModel stiff = free_block(5e10, 2, 3);
  static const CollidingModel all = {stiff, surface_of(stiff, std::numeric_limits<double>::infinity())};
  const auto potential = [](double x) { return x - std::log1p(x); };
  for (const double dissipation : {0.0, 0.2, 0.6}) {
    double low = 0, high = 1;
    for (int n = 0; n < 60; ++n) {
      const double middle = 0.5 * (low + high);
      (potential(-dissipation * middle) < potential(dissipation) ? low : high) = middle;
    }
    const double expected = dissipation == 0 ? 1 : 0.5 * (low + high);
    World<double> world = colliding_world<double>({{&all, 2}}, {.integrator = Integrator::backward_euler, .threads = 1},
                                                  {.stiffness = 3e6, .dissipation = dissipation, .friction = 0});
    place(world, 1, {0, 0, 0.3002}, quarter_turn());
    world.batch().twist()(2, 0) = 0.5, world.batch().twist()(2, 1) = -0.5;
    for (int n = 0; n < 2000; ++n) world.step(2e-5);
    EXPECT_TRUE(body_contacts(world).empty());
    const double speed = world.batch().twist()(2, 1) - world.batch().twist()(2, 0);
    EXPECT_NEAR(speed, expected, 6e-3) << dissipation;
    std::cout << "dissipation " << dissipation << ": speed after " << speed << ", closed form " << expected << '\n';
  }
}

// Crosswise on each other.
World<double> stack(std::int64_t bodies, int sweeps) {
  World<double> world = colliding_world<double>(
      {{&blocks(), bodies}}, backward_euler, {.stiffness = 1e7, .dissipation = 1, .friction = 0.5}, {.sweeps = sweeps});
  world.colliders() = {Collider{Shape{PlaneShape{}}}};
  for (std::int64_t b = 0; b < bodies; ++b)
    place(world, b, {0, 0, 0.15 + 0.3 * static_cast<double>(b)},
          b % 2 == 0 ? Eigen::Quaterniond::Identity() : quarter_turn());
  add_gravity(world.batch(), {0, 0, -gravity});
  return world;
}

TEST(CollisionWorldTest, AStackStands) {
  World<double> world = stack(5, 50);
  for (int n = 0; n < 300; ++n) world.step(5e-3);
  EXPECT_LT(fastest(world), 1e-4);
  for (std::size_t b = 0; b < 5; ++b) EXPECT_NEAR(world.contact_wrench()[6 * b + 2] / (180 * gravity), 1, 1e-3);
  for (std::int64_t b = 0; b < 5; ++b) {
    EXPECT_NEAR(world.batch().pose()(2, b), 0.15 + 0.3 * static_cast<double>(b), 0.05);
    EXPECT_NEAR(world.batch().pose()(0, b), 0, 1e-3);
  }
  double load = 0;
  for (const Contact& contact : world.contacts()) load += contact.force[2];
  EXPECT_NEAR(load / (5 * 180 * gravity), 1, 1e-3);
  std::cout << "five: fastest " << fastest(world) << " m/s\n";
}

// Two blocks on each other on a slope below the angle of friction.
TEST(CollisionWorldTest, SticksWithoutCreep) {
  for (const double degrees : {20.0, 25.0}) {
    const double a = degrees * std::numbers::pi / 180;
    World<double> world = stack(2, 50);
    add_gravity(world.batch(), {0, 0, gravity});
    add_gravity(world.batch(), {gravity * std::sin(a), 0, -gravity * std::cos(a)});
    for (int n = 0; n < 400; ++n) world.step(5e-3);
    EXPECT_LT(fastest(world), 1e-5) << degrees;
    std::cout << degrees << " degrees: creep " << fastest(world) << " m/s\n";
  }
}

TEST(CollisionWorldTest, SlidesBeyondTheAngleOfFriction) {
  const double a = 35 * std::numbers::pi / 180;
  World<double> world = stack(2, 50);
  add_gravity(world.batch(), {0, 0, gravity});
  add_gravity(world.batch(), {gravity * std::sin(a), 0, -gravity * std::cos(a)});
  for (int n = 0; n < 100; ++n) world.step(2e-3);
  const double before = world.batch().twist()(0, 0);
  for (int n = 0; n < 100; ++n) world.step(2e-3);
  EXPECT_NEAR((world.batch().twist()(0, 0) - before) / 0.2, gravity * (std::sin(a) - 0.5 * std::cos(a)), 0.05);
}

// A block on another one that is held by one end.
TEST(CollisionWorldTest, HeldBodiesBearOthers) {
  const auto [mesh, face] = sample_block(5e6, false);
  const ReducedModel held = reduce(mesh, face, {.modes = 4, .rank = 6});
  const CollidingModel beam = {held, surface_of(held, std::numeric_limits<double>::infinity())};
  World<double> world(Batch<double>({BodyGroup{.energy = held.energy}, flying(flying_block())}, backward_euler),
                      {beam.surface->tree(), blocks().surface->tree()}, {.stiffness = 1e7, .dissipation = 1});
  let_collide(world, {beam.surface, blocks().surface});
  place(world, 1, {0.35, 0.33, 0.45}, quarter_turn());
  world.batch().wrench()(2, 1) = -180 * gravity;
  for (int n = 0; n < 300; ++n) world.step(5e-3);
  EXPECT_NEAR(world.contact_wrench()[6 + 2] / (180 * gravity), 1, 1e-2);
  EXPECT_NEAR(world.contact_wrench()[2], -world.contact_wrench()[6 + 2], 1e-9 * 180 * gravity);
  EXPECT_EQ(world.contact_impulse()[2], 0) << "of bodies without a frame";
  EXPECT_LT(std::abs(world.batch().twist()(2, 1)), 1e-3);
}

TEST(CollisionWorldTest, RefusesWhatDoesNotGoTogether) {
  const auto message = [](Integrator integrator) {
    return message_of([&] {
      static_cast<void>(colliding_world<double>({{&blocks(), 2}}, {.integrator = integrator}, {}));
    });
  };
  EXPECT_EQ(message(Integrator::backward_euler), "");
  for (const auto& [integrator, name] :
       {std::pair{Integrator::energy_conserving, "energy_conserving"}, std::pair{Integrator::newmark, "newmark"}}) {
    EXPECT_NE(message(integrator).find(name), std::string::npos);
    EXPECT_NE(message(integrator).find("take backward_euler"), std::string::npos);
  }
  World<double> world = colliding_world<double>({{&blocks(), 2}}, backward_euler, {});
  const auto refused = [&](std::vector<SharedSurface> surfaces, const CollisionOptions& options) {
    return message_of([&] { let_collide(world, std::move(surfaces), options); });
  };
  EXPECT_NE(refused({}, {}).find("one for each"), std::string::npos);
  EXPECT_NE(refused({soft_blocks().surface}, {}).find("another bound tree"), std::string::npos);
  EXPECT_NE(refused({blocks().surface}, {.sweeps = 0}).find("sweeps"), std::string::npos);
  EXPECT_NE(refused({blocks().surface}, {.ids = {3, 3}}).find("the id 3"), std::string::npos);
  EXPECT_EQ(refused({nullptr}, {}), "");
}

// What meets nothing is stepped as without a word of it.
TEST(CollisionWorldTest, BodiesThatMeetNothingMoveAsInTheirBatch) {
  World<double> world = colliding_world<double>({{&soft_blocks(), 2}}, backward_euler, {});
  Batch<double> alone({flying(soft_block(), 2)}, backward_euler);
  for (Batch<double>* batch : {&world.batch(), &alone})
    for (std::int64_t b = 0; b < 2; ++b) {
      set_state(*batch, b, tumbling(soft_block()));
      batch->pose()(0, b) = 10.0 * static_cast<double>(b);
    }
  for (int n = 0; n < 20; ++n) world.step(2e-3), alone.step(2e-3);
  EXPECT_EQ(collision_report(world).islands, 0);
  for (std::int64_t row = 0; row < 7; ++row)
    for (std::int64_t b = 0; b < 2; ++b) EXPECT_EQ(world.batch().pose()(row, b), alone.pose()(row, b));
}

}  // namespace
}  // namespace quartic
