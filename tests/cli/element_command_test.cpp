// The command line's way with elements: folded ones, linear ones that lock, quadratic ones on request, and vertices
// that are selected by where they are.
#include <cmath>
#include <fstream>
#include <numbers>
#include <string>

#include "quartic/quartic.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;
using test::run_quartic;

/// A folder with a plate of hex8, thin and in one layer, and a tet10 whose middle vertex is too near to a corner.
class ElementCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    VolumeMesh plate = make_box({.length = 0.3,
                                 .width = 0.2,
                                 .height = 0.01,
                                 .cells_x = 3,
                                 .cells_y = 2,
                                 .cells_z = 1,
                                 .material = {1e7, 0.3, 1000}})
                           .mesh;
    plate.vertex_sets["end"] = vertices_in_box(plate, {0.3, -1, -1, 0.3, 1, 1});
    write_gmsh(plate, *folder_ / "plate.msh");
    write_veg(plate, *folder_ / "plate.veg");
    write_fixed_vertices(vertices_in_box(plate, {0, -1, -1, 0, 1, 1}), *folder_ / "plate.bou");
    std::ofstream(*folder_ / "folded.inp") << "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n5, 0.77, 0, 0\n"
                                              "6, 0.5, 0.5, 0\n7, 0, 0.5, 0\n8, 0, 0, 0.5\n9, 0.5, 0, 0.5\n"
                                              "10, 0, 0.5, 0.5\n*ELEMENT, TYPE=C3D10, ELSET=E\n"
                                              "1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10\n*SOLID SECTION, ELSET=E, MATERIAL=M\n"
                                              "*MATERIAL, NAME=M\n*ELASTIC\n1e5, 0.3\n*DENSITY\n1000\n";
  }
  static void TearDownTestSuite() { delete folder_; }
  static CommandResult run(const std::string& arguments) { return run_quartic(folder_->path(), arguments); }

  static inline test::TemporaryFolder* folder_ = nullptr;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// ---- folded elements -------------------------------------------------------------------------------------------

TEST_F(ElementCommand, FoldedElementsAreToldByAllInTheSameWords) {
  const auto report = run("info folded.inp --json").json();
  EXPECT_EQ(report["folded"], 1);
  EXPECT_EQ(report["first_folded"], 0);
  EXPECT_NEAR(report["fold_ratio"].get<double>(), (3 - 4 * 0.77) / (4 * 0.77 - 1), 1e-8);  // at the edge's end
  EXPECT_NEAR(report["fold_place"][0].get<double>(), 1, 1e-6);
  ASSERT_EQ(report["warnings"].size(), 1U);
  const auto told = report["warnings"][0].get<std::string>();
  EXPECT_TRUE(has(told, "1 of 1 elements is folded (first: element 0, counted from 0")) << told;
  for (const char* command :
       {"info folded.inp", "modes folded.inp --free --modes 2 -o x.qrt",
        "reduce folded.inp --free --modes 2 --rank 2 -o x.qrt", "solve folded.inp --free --steps 1 -o x.qsnap"}) {
    const CommandResult result = run(command);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_TRUE(has(result.errors, "warning: " + told)) << command << result.errors;
    const CommandResult strict = run(std::string(command) + " --strict");
    EXPECT_EQ(strict.exit_code, 1) << command;
    EXPECT_TRUE(has(strict.errors, told)) << strict.errors;
  }
}

// ---- vertices in a box -----------------------------------------------------------------------------------------

TEST_F(ElementCommand, BoxesHaveATolerance) {
  const std::string modes = "modes plate.veg --modes 1 --json -o x.qrt ";
  const auto lowest = [&](const std::string& fixed) {
    return run(modes + fixed).json()["eigenvalues"][0].get<double>();
  };
  const double expected = lowest("--fix plate.bou");
  EXPECT_NEAR(lowest("--fix-box=-1e-9,0,0,-1e-9,0.2,0.01"), expected, 1e-9 * expected);
  const CommandResult none = run(modes + "--fix-box=-0.001,0,0,-0.001,0.2,0.01");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_TRUE(has(none.errors,
                  "has no vertex of the mesh in it; the nearest one, at 0, 0, 0, is 0.001 m outside: give "
                  "another box, or --fix-tolerance 0.0011"))
      << none.errors;
  EXPECT_NEAR(lowest("--fix-box=-0.001,0,0,-0.001,0.2,0.01 --fix-tolerance 0.0011"), expected, 1e-9 * expected);
  EXPECT_EQ(run(modes + "--fix-box=0,0,0,1,1,1 --fix-tolerance -1").exit_code, 2);
  EXPECT_EQ(run(modes + "--fix-tolerance 1").exit_code, 2);
}

TEST_F(ElementCommand, VerticesJustOutsideABoxAreTold) {
  const CommandResult result = run("modes plate.veg --modes 1 --json -o x.qrt --fix-box=0,0,0,0,0.1995,0.01");
  const auto report = result.json();
  ASSERT_EQ(report["warnings"].size(), 1U) << result.errors;
  EXPECT_TRUE(
      has(report["warnings"][0].get<std::string>(),
          "4 are in it, but 2 vertices lie just outside, by up to 0.0005 m; --fix-tolerance 0.00051 fixes them"))
      << report["warnings"];
  EXPECT_TRUE(run("modes plate.veg --modes 1 --json -o x.qrt --fix-box=0,0,0,0,0.1995,0.01 --fix-tolerance 0.00051")
                  .json()["warnings"]
                  .empty());
}

// ---- locking and quadratic elements ----------------------------------------------------------------------------

TEST_F(ElementCommand, LockingGetsAHintWithItsMeasure) {
  const auto report = run("info plate.veg --json").json();
  EXPECT_EQ(report["hints"].size(), 1U);
  EXPECT_NEAR(report["locking"]["thickness"].get<double>(), 0.01, 1e-12);
  EXPECT_NEAR(report["locking"]["elements_across"].get<double>(), 1, 1e-9);
  const double ratio = report["locking"]["frequency_ratio"].get<double>();
  EXPECT_GT(ratio, 5);
  EXPECT_EQ(run("info plate.veg --strict").exit_code, 0) << "a hint is no warning";
  const auto hint = report["hints"][0].get<std::string>();
  EXPECT_TRUE(has(hint, "--quadratic makes them quadratic")) << hint;
  for (const std::string command : {"modes plate.veg --fix plate.bou --modes 1 -o x.qrt",
                                    "reduce plate.veg --fix plate.bou --modes 1 --rank 1 -o x.qrt",
                                    "solve plate.veg --fix plate.bou --steps 1 -o x.qsnap"}) {
    EXPECT_TRUE(has(run(command).errors, "hint: " + hint)) << command;
    EXPECT_EQ(run(command + " --json").json()["hints"], report["hints"]) << command;
    const auto quadratic = run(command + " --json --quadratic").json();
    EXPECT_TRUE(quadratic["hints"].empty()) << quadratic["hints"];
  }
}

TEST_F(ElementCommand, QuadraticElementsAreMadeOnRequest) {
  const std::string modes = "modes plate.veg --modes 1 --json -o x.qrt ";
  const auto frequency = [&](const std::string& options) {
    return run(modes + options).json()["frequencies"][0].get<double>();
  };
  const VolumeMesh mesh = read_mesh(*folder_ / "plate.veg");
  const VolumeMesh quadratic = make_quadratic(mesh);
  const auto fixed = vertices_in_box(quadratic, {0, -1, -1, 0, 1, 1});
  const double expected =
      std::sqrt(reduce(quadratic, fixed, {.modes = 1, .energy = false}).eigenvalues[0]) / (2 * std::numbers::pi);
  EXPECT_GT(frequency("--fix plate.bou"), 5 * expected);
  // A list has corners alone: the middles between them are fixed, too, as a box fixes them.
  for (const char* options :
       {"--quadratic --fix plate.bou", "--quadratic --fix-box=0,0,0,0,1,1", "--weld --quadratic --fix plate.bou"})
    EXPECT_NEAR(frequency(options), expected, 1e-8 * expected) << options;
  EXPECT_NEAR(run("modes plate.msh --youngs-modulus 1e7 --poissons-ratio 0.3 --density 1000 --modes 1 --json -o x.qrt "
                  "--quadratic --fix-set end")
                  .json()["frequencies"][0]
                  .get<double>(),
              expected, 1e-8 * expected);
  const CommandResult told = run(modes + "--quadratic --fix plate.bou");
  EXPECT_TRUE(has(told.errors, "--quadratic made 46 vertices in the middle of edges, numbered from 24")) << told.errors;
}

// Forces name the file's vertices, and behind them the new ones.
TEST_F(ElementCommand, VertexNumbersOfTheFileStay) {
  const std::string solve = "solve plate.veg --fix plate.bou --static --quadratic -o x.qsnap --force ";
  EXPECT_EQ(run(solve + "23,0,0,-0.01").exit_code, 0);
  EXPECT_EQ(run(solve + "69,0,0,-0.01").exit_code, 0);
  const CommandResult beyond = run(solve + "70,0,0,-0.01");
  EXPECT_EQ(beyond.exit_code, 1);
  EXPECT_TRUE(has(beyond.errors, "the mesh has vertices 0 to 69")) << beyond.errors;
  EXPECT_EQ(load_snapshots(*folder_ / "x.qsnap").displacements.rows, 3 * 70);
}

TEST_F(ElementCommand, InfoAndConvertMakeThemToo) {
  const auto report = run("info plate.msh --quadratic --json").json();
  EXPECT_EQ(report["elements"]["hex20"], 6);
  EXPECT_EQ(report["fixed_sets"]["end"], 13);
  EXPECT_TRUE(report["locking"].is_null());
  EXPECT_TRUE(report["hints"].empty());
  EXPECT_EQ(run("convert plate.msh quadratic.msh --quadratic").exit_code, 0);
  const VolumeMesh mesh = read_mesh(*folder_ / "quadratic.msh");
  EXPECT_EQ(mesh.blocks.at(0).type, ElementType::hex20);
  EXPECT_EQ(mesh.vertex_sets.at("end").size(), 13U);
  EXPECT_TRUE(has(run("info quadratic.msh --quadratic").output, "nothing: elements are quadratic already"));
  EXPECT_EQ(run("modes plate.veg --fix plate.bou --modes 1 -o plate.qrt").exit_code, 0);
  EXPECT_EQ(run("convert plate.qrt x.vtu --quadratic").exit_code, 2);
}

}  // namespace
}  // namespace quartic
