// Batches with free bodies: bits, neighbours, starting anew, edits of densities, and what is refused.
#include "support/free_batches.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/editing.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/dense.hpp"
#include "support/free_body.hpp"

namespace quartic {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::expect_refused;
using test::flying;
using test::free_integrators;
using test::FreeState;
using test::get_state;
using test::set_state;
using test::soft_block;
using test::three;
using test::tumbling;
using test::whole_energy;

template <class T>
class FreeBatchTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FreeBatchTest, Precisions);

template <class T>
std::vector<T> every_number(const Batch<T>& batch, std::int64_t body, int rank) {
  std::vector<T> values;
  for (const StateView<const T> view : {batch.q(), batch.velocity(), batch.acceleration()})
    for (int i = 0; i < rank; ++i) values.push_back(view(i, body));
  for (const StateView<const T> view : {batch.pose(), batch.twist(), batch.twist_rate()})
    for (std::int64_t i = 0; i < view.rank; ++i) values.push_back(view(i, body));
  return values;
}

// The same bits alone, in a large batch beside held bodies, on any number of threads, and in calls of any length.
TYPED_TEST(FreeBatchTest, BitsDependOnTheBodyAlone) {
  using T = TypeParam;
  const ReducedModel other = test::free_block(4e5, 2, 3);
  for (const Integrator integrator : free_integrators)
    for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
      SCOPED_TRACE(std::string(integrator_name(integrator)) + ' ' + std::string(evaluation_name(evaluation)));
      const BatchOptions options{.integrator = integrator, .newton_iterations = 2, .evaluation = evaluation};
      const auto set = [](Batch<T>& batch, std::int64_t body) {
        set_state(batch, body, tumbling(soft_block(), 7));
        batch.wrench()(4, body) = T{3};
      };
      test::TestedBatch<T> alone({flying(soft_block())}, options);
      set(alone, 0);
      alone.step(0.06, 30);
      const auto expected = every_number(alone, 0, 8);

      for (const int threads : {1, 3}) {
        BatchOptions many = options;
        many.threads = threads;
        test::TestedBatch<T> batch(
            {flying(other, 5), {.energy = soft_block().energy, .bodies = 3}, flying(soft_block(), 21)}, many);
        for (std::int64_t b = 8; b < 29; ++b) set_state(batch, b, tumbling(soft_block(), static_cast<unsigned>(b)));
        for (std::int64_t b = 0; b < 5; ++b) batch.twist()(3, b) = T{2};
        for (std::int64_t b = 5; b < 8; ++b) batch.q()(0, b) = T{0.25};
        set(batch, 20);
        for (int call = 0; call < 10; ++call) batch.step(0.006, 3);
        EXPECT_EQ(every_number(batch, 20, 8), expected) << threads;
        for (std::int64_t row = 0; row < 6; ++row)
          EXPECT_EQ(batch.twist()(row, 6), T{0}) << "held bodies have no twist";
      }
    }
}

TYPED_TEST(FreeBatchTest, HeldBodiesBesideThemKeepTheirBits) {
  using T = TypeParam;
  for (const Integrator integrator : free_integrators) {
    const BatchOptions options{.integrator = integrator};
    test::TestedBatch<T> held({{.energy = soft_block().energy}}, options);
    test::TestedBatch<T> mixed({flying(soft_block(), 2), {.energy = soft_block().energy}}, options);
    held.q()(1, 0) = mixed.q()(1, 2) = T{0.5};
    mixed.twist()(3, 0) = T{4};
    held.step(0.05, 50);
    mixed.step(0.05, 50);
    EXPECT_EQ(test::full_state(held, 0), test::full_state(mixed, 2)) << integrator_name(integrator);
    EXPECT_TRUE(mixed.has_frame(0));
    EXPECT_FALSE(mixed.has_frame(1));
  }
}

TYPED_TEST(FreeBatchTest, PrecisionsAgree) {
  using T = TypeParam;
  for (const Integrator integrator : free_integrators)
    for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
      const BatchOptions options{.integrator = integrator, .newton_iterations = 2, .evaluation = evaluation};
      test::TestedBatch<double> exact({flying(soft_block())}, {.integrator = integrator, .newton_iterations = 2});
      test::TestedBatch<T> batch({flying(soft_block())}, options);
      set_state(exact, 0, tumbling(soft_block()));
      set_state(batch, 0, tumbling(soft_block()));
      exact.step(0.1, 50);
      batch.step(0.1, 50);
      const FreeState a = get_state(exact, 0, 8), b = get_state(batch, 0, 8);
      const double bound = 5e3 * double{std::numeric_limits<T>::epsilon()};  // of 50 steps with h^2 K up to 4
      EXPECT_LT((a.q - b.q).norm(), bound * a.q.norm()) << integrator_name(integrator);
      EXPECT_LT((a.rotation - b.rotation).norm(), bound);
    }
}

// A body that diverges leaves its neighbours and keeps its last finite state.
TYPED_TEST(FreeBatchTest, BadBodiesAreFrozenAlone) {
  using T = TypeParam;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Integrator integrator : free_integrators) {
    test::TestedBatch<T> batch({flying(soft_block(), 4)}, {.integrator = integrator, .newton_iterations = 2});
    test::TestedBatch<T> good({flying(soft_block())}, {.integrator = integrator, .newton_iterations = 2});
    for (std::int64_t b = 0; b < 4; ++b) set_state(batch, b, tumbling(soft_block()));
    set_state(good, 0, tumbling(soft_block()));
    for (std::int64_t i = 3; i < 7; ++i) batch.pose()(i, 1) = 0;  // no rotation at all
    batch.twist()(4, 2) = static_cast<T>(nan);
    batch.pose()(6, 3) = 7;  // of any length: brought to 1
    good.step(0.02, 10);
    batch.step(0.02, 10);
    EXPECT_EQ(batch.status()[0], BodyStatus::ok);
    EXPECT_EQ(batch.status()[1], BodyStatus::diverged);
    EXPECT_EQ(batch.status()[2], BodyStatus::diverged);
    EXPECT_EQ(batch.status()[3], BodyStatus::ok);
    EXPECT_EQ(every_number(batch, 0, 8), every_number(good, 0, 8));
    EXPECT_EQ(every_number(batch, 3, 8), every_number(good, 0, 8));
    EXPECT_EQ(batch.pose()(0, 1), static_cast<T>(0.5)) << "it stays where it was";
  }
}

// A deformation at which the stiffness is indefinite by far.
VectorXd crushed() {
  for (unsigned seed = 1; seed < 100; ++seed)
    for (const double scale : {1., 2., 4.}) {
      const VectorXd q = test::random_vector(8, seed, scale);
      const ReducedForces at = evaluate(soft_block().energy, {q.data(), 8});
      if (test::eigenvalues(at.stiffness.map())[0] < -1000) return q;
    }
  ADD_FAILURE() << "no such deformation";
  return VectorXd::Zero(8);
}

// Crushed, so that the system isn't positive definite, and spun beyond all numbers.
TEST(FreeBatches, StatusTellsAndNeighboursAreLeftAlone) {
  for (const Integrator integrator : free_integrators) {
    SCOPED_TRACE(integrator_name(integrator));
    test::TestedBatch<double> batch({flying(soft_block(), 3)}, {.integrator = integrator});
    for (std::int64_t b = 0; b < 3; ++b) set_state(batch, b, tumbling(soft_block()));
    test::set_body(batch.q(), 1, crushed());
    batch.twist()(4, 2) = 1e200;
    test::TestedBatch<double> alone({flying(soft_block())}, {.integrator = integrator});
    set_state(alone, 0, tumbling(soft_block()));
    batch.step(0.2, 2);
    alone.step(0.2, 2);
    EXPECT_EQ(batch.status()[0], alone.status()[0]);
    EXPECT_EQ(batch.status()[1], BodyStatus::regularised);
    EXPECT_EQ(batch.status()[2], BodyStatus::diverged);
    EXPECT_EQ(batch.twist()(4, 2), 1e200) << "it stays as it was";
    EXPECT_EQ(every_number(batch, 0, 8), every_number(alone, 0, 8));
  }
}

// ---- starting anew -------------------------------------------------------------------------------------------

TEST(FreeBatches, MaskedBodiesStartAnew) {
  test::TestedBatch<double> batch({flying(soft_block(), 3), {.energy = soft_block().energy, .bodies = 2}});
  test::TestedBatch<double> fresh({flying(soft_block(), 3), {.energy = soft_block().energy, .bodies = 2}});
  for (Batch<double>* b : {&batch, &fresh})
    for (std::int64_t n = 0; n < 3; ++n) set_state(*b, n, tumbling(soft_block(), static_cast<unsigned>(n)));
  batch.q()(0, 4) = 0.2;
  batch.twist()(3, 1) = std::numeric_limits<double>::infinity();
  batch.step(0.1, 50);
  ASSERT_EQ(batch.status()[1], BodyStatus::diverged);
  const auto before = every_number(batch, 0, 8);

  std::vector<double> pose(35), twist(30), q(40);
  pose[7 + 6] = 2;  // body 1: a quaternion of length 2
  pose[7 + 2] = 5;
  twist[6 + 3] = 1;
  q[8 + 2] = 0.25;
  const BodyStart<double> start{
      .q = {q.data(), 8, 5, 1, 8}, .pose = {pose.data(), 7, 5, 1, 7}, .twist = {twist.data(), 6, 5, 1, 6}};
  reset_bodies(batch, std::vector<std::uint8_t>{0, 1, 0, 0, 1}, start);
  EXPECT_EQ(batch.status()[1], BodyStatus::ok);
  EXPECT_EQ(every_number(batch, 0, 8), before);
  EXPECT_EQ(batch.pose()(2, 1), 5);
  EXPECT_EQ(batch.pose()(6, 1), 1) << "of unit length";
  EXPECT_EQ(batch.twist()(3, 1), 1);
  EXPECT_EQ(batch.q()(2, 1), 0.25);
  EXPECT_EQ(batch.q()(0, 4), 0);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(batch.acceleration()(i, 1), 0);

  reset_bodies(batch, std::vector<std::uint8_t>(5, 1));  // all, at rest at the origin
  for (std::int64_t b = 0; b < 3; ++b)
    for (std::int64_t i = 0; i < 7; ++i) EXPECT_EQ(batch.pose()(i, b), i == 6 ? 1 : 0);
}

// ---- edits ---------------------------------------------------------------------------------------------------

struct MovingPoints {
  Eigen::MatrixXd places, velocities, accelerations;  // (3, n)

  MovingPoints(const ReducedModel& model, const Batch<double>& batch) {
    const FreeState s = get_state(batch, 0, model.rank());
    VectorXd second(model.rank());
    Vector3d rate, spin_rate;
    for (int i = 0; i < model.rank(); ++i) second[i] = batch.acceleration()(i, 0);
    for (int c = 0; c < 3; ++c) rate[c] = batch.twist_rate()(c, 0), spin_rate[c] = batch.twist_rate()(3 + c, 0);
    const VectorXd u = model.basis.map() * s.q, v = model.basis.map() * s.rate, a = model.basis.map() * second;
    const auto n = model.mesh.vertex_count();
    places.resize(3, n), velocities.resize(3, n), accelerations.resize(3, n);
    const auto& origin = model.frame_moments->origin;
    for (std::int64_t k = 0; k < n; ++k) {
      const Vector3d x = Eigen::Map<const Vector3d>(&model.mesh.vertices[static_cast<std::size_t>(3 * k)]) -
                         Vector3d(origin[0], origin[1], origin[2]);
      const Vector3d y = x + u.segment<3>(3 * k), yd = v.segment<3>(3 * k), ydd = a.segment<3>(3 * k);
      places.col(k) = s.position + s.rotation * y;
      velocities.col(k) = s.velocity + s.rotation * (s.spin.cross(y) + yd);
      accelerations.col(k) =
          rate + s.rotation * (spin_rate.cross(y) + s.spin.cross(s.spin.cross(y)) + 2 * s.spin.cross(yd) + ydd);
    }
  }
};

TEST(FreeBatches, EditsOfDensitiesKeepEveryPointItsVelocityAndItsAcceleration) {
  const ReducedModel model = test::free_block(2e5, 4, 8, true);
  test::TestedBatch<double> batch({flying(model)}, {.newton_iterations = 2});
  set_state(batch, 0, tumbling(model));
  batch.step(0.05, 50);
  ReducedModel present = model;
  MaterialEdit previous;
  bool edited = false;
  for (const double density : {4000., 250., 1000.}) {
    std::vector<Material> materials = {*model.mesh.regions[0].material, *model.mesh.regions[1].material};
    materials[1].density = density;
    const MovingPoints before(present, batch);
    const MaterialEdit edit = edit_materials(model, materials);
    apply_edit(batch, edit, edited ? &previous : nullptr);
    present = with_materials(model, materials);
    const MovingPoints after(present, batch);
    EXPECT_LT((after.places - before.places).norm(), 1e-13 * before.places.norm()) << density;
    EXPECT_LT((after.velocities - before.velocities).norm(), 1e-13 * before.velocities.norm()) << density;
    EXPECT_LT((after.accelerations - before.accelerations).norm(), 1e-12 * before.accelerations.norm()) << density;
    EXPECT_NEAR(batch.frame().mass, 90 + 0.09 * density, 1e-10);
    previous = edit;
    edited = true;
    batch.step(0.02, 20);
  }
}

// Forces on vertices do the same as before: on the whole, about the mass centre, and on the coordinates.
TEST(FreeBatches, EditsOfDensitiesKeepForcesOnVertices) {
  const ReducedModel model = test::free_block(2e5, 4, 8, true);
  std::vector<Material> materials = {*model.mesh.regions[0].material, *model.mesh.regions[1].material};
  materials[0].density = 5000;
  const auto push = [](Batch<double>& batch, const ReducedModel& of) {
    const FreeState s = get_state(batch, 0, 8);
    const std::int64_t vertex = 17;
    const auto& origin = of.frame_moments->origin;
    const Vector3d force(20, -7, 11);
    const Vector3d y = Eigen::Map<const Vector3d>(&of.mesh.vertices[3 * 17]) -
                       Vector3d(origin[0], origin[1], origin[2]) + (of.basis.map() * s.q).segment<3>(3 * vertex);
    const Vector3d torque = (s.rotation * y).cross(force);
    const VectorXd reduced = of.basis.map().middleRows(3 * vertex, 3).transpose() * (s.rotation.transpose() * force);
    VectorXd numbers(14);
    numbers << force, torque, reduced;
    return numbers;
  };
  test::TestedBatch<double> batch({flying(model)});
  set_state(batch, 0, tumbling(model));
  batch.step(0.05, 50);
  const VectorXd before = push(batch, model);
  for (std::int64_t i = 0; i < 6; ++i) batch.wrench()(i, 0) = before[i];
  for (std::int64_t i = 0; i < 8; ++i) batch.force()(i, 0) = before[6 + i];
  apply_edit(batch, edit_materials(model, materials));
  const VectorXd after = push(batch, with_materials(model, materials));
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_NEAR(batch.wrench()(i, 0), after[i], 1e-12 * after.norm());
  for (std::int64_t i = 0; i < 8; ++i) EXPECT_NEAR(batch.force()(i, 0), after[6 + i], 1e-12 * after.norm());
}

TEST(FreeBatches, EditedBodiesFlyOn) {
  const ReducedModel model = test::free_block(2e5, 4, 8, true);
  std::vector<Material> materials = {*model.mesh.regions[0].material, *model.mesh.regions[1].material};
  materials[1].density = 4000;
  test::TestedBatch<double> batch({flying(model)}, {.integrator = Integrator::energy_conserving});
  set_state(batch, 0, tumbling(model));
  batch.step(0.05, 50);
  apply_edit(batch, edit_materials(model, materials));
  EXPECT_GT(mean_axis_error(batch.frame()), 1e-3) << "the frame is no longer that of mean axes";
  const double energy = whole_energy(batch);
  const Vector3d linear = three(batch.linear_momentum()), angular = three(batch.angular_momentum());
  batch.step(2, 1000);
  EXPECT_NEAR(whole_energy(batch), energy, 1e-11 * energy);
  EXPECT_LT((three(batch.angular_momentum()) - angular).norm(), 1e-11 * angular.norm());
  EXPECT_LT((three(batch.linear_momentum()) - linear).norm(), 1e-13 * linear.norm());
}

TEST(FreeBatches, EditsOfDensitiesLeaveCouplingOut) {
  const ReducedModel model = test::free_block(2e5, 4, 8, true);
  std::vector<Material> materials = {*model.mesh.regions[0].material, *model.mesh.regions[1].material};
  materials[1].density = 4000;
  BodyGroup group = flying(model);
  group.frame = rest_moments(*group.frame);
  test::TestedBatch<double> batch({group});
  set_state(batch, 0, tumbling(model));
  batch.step(0.05, 50);
  const MovingPoints before(model, batch);
  const MaterialEdit edit = edit_materials(model, materials);
  apply_edit(batch, edit);
  EXPECT_EQ(batch.frame().moment0.values, edit.moments->moment0.values);
  EXPECT_EQ(batch.frame().moment2.values, Matrix(9, 36).values);
  const MovingPoints after(with_materials(model, materials), batch);
  EXPECT_LT((after.places - before.places).norm(), 1e-13 * before.places.norm());
}

// ---- what is refused -----------------------------------------------------------------------------------------

TEST(FreeBatches, WhatCantFlyIsRefused) {
  const ReducedModel& model = soft_block();
  const auto make = [&](const BatchOptions& options) { Batch<double> batch({flying(model)}, options); };
  expect_refused([&] { make({.integrator = Integrator::central_differences}); },
                 "newmark, backward-euler or energy-conserving");
  expect_refused([&] { make({.newmark_gamma = 0}); }, "newmark_gamma");
  const auto with_moments = [&](const std::function<void(FrameMoments&)>& change) {
    BodyGroup group = flying(model);
    change(*group.frame);
    test::TestedBatch<double> batch({group});
  };
  expect_refused([&] { with_moments([](FrameMoments& m) { m.mass = 0; }); }, "positive mass");
  expect_refused([&] { with_moments([](FrameMoments& m) { m.moment1 = Matrix(9, 3); }); }, "of rank 8");
  expect_refused([&] { with_moments([](FrameMoments& m) { m.moment0.values[0] = std::nan(""); }); }, "finite");
  expect_refused([&] { with_moments([](FrameMoments& m) { m.first_moment[1] = 30; }); }, "centring");
  expect_refused([&] { with_moments([](FrameMoments& m) { m.unit_acceleration.values[0] = 1; }); }, "mass centre");
  expect_refused([&] { with_moments([](FrameMoments& m) { m.moment2.values[0] += 0.1; }); }, "mass-orthonormal");
  expect_refused([&] { with_moments([](FrameMoments& m) { m.moment0.values.assign(9, 0.0); }); }, "rotation");

  test::TestedBatch<double> held({{.energy = model.energy}});
  expect_refused([&] { (void)held.pose(); }, "BodyGroup::frame");
  expect_refused([&] { (void)std::as_const(held).wrench(); }, "BodyGroup::frame");
  expect_refused([&] { held.set_frame(free_frame(model)); }, "has no frame");
  test::TestedBatch<double> batch({flying(model)});
  expect_refused([&] { batch.set_frame(free_frame(test::free_block(1e5, 2, 3))); }, "of rank 8");
  expect_refused([&] { (void)batch.frame(1); }, "no group 1");
  BodyGroup mounted = {.energy = model.energy, .frame = rest_moments(base_frame(model))};
  mounted.motion = FrameMotion::prescribed;
  expect_refused([&] { test::TestedBatch<double> on_base({mounted}); }, "rest_moments are for free bodies");
}

TEST(FreeBatches, WhatCantStartIsRefused) {
  test::TestedBatch<double> batch({flying(soft_block(), 2)});
  std::vector<double> pose = {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, twist(12), q(16);
  const std::vector<std::uint8_t> second = {0, 1}, first = {1, 0};
  const StateView<const double> poses = {pose.data(), 7, 2, 1, 7}, twists = {twist.data(), 6, 2, 1, 6};
  expect_refused([&] { reset_bodies(batch, second, {.pose = poses}); }, "quaternion 0");
  EXPECT_NO_THROW(reset_bodies(batch, first, {.pose = poses})) << "that of the other isn't read";
  twist[3] = std::nan("");
  expect_refused([&] { reset_bodies(batch, first, {.twist = twists}); }, "twist of body 0");
  expect_refused([&] { reset_bodies(batch, first, {.pose = {pose.data(), 6, 2, 1, 7}}); }, "7 rows");
  expect_refused([&] { reset_bodies(batch, first, {.q = {q.data(), 4, 2, 1, 8}}); }, "must have 8 rows");
  expect_refused([&] { reset_bodies(batch, std::vector<std::uint8_t>{1}, {}); }, "mask");
  test::TestedBatch<double> held({{.energy = soft_block().energy}});
  expect_refused(
      [&] {
        reset_bodies(held, std::vector<std::uint8_t>{1}, {.pose = {pose.data(), 7, 1, 1, 7}});
      },
      "BodyGroup::frame");
}

}  // namespace
}  // namespace quartic
