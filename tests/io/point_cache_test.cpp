// Point caches .pc2 and .mdd, and the .surface.obj beside them, read here by the formats' own descriptions.
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "quartic/quartic.hpp"
#include "support/files.hpp"
#include "support/moving_surface.hpp"
#include "support/small_model.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using test::file_text;
using test::surface_positions;
using test::two_bodies;

/// 32-bit numbers of a file, one after the other.
class CacheBytes {
 public:
  CacheBytes(const std::filesystem::path& path, bool big) : text_(file_text(path)), big_(big) {}
  std::string text(std::size_t size) { return text_.substr(std::exchange(at_, at_ + size), size); }
  std::uint32_t integer() {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto byte = static_cast<unsigned char>(text_.at(at_ + (big_ ? i : 3 - i)));
      value = value * 256 + byte;
    }
    at_ += 4;
    return value;
  }
  float number() { return std::bit_cast<float>(integer()); }
  std::vector<float> numbers(std::size_t count) {
    std::vector<float> result;
    while (result.size() < count) result.push_back(number());
    return result;
  }
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }

 private:
  std::string text_;
  std::size_t at_ = 0;
  bool big_;
};

class PointCache : public testing::Test {
 protected:
  std::size_t file_count() {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }
  test::TemporaryFolder folder_;
};

void expect_rest_surface(const std::filesystem::path& path, const ReducedModel& model) {
  std::vector<float> vertices;
  std::vector<std::int32_t> triangles;
  std::istringstream text(file_text(path));
  std::string line, word;
  while (std::getline(text, line)) {
    std::istringstream words(line);
    words >> word;
    if (word == "v")
      while (words >> word) vertices.push_back(std::stof(word));
    if (word == "f")
      while (words >> word) triangles.push_back(std::stoi(word) - 1);
  }
  test::expect_rounded_once(vertices, surface_positions(model, {}, -1));
  EXPECT_EQ(triangles, test::surface_triangles(model));
}

TEST_F(PointCache, Pc2HoldsThePositions) {
  for (const auto& [rank, frames] : {std::pair{1, 1}, {1, 4}, {9, 4}}) {
    const ReducedModel model = test::small_model(rank);
    const Trajectory trajectory = two_bodies(rank, frames);
    write_pc2(model, trajectory, folder_ / "a.pc2");
    CacheBytes file(folder_ / "a.pc2", false);
    EXPECT_EQ(file.text(12), std::string("POINTCACHE2\0", 12));
    EXPECT_EQ(file.integer(), 1U);
    EXPECT_EQ(file.integer(), 10U);  // vertices, all of which lie on the surface
    EXPECT_EQ(file.number(), 0.0F);
    EXPECT_EQ(file.number(), 1.0F);
    EXPECT_EQ(file.integer(), static_cast<unsigned>(frames));
    for (int frame = 0; frame < frames; ++frame)
      test::expect_rounded_once(file.numbers(30), surface_positions(model, trajectory, frame));
    EXPECT_TRUE(file.at_end());
    expect_rest_surface(folder_ / "a.surface.obj", model);
    EXPECT_EQ(file_count(), 2U);
  }
}

TEST_F(PointCache, MddHoldsTimesAndPositions) {
  const ReducedModel model = test::small_model(9);
  Trajectory trajectory = two_bodies(9, 4);
  trajectory.time = {0.1, 0.2, 1000, 1000.00001};  // the last two are the same number in single precision
  write_mdd(model, trajectory, folder_ / "b.mdd");
  CacheBytes file(folder_ / "b.mdd", true);
  EXPECT_EQ(file.integer(), 4U);
  EXPECT_EQ(file.integer(), 10U);
  EXPECT_EQ(file.numbers(4), (std::vector<float>{0.1F, 0.2F, 1000, std::nextafter(1000.0F, 2000.0F)}));
  for (int frame = 0; frame < 4; ++frame)
    test::expect_rounded_once(file.numbers(30), surface_positions(model, trajectory, frame));
  EXPECT_TRUE(file.at_end());
  expect_rest_surface(folder_ / "b.surface.obj", model);
}

TEST_F(PointCache, VerticesInsideAreLeftOut) {
  const ReducedModel model = test::small_model_with_loose_vertex();
  const Trajectory trajectory = two_bodies(1, 1);
  write_mdd(model, trajectory, folder_ / "a.mdd");
  CacheBytes file(folder_ / "a.mdd", true);
  EXPECT_EQ(file.integer(), 1U);
  EXPECT_EQ(file.integer(), 10U);
  EXPECT_EQ(file.number(), 0.0F);
  test::expect_rounded_once(file.numbers(30), surface_positions(model, trajectory, 0));
  expect_rest_surface(folder_ / "a.surface.obj", model);
}

TEST_F(PointCache, Pc2WantsEvenTimes) {
  const ReducedModel model = test::small_model(1);
  Trajectory trajectory = two_bodies(1, 3);
  trajectory.time = {0.1, 0.2, 0.301};  // a hundredth off
  try {
    write_pc2(model, trajectory, folder_ / "a.pc2");
    FAIL() << "written";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(".mdd"), std::string::npos) << error.what();
  }
  EXPECT_EQ(file_count(), 0U);
  trajectory.time = {0.7, 0.7 + 0.1, 0.7 + 0.1 + 0.1};  // as sums of steps come out
  write_pc2(model, trajectory, folder_ / "a.pc2");
  CacheBytes file(folder_ / "a.pc2", false);
  (void)file.text(20);
  EXPECT_EQ(file.number(), 7.0F);  // starts at the seventh frame
}

// There is no place for an offset: what single precision takes is told.
TEST_F(PointCache, LostPrecisionIsTold) {
  ReducedModel model = test::small_model(2);
  Trajectory trajectory = two_bodies(2, 3);
  for (const auto write : {write_pc2, write_mdd}) {
    EXPECT_EQ(write(model, trajectory, folder_ / "a.cache"), std::vector<std::string>());
    ReducedModel far = model;
    for (std::size_t v = 0; v < far.mesh.vertices.size(); v += 3) far.mesh.vertices[v + 1] += 4649776.25;
    std::vector<std::string> losses = write(far, trajectory, folder_ / "a.cache");
    ASSERT_EQ(losses.size(), 1U);
    for (const char* part : {"0.5 m apart", "4.65e+06 m from the origin", "shape and motion", ".glb or .usda"})
      EXPECT_NE(losses[0].find(part), std::string::npos) << losses[0];
    // The shape is there, but not a motion of a millionth.
    Trajectory little = trajectory;
    for (double& q : little.q) q *= 1e-6;
    losses = write(model, little, folder_ / "a.cache");
    ASSERT_EQ(losses.size(), 1U);
    EXPECT_NE(losses[0].find("loses the motion"), std::string::npos) << losses[0];
    for (double& q : little.q) q = 0;  // nothing moves, and nothing is lost
    EXPECT_EQ(write(model, little, folder_ / "a.cache"), std::vector<std::string>());
  }
}

TEST_F(PointCache, WhatDoesNotFitIsRefused) {
  const ReducedModel model = test::small_model(2);
  write_pc2(model, two_bodies(2, 2), folder_ / "a.pc2");
  write_mdd(model, two_bodies(2, 2), folder_ / "a.mdd");
  std::ofstream(folder_ / "a.surface.obj") << "mine";
  const std::string pc2 = file_text(folder_ / "a.pc2"), mdd = file_text(folder_ / "a.mdd");
  for (const auto write : {write_pc2, write_mdd}) {
    const auto path = folder_ / (write == write_pc2 ? "a.pc2" : "a.mdd");
    EXPECT_THROW(write(model, two_bodies(3, 2), path), InputError);
    EXPECT_THROW(write(test::small_model(0), two_bodies(2, 2), path), InputError);
    EXPECT_THROW(write(model, two_bodies(2, 0), path), InputError);
    Trajectory broken = two_bodies(2, 2);
    broken.q[4] = NAN;  // in the second frame, so that writing has begun
    EXPECT_THROW(write(model, broken, path), InputError);
    broken = two_bodies(2, 2);
    broken.time[1] = INFINITY;
    EXPECT_THROW(write(model, broken, path), InputError);
    broken.time = {2, 1};
    EXPECT_THROW(write(model, broken, path), InputError);
    EXPECT_THROW(write(model, two_bodies(2, 2), folder_ / "missing/a.pc2"), FileError);
    std::filesystem::create_symlink("/dev/full",
                                    folder_ / "full.pc2");  // the cache can't be written, the surface could
    EXPECT_THROW(write(model, two_bodies(2, 2), folder_ / "full.pc2"), FileError);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "full.surface.obj"));
    std::filesystem::remove(folder_ / "full.pc2");
    std::filesystem::create_symlink("/dev/full", folder_ / "full.surface.obj");  // the other way round
    EXPECT_THROW(write(model, two_bodies(2, 2), folder_ / "full.pc2"), FileError);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "full.pc2"));
    std::filesystem::remove(folder_ / "full.surface.obj");
  }
  EXPECT_EQ(file_text(folder_ / "a.pc2"), pc2);
  EXPECT_EQ(file_text(folder_ / "a.mdd"), mdd);
  EXPECT_EQ(file_text(folder_ / "a.surface.obj"), "mine");
  EXPECT_EQ(file_count(), 3U);
}

}  // namespace
}  // namespace quartic
