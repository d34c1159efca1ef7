// Motions as .usda files: their text here, and where QUARTIC_TEST_PYTHON is a Python with usd-core, what OpenUSD makes
// of it.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "quartic/quartic.hpp"
#include "support/boxes.hpp"
#include "support/files.hpp"
#include "support/moving_surface.hpp"
#include "support/small_model.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using test::file_text;
using test::surface_positions;
using test::two_bodies;

/// All numbers of a text, whatever stands between them.
std::vector<float> numbers_in(const std::string& text) {
  std::vector<float> numbers;
  const std::string number_characters = "0123456789+-.e";
  for (std::size_t at = text.find_first_of(number_characters); at != std::string::npos;
       at = text.find_first_of(number_characters, at)) {
    std::size_t length = 0;
    numbers.push_back(std::stof(text.substr(at), &length));
    at += length;
  }
  return numbers;
}

class UsdExport : public testing::Test {
 protected:
  std::string written(const ReducedModel& model, const Trajectory& trajectory, UsdMotion motion) {
    write_usd(model, trajectory, folder_ / "a.usda", motion);
    return file_text(folder_ / "a.usda");
  }
  test::TemporaryFolder folder_;
};

/// The numbers of `KEY = ...` up to the line's end; `from` is something that comes before.
std::vector<float> values(const std::string& text, const std::string& key, const std::string& from = "#usda") {
  const std::size_t at = text.find(" " + key + " = ", text.find(from));
  EXPECT_NE(at, std::string::npos) << key;
  if (at == std::string::npos) return {};
  const std::size_t start = at + key.size() + 4;
  return numbers_in(text.substr(start, text.find('\n', start) - start));
}

/// Time samples of an attribute, by their time codes as they are written.
std::map<std::string, std::vector<float>> samples(const std::string& text, const std::string& attribute) {
  std::map<std::string, std::vector<float>> result;
  std::size_t at = text.find(" " + attribute + ".timeSamples = {\n");
  EXPECT_NE(at, std::string::npos) << attribute;
  if (at == std::string::npos) return result;
  at = text.find('\n', at) + 1;
  for (std::size_t end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = text.substr(text.find_first_not_of(' ', at), end - text.find_first_not_of(' ', at));
    if (line == "}") return result;
    EXPECT_TRUE(line.ends_with("],")) << line;
    result[line.substr(0, line.find(": "))] = numbers_in(line.substr(line.find(": ") + 2));
  }
  ADD_FAILURE() << "no end of " << attribute;
  return result;
}

std::vector<std::string> codes(const std::string& text, const std::string& attribute) {
  std::vector<std::string> result;
  for (const auto& [code, numbers] : samples(text, attribute)) result.push_back(code);
  return result;
}

void expect_surface(const std::string& text, const ReducedModel& model) {
  const auto triangles = test::surface_triangles(model);
  const auto indices = values(text, "int[] faceVertexIndices");
  EXPECT_EQ(std::vector<std::int32_t>(indices.begin(), indices.end()), triangles);
  EXPECT_EQ(values(text, "int[] faceVertexCounts"), std::vector<float>(triangles.size() / 3, 3));
  EXPECT_NE(text.find("uniform token subdivisionScheme = \"none\"\n"), std::string::npos);
  test::expect_rounded_once(values(text, "point3f[] points"), surface_positions(model, {}, -1));
}

/// Least and greatest coordinates of positions.
std::vector<float> extent_of(const std::vector<float>& positions) {
  std::vector<float> extent = {positions[0], positions[1], positions[2], positions[0], positions[1], positions[2]};
  for (std::size_t i = 0; i < positions.size(); ++i) {
    extent[i % 3] = std::min(extent[i % 3], positions[i]);
    extent[3 + i % 3] = std::max(extent[3 + i % 3], positions[i]);
  }
  return extent;
}

// The file's numbers are the nearest in single precision to those of model and trajectory, whatever the rank.
TEST_F(UsdExport, BlendShapesAreTheBasis) {
  for (const int rank : {1, 9, 30}) {
    const ReducedModel model = test::small_model(rank);
    const Trajectory trajectory = two_bodies(rank, 3);
    const std::string text = written(model, trajectory, UsdMotion::blend_shapes);
    expect_surface(text, model);
    std::string names, targets;
    for (int i = 0; i < rank; ++i) {
      const std::string name = "q" + std::to_string(i);
      names += (i > 0 ? ", \"" : "\"") + name + "\"";
      targets += (i > 0 ? ", </body/surface/" : "</body/surface/") + name + ">";
      std::vector<float> field;
      for (const std::int32_t v : test::surface_vertices(model))
        for (int c = 0; c < 3; ++c) field.push_back(static_cast<float>(model.basis(3 * v + c, i)));
      EXPECT_EQ(values(text, "vector3f[] offsets", "def BlendShape \"" + name + "\""), field);
    }
    EXPECT_NE(text.find("uniform token[] skel:blendShapes = [" + names + "]\n"), std::string::npos);
    EXPECT_NE(text.find("uniform token[] blendShapes = [" + names + "]\n"), std::string::npos);
    EXPECT_NE(text.find("rel skel:blendShapeTargets = [" + targets + "]\n"), std::string::npos);
    const auto weights = samples(text, "float[] blendShapeWeights");
    const auto extents = samples(text, "float3[] extent");
    ASSERT_EQ(weights.size(), 3U);
    ASSERT_EQ(extents.size(), 3U);
    for (int frame = 0; frame < 3; ++frame) {
      const auto q = trajectory.q.begin() + frame * 2 * rank;
      EXPECT_EQ(weights.at(std::to_string(frame)), std::vector<float>(q, q + rank));
      const auto exact = surface_positions(model, trajectory, frame);
      const auto extent = extent_of({exact.positions.begin(), exact.positions.end()});
      for (std::size_t i = 0; i < 6; ++i)  // the sum in double, in whatever order, is rounded once
        EXPECT_FLOAT_EQ(extents.at(std::to_string(frame)).at(i), extent[i]);
    }
  }
}

TEST_F(UsdExport, PointsAreThePositions) {
  const ReducedModel model = test::small_model(9);
  const Trajectory trajectory = two_bodies(9, 3);
  const std::string text = written(model, trajectory, UsdMotion::points);
  expect_surface(text, model);
  const auto points = samples(text, "point3f[] points");
  const auto extents = samples(text, "float3[] extent");
  ASSERT_EQ(points.size(), 3U);
  for (int frame = 0; frame < 3; ++frame) {
    const auto& found = points.at(std::to_string(frame));
    test::expect_rounded_once(found, surface_positions(model, trajectory, frame));
    EXPECT_EQ(extents.at(std::to_string(frame)), extent_of(found));
  }
  EXPECT_EQ(text.find("Skel"), std::string::npos);
}

TEST_F(UsdExport, VerticesInsideAreLeftOut) {
  const ReducedModel model = test::small_model_with_loose_vertex();
  const std::string text = written(model, two_bodies(1, 2), UsdMotion::points);
  expect_surface(text, model);
  EXPECT_EQ(values(text, "point3f[] points").size(), 30U);
}

TEST_F(UsdExport, TimeCodesAreFramesWhereTheSpacingIsEven) {
  const ReducedModel model = test::small_model(1);
  Trajectory trajectory = two_bodies(1, 3);
  trajectory.time = {0.07 + 0.01, 0.09, 0.1};  // 0.07 + 0.01 is not 0.08
  for (const UsdMotion motion : {UsdMotion::blend_shapes, UsdMotion::points}) {
    const std::string text = written(model, trajectory, motion);
    EXPECT_NE(text.find("    metersPerUnit = 1\n"), std::string::npos);
    EXPECT_NE(text.find("    upAxis = \"Z\"\n"), std::string::npos);
    EXPECT_NE(text.find("    startTimeCode = 8\n"), std::string::npos);
    EXPECT_NE(text.find("    endTimeCode = 10\n"), std::string::npos);
    EXPECT_NE(text.find("    timeCodesPerSecond = 100\n"), std::string::npos);
    EXPECT_NE(text.find("    framesPerSecond = 100\n"), std::string::npos);
    EXPECT_EQ(codes(text, "float3[] extent"), (std::vector<std::string>{"10", "8", "9"}));  // as a map sorts them
  }
}

TEST_F(UsdExport, OtherTimesAreFractionsOfCodes) {
  const ReducedModel model = test::small_model(1);
  Trajectory trajectory = two_bodies(1, 3);
  trajectory.time = {0, 0.125, 1};
  std::string text = written(model, trajectory, UsdMotion::points);
  EXPECT_NE(text.find("timeCodesPerSecond = 24\n"), std::string::npos);
  EXPECT_EQ(codes(text, "float3[] extent"), (std::vector<std::string>{"0", "24", "3"}));
  trajectory.time = {0.005, 0.015, 0.025};  // even, but from half a frame on
  text = written(model, trajectory, UsdMotion::points);
  EXPECT_NE(text.find("timeCodesPerSecond = 100\n"), std::string::npos);
  EXPECT_EQ(codes(text, "float3[] extent"), (std::vector<std::string>{"0.5", "1.5", "2.5"}));
  trajectory = two_bodies(1, 1);
  text = written(model, trajectory, UsdMotion::blend_shapes);
  EXPECT_EQ(codes(text, "float[] blendShapeWeights"), std::vector<std::string>{"0"});
}

TEST_F(UsdExport, NamesOfFilesDoNotMatter) {
  const ReducedModel model = test::small_model(2);
  const std::string plain = written(model, two_bodies(2, 2), UsdMotion::blend_shapes);
  const auto odd = folder_ / "1 \"odd\" </n\xC3\xA4me> #.usda";
  std::filesystem::create_directories(odd.parent_path());
  write_usd(model, two_bodies(2, 2), odd);
  EXPECT_EQ(file_text(odd), plain);
}

TEST_F(UsdExport, WhatDoesNotFitIsRefused) {
  const ReducedModel model = test::small_model(2);
  const auto path = folder_ / "a.usda";
  const std::string before = written(model, two_bodies(2, 2), UsdMotion::points);
  for (const UsdMotion motion : {UsdMotion::blend_shapes, UsdMotion::points}) {
    EXPECT_THROW(write_usd(model, two_bodies(3, 2), path, motion), InputError);
    EXPECT_THROW(write_usd(test::small_model(0), two_bodies(2, 2), path, motion), InputError);
    EXPECT_THROW(write_usd(model, two_bodies(2, 0), path, motion), InputError);
    Trajectory broken = two_bodies(2, 2);
    broken.q[4] = NAN;  // in the second frame, so that writing has begun
    EXPECT_THROW(write_usd(model, broken, path, motion), InputError);
    broken.q[4] = 1e300;
    EXPECT_THROW(write_usd(model, broken, path, motion), InputError);
    broken = two_bodies(2, 2);
    broken.time[1] = NAN;
    EXPECT_THROW(write_usd(model, broken, path, motion), InputError);
    broken.time = {1, 1};
    EXPECT_THROW(write_usd(model, broken, path, motion), InputError);
    broken.time = {0, 1e-320};
    EXPECT_THROW(write_usd(model, broken, path, motion), InputError);
    broken.q.pop_back();
    EXPECT_THROW(write_usd(model, broken, path, motion), InputError);
    EXPECT_THROW(write_usd(model, two_bodies(2, 2), folder_ / "missing/a.usda", motion), FileError);
    std::filesystem::create_symlink("/dev/full", folder_ / "full.usda");
    EXPECT_THROW(write_usd(model, two_bodies(2, 2), folder_ / "full.usda", motion), FileError);
    std::filesystem::remove(folder_ / "full.usda");
  }
  EXPECT_EQ(file_text(path), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

/// What usd_reader.py is to find in a file. Its sums are in single precision: rest, field and weight are rounded, the
/// product is, and so is each of the r sums; of points, only the position is rounded.
nlohmann::json expected(const std::string& file, const ReducedModel& model, const Trajectory& trajectory,
                        UsdMotion motion, double per_second) {
  const bool shapes = motion == UsdMotion::blend_shapes;
  nlohmann::json result = {{"file", file},
                           {"kind", shapes ? "blend_shapes" : "points"},
                           {"per_second", per_second},
                           {"time", trajectory.time},
                           {"tolerance", shapes ? 2 + 0.5 * static_cast<double>(trajectory.rank) : 0.51},
                           {"triangles", test::surface_triangles(model)}};
  const auto rest = surface_positions(model, trajectory, -1).positions;
  result["rest"] = std::vector<float>(rest.begin(), rest.end());
  for (int frame = 0; frame < trajectory.frames(); ++frame) {
    const auto exact = surface_positions(model, trajectory, frame);
    const double code = trajectory.time[static_cast<std::size_t>(frame)] * per_second;
    result["codes"].push_back(std::abs(code - std::round(code)) < 1e-9 ? std::round(code) : code);
    result["positions"].push_back(exact.positions);
    result["sizes"].push_back(exact.sizes);
    const auto q = trajectory.q.begin() + frame * trajectory.bodies * trajectory.rank;
    result["q"].push_back(std::vector<float>(q, q + trajectory.rank));
  }
  return result;
}

TEST_F(UsdExport, OpenUsdReadsIt) {
  const char* python = std::getenv("QUARTIC_TEST_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "QUARTIC_TEST_PYTHON isn't set: no other programs";
  const std::string command = std::string("'") + python + "' ";
  if (std::system((command + "-c 'from pxr import UsdValidation' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "the Python of QUARTIC_TEST_PYTHON has no usd-core";
  const VolumeMesh mesh = test::make_box(test::BoxCells::curved_hexes_and_wedges, {2, 1, 1});
  const std::vector<ReducedModel> models = {
      test::small_model(1), test::small_model(30),
      reduce(mesh, vertices_in_box(mesh, {0, 0, 0, 0, 9, 9}), {.modes = 2, .rank = 3})};
  nlohmann::json cases;
  for (const ReducedModel& model : models)
    for (const UsdMotion motion : {UsdMotion::blend_shapes, UsdMotion::points})
      for (const int frames : {1, 5}) {
        Trajectory trajectory = two_bodies(static_cast<int>(model.rank()), frames);
        double per_second = frames == 1 ? 24 : 100;
        if (model.rank() == 3 && frames == 5) {
          trajectory.time = {-0.3, 0.001, 0.5, 0.7, 10 / 7.0};
          per_second = 24;
        }
        const std::string file = "case " + std::to_string(cases.size()) + ".usda";
        write_usd(model, trajectory, folder_ / file, motion);
        cases.push_back(expected(file, model, trajectory, motion, per_second));
      }
  std::ofstream(folder_ / "expected.json") << cases;
  EXPECT_EQ(std::system((command + "'" QUARTIC_USD_READER "' '" + folder_.path().string() + "'").c_str()), 0);
}

}  // namespace
}  // namespace quartic
