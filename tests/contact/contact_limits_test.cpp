// What contacts must not pass over in silence: equations that weren't solved, points that loads and steep shapes bring
// near, places that aren't finite, and what was replaced behind a world's back.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/contact_models.hpp"
#include "quartic/error.hpp"
#include "quartic/world.hpp"
#include "support/error_message.hpp"
#include "support/free_batches.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::VectorXd;
using Tree = std::shared_ptr<const BoundTree>;

constexpr double not_finite = std::numeric_limits<double>::quiet_NaN();
constexpr BatchOptions undamped_euler = {.integrator = Integrator::backward_euler, .threads = 1};
const Collider ground = {Shape{PlaneShape{}}, {0, 0, 0, 0, 0, 0, 1}, {}};

// Its lower face at a height above the plane z = 0.
World<double> block_world(double height, const Collider& collider = ground) {
  World<double> world(Batch<double>({flying(flying_block())}, undamped_euler), {block_corners()});
  world.colliders() = {collider};
  world.batch().pose()(2, 0) = 0.15 + height;
  return world;
}

// Held: in the equations a + R(q) = S U_a^T f_a of a body without loads and damping everything can be read out.
struct Remainder {
  double left, size;
};
Remainder remainder(const World<double>& world, const ReducedModel& model, const BoundTree& tree) {
  const VectorXd q = get_body<double>(world.batch().q(), 0), a = get_body<double>(world.batch().acceleration(), 0);
  const std::vector<double> point(q.begin(), q.end());
  const VectorXd elastic = Eigen::Map<const VectorXd>(evaluate(model.energy, point).force.data(), q.size());
  VectorXd pushed = VectorXd::Zero(q.size());
  for (const Contact& contact : world.contacts())
    pushed +=
        tree.points.basis.map().middleRows(3 * contact.point, 3).transpose() * Eigen::Vector3d(contact.force.data());
  return {(a + elastic - pushed).norm(), a.norm() + elastic.norm() + pushed.norm()};
}

TEST(ContactToleranceTest, WhatHasNoFlagIsSolvedToIt) {
  const ProceduralMesh beam = make_box({.length = 1, .width = 0.1, .height = 0.1, .cells_x = 12});
  const ReducedModel model = reduce(beam.mesh, beam.fixed_vertices, {.modes = 4, .rank = 8});
  const Tree tree = std::make_shared<BoundTree>(bound_tree(model));
  for (const double tolerance : {1e-9, 1e-3, 0.5}) {
    int solved = 0, flagged = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
      World<double> world(Batch<double>(model.energy, undamped_euler), {tree},
                          {.stiffness = seed % 2 == 0 ? 1e7 : 1e10,
                           .friction = 0.5,
                           .iterations = 1 + static_cast<int>(seed / 4 % 16),
                           .tolerance = tolerance});
      world.colliders() = {ground,
                           Collider{Shape{SphereShape{0.2}}, {0.9, 0.05, 0.31, 0, 0, 0, 1}, {0, 0, -5, 0, 0, 9}}};
      const VectorXd rate = displaced_state(model, tree->points, seed / 2 % 2 == 0 ? 1 : 20, seed);
      for (Eigen::Index j = 0; j < rate.size(); ++j) world.batch().velocity()(j, 0) = rate[j];
      world.step(5e-3);
      if (world.batch().flags()[0] == BodyFlags::not_converged) {
        ++flagged;
        continue;
      }
      if (world.contacts().empty()) continue;
      ++solved;
      const Remainder r = remainder(world, model, *tree);
      EXPECT_LE(r.left, 1.001 * std::max(tolerance, std::min(1e3 * tolerance, 1e-6)) * r.size)
          << tolerance << ' ' << seed;
    }
    EXPECT_GT(solved, 10) << tolerance;
    EXPECT_GT(flagged, tolerance < 0.1 ? 0 : -1) << tolerance;  // half of everything is soon solved for
  }
}

// ---- Points that get to a shape within a step

TEST(ContactMarginTest, LoadCurvesCount) {
  World<double> world = block_world(0.01);
  const std::vector<LoadCurve> curves = {{.times = {0, 0.005, 0.01}, .scales = {0, 200, 200}}};
  const std::vector<std::int32_t> of_body = {0};
  world.batch().set_load_curves(curves, of_body);
  world.batch().wrench()(2, 0) = -180;  // 1 m/s^2 without the curve
  world.step(0.01);                     // by 2 cm, if nothing were below
  EXPECT_FALSE(world.contacts().empty());
  EXPECT_GT(world.batch().pose()(2, 0), 0.1401);
}

// The gap rises by 8 times the way: 8 z within 1 m of the z axis, from z = -1 to 2.
TEST(ContactMarginTest, SteepGridsCount) {
  DistanceGrid grid{.origin = {-2, -2, -2}, .spacing = 1, .counts = {5, 5, 5}};
  for (int k = 0; k < 5; ++k)
    for (int n = 0; n < 25; ++n) {
      const bool on_face = k == 0 || n < 5 || n >= 20 || n % 5 == 0 || n % 5 == 4;
      grid.values.push_back(on_face ? std::max(0, 8 * (k - 2)) : 8 * (k - 2));
    }
  World<double> world = block_world(0.01, Collider{Shape{grid}, {0, 0, 0, 0, 0, 0, 1}, {}});
  world.batch().twist()(2, 0) = -1.2;
  world.step(0.01);
  EXPECT_FALSE(world.contacts().empty());
}

TEST(ContactMarginTest, AccelerationsCount) {
  const ProceduralMesh beam = make_box({.length = 1, .width = 0.1, .height = 0.1, .cells_x = 12});
  const ReducedModel model = reduce(beam.mesh, beam.fixed_vertices, {.modes = 4, .rank = 8});
  const Tree tree = std::make_shared<BoundTree>(bound_tree(model));
  World<double> world(Batch<double>(model.energy, {.integrator = Integrator::newmark, .threads = 1}), {tree});
  world.colliders() = {Collider{Shape{PlaneShape{}}, {0, 0, -1e-3, 0, 0, 0, 1}, {}}};
  VectorXd down = displaced_state(model, tree->points, 0.05, 3);
  const auto lowest = [&] { return moved_points(tree->points, down).row(2).minCoeff(); };
  if (lowest() > -2e-3) down = -down;
  ASSERT_LT(lowest(), -2e-3);
  const double h = 1e-3;
  for (Eigen::Index j = 0; j < down.size(); ++j) world.batch().acceleration()(j, 0) = 4 / (h * h) * down[j];
  world.step(h);
  EXPECT_FALSE(world.contacts().empty());
}

// ---- Points that have gone through a shape

// Of a plate 4 cm thick, as a box, a mesh and a lattice, by all schemes.
TEST(ContactSpeedTest, PlatesHaveTwoSides) {
  const Shape box{BoxShape{{3, 3, 0.02}}};
  MeshShape mesh;
  for (int v = 0; v < 8; ++v)
    for (const double x : {(v & 1) != 0 ? 3.0 : -3.0, (v & 2) != 0 ? 3.0 : -3.0, (v & 4) != 0 ? 0.02 : -0.02})
      mesh.vertices.push_back(x);
  mesh.triangles = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                    2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  const Shape grid{distance_grid(Shape{BoxShape{{1, 1, 0.02}}}, {-1, -1, -0.05}, {1, 1, 0.05}, 0.01)};
  for (const Integrator integrator : {Integrator::backward_euler, Integrator::newmark, Integrator::energy_conserving})
    for (const Shape& shape : {box, Shape{mesh}, grid})
      for (const double speed : {2.0, 40.0}) {
        World<double> world(Batch<double>({flying(flying_block())}, {.integrator = integrator, .threads = 1}),
                            {block_corners()});
        world.colliders() = {Collider{shape, {0, 0, -0.02, 0, 0, 0, 1}, {}}};
        world.batch().pose()(2, 0) = 0.16;
        world.batch().twist()(2, 0) = -speed;
        for (int n = 0; n < 3; ++n) world.step(5e-3);
        const BodyFlags found = world.batch().flags()[0] & BodyFlags::too_fast;
        EXPECT_EQ(found, speed > 10 ? BodyFlags::too_fast : BodyFlags::none)
            << shape.geometry().index() << ' ' << speed << ' ' << static_cast<int>(integrator);
      }
}

// ---- What isn't finite

TEST(ContactPlacesTest, NoShapeHoldsAPlaceThatIsntFinite) {
  const Shape ball{SphereShape{0.5}};
  const DistanceGrid grid = distance_grid(ball, {-0.6, -0.6, -0.6}, {0.6, 0.6, 0.6}, 0.1);
  const MeshShape mesh = {{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}};
  const std::vector<Shape> shapes = {Shape{PlaneShape{}}, ball,        Shape{CapsuleShape{}},
                                     Shape{BoxShape{}},   Shape{grid}, Shape{mesh}};
  const BoundTree& tree = block_tree();
  const SphereFit<double> fit(tree);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Shape& shape : shapes)
    for (const double bad : {not_finite, infinity, 1e300})
      for (std::size_t axis = 0; axis < 3; ++axis) {
        std::array<double, 3> x = {0, 0, 0.01};
        x[axis] = bad;
        EXPECT_FALSE(shape.distance(x).gap < 0) << shape.geometry().index() << ' ' << bad << ' ' << axis;
        std::vector<double> q(static_cast<std::size_t>(tree.rank)), pose = {0, 0, 0, 0, 0, 0, 1};
        q[axis] = bad;
        BodyPlaces<double> places{.q = {q.data(), tree.rank, 1, 1, tree.rank}, .pose = {pose.data(), 7, 1, 1, 7}};
        Collider collider{shape};
        if (std::isnan(bad)) {
          EXPECT_TRUE(find_contacts<double>(tree, fit, places, std::span(&collider, 1)).empty());
          q[axis] = 0;
          pose[axis] = bad;
          EXPECT_TRUE(find_contacts<double>(tree, fit, places, std::span(&collider, 1)).empty());
        }
      }
}

TEST(ContactPlacesTest, BodiesThatDivergedAreLeftAlone) {
  World<double> world = block_world(-0.01);
  const std::vector<BodyStatus> status = {BodyStatus::diverged};
  world.batch().set_status(status);
  world.batch().q()(0, 0) = not_finite;
  world.step(1e-3);
  EXPECT_TRUE(world.contacts().empty());
  EXPECT_EQ(world.batch().status()[0], BodyStatus::diverged);
}

// ---- Trees and worlds

// Each node with one child, which has all points again.
TEST(ContactTreeTest, ChainsOfNodesAreRefused) {
  BoundTree tree = *block_corners();
  const auto chained = [&](int length) {
    BoundTree chain = tree;
    const auto repeat = [&](std::vector<double>& values, std::size_t width) {
      const std::vector<double> root(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width));
      for (int n = 0; n < length; ++n) values.insert(values.begin(), root.begin(), root.end());
    };
    const auto r = static_cast<std::size_t>(tree.rank);
    repeat(chain.rest_spheres, 4);
    repeat(chain.centre_fields, 3 * r);
    repeat(chain.affine_fields, 9 * r);
    repeat(chain.residuals, r);
    for (BoundNode& node : chain.nodes) node.first_child += length;
    for (int n = length - 1; n >= 0; --n)
      chain.nodes.insert(chain.nodes.begin(), BoundNode{n + 1, 1, 0, static_cast<std::int32_t>(tree.points.count())});
    return message_of([&] { require_sound(chain); });
  };
  EXPECT_EQ(chained(20), "");
  EXPECT_NE(chained(40).find("32 levels"), std::string::npos) << chained(40);
}

TEST(ContactWorldTest, AnotherBatchIsRefused) {
  World<double> world = block_world(1);
  world.step(1e-3);
  world.batch() = Batch<double>({flying(flying_block(), 3)}, undamped_euler);
  const std::string message = message_of([&] { world.step(1e-3); });
  EXPECT_NE(message.find("replaced"), std::string::npos) << message;
  EXPECT_EQ(world.batch().time(), 0);
  world.batch() = Batch<double>({flying(flying_block())}, {.integrator = Integrator::energy_conserving, .threads = 1});
  EXPECT_EQ(message_of([&] { world.step(1e-3); }), "") << "another scheme will do";
  world.batch() = Batch<double>({flying(flying_block())}, undamped_euler);
  EXPECT_EQ(message_of([&] { world.step(1e-3); }), "") << "one like it will do";
}

TEST(ContactWorldTest, ErrorsNameTheCollider) {
  World<double> world = block_world(1);
  world.colliders().push_back(ground);
  world.colliders()[1].twist[3] = not_finite;
  const std::string message = message_of([&] { world.step(1e-3); });
  EXPECT_NE(message.find("collider 1"), std::string::npos) << message;
  const auto expect_refused = [](const Collider& from, const std::array<double, 7>& to, const std::string& part) {
    const std::string told = message_of([&] { static_cast<void>(moving_to(from, to, 1)); });
    EXPECT_NE(told.find(part), std::string::npos) << told;
  };
  Collider lost = ground;
  lost.pose[0] = not_finite;
  expect_refused(lost, ground.pose, "is at");
  expect_refused(ground, lost.pose, "is to get to");
  expect_refused(ground, {}, "zero");
}

// ---- Shapes

TEST(ContactShapeTest, AGridsSlopeOutsideIsOfBothWays) {
  DistanceGrid grid{.counts = {3, 3, 3}};
  for (int k = 0; k < 3; ++k)
    for (int n = 0; n < 9; ++n) grid.values.push_back(k);
  const Shape shape{grid};
  EXPECT_DOUBLE_EQ(shape.slope(), std::sqrt(2)) << "1 along z, and 1 on the way there";
  const double rise = shape.distance({4, 1, 2}).gap - shape.distance({3, 1, 1}).gap;
  EXPECT_DOUBLE_EQ(rise, 2) << "as much as a way of sqrt 2 allows";
}

MeshShape cubes(const std::vector<std::array<double, 2>>& low_and_size, const std::vector<bool>& inwards) {
  MeshShape mesh;
  for (std::size_t n = 0; n < low_and_size.size(); ++n) {
    const auto first = static_cast<std::int32_t>(mesh.vertices.size() / 3);
    const auto [low, size] = low_and_size[n];
    for (int v = 0; v < 8; ++v)
      for (int a = 0; a < 3; ++a) mesh.vertices.push_back(low + ((v >> a & 1) != 0 ? size : 0));
    const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                              {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (const auto& f : faces)
      for (const int c : {0, 1, 2}) mesh.triangles.push_back(first + f[inwards[n] ? 2 - c : c]);
  }
  return mesh;
}

TEST(ContactShapeTest, EachPartOfAMeshIsWoundAsItShould) {
  const auto message = [](const MeshShape& mesh) { return message_of([&] { static_cast<void>(Shape(mesh)); }); };
  EXPECT_EQ(message(cubes({{0, 1}, {2, 1}}, {false, false})), "") << "side by side";
  EXPECT_EQ(message(cubes({{0, 1}, {1, 1}}, {false, false})), "") << "corner to corner";
  EXPECT_EQ(message(cubes({{0, 4}, {1, 2}, {1.5, 0.5}}, {false, true, false})), "") << "a cavity with a cube in it";
  EXPECT_NE(message(cubes({{0, 4}, {5, 1}}, {false, true})).find("vertex 9 encloses a volume of -1"), std::string::npos)
      << message(cubes({{0, 4}, {5, 1}}, {false, true}));
  EXPECT_NE(message(cubes({{0, 4}, {1, 1}}, {false, false})).find("within another part"), std::string::npos);
  EXPECT_NE(message(cubes({{0, 4}, {1, 2}, {1.5, 0.5}}, {false, true, true})).find("inwards"), std::string::npos);
  const Shape hollow{cubes({{0, 4}, {1, 2}}, {false, true})};
  EXPECT_NEAR(hollow.distance({2, 2, 2.5}).gap, 0.5, 1e-14);
  EXPECT_NEAR(hollow.distance({2, 2, 3.25}).gap, -0.25, 1e-14);
}

}  // namespace
}  // namespace quartic
