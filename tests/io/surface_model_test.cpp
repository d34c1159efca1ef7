// Surfaces in model files: what is written is read to the bit, what engines read is as exact as it is said to be, and
// exports show them.
#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "io/text/half.hpp"
#include "quartic/editing.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"
#include "support/files.hpp"
#include "support/moving_surface.hpp"
#include "support/small_model.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using test::file_text;
using test::small_model;

/// The small model with two triangles, one of which sticks out, a vertex in no triangle, and a seam.
ReducedModel model_with_surface(int rank, SurfaceBasis basis) {
  ReducedModel model = small_model(rank);
  const TriangleMesh surface{
      {0.2, 0.3, 0.4, 7, 7, 7, 0.9, 0.1, 0.8, 1.2, 0.7, 0.4, 0.9, 0.1, 0.8, 0.5, 0.5, 1.2}, {0, 2, 3, 5, 0, 4}, {}};
  model.surface = embed_surface(model.mesh, surface);
  model.surface_basis = basis;
  return model;
}

/// A file's tensors as they lie in it.
class Tensors {
 public:
  explicit Tensors(std::string content) : content_(std::move(content)) {
    std::memcpy(&length_, content_.data(), 8);
    header_ = nlohmann::json::parse(content_.substr(8, length_));
  }
  [[nodiscard]] const nlohmann::json& header() const { return header_; }
  template <class T>
  [[nodiscard]] std::vector<T> values(const std::string& name) const {
    const auto offsets = header_[name]["data_offsets"].get<std::vector<std::size_t>>();
    std::vector<T> result((offsets[1] - offsets[0]) / sizeof(T));
    std::memcpy(result.data(), content_.data() + 8 + length_ + offsets[0], offsets[1] - offsets[0]);
    return result;
  }
  /// The file with another number in a tensor.
  template <class T>
  [[nodiscard]] std::string with(const std::string& name, std::size_t place, T value) const {
    std::string content = content_;
    const auto begin = header_[name]["data_offsets"][0].get<std::size_t>();
    std::memcpy(content.data() + 8 + length_ + begin + place * sizeof(T), &value, sizeof(T));
    return content;
  }
  /// The file with another header.
  [[nodiscard]] std::string with(const nlohmann::json& header) const {
    const std::string text = header.dump();
    const std::uint64_t length = text.size();
    return std::string(reinterpret_cast<const char*>(&length), 8) + text + content_.substr(8 + length_);
  }

 private:
  std::string content_;
  std::uint64_t length_ = 0;
  nlohmann::json header_;
};

class SurfaceModel : public testing::Test {
 protected:
  std::string saved(const ReducedModel& model) {
    save_model(model, folder_ / "m.qrt");
    return file_text(folder_ / "m.qrt");
  }
  void expect_refused(const std::string& content, const std::string& part) {
    std::ofstream(folder_ / "damaged.qrt", std::ios::binary) << content;
    try {
      (void)load_model(folder_ / "damaged.qrt");
      FAIL() << "accepted; expected: " << part;
    } catch (const ParseError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
    }
  }
  test::TemporaryFolder folder_;
};

TEST_F(SurfaceModel, RoundTripKeepsEveryBit) {
  for (const int rank : {0, 1, 3})
    for (const SurfaceBasis basis : {SurfaceBasis::none, SurfaceBasis::half, SurfaceBasis::single}) {
      if (rank == 0 && basis != SurfaceBasis::none) continue;
      const ReducedModel model = model_with_surface(rank, basis);
      const std::string content = saved(model);
      const ReducedModel again = load_model(folder_ / "m.qrt");
      ASSERT_TRUE(again.surface.has_value());
      EXPECT_EQ(again.surface->vertices, model.surface->vertices);
      EXPECT_EQ(again.surface->triangles, model.surface->triangles);
      EXPECT_EQ(again.surface->width, 8);
      EXPECT_EQ(again.surface->volume_vertices, model.surface->volume_vertices);
      EXPECT_EQ(again.surface->weights, model.surface->weights);
      EXPECT_EQ(again.surface_basis, basis);
      EXPECT_TRUE(again.unknown_tensors.empty());
      EXPECT_EQ(saved(again), content);
    }
  const ReducedModel without = small_model(2);
  save_model(without, folder_ / "m.qrt");
  EXPECT_FALSE(load_model(folder_ / "m.qrt").surface.has_value());
}

TEST_F(SurfaceModel, TensorsAreThoseOfTheDocument) {
  for (const SurfaceBasis basis : {SurfaceBasis::half, SurfaceBasis::single}) {
    const nlohmann::json header = Tensors(saved(model_with_surface(3, basis))).header();
    struct Expected {
      const char* name;
      const char* dtype;
      std::vector<int> shape;
    };
    const Expected expected[] = {{"surface_vertices", "F64", {6, 3}},
                                 {"surface_triangles", "I32", {2, 3}},
                                 {"surface_volume_vertices", "I32", {6, 8}},
                                 {"surface_weights", "F64", {6, 8}},
                                 {"surface_basis", basis == SurfaceBasis::half ? "F16" : "F32", {3, 6, 3}},
                                 {"surface_basis_scale", "F32", {3}}};
    for (const auto& [name, dtype, shape] : expected) {
      ASSERT_TRUE(header.contains(name)) << name;
      EXPECT_EQ(header[name]["dtype"].get<std::string>(), dtype) << name;
      EXPECT_EQ(header[name]["shape"].get<std::vector<int>>(), shape) << name;
    }
  }
  const nlohmann::json header = Tensors(saved(model_with_surface(3, SurfaceBasis::none))).header();
  EXPECT_TRUE(header.contains("surface_weights"));
  EXPECT_FALSE(header.contains("surface_basis"));
  EXPECT_FALSE(header.contains("surface_basis_scale"));
}

/// Half precision by its definition, for comparison.
double defined_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

// Whatever the units: a mode is 2^60 times as large, another 2^-60 times, one has entries far below its largest.
TEST_F(SurfaceModel, TheBasisForEnginesHasTheErrorsThatAreSaid) {
  ReducedModel model = model_with_surface(3, SurfaceBasis::half);
  for (double& x : model.basis.col(0)) x *= 0x1p60;
  for (double& x : model.basis.col(1)) x *= 0x1p-60;
  for (std::size_t row = 0; row < 15; ++row) model.basis.col(2)[row] *= 1e-6;
  const Matrix exact = surface_basis(*model.surface, model.basis.map());
  for (const bool half : {true, false}) {
    model.surface_basis = half ? SurfaceBasis::half : SurfaceBasis::single;
    const Tensors tensors(saved(model));
    const auto scales = tensors.values<float>("surface_basis_scale");
    std::vector<double> values;
    if (half)
      for (const auto bits : tensors.values<std::uint16_t>("surface_basis")) values.push_back(defined_half(bits));
    else
      for (const float value : tensors.values<float>("surface_basis")) values.push_back(value);
    for (std::int64_t i = 0; i < 3; ++i) {
      const double scale = scales[static_cast<std::size_t>(i)];
      EXPECT_EQ(scale, std::exp2(std::round(std::log2(scale))));
      const double largest = exact.map().col(i).cwiseAbs().maxCoeff();
      EXPECT_GE(largest / scale, 0.5);
      EXPECT_LT(largest / scale, 1);
      for (std::int64_t row = 0; row < 18; ++row) {
        const double x = exact(row, i), error = std::abs(scale * values[static_cast<std::size_t>(18 * i + row)] - x);
        if (half)
          EXPECT_LE(error, std::max(0x1p-11 * std::abs(x), 0x1p-24 * largest)) << i << ", " << row;
        else
          EXPECT_LE(error, 0x1p-24 * std::abs(x)) << i << ", " << row;
      }
    }
  }
}

TEST_F(SurfaceModel, EditsTakeTheSurfaceAlong) {
  ReducedModel model = model_with_surface(3, SurfaceBasis::single);
  const std::vector<int> kept = {2, 0};
  const ReducedModel fewer = keep_basis_vectors(model, kept);
  ASSERT_TRUE(fewer.surface.has_value());
  const Tensors before(saved(model)), after(saved(fewer));
  const auto all = before.values<float>("surface_basis"), some = after.values<float>("surface_basis");
  ASSERT_EQ(some.size(), 36U);
  EXPECT_TRUE(std::equal(some.begin(), some.begin() + 18, all.begin() + 36));
  EXPECT_TRUE(std::equal(some.begin() + 18, some.end(), all.begin()));

  // Other densities are another basis, of the same displacements: U' = U T.
  for (std::size_t g = 0; g < 2; ++g) {
    model.region_mass[g].map() = Eigen::Matrix3d::Identity();
    model.region_mass[g](1, 0) = model.region_mass[g](0, 1) = 0.25;
  }
  const std::vector<Material> materials = {{1e6 / 3, 0.3, 500}, {2e6, -0.1, 7.7}};
  const MaterialEdit edit = edit_materials(model, materials);
  const ReducedModel edited = with_materials(model, materials);
  const Eigen::MatrixXd expected = surface_basis(*model.surface, model.basis.map()).map() * edit.transform.map();
  const Tensors tensors(saved(edited));
  const auto values = tensors.values<float>("surface_basis"), scales = tensors.values<float>("surface_basis_scale");
  for (Eigen::Index i = 0; i < 3; ++i)
    for (Eigen::Index row = 0; row < 18; ++row)
      EXPECT_NEAR(static_cast<double>(scales[static_cast<std::size_t>(i)]) *
                      static_cast<double>(values[static_cast<std::size_t>(18 * i + row)]),
                  expected(row, i), 1e-7 * expected.col(i).cwiseAbs().maxCoeff());
}

TEST_F(SurfaceModel, DamageIsRefused) {
  const Tensors tensors(saved(model_with_surface(3, SurfaceBasis::half)));
  expect_refused(tensors.with("surface_triangles", 1, std::int32_t{6}), "a triangle has vertex 6");
  expect_refused(tensors.with("surface_triangles", 1, std::int32_t{-1}), "a triangle has vertex -1");
  expect_refused(tensors.with("surface_volume_vertices", 3, std::int32_t{10}), "hangs on vertex 10");
  expect_refused(tensors.with("surface_weights", 8, 5.0), "weights of surface vertex 1 sum to");
  expect_refused(tensors.with("surface_weights", 0, double{NAN}), "'surface_weights' has a value that isn't a finite");
  expect_refused(tensors.with("surface_vertices", 2, double{INFINITY}), "'surface_vertices'");
  expect_refused(tensors.with("surface_basis", 5, std::uint16_t{0x7C00}), "'surface_basis' has a value");
  expect_refused(tensors.with("surface_basis_scale", 1, 3.0F), "power of two");
  expect_refused(tensors.with("surface_basis_scale", 1, -2.0F), "power of two");
  const auto reshaped = [&](const char* name, const nlohmann::json& shape, const char* dtype = nullptr) {
    auto header = tensors.header();
    header[name]["shape"] = shape;
    if (dtype != nullptr) header[name]["dtype"] = dtype;
    return tensors.with(header);
  };
  expect_refused(reshaped("surface_vertices", {3, 6}), "'surface_vertices' has size 6 in dimension 1");
  expect_refused(reshaped("surface_triangles", {3, 2}), "'surface_triangles'");
  expect_refused(reshaped("surface_volume_vertices", {8, 6}), "'surface_volume_vertices'");
  expect_refused(reshaped("surface_weights", {12, 4}), "'surface_weights'");
  expect_refused(reshaped("surface_basis", {6, 3, 3}), "'surface_basis'");
  expect_refused(reshaped("surface_basis", {3, 6, 3}, "BF16"), "'surface_basis' is of dtype BF16");
  expect_refused(reshaped("surface_basis_scale", {3, 1}), "'surface_basis_scale'");
  for (const char* name : {"surface_vertices", "surface_triangles", "surface_volume_vertices", "surface_weights",
                           "surface_basis", "surface_basis_scale"}) {
    auto header = tensors.header();
    header["other"] = header[name];
    header.erase(name);
    expect_refused(tensors.with(header), "surface_");
  }
}

TEST_F(SurfaceModel, PartsThatDoNotFitAreRefusedBeforeWriting) {
  const std::function<void(ReducedModel&)> damages[] = {
      [](ReducedModel& m) { m.surface.reset(); },  // but not its basis
      [](ReducedModel& m) { m.surface->triangles.clear(); },
      [](ReducedModel& m) { m.surface->triangles[0] = 6; },
      [](ReducedModel& m) { m.surface->width = 0; },
      [](ReducedModel& m) { m.surface->width = 21; },
      [](ReducedModel& m) { m.surface->weights.pop_back(); },
      [](ReducedModel& m) { m.surface->weights[0] += 0.1; },
      [](ReducedModel& m) { m.surface->weights[0] = NAN; },
      [](ReducedModel& m) { m.surface->volume_vertices[0] = 10; },
      [](ReducedModel& m) { m.surface->vertices.pop_back(); },
      [](ReducedModel& m) { m = model_with_surface(0, SurfaceBasis::half); },
  };
  int number = 0;
  for (const auto& damage : damages) {
    ReducedModel model = model_with_surface(3, SurfaceBasis::half);
    damage(model);
    EXPECT_THROW(save_model(model, folder_ / "never.qrt"), InputError) << "damage " << number;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "never.qrt")) << "damage " << number++;
  }
}

TEST_F(SurfaceModel, DamagedFilesNeverCrash) {
  const std::string content = saved(model_with_surface(2, SurfaceBasis::half));
  std::mt19937_64 random(11);
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = content;
    const std::size_t range = round % 2 == 0 ? damaged.size() : std::min<std::size_t>(damaged.size(), 2400);
    for (std::uint64_t flips = 1 + random() % 3; flips > 0; --flips)
      damaged[random() % range] ^= static_cast<char>(1u << random() % 8);
    std::ofstream(folder_ / "damaged.qrt", std::ios::binary) << damaged;
    try {
      (void)load_model(folder_ / "damaged.qrt");
    } catch (const Error&) {
    }
  }
}

TEST_F(SurfaceModel, CachesHaveTheSurfacesOwnVertices) {
  const ReducedModel model = model_with_surface(3, SurfaceBasis::none);
  const Trajectory trajectory = test::two_bodies(3, 4);
  write_pc2(model, trajectory, folder_ / "m.pc2");
  const std::string cache = file_text(folder_ / "m.pc2");
  constexpr std::size_t head = 32, vertices = 6;
  ASSERT_EQ(cache.size(), head + 4 * vertices * 12);
  for (std::size_t frame = 0; frame < 4; ++frame)
    for (std::size_t row = 0; row < 3 * vertices; ++row) {
      float found = 0;
      std::memcpy(&found, cache.data() + head + 4 * (3 * vertices * frame + row), 4);
      double exact = model.surface->vertices[row], size = std::abs(exact);
      for (std::size_t a = 8 * (row / 3); a < 8 * (row / 3) + 8; ++a)
        for (std::size_t i = 0; i < 3; ++i) {
          const double part = model.surface->weights[a] *
                              model.basis(3 * model.surface->volume_vertices[a] + static_cast<int>(row % 3),
                                          static_cast<std::int64_t>(i)) *
                              trajectory.q[6 * frame + i];
          exact += part;
          size += std::abs(part);
        }
      EXPECT_NEAR(found, exact, 0x1p-24 * std::abs(exact) + 1e-14 * size) << frame << ", " << row;  // rounded once
    }
  // The surface beside it: all six vertices, and the faces as they were wound.
  const std::string surface = file_text(folder_ / "m.surface.obj");
  EXPECT_NE(surface.find("f 1 3 4\nf 6 1 5\n"), std::string::npos) << surface;
}

}  // namespace
}  // namespace quartic
