// Motions as .usda files: their text here, and where QUARTIC_TEST_PYTHON is a Python with usd-core, what OpenUSD makes
// of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

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

/// What weights become of coordinates: 0 and 1 are the ends of a coordinate's range, the one closer to rest first.
struct Ranges {
  std::vector<double> from, length;

  explicit Ranges(const Trajectory& trajectory) {
    for (std::int64_t i = 0; i < trajectory.rank; ++i) {
      std::vector<double> q;
      for (std::int64_t frame = 0; frame < trajectory.frames(); ++frame)
        q.push_back(trajectory.q[static_cast<std::size_t>(frame * trajectory.bodies * trajectory.rank + i)]);
      const auto [low, high] = std::minmax_element(q.begin(), q.end());
      const bool downwards = std::abs(*high) < std::abs(*low);
      from.push_back(downwards ? *high : *low);
      length.push_back(downwards ? *low - *high : *high - *low);
    }
  }
  [[nodiscard]] std::vector<float> weights(const Trajectory& trajectory, std::int64_t frame) const {
    std::vector<float> result;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const double q = trajectory.q[static_cast<std::size_t>(frame * trajectory.bodies * trajectory.rank) + i];
      result.push_back(length[i] == 0 ? 0 : static_cast<float>((q - from[i]) / length[i]));
    }
    return result;
  }
  /// Positions with all weights 0: of a trajectory whose only frame is that end.
  [[nodiscard]] test::SurfacePositions weightless(const ReducedModel& model) const {
    return surface_positions(
        model, {.bodies = 1, .rank = static_cast<std::int64_t>(from.size()), .time = {0}, .q = from, .status = {}}, 0);
  }
};

void expect_surface(const std::string& text, const ReducedModel& model, const test::SurfacePositions& points) {
  const auto triangles = test::surface_triangles(model);
  const auto indices = values(text, "int[] faceVertexIndices");
  EXPECT_EQ(std::vector<std::int32_t>(indices.begin(), indices.end()), triangles);
  EXPECT_EQ(values(text, "int[] faceVertexCounts"), std::vector<float>(triangles.size() / 3, 3));
  EXPECT_NE(text.find("uniform token subdivisionScheme = \"none\"\n"), std::string::npos);
  test::expect_rounded_once(values(text, "point3f[] points"), points);
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

// The file's numbers are the nearest in single precision, whatever the rank: fields times the lengths of the ranges
// that the coordinates go through, so that weights are between 0 and 1.
TEST_F(UsdExport, BlendShapesAreTheScaledBasis) {
  for (const int rank : {1, 9, 30}) {
    const ReducedModel model = test::small_model(rank);
    const Trajectory trajectory = two_bodies(rank, 3);
    const std::string text = written(model, trajectory, UsdMotion::blend_shapes);
    const Ranges ranges(trajectory);
    expect_surface(text, model, ranges.weightless(model));
    EXPECT_EQ(text.find("xformOp"), std::string::npos);  // nobody's coordinates change without need
    std::string names, targets;
    for (int i = 0; i < rank; ++i) {
      const std::string name = "q" + std::to_string(i);
      names += (i > 0 ? ", \"" : "\"") + name + "\"";
      targets += (i > 0 ? ", </body/surface/" : "</body/surface/") + name + ">";
      std::vector<float> field;
      for (const std::int32_t v : test::surface_vertices(model))
        for (int c = 0; c < 3; ++c)
          field.push_back(static_cast<float>(ranges.length[static_cast<std::size_t>(i)] * model.basis(3 * v + c, i)));
      const std::string shape = "def BlendShape \"" + name + "\"";
      EXPECT_EQ(values(text, "vector3f[] offsets", shape), field);
      const double from = ranges.from[static_cast<std::size_t>(i)];
      EXPECT_EQ(values(text, "double2 quartic:range", shape),
                (std::vector<float>{static_cast<float>(from),
                                    static_cast<float>(from + ranges.length[static_cast<std::size_t>(i)])}));
    }
    EXPECT_NE(text.find("uniform token[] skel:blendShapes = [" + names + "]\n"), std::string::npos);
    EXPECT_NE(text.find("uniform token[] blendShapes = [" + names + "]\n"), std::string::npos);
    EXPECT_NE(text.find("rel skel:blendShapeTargets = [" + targets + "]\n"), std::string::npos);
    const auto weights = samples(text, "float[] blendShapeWeights");
    const auto extents = samples(text, "float3[] extent");
    ASSERT_EQ(weights.size(), 3U);
    ASSERT_EQ(extents.size(), 3U);
    for (int frame = 0; frame < 3; ++frame) {
      EXPECT_EQ(weights.at(std::to_string(frame)), ranges.weights(trajectory, frame));
      for (const float weight : weights.at(std::to_string(frame))) EXPECT_TRUE(weight >= 0 && weight <= 1) << weight;
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
  expect_surface(text, model, surface_positions(model, {}, -1));
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
  expect_surface(text, model, surface_positions(model, {}, -1));
  EXPECT_EQ(values(text, "point3f[] points").size(), 30U);
}

/// Moved to where single precision counts in half metres.
ReducedModel moved_far(ReducedModel model) {
  for (std::size_t v = 0; v < model.mesh.vertices.size(); v += 3) {
    model.mesh.vertices[v] += 500123.4375;
    model.mesh.vertices[v + 1] += 4649776.25;
  }
  return model;
}

TEST_F(UsdExport, BodiesFarFromTheOriginKeepTheirShape) {
  const ReducedModel model = moved_far(test::small_model(2));
  const Trajectory trajectory = two_bodies(2, 2);
  const auto rest = surface_positions(model, trajectory, -1);
  for (const UsdMotion motion : {UsdMotion::blend_shapes, UsdMotion::points}) {
    const std::string text = written(model, trajectory, motion);
    EXPECT_NE(text.find("    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n"), std::string::npos);
    const std::size_t at = text.find("    double3 xformOp:translate = (");
    ASSERT_LT(at, text.find("def Mesh"));
    std::istringstream numbers(text.substr(text.find('(', at) + 1));
    std::array<double, 3> origin{};
    for (double& x : origin) {
      numbers >> x;
      numbers.ignore(1);
    }
    auto expected = motion == UsdMotion::points ? rest : Ranges(trajectory).weightless(model);
    const auto points = values(text, "point3f[] points");
    ASSERT_EQ(points.size(), expected.positions.size());
    for (std::size_t i = 0; i < points.size(); ++i)  // the last bit of 4.6e6 in double, and that of 2 m in single
      EXPECT_NEAR(points[i] + origin[i % 3], expected.positions[i], 4e-7) << i;
  }
}

// Points are positions: a motion that is too small for their digits is told.
TEST_F(UsdExport, PointsThatLoseTheMotionAreTold) {
  const ReducedModel model = test::small_model(2);
  Trajectory trajectory = two_bodies(2, 3);
  EXPECT_EQ(write_usd(model, trajectory, folder_ / "a.usda", UsdMotion::points), std::vector<std::string>());
  for (double& q : trajectory.q) q *= 1e-6;
  EXPECT_EQ(write_usd(model, trajectory, folder_ / "a.usda"), std::vector<std::string>());
  const auto losses = write_usd(model, trajectory, folder_ / "a.usda", UsdMotion::points);
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_NE(losses[0].find("blend shapes"), std::string::npos) << losses[0];
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

/// For each coordinate the size of what is summed: of a position of a body that is 2 m large, and of its shapes.
std::vector<double> sizes_of(const ReducedModel& model, const Ranges& ranges) {
  std::vector<double> sizes;
  for (const std::int32_t v : test::surface_vertices(model))
    for (int c = 0; c < 3; ++c) {
      sizes.push_back(2);
      for (std::size_t i = 0; i < ranges.from.size(); ++i)
        sizes.back() += std::abs(model.basis(3 * v + c, static_cast<std::int64_t>(i))) *
                        (std::abs(ranges.from[i]) + std::abs(ranges.length[i]));
    }
  return sizes;
}

/// What usd_reader.py is to find in a file. Its sums are in single precision: positions, field and
/// weight are rounded, the product is, and so is each of the r sums; of points, only the position is rounded.
nlohmann::json expected(const std::string& file, const ReducedModel& model, const Trajectory& trajectory,
                        UsdMotion motion, double per_second) {
  const bool shapes = motion == UsdMotion::blend_shapes;
  nlohmann::json result = {{"file", file},
                           {"kind", shapes ? "blend_shapes" : "points"},
                           {"per_second", per_second},
                           {"time", trajectory.time},
                           {"tolerance", shapes ? 2 + 0.5 * static_cast<double>(trajectory.rank) : 0.51},
                           {"triangles", test::surface_triangles(model)}};
  const Ranges ranges(trajectory);
  result["points"] = (shapes ? ranges.weightless(model) : surface_positions(model, trajectory, -1)).positions;
  result["sizes"] = sizes_of(model, ranges);
  for (int frame = 0; frame < trajectory.frames(); ++frame) {
    const double code = trajectory.time[static_cast<std::size_t>(frame)] * per_second;
    result["codes"].push_back(std::abs(code - std::round(code)) < 1e-9 ? std::round(code) : code);
    result["positions"].push_back(surface_positions(model, trajectory, frame).positions);
    result["weights"].push_back(ranges.weights(trajectory, frame));
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
      test::small_model(1), test::small_model(30), moved_far(test::small_model(2)),
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
