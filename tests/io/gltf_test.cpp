// Animations in glTF, read back by another's parser.
#include <cmath>
#include <cstring>
#include <fstream>

#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"
#include "support/boxes.hpp"
#include "support/small_model.hpp"
#include "support/support.hpp"

#define TINYGLTF_IMPLEMENTATION
#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#define TINYGLTF_NO_INCLUDE_JSON
#include <nlohmann/json.hpp>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <tiny_gltf.h>
#pragma GCC diagnostic pop

namespace quartic {
namespace {

constexpr double float_epsilon = 0x1p-23;

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
    tinygltf::TinyGLTF loader;
    tinygltf::Model gltf;
    std::string error, warning;
    EXPECT_TRUE(loader.LoadBinaryFromFile(&gltf, &error, &warning, (folder_ / "a.glb").string())) << error;
    EXPECT_EQ(error, "");
    EXPECT_EQ(warning, "");
    return gltf;
  }
  test::TemporaryFolder folder_;
};

template <class T>
std::vector<T> accessor_values(const tinygltf::Model& gltf, int number, std::size_t components) {
  const auto& accessor = gltf.accessors.at(static_cast<std::size_t>(number));
  const auto& view = gltf.bufferViews.at(static_cast<std::size_t>(accessor.bufferView));
  EXPECT_EQ((view.byteOffset + accessor.byteOffset) % 4, 0u);
  EXPECT_LE(view.byteOffset + view.byteLength, gltf.buffers.at(0).data.size());
  std::vector<T> values(accessor.count * components);
  EXPECT_EQ(view.byteLength, values.size() * sizeof(T));
  std::memcpy(values.data(), gltf.buffers[0].data.data() + view.byteOffset, values.size() * sizeof(T));
  return values;
}

std::vector<float> positions_of(const tinygltf::Model& gltf, int number) {
  const auto values = accessor_values<float>(gltf, number, 3);
  const auto& accessor = gltf.accessors[static_cast<std::size_t>(number)];
  for (std::size_t c = 0; c < 3; ++c) {
    float low = values[c], high = values[c];
    for (std::size_t i = c; i < values.size(); i += 3) {
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
    EXPECT_EQ(static_cast<float>(accessor.minValues.at(c)), low);
    EXPECT_EQ(static_cast<float>(accessor.maxValues.at(c)), high);
  }
  return values;
}

/// What a viewer shows at a keyframe: rest plus the targets by their weights. Must be the model's own vertices.
void expect_motion(const tinygltf::Model& gltf, const ReducedModel& model, const Trajectory& trajectory) {
  const auto& primitive = gltf.meshes.at(0).primitives.at(0);
  const auto rest = positions_of(gltf, primitive.attributes.at("POSITION"));
  std::vector<std::vector<float>> targets;
  for (const auto& target : primitive.targets) targets.push_back(positions_of(gltf, target.at("POSITION")));
  const auto& sampler = gltf.animations.at(0).samplers.at(0);
  EXPECT_EQ(sampler.interpolation, "LINEAR");
  const auto times = accessor_values<float>(gltf, sampler.input, 1);
  const auto weights = accessor_values<float>(gltf, sampler.output, 1);
  ASSERT_EQ(times.size(), trajectory.time.size());
  ASSERT_EQ(weights.size(), times.size() * targets.size());
  // Every vertex of this mesh lies on its boundary, so that surface and mesh number them alike.
  ASSERT_EQ(rest.size(), model.mesh.vertices.size());
  for (std::size_t frame = 0; frame < times.size(); ++frame) {
    EXPECT_EQ(times[frame], static_cast<float>(trajectory.time[frame]));
    for (std::size_t i = 0; i < rest.size(); ++i) {
      double shown = rest[i], exact = model.mesh.vertices[i], size = std::abs(exact);
      for (std::size_t t = 0; t < targets.size(); ++t)
        shown += static_cast<double>(weights[frame * targets.size() + t]) * static_cast<double>(targets[t][i]);
      for (std::int64_t j = 0; j < trajectory.rank; ++j) {
        const double q =
            trajectory.q[frame * 2 * static_cast<std::size_t>(trajectory.rank) + static_cast<std::size_t>(j)];
        exact += model.basis(static_cast<std::int64_t>(i), j) * q;
        size += std::abs(model.basis(static_cast<std::int64_t>(i), j) * q);
      }
      // Each number is rounded to single precision once: basis, weight and rest.
      EXPECT_NEAR(shown, exact, 2 * float_epsilon * size) << "frame " << frame << " coordinate " << i;
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
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(target[i], static_cast<float>(model.basis.values[i + 3]));
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
