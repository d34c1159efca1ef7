// Batches with bodies on bases: bits, neighbours, starting anew, edits, twists and gravity, and what is refused.
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
#include "quartic/frame_motion.hpp"
#include "quartic/matrix.hpp"
#include "support/batch_states.hpp"
#include "support/free_batches.hpp"
#include "support/moving_base.hpp"

namespace quartic {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::expect_refused;
using test::set_base;
using test::soft_block;

const Vector3d base_acceleration(0, 1, -9.81);

const ReducedModel& held_model() {
  static const ReducedModel model = test::held_block(4e5, 4, 8);
  return model;
}

BodyGroup mounted_group(const ReducedModel& model, std::int64_t bodies = 1) {
  return {.energy = model.energy, .bodies = bodies, .frame = base_frame(model), .motion = FrameMotion::prescribed};
}

template <class T>
class MountedBatchTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(MountedBatchTest, Precisions);

template <class T>
void bend(Batch<T>& batch, std::int64_t body, unsigned seed) {
  const VectorXd q = test::random_vector(8, seed, 1), rate = test::random_vector(8, seed + 100, 5);
  for (int i = 0; i < 8; ++i) {
    batch.q()(i, body) = static_cast<T>(q[i]);
    batch.velocity()(i, body) = static_cast<T>(rate[i]);
  }
}

// Steps of a body whose base is shaken from `time` on.
template <class T>
void shake(Batch<T>& batch, std::int64_t body, int steps) {
  for (int n = 1; n <= steps; ++n) {
    set_base(batch, body, 2e-3 * n, base_acceleration);
    batch.step(2e-3);
  }
}

// The same bits alone, and in a batch beside held, free and other mounted bodies on any number of threads. The base's
// motion is as it was, to the bit.
TYPED_TEST(MountedBatchTest, BitsDependOnTheBodyAlone) {
  using T = TypeParam;
  const ReducedModel other = test::held_block(2e5, 2, 3);
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler})
    for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
      SCOPED_TRACE(std::string(integrator_name(integrator)) + ' ' + std::string(evaluation_name(evaluation)));
      const BatchOptions options{.integrator = integrator, .newton_iterations = 2, .evaluation = evaluation};
      test::TestedBatch<T> alone({mounted_group(held_model())}, options);
      bend(alone, 0, 7);
      shake(alone, 0, 30);
      for (const int threads : {1, 3}) {
        BatchOptions many = options;
        many.threads = threads;
        test::TestedBatch<T> batch({test::flying(soft_block(), 3),
                                    mounted_group(other, 5),
                                    {.energy = held_model().energy, .bodies = 2},
                                    mounted_group(held_model(), 21)},
                                   many);
        for (std::int64_t b = 10; b < 31; ++b) bend(batch, b, static_cast<unsigned>(b));
        for (std::int64_t b = 3; b < 8; ++b) set_base(batch, b, 0.1 * static_cast<double>(b), base_acceleration);
        bend(batch, 22, 7);
        shake(batch, 22, 30);
        EXPECT_EQ(test::full_state(batch, 22), test::full_state(alone, 0)) << threads;
        const BodyStatus status = batch.status()[22];
        EXPECT_EQ(status, BodyStatus::ok);
        test::TestedBatch<T> untouched({mounted_group(held_model())}, options);
        set_base(untouched, 0, 0.06, base_acceleration);
        for (const auto& [now, given] : {std::pair{batch.pose(), untouched.pose()},
                                         {batch.twist(), untouched.twist()},
                                         {batch.twist_rate(), untouched.twist_rate()}})
          for (std::int64_t row = 0; row < now.rank; ++row) EXPECT_EQ(now(row, 22), given(row, 0)) << row;
      }
    }
}

TYPED_TEST(MountedBatchTest, HeldAndFreeNeighboursKeepTheirBits) {
  using T = TypeParam;
  const BatchOptions options{.integrator = Integrator::newmark, .newton_iterations = 2};
  test::TestedBatch<T> plain({test::flying(soft_block()), {.energy = held_model().energy}}, options);
  test::TestedBatch<T> mixed(
      {mounted_group(held_model(), 2), test::flying(soft_block()), {.energy = held_model().energy}}, options);
  for (const auto& [batch, first] : {std::pair{&plain, 0}, {&mixed, 2}}) {
    test::set_state(*batch, first, test::tumbling(soft_block()));
    bend(*batch, first + 1, 3);
  }
  bend(mixed, 0, 5);
  set_base(mixed, 0, 0.3, base_acceleration);
  plain.step(0.1, 50);
  mixed.step(0.1, 50);
  EXPECT_EQ(test::full_state(plain, 0), test::full_state(mixed, 2));
  EXPECT_EQ(test::full_state(plain, 1), test::full_state(mixed, 3));
  for (std::int64_t row = 0; row < 7; ++row) EXPECT_EQ(plain.pose()(row, 0), mixed.pose()(row, 2));
  EXPECT_EQ(mixed.frame_motion(0), FrameMotion::prescribed);
  EXPECT_EQ(mixed.frame_motion(1), FrameMotion::free);
  EXPECT_EQ(mixed.frame_motion(2), FrameMotion::free);
  EXPECT_TRUE(mixed.has_frame(0));
}

TYPED_TEST(MountedBatchTest, PrecisionsAndForceModelsAgree) {
  using T = TypeParam;
  const StrainForm strains = reduce_strains(held_model().mesh, held_model().basis.map());
  test::TestedBatch<double> exact({mounted_group(held_model())}, {.newton_iterations = 2});
  bend(exact, 0, 7);
  shake(exact, 0, 50);
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency, Evaluation::accurate}) {
    BodyGroup group = mounted_group(held_model());
    group.strain_form = strains;
    test::TestedBatch<T> batch({group}, {.newton_iterations = 2, .evaluation = evaluation});
    bend(batch, 0, 7);
    shake(batch, 0, 50);
    const double bound = 5e3 * double{std::numeric_limits<T>::epsilon()};  // of 50 steps with h^2 K up to 4
    const VectorXd q = test::get_body<double>(std::as_const(exact).q(), 0);
    const VectorXd other = test::get_body<T>(std::as_const(batch).q(), 0);
    EXPECT_LT((other - q).norm(), bound * q.norm()) << evaluation_name(evaluation);
  }
}

// A base of no rotation, or one whose motion isn't finite, stops its own body alone.
TYPED_TEST(MountedBatchTest, BadBasesFreezeTheirBodiesAlone) {
  using T = TypeParam;
  test::TestedBatch<T> batch({mounted_group(held_model(), 4)});
  for (std::int64_t b = 0; b < 4; ++b) bend(batch, b, 7);
  const auto start = test::full_state(batch, 1);
  for (std::int64_t row = 3; row < 7; ++row) batch.pose()(row, 1) = 0;
  batch.twist()(4, 2) = std::numeric_limits<T>::quiet_NaN();
  batch.twist_rate()(0, 3) = std::numeric_limits<T>::infinity();
  batch.step(0.02, 10);
  EXPECT_EQ(batch.status()[0], BodyStatus::ok);
  for (const std::size_t b : {1U, 2U, 3U}) EXPECT_EQ(batch.status()[b], BodyStatus::diverged) << b;
  EXPECT_EQ(test::full_state(batch, 1), start);
}

// ---- starting anew -------------------------------------------------------------------------------------------

TEST(MountedBatches, StartingAnewLeavesThePrescribedMotion) {
  test::TestedBatch<double> batch({mounted_group(held_model(), 2)});
  for (std::int64_t b = 0; b < 2; ++b) {
    bend(batch, b, 3);
    set_base(batch, b, 0.2, base_acceleration);
  }
  const double y = batch.pose()(1, 1), spin = batch.twist()(4, 1), rate = batch.twist_rate()(2, 1);
  reset_bodies(batch, std::vector<std::uint8_t>{0, 1});
  EXPECT_EQ(batch.q()(0, 1), 0);
  EXPECT_NE(batch.q()(0, 0), 0);
  EXPECT_EQ(batch.pose()(1, 1), y);
  EXPECT_EQ(batch.twist()(4, 1), spin);
  EXPECT_EQ(batch.twist_rate()(2, 1), rate);
  std::vector<double> pose = {1, 2, 3, 0, 0, 0, 1, 1, 2, 3, 0, 0, 0, 1};
  reset_bodies(batch, std::vector<std::uint8_t>{0, 1}, {.pose = {pose.data(), 7, 2, 1, 7}});
  EXPECT_EQ(batch.pose()(1, 1), 2);
  EXPECT_EQ(batch.twist_rate()(2, 1), rate);
}

// ---- edits ---------------------------------------------------------------------------------------------------

// Every point of the body keeps its place on the base, and the base its motion; forces are those of the edited mesh.
TEST(MountedBatches, EditsOfDensitiesKeepTheBase) {
  const ReducedModel model = test::held_block(4e5, 4, 8, true);
  BodyGroup group = mounted_group(model);
  group.frame = base_frame(model, {0.1, 0.2, 0.3});
  test::TestedBatch<double> batch({group}, {.newton_iterations = 2});
  bend(batch, 0, 3);
  set_base(batch, 0, 0.2, base_acceleration);
  batch.step(0.01, 5);
  const VectorXd before = model.basis.map() * test::get_body<double>(std::as_const(batch).q(), 0);
  std::vector<Material> materials = {*model.mesh.regions[0].material, *model.mesh.regions[1].material};
  materials[1].density = 4000;
  apply_edit(batch, edit_materials(model, materials));
  const ReducedModel edited = with_materials(model, materials);
  const VectorXd q = test::get_body<double>(std::as_const(batch).q(), 0);
  EXPECT_LT((edited.basis.map() * q - before).norm(), 1e-12 * before.norm());
  EXPECT_NEAR(batch.frame().mass, 90 + 360, 1e-9);
  EXPECT_EQ(batch.frame().origin, (std::array<double, 3>{0.1, 0.2, 0.3}));
  EXPECT_EQ(batch.pose()(0, 0), test::shaken(0.2).position[0]);
  const test::MeshOnBase mesh(edited, Vector3d(0.1, 0.2, 0.3));
  const Eigen::Matrix3Xd forces = mesh.inertia_forces(test::shaken(0.2), base_acceleration, q,
                                                      test::get_body<double>(std::as_const(batch).velocity(), 0),
                                                      test::get_body<double>(std::as_const(batch).acceleration(), 0));
  VectorXd wrench(6);
  base_wrench(batch, StateView<double>{wrench.data(), 6, 1, 1, 1});
  const Vector3d expected = test::shaken(0.2).rotation * forces.rowwise().sum();
  EXPECT_LT((wrench.head<3>() - expected).norm(), 1e-11 * expected.norm());
}

// ---- twists and gravity --------------------------------------------------------------------------------------

TEST(MountedBatches, WorldTwistsTurnTheAngularVelocity) {
  test::TestedBatch<double> batch(
      {test::flying(soft_block()), {.energy = held_model().energy}, mounted_group(held_model())});
  test::set_state(batch, 0, test::tumbling(soft_block()));
  batch.step(0.1, 50);
  set_base(batch, 2, 0.3, base_acceleration);
  std::vector<double> numbers(18, 5);
  const StateView<double> twists = {numbers.data(), 6, 3, 3, 1};
  world_twist(batch, twists);
  const test::FreeState free = test::get_state(batch, 0, 8);
  const Vector3d spin = free.rotation * free.spin, base_spin = test::shaken(0.3).rotation * test::shaken(0.3).spin;
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(twists(c, 0), free.velocity[c]);
    EXPECT_NEAR(twists(3 + c, 0), spin[c], 1e-14 * spin.norm());
    EXPECT_EQ(twists(c, 1), 5) << "no frame";
    EXPECT_NEAR(twists(3 + c, 2), base_spin[c], 1e-14 * base_spin.norm());
  }
  test::TestedBatch<double> copy(
      {test::flying(soft_block()), {.energy = held_model().energy}, mounted_group(held_model())});
  copy_state<double>(batch.pose(), copy.pose());
  set_world_twist<double>(copy, twists);
  for (std::int64_t row = 0; row < 6; ++row)
    for (const std::int64_t body : {0, 2}) EXPECT_NEAR(copy.twist()(row, body), batch.twist()(row, body), 1e-14) << row;
  EXPECT_EQ(copy.twist()(0, 1), 0);
}

TEST(MountedBatches, GravityIsAWeightOrAnAcceleration) {
  test::TestedBatch<double> batch({test::flying(soft_block()), mounted_group(held_model())});
  batch.wrench()(0, 0) = 3;
  set_base(batch, 1, 0.3, Vector3d::Zero());
  add_gravity(batch, {1, 0, -9.81});
  EXPECT_NEAR(batch.wrench()(0, 0), 3 + 180, 1e-9);
  EXPECT_NEAR(batch.wrench()(2, 0), -9.81 * 180, 1e-9);
  EXPECT_NEAR(batch.twist_rate()(2, 1), test::shaken(0.3).acceleration[2] + 9.81, 1e-13);
  EXPECT_EQ(batch.wrench()(2, 1), 0);
}

// ---- what is refused -----------------------------------------------------------------------------------------

TEST(MountedBatches, WhatCantBeMountedIsRefused) {
  const auto make = [](const BatchOptions& options) {
    test::TestedBatch<double> batch({mounted_group(held_model())}, options);
  };
  expect_refused([&] { make({.integrator = Integrator::central_differences}); }, "newmark or backward-euler");
  expect_refused([&] { make({.integrator = Integrator::energy_conserving}); }, "newmark or backward-euler");
  expect_refused(
      [&] { test::TestedBatch<double> batch({{.energy = held_model().energy, .motion = FrameMotion::prescribed}}); },
      "base_frame");
  expect_refused(
      [&] { test::TestedBatch<double> batch({{.energy = held_model().energy, .frame = base_frame(held_model())}}); },
      "mass centre");
  const auto with_moments = [&](const std::function<void(FrameMoments&)>& change) {
    BodyGroup group = mounted_group(held_model());
    change(*group.frame);
    test::TestedBatch<double> batch({group});
  };
  expect_refused([&] { with_moments([](FrameMoments& m) { m.mass = 0; }); }, "positive mass");
  expect_refused([&] { with_moments([](FrameMoments& m) { m.moment2.values[0] += 0.1; }); }, "mass-orthonormal");
  expect_refused([&] { with_moments([](FrameMoments& m) { m.moment1 = Matrix(9, 3); }); }, "of rank 8");
  test::TestedBatch<double> batch({mounted_group(held_model())});
  expect_refused([&] { batch.set_frame(base_frame(test::held_block(4e5, 2, 3))); }, "of rank 8");
  EXPECT_NO_THROW(batch.set_frame(base_frame(held_model(), {1, 0, 0})));
  std::vector<double> numbers(12);
  expect_refused([&] { base_wrench(batch, StateView<double>{numbers.data(), 6, 2, 2, 1}); }, "6 rows");
  expect_refused([&] { world_twist(batch, StateView<double>{numbers.data(), 7, 1, 1, 1}); }, "6 rows");
  expect_refused([&] { add_gravity(batch, {0, std::nan(""), 0}); }, "finite");
  test::TestedBatch<double> plain({{.energy = held_model().energy}});
  expect_refused([&] { base_wrench(plain, StateView<double>{numbers.data(), 6, 1, 1, 1}); }, "FrameMotion::prescribed");
  expect_refused([&] { add_gravity(plain, {0, 0, 1}); }, "BodyGroup::frame");
  expect_refused([&] { world_twist(plain, StateView<double>{numbers.data(), 6, 1, 1, 1}); }, "BodyGroup::frame");
  ReducedModel empty = held_model();
  empty.basis = {};
  expect_refused([&] { (void)base_frame(empty); }, "no basis");
}

}  // namespace
}  // namespace quartic
