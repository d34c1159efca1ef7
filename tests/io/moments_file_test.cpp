// Moments of mass in model files: what is saved is loaded to the bit, and what contradicts its model is left out.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "quartic/editing.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "support/boxes.hpp"
#include "support/files.hpp"
#include "support/safetensors_header.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using test::BoxCells;
using test::file_text;
using test::header_of;
using test::with_header;
using test::with_metadata;

// Two regions; every kind of element.
const ReducedModel& sample(BoxCells cells = BoxCells::alternating) {
  static const ReducedModel model =
      reduce(test::make_box(BoxCells::alternating, {2, 1, 1}), {}, {.modes = 2, .rank = 4, .region_parts = true});
  static ReducedModel other;
  if (cells == BoxCells::alternating) return model;
  other = reduce(test::make_box(cells, {2, 1, 1}), {}, {.modes = 2, .rank = 4, .region_parts = true});
  return other;
}

class MomentsFile : public testing::Test {
 protected:
  std::string saved(const ReducedModel& model) {
    save_model(model, folder_ / "m.qrt");
    return file_text(folder_ / "m.qrt");
  }
  ReducedModel loaded(const std::string& content) {
    std::ofstream(folder_ / "other.qrt", std::ios::binary) << content;
    return load_model(folder_ / "other.qrt");
  }
  void expect_left_out(const std::string& content, const std::string& reason) {
    const ReducedModel model = loaded(content);
    EXPECT_FALSE(model.frame_moments.has_value());
    EXPECT_TRUE(model.region_moments.empty());
    ASSERT_EQ(model.notices.size(), 1U) << reason;
    EXPECT_NE(model.notices[0].find(reason), std::string::npos) << model.notices[0];
    const FrameMoments anew = frame_moments(model);
    EXPECT_NEAR(anew.mass, frame_moments(model).mass, 1e-12 * anew.mass);
  }
  void expect_refused(const std::string& content, const std::string& part) {
    try {
      (void)loaded(content);
      ADD_FAILURE() << "accepted; expected: " << part;
    } catch (const ParseError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
    }
  }
  test::TemporaryFolder folder_;
};

void expect_equal(const FrameMoments& a, const FrameMoments& b) {
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.first_moment, b.first_moment);
  EXPECT_EQ(a.unit_acceleration.values, b.unit_acceleration.values);
  EXPECT_EQ(a.moment0.values, b.moment0.values);
  EXPECT_EQ(a.moment1.values, b.moment1.values);
  EXPECT_EQ(a.moment2.values, b.moment2.values);
}

TEST_F(MomentsFile, RoundTripKeepsEveryBit) {
  for (const BoxCells cells : {BoxCells::alternating, BoxCells::curved_tet10, BoxCells::curved_hexes_and_wedges}) {
    const ReducedModel& model = sample(cells);
    const std::string content = saved(model);
    const ReducedModel again = loaded(content);
    EXPECT_TRUE(again.notices.empty()) << again.notices[0];
    ASSERT_TRUE(again.frame_moments.has_value());
    expect_equal(*again.frame_moments, *model.frame_moments);
    ASSERT_EQ(again.region_moments.size(), 2U);
    for (std::size_t g = 0; g < 2; ++g) expect_equal(again.region_moments[g], model.region_moments[g]);
    EXPECT_EQ(saved(again), content);
    const auto header = header_of(content);
    EXPECT_EQ(header["moment1"]["shape"], nlohmann::json({4, 3, 3}));
    EXPECT_EQ(header["moment2"]["shape"], nlohmann::json({10, 3, 3}));
    EXPECT_EQ(header["region_moment2"]["shape"], nlohmann::json({2, 10, 3, 3}));
    EXPECT_EQ(header["__metadata__"]["quartic_schema"], "1") << "older programs read the rest";
  }
}

// Regions at density 1 add up to the whole, about the same point.
TEST_F(MomentsFile, RegionsAddUp) {
  const ReducedModel& model = sample();
  double mass = 0;
  Eigen::MatrixXd second = Eigen::MatrixXd::Zero(9, 10);
  for (std::size_t g = 0; g < 2; ++g) {
    const double density = model.mesh.regions[g].material->density;
    mass += density * model.region_moments[g].mass;
    second += density * model.region_moments[g].moment2.map();
  }
  EXPECT_NEAR(mass, model.frame_moments->mass, 1e-13 * mass);
  EXPECT_LT((second - model.frame_moments->moment2.map()).norm(), 1e-12 * second.norm());
}

TEST_F(MomentsFile, ModelsWithoutThemStayAsTheyWere) {
  ReducedModel model = sample();
  model.frame_moments.reset();
  model.region_moments.clear();
  const std::string content = saved(model);
  for (const char* name : {"mass", "moment1", "region_volume"}) EXPECT_FALSE(header_of(content).contains(name)) << name;
  EXPECT_FALSE(header_of(content)["__metadata__"].contains("moments_of"));
  EXPECT_EQ(saved(loaded(content)), content);
  EXPECT_TRUE(loaded(content).notices.empty());
}

// As a program leaves them behind that changed the model and kept tensors that it didn't know.
TEST_F(MomentsFile, WhatContradictsTheModelIsLeftOutWithANotice) {
  const std::string content = saved(sample());
  expect_left_out(with_metadata(content, "moments_of", "0123456789abcdef"), "another basis");
  auto header = header_of(content);
  header["__metadata__"].erase("moments_of");
  expect_left_out(with_header(content, header), "lack 'moments_of'");
  ReducedModel denser = sample();
  for (Region& region : denser.mesh.regions) region.material->density *= 3;
  expect_left_out(saved(denser), "another mass");
}

// Numbers that somebody has changed in the file alone.
TEST_F(MomentsFile, MomentsThatTheMeshContradictsAreLeftOutWithANotice) {
  for (const MassMatrix kind : {MassMatrix::consistent, MassMatrix::lumped}) {
    const ReducedModel model = reduce(test::make_box(BoxCells::alternating, {2, 1, 1}), {},
                                      {.modes = 2, .rank = 4, .region_parts = true, .mass_matrix = kind});
    EXPECT_TRUE(loaded(saved(model)).notices.empty());
    const auto changed = [&](const auto& change) {
      ReducedModel other = model;
      change(other);
      return saved(other);
    };
    expect_left_out(changed([](ReducedModel& m) {
                      m.frame_moments->origin[1] += 1e-3;
                      for (FrameMoments& part : m.region_moments) part.origin = m.frame_moments->origin;
                    }),
                    "another mass centre");
    expect_left_out(changed([](ReducedModel& m) { m.frame_moments->moment0(0, 0) *= 1.001; }), "second moments");
    expect_left_out(changed([](ReducedModel& m) { m.frame_moments->moment0(1, 2) += 1e-3 * m.frame_moments->mass; }),
                    "second moments");
    expect_left_out(changed([](ReducedModel& m) {
                      m.frame_moments->moment1(4, 2) += 1e-3 * std::sqrt(m.frame_moments->moment0(0, 0));
                    }),
                    "don't add up");
    expect_left_out(changed([](ReducedModel& m) { m.region_moments[1].moment2(0, 3) += 0.01; }), "don't add up");
    expect_left_out(changed([](ReducedModel& m) { m.region_moments[0].first_moment[2] += 0.01; }), "mass centre");
    expect_left_out(changed([](ReducedModel& m) { m.region_moments[0].mass *= 1.01; }), "another mass");
  }
}

// The first moments of one region alone are round-off, and say nothing.
TEST_F(MomentsFile, OneRegionAddsUp) {
  const ProceduralMesh beam = make_beam(8);
  EXPECT_TRUE(loaded(saved(reduce(beam.mesh, {}, {.modes = 2, .rank = 3, .region_parts = true}))).notices.empty());
  const std::vector<std::int32_t>& held = beam.fixed_vertices;
  EXPECT_TRUE(loaded(saved(reduce(beam.mesh, held, {.modes = 2, .rank = 3, .region_parts = true}))).notices.empty());
}

// Where neither mesh nor regions contradict them: no masses and fields have such sums.
TEST_F(MomentsFile, MomentsThatNoBodyHasAreLeftOutWithANotice) {
  ReducedModel model = sample();
  model.region_moments.clear();
  EXPECT_TRUE(loaded(saved(model)).notices.empty());
  const auto expect_impossible = [&](const auto& change) {
    ReducedModel other = model;
    change(*other.frame_moments);
    expect_left_out(saved(other), "no body has such moments");
  };
  expect_impossible([](FrameMoments& m) {
    for (double& x : m.moment1.values) x *= 100;
  });
  expect_impossible([](FrameMoments& m) { m.moment2(8, 0) = -1; });
}

TEST_F(MomentsFile, DamageIsRefused) {
  const std::string content = saved(sample());
  const auto reshaped = [&](const char* name, const nlohmann::json& shape) {
    auto header = header_of(content);
    header[name]["shape"] = shape;
    return with_header(content, header);
  };
  expect_refused(reshaped("moment1", {3, 4, 3}), "'moment1'");
  expect_refused(reshaped("moment2", {9, 10, 1}), "'moment2'");
  expect_refused(reshaped("region_moment2", {1, 20, 3, 3}), "'region_moment2'");
  expect_refused(reshaped("region_first_moment", {3, 2}), "'region_first_moment'");
  auto header = header_of(content);
  header["masses"] = header["mass"];
  header.erase("mass");
  expect_refused(with_header(content, header), "no 'mass'");
}

TEST_F(MomentsFile, PartsThatDoNotFitAreRefusedBeforeWriting) {
  const auto refused = [&](const auto& damage) {
    ReducedModel model = sample();
    damage(model);
    EXPECT_THROW(save_model(model, folder_ / "never.qrt"), InputError);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "never.qrt"));
  };
  refused([](ReducedModel& m) { m.frame_moments->moment1 = Matrix(9, 3); });
  refused([](ReducedModel& m) { m.frame_moments->mass = -1; });
  refused([](ReducedModel& m) { m.frame_moments->first_moment[0] = 1; });
  refused([](ReducedModel& m) { m.frame_moments->unit_acceleration.values[0] += 1; });
  refused([](ReducedModel& m) { m.frame_moments.reset(); });  // its regions need it
  refused([](ReducedModel& m) { m.region_moments.pop_back(); });
  refused([](ReducedModel& m) { m.region_moments[0].origin[0] += 1; });
}

TEST_F(MomentsFile, EditedModelsAreSavedWithTheirOwn) {
  std::vector<Material> materials = {*sample().mesh.regions[0].material, *sample().mesh.regions[1].material};
  materials[0].density *= 4;
  const ReducedModel edited = with_materials(sample(), materials);
  const ReducedModel again = loaded(saved(edited));
  EXPECT_TRUE(again.notices.empty());
  expect_equal(*again.frame_moments, *edited.frame_moments);
}

}  // namespace
}  // namespace quartic
