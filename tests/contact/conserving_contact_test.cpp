// Contacts in the energy-conserving scheme: what it keeps, what friction and damping may take, and the motion itself.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "contact/contact_models.hpp"
#include "quartic/world.hpp"
#include "support/free_batches.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Tree = std::shared_ptr<const BoundTree>;

constexpr BatchOptions conserving = {.integrator = Integrator::energy_conserving, .threads = 1};

// Kinetic, elastic, and that of the springs of contacts.
double energy(const World<double>& world, double stiffness) {
  const std::vector<double> potential = world.batch().elastic_energy(), kinetic = world.batch().kinetic_energy();
  double sum =
      std::accumulate(potential.begin(), potential.end(), 0.0) + std::accumulate(kinetic.begin(), kinetic.end(), 0.0);
  for (const Contact& contact : world.contacts())
    if (contact.gap < 0) sum += 0.5 * stiffness * contact.area * contact.gap * contact.gap;
  return sum;
}

// A block that tumbles between two walls, with something in the middle of each.
World<double> court(const Shape& shape, const ContactOptions& options, const BatchOptions& batch = conserving) {
  World<double> world(Batch<double>({flying(flying_block())}, batch), {block_corners()}, options);
  const double s = std::sqrt(0.5);
  world.colliders() = {Collider{Shape{PlaneShape{}}, {}, {}}, Collider{Shape{PlaneShape{{0, 0, -1}, -2.2}}, {}, {}},
                       Collider{shape, {0.6, 0, 0.1, s, 0, 0, s}, {}},
                       Collider{shape, {0.4, 0.1, 2.1, 0, 0, 0, 1}, {}}};
  for (Collider& wall : world.colliders()) wall.pose[6] = wall.pose[3] == 0 ? 1 : s;
  FreeState start = tumbling(flying_block());
  start.position = {0.5, 0, 1.1};
  start.velocity = {0.05, 0.02, -3};
  start.spin = {0.5, 2, 0.3};
  set_state(world.batch(), 0, start);
  return world;
}

MeshShape tetrahedron() {
  const double a = 0.35;
  return {{a, a, a, -a, -a, a, -a, a, -a, a, -a, -a}, {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}};
}

TEST(ConservingContactTest, EnergyStaysWithoutFriction) {
  const Shape shapes[] = {Shape{SphereShape{0.4}}, Shape{CapsuleShape{0.2, 0.3}}, Shape{BoxShape{{0.3, 0.4, 0.2}}},
                          Shape{tetrahedron()},
                          Shape{distance_grid(Shape{SphereShape{0.4}}, {-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, 0.1)}};
  for (const Shape& shape : shapes)
    for (const double stiffness : {1e5, 1e7}) {
      SCOPED_TRACE(shape.geometry().index());
      World<double> world = court(shape, {.stiffness = stiffness, .friction = 0});
      const double before = energy(world, stiffness);
      std::size_t touched = 0;
      double worst = 0;
      for (int n = 0; n < 600; ++n) {
        world.step(2e-3);
        touched += world.contacts().size();
        worst = std::max(worst, std::abs(energy(world, stiffness) / before - 1));
      }
      EXPECT_LT(worst, 1e-10) << stiffness;
      EXPECT_GT(touched, 50U);
      EXPECT_EQ(world.batch().flags()[0], BodyFlags::none) << stiffness;
    }
}

TEST(ConservingContactTest, ABeamsEnergyStays) {
  const ProceduralMesh beam = make_box({.length = 1, .width = 0.1, .height = 0.1, .cells_x = 12});
  const ReducedModel model = reduce(beam.mesh, beam.fixed_vertices, {.modes = 4, .rank = 8});
  const Tree tree = std::make_shared<BoundTree>(bound_tree(model, {.spacing = 0.05}));
  World<double> world(Batch<double>(model.energy, conserving), {tree}, {.stiffness = 1e7, .friction = 0});
  world.colliders() = {Collider{Shape{SphereShape{0.1}}, {0.9, 0.05, -0.11, 0, 0, 0, 1}, {}}};
  const VectorXd rate = displaced_state(model, tree->points, 4, 5);
  for (Eigen::Index j = 0; j < rate.size(); ++j) world.batch().velocity()(j, 0) = rate[j];
  const double before = energy(world, 1e7);
  std::size_t touched = 0;
  for (int n = 0; n < 500; ++n) {
    world.step(1e-3);
    touched += world.contacts().size();
    EXPECT_NEAR(energy(world, 1e7) / before, 1, 1e-10) << n;
  }
  EXPECT_GT(touched, 10U);
}

TEST(ConservingContactTest, FrictionAndDampingOnlyTake) {
  const ContactOptions takes[] = {{.stiffness = 1e6, .dissipation = 0.3, .friction = 0},
                                  {.stiffness = 1e6, .friction = 0.5, .friction_velocity = 1e-2}};
  for (const ContactOptions& options : takes) {
    World<double> world = court(Shape{SphereShape{0.4}}, options);
    const double first = energy(world, options.stiffness);
    double last = first;
    for (int n = 0; n < 400; ++n) {
      world.step(2e-3);
      const double now = energy(world, options.stiffness);
      EXPECT_LT(now, last + 1e-11 * first) << n;
      last = now;
    }
    EXPECT_LT(last, 0.95 * first);
    EXPECT_EQ(world.batch().flags()[0], BodyFlags::none);
  }
}

TEST(ConservingContactTest, MomentaChangeByTheImpulsesReadOut) {
  World<double> world = court(Shape{SphereShape{0.4}}, {.stiffness = 1e6, .dissipation = 0.2, .friction = 0.4});
  world.colliders()[3].twist = {0, 0.1, -0.2, 0, 0, 2};
  const auto momenta = [&]() -> std::pair<Vector3d, Vector3d> {
    const std::vector<double> p = world.batch().linear_momentum(), l = world.batch().angular_momentum();
    const Vector3d c = get_body<double>(std::as_const(world).batch().pose(), 0).head<3>(), linear(p.data());
    return {linear, Vector3d(l.data()) + c.cross(linear)};
  };
  double largest = 0;
  for (int n = 0; n < 300; ++n) {
    const auto [p0, l0] = momenta();
    world.step(2e-3);
    const auto [p1, l1] = momenta();
    const Vector3d push(world.contact_impulse().data()), turn(world.contact_impulse().data() + 3);
    EXPECT_LT((p1 - p0 - push).norm(), 1e-12 * 540) << n;
    EXPECT_LT((l1 - l0 - turn).norm(), 1e-12 * (l0.norm() + 540)) << n;
    largest = std::max(largest, turn.norm());
  }
  EXPECT_GT(largest, 1);
}

// Against another scheme in tiny steps, on soft ground: errors fall, with the kinks of forces where
// points come to touch by more than h.
TEST(ConservingContactTest, ConvergesToTheSameMotion) {
  const auto end = [](const BatchOptions& batch, double h) {
    World<double> world =
        court(Shape{SphereShape{0.1}}, {.stiffness = 1e4, .friction = 0.3, .friction_velocity = 2}, batch);
    world.colliders().erase(world.colliders().begin() + 1, world.colliders().end());
    world.batch().pose()(2, 0) = 0.3;
    world.batch().twist()(2, 0) = -1;
    for (int n = 0; n < static_cast<int>(std::lround(0.2 / h)); ++n) world.step(h);
    EXPECT_FALSE(world.contacts().empty());
    return get_body<double>(std::as_const(world).batch().pose(), 0);
  };
  const VectorXd exact = end({.newton_iterations = 3, .threads = 1}, 2e-4);
  const double coarse = (end(conserving, 4e-3) - exact).norm(), fine = (end(conserving, 2e-3) - exact).norm();
  EXPECT_LT(fine, 2e-3);
  EXPECT_GT(coarse / fine, 2) << coarse << ' ' << fine;
  EXPECT_LT(coarse / fine, 5.5) << coarse << ' ' << fine;
}

}  // namespace
}  // namespace quartic
