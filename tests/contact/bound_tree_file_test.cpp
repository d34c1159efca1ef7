// Bound trees in model files: what is saved is loaded to the bit, and no file makes spheres that don't hold their
// points.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>

#include "quartic/bound_tree.hpp"
#include "quartic/editing.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "support/error_message.hpp"
#include "support/files.hpp"
#include "support/free_body.hpp"
#include "support/safetensors_header.hpp"
#include "support/small_model.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using test::file_text;
using test::header_of;

class BoundTreeFile : public testing::Test {
 protected:
  BoundTreeFile() : model_(test::small_model(3)) { model_.bound_tree = bound_tree(model_, {.spacing = 0.2}); }

  std::string saved(const ReducedModel& model) {
    save_model(model, folder_ / "m.qrt");
    return file_text(folder_ / "m.qrt");
  }
  ReducedModel loaded(const std::string& content) {
    std::ofstream(folder_ / "other.qrt", std::ios::binary) << content;
    return load_model(folder_ / "other.qrt");
  }
  // The file with a number of a tensor changed.
  template <class Number, class Change>
  std::string with_number(const std::string& tensor, std::size_t place, const Change& change) {
    std::string content = saved(model_);
    const std::size_t begin = sizeof(std::uint64_t) + test::header_text(content).size() +
                              header_of(content)[tensor]["data_offsets"][0].get<std::size_t>() + place * sizeof(Number);
    Number value;
    std::memcpy(&value, content.data() + begin, sizeof value);
    value = change(value);
    std::memcpy(content.data() + begin, &value, sizeof value);
    return content;
  }
  void expect_refused(const std::string& content, const std::string& part) {
    try {
      static_cast<void>(loaded(content));
      ADD_FAILURE() << "accepted; expected: " << part;
    } catch (const ParseError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }

  test::TemporaryFolder folder_;
  ReducedModel model_;
};

TEST_F(BoundTreeFile, RoundTripKeepsEveryBit) {
  const std::string content = saved(model_);
  const ReducedModel found = loaded(content);
  ASSERT_TRUE(found.bound_tree.has_value());
  const BoundTree &a = *model_.bound_tree, &b = *found.bound_tree;
  EXPECT_GT(a.node_count(), 3);
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.points.triangles, b.points.triangles);
  EXPECT_EQ(a.points.positions, b.points.positions);
  EXPECT_EQ(a.points.areas, b.points.areas);
  EXPECT_EQ(a.points.basis.values, b.points.basis.values);
  EXPECT_EQ(a.rest_spheres, b.rest_spheres);
  EXPECT_EQ(a.centre_fields, b.centre_fields);
  EXPECT_EQ(a.affine_fields, b.affine_fields);
  EXPECT_EQ(a.residuals, b.residuals);
  EXPECT_TRUE(found.notices.empty());
  EXPECT_EQ(saved(found), content);
}

TEST_F(BoundTreeFile, AModelWithoutOneIsWrittenAsBefore) {
  ReducedModel without = model_;
  without.bound_tree.reset();
  const auto header = header_of(saved(without));
  EXPECT_FALSE(header.contains("bound_nodes"));
  EXPECT_FALSE(header["__metadata__"].contains("bound_tree_of"));
  EXPECT_EQ(header["__metadata__"]["quartic_schema"], "1");
  EXPECT_EQ(header_of(saved(model_))["__metadata__"]["quartic_schema"], "1") << "a hint that older programs may ignore";
}

TEST_F(BoundTreeFile, OfAnotherBasisIsLeftOutWithANotice) {
  // A program that doesn't know the tree keeps it, whatever it does to the basis.
  const ReducedModel found = loaded(with_number<double>("basis", 3, [](double x) { return x + 1; }));
  EXPECT_FALSE(found.bound_tree.has_value());
  ASSERT_EQ(found.notices.size(), 1U);
  EXPECT_NE(found.notices[0].find("bound tree"), std::string::npos);
}

// The file of a model with the tree that stands in another's, as a program has it that doesn't know trees.
std::string with_tree_of(const std::string& file, const std::string& other) {
  nlohmann::json header = header_of(file);
  const nlohmann::json from = header_of(other);
  std::string bytes = test::tensor_bytes(file);
  for (const auto& [name, tensor] : from.items())
    if (name.starts_with("bound_") || name.starts_with("contact_")) {
      const auto begin = tensor["data_offsets"][0].get<std::size_t>(),
                 end = tensor["data_offsets"][1].get<std::size_t>();
      header[name] = tensor;
      header[name]["data_offsets"] = {bytes.size(), bytes.size() + end - begin};
      bytes += test::tensor_bytes(other).substr(begin, end - begin);
    }
  for (const char* key : {"bound_tree_of", "bound_tree_surface"})
    header["__metadata__"][key] = from["__metadata__"][key];
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text + bytes;
}

TEST_F(BoundTreeFile, OfAnotherSurfaceIsLeftOutWithANotice) {
  const auto expect_left_out = [&](const std::string& content) {
    const ReducedModel found = loaded(content);
    EXPECT_FALSE(found.bound_tree.has_value());
    ASSERT_EQ(found.notices.size(), 1U);
    EXPECT_NE(found.notices[0].find("another surface"), std::string::npos) << found.notices[0];
  };
  const std::string with_tree = saved(model_);
  ReducedModel other = model_;
  other.bound_tree.reset();
  EXPECT_TRUE(loaded(with_tree_of(saved(other), with_tree)).bound_tree.has_value());
  other.surface = boundary_surface(model_.mesh);
  other.surface->triangles.resize(3);  // others, on which points lie, are gone
  expect_left_out(with_tree_of(saved(other), with_tree));
  other.surface = boundary_surface(model_.mesh);
  other.surface->vertices[0] += 0.01;
  expect_left_out(with_tree_of(saved(other), with_tree));
}

TEST_F(BoundTreeFile, DamageIsFound) {
  expect_refused(with_number<double>("bound_sphere", 3, [](double x) { return 0.9 * x; }), "outside of node 0");
  expect_refused(with_number<double>("bound_residual", 1, [](double x) { return 0.9 * x; }), "out of node 0");
  expect_refused(with_number<double>("bound_affine", 4, [](double x) { return x + 1; }), "out of node 0");
  expect_refused(with_number<double>("contact_weights", 2, [](double x) { return x + 0.5; }), "node");
  expect_refused(with_number<double>("contact_areas", 0, [](double) { return -1.0; }), "area");
  expect_refused(with_number<std::int32_t>("contact_triangles", 0, [](int) { return 1000; }), "triangle 1000");
  expect_refused(with_number<std::int32_t>("contact_triangles", 0, [](int) { return -1; }), "triangle -1");
  expect_refused(with_number<std::int32_t>("bound_nodes", 1, [](int x) { return x + 1; }), "children");
  expect_refused(with_number<std::int32_t>("bound_nodes", 2, [](int x) { return x + 1; }), "points");
  expect_refused(test::with_metadata(saved(model_), "bound_tree_of", nullptr), "bound_tree_of");
  nlohmann::json header = header_of(saved(model_));
  header["other"] = header["bound_nodes"];
  header.erase("bound_nodes");
  expect_refused(test::with_header(saved(model_), header), "bound_nodes");
}

// Spheres that hold the points of another body would be no better than none.
TEST_F(BoundTreeFile, WhatNoLongerFitsIsntSaved) {
  const auto message = [&](const ReducedModel& model) { return test::message_of([&] { saved(model); }); };
  ReducedModel moved = model_;
  moved.basis.values[5] *= 2;
  EXPECT_NE(message(moved).find("another surface or basis"), std::string::npos) << message(moved);
  ReducedModel fewer = model_;
  fewer.bound_tree->rank = 2;
  EXPECT_NE(message(fewer).find("rank"), std::string::npos) << message(fewer);
  ReducedModel anew = moved;
  anew.bound_tree = refitted(*moved.bound_tree, moved);
  EXPECT_EQ(message(anew), "");
}

TEST(BoundTreeEditTest, FollowsAnEditOfTheBasis) {
  ReducedModel model = test::free_block(5e5, 3, 6, true);
  model.bound_tree = bound_tree(model, {.spacing = 0.2});
  const std::vector<int> kept = {4, 1, 0};
  const ReducedModel fewer = keep_basis_vectors(model, kept);
  ASSERT_TRUE(fewer.bound_tree.has_value());
  const BoundTree anew = bound_tree(fewer, {.spacing = 0.2});
  EXPECT_EQ(fewer.bound_tree->points.basis.values, anew.points.basis.values);
  EXPECT_EQ(fewer.bound_tree->residuals, anew.residuals);
  std::vector<Material> materials;
  for (const Region& region : model.mesh.regions) materials.push_back(*region.material);
  materials[1].density *= 3;
  const ReducedModel heavier = with_materials(model, materials);
  EXPECT_EQ(heavier.bound_tree->centre_fields, bound_tree(heavier, {.spacing = 0.2}).centre_fields);
  EXPECT_NE(heavier.bound_tree->centre_fields, model.bound_tree->centre_fields);
}

}  // namespace
}  // namespace quartic
