// The command line on embedded surfaces: --surface, --voxels, --no-surface, and what is drawn then.
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>

#include "quartic/quartic.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;
using test::file_text;
using test::run_quartic;

// A bar with a vertex of no face at the end, and one that comes twice, as at a seam.
constexpr const char* bar_with_seam =
    "v 0 0 0\nv 4 0 0\nv 0 1 0\nv 4 1 0\nv 0 0 1\nv 4 0 1\nv 0 1 1\nv 4 1 1\nv 4 1 1\nv 2 0.5 0.5\n"
    "f 1 3 4 2\nf 5 6 9 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
constexpr const char* rubber_and_rank = " --youngs-modulus 1e6 --poissons-ratio 0.3 --density 1000 --modes 3 --rank 4";
constexpr const char* held = " --fix-box=0,0,0,0,1,1";

class SurfaceCommand : public testing::Test {
 protected:
  SurfaceCommand() { std::ofstream(folder_ / "bar.obj") << bar_with_seam; }
  [[nodiscard]] CommandResult run(const std::string& arguments) const { return run_quartic(folder_.path(), arguments); }
  [[nodiscard]] CommandResult reduce(const std::string& arguments) const {
    return run("reduce " + arguments + rubber_and_rank + held);
  }
  /// Numbers of a point cache of one frame after the other.
  [[nodiscard]] std::vector<float> cached(const std::string& name, std::size_t frame, std::size_t vertices) const {
    const std::string content = file_text(folder_ / name);
    std::uint32_t count = 0;
    std::memcpy(&count, content.data() + 16, 4);
    EXPECT_EQ(count, vertices);
    std::vector<float> positions(3 * vertices);
    std::memcpy(positions.data(), content.data() + 32 + 12 * vertices * frame, 12 * vertices);
    return positions;
  }
  test::TemporaryFolder folder_;
};

TEST_F(SurfaceCommand, VoxelsCarryTheSurfaceThatTheyFill) {
  const CommandResult reduced = reduce("bar.obj --voxels 8 -o bar.qrt --surface-basis half --json");
  ASSERT_EQ(reduced.exit_code, 0) << reduced.errors;
  EXPECT_EQ(reduced.json()["surface"]["vertices"], 10);
  EXPECT_EQ(reduced.json()["surface"]["triangles"], 12);
  EXPECT_EQ(reduced.json()["surface"]["outside"], 0);
  const auto info = run("info bar.qrt --json").json()["surface"];
  EXPECT_EQ(info["vertices"], 10);
  EXPECT_EQ(info["basis"], "half");
  EXPECT_EQ(info["bytes"], 10 * 24 + 12 * 12 + 10 * 8 * 12 + 4 * 10 * 3 * 2);
  const CommandResult text = run("info bar.qrt");
  EXPECT_NE(text.output.find("surface         10 vertices, 12 triangles, "), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("half precision"), std::string::npos) << text.output;

  const CommandResult moved = run("simulate bar.qrt --gravity 0,0,-9.81 --steps 3 -o bar.pc2 -o bar.qtraj -o bar.mdd");
  ASSERT_EQ(moved.exit_code, 0) << moved.errors;
  const TriangleMesh surface = read_triangle_mesh(folder_ / "bar.obj");
  const std::vector<float> rest = cached("bar.pc2", 0, 10), end = cached("bar.pc2", 3, 10);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(rest[i], static_cast<float>(surface.vertices[i])) << i;
  EXPECT_LT(end[3 * 7 + 2], rest[3 * 7 + 2]) << "the free end falls";
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(end[3 * 7 + c], end[3 * 8 + c]) << "a seam stays closed";
    EXPECT_EQ(end[c], rest[c]) << "the held end stays";
  }
  const TriangleMesh beside = read_triangle_mesh(folder_ / "bar.surface.obj");
  EXPECT_EQ(beside.vertices, surface.vertices);
  EXPECT_EQ(beside.triangles, surface.triangles);

  const std::string cache = file_text(folder_ / "bar.pc2");
  ASSERT_EQ(run("export bar.qrt bar.qtraj -o again.pc2 -o bar.glb -o bar.usda").exit_code, 0);
  EXPECT_EQ(file_text(folder_ / "again.pc2"), cache);
  EXPECT_NE(file_text(folder_ / "bar.glb").find("\"count\":36,\"type\":\"SCALAR\""), std::string::npos);
  EXPECT_NE(file_text(folder_ / "bar.usda").find("faceVertexIndices = [0, 2, 3, 0, 3, 1,"), std::string::npos);
}

TEST_F(SurfaceCommand, AnySurfaceGoesIntoAnyMesh) {
  ASSERT_EQ(run("make beam --resolution 8 -o beam.veg").exit_code, 0);  // 1 x 0.1 x 0.08 m from the origin
  std::ofstream skin(folder_ / "skin.obj");
  skin << "v 0.1 0.02 0.05\nv 0.9 0.05 0.0801\nv 0.5 0.09 0.02\nf 1 2 3\n";
  skin.close();
  const auto report = run("reduce beam.veg --fix beam.bou --modes 3 --rank 4 -o beam.qrt --surface skin.obj --json");
  ASSERT_EQ(report.exit_code, 0) << report.errors;
  EXPECT_EQ(report.json()["surface"]["outside"], 1);
  EXPECT_NEAR(report.json()["surface"]["largest_distance"].get<double>(), 1e-4, 1e-12);
  EXPECT_EQ(load_model(folder_ / "beam.qrt").surface->vertex_count(), 3);
  const CommandResult text = run("reduce beam.veg --fix beam.bou --modes 3 --rank 4 -o beam.qrt --surface skin.obj");
  EXPECT_NE(text.output.find("surface         3 vertices, 1 triangle, 1 vertex outside the volume by up to 0.0001 m"),
            std::string::npos)
      << text.output;

  // A vertex in front that belongs to no element is dropped: the surface hangs on what is left.
  VolumeMesh mesh = read_mesh(folder_ / "beam.veg");
  mesh.vertices.insert(mesh.vertices.begin(), {5, 5, 5});
  for (auto& v : mesh.blocks[0].vertices) ++v;
  write_veg(mesh, folder_ / "loose.veg");
  ASSERT_EQ(run("reduce loose.veg --fix-box=0,0,0,0,1,1 --modes 3 --rank 4 -o loose.qrt --surface skin.obj").exit_code,
            0);
  const ReducedModel whole = load_model(folder_ / "beam.qrt"), loose = load_model(folder_ / "loose.qrt");
  EXPECT_EQ(loose.surface->volume_vertices, whole.surface->volume_vertices);
  EXPECT_EQ(loose.surface->weights, whole.surface->weights);
}

TEST_F(SurfaceCommand, SketchesHaveSurfacesToo) {
  std::ofstream(folder_ / "pull.csv") << "0,8,0,0,-10\n1,8,0,10,0\n";
  const CommandResult made =
      run("sketch bar.obj --voxels 4 --forces pull.csv --rank 1 --load-separation 0 "
          "--separation 0 --jobs 1 -o bar.qrt --json --youngs-modulus 1e6 --poissons-ratio 0.3 "
          "--density 1000" +
          std::string(held));
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  EXPECT_EQ(made.json()["surface"]["vertices"], 10);
  EXPECT_EQ(load_model(folder_ / "bar.qrt").surface->vertex_count(), 10);
}

TEST_F(SurfaceCommand, MistakesAreExplained) {
  ASSERT_EQ(reduce("bar.obj --voxels 8 -o plain.qrt --no-surface").exit_code, 0);
  EXPECT_FALSE(load_model(folder_ / "plain.qrt").surface.has_value());
  EXPECT_TRUE(run("info plain.qrt --json").json()["surface"].is_null());
  std::ofstream millimetres(folder_ / "mm.obj");
  millimetres << "v 0 0 0\nv 4000 0 0\nv 0 1000 0\nf 1 2 3\n";
  millimetres.close();
  const CommandResult far = reduce("bar.obj --voxels 8 -o x.qrt --surface mm.obj");
  EXPECT_EQ(far.exit_code, 1);
  EXPECT_NE(far.errors.find("mm.obj: vertex 1 of the surface, counted from 0, lies 4e+03 m outside"), std::string::npos)
      << far.errors;
  EXPECT_NE(far.errors.find("are both in metres?"), std::string::npos) << far.errors;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.qrt"));
  EXPECT_EQ(reduce("bar.obj --voxels 8 -o x.qrt --surface missing.obj").exit_code, 1);
  EXPECT_EQ(reduce("bar.obj --voxels 8 -o x.qrt --surface bar.obj --no-surface").exit_code, 2);
  EXPECT_EQ(reduce("bar.obj --voxels 8 -o x.qrt --surface-basis quarter").exit_code, 2);
  EXPECT_EQ(reduce("bar.obj --voxels 8 -o x.qrt --no-surface --surface-basis half").exit_code, 2);
  EXPECT_EQ(run("modes bar.obj --voxels 8 -o x.qrt --surface bar.obj").exit_code, 2);
  // Parts that the voxels leave out are drawn all the same.
  std::ofstream two(folder_ / "two.obj");
  two << bar_with_seam << "v 0 9 0\nv 1 9 0\nv 0 9.9 0\nf 11 12 13\n";
  two.close();
  const CommandResult parts =
      run("reduce two.obj --voxels 8 --largest-part -o two.qrt --free" + std::string(rubber_and_rank));
  EXPECT_EQ(parts.exit_code, 0) << parts.errors;
  EXPECT_NE(parts.errors.find("3 surface vertices lie farther outside"), std::string::npos) << parts.errors;
}

}  // namespace
}  // namespace quartic
