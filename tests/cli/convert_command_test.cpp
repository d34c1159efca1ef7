// `quartic convert`, and what `simulate` and `solve` write for ParaView.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <set>
#include <thread>

#include "quartic/quartic.hpp"
#include "support/command.hpp"
#include "support/vtu_document.hpp"

namespace quartic {
namespace {

using test::Case;
using test::CommandResult;
using test::file_text;
using test::run_quartic;
using test::VtuDocument;

// Two tetrahedra in two named groups, the second turned inside out, a set, and a vertex that no element uses.
const std::string gmsh_text =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"wall\"\n3 5 \"left\"\n3 9 "
    "\"right\"\n$EndPhysicalNames\n"
    "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n6 7 7 7\n$EndNodes\n"
    "$Elements\n3\n1 2 2 1 1 1 2 3\n2 4 2 5 1 1 2 3 4\n3 4 2 9 1 3 2 4 5\n$EndElements\n";

class Convert : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    ASSERT_EQ(run("make beam --resolution 10 -o beam.veg").exit_code, 0);
    ASSERT_EQ(run("reduce beam.veg --fix beam.bou --modes 4 --rank 6 -o beam.qrt").exit_code, 0);
    ASSERT_EQ(run("modes beam.veg --fix beam.bou --modes 3 -o modes.qrt").exit_code, 0);
    std::ofstream(*folder_ / "pair.msh") << gmsh_text;
    std::ofstream(*folder_ / "damaged.msh") << gmsh_text.substr(0, 150);
    std::ofstream(*folder_ / "pair.json") << R"({"left": {"youngs_modulus": 1e5, "poissons_ratio": 0.3, "density": 10},
      "right": {"youngs_modulus": 3e5, "poissons_ratio": 0.4, "density": 20}})";
  }
  static void TearDownTestSuite() { delete folder_; }
  static CommandResult run(const std::string& arguments, const std::string& before = "") {
    return run_quartic(folder_->path(), arguments, before);
  }
  static std::set<std::string> files() { return test::files_below(folder_->path()); }
  static inline test::TemporaryFolder* folder_ = nullptr;
};

TEST_F(Convert, ExitCodesTellWhatKindOfErrorItWas) {
  const std::array cases = {
      Case{"convert --help", 0, "--binary"},
      Case{"convert", 2, "INPUT"},
      Case{"convert beam.veg", 2, "OUTPUT"},
      Case{"convert beam.veg x.obj", 2, ".msh, .vtu, .veg"},
      Case{"convert beam.veg x", 2, ".msh, .vtu, .veg"},
      Case{"convert missing.veg x.msh", 1, "missing.veg"},
      Case{"convert damaged.msh x.vtu", 1, "damaged.msh:"},
      Case{"convert beam.veg missing/x.msh", 1, "missing"},
      Case{"convert beam.veg beam.veg", 2, "overwrite"},
      Case{"convert beam.veg ./beam.veg", 2, "overwrite"},
      Case{"convert beam.veg x.vtu --binary", 2, "--binary"},
      Case{"convert pair.msh x.veg", 1, "--youngs-modulus"},
      Case{"convert pair.msh x.veg --density 3", 1, "left"},
      Case{"convert pair.msh x.veg --materials missing.json", 1, "missing.json"},
      Case{"convert beam.qrt x.vtu --density 3", 2, "material"},
      Case{"simulate beam.qrt -o missing/x.pvd", 1, "missing"},
      Case{"simulate beam.qrt -o pair.pvd", 1, "'pair'"},
  };
  std::ofstream(*folder_ / "pair") << "where a folder of frames should go";
  const auto before = files();
  for (const Case& c : cases) {
    const CommandResult result = run(c.arguments);
    EXPECT_EQ(result.exit_code, c.exit_code) << c.arguments << '\n' << result.errors;
    EXPECT_NE((result.output + result.errors).find(c.message), std::string::npos) << c.arguments << '\n'
                                                                                  << result.output << result.errors;
  }
  EXPECT_EQ(files(), before);
  std::filesystem::remove(*folder_ / "pair");
}

// A file that the input includes isn't named, but is lost all the same.
TEST_F(Convert, WhatTheInputIncludesIsKept) {
  const std::string whole = test::file_text(*folder_ / "beam.veg");
  std::ofstream(*folder_ / "part.veg") << whole;
  std::ofstream(*folder_ / "main.veg") << "*INCLUDE part.veg\n";
  for (const char* arguments : {"convert main.veg part.veg", "convert main.veg ./part.veg"}) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_NE(result.errors.find("would overwrite 'part.veg'"), std::string::npos) << result.errors;
  }
  EXPECT_EQ(test::file_text(*folder_ / "part.veg"), whole);
  EXPECT_EQ(run("convert main.veg other.veg").exit_code, 0);
  for (const char* file : {"part.veg", "main.veg", "other.veg"}) std::filesystem::remove(*folder_ / file);
}

// Around through all formats, the mesh stays what it is: inverted elements and unused vertices too.
TEST_F(Convert, MeshesGoRound) {
  const VolumeMesh first = read_mesh(*folder_ / "pair.msh");
  ASSERT_EQ(first.vertex_count(), 6);
  const CommandResult to_veg = run("convert pair.msh pair.veg --materials pair.json --json");
  ASSERT_EQ(to_veg.exit_code, 0) << to_veg.errors;
  const nlohmann::json report = to_veg.json();
  EXPECT_EQ(report["kind"], "mesh");
  EXPECT_EQ(report["vertices"], 6);
  EXPECT_EQ(report["elements"], (nlohmann::json{{"tet4", 2}}));
  EXPECT_EQ(report["regions"], 2);
  EXPECT_EQ(report["vertex_sets"], 1);
  EXPECT_EQ(report["skipped"], (nlohmann::json{{"tri", 1}}));
  EXPECT_EQ(report["files"], (nlohmann::json{"pair.veg"}));
  ASSERT_EQ(report["warnings"].size(), 1U);
  EXPECT_NE(report["warnings"][0].get<std::string>().find("vertex sets"), std::string::npos);
  EXPECT_NE(to_veg.errors.find("warning: a .veg file can't hold vertex sets"), std::string::npos);
  ASSERT_EQ(run("convert pair.veg back.msh").exit_code, 0);
  ASSERT_EQ(run("convert pair.msh sets.msh").exit_code, 0);
  for (const char* name : {"pair.veg", "back.msh", "sets.msh"}) {
    const VolumeMesh mesh = read_mesh(*folder_ / name);
    EXPECT_EQ(mesh.vertices, first.vertices) << name;
    EXPECT_EQ(mesh.blocks[0].vertices, first.blocks[0].vertices) << name;
    EXPECT_EQ(mesh.element_region, first.element_region) << name;
    ASSERT_EQ(mesh.regions.size(), 2U) << name;
    EXPECT_EQ(mesh.regions[1].name, "right") << name;
  }
  EXPECT_EQ(read_mesh(*folder_ / "pair.veg").regions[1].material->density, 20);
  EXPECT_EQ(read_mesh(*folder_ / "sets.msh").vertex_sets, first.vertex_sets);
  EXPECT_EQ(run("convert pair.msh pair.veg --materials pair.veg").exit_code, 2);
}

TEST_F(Convert, LossesAreWarnings) {
  const CommandResult result = run("convert beam.veg beam.msh");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.errors.find("warning: a .msh file can't hold materials"), std::string::npos) << result.errors;
  EXPECT_NE(result.output.find("beam.msh: from the mesh beam.veg"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("0 vertex sets"), std::string::npos) << result.output;
  EXPECT_EQ(run("convert beam.veg binary.msh --binary").exit_code, 0);
  EXPECT_TRUE(file_text(*folder_ / "binary.msh").starts_with("$MeshFormat\n4.1 1 8\n"));
}

TEST_F(Convert, MaterialsAreOptional) {
  EXPECT_EQ(run("convert pair.msh plain.vtu").exit_code, 0);
  EXPECT_FALSE(VtuDocument(*folder_ / "plain.vtu").has("density"));
  EXPECT_EQ(run("convert pair.msh full.vtu --youngs-modulus 1e6 --poissons-ratio 0.25 --density 7").exit_code, 0);
  const VtuDocument vtu(*folder_ / "full.vtu");
  EXPECT_EQ(vtu.values<double>("density"), (std::vector<double>{7, 7}));
  EXPECT_EQ(vtu.values<std::uint8_t>("wall"), (std::vector<std::uint8_t>{1, 1, 1, 0, 0, 0}));
}

TEST_F(Convert, ModelsBecomeModesAndBasis) {
  const CommandResult result = run("convert beam.qrt model.vtu --json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.json()["kind"], "model");
  EXPECT_EQ(result.json()["modes"], 4);
  EXPECT_EQ(result.json()["rank"], 6);
  EXPECT_TRUE(result.json()["warnings"].empty());
  const ReducedModel model = load_model(*folder_ / "beam.qrt");
  const VtuDocument vtu(*folder_ / "model.vtu");
  const auto basis = model.basis.col(5);
  EXPECT_EQ(vtu.values<double>("basis_06"), std::vector<double>(basis.begin(), basis.end()));
  EXPECT_NE(vtu.text.find("Name=\"mode_04 ("), std::string::npos);
  EXPECT_EQ(vtu.values<double>("Points"), model.mesh.vertices);

  EXPECT_EQ(run("convert modes.qrt modes.vtu").exit_code, 0);
  EXPECT_FALSE(VtuDocument(*folder_ / "modes.vtu").has("basis_01"));
  const CommandResult mesh = run("convert beam.qrt model.msh");
  EXPECT_EQ(mesh.exit_code, 0);
  EXPECT_NE(mesh.errors.find("only the model's mesh"), std::string::npos) << mesh.errors;
  EXPECT_EQ(read_mesh(*folder_ / "model.msh").vertex_sets.at("fixed"), model.fixed_vertices);
}

TEST_F(Convert, SimulationsBecomeSeries) {
  const std::string options = "simulate beam.qrt --gravity 0,0,-9.81 --steps 5 --dt 0.02 --bodies 2 ";
  ASSERT_EQ(run(options + "-o swing.pvd -o swing.qtraj").exit_code, 0);
  const Trajectory trajectory = load_trajectory(*folder_ / "swing.qtraj");
  const ReducedModel model = load_model(*folder_ / "beam.qrt");
  const std::string list = file_text(*folder_ / "swing.pvd");
  EXPECT_NE(list.find("timestep=\"0.1\" group=\"\" part=\"0\" file=\"swing/swing_0005.vtu\""), std::string::npos)
      << list;
  const auto u = VtuDocument(*folder_ / "swing/swing_0005.vtu").values<double>("displacement");
  const Eigen::VectorXd expected =
      model.basis.map() * Eigen::Map<const Eigen::VectorXd>(trajectory.q.data() + 5 * 2 * 6, 6);
  ASSERT_EQ(std::ssize(u), expected.size());
  double largest = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    largest = std::max(largest, std::abs(u[i]));
    EXPECT_NEAR(u[i], expected[static_cast<Eigen::Index>(i)], 1e-15);  // six products of numbers below one
  }
  EXPECT_GT(largest, 1e-3);

  // The unreduced body's, at rest under its weight: one frame, the snapshot itself.
  ASSERT_EQ(run("solve beam.veg --fix beam.bou --static --gravity 0,0,-1 -o rest.pvd").exit_code, 0);
  ASSERT_EQ(run("solve beam.veg --fix beam.bou --static --gravity 0,0,-1 -o rest.qsnap").exit_code, 0);
  const auto rest = load_snapshots(*folder_ / "rest.qsnap").displacements.values;
  EXPECT_EQ(VtuDocument(*folder_ / "rest/rest_0000.vtu").values<double>("displacement"), rest);
}

// A file size limit stands in for a full disk.
TEST_F(Convert, AFullDiskIsAnErrorAndLeavesNothing) {
  const auto before = files();
  for (const std::string arguments : {"convert beam.veg large.msh", "convert beam.qrt large.vtu",
                                      "simulate beam.qrt --gravity 0,0,-1 --steps 3 -o large.pvd"}) {
    const CommandResult result = run(arguments, "ulimit -f 2;");
    EXPECT_EQ(result.exit_code, 1) << result.errors;
    EXPECT_NE(result.errors.find("large"), std::string::npos) << result.errors;
    EXPECT_EQ(files(), before);
  }
}

TEST_F(Convert, StoppedWhileItWritesFramesItLeavesNothing) {
  const auto before = files();
  const std::string command = test::command_path(), folder = folder_->path().string();
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    if (chdir(folder.c_str()) == 0)
      execl(command.c_str(), command.c_str(), "simulate", "beam.qrt", "--steps", "9000", "-o", "long.pvd", nullptr);
    _exit(127);
  }
  const auto has_frames = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".part") return std::filesystem::exists(entry.path() / "long_0003.vtu");
    return false;
  };
  int status = 0;
  while (!has_frames() && waitpid(child, &status, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(kill(child, SIGINT), 0);
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130) << status;
  EXPECT_EQ(files(), before);
}

// VTK, meshio and Gmsh read what is written, where QUARTIC_TEST_PYTHON is a Python that has them
// (pip install vtk meshio gmsh).
TEST_F(Convert, OtherProgramsReadIt) {
  const char* python = std::getenv("QUARTIC_TEST_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "QUARTIC_TEST_PYTHON isn't set: no other programs";
  const test::TemporaryFolder out;
  VolumeMesh mesh;
  std::int32_t vertex = 0;
  for (int t = 0; t < element_type_count; ++t) {
    ElementBlock& block = mesh.blocks.emplace_back();
    block.type = static_cast<ElementType>(t);
    for (int n = 2 * element_vertex_count(block.type); n > 0; --n) block.vertices.push_back(vertex++);
    // Gmsh lists elements of one order per volume: linear ones are region 0, quadratic ones region 1.
    mesh.element_region.insert(mesh.element_region.end(), {t % 2, t == 3 ? -1 : t % 2});
  }
  mesh.vertices = test::random_numbers(3 * static_cast<std::size_t>(vertex), 1);
  mesh.regions = {{"stiff part", {}},
                  {"Gl\xC3\xBC"
                   "ck & <co>",
                   {}}};
  mesh.vertex_sets = {{"held", {0, 5, 9}}, {"two words", {5}}};
  write_mesh(mesh, out / "all.vtu");
  write_mesh(mesh, out / "all.msh");
  write_mesh(mesh, out / "binary.msh", {.binary = true});
  VolumeMesh grouped = mesh;
  for (auto& region : grouped.element_region) region = std::max(region, 0);
  write_mesh(grouped, out / "grouped_all.msh");
  write_mesh(grouped, out / "grouped_binary.msh", {.binary = true});
  const ReducedModel model = load_model(*folder_ / "beam.qrt");
  write_vtu(model, out / "model.vtu");
  Trajectory trajectory{1, 6, {0, 0.5, 1}, test::random_numbers(18, 2), {BodyStatus::ok}};
  write_pvd(model, trajectory, out / "motion.pvd");
  nlohmann::json expected = {{"vertices", mesh.vertices},
                             {"element_region", mesh.element_region},
                             {"vertex_sets", mesh.vertex_sets},
                             {"regions", {mesh.regions[0].name, mesh.regions[1].name}},
                             {"time", trajectory.time}};
  for (const ElementBlock& block : mesh.blocks) expected["blocks"].push_back(block.vertices);
  for (std::int64_t i = 0; i < 6; ++i) expected["basis"].push_back(to_matrix(model.basis.map().col(i)).values);
  for (std::int64_t f = 0; f < 3; ++f)
    expected["displacements"].push_back(
        to_matrix(model.basis.map() * Eigen::Map<const Eigen::VectorXd>(trajectory.q.data() + 6 * f, 6)).values);
  std::ofstream(out / "expected.json") << expected;
  const std::string line = std::string("'") + python + "' '" QUARTIC_FOREIGN_READERS "' '" + out.path().string() + "'";
  EXPECT_EQ(std::system(line.c_str()), 0);
}

}  // namespace
}  // namespace quartic
