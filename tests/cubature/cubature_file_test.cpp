// Models with a cubature in files: everything comes back, older programs refuse them by name, and damaged ones are
// told.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/editing.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "support/error_message.hpp"
#include "support/files.hpp"

namespace quartic {
namespace {

const ReducedModel& rubber() {
  static const ReducedModel model = [] {
    ProceduralMesh block = make_box({.length = 2,
                                     .width = 1,
                                     .height = 1,
                                     .cells_x = 4,
                                     .cells_y = 2,
                                     .cells_z = 2,
                                     .type = ElementType::tet4,
                                     .material = {.youngs_modulus = 1e5,
                                                  .poissons_ratio = 0.35,
                                                  .density = 1000,
                                                  .law = MaterialLaw::mooney_rivlin,
                                                  .mooney_share = 0.2}});
    return reduce(block.mesh, block.fixed_vertices,
                  {.modes = 3,
                   .rank = 4,
                   .cubature = CubatureOptions{.points = 12, .samples = 20, .fresh_samples = 8, .amplitude = 0.1}});
  }();
  return model;
}

class CubatureFile : public testing::Test {
 protected:
  void SetUp() override { path_ = std::filesystem::path(testing::TempDir()) / "cubature_file_test.qrt"; }
  void TearDown() override { std::filesystem::remove(path_); }
  std::filesystem::path path_;
};

TEST_F(CubatureFile, KeepsAll) {
  save_model(rubber(), path_);
  const ReducedModel back = load_model(path_);
  const Cubature &a = *rubber().cubature, &b = back.cubature.value();
  EXPECT_EQ(b.rank, a.rank);
  EXPECT_EQ(b.points, a.points);
  EXPECT_EQ(b.weights, a.weights);
  EXPECT_EQ(b.volumes, a.volumes);
  EXPECT_EQ(b.gradients, a.gradients);
  EXPECT_EQ(b.materials, a.materials);
  EXPECT_EQ(b.base, a.base);
  EXPECT_EQ(b.stiffness.values, a.stiffness.values);
  EXPECT_EQ(b.report->equilibrium.largest, a.report->equilibrium.largest);
  EXPECT_EQ(b.report->seed, a.report->seed);
  EXPECT_EQ(back.mesh.regions[0].material, rubber().mesh.regions[0].material);
  EXPECT_EQ(back.energy.rank, 0);
  const std::vector<double> q = {0.1, -0.2, 0.05, 0.1};
  EXPECT_EQ(evaluate(back, q).force, evaluate(rubber(), q).force);
}

TEST_F(CubatureFile, RequiresThatItIsKnown) {
  save_model(rubber(), path_);
  const std::string text = test::file_text(path_);
  EXPECT_NE(text.find("\"requires\""), std::string::npos);
  EXPECT_EQ(text.substr(0, text.find("data_offsets")).find("\"quartic_schema\":\"1\""), std::string::npos);
}

TEST_F(CubatureFile, WhatDoesNotFitIsRefused) {
  const auto refused = [&](const auto& change, const std::string& word) {
    ReducedModel model = rubber();
    change(model);
    const std::string message = test::message_of([&] { save_model(model, path_); });
    EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  refused([](ReducedModel& m) { m.cubature->weights[1] = -1; }, "weight");
  refused([](ReducedModel& m) { m.cubature->gradients.pop_back(); }, "gradients");
  refused([](ReducedModel& m) { m.cubature->points[2].element = 100'000; }, "element");
  refused([](ReducedModel& m) { m.mesh.regions[0].material->youngs_modulus *= 2; }, "material");
  refused([](ReducedModel& m) { m.energy = ForceModel(*m.cubature).energy; }, "rank");
}

// What changes the basis or the materials would need other weights.
TEST_F(CubatureFile, EditsAreRefused) {
  const std::vector<int> kept = {0, 1};
  EXPECT_NE(test::message_of([&] { static_cast<void>(keep_basis_vectors(rubber(), kept)); }).find("weights"),
            std::string::npos);
  EXPECT_FALSE(test::message_of([&] {
                 static_cast<void>(with_materials(rubber(), std::vector{*rubber().mesh.regions[0].material}));
               }).empty());
}

TEST_F(CubatureFile, CheckpointsBelongToTheWeights) {
  const auto batch_of = [](const Cubature& cubature) {
    return Batch<double>({{.bodies = 2, .force_model = ForceModel(cubature)}});
  };
  Batch<double> batch = batch_of(*rubber().cubature);
  batch.velocity()(0, 1) = 1;
  batch.step(1e-3);
  save_checkpoint(batch, path_);
  Batch<double> same = batch_of(*rubber().cubature);
  load_checkpoint(same, path_);
  EXPECT_EQ(same.q()(0, 1), batch.q()(0, 1));
  Cubature other = *rubber().cubature;
  other.weights[0] *= 1.5;
  Batch<double> different = batch_of(other);
  EXPECT_FALSE(test::message_of([&] { load_checkpoint(different, path_); }).empty());
  other = *rubber().cubature;
  other.tangent = LawTangent::projected;
  Batch<double> projected = batch_of(other);
  EXPECT_FALSE(test::message_of([&] { load_checkpoint(projected, path_); }).empty());
}

// A chamber would press on a body without an energy that its volume goes with.
TEST(CubatureModel, TakesNoChambers) {
  ReducedModel model = rubber();
  EXPECT_NE(test::message_of([&] { add_chamber(model, {.name = "air"}); }).find("cubature"), std::string::npos);
  EXPECT_TRUE(model.chambers.empty());
}

}  // namespace
}  // namespace quartic
