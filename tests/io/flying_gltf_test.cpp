// Flying bodies, and several bodies, in glTF.
#include <array>
#include <cmath>

#include "io/flying_motion.hpp"
#include "io/gltf_values.hpp"
#include "quartic/error.hpp"
#include "quartic/trajectory.hpp"
#include "support/files.hpp"

namespace quartic {
namespace {

using test::accessor_values;
using test::float_epsilon;
using test::flying_bodies;
using test::flying_model;
using test::positions_of;

class FlyingGltf : public testing::Test {
 protected:
  tinygltf::Model written(const ReducedModel& model, const Trajectory& trajectory,
                          SceneBodies bodies = SceneBodies::automatic) {
    write_glb(model, trajectory, folder_ / "a.glb", bodies);
    return test::read_gltf(folder_ / "a.glb");
  }
  test::TemporaryFolder folder_;
};

/// What the animation gives a node for a path, shape (frames, components).
std::vector<float> keys(const tinygltf::Model& gltf, int node, const std::string& path, std::size_t components) {
  const auto& animation = gltf.animations.at(0);
  for (const auto& channel : animation.channels) {
    if (channel.target_node != node || channel.target_path != path) continue;
    const auto& sampler = animation.samplers.at(static_cast<std::size_t>(channel.sampler));
    EXPECT_EQ(sampler.interpolation, "LINEAR");
    return accessor_values<float>(gltf, sampler.output, components);
  }
  ADD_FAILURE() << "node " << node << " has no " << path;
  return {};
}

/// The node's place in the scene, as its parents move it.
std::array<double, 3> parent_translation(const tinygltf::Model& gltf, int node) {
  std::array<double, 3> sum{};
  for (const auto& parent : gltf.nodes)
    if (std::find(parent.children.begin(), parent.children.end(), node) != parent.children.end())
      for (std::size_t c = 0; c < 3; ++c) sum[c] += parent.translation.at(c);
  return sum;
}

/// Positions that a viewer shows of a node's mesh in a keyframe, before the node moves them.
std::vector<double> morphed(const tinygltf::Model& gltf, int node, std::size_t frame) {
  const auto& mesh = gltf.meshes.at(static_cast<std::size_t>(gltf.nodes.at(static_cast<std::size_t>(node)).mesh));
  const auto& primitive = mesh.primitives.at(0);
  const auto base = positions_of(gltf, primitive.attributes.at("POSITION"));
  std::vector<double> shown(base.begin(), base.end());
  const auto weights = keys(gltf, node, "weights", 1);
  const std::size_t targets = primitive.targets.size();
  for (std::size_t t = 0; t < targets; ++t) {
    const auto target = positions_of(gltf, primitive.targets[t].at("POSITION"));
    for (std::size_t i = 0; i < shown.size(); ++i)
      shown[i] += static_cast<double>(weights.at(frame * targets + t)) * static_cast<double>(target[i]);
  }
  return shown;
}

void expect_flight(const tinygltf::Model& gltf, const ReducedModel& model, const Trajectory& trajectory, int body,
                   double tolerance) {
  const auto translations = keys(gltf, body, "translation", 3), rotations = keys(gltf, body, "rotation", 4);
  ASSERT_EQ(std::ssize(translations), 3 * trajectory.frames());
  ASSERT_EQ(std::ssize(rotations), 4 * trajectory.frames());
  const auto offset = parent_translation(gltf, body);
  for (int frame = 0; frame < trajectory.frames(); ++frame) {
    const auto at = static_cast<std::size_t>(frame);
    std::array<double, 4> quaternion{};
    double length = 0;
    for (std::size_t c = 0; c < 4; ++c) {
      quaternion[c] = static_cast<double>(rotations[4 * at + c]);
      length = std::hypot(length, quaternion[c]);
    }
    EXPECT_NEAR(length, 1, 4 * float_epsilon);
    const auto own = morphed(gltf, body, at);
    const auto exact = test::world_positions(model, trajectory, frame, body).positions;
    ASSERT_EQ(own.size(), exact.size());
    for (std::size_t i = 0; i < own.size(); i += 3) {
      const auto placed = test::turned(quaternion.data(), {own[i], own[i + 1], own[i + 2]});
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_NEAR(placed[c] + static_cast<double>(translations[3 * at + c]) + offset[c], exact[i + c], tolerance)
            << "frame " << frame << " coordinate " << i + c;
    }
  }
}

// The node's keys are the recorded poses, to the last bit of single precision, but for signs of quaternions: those go
// the short way from frame to frame.
TEST_F(FlyingGltf, KeysOfTheNodeAreThePose) {
  const ReducedModel model = flying_model(3);
  Trajectory trajectory = flying_bodies(3, 6, 1);
  for (std::size_t frame = 1; frame < 6; ++frame) {  // a slow turn, whose quaternions are stored with changing signs
    const double angle = 0.2 * static_cast<double>(frame), sign = frame % 2 == 0 ? 1 : -1;
    for (std::size_t c = 0; c < 4; ++c)
      trajectory.pose[7 * frame + 3 + c] = sign * (c == 1 ? std::sin(angle / 2) : c == 3 ? std::cos(angle / 2) : 0);
  }
  for (std::size_t c = 3; c < 7; ++c) trajectory.pose[c] = c == 6 ? 1 : 0;
  const tinygltf::Model gltf = written(model, trajectory);
  ASSERT_EQ(gltf.nodes.size(), 1U);
  EXPECT_EQ(gltf.nodes[0].name, "body");
  const auto translations = keys(gltf, 0, "translation", 3), rotations = keys(gltf, 0, "rotation", 4);
  ASSERT_EQ(translations.size(), 18U);
  ASSERT_EQ(rotations.size(), 24U);
  for (std::size_t frame = 0; frame < 6; ++frame) {
    double along = 0;
    const float sign = frame % 2 == 0 ? 1.0F : -1.0F;
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_EQ(translations[3 * frame + c], static_cast<float>(trajectory.pose[7 * frame + c]));
    for (std::size_t c = 0; c < 4; ++c) {
      EXPECT_EQ(rotations[4 * frame + c], sign * static_cast<float>(trajectory.pose[7 * frame + 3 + c]));
      if (frame > 0) along += static_cast<double>(rotations[4 * frame + c] * rotations[4 * frame - 4 + c]);
    }
    if (frame > 0) {
      EXPECT_GT(along, 0.99) << frame;
    }
  }
  // Who doesn't animate shows the start.
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(static_cast<float>(gltf.nodes[0].translation.at(c)), translations[c]);
  EXPECT_EQ(gltf.nodes[0].rotation, (std::vector<double>{0, 0, 0, 1}));
}

// Positions, targets, weights and keys are rounded once each: a dozen roundings of numbers of at most 20.
TEST_F(FlyingGltf, TheSceneShowsTheWorldsPositions) {
  for (const int rank : {1, 8, 9}) {
    const ReducedModel model = flying_model(rank);
    const Trajectory trajectory = flying_bodies(rank, 4, 1);
    expect_flight(written(model, trajectory), model, trajectory, 0, 240 * float_epsilon);
  }
}

TEST_F(FlyingGltf, BodiesShareTheirMesh) {
  for (const int rank : {2, 9}) {
    const ReducedModel model = flying_model(rank);
    const Trajectory trajectory = flying_bodies(rank, 3, 4);
    const tinygltf::Model gltf = written(model, trajectory);
    EXPECT_EQ(gltf.scenes.at(0).nodes, (std::vector<int>{0, 1, 2, 3}));
    ASSERT_EQ(gltf.nodes.size(), 4U);
    EXPECT_EQ(gltf.nodes[2].name, "body 2");
    EXPECT_EQ(gltf.meshes.size(), rank <= glb_basis_limit ? 1U : 4U);
    for (const auto& mesh : gltf.meshes) {  // positions at rest and triangles are there once in either case
      EXPECT_EQ(mesh.primitives.at(0).attributes.at("POSITION"),
                gltf.meshes[0].primitives[0].attributes.at("POSITION"));
      EXPECT_EQ(mesh.primitives[0].indices, gltf.meshes[0].primitives[0].indices);
    }
    for (int body = 0; body < 4; ++body) expect_flight(gltf, model, trajectory, body, 240 * float_epsilon);
    const tinygltf::Model first = written(model, trajectory, SceneBodies::first);
    ASSERT_EQ(first.nodes.size(), 1U);
    expect_flight(first, model, trajectory, 0, 240 * float_epsilon);
  }
}

// Where single precision counts in half metres, a node around them all holds where they are.
TEST_F(FlyingGltf, FlightsFarFromTheOriginKeepTheirPlace) {
  const ReducedModel model = flying_model(2);
  Trajectory trajectory = flying_bodies(2, 3, 2);
  for (std::size_t i = 0; i < trajectory.pose.size(); i += 7) {
    trajectory.pose[i] += 500123.4375;
    trajectory.pose[i + 1] += 4649776.25;
  }
  const tinygltf::Model gltf = written(model, trajectory);
  EXPECT_EQ(gltf.scenes.at(0).nodes, std::vector<int>{2});
  EXPECT_EQ(gltf.nodes.at(2).children, (std::vector<int>{0, 1}));
  for (int body = 0; body < 2; ++body) expect_flight(gltf, model, trajectory, body, 240 * float_epsilon);
}

// Apart from each other there is no such node: 2e7 m from the middle, neighbouring floats are 2 m apart.
TEST_F(FlyingGltf, FlightsFarApartLoseTheirPlacesAndSaySo) {
  const ReducedModel model = flying_model(2);
  Trajectory trajectory = flying_bodies(2, 3, 2);
  EXPECT_EQ(write_glb(model, trajectory, folder_ / "a.glb"), std::vector<std::string>());
  for (std::size_t i = 0; i < trajectory.pose.size(); i += 14) trajectory.pose[i] += 2e7;  // body 0
  const std::vector<std::string> losses = write_glb(model, trajectory, folder_ / "a.glb");
  ASSERT_EQ(losses.size(), 1U);
  for (const char* part : {"2 m apart at 2e+07 m from the middle", ".usda"})
    EXPECT_NE(losses[0].find(part), std::string::npos) << losses[0];
  EXPECT_TRUE(write_glb(model, trajectory, folder_ / "a.glb", SceneBodies::first).empty()) << "which is alone";
}

// By default, the file of held bodies is that of the first alone; on request it shows all, in one place.
TEST_F(FlyingGltf, HeldBodiesAreShownOnRequest) {
  ReducedModel model = test::small_model(2);
  for (std::size_t i = 0; i < model.mesh.vertices.size(); i += 3) model.mesh.vertices[i] += 1000;  // with an offset
  const Trajectory trajectory = test::two_bodies(2, 3);
  write_glb(model, trajectory, folder_ / "automatic.glb");
  write_glb(model, trajectory, folder_ / "first.glb", SceneBodies::first);
  write_glb(model, body_trajectory(trajectory, 0), folder_ / "alone.glb", SceneBodies::all);
  EXPECT_EQ(test::file_text(folder_ / "automatic.glb"), test::file_text(folder_ / "first.glb"));
  EXPECT_EQ(test::file_text(folder_ / "automatic.glb"), test::file_text(folder_ / "alone.glb"));
  const tinygltf::Model gltf = written(model, trajectory, SceneBodies::all);
  ASSERT_EQ(gltf.nodes.size(), 2U);
  for (int body = 0; body < 2; ++body) {
    const auto& node = gltf.nodes[static_cast<std::size_t>(body)];
    const Trajectory own = body_trajectory(trajectory, body);
    for (int frame = 0; frame < 3; ++frame) {
      const auto exact = test::surface_positions(model, own, frame).positions;
      const auto shown = morphed(gltf, body, static_cast<std::size_t>(frame));
      ASSERT_EQ(shown.size(), exact.size());
      for (std::size_t i = 0; i < shown.size(); ++i)
        EXPECT_NEAR(shown[i] + node.translation.at(i % 3), exact[i], 100 * float_epsilon);
    }
  }
}

TEST_F(FlyingGltf, WrongPosesAreRefused) {
  const ReducedModel model = flying_model(2);
  Trajectory trajectory = flying_bodies(2, 3, 2);
  trajectory.pose.pop_back();
  EXPECT_THROW(write_glb(model, trajectory, folder_ / "no.glb"), InputError);
  trajectory = flying_bodies(2, 3, 2);
  trajectory.pose[10] *= 2;
  EXPECT_THROW(write_glb(model, trajectory, folder_ / "no.glb"), InputError);
  trajectory = flying_bodies(2, 3, 2);
  trajectory.time[2] = trajectory.time[1];
  EXPECT_THROW(write_glb(model, trajectory, folder_ / "no.glb"), InputError);
  ReducedModel held = model;
  held.fixed_vertices = {0};
  EXPECT_THROW(write_glb(held, flying_bodies(2, 3, 2), folder_ / "no.glb"), InputError);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace quartic
