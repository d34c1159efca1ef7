// Flying bodies in point caches, series for ParaView and USD.
#include "io/flying_motion.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "quartic/error.hpp"
#include "quartic/trajectory.hpp"
#include "support/files.hpp"
#include "support/vtu_document.hpp"

namespace quartic {
namespace {

using test::file_text;
using test::flying_bodies;
using test::flying_model;
using test::world_positions;

class FlyingMotion : public testing::Test {
 protected:
  std::string usd(const ReducedModel& model, const Trajectory& trajectory, UsdMotion motion,
                  SceneBodies bodies = SceneBodies::automatic) {
    write_usd(model, trajectory, folder_ / "a.usda", motion, bodies);
    return file_text(folder_ / "a.usda");
  }
  test::TemporaryFolder folder_;
};

/// Floats from a place in a file on.
std::vector<float> floats(const std::string& content, std::size_t begin, std::endian order) {
  std::vector<float> result;
  for (std::size_t at = begin; at + 4 <= content.size(); at += 4) {
    std::uint32_t word = 0;
    for (std::size_t byte = 0; byte < 4; ++byte) {
      const std::size_t from = order == std::endian::big ? byte : 3 - byte;
      word = word << 8U | static_cast<unsigned char>(content[at + from]);
    }
    result.push_back(std::bit_cast<float>(word));
  }
  return result;
}

TEST_F(FlyingMotion, PointCachesHoldTheWorldsPositions) {
  const ReducedModel model = flying_model(9);
  const Trajectory trajectory = flying_bodies(9, 3, 2);
  EXPECT_EQ(write_pc2(model, trajectory, folder_ / "a.pc2"), std::vector<std::string>());
  EXPECT_EQ(write_mdd(model, trajectory, folder_ / "b.mdd"), std::vector<std::string>());
  const auto pc2 = floats(file_text(folder_ / "a.pc2"), 32, std::endian::little);
  const auto mdd = floats(file_text(folder_ / "b.mdd"), 8 + 3 * 4, std::endian::big);
  ASSERT_EQ(pc2.size(), 90U);
  for (int frame = 0; frame < 3; ++frame)
    test::expect_rounded_once({pc2.begin() + 30 * frame, pc2.begin() + 30 * (frame + 1)},
                              world_positions(model, trajectory, frame, 0));
  EXPECT_EQ(mdd, pc2);
  // The surface beside them is at rest in the mesh's place.
  std::istringstream surface(file_text(folder_ / "a.surface.obj"));
  std::vector<float> rest;
  for (std::string word; surface >> word;)
    if (word == "v")
      for (int c = 0; c < 3; ++c) rest.push_back(0), surface >> rest.back();
  test::expect_rounded_once(rest, test::surface_positions(model, {}, -1));
}

// A body that flies moves, however little it deforms.
TEST_F(FlyingMotion, RigidFlightLosesNothing) {
  const ReducedModel model = flying_model(2);
  Trajectory trajectory = flying_bodies(2, 3, 1);
  for (double& q : trajectory.q) q *= 1e-9;
  EXPECT_EQ(write_pc2(model, trajectory, folder_ / "a.pc2"), std::vector<std::string>());
  EXPECT_EQ(write_usd(model, trajectory, folder_ / "a.usda", UsdMotion::points), std::vector<std::string>());
  for (std::size_t i = 0; i < trajectory.pose.size(); i += 7) trajectory.pose[i] += 1e7;
  const auto losses = write_pc2(model, trajectory, folder_ / "a.pc2");
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_NE(losses[0].find("1 m apart at 1e+07 m"), std::string::npos) << losses[0];
  EXPECT_EQ(write_usd(model, trajectory, folder_ / "a.usda", UsdMotion::points), std::vector<std::string>());
}

TEST_F(FlyingMotion, SeriesTakeTheBodyToItsPlace) {
  const ReducedModel model = flying_model(3);
  const Trajectory trajectory = flying_bodies(3, 3, 2);
  write_pvd(model, trajectory, folder_ / "m.pvd");
  for (int frame = 0; frame < 3; ++frame) {
    const test::VtuDocument vtu(folder_ / ("m/m_000" + std::to_string(frame) + ".vtu"));
    EXPECT_EQ(vtu.values<double>("Points"), model.mesh.vertices);
    const auto u = vtu.values<double>("displacement"), own = vtu.values<double>("deformation");
    const auto exact = world_positions(model, trajectory, frame, 0).positions;  // all vertices are of the surface
    ASSERT_EQ(u.size(), exact.size());
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i] + model.mesh.vertices[i], exact[i], 2e-14) << i;
    for (std::int32_t v = 0; v < model.mesh.vertex_count(); ++v) {
      const auto turned =
          test::turned(test::pose_of(trajectory, frame, 0) + 3, test::deformation(model, trajectory, frame, 0, v));
      for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(own[3 * static_cast<std::size_t>(v) + c], turned[c], 1e-14);
    }
  }
}

/// Numbers in brackets of each time sample of an attribute, after something that comes before.
std::vector<std::vector<double>> samples(const std::string& text, const std::string& attribute,
                                         const std::string& from) {
  std::vector<std::vector<double>> result;
  const std::size_t begin = text.find(attribute + ".timeSamples = {\n", text.find(from));
  EXPECT_NE(begin, std::string::npos) << from << ' ' << attribute;
  if (begin == std::string::npos) return result;
  std::istringstream lines(text.substr(begin, text.find("}\n", begin) - begin));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    if (line.find(": ") == std::string::npos) continue;
    std::vector<double>& numbers = result.emplace_back();
    const std::string values = line.substr(line.find(": ") + 2);
    const std::regex number("[-+0-9.e]+");
    for (std::sregex_iterator at(values.begin(), values.end(), number), end; at != end; ++at)
      numbers.push_back(std::stod(at->str()));
  }
  return result;
}

TEST_F(FlyingMotion, UsdTransformsAreThePose) {
  const ReducedModel model = flying_model(2);
  const Trajectory trajectory = flying_bodies(2, 5, 1);
  for (const UsdMotion motion : {UsdMotion::blend_shapes, UsdMotion::points}) {
    const std::string text = usd(model, trajectory, motion);
    EXPECT_NE(text.find("    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n"),
              std::string::npos);
    const auto translations = samples(text, "double3 xformOp:translate", "\"body\"");
    const auto rotations = samples(text, "quatd xformOp:orient", "\"body\"");
    ASSERT_EQ(translations.size(), 5U);
    ASSERT_EQ(rotations.size(), 5U);
    for (std::size_t frame = 0; frame < 5; ++frame) {
      const double* pose = test::pose_of(trajectory, static_cast<int>(frame), 0);
      EXPECT_EQ(translations[frame], (std::vector<double>{pose[0], pose[1], pose[2]}));
      const auto& q = rotations[frame];  // the real part comes first
      ASSERT_EQ(q.size(), 4U);
      const double sign = q[0] * pose[6] + q[1] * pose[3] + q[2] * pose[4] + q[3] * pose[5] < 0 ? -1 : 1;
      for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(sign * q[c], pose[c == 0 ? 6 : 2 + c], 4e-16);
      if (frame == 0) continue;
      double along = 0;
      for (std::size_t c = 0; c < 4; ++c) along += q[c] * rotations[frame - 1][c];
      EXPECT_GE(along, 0) << "the long way to frame " << frame;
    }
  }
}

// Of bodies that fly through the air, world axes; the trajectory has the angular velocity in the body's.
TEST_F(FlyingMotion, UsdHasVelocitiesWhereTheyAreKnown) {
  const ReducedModel model = flying_model(2);
  Trajectory trajectory = flying_bodies(2, 4, 2);
  for (const UsdMotion motion : {UsdMotion::blend_shapes, UsdMotion::points}) {
    const std::string text = usd(model, trajectory, motion);
    for (int body = 0; body < 2; ++body) {
      const std::string prim = "def \"body_" + std::to_string(body) + "\"";
      const auto velocities = samples(text, "custom double3 quartic:velocity", prim);
      const auto spins = samples(text, "custom double3 quartic:angularVelocity", prim);
      ASSERT_EQ(velocities.size(), 4U);
      ASSERT_EQ(spins.size(), 4U);
      for (int frame = 0; frame < 4; ++frame) {
        const double* twist = trajectory.twist.data() + 6 * (2 * frame + body);
        EXPECT_EQ(velocities[static_cast<std::size_t>(frame)], std::vector<double>(twist, twist + 3));
        const auto world = test::turned(test::pose_of(trajectory, frame, body) + 3, {twist[3], twist[4], twist[5]});
        for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(spins[static_cast<std::size_t>(frame)][c], world[c], 4e-15);
      }
    }
  }
  trajectory.twist.pop_back();
  EXPECT_THROW(usd(model, trajectory, UsdMotion::points), InputError);
  trajectory.twist.clear();
  EXPECT_EQ(usd(model, trajectory, UsdMotion::points).find("elocity"), std::string::npos);
}

TEST_F(FlyingMotion, SeveralBodiesReferToOneShape) {
  const ReducedModel model = flying_model(2);
  const Trajectory trajectory = flying_bodies(2, 3, 3);
  for (const UsdMotion motion : {UsdMotion::blend_shapes, UsdMotion::points}) {
    const std::string text = usd(model, trajectory, motion);
    EXPECT_NE(text.find("    defaultPrim = \"bodies\"\n"), std::string::npos);
    std::size_t meshes = 0, references = 0;
    for (std::size_t at = 0; (at = text.find("faceVertexIndices", at)) != std::string::npos; ++at) ++meshes;
    for (std::size_t at = 0; (at = text.find("prepend references = </shape>", at)) != std::string::npos; ++at)
      ++references;
    EXPECT_EQ(meshes, 1U);
    EXPECT_EQ(references, 3U);
    for (int body = 0; body < 3; ++body) {
      const auto translations = samples(text, "double3 xformOp:translate", "def \"body_" + std::to_string(body) + "\"");
      ASSERT_EQ(translations.size(), 3U);
      for (int frame = 0; frame < 3; ++frame) {
        const double* pose = test::pose_of(trajectory, frame, body);
        EXPECT_EQ(translations[static_cast<std::size_t>(frame)], std::vector<double>(pose, pose + 3));
      }
    }
    EXPECT_EQ(usd(model, trajectory, motion, SceneBodies::first), usd(model, body_trajectory(trajectory, 0), motion));
  }
}

TEST_F(FlyingMotion, HeldBodiesAreShownInUsdOnRequest) {
  const ReducedModel model = test::small_model(2);
  const Trajectory trajectory = test::two_bodies(2, 3);
  for (const UsdMotion motion : {UsdMotion::blend_shapes, UsdMotion::points}) {
    EXPECT_EQ(usd(model, trajectory, motion), usd(model, trajectory, motion, SceneBodies::first));
    const std::string all = usd(model, trajectory, motion, SceneBodies::all);
    EXPECT_NE(all.find("def \"body_1\""), std::string::npos);
    EXPECT_EQ(all.find("xformOp"), std::string::npos);
  }
}

/// What usd_flight_reader.py is to find in a file: positions in the world, and of held bodies in the mesh's place.
nlohmann::json expected(const std::string& file, const ReducedModel& model, const Trajectory& trajectory, bool all) {
  nlohmann::json result = {{"file", file}, {"triangles", test::surface_triangles(model)}};
  const auto bodies = static_cast<int>(all ? trajectory.bodies : 1);
  for (int body = 0; body < bodies; ++body) {
    nlohmann::json frames = nlohmann::json::array();
    const Trajectory own = body_trajectory(trajectory, body);
    for (int frame = 0; frame < trajectory.frames(); ++frame)
      frames.push_back(trajectory.flies() ? world_positions(model, trajectory, frame, body).positions
                                          : test::surface_positions(model, own, frame).positions);
    result["bodies"].push_back(
        {{"path", bodies == 1 ? "/body" : "/bodies/body_" + std::to_string(body)}, {"positions", frames}});
    if (trajectory.flies()) {
      const double* twist = trajectory.twist.data() + 6 * body;  // of the first frame
      result["bodies"].back()["angularVelocity"] =
          test::turned(test::pose_of(trajectory, 0, body) + 3, {twist[3], twist[4], twist[5]});
      result["bodies"].back()["velocity"] = std::vector<double>(twist, twist + 3);
    }
  }
  return result;
}

TEST_F(FlyingMotion, OpenUsdReadsIt) {
  const char* python = std::getenv("QUARTIC_TEST_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "QUARTIC_TEST_PYTHON isn't set: no other programs";
  const std::string command = std::string("'") + python + "' ";
  if (std::system((command + "-c 'from pxr import UsdValidation' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "the Python of QUARTIC_TEST_PYTHON has no usd-core";
  nlohmann::json cases;
  for (const int rank : {2, 9})
    for (const int bodies : {1, 3})
      for (const UsdMotion motion : {UsdMotion::blend_shapes, UsdMotion::points})
        for (const bool flies : {true, false}) {
          const ReducedModel model = flies ? flying_model(rank) : test::small_model(rank);
          Trajectory trajectory = flying_bodies(rank, 4, bodies);
          if (!flies) trajectory.pose.clear(), trajectory.twist.clear();
          const std::string file = "case " + std::to_string(cases.size()) + ".usda";
          write_usd(model, trajectory, folder_ / file, motion, SceneBodies::all);
          cases.push_back(expected(file, model, trajectory, true));
        }
  std::ofstream(folder_ / "expected.json") << cases;
  EXPECT_EQ(std::system((command + "'" QUARTIC_USD_FLIGHT_READER "' '" + folder_.path().string() + "'").c_str()), 0);
}

}  // namespace
}  // namespace quartic
