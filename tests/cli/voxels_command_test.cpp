// The command line on triangle meshes: `info`, and --voxels.
#include <cmath>
#include <fstream>
#include <string>

#include "quartic/quartic.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;
using test::run_quartic;

constexpr const char* bar =
    "v 0 0 0\nv 4 0 0\nv 0 1 0\nv 4 1 0\nv 0 0 1\nv 4 0 1\nv 0 1 1\nv 4 1 1\n"
    "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
constexpr const char* rubber = " --youngs-modulus 1e6 --poissons-ratio 0.3 --density 1000";

class VoxelsCommand : public testing::Test {
 protected:
  VoxelsCommand() { std::ofstream(folder_ / "bar.obj") << bar; }
  [[nodiscard]] CommandResult run(const std::string& arguments) const { return run_quartic(folder_.path(), arguments); }

  test::TemporaryFolder folder_;
};

TEST_F(VoxelsCommand, InfoTellsOfASurface) {
  const auto report = run("info bar.obj --json").json();
  EXPECT_EQ(report["kind"], "surface");
  EXPECT_EQ(report["triangles"], 12);
  EXPECT_EQ(report["closed"], true);
  EXPECT_NEAR(report["enclosed_volume"].get<double>(), 4, 4e-15);
  EXPECT_NEAR(report["area"].get<double>(), 18, 4e-15);
  const CommandResult text = run("info bar.obj --strict");
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.output.find("volume          4 m^3 enclosed"), std::string::npos) << text.output;
  std::ofstream(folder_ / "open.obj") << std::string(bar).substr(0, std::string(bar).rfind('f'));
  const CommandResult open = run("info open.obj --strict");
  EXPECT_EQ(open.exit_code, 1);
  EXPECT_NE(open.errors.find("4 edges belong to one triangle only"), std::string::npos) << open.errors;
  EXPECT_EQ(run("info open.obj").exit_code, 0);
  EXPECT_EQ(run("info bar.obj --weld").exit_code, 1);
}

TEST_F(VoxelsCommand, ASurfaceBecomesAMeshAndAModel) {
  const auto report = run("info bar.obj --voxels 16 --json").json();
  EXPECT_EQ(report["kind"], "mesh");
  EXPECT_EQ(report["elements"]["hex8"], 16 * 4 * 4);
  EXPECT_NEAR(report["volume"].get<double>(), 4, 4e-14);
  EXPECT_EQ(report["materials"][0]["name"], "bar");

  ASSERT_EQ(run("convert bar.obj bar.msh --voxels 16").exit_code, 0);
  EXPECT_EQ(read_mesh(folder_ / "bar.msh").element_count(), 256);

  const CommandResult reduced = run(
      "reduce bar.obj --voxels 16 --fix-box=0,0,0,0,1,1 --modes 3 --rank 6 -o bar.qrt --json" + std::string(rubber));
  ASSERT_EQ(reduced.exit_code, 0) << reduced.errors;
  EXPECT_NE(reduced.errors.find("--voxels made 256 voxels of 0.25 m"), std::string::npos) << reduced.errors;
  // The same mesh made by formula has the same frequencies.
  BoxOptions box;
  box.length = 4;
  box.width = box.height = 1;
  box.cells_x = 16;
  box.cells_y = box.cells_z = 4;
  box.material = {.youngs_modulus = 1e6, .poissons_ratio = 0.3, .density = 1000};
  const ProceduralMesh same = make_box(box);
  const LinearModes modes = linear_modes(ElasticSystem(same.mesh, same.fixed_vertices), {.count = 3});
  const ReducedModel model = load_model(folder_ / "bar.qrt");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(model.eigenvalues[i] / modes.eigenvalues[i], 1, 1e-9) << i;
}

TEST_F(VoxelsCommand, PartsAreTold) {
  std::ofstream two(folder_ / "two.obj");
  two << bar << "v 0 3 0\nv 1 3 0\nv 0 3.9 0\nf 9 10 11\n";
  two.close();
  const CommandResult both = run("info two.obj --voxels 8");
  EXPECT_NE(both.errors.find("2 parts that share no face (48, "), std::string::npos) << both.errors;
  const auto largest = run("info two.obj --voxels 8 --largest-part --json").json();
  EXPECT_EQ(largest["elements"]["hex8"], 8 * 3 * 2);  // the lattice begins 0.05 below y = 0
}

TEST_F(VoxelsCommand, MistakesAreExplained) {
  const CommandResult bare = run("reduce bar.obj --free -o x.qrt");
  EXPECT_EQ(bare.exit_code, 1);
  EXPECT_NE(bare.errors.find("give --voxels 64"), std::string::npos) << bare.errors;
  const CommandResult no_material = run("reduce bar.obj --voxels 8 --free -o x.qrt");
  EXPECT_EQ(no_material.exit_code, 1);
  EXPECT_NE(no_material.errors.find("region 'bar' has no material"), std::string::npos) << no_material.errors;
  ASSERT_EQ(run("make beam --resolution 4 -o beam.veg").exit_code, 0);
  const CommandResult volume = run("info beam.veg --voxels 8");
  EXPECT_EQ(volume.exit_code, 1);
  EXPECT_NE(volume.errors.find("leave out --voxels"), std::string::npos) << volume.errors;
  for (const char* wrong : {"--voxels 0", "--voxels 1025", "--voxels x", "--largest-part"})
    EXPECT_EQ(run(std::string("info bar.obj ") + wrong).exit_code, 2) << wrong;
  ASSERT_EQ(run("reduce beam.veg --free --modes 2 --rank 2 -o beam.qrt").exit_code, 0);
  EXPECT_EQ(run("info beam.qrt --voxels 8").exit_code, 1);
  EXPECT_EQ(run("convert beam.qrt beam.vtu --voxels 8").exit_code, 2);
}

}  // namespace
}  // namespace quartic
