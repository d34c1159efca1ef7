// Animations in glTF, read back by another's parser.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"
#include "support/boxes.hpp"
#include "support/small_model.hpp"
#include "support/support.hpp"

#define TINYGLTF_IMPLEMENTATION
#include "io/gltf_values.hpp"

namespace quartic {
namespace {

using test::accessor_values;
using test::float_epsilon;
using test::positions_of;

Trajectory motion(int rank, int frames) {
  Trajectory trajectory;
  trajectory.bodies = 2;
  trajectory.rank = rank;
  trajectory.q = test::random_numbers(static_cast<std::size_t>(frames * 2 * rank), 3);
  for (int frame = 0; frame < frames; ++frame) trajectory.time.push_back(0.01 * frame);
  trajectory.status = {BodyStatus::ok, BodyStatus::ok};
  return trajectory;
}

class Gltf : public testing::Test {
 protected:
  tinygltf::Model written(const ReducedModel& model, const Trajectory& trajectory) {
    write_glb(model, trajectory, folder_ / "a.glb");
    return test::read_gltf(folder_ / "a.glb");
  }
  test::TemporaryFolder folder_;
};

/// What a viewer shows at a keyframe that confines weights to 0 to 1, as many do: the node's place, and the positions
/// plus the targets by their weights. Shape (frames, 3s)
std::vector<std::vector<double>> shown_frames(const tinygltf::Model& gltf, const Trajectory& trajectory) {
  const auto& primitive = gltf.meshes.at(0).primitives.at(0);
  const auto base = positions_of(gltf, primitive.attributes.at("POSITION"));
  std::vector<std::vector<float>> targets;
  for (const auto& target : primitive.targets) targets.push_back(positions_of(gltf, target.at("POSITION")));
  const auto& sampler = gltf.animations.at(0).samplers.at(0);
  EXPECT_EQ(sampler.interpolation, "LINEAR");
  const auto times = accessor_values<float>(gltf, sampler.input, 1);
  const auto weights = accessor_values<float>(gltf, sampler.output, 1);
  EXPECT_EQ(times.size(), trajectory.time.size());
  EXPECT_EQ(weights.size(), times.size() * targets.size());
  const std::vector<double>& translation = gltf.nodes.at(0).translation;
  std::vector<std::vector<double>> frames;
  for (std::size_t frame = 0; frame < times.size(); ++frame) {
    EXPECT_EQ(times[frame], static_cast<float>(trajectory.time[frame]));
    std::vector<double>& shown = frames.emplace_back();
    for (std::size_t i = 0; i < base.size(); ++i) {
      shown.push_back(static_cast<double>(base[i]) + (translation.empty() ? 0 : translation.at(i % 3)));
      for (std::size_t t = 0; t < targets.size(); ++t)
        shown.back() += static_cast<double>(std::clamp(weights[frame * targets.size() + t], 0.0F, 1.0F)) *
                        static_cast<double>(targets[t][i]);
    }
  }
  return frames;
}

double coordinate(const Trajectory& trajectory, std::size_t frame, std::int64_t i) {
  const auto rank = static_cast<std::size_t>(trajectory.rank);
  return trajectory.q[frame * static_cast<std::size_t>(trajectory.bodies) * rank + static_cast<std::size_t>(i)];
}

/// The largest size that coordinate i has at any time.
double largest_coordinate(const Trajectory& trajectory, std::int64_t i) {
  double largest = 0;
  for (std::size_t frame = 0; frame < trajectory.time.size(); ++frame)
    largest = std::max(largest, std::abs(coordinate(trajectory, frame, i)));
  return largest;
}

/// What is shown must be the model's own vertices.
void expect_motion(const tinygltf::Model& gltf, const ReducedModel& model, const Trajectory& trajectory) {
  const auto frames = shown_frames(gltf, trajectory);
  // Every vertex of this mesh lies on its boundary, so that surface and mesh number them alike.
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    ASSERT_EQ(frames[frame].size(), model.mesh.vertices.size());
    for (std::size_t i = 0; i < frames[frame].size(); ++i) {
      double exact = model.mesh.vertices[i], size = std::abs(exact);
      for (std::int64_t j = 0; j < trajectory.rank; ++j) {
        const double field = model.basis(static_cast<std::int64_t>(i), j);
        exact += field * coordinate(trajectory, frame, j);
        size += 2 * std::abs(field) * largest_coordinate(trajectory, j);  // the length of its range at most
      }
      // Each number is rounded to single precision once: positions, target and weight.
      EXPECT_NEAR(frames[frame][i], exact, 2 * float_epsilon * size) << "frame " << frame << " coordinate " << i;
    }
  }
}

TEST_F(Gltf, BasisAsTargetsUpToRankEight) {
  for (const int rank : {1, 8}) {
    const ReducedModel model = test::small_model(rank);
    const Trajectory trajectory = motion(rank, 5);
    const tinygltf::Model gltf = written(model, trajectory);
    EXPECT_EQ(gltf.meshes.at(0).primitives.at(0).targets.size(), static_cast<std::size_t>(rank));
    EXPECT_EQ(gltf.meshes[0].weights.size(), static_cast<std::size_t>(rank));
    expect_motion(gltf, model, trajectory);
  }
}

// Coordinates of either sign, all in one direction, and one that never moves: the motion is whole in a viewer that
// confines weights, and where coordinates begin at rest and go one way, the mesh without weights is at rest.
TEST_F(Gltf, WeightsStayBetween0And1) {
  const ReducedModel model = test::small_model(4);
  Trajectory trajectory = motion(4, 6);
  for (std::size_t frame = 0; frame < 6; ++frame) {
    double* q = trajectory.q.data() + 8 * frame;
    const auto n = static_cast<double>(frame);
    q[0] = -0.0844 * n / 5;
    q[1] = 3e-5 * n * n;
    q[2] = 0;
    q[3] = 0.01 * std::sin(2 * n);
  }
  const tinygltf::Model gltf = written(model, trajectory);
  const auto& sampler = gltf.animations.at(0).samplers.at(0);
  const auto weights = accessor_values<float>(gltf, sampler.output, 1);
  EXPECT_EQ(*std::min_element(weights.begin(), weights.end()), 0);
  EXPECT_EQ(*std::max_element(weights.begin(), weights.end()), 1);
  EXPECT_EQ(std::vector<float>(gltf.meshes.at(0).weights.begin(), gltf.meshes[0].weights.end()),
            std::vector<float>(weights.begin(), weights.begin() + 4));  // the first frame, for those who don't animate
  const auto frames = shown_frames(gltf, trajectory);
  double motion_size = 0, error = 0;
  for (std::size_t frame = 1; frame < frames.size(); ++frame)
    for (std::size_t i = 0; i < frames[frame].size(); ++i) {
      double exact = 0;
      for (std::int64_t j = 0; j < 4; ++j)
        exact += model.basis(static_cast<std::int64_t>(i), j) *
                 (coordinate(trajectory, frame, j) - coordinate(trajectory, 0, j));
      motion_size = std::max(motion_size, std::abs(exact));
      error = std::max(error, std::abs(frames[frame][i] - frames[0][i] - exact));
    }
  EXPECT_GT(motion_size, 0.01);
  EXPECT_LT(error, 1e-6 * motion_size);
  const auto ranges = gltf.meshes[0].extras.Get("targetRanges");
  EXPECT_EQ(ranges.Get(0).Get(1).GetNumberAsDouble(), -0.0844);
  EXPECT_EQ(ranges.Get(2).Get(1).GetNumberAsDouble(), 0);

  for (std::size_t frame = 0; frame < 6; ++frame) trajectory.q[8 * frame + 3] = 0;
  const tinygltf::Model one_way = written(model, trajectory);
  const auto base = positions_of(one_way, one_way.meshes.at(0).primitives.at(0).attributes.at("POSITION"));
  for (std::size_t i = 0; i < base.size(); ++i) EXPECT_EQ(base[i], static_cast<float>(model.mesh.vertices[i]));
}

/// 0.2 m in size, where UTM coordinates put it; single precision counts in half metres there.
ReducedModel far_model(int rank) {
  ReducedModel model = test::small_model(rank);
  const std::array<double, 3> place = {500123.4375, 4649776.25, 12.5};
  for (std::size_t i = 0; i < model.mesh.vertices.size(); ++i)
    model.mesh.vertices[i] = 0.1 * model.mesh.vertices[i] + place[i % 3];
  return model;
}

TEST_F(Gltf, BodiesFarFromTheOriginKeepTheirShape) {
  for (const int rank : {2, 9}) {
    const ReducedModel model = far_model(rank);
    Trajectory trajectory = motion(rank, 3);
    for (double& q : trajectory.q) q *= 0.01;
    const tinygltf::Model gltf = written(model, trajectory);
    const auto base = positions_of(gltf, gltf.meshes.at(0).primitives.at(0).attributes.at("POSITION"));
    for (const float x : base) EXPECT_LT(std::abs(x), 1);
    const auto frames = shown_frames(gltf, trajectory);
    for (std::size_t frame = 0; frame < frames.size(); ++frame)
      for (std::size_t i = 0; i < frames[frame].size(); ++i) {
        double exact = model.mesh.vertices[i];
        for (std::int64_t j = 0; j < rank; ++j)
          exact += model.basis(static_cast<std::int64_t>(i), j) * coordinate(trajectory, frame, j);
        EXPECT_NEAR(frames[frame][i], exact, 1e-7);  // that of 0.2 m, and the last bit of 4.6e6 in double
      }
  }
  // Nobody's coordinates change without need.
  EXPECT_TRUE(written(test::small_model(2), motion(2, 3)).nodes.at(0).translation.empty());
}

TEST_F(Gltf, FramesAsTargetsAbove) {
  const ReducedModel model = test::small_model(9);
  const Trajectory trajectory = motion(9, 5);
  const tinygltf::Model gltf = written(model, trajectory);
  EXPECT_EQ(gltf.meshes.at(0).primitives.at(0).targets.size(), 5u);
  expect_motion(gltf, model, trajectory);
}

TEST_F(Gltf, SceneAndTriangles) {
  const ReducedModel model = test::small_model(2);
  const tinygltf::Model gltf = written(model, motion(2, 2));
  EXPECT_EQ(gltf.asset.version, "2.0");
  EXPECT_EQ(gltf.asset.generator.rfind("quartic ", 0), 0u);
  ASSERT_EQ(gltf.scenes.size(), 1u);
  EXPECT_EQ(gltf.scenes[0].nodes, std::vector<int>{0});
  EXPECT_EQ(gltf.nodes.at(0).mesh, 0);
  EXPECT_TRUE(gltf.materials.at(0).doubleSided);
  EXPECT_FALSE(gltf.nodes[0].name.empty() || gltf.meshes.at(0).name.empty() || gltf.materials[0].name.empty());
  const auto& channel = gltf.animations.at(0).channels.at(0);
  EXPECT_EQ(channel.target_path, "weights");
  EXPECT_EQ(channel.target_node, 0);
  const auto& primitive = gltf.meshes[0].primitives.at(0);
  EXPECT_EQ(primitive.attributes.count("NORMAL"), 0u);
  const auto triangles = accessor_values<std::uint32_t>(gltf, primitive.indices, 1);
  const auto expected = boundary_triangles(model.mesh);
  EXPECT_EQ(std::vector<std::int32_t>(triangles.begin(), triangles.end()), expected);
  for (const auto& view : gltf.bufferViews)
    EXPECT_TRUE(view.target == 0 || view.target == 34962 || view.target == 34963);
  const auto bytes = std::filesystem::file_size(folder_ / "a.glb");
  EXPECT_EQ(bytes % 4, 0u);
}

// Faces with middles and of both shapes, drawn through all their vertices.
TEST_F(Gltf, QuadraticElementsAreDrawnThroughTheirMiddles) {
  const VolumeMesh mesh = test::make_box(test::BoxCells::curved_hexes_and_wedges, {2, 1, 1});
  const ReducedModel model = reduce(mesh, vertices_in_box(mesh, {0, 0, 0, 0, 9, 9}), {.modes = 2, .rank = 3});
  const Trajectory trajectory = motion(3, 5);
  const tinygltf::Model gltf = written(model, trajectory);
  expect_motion(gltf, model, trajectory);
  const int indices = gltf.meshes.at(0).primitives.at(0).indices;
  const auto triangles = accessor_values<std::uint32_t>(gltf, indices, 1);
  // Of the hexahedron five faces of six triangles, of the wedges three more and four faces of four.
  EXPECT_EQ(triangles.size() / 3, 5U * 6U + 3U * 6U + 4U * 4U);
}

TEST_F(Gltf, OnlySurfaceVerticesAreWritten) {
  const ReducedModel model = test::small_model_with_loose_vertex();
  const tinygltf::Model gltf = written(model, motion(1, 2));
  const auto rest = positions_of(gltf, gltf.meshes.at(0).primitives.at(0).attributes.at("POSITION"));
  EXPECT_EQ(rest.size(), 30u);
  const auto target = positions_of(gltf, gltf.meshes[0].primitives[0].targets.at(0).at("POSITION"));
  const auto range = gltf.meshes[0].extras.Get("targetRanges").Get(0);
  const double length = range.Get(1).GetNumberAsDouble() - range.Get(0).GetNumberAsDouble();
  EXPECT_NE(length, 0);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(target[i], static_cast<float>(model.basis.values[i + 3] * length));
}

TEST_F(Gltf, TimesStayAscendingInSinglePrecision) {
  const ReducedModel model = test::small_model(1);
  Trajectory trajectory = motion(1, 4);
  trajectory.time = {1000, 1000.00001, 1000.00002, 1001};
  const tinygltf::Model gltf = written(model, trajectory);
  const auto times = accessor_values<float>(gltf, gltf.animations.at(0).samplers.at(0).input, 1);
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_LT(times[i - 1], times[i]);
}

TEST_F(Gltf, WhatDoesNotFitIsRefused) {
  const ReducedModel model = test::small_model(2);
  EXPECT_THROW(write_glb(model, motion(3, 2), folder_ / "no.glb"), InputError);
  EXPECT_THROW(write_glb(test::small_model(0), motion(2, 2), folder_ / "no.glb"), InputError);
  EXPECT_THROW(write_glb(model, motion(2, 0), folder_ / "no.glb"), InputError);
  Trajectory broken = motion(2, 2);
  broken.q[0] = NAN;
  EXPECT_THROW(write_glb(model, broken, folder_ / "no.glb"), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "no.glb"));
  EXPECT_THROW(write_glb(model, motion(2, 2), folder_ / "nowhere/no.glb"), FileError);
}

}  // namespace
}  // namespace quartic
