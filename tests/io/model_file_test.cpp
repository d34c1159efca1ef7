// Model files: what is saved is loaded to the bit, and what doesn't fit together is refused.
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/version.hpp"
#include "support/files.hpp"
#include "support/safetensors_header.hpp"
#include "support/small_model.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using test::file_text;
using test::header_of;
using test::small_model;
using test::with_header;

class ModelFiles : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& content) {
    std::ofstream(folder_ / "damaged.qrt", std::ios::binary) << content;
    return folder_ / "damaged.qrt";
  }
  std::string saved(const ReducedModel& model) {
    save_model(model, folder_ / "m.qrt");
    return file_text(folder_ / "m.qrt");
  }
  void expect_refused(const std::string& content, const std::string& part) {
    try {
      (void)load_model(write(content));
      FAIL() << "accepted; expected: " << part;
    } catch (const ParseError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
    }
  }
  test::TemporaryFolder folder_;
};

TEST_F(ModelFiles, RoundTripKeepsEveryBit) {
  for (const int rank : {0, 1, 3}) {
    const ReducedModel model = small_model(rank);
    const std::string content = saved(model);
    const ReducedModel again = load_model(folder_ / "m.qrt");
    EXPECT_EQ(again.mesh.vertices, model.mesh.vertices);
    ASSERT_EQ(again.mesh.blocks.size(), 2u);
    for (std::size_t b = 0; b < 2; ++b) {
      EXPECT_EQ(again.mesh.blocks[b].type, model.mesh.blocks[b].type);
      EXPECT_EQ(again.mesh.blocks[b].vertices, model.mesh.blocks[b].vertices);
    }
    EXPECT_EQ(again.mesh.element_region, model.mesh.element_region);
    ASSERT_EQ(again.mesh.regions.size(), 2u);
    for (std::size_t g = 0; g < 2; ++g) {
      EXPECT_EQ(again.mesh.regions[g].name, model.mesh.regions[g].name);
      EXPECT_EQ(again.mesh.regions[g].material->youngs_modulus, model.mesh.regions[g].material->youngs_modulus);
      EXPECT_EQ(again.mesh.regions[g].material->poissons_ratio, model.mesh.regions[g].material->poissons_ratio);
      EXPECT_EQ(again.mesh.regions[g].material->density, model.mesh.regions[g].material->density);
    }
    EXPECT_EQ(again.fixed_vertices, model.fixed_vertices);
    EXPECT_EQ(again.mass_matrix, model.mass_matrix);
    EXPECT_EQ(again.rigid_modes, 1);
    EXPECT_EQ(again.eigenvalues, model.eigenvalues);
    EXPECT_EQ(again.linear_modes.values, model.linear_modes.values);
    EXPECT_EQ(again.rank(), rank);
    EXPECT_EQ(again.basis.values, model.basis.values);
    EXPECT_EQ(again.unit_acceleration.rows, model.unit_acceleration.rows);
    EXPECT_EQ(again.unit_acceleration.values, model.unit_acceleration.values);
    EXPECT_EQ(again.energy.rank, rank);
    EXPECT_EQ(again.energy.coefficients, model.energy.coefficients);
    ASSERT_EQ(again.region_energy.size(), model.region_energy.size());
    ASSERT_EQ(again.region_mass.size(), model.region_mass.size());
    ASSERT_EQ(again.region_unit_acceleration.size(), model.region_unit_acceleration.size());
    for (std::size_t g = 0; g < model.region_energy.size(); ++g) {
      EXPECT_EQ(again.region_energy[g].lambda_part.coefficients, model.region_energy[g].lambda_part.coefficients);
      EXPECT_EQ(again.region_energy[g].mu_part.coefficients, model.region_energy[g].mu_part.coefficients);
      EXPECT_EQ(again.region_mass[g].values, model.region_mass[g].values);
      EXPECT_EQ(again.region_unit_acceleration[g].rows, rank);
      EXPECT_EQ(again.region_unit_acceleration[g].values, model.region_unit_acceleration[g].values);
    }
    EXPECT_EQ(again.created_by, model.created_by);
    EXPECT_TRUE(again.unknown_tensors.empty());
    EXPECT_TRUE(again.unknown_metadata.empty());
    EXPECT_EQ(saved(again), content) << "saving again gives the same file";
  }
}

TEST_F(ModelFiles, TensorsAreThoseOfSchemaOne) {
  const auto header = header_of(saved(small_model(3)));
  struct Expected {
    const char* name;
    const char* dtype;
    std::vector<int> shape;
  };
  const Expected expected[] = {{"vertices", "F64", {10, 3}},
                               {"tet4", "I32", {1, 4}},
                               {"hex8", "I32", {1, 8}},
                               {"element_region", "I32", {2}},
                               {"region_material", "F64", {2, 3}},
                               {"fixed_vertices", "I32", {3}},
                               {"eigenvalues", "F64", {2}},
                               {"linear_modes", "F64", {2, 10, 3}},
                               {"basis", "F64", {3, 10, 3}},
                               {"unit_acceleration", "F64", {3, 3}},
                               {"energy", "F64", {35}},
                               {"region_energy", "F64", {2, 2, 35}},
                               {"region_mass", "F64", {2, 3, 3}},
                               {"region_unit_acceleration", "F64", {2, 3, 3}}};
  for (const auto& [name, dtype, shape] : expected) {
    ASSERT_TRUE(header.contains(name)) << name;
    EXPECT_EQ(header[name]["dtype"].get<std::string>(), dtype) << name;
    EXPECT_EQ(header[name]["shape"].get<std::vector<int>>(), shape) << name;
  }
  EXPECT_EQ(header.size(), std::size(expected) + 1);
  EXPECT_EQ(header["__metadata__"]["quartic_schema"], "1");
  EXPECT_EQ(header["__metadata__"]["rigid_modes"], "1");
  EXPECT_EQ(header["__metadata__"]["mass_matrix"], "lumped");
}

/// A tetrahedron with exact numbers, of which nothing is computed that rounds.
ReducedModel exact_model(bool region_parts, SurfaceBasis surface_basis) {
  ReducedModel model;
  model.mesh.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  model.mesh.blocks = {{ElementType::tet4, {0, 1, 2, 3}}};
  model.mesh.element_region = {0};
  model.mesh.regions = {{"all", Material{.youngs_modulus = 1e6, .poissons_ratio = 0.25, .density = 1000}}};
  model.fixed_vertices = {0};
  model.eigenvalues = {4};
  model.linear_modes = Matrix(12, 1);
  model.basis = Matrix(12, 1);
  for (std::size_t i = 3; i < 12; ++i) model.linear_modes.values[i] = model.basis.values[i] = 0.125 * double(i) - 0.75;
  model.unit_acceleration = Matrix(1, 3);
  model.unit_acceleration.values = {0.5, -0.0, 2};
  model.energy = {1, {0, 0, 4, 0.5, 24}};
  model.created_by = "by hand";
  if (region_parts) {
    model.region_energy = {{{1, {0, 0, 1, 0, 3}}, {1, {0, 0, 2, 0, 5}}}};
    model.region_mass = {Matrix(1, 1)};
    model.region_unit_acceleration = {Matrix(1, 3)};
  }
  if (surface_basis != SurfaceBasis::none) {
    SurfaceEmbedding& surface = model.surface.emplace();
    surface.vertices = {1, 0, 0, 0, 1, 0, 0, 0, 0.5};
    surface.triangles = {0, 1, 2};
    surface.width = 4;
    surface.volume_vertices = {1, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0};
    surface.weights = {1, 0, 0, 0, 1, 0, 0, 0, 0.5, 0.5, 0, 0};
    model.surface_basis = surface_basis;
  }
  return model;
}

std::uint64_t fnv1a(const std::string& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// What other programs read, and older versions: these numbers are of version 0.1, and stay.
TEST_F(ModelFiles, FilesOfSchemaOneAreTheSameByteForByte) {
  const std::string start =
      "{\"__metadata__\":{\"created_by\":\"by hand\",\"mass_matrix\":\"consistent\",\"quartic_schema\":\"1\","
      "\"quartic_version\":\"" +
      std::string(version) + "\",\"region_names\":\"[\\\"all\\\"]\",\"rigid_modes\":\"0\"},";
  const std::string plain = saved(exact_model(false, SurfaceBasis::none));
  EXPECT_EQ(test::header_text(plain).substr(0, start.size()), start);
  const auto hash = [&](const ReducedModel& model) {
    const std::string content = saved(model);
    std::string header = test::header_text(content);
    header = header.substr(header.find("},") + 2);  // without the metadata, which have the version
    return fnv1a(header.substr(0, header.find_last_not_of(' ') + 1) + test::tensor_bytes(content));
  };
  EXPECT_EQ(hash(exact_model(false, SurfaceBasis::none)), 17703520530834345544U);
  EXPECT_EQ(hash(exact_model(true, SurfaceBasis::none)), 15592311975435946024U);
  EXPECT_EQ(hash(exact_model(false, SurfaceBasis::half)), 4975285935592735007U);
  EXPECT_EQ(hash(exact_model(true, SurfaceBasis::single)), 12049263904593752740U);
}

TEST_F(ModelFiles, FieldsLieVertexByVertex) {
  const ReducedModel model = small_model(2);
  const std::string content = saved(model);
  const auto offset = header_of(content)["basis"]["data_offsets"][0].get<std::size_t>();
  std::uint64_t length = 0;
  std::memcpy(&length, content.data(), 8);
  const auto entry = [&](std::size_t mode, std::size_t vertex, std::size_t axis) {
    double value = 0;
    std::memcpy(&value, content.data() + 8 + length + offset + 8 * ((mode * 10 + vertex) * 3 + axis), 8);
    return value;
  };
  EXPECT_EQ(entry(1, 4, 2), model.basis(3 * 4 + 2, 1));
  EXPECT_EQ(entry(0, 9, 0), model.basis(3 * 9, 0));
}

TEST_F(ModelFiles, UnknownTensorsAndMetadataAreKept) {
  ReducedModel model = small_model(1);
  model.unknown_tensors["texture"] = {"U8", {2, 3}, std::vector<std::byte>(6, std::byte{42})};
  model.unknown_tensors["half"] = {"F16", {0}, {}};
  model.unknown_metadata["author"] = "someone";
  save_model(model, folder_ / "m.qrt");
  save_model(load_model(folder_ / "m.qrt"), folder_ / "again.qrt");
  const ReducedModel again = load_model(folder_ / "again.qrt");
  ASSERT_EQ(again.unknown_tensors.size(), 2u);
  EXPECT_EQ(again.unknown_tensors.at("texture").dtype, "U8");
  EXPECT_EQ(again.unknown_tensors.at("texture").shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(again.unknown_tensors.at("texture").data, model.unknown_tensors["texture"].data);
  EXPECT_EQ(again.unknown_metadata, (std::map<std::string, std::string>{{"author", "someone"}}));
}

TEST_F(ModelFiles, NewerAndForeignFilesAreRefused) {
  const std::string content = saved(small_model(1));
  auto header = header_of(content);
  header["__metadata__"]["quartic_schema"] = "3";
  expect_refused(with_header(content, header), "newer version of quartic (schema 3");
  header["__metadata__"]["quartic_schema"] = "one";
  expect_refused(with_header(content, header), "quartic_schema is 'one'");
  header["__metadata__"].erase("quartic_schema");
  expect_refused(with_header(content, header), "no quartic model");
  header.erase("__metadata__");
  expect_refused(with_header(content, header), "no quartic model");
  expect_refused("*VERTICES\n", "safetensors");
  EXPECT_THROW((void)load_model(folder_ / "nowhere.qrt"), FileError);
}

TEST_F(ModelFiles, ShapesAreCheckedAgainstEachOther) {
  const std::string content = saved(small_model(3));
  const auto reshaped = [&](const char* name, const nlohmann::json& shape) {
    auto header = header_of(content);
    header[name]["shape"] = shape;
    return with_header(content, header);
  };
  expect_refused(reshaped("vertices", {6, 5}), "'vertices' has size 5 in dimension 1");
  expect_refused(reshaped("vertices", {30}), "'vertices' has 1 dimensions instead of 2");
  expect_refused(reshaped("tet4", {2, 2}), "'tet4'");
  expect_refused(reshaped("region_material", {3, 2}), "'region_material'");
  expect_refused(reshaped("linear_modes", {1, 20, 3}), "'linear_modes'");
  expect_refused(reshaped("linear_modes", {2, 3, 10}), "'linear_modes'");
  expect_refused(reshaped("basis", {6, 5, 3}), "'basis'");
  expect_refused(reshaped("unit_acceleration", {9, 1}), "'unit_acceleration'");
  expect_refused(reshaped("region_energy", {4, 1, 35}), "'region_energy'");
  expect_refused(reshaped("region_mass", {2, 9, 1}), "'region_mass'");
  expect_refused(reshaped("region_unit_acceleration", {2, 1, 9}), "'region_unit_acceleration'");
  expect_refused(reshaped("region_unit_acceleration", {3, 2, 3}), "'region_unit_acceleration'");
}

// A tensor of a dtype that only newer programs know is kept like any other unknown one; a path in a note may be of
// another encoding than the format's UTF-8.
TEST_F(ModelFiles, WhatNewerProgramsAndOldPathsWriteIsKept) {
  ReducedModel model = small_model(3);
  model.unknown_tensors["x"] = {"F99", {1}, std::vector<std::byte>(8, std::byte{7})};
  model.created_by = "caf\xE9";
  save_model(model, folder_ / "model.qrt");
  const ReducedModel again = load_model(folder_ / "model.qrt");
  EXPECT_EQ(again.unknown_tensors.at("x").dtype, "F99");
  EXPECT_EQ(again.unknown_tensors.at("x").data, model.unknown_tensors.at("x").data);
  EXPECT_EQ(again.created_by, "caf\xEF\xBF\xBD");  // the replacement character
}

TEST_F(ModelFiles, PartsThatDoNotFitAreRefusedBeforeWriting) {
  const std::function<void(ReducedModel&)> damages[] = {
      [](ReducedModel& m) { m.mesh.vertices.pop_back(); },
      [](ReducedModel& m) { m.mesh.blocks.clear(); },
      [](ReducedModel& m) { m.mesh.blocks[0].vertices[0] = 10; },
      [](ReducedModel& m) { std::swap(m.mesh.blocks[0], m.mesh.blocks[1]); },
      [](ReducedModel& m) { m.mesh.element_region[0] = -1; },
      [](ReducedModel& m) { m.mesh.element_region[0] = 2; },
      [](ReducedModel& m) { m.mesh.element_region.pop_back(); },
      [](ReducedModel& m) { m.mesh.regions[0].material.reset(); },
      [](ReducedModel& m) { m.mesh.regions[0].material->poissons_ratio = 0.5; },
      [](ReducedModel& m) {
        m.fixed_vertices = {3, 3};
      },
      [](ReducedModel& m) { m.fixed_vertices = {10}; },
      [](ReducedModel& m) { m.eigenvalues.pop_back(); },
      [](ReducedModel& m) { m.basis = Matrix(29, 3); },
      [](ReducedModel& m) { m.energy.coefficients.pop_back(); },
      [](ReducedModel& m) { m.energy.rank = 2; },
      [](ReducedModel& m) { m.unit_acceleration = Matrix(3, 2); },
      [](ReducedModel& m) { m.region_energy.pop_back(); },
      [](ReducedModel& m) { m.region_mass[1] = Matrix(2, 3); },
      [](ReducedModel& m) { m.region_unit_acceleration.pop_back(); },
      [](ReducedModel& m) { m.region_unit_acceleration[0] = Matrix(3, 2); },
      [](ReducedModel& m) {
        m.unknown_tensors["x"] = {"F64", {2}, std::vector<std::byte>(8)};
      },
  };
  int number = 0;
  for (const auto& damage : damages) {
    ReducedModel model = small_model(3);
    damage(model);
    EXPECT_THROW(save_model(model, folder_ / "never.qrt"), InputError) << "damage " << number;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "never.qrt")) << "damage " << number;
    ++number;
  }
}

TEST_F(ModelFiles, DamagedFilesNeverCrash) {
  const std::string content = saved(small_model(2));
  for (std::size_t length = 0; length < content.size(); length += 1 + length / 64)
    EXPECT_THROW((void)load_model(write(content.substr(0, length))), ParseError) << length;
  std::mt19937_64 random(11);
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = content;
    // Most bytes are numbers, where a flip does little; half of the flips go to the header.
    const std::size_t range = round % 2 == 0 ? damaged.size() : std::min<std::size_t>(damaged.size(), 1800);
    for (std::uint64_t flips = 1 + random() % 3; flips > 0; --flips)
      damaged[random() % range] ^= static_cast<char>(1u << random() % 8);
    try {
      (void)load_model(write(damaged));
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace quartic
