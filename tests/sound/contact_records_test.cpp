// Records of a world's contacts, and the sound of them.
#include "quartic/contact_records.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "contact/contact_models.hpp"
#include "quartic/error.hpp"
#include "support/error_message.hpp"
#include "support/free_batches.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::Vector3d;

const std::shared_ptr<const BoundTree>& corners() {
  static const auto tree = std::make_shared<const BoundTree>(bound_tree(flying_block()));
  return tree;
}

/// The block, thrown at the ground, which is soft enough for several steps of contact.
World<double> thrown_world(Integrator integrator, std::int64_t bodies = 1) {
  World<double> world(Batch<double>({flying(flying_block(), bodies)}, {.integrator = integrator, .threads = 1}),
                      {corners()}, {.stiffness = 1e6, .dissipation = 0.3, .friction = 0.4});
  world.colliders() = {Collider{Shape{PlaneShape{}}}};
  for (std::int64_t b = 0; b < bodies; ++b) {
    world.batch().pose()(2, b) = 0.2 + 0.1 * static_cast<double>(b);
    world.batch().twist()(2, b) = -3;
  }
  return world;
}

Vector3d sum_of(std::span<const ContactRecord> records, std::int64_t body) {
  Vector3d sum = Vector3d::Zero();
  for (const ContactRecord& record : records)
    if (record.body == body) sum += Vector3d::Map(record.impulse.data());
  return sum;
}

Vector3d momentum(World<double>& world, std::int64_t body) {
  return Vector3d::Map(world.batch().linear_momentum().data() + 3 * body);
}

TEST(ContactRecords, ImpulsesAddUpToTheChangeOfMomentum) {
  for (const Integrator integrator : {Integrator::backward_euler, Integrator::newmark}) {
    World<double> world = thrown_world(integrator, 2);
    const Vector3d before[] = {momentum(world, 0), momentum(world, 1)};
    ContactRecorder recorder;
    std::int64_t touching_steps = 0;
    for (int n = 0; n < 150; ++n) {
      world.step(1e-3);
      recorder.record(world, 1e-3);
      touching_steps += std::ssize(world.contacts());
    }
    ASSERT_TRUE(world.contacts().empty());  // they have bounced
    double durations = 0;
    for (const ContactRecord& record : recorder.records()) durations += record.duration;
    EXPECT_NEAR(durations, 1e-3 * static_cast<double>(touching_steps), 1e-12);
    EXPECT_LT(recorder.records().size(), static_cast<std::size_t>(touching_steps));  // several steps each
    for (std::int64_t body = 0; body < 2; ++body) {
      // The block comes down flat: its axes stay the world's, but for its mesh, which isn't quite symmetric.
      const Vector3d change = momentum(world, body) - before[body], sum = sum_of(recorder.records(), body);
      EXPECT_GT(change.norm(), 100);
      EXPECT_LT((sum - change).norm(), 1e-3 * change.norm()) << sum.transpose() << " and " << change.transpose();
    }
  }
}

// Exactly, where bodies have been turned beforehand: impulses are along their own axes.
TEST(ContactRecords, ImpulsesTurnWithTheBody) {
  World<double> world = thrown_world(Integrator::backward_euler);
  const Eigen::Quaterniond turn(Eigen::AngleAxisd(1.1, Vector3d(1, 2, -1).normalized()));
  world.batch().pose()(2, 0) = 0.8;
  world.batch().twist()(0, 0) = 0.5;
  for (std::int64_t k = 0; k < 4; ++k) world.batch().pose()(3 + k, 0) = turn.coeffs()[k];
  ContactRecorder recorder;
  std::vector<ContactRecord> before;
  for (int n = 0; n < 300; ++n) {
    const Vector3d momentum_before = momentum(world, 0);
    world.step(1e-3);
    recorder.record(world, 1e-3);
    const auto& pose = std::as_const(world).batch().pose();
    const Eigen::Quaterniond now(pose(6, 0), pose(3, 0), pose(4, 0), pose(5, 0));
    const std::vector<ContactRecord> records = recorder.all_records();
    const Vector3d step = sum_of(records, 0) - sum_of(before, 0);
    ASSERT_LT((now * step - (momentum(world, 0) - momentum_before)).norm(), 1e-9 * momentum_before.norm()) << n;
    before = records;
  }
  EXPECT_FALSE(before.empty());
}

TEST(ContactRecords, ADroppedBodySoundsAsItsImpulsesByHand) {
  World<double> world = thrown_world(Integrator::backward_euler);
  ContactRecorder recorder;
  for (int n = 0; n < 120; ++n) {
    world.step(1e-3);
    recorder.record(world, 1e-3);
  }
  const ReducedModel& model = flying_block();
  const std::vector<Strike> strikes = contact_strikes(model, *corners(), recorder.records());
  std::vector<Strike> by_hand;
  for (const ContactRecord& record : recorder.records()) {  // corners of the mesh's boundary are vertices of the mesh
    const double* place = corners()->points.positions.data() + 3 * record.point;
    for (std::int64_t v = 0; v < model.mesh.vertex_count(); ++v)
      if (std::equal(place, place + 3, model.mesh.vertices.data() + 3 * v))
        by_hand.push_back({.vertex = v, .impulse = record.impulse, .time = record.time, .length = record.duration});
  }
  ASSERT_GE(by_hand.size(), 4U);
  const SoundWeights weights = constant_weights(model);
  const SoundOptions options{.damping = {.mass = 5}};
  const Sound sound = render_sound(model, strikes, 0.3, weights, options);
  EXPECT_EQ(sound.samples, render_sound(model, by_hand, 0.3, weights, options).samples);
  EXPECT_GT(*std::ranges::max_element(sound.samples), 0);
  // Silent until it comes down.
  const auto first = static_cast<std::size_t>(recorder.records().front().time * 44100);
  EXPECT_TRUE(std::all_of(sound.samples.begin(), sound.samples.begin() + static_cast<std::ptrdiff_t>(first),
                          [](float x) { return x == 0; }));
}

TEST(ContactRecords, PointsBetweenVerticesAreSpread) {
  const ReducedModel& model = flying_block();
  const BoundTree& tree = block_tree();
  std::vector<ContactRecord> records;
  for (const std::int32_t point : {0, 17, 40})
    for (const std::int64_t body : {3, 4})
      records.push_back({.time = 0.1, .duration = 0.002, .body = body, .point = point, .impulse = {1, -2, 3}});
  const std::vector<Strike> strikes = contact_strikes(model, tree, records, 4);
  Vector3d sum = Vector3d::Zero(), moment = Vector3d::Zero(), expected = Vector3d::Zero();
  for (const Strike& strike : strikes) {
    const Vector3d j = Vector3d::Map(strike.impulse.data());
    sum += j;
    moment += Vector3d::Map(model.mesh.vertices.data() + 3 * strike.vertex).cross(j);
  }
  for (const std::size_t point : {0U, 17U, 40U})
    expected += Vector3d::Map(tree.points.positions.data() + 3 * point).cross(Vector3d(1, -2, 3));
  EXPECT_GT(strikes.size(), 3U);
  EXPECT_LT((sum - Vector3d(3, -6, 9)).norm(), 1e-12);
  EXPECT_LT((moment - expected).norm(), 1e-12);
}

TEST(ContactRecords, FilesReadBackTheSame) {
  const TemporaryFolder folder;
  const std::vector<ContactRecord> records = {{.time = 0.1,
                                               .duration = 1e-3,
                                               .body = 2,
                                               .shape = 1,
                                               .point = 7,
                                               .position = {1, 2, 1.0 / 3},
                                               .impulse = {-1, 0, 5}},
                                              {.time = -1, .duration = 0, .position = {}, .impulse = {1e-9, 0, 0}}};
  write_contact_records(records, folder / "c.csv");
  EXPECT_EQ(read_contact_records(folder / "c.csv"), records);
  const auto refused = [&](const std::string& text, const char* part) {
    std::ofstream(folder / "bad.csv") << text;
    const std::string message = message_of([&] { (void)read_contact_records(folder / "bad.csv"); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  refused("time,duration,body\n", "columns");
  refused("0,1,0,0,0,0,0,0,1,2\n", "missing");
  refused("0,1,0,0,0,0,0,0,1,2,3,4\n", "after the impulse");
  refused("0,-1,0,0,0,0,0,0,1,2,3\n", "negative");
  refused("0,1,-1,0,0,0,0,0,1,2,3\n", "from 0 on");
  refused("0,1,0,0,4294967296,0,0,0,1,2,3\n", "from 0 on");
  refused("0,1,0,0,0,0,0,nan,1,2,3\n", "finite");
  EXPECT_THROW(write_contact_records({{ContactRecord{.time = NAN}}}, folder / "c.csv"), InputError);
}

TEST(ContactRecords, WrongUsesAreRefused) {
  World<double> world = thrown_world(Integrator::backward_euler);
  ContactRecorder recorder;
  EXPECT_THROW(recorder.record(world, 0), InputError);
  EXPECT_THROW(recorder.record(world, NAN), InputError);
  const ContactRecord beyond{.point = 100000};
  EXPECT_NE(message_of([&] {
              (void)contact_strikes(flying_block(), *corners(), {&beyond, 1});
            }).find("point 100000"),
            std::string::npos);
}

}  // namespace
}  // namespace quartic
