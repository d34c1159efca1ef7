// The command line's checks of meshes: `info`, --strict and --weld.
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "quartic/quartic.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;
using test::run_quartic;

/// A folder with a small beam and its model, made once.
class MeshCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    ASSERT_EQ(run("make beam --resolution 10 -o beam.veg").exit_code, 0);
    ASSERT_EQ(run("reduce beam.veg --fix beam.bou --modes 4 --rank 8 -o beam.qrt").exit_code, 0);
  }
  static void TearDownTestSuite() { delete folder_; }
  static CommandResult run(const std::string& arguments) { return run_quartic(folder_->path(), arguments); }

  static inline test::TemporaryFolder* folder_ = nullptr;
};

TEST_F(MeshCommand, InfoTellsOfAMesh) {
  const auto report = run("info beam.veg --json").json();
  EXPECT_EQ(report["vertices"], 11 * 3 * 3);
  EXPECT_EQ(report["elements"]["hex8"], 40);
  EXPECT_EQ(report["skipped"], nlohmann::json::object());
  EXPECT_EQ(report["components"], 1);
  EXPECT_EQ(report["regions"], 1);
  EXPECT_NEAR(report["volume"].get<double>(), 0.008, 1e-15);
  EXPECT_NEAR(report["mass"].get<double>(), 8, 1e-12);
  EXPECT_TRUE(report["fixed_sets"].is_object());
  EXPECT_EQ(report["warnings"], nlohmann::json::array());
}

TEST_F(MeshCommand, InfoTellsWhatAReductionTakes) {
  const auto report = run("info beam.veg --json").json();
  EXPECT_GT(report["estimate"]["seconds"].get<double>(), 0.01);
  EXPECT_GT(report["estimate"]["bytes"].get<double>(), 1e7);
  EXPECT_EQ(report["estimate"]["modes"], 20);
  EXPECT_EQ(report["estimate"]["rank"], 30);
  const CommandResult text = run("info beam.veg");
  EXPECT_NE(text.output.find("for 20 modes, rank 30"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("problems        none found"), std::string::npos) << text.output;
}

// A pipe is refused before anybody waits for its other end.
TEST_F(MeshCommand, PipesAreRefused) {
  ASSERT_EQ(mkfifo((*folder_ / "pipe").c_str(), 0600), 0);
  for (const char* command : {"info pipe", "simulate pipe -o x.csv", "convert pipe x.msh"}) {
    const CommandResult result = run(command);
    EXPECT_EQ(result.exit_code, 1) << command;
    EXPECT_NE(result.errors.find("it is a pipe"), std::string::npos) << result.errors;
  }
}

/// A cube's vertices x + {0, 1}, y and z in {0, 1}.
std::string cube_vertices(int first, double x) {
  std::string text;
  for (int i = 0; i < 8; ++i)
    text += std::to_string(first + i) + ' ' + std::to_string(x + i / 4) + ' ' + std::to_string(i / 2 % 2) + ' ' +
            std::to_string(i % 2) + '\n';
  return text;
}

/// Two cubes that touch at x = 1 on vertices of their own: 5 to 8 and 9 to 12. One more vertex, 17, is in none.
std::string touching_cubes() {
  return "*VERTICES\n17 3\n" + cube_vertices(1, 0) + cube_vertices(9, 1) +
         "17 0.5 0.5 0.5\n*ELEMENTS\nCUBIC\n2 8\n1 1 5 7 3 2 6 8 4\n2 9 13 15 11 10 14 16 12\n"
         "*MATERIAL m\nENU, 1000, 1e6, 0.3\n*REGION\nallElements, m\n";
}

TEST_F(MeshCommand, InfoFindsPartsThatOnlyTouch) {
  std::ofstream(*folder_ / "cubes.veg") << touching_cubes();
  const CommandResult found = run("info cubes.veg --json");
  ASSERT_EQ(found.exit_code, 0) << found.errors;
  const auto report = found.json();
  EXPECT_EQ(report["components"], 2);
  EXPECT_EQ(report["coincident_vertices"], 4);
  EXPECT_EQ(report["coincident_between_components"], 4);
  EXPECT_EQ(report["repeated_elements"], 0);
  EXPECT_EQ(report["slivers"], 0);
  EXPECT_EQ(report["worst_element"], 0);
  EXPECT_EQ(report["unreferenced_vertices"], 1);
  EXPECT_EQ(report["welded_vertices"], nullptr);
  EXPECT_EQ(report["warnings"].size(), 3U);
  EXPECT_NE(run("info cubes.veg").errors.find("join them with --weld"), std::string::npos);

  const auto welded = run("info cubes.veg --weld --json").json();
  EXPECT_EQ(welded["components"], 1);
  EXPECT_EQ(welded["coincident_vertices"], 0);
  EXPECT_EQ(welded["welded_vertices"], 4);
  EXPECT_EQ(welded["vertices"], 13);
  for (const char* option : {"--weld 1e-3", "--weld=1e-3"})
    EXPECT_EQ(run(std::string("info cubes.veg --json ") + option).json()["welded_vertices"], 4) << option;
  EXPECT_EQ(run("info --weld cubes.veg --json").exit_code, 2);  // which is taken for the tolerance
  EXPECT_NE(run("info --weld cubes.veg --json").errors.find("write MESH before --weld"), std::string::npos);
  EXPECT_EQ(run("info cubes.veg --weld -1").exit_code, 2);
  const CommandResult coarse = run("info cubes.veg --weld 1.1");
  EXPECT_EQ(coarse.exit_code, 1);
  EXPECT_NE(coarse.errors.find("use a smaller tolerance"), std::string::npos) << coarse.errors;
}

TEST_F(MeshCommand, StrictInfoFailsWithAllProblems) {
  std::ofstream(*folder_ / "cubes.veg") << touching_cubes();
  EXPECT_EQ(run("info beam.veg --strict").exit_code, 0);
  for (const char* json : {"", " --json"}) {
    const CommandResult result = run(std::string("info cubes.veg --strict") + json);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.output.find("components"), std::string::npos);  // the report is there all the same
    for (const char* problem : {"cubes.veg has 3 problems:", "1 vertex belongs to no element", "share no vertex",
                                "4 vertices of one part lie at the place of another part's"})
      EXPECT_NE(result.errors.find(problem), std::string::npos) << result.errors;
  }
  EXPECT_EQ(run("info beam.qrt --strict").exit_code, 1);
}

// The files name vertices as the mesh file does, whatever becomes of them.
TEST_F(MeshCommand, WeldedCubesAreOneBody) {
  std::ofstream(*folder_ / "cubes.veg") << touching_cubes();
  std::ofstream(*folder_ / "cubes.bou") << "1,2,3,4";
  const auto rigid_modes = [](const std::string& options) {
    const CommandResult result = run("reduce cubes.veg --modes 2 --rank 2 -o cubes.qrt --json " + options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.json()["rigid_modes"].get<int>();
  };
  EXPECT_EQ(rigid_modes("--fix cubes.bou"), 6);  // the second cube is free
  EXPECT_EQ(rigid_modes("--fix cubes.bou --weld"), 0);
  EXPECT_EQ(load_model(*folder_ / "cubes.qrt").mesh.vertex_count(), 12);
  EXPECT_EQ(load_model(*folder_ / "cubes.qrt").fixed_vertices, (std::vector<std::int32_t>{0, 1, 2, 3}));

  // Vertices 8 to 11 (0-based) are the second cube's at x = 1, of which the lowest numbers are 4 to 7.
  std::ofstream(*folder_ / "second.bou") << "9,10,11,12";
  EXPECT_EQ(rigid_modes("--fix second.bou --weld"), 0);
  EXPECT_EQ(load_model(*folder_ / "cubes.qrt").fixed_vertices, (std::vector<std::int32_t>{4, 5, 6, 7}));

  // A force on either vertex of a welded pair is the same force; one on the last vertex finds it behind the weld.
  const auto rest = [](const std::string& force) {
    const CommandResult result =
        run("solve cubes.veg --fix cubes.bou --weld --static --force " + force + " -o cubes.qsnap");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return load_snapshots(*folder_ / "cubes.qsnap").displacements.values;
  };
  EXPECT_EQ(rest("7,0,0,9"), rest("11,0,0,9"));
  const std::vector<double> pushed = rest("15,0,0,9");
  ASSERT_EQ(pushed.size(), 36U);
  EXPECT_EQ(std::max_element(pushed.begin(), pushed.end()) - pushed.begin(), 3 * 11 + 2);
  const CommandResult unused = run("solve cubes.veg --fix cubes.bou --weld --static --force 16,0,0,9 -o cubes.qsnap");
  EXPECT_EQ(unused.exit_code, 1);
  EXPECT_NE(unused.errors.find("vertex 16 belongs to no element"), std::string::npos) << unused.errors;
}

TEST_F(MeshCommand, StrictCommandsRefuseWhatTheyWouldRepair) {
  std::ofstream(*folder_ / "cubes.veg") << touching_cubes();
  // The second of two tetrahedra has the wrong winding.
  std::ofstream(*folder_ / "tets.veg") << "*VERTICES\n5 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n"
                                          "*ELEMENTS\nTET\n2 4\n1 1 2 3 4\n2 1 2 3 5\n"
                                          "*MATERIAL m\nENU, 1000, 1e6, 0.3\n*REGION\nallElements, m\n";
  std::ofstream(*folder_ / "push.csv") << "time,vertex,fx,fy,fz\n0,3,0,0,1\n";
  for (const char* command : {"reduce", "modes", "solve --static --force 3,0,0,1", "sketch --forces push.csv"}) {
    const std::string output = std::string(command).starts_with("solve") ? " -o strict.qsnap" : " -o strict.qrt";
    const CommandResult tets = run(std::string(command) + " --free --strict tets.veg" + output);
    EXPECT_EQ(tets.exit_code, 1) << command;
    EXPECT_NE(tets.errors.find("tets.veg: 1 of 2 tets has the wrong winding (first: element 1, counted from 0)"),
              std::string::npos)
        << tets.errors;
    const CommandResult cubes = run(std::string(command) + " --free --strict cubes.veg" + output);
    EXPECT_EQ(cubes.exit_code, 1) << command;
    EXPECT_NE(cubes.errors.find("1 of 17 vertices belongs to no element"), std::string::npos) << cubes.errors;
  }
  EXPECT_EQ(run("modes beam.veg --fix beam.bou --strict --modes 1 -o strict.qrt").exit_code, 0);
}

// Files on which other programs stumbled: what is told of them, and what becomes of them when they are used.
TEST_F(MeshCommand, TrickyFilesBehaveAsTheLogSays) {
  QUARTIC_NEED_DATA(folder, "tricky");
  const auto command = [&](const std::string& arguments) { return run_quartic(folder, arguments); };
  const auto info = [&](const std::string& name) {
    const CommandResult result = command("info --json " + name);
    EXPECT_EQ(result.exit_code, 0) << name << result.errors;
    return result.json();
  };
  const std::string output = " --json -o '" + (*folder_ / "tricky.qrt").string() + "' ";

  const auto beam = info("b27_free_beam.veg");
  EXPECT_EQ(beam["vertices"], 20);
  EXPECT_EQ(beam["elements"]["tet4"], 24);
  EXPECT_EQ(command("info --strict b27_free_beam.veg").exit_code, 0);

  for (const auto& [list, message] : {std::pair("b29_zero.bou", "entry 1 is 0, but fixed vertices are 1..8"),
                                      {"b29_too_big.bou", "entry 4 is 9, but the mesh has 8 vertices"},
                                      {"b29_text.bou", "entry 3 'x' is not an integer"}}) {
    const CommandResult refused =
        command("modes b29_fixed_out_of_range.veg --fix " + std::string(list) + " --modes 2" + output);
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_NE(refused.errors.find(message), std::string::npos) << refused.errors;
  }
  const CommandResult tolerant =
      command("modes b29_fixed_out_of_range.veg --fix b29_duplicates_tabs.bou --modes 12" + output);
  ASSERT_EQ(tolerant.exit_code, 0) << tolerant.errors;
  EXPECT_EQ(tolerant.json()["fixed_vertices"], 4);
  EXPECT_EQ(tolerant.json()["eigenvalues"].size(), 12U);  // as many as free degrees of freedom

  for (const auto& [name, inverted] :
       {std::pair("b31_all_inverted.veg", "5 of 5 "), {"b31b_mixed_orientation.veg", "3 of 5 "}}) {
    const auto report = info(name);
    EXPECT_NEAR(report["volume"].get<double>(), 1, 1e-15);
    EXPECT_NEAR(report["mass"].get<double>(), 1000, 1e-12);
    EXPECT_EQ(report["first_inverted"], 0);
    const std::string modes = "modes " + std::string(name) + " --fix-box 0,0,0,1,1,0 --modes 3" + output;
    const CommandResult repaired = command(modes);
    EXPECT_EQ(repaired.exit_code, 0) << repaired.errors;
    EXPECT_NE(repaired.errors.find(std::string(inverted) + "elements had negative volume and were reoriented"),
              std::string::npos)
        << repaired.errors;
    const CommandResult strict = command(modes + "--strict");
    EXPECT_EQ(strict.exit_code, 1);
    EXPECT_NE(strict.errors.find(std::string(inverted) + "tets have the wrong winding (first: element 0, counted"),
              std::string::npos)
        << strict.errors;
  }

  const auto crossed = info("b33_nonconforming.veg");
  EXPECT_EQ(crossed["vertices"], 12);
  EXPECT_EQ(crossed["elements"]["tet4"], 10);
  EXPECT_EQ(crossed["interface_triangles"], 4);
  EXPECT_EQ(info("b35_scale_1e-4.veg")["degenerate"], 0);
  EXPECT_EQ(info("b35_scale_1e-4.veg")["slivers"], 0);
  EXPECT_NE(info("b35b_mm_offset_1e6.veg")["hints"][0].get<std::string>().find("millimetres"), std::string::npos);
  EXPECT_EQ(info("b41_tet10.msh")["elements"]["tet10"], 1);

  EXPECT_EQ(info("b43_region_overlap_gap.veg")["elements_without_region"], 1);
  const CommandResult strict = command("info --strict b43_region_overlap_gap.veg");
  EXPECT_EQ(strict.exit_code, 1);
  for (const char* problem : {"1 element is in more than one region", "1 element belongs to no region"})
    EXPECT_NE(strict.errors.find(problem), std::string::npos) << strict.errors;
  EXPECT_EQ(command("modes b43_region_overlap_gap.veg --free --modes 2" + output).exit_code, 1);
}

}  // namespace
}  // namespace quartic
