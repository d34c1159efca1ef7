// Bodies that touch shapes: against the equations solved another way, closed forms and conserved sums.
#include "quartic/world.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "contact/contact_models.hpp"
#include "quartic/editing.hpp"
#include "quartic/error.hpp"
#include "quartic/frame_motion.hpp"
#include "support/error_message.hpp"
#include "support/free_batches.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Tree = std::shared_ptr<const BoundTree>;

// The vertices of the block, which has a mass of 180 kg.
Tree corners_of(const ReducedModel& model) {
  return std::make_shared<BoundTree>(bound_tree(model));
}

// Stands on the plane z = 0.
template <class T>
World<T> standing_world(const BatchOptions& batch_options, const ContactOptions& options, std::int64_t bodies = 1) {
  World<T> world(TestedBatch<T>({flying(flying_block(), bodies)}, batch_options), {block_corners()}, options);
  world.colliders() = {Collider{Shape{PlaneShape{}}}};
  for (std::int64_t b = 0; b < bodies; ++b) world.batch().pose()(2, b) = static_cast<T>(0.15);
  return world;
}

double pressed_area(const World<double>& world) {
  double area = 0;
  for (const Contact& contact : world.contacts()) area += contact.area;
  return area;
}

TEST(WorldTest, AtRestABodySinksInByItsWeight) {
  for (const double stiffness : {1e6, 1e8})
    for (const double h : {1e-3, 1e-2}) {
      BatchOptions damped = backward_euler;
      damped.rayleigh_mass = 60;
      World<double> world = standing_world<double>(damped, {.stiffness = stiffness, .dissipation = 5, .friction = 0});
      add_gravity(world.batch(), {0, 0, -gravity});
      for (int n = 0; n < (h < 5e-3 ? 800 : 300); ++n) world.step(h);
      const double weight = 180 * gravity;
      double depth = 0;
      for (const Contact& contact : world.contacts()) depth -= contact.area * contact.gap;
      depth /= pressed_area(world);
      EXPECT_NEAR(depth * stiffness * pressed_area(world) / weight, 1, 1e-5) << stiffness << ' ' << h;
      EXPECT_NEAR(world.contact_wrench()[2] / weight, 1, 1e-5);
      EXPECT_LT(std::abs(world.contact_wrench()[3]) + std::abs(world.contact_wrench()[4]), 1e-5 * weight);
      EXPECT_LT(get_body<double>(std::as_const(world).batch().twist(), 0).norm(), 1e-6);
      EXPECT_EQ(world.batch().flags()[0], BodyFlags::none);
    }
}

TEST(WorldTest, FloatsComeToRestAsWell) {
  World<float> world = standing_world<float>(backward_euler, {.stiffness = 1e6});
  add_gravity(world.batch(), {0, 0, -gravity});
  for (int n = 0; n < 200; ++n) world.step(5e-3);
  EXPECT_NEAR(world.contact_wrench()[2] / (180 * gravity), 1, 1e-3);
  EXPECT_EQ(world.batch().flags()[0], BodyFlags::none);
}

// On a slope of 30 or 35 degrees a block slides with g (sin a - mu cos a).
TEST(WorldTest, SlidesDownASlope) {
  for (const double degrees : {30.0, 35.0}) {
    const double a = degrees * std::numbers::pi / 180;
    World<double> world = standing_world<double>(backward_euler, {.stiffness = 1e7, .friction = 0.5});
    add_gravity(world.batch(), {gravity * std::sin(a), 0, -gravity * std::cos(a)});
    for (int n = 0; n < 150; ++n) world.step(2e-3);
    const double before = world.batch().twist()(0, 0);
    for (int n = 0; n < 150; ++n) world.step(2e-3);
    const double acceleration = (world.batch().twist()(0, 0) - before) / 0.3;
    EXPECT_NEAR(acceleration, gravity * (std::sin(a) - 0.5 * std::cos(a)), 5e-3) << degrees;
  }
}

// Where it sticks it creeps with v such that 2 v / v_eps - (v / v_eps)^2 = tan a / mu.
TEST(WorldTest, SticksOnASlope) {
  for (const double degrees : {20.0, 25.0}) {
    const double a = degrees * std::numbers::pi / 180;
    World<double> world = standing_world<double>(backward_euler, {.stiffness = 1e7, .friction = 0.5});
    add_gravity(world.batch(), {gravity * std::sin(a), 0, -gravity * std::cos(a)});
    for (int n = 0; n < 200; ++n) world.step(5e-3);
    const double creep = world.batch().twist()(0, 0) / world.options().friction_velocity;
    EXPECT_LT(creep, 1);
    EXPECT_NEAR(creep, 1 - std::sqrt(1 - std::tan(a) / 0.5), 0.02) << degrees;
  }
}

// What isn't held back by friction is taken along: a belt with 0.5 m/s.
TEST(WorldTest, ABeltTakesBodiesAlong) {
  World<double> world = standing_world<double>(backward_euler, {.stiffness = 1e7, .friction = 0.3});
  add_gravity(world.batch(), {0, 0, -gravity});
  for (int n = 0; n < 100; ++n) world.step(5e-3);
  world.colliders()[0].twist = {0.5, 0, 0, 0, 0, 0};
  for (int n = 0; n < 10; ++n) world.step(5e-3);
  EXPECT_NEAR(world.batch().twist()(0, 0), 0.3 * gravity * 0.05, 5e-3) << "slides, with mu g";
  for (int n = 0; n < 90; ++n) world.step(5e-3);
  EXPECT_NEAR(world.batch().twist()(0, 0), 0.5, 1e-3);
  EXPECT_NEAR(world.colliders()[0].pose[0], 0.25, 1e-12);
}

// By the closed form for m v dv/dx = -k x (1 + c v): v / c - ln(1 + c v) / c^2 is the same at both ends.
TEST(WorldTest, BouncesAsHuntAndCrossleyHaveIt) {
  static const ReducedModel stiff = free_block(5e10, 2, 3);
  const auto potential = [](double x) { return x - std::log1p(x); };
  for (const double dissipation : {0.0, 0.2, 0.6}) {
    double low = 0, high = 1;
    for (int n = 0; n < 60; ++n) {
      const double middle = 0.5 * (low + high);
      (potential(-dissipation * middle) < potential(dissipation) ? low : high) = middle;
    }
    const double expected = dissipation == 0 ? 1 : 0.5 * (low + high);
    World<double> world(TestedBatch<double>({flying(stiff)}, {.threads = 1}), {corners_of(stiff)},
                        {.stiffness = 3e6, .dissipation = dissipation, .friction = 0});
    world.colliders() = {Collider{Shape{PlaneShape{}}}};
    world.batch().pose()(2, 0) = 0.1505;
    world.batch().twist()(2, 0) = -1;
    for (int n = 0; n < 800; ++n) world.step(1e-4);
    EXPECT_TRUE(world.contacts().empty());
    EXPECT_NEAR(world.batch().twist()(2, 0), expected, 2e-3) << dissipation;
  }
}

// A tumbling body that hits a plane and a ball, with friction: no other forces.
TEST(WorldTest, MomentaChangeByTheImpulsesReadOut) {
  for (const Integrator integrator : {Integrator::backward_euler, Integrator::newmark}) {
    World<double> world(TestedBatch<double>({flying(flying_block())}, {.integrator = integrator, .threads = 1}),
                        {block_corners()}, {.stiffness = 1e6, .dissipation = 0.3, .friction = 0.4});
    world.colliders() = {Collider{Shape{PlaneShape{}}, {0, 0, 1.55, 0, 0, 0, 1}, {0, 0, 1, 0.2, 0, 0}},
                         Collider{Shape{SphereShape{0.4}}, {1.4, -0.2, 2, 0, 0, 0, 1}, {-1, 0, 0, 0, 0, 3}}};
    set_state(world.batch(), 0, tumbling(flying_block()));
    std::size_t most = 0;
    double largest = 0;
    for (int n = 0; n < 200; ++n) {
      const auto momenta = [&]() -> std::pair<Vector3d, Vector3d> {
        const Vector3d p = three(world.batch().linear_momentum()), l = three(world.batch().angular_momentum());
        const Vector3d c = get_body<double>(std::as_const(world).batch().pose(), 0).head<3>();
        return {p, l + c.cross(p)};
      };
      const auto [p0, l0] = momenta();
      world.step(2e-3);
      const auto [p1, l1] = momenta();
      const std::vector<double> impulse(world.contact_impulse().begin(), world.contact_impulse().end());
      EXPECT_LT((p1 - p0 - three(impulse, 0)).norm(), 1e-12 * p0.norm()) << n;
      EXPECT_LT((l1 - l0 - three(impulse, 1)).norm(), 1e-12 * (l0.norm() + p0.norm())) << n;
      most = std::max(most, world.contacts().size());
      largest = std::max(largest, three(impulse, 1).norm());
    }
    EXPECT_GE(most, 2U);
    EXPECT_GT(largest, 1);
    EXPECT_EQ(world.batch().flags()[0], BodyFlags::none);
  }
}

// ---- Held bodies

const ReducedModel& held_beam() {
  static const ReducedModel model = [] {
    const ProceduralMesh beam = make_box({.length = 1, .width = 0.1, .height = 0.1, .cells_x = 12});
    return reduce(beam.mesh, beam.fixed_vertices, {.modes = 4, .rank = 8});
  }();
  return model;
}

TEST(WorldTest, AHeldBeamRestsOnABallThatLiftsIt) {
  const ReducedModel& model = held_beam();
  const Tree tree = std::make_shared<BoundTree>(bound_tree(model, {.spacing = 0.02}));
  for (const Integrator integrator : {Integrator::backward_euler, Integrator::newmark}) {
    World<double> world(
        TestedBatch<double>(model.energy,
                            {.integrator = integrator, .rayleigh_mass = 40, .rayleigh_stiffness = 5e-3, .threads = 1}),
        {tree}, {.stiffness = 1e8, .friction = 0});
    Collider ball{Shape{SphereShape{0.1}}};
    ball.pose = {0.9, 0.05, -0.11, 0, 0, 0, 1};
    world.colliders() = {moving_to(ball, {0.9, 0.05, -0.03, 0, 0, 0, 1}, 0.4)};
    for (int n = 0; n < 200; ++n) world.step(2e-3);
    EXPECT_NEAR(world.colliders()[0].pose[2], -0.03, 1e-12);
    world.colliders()[0].twist = {};
    for (int n = 0; n < 600; ++n) world.step(2e-3);
    ASSERT_FALSE(world.contacts().empty());
    const VectorXd q = get_body<double>(std::as_const(world).batch().q(), 0);
    const std::vector<double> point(q.begin(), q.end());
    const VectorXd internal = Eigen::Map<const VectorXd>(evaluate(model.energy, point).force.data(), q.size());
    VectorXd pushed = VectorXd::Zero(q.size());
    Vector3d force = Vector3d::Zero(), torque = Vector3d::Zero();
    for (const Contact& contact : world.contacts()) {
      const Vector3d f(contact.force.data());
      pushed += tree->points.basis.map().middleRows(3 * contact.point, 3).transpose() * f;
      force += f;
      torque += Vector3d(contact.position.data()).cross(f);
      EXPECT_NEAR(Vector3d(contact.normal.data()).cross(f).norm(), 0, 1e-12 * f.norm()) << "without friction";
      EXPECT_NEAR((Vector3d(contact.position.data()) - Vector3d(0.9, 0.05, -0.03)).norm() - 0.1, contact.gap, 1e-12);
    }
    EXPECT_LT((pushed - internal).norm(), 1e-5 * internal.norm());
    EXPECT_GT(force[2], 10);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_DOUBLE_EQ(world.contact_wrench()[k], force[static_cast<Eigen::Index>(k)]);
      EXPECT_NEAR(world.contact_wrench()[3 + k], torque[static_cast<Eigen::Index>(k)], 1e-10 * torque.norm());
    }
  }
}

// ---- What a body's motion depends on

TEST(WorldTest, WithoutContactsABatchStepsAsItDoesAlone) {
  World<double> world = standing_world<double>(backward_euler, {}, 3);
  TestedBatch<double> batch({flying(flying_block(), 3)}, backward_euler);
  for (std::int64_t b = 0; b < 3; ++b) {
    FreeState state = tumbling(flying_block(), static_cast<unsigned>(b + 1));
    state.position[2] = 5;
    set_state(world.batch(), b, state);
    set_state(batch, b, state);
  }
  world.step(0.01, 5);
  batch.step(0.01, 5);
  for (std::int64_t b = 0; b < 3; ++b) {
    EXPECT_EQ(full_state(world.batch(), b), full_state(batch, b));
    EXPECT_EQ(get_body<double>(std::as_const(world).batch().pose(), b),
              get_body<double>(std::as_const(batch).pose(), b));
  }
  EXPECT_TRUE(world.contacts().empty());
  EXPECT_EQ(world.batch().time(), batch.time());
}

template <class T>
class WorldBitsTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(WorldBitsTest, Precisions);

TYPED_TEST(WorldBitsTest, ABodysBitsAreItsOwn) {
  const auto run = [](std::int64_t bodies, std::int64_t slot, int threads) {
    BatchOptions options = backward_euler;
    options.threads = threads;
    World<TypeParam> world = standing_world<TypeParam>(options, {.stiffness = 1e6, .dissipation = 0.1}, bodies);
    world.colliders().push_back(Collider{Shape{CapsuleShape{0.1, 1}}, {0.2, 0, -0.02, 0, 0.7, 0, 0.7}, {}});
    for (std::int64_t b = 0; b < bodies; ++b) {
      FreeState state = tumbling(flying_block(), b == slot ? 1 : static_cast<unsigned>(b + 7));
      state.position = {0, 0, b == slot ? 0.5 : 0.3 + 0.1 * static_cast<double>(b % 5)};
      state.velocity[2] = -2;
      set_state(world.batch(), b, state);
    }
    add_gravity(world.batch(), {0, 0, -gravity});
    std::size_t touched = 0;
    for (int n = 0; n < 40; ++n) {
      world.step(4e-3);
      touched += static_cast<std::size_t>(std::count_if(world.contacts().begin(), world.contacts().end(),
                                                        [&](const Contact& c) { return c.body == slot; }));
    }
    EXPECT_GT(touched, 10U);
    std::vector<TypeParam> state = full_state(world.batch(), slot);
    for (std::int64_t row = 0; row < 7; ++row) state.push_back(world.batch().pose()(row, slot));
    for (std::int64_t row = 0; row < 6; ++row) state.push_back(world.batch().twist()(row, slot));
    return state;
  };
  const std::vector<TypeParam> alone = run(1, 0, 1);
  EXPECT_EQ(run(1, 0, 1), alone);
  EXPECT_EQ(run(12, 11, 1), alone);
  EXPECT_EQ(run(12, 11, 3), alone);
}

TEST(WorldTest, GroupsWithoutATreeTouchNothing) {
  std::vector<BodyGroup> groups = {flying(flying_block(), 2), flying(flying_block(), 1)};
  World<double> world(TestedBatch<double>(groups, backward_euler), {nullptr, block_corners()});
  world.colliders() = {Collider{Shape{PlaneShape{}}}};
  add_gravity(world.batch(), {0, 0, -gravity});
  for (std::int64_t b = 0; b < 3; ++b) world.batch().pose()(2, b) = 0.15;
  for (int n = 0; n < 100; ++n) world.step(0.01);
  EXPECT_NEAR(world.batch().pose()(2, 0), 0.15 - 0.5 * gravity, 0.06);
  EXPECT_NEAR(world.batch().pose()(2, 2), 0.15, 1e-3);
  for (const Contact& contact : world.contacts()) EXPECT_EQ(contact.body, 2);
  EXPECT_EQ(world.contact_wrench()[2], 0);
  EXPECT_GT(world.contact_wrench()[14], 0);
}

// Forces of another energy: the model may be edited while it runs.
TEST(WorldTest, FollowsANewEnergyAndLoadCurves) {
  World<double> world = standing_world<double>(backward_euler, {.stiffness = 1e6});
  add_gravity(world.batch(), {0, 0, -gravity});
  const std::vector<LoadCurve> curves = {{.times = {0, 1, 1}, .scales = {1, 1, 2}}};
  const std::vector<std::int32_t> of_body = {0};
  world.batch().set_load_curves(curves, of_body);
  for (int n = 0; n < 99; ++n) world.step(0.01);
  EXPECT_NEAR(world.contact_wrench()[2], 180 * gravity, 1);
  QuarticEnergy stiffer = flying_block().energy;
  for (double& x : stiffer.coefficients) x *= 100;
  world.batch().set_energy(stiffer);
  for (int n = 0; n < 200; ++n) world.step(0.01);
  EXPECT_NEAR(world.contact_wrench()[2], 2 * 180 * gravity, 1);
  EXPECT_LT(get_body<double>(std::as_const(world).batch().q(), 0).norm(), 1e-2);
}

TEST(WorldTest, WhatDivergesStaysWhereItWas) {
  World<double> world = standing_world<double>(backward_euler, {}, 2);
  world.batch().pose()(2, 0) = 0.14;
  world.batch().force()(0, 0) = std::numeric_limits<double>::infinity();
  const auto before = get_body<double>(std::as_const(world).batch().pose(), 0);
  world.step(1e-3);
  EXPECT_EQ(world.batch().status()[0], BodyStatus::diverged);
  EXPECT_EQ(world.batch().status()[1], BodyStatus::ok);
  EXPECT_EQ(get_body<double>(std::as_const(world).batch().pose(), 0), before);
  for (const Contact& contact : world.contacts()) EXPECT_EQ(contact.body, 1);
  world.step(1e-3);
  EXPECT_EQ(get_body<double>(std::as_const(world).batch().pose(), 0), before);
}

TEST(WorldTest, TooFewIterationsAreFlagged) {
  World<double> world = standing_world<double>(backward_euler, {.stiffness = 1e9, .iterations = 1});
  world.batch().twist()(0, 0) = 1;
  world.batch().twist()(2, 0) = -1;
  world.step(1e-2);
  EXPECT_EQ(world.batch().flags()[0], BodyFlags::not_converged);
}

// A floor 2 cm thick, a ball and the ground, to which 30 m/s come.
TEST(WorldTest, FastBodiesAreFlagged) {
  const auto flags = [](const Collider& collider, double height, const Vector3d& velocity) {
    World<double> world(TestedBatch<double>({flying(flying_block(), 2)}, backward_euler), {block_corners()});
    world.colliders() = {collider};
    world.batch().pose()(2, 0) = 100;
    world.batch().pose()(2, 1) = 0.15 + height;
    for (Eigen::Index k = 0; k < 3; ++k) world.batch().twist()(k, 1) = velocity[k];
    for (int n = 0; n < 4; ++n) world.step(0.01);
    EXPECT_EQ(world.batch().flags()[0], BodyFlags::none);
    return world.batch().flags()[1] & BodyFlags::too_fast;
  };
  const std::array<double, 7> below = {0, 0, -0.01, 0, 0, 0, 1};
  const Collider floor{Shape{BoxShape{{5, 5, 0.01}}}, below, {}}, ground{Shape{PlaneShape{}}};
  const Collider ball{Shape{SphereShape{0.05}}, {0.5, 0.3, -0.1, 0, 0, 0, 1}, {}};  // below a corner
  EXPECT_EQ(flags(floor, 0.05, {0, 0, -30}), BodyFlags::too_fast);
  EXPECT_EQ(flags(floor, 0.05, {0, 0, -1}), BodyFlags::none) << "stopped by it";
  EXPECT_EQ(flags(floor, 0, {30, 0, 0}), BodyFlags::none) << "along it";
  EXPECT_EQ(flags(ground, 0.05, {0, 0, -30}), BodyFlags::none) << "there is no other side";
  EXPECT_EQ(flags(ball, 0.05, {0, 0, -50}), BodyFlags::too_fast);
  Collider thrown = ball;
  thrown.twist = {0, 0, 50, 0, 0, 0};
  EXPECT_EQ(flags(thrown, 0.05, {0, 0, 0}), BodyFlags::too_fast) << "the shape's speed counts";
}

TEST(WorldTest, RefusesWhatDoesNotGoTogether) {
  const auto expect = [](const std::string& part, const BatchOptions& options, std::vector<Tree> trees,
                         const ContactOptions& contact = {}, FrameMotion motion = FrameMotion::free) {
    const std::string message = message_of([&] {
      BodyGroup group = flying(flying_block());
      group.motion = motion;
      World<double>(Batch<double>({group}, options), std::move(trees), contact);
    });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect("one for each", {}, {});
  expect("rank", {}, {corners_of(soft_block())});
  expect("base", {}, {block_corners()}, {}, FrameMotion::prescribed);
  expect("stiffness", {}, {block_corners()}, {.stiffness = 0});
  expect("dissipation", {}, {block_corners()}, {.dissipation = -1});
  expect("friction_velocity", {}, {block_corners()}, {.friction_velocity = 0});
  expect("iterations", {}, {block_corners()}, {.iterations = 0});
  expect("tolerance", {}, {block_corners()}, {.tolerance = 1});
  const std::string message = message_of([] {
    World<double>(Batch<double>(held_beam().energy, {.integrator = Integrator::central_differences}), {nullptr});
  });
  EXPECT_NE(message.find("central_differences"), std::string::npos) << message;
  expect_refused([] { World<double>(std::shared_ptr<Batch<double>>(), {}); }, "batch");
  World<double> world = standing_world<double>(backward_euler, {});
  world.colliders()[0].pose[6] = 0;
  EXPECT_NE(message_of([&] { world.step(1e-3); }).find("collider"), std::string::npos);
  EXPECT_EQ(world.batch().time(), 0);
}

// Of the same rank, or the same shape with other densities; stiffness doesn't count.
TEST(WorldTest, RefusesTreesOfOtherModels) {
  const auto refusal = [](const ReducedModel& of_tree, const ReducedModel& model) {
    return message_of([&] { World<double>(Batch<double>({flying(model)}, backward_euler), {corners_of(of_tree)}); });
  };
  const ReducedModel block = free_block(5e5, 2, 3, true), other = free_block(6e5, 2, 3);
  ASSERT_EQ(other.rank(), block.rank());
  EXPECT_NE(refusal(other, block).find("of another model"), std::string::npos);
  EXPECT_NE(refusal(block, other).find("refitted"), std::string::npos);
  std::vector<Material> materials;
  for (const Region& region : block.mesh.regions) materials.push_back(region.material.value());
  for (Material& material : materials) material.youngs_modulus *= 3;
  EXPECT_EQ(refusal(block, with_materials(block, materials)), "");
  for (Material& material : materials) material.density *= 2;
  const ReducedModel denser = with_materials(block, materials);
  EXPECT_NE(refusal(block, denser).find("densities"), std::string::npos);
  EXPECT_EQ(message_of([&] {
              World<double>(Batch<double>({flying(denser)}, backward_euler),
                            {std::make_shared<BoundTree>(refitted(*corners_of(block), denser))});
            }),
            "");
  BodyGroup uncoupled = flying(block);
  uncoupled.frame = rest_moments(*uncoupled.frame);
  EXPECT_NO_THROW(World<double>(Batch<double>({uncoupled}, backward_euler), {corners_of(block)}));
}

// Forces from strains know no contacts, however a group got its strain form; one that a batch doesn't use is none.
TEST(WorldTest, RefusesForcesFromAStrainForm) {
  const SumOfSquares squares =
      random_squares(held_beam().rank(), 3, static_cast<int>(strain_count(held_beam().rank())));
  const Tree tree = corners_of(held_beam());
  const BodyGroup with_form{.energy = squares.energy(), .strain_form = squares.strain_form()};
  const BodyGroup of_strains{.force_model = ForceModel(squares.energy(), squares.strain_form())};
  const BodyGroup plain{.energy = squares.energy()};
  const auto world_of = [&](std::vector<BodyGroup> groups, Evaluation evaluation, std::vector<Tree> trees) {
    World<float>(Batch<float>(std::move(groups), {.evaluation = evaluation}), std::move(trees));
  };
  expect_refused([&] { world_of({with_form}, Evaluation::accurate, {tree}); }, "strain form; give group 0");
  expect_refused([&] { world_of({plain, of_strains}, Evaluation::strict, {tree, tree}); }, "strain form; give group 1");
  EXPECT_NO_THROW(world_of({with_form}, Evaluation::strict, {tree}));
  EXPECT_NO_THROW(world_of({plain, of_strains}, Evaluation::strict, {tree, nullptr}));
}

TEST(ColliderTest, GetsToItsPose) {
  Collider collider{Shape{SphereShape{}}};
  collider.pose = {1, 2, 3, 0, 0, std::sin(0.3), std::cos(0.3)};
  const std::array<double, 7> there = {0, 1, -1, std::sin(0.4), 0, 0, -std::cos(0.4)};  // of either sign
  collider = moving_to(collider, there, 0.5);
  const Collider half = moved(moved(collider, 0.125), 0.125), end = moved(half, 0.25);
  EXPECT_NEAR(half.pose[0], 0.5, 1e-15);
  double alignment = 0;
  for (std::size_t k = 3; k < 7; ++k) alignment += end.pose[k] * there[k];
  EXPECT_NEAR(std::abs(alignment), 1, 1e-15);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(end.pose[k], there[k], 1e-15);
  EXPECT_THROW(static_cast<void>(moving_to(collider, there, 0)), InputError);
}

}  // namespace
}  // namespace quartic
