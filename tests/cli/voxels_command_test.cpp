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

constexpr const char* plate =
    "v 0 0 0\nv 0.12 0 0\nv 0 0.06 0\nv 0.12 0.06 0\nv 0 0 0.008\nv 0.12 0 0.008\nv 0 0.06 0.008\nv 0.12 0.06 0.008\n"
    "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

constexpr const char* cube =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n"
    "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

// A plate of 8 mm, of which cubes of 6 mm make one of 12 mm.
TEST_F(VoxelsCommand, VolumesThatDifferAreTold) {
  std::ofstream(folder_ / "plate.obj") << plate;
  const CommandResult info = run("info plate.obj --voxels 20");
  EXPECT_NE(
      info.output.find("8.64e-05 m^3, 1.5 times the 5.76e-05 m^3 that the surface encloses; 1.33 voxels across its "
                       "thickness of 0.008 m"),
      std::string::npos)
      << info.output;
  const std::string volumes = "the voxels hold 8.64e-05 m^3, 50 % more than the 5.76e-05 m^3 that the surface encloses";
  EXPECT_NE(info.errors.find("warning: " + volumes), std::string::npos) << info.errors;
  EXPECT_NE(info.errors.find("only 1.33 voxels across the surface's thickness of 0.008 m"), std::string::npos);
  EXPECT_NE(info.errors.find("--voxels 60 puts four there"), std::string::npos) << info.errors;
  for (const char* command :
       {"info plate.obj --voxels 20", "convert plate.obj plate.vtu --voxels 20",
        "modes plate.obj --voxels 20 --free --modes 3 -o p.qrt --youngs-modulus 2.1e11 "
        "--poissons-ratio 0.3 --density 7850",
        "solve plate.obj --voxels 20 --fix-box=-1,-1,-1,0,1,1 --gravity 0,0,-9.81 --static -o p.qsnap "
        "--youngs-modulus 2.1e11 --poissons-ratio 0.3 --density 7850"}) {
    const CommandResult result = run(std::string(command) + " --json");
    ASSERT_EQ(result.exit_code, 0) << command << result.errors;
    const nlohmann::json voxels = result.json()["voxels"];
    EXPECT_NEAR(voxels["volume_ratio"].get<double>(), 1.5, 1e-9) << command;
    EXPECT_NEAR(voxels["surface_volume"].get<double>(), 5.76e-5, 1e-13) << command;
    EXPECT_NEAR(voxels["voxels_per_thickness"].get<double>(), 4.0 / 3, 1e-9) << command;
    EXPECT_NE(result.json()["warnings"].dump().find(volumes), std::string::npos) << command;
  }
  // Of cubes that fit, there is nothing to tell; and a stocky body may be coarse.
  std::ofstream(folder_ / "cube.obj") << cube;
  for (const char* command : {"info plate.obj --voxels 60", "info cube.obj --voxels 3"}) {
    const CommandResult fits = run(command);
    EXPECT_EQ(fits.errors.find("voxels hold"), std::string::npos) << fits.errors;
    EXPECT_EQ(fits.errors.find("voxels across"), std::string::npos) << fits.errors;
  }
  EXPECT_NEAR(run("info bar.obj --voxels 8 --json").json()["voxels"]["volume_ratio"].get<double>(), 1, 1e-12);
  ASSERT_EQ(run("make beam --resolution 4 -o beam.veg").exit_code, 0);
  EXPECT_TRUE(run("info beam.veg --json").json()["voxels"].is_null());
}

TEST_F(VoxelsCommand, TheSurfacesMassCanBeKept) {
  std::ofstream(folder_ / "plate.obj") << plate;
  const std::string steel = " --youngs-modulus 2.1e11 --poissons-ratio 0.3 --density 7850";
  const std::string reduce = "reduce plate.obj --voxels 20 --free --modes 2 --rank 2" + steel;
  ASSERT_EQ(run(reduce + " -o heavy.qrt").exit_code, 0);
  const CommandResult kept = run(reduce + " --voxel-mass keep -o kept.qrt");
  ASSERT_EQ(kept.exit_code, 0) << kept.errors;
  EXPECT_NE(kept.errors.find("--voxel-mass keep multiplied densities by 0.6667"), std::string::npos) << kept.errors;
  const auto mass = [&](const char* file) { return check_mesh(load_model(folder_ / file).mesh).mass.value(); };
  EXPECT_NEAR(mass("heavy.qrt"), 7850 * 8.64e-5, 1e-9);
  EXPECT_NEAR(mass("kept.qrt"), 7850 * 5.76e-5, 1e-9);
  // The same stiffness with two thirds of the mass.
  EXPECT_NEAR(load_model(folder_ / "kept.qrt").eigenvalues[0] / load_model(folder_ / "heavy.qrt").eigenvalues[0], 1.5,
              1e-6);
  ASSERT_EQ(run("convert plate.obj plate.veg --voxels 20 --voxel-mass keep" + steel).exit_code, 0);
  EXPECT_NEAR(check_mesh(read_mesh(folder_ / "plate.veg")).mass.value(), 7850 * 5.76e-5, 1e-9);

  EXPECT_EQ(run("convert plate.obj plate.msh --voxels 20 --voxel-mass keep").exit_code, 2);
  EXPECT_EQ(run(reduce + " --voxel-mass half -o no.qrt").exit_code, 2);
  ASSERT_EQ(run("make beam --resolution 4 -o beam.veg").exit_code, 0);
  EXPECT_EQ(run("reduce beam.veg --free --voxel-mass keep -o no.qrt").exit_code, 2);
  std::ofstream(folder_ / "plate.obj") << std::string(plate).substr(0, std::string(plate).rfind('f'));
  const CommandResult open = run(reduce + " --voxel-mass keep -o no.qrt");
  EXPECT_EQ(open.exit_code, 1);
  EXPECT_NE(open.errors.find("encloses no volume"), std::string::npos) << open.errors;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "no.qrt"));
  EXPECT_NE(run("info plate.obj --voxels 20").errors.find("its cavities are filled"), std::string::npos);
}

TEST_F(VoxelsCommand, CavitiesAreTold) {
  std::ofstream nested(folder_ / "nested.obj");
  nested << cube;
  for (int v = 0; v < 8; ++v)
    nested << "v " << ((v & 1) != 0 ? 0.8 : 0.2) << ' ' << ((v & 2) != 0 ? 0.8 : 0.2) << ' '
           << ((v & 4) != 0 ? 0.8 : 0.2) << '\n';
  nested << "f 10 12 11 9\nf 15 16 14 13\nf 13 14 10 9\nf 12 16 15 11\nf 11 15 13 9\nf 14 16 12 10\n";
  nested.close();
  const CommandResult info = run("info nested.obj --voxels 10");
  EXPECT_NE(info.output.find("784 voxels of 0.1 m"), std::string::npos) << info.output;
  EXPECT_NE(info.output.find("216 left empty in cavities"), std::string::npos) << info.output;
  EXPECT_EQ(info.errors.find("the voxels hold"), std::string::npos) << info.errors;
  EXPECT_EQ(run("info nested.obj --voxels 10 --json").json()["voxels"]["cavity_voxels"], 216);
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
