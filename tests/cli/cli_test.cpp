// The command line: exit codes, reports, files, and what happens when it is stopped.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <clocale>
#include <cmath>
#include <numbers>
#include <set>
#include <thread>
#include <utility>

#include "quartic/quartic.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::Case;
using test::CommandResult;
using test::file_text;
using test::run_quartic;

/// A folder with a small beam, its model of rank 8, and a file of linear modes, made once.
class Command : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    ASSERT_EQ(run("make beam --resolution 10 -o beam.veg").exit_code, 0);
    reduced_ = new CommandResult(run("reduce beam.veg --fix beam.bou --modes 4 --rank 8 -o beam.qrt --json"));
    ASSERT_EQ(reduced_->exit_code, 0) << reduced_->errors;
    const CommandResult modes = run("modes beam.veg --fix beam.bou --modes 3 -o modes.qrt --json");
    ASSERT_EQ(modes.exit_code, 0) << modes.errors;
    std::ofstream(*folder_ / "damaged.qrt") << "no model";
    std::ofstream(*folder_ / "damaged.veg") << "*VERTICES\n3 3\n1 0 0\n";
    std::ofstream(*folder_ / "empty.bou");
    std::ofstream(*folder_ / "soft.json") << R"({"beam": {"youngs_modulus": 2.5e6}})";
    std::ofstream(*folder_ / "unknown.json") << R"({"deck": {"youngs_modulus": 2.5e6}})";
    std::ofstream(*folder_ / "broken.json") << R"({"beam": )";
  }
  static void TearDownTestSuite() {
    delete reduced_;
    delete folder_;
  }
  static CommandResult run(const std::string& arguments, const std::string& before = "") {
    return run_quartic(folder_->path(), arguments, before);
  }
  static std::set<std::string> files() {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_->path()))
      names.insert(entry.path().filename().string());
    return names;
  }
  static inline test::TemporaryFolder* folder_ = nullptr;
  static inline CommandResult* reduced_ = nullptr;
};

TEST_F(Command, ExitCodesTellWhatKindOfErrorItWas) {
  const std::array cases = {
      Case{"--version", 0, version},
      Case{"--help", 0, "simulate"},
      Case{"reduce --help", 0, "--no-derivatives"},
      Case{"", 2, "subcommand"},
      Case{"make tree -o x.veg", 2, "bridge"},
      Case{"make beam", 2, "--output"},
      Case{"make beam -o x.obj", 2, ".veg"},
      Case{"make beam -o missing/x.veg", 1, "missing"},
      Case{"make beam --resolution 0 -o x.veg", 2, "--resolution"},
      Case{"make bridge --resolution 5 -o x.veg", 1, "32"},
      Case{"make tower --resolution 5 -o x.veg", 1, "40"},
      Case{"make heart --element hex20 -o x.veg", 2, "tet4"},
      Case{"make --help", 0, "heart: 37"},
      Case{"info missing.veg", 1, "missing.veg"},
      Case{"info damaged.qrt", 1, "damaged.qrt"},
      Case{"info damaged.veg", 1, "damaged.veg"},
      Case{"reduce missing.veg --free -o x.qrt", 1, "missing.veg"},
      Case{"reduce beam.veg --fix beam.bou -o x.veg", 2, ".qrt"},
      Case{"reduce beam.veg --fix beam.bou -o missing/x.qrt", 1, "missing"},
      Case{"reduce beam.veg --fix beam.bou --free -o x.qrt", 2, "--free"},
      Case{"reduce beam.veg --fix missing.bou -o x.qrt", 1, "missing.bou"},
      Case{"reduce beam.veg --fix-box 1,2,3 -o x.qrt", 2, "--fix-box"},
      Case{"reduce beam.veg --fix-box 1,2,3,4,5,six -o x.qrt", 2, "six"},
      Case{"reduce beam.veg --fix-box 5,5,5,6,6,6 -o x.qrt", 1, "no vertex"},
      Case{"reduce beam.veg --fix-set wing -o x.qrt", 1, "wing"},
      Case{"reduce beam.veg --fix beam.bou --rank 0 -o x.qrt", 2, "--rank"},
      Case{"reduce beam.veg --fix beam.bou --modes 2 --rank 6 -o x.qrt", 1, "6"},
      Case{"reduce beam.veg --fix beam.bou --modes 4 --rank 5 --no-derivatives -o x.qrt", 1, "--no-derivatives"},
      Case{"reduce beam.veg --fix beam.bou --derivatives exact -o x.qrt", 2, "inertial"},
      Case{"reduce beam.veg --fix beam.bou --derivatives static --no-derivatives -o x.qrt", 2, "--derivatives"},
      Case{"reduce beam.veg --fix beam.bou --modes 100000 -o x.qrt", 1, "modes"},
      Case{"reduce beam.veg --fix beam.bou --poissons-ratio 0.5 -o x.qrt", 1, "beam"},
      Case{"reduce beam.veg --fix beam.bou --youngs-modulus -1 -o x.qrt", 1, "beam"},
      Case{"reduce beam.veg --fix beam.bou --materials unknown.json -o x.qrt", 1, "deck"},
      Case{"reduce beam.veg --fix beam.bou --materials broken.json -o x.qrt", 1, "broken.json"},
      Case{"reduce beam.veg --fix beam.bou --mass diagonal -o x.qrt", 2, "lumped"},
      Case{"reduce beam.veg --fix beam.bou --hexahedron-rule 4x4x4 -o x.qrt", 2, "2x2x2"},
      Case{"reduce beam.veg --fix beam.bou --backend cuda -o x.qrt", 4, "cuda"},
      Case{"reduce beam.veg --fix beam.bou --backend gpu -o x.qrt", 2, "gpu"},
      Case{"simulate beam.qrt", 2, "-o"},
      Case{"simulate missing.qrt -o x.csv", 1, "missing.qrt"},
      Case{"simulate modes.qrt -o x.csv", 1, "linear modes only"},
      Case{"simulate beam.qrt -o x.obj", 2, ".glb"},
      Case{"simulate beam.qrt -o x.csv -o x.csv", 2, "twice"},
      Case{"simulate beam.qrt -o x.csv -o ./x.csv", 2, "twice"},
      Case{"reduce damaged.qrt --free -o ./damaged.qrt", 2, "overwrite the input"},
      Case{"reduce beam.veg --fix beam.qrt -o beam.qrt", 2, "overwrite the input"},
      Case{"simulate beam.qrt --plot x.png", 2, ".svg"},
      Case{"simulate beam.qrt -o missing/x.csv", 1, "missing"},
      Case{"simulate beam.qrt -o x.csv --steps -1", 2, "--steps"},
      Case{"simulate beam.qrt -o x.csv --dt 0", 2, "--dt"},
      Case{"simulate beam.qrt -o x.csv --gravity 1,2", 2, "--gravity"},
      Case{"simulate beam.qrt -o x.csv --force 1,2", 2, "--force"},
      Case{"simulate beam.qrt -o x.csv --force 0.5,0,0,1", 2, "vertex"},
      Case{"simulate beam.qrt -o x.csv --force 1,0,0,1,2,1", 2, "after"},
      Case{"simulate beam.qrt -o x.csv --force 99,0,0,1", 1, "99"},
      Case{"simulate beam.qrt -o x.csv --integrator euler", 2, "newmark"},
      Case{"simulate beam.qrt -o x.csv --precision half", 2, "double"},
      Case{"simulate beam.qrt -o x.csv --bodies 1000000000 --steps 1000000000", 1, "fewer steps"},
  };
  const auto before = files();
  for (const Case& c : cases) {
    const CommandResult result = run(c.arguments);
    EXPECT_EQ(result.exit_code, c.exit_code) << c.arguments << '\n' << result.errors;
    EXPECT_NE((result.output + result.errors).find(c.message), std::string::npos) << c.arguments << '\n'
                                                                                  << result.errors;
    if (c.exit_code != 0) {
      EXPECT_EQ(result.output, "") << c.arguments;
    }
  }
  EXPECT_EQ(files(), before);
}

// Where there is a device: the same motion but for round-off; else a message.
TEST_F(Command, SimulatesOnTheOtherBackend) {
  const std::string arguments = "simulate beam.qrt --gravity 0,0,-9.81 --bodies 3 --steps 5 -o ";
  const CommandResult result = run(arguments + "cuda.qtraj --backend cuda");
  if (!backend_available(Backend::cuda)) {
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_NE(result.errors.find("use the backend 'cpu'"), std::string::npos) << result.errors;
    return;
  }
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  ASSERT_EQ(run(arguments + "cpu.qtraj").exit_code, 0);
  const Trajectory cuda = load_trajectory(*folder_ / "cuda.qtraj"), cpu = load_trajectory(*folder_ / "cpu.qtraj");
  ASSERT_EQ(cuda.q.size(), cpu.q.size());
  const double largest = std::abs(
      *std::max_element(cpu.q.begin(), cpu.q.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
  for (std::size_t n = 0; n < cpu.q.size(); ++n) EXPECT_NEAR(cuda.q[n], cpu.q[n], 1e-11 * largest);
}

// An explicit step too long for central differences is the user's numerical failure; its files are there to look at.
TEST_F(Command, DivergedBodiesAreANumericalFailureWithFiles) {
  const CommandResult result =
      run("simulate beam.qrt --integrator central-differences --gravity 0,0,-9.81 --dt 1 --bodies 3 -o d.qtraj --json");
  EXPECT_EQ(result.exit_code, 3) << result.errors;
  EXPECT_EQ(result.json()["status"]["diverged"], 3);
  const Trajectory trajectory = load_trajectory(*folder_ / "d.qtraj");
  EXPECT_EQ(trajectory.status, std::vector<BodyStatus>(3, BodyStatus::diverged));
  for (const double q : trajectory.q) EXPECT_TRUE(std::isfinite(q));
}

TEST_F(Command, InfoTellsOfAModel) {
  const auto report = run("info beam.qrt --json").json();
  EXPECT_EQ(report["rank"], 8);
  EXPECT_EQ(report["modes"], 4);
  EXPECT_EQ(report["eigenvalues"].size(), 4U);
  EXPECT_EQ(report["rigid_modes"], 0);
  EXPECT_LE(report["orthonormality"].get<double>(), 1e-12);
  const double mass = run("info beam.veg --json").json()["mass"].get<double>();
  EXPECT_NEAR(report["mass"].get<double>(), mass, 1e-9 * mass);
  EXPECT_EQ(report["mass_centre"].size(), 3U);
  EXPECT_EQ(report["principal_inertia"].size(), 3U);
  EXPECT_GE(report["mean_axis_error"].get<double>(), 0);
  EXPECT_EQ(report["bytes"], std::filesystem::file_size(*folder_ / "beam.qrt"));
  const auto modes = run("info modes.qrt --json").json();
  EXPECT_EQ(modes["rank"], 0);
  EXPECT_EQ(modes["modes"], 3);
}

TEST_F(Command, InfoPrintsFrequenciesForPeople) {
  const CommandResult result = run("info beam.qrt");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.output.find(" Hz"), std::string::npos);
  EXPECT_NE(result.output.find("principal moments of inertia"), std::string::npos);
  EXPECT_NE(result.output.find("quartic reduce beam.veg --fix beam.bou"), std::string::npos);
}

TEST_F(Command, ReduceReportsWhatScriptsRelyOn) {
  const auto report = reduced_->json();
  ASSERT_EQ(report["eigenvalues"].size(), 4U);
  EXPECT_EQ(report["residuals"].size(), 4U);
  EXPECT_EQ(report["rank"], 8);
  EXPECT_GT(report["stages"].size(), 3U);
  for (const auto& seconds : report["stages"]) EXPECT_GE(seconds.get<double>(), 0);
  EXPECT_GT(report["peak_memory_bytes"].get<double>(), 1e6);
}

// Euler-Bernoulli's first bending frequency, about the smaller side of `make beam`: 0.08 m. Bricks that don't resolve
// the bending are too stiff: 80 x 8 x 8 are 0.6 and 0.1 % above the theory. The band sees 1.5 % of a frequency, 3 % of
// an eigenvalue.
TEST_F(Command, ModesOfTheBeamAreThoseOfTheTheory) {
  ASSERT_EQ(run("make beam --resolution 80 -o fine.veg").exit_code, 0);
  const CommandResult result = run("modes fine.veg --fix fine.bou --modes 2 -o fine.qrt --json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto eigenvalues = result.json()["eigenvalues"];
  for (const auto& [mode, thickness] : {std::pair(0U, 0.08), std::pair(1U, 0.1)}) {
    const double bernoulli = std::pow(1.87510406871196, 2) * std::sqrt(1e7 * thickness * thickness / 12 / 1000);
    const double ratio = std::sqrt(eigenvalues[mode].get<double>()) / bernoulli;
    EXPECT_GT(ratio, 0.998) << mode;
    EXPECT_LT(ratio, 1.008) << mode;
  }
}

TEST_F(Command, DefaultsAreLoweredWithAWarningWhereTheDataHasLess) {
  const CommandResult result = run("reduce beam.veg --fix beam.bou --modes 3 -o few.qrt --json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_LE(result.json()["rank"], 9);  // 3 modes and 6 derivatives
  EXPECT_NE(result.errors.find("warning"), std::string::npos);
  // Inertial derivatives aren't symmetric: 9 of them.
  const CommandResult inertial =
      run("reduce beam.veg --fix beam.bou --modes 3 --derivatives inertial -o few.qrt --json");
  EXPECT_EQ(inertial.exit_code, 0) << inertial.errors;
  EXPECT_GT(inertial.json()["rank"], result.json()["rank"]);
  const CommandResult plain = run("reduce beam.veg --fix beam.bou --modes 3 --no-derivatives -o few.qrt --json");
  ASSERT_EQ(plain.exit_code, 0) << plain.errors;
  EXPECT_EQ(plain.json()["rank"], 3);
}

TEST_F(Command, FixOptionsUnite) {
  const auto fixed = [](const std::string& options) {
    const CommandResult result = run("reduce beam.veg " + options + " --modes 2 --rank 2 -o fixed.qrt --json");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.json()["fixed_vertices"].get<int>();
  };
  EXPECT_EQ(fixed("--fix-box -1,-1,-1,0,1,1"), 9);
  EXPECT_EQ(fixed("--fix-box 0.1,1,1,0,0,0"), 18);  // corners in any order, faces included
  EXPECT_EQ(fixed("--fix beam.bou --fix-box 0.95,0,0,1,1,1 --fix-box 0,0,0,0,1,1"), 18);
}

// The rule of two points is kept with the model, and is part of what makes two models those of one body.
TEST_F(Command, HexahedraMayHaveTwoPointsPerAxis) {
  const auto made = [](const std::string& options, const std::string& model) {
    const CommandResult result = run("reduce beam.veg --fix beam.bou --modes 2 --rank 2 " + options + " -o " + model);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result;
  };
  EXPECT_NE(made("--hexahedron-rule 2x2x2", "two.qrt").output.find("hex8 of 2x2x2 points"), std::string::npos);
  EXPECT_EQ(made("--hexahedron-rule 3x3x3", "three.qrt").output.find("points"), std::string::npos);
  EXPECT_EQ(load_model(*folder_ / "two.qrt").mesh.blocks.at(0).hexahedron_rule, HexahedronRule::gauss_2x2x2);
  EXPECT_EQ(load_model(*folder_ / "three.qrt").mesh.blocks.at(0).hexahedron_rule, HexahedronRule::gauss_3x3x3);
  EXPECT_NE(run("info two.qrt").output.find("2x2x2"), std::string::npos);
  const CommandResult compared = run("compare two.qrt three.qrt --static --gravity 0,0,-9.81");
  EXPECT_NE(compared.exit_code, 0);
  EXPECT_NE(compared.errors.find("rule of hex8"), std::string::npos) << compared.errors;
  EXPECT_EQ(run("make beam --element tet4 -o tets.veg").exit_code, 0);
  const CommandResult tets = run("modes tets.veg --free --modes 2 --hexahedron-rule 2x2x2 -o tets.qrt");
  EXPECT_NE(tets.errors.find("no hex8"), std::string::npos) << tets.errors;
}

// A Gmsh mesh of two cubes: physical volumes are regions, a physical surface holds the body.
TEST_F(Command, PhysicalGroupsAreRegionsAndFixedSets) {
  std::ofstream file(*folder_ / "cubes.msh");
  file << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"wall\"\n3 2 \"left\"\n3 3 \"right\"\n"
          "$EndPhysicalNames\n$Nodes\n12\n";
  for (int i = 0; i < 12; ++i) file << i + 1 << " " << i / 4 << " " << i / 2 % 2 << " " << i % 2 << "\n";
  file << "$EndNodes\n$Elements\n3\n1 3 2 1 1 1 2 4 3\n2 5 2 2 1 1 5 7 3 2 6 8 4\n3 5 2 3 2 5 9 11 7 6 10 12 8\n"
          "$EndElements\n";
  file.close();
  const CommandResult info = run("info cubes.msh --json");
  EXPECT_EQ(info.exit_code, 0) << info.errors;
  EXPECT_EQ(info.json()["fixed_sets"]["wall"], 4);
  EXPECT_EQ(info.json()["elements"]["hex8"], 2);
  EXPECT_EQ(info.json()["skipped"]["quad"], 1);
  EXPECT_EQ(run("reduce cubes.msh --fix-set wall -o cubes.qrt").exit_code, 1);  // no material
  std::ofstream(*folder_ / "cubes.json") << R"({"left": {"youngs_modulus": 1e5, "poissons_ratio": 0.3},
    "right": {"youngs_modulus": 3e5, "poissons_ratio": 0.4, "density": 2000}})";
  const CommandResult incomplete = run("reduce cubes.msh --fix-set wall --materials cubes.json -o cubes.qrt");
  EXPECT_EQ(incomplete.exit_code, 1);
  EXPECT_NE(incomplete.errors.find("region 'left' has no density"), std::string::npos) << incomplete.errors;
  std::ofstream(*folder_ / "cubes.json") << R"({"left": {"youngs_modulus": 1e5, "poissons_ratio": 0.3, "density": 1000},
    "right": {"youngs_modulus": 3e5, "poissons_ratio": 0.4, "density": 2000}})";
  const CommandResult reduced =
      run("reduce cubes.msh --fix-set wall --materials cubes.json --modes 3 -o cubes.qrt --json");
  EXPECT_EQ(reduced.exit_code, 0) << reduced.errors;
  EXPECT_EQ(reduced.json()["fixed_vertices"], 4);
  const ReducedModel model = load_model(*folder_ / "cubes.qrt");
  EXPECT_EQ(model.mesh.regions[1].name, "right");
  EXPECT_EQ(model.mesh.regions[1].material->density, 2000);
}

TEST_F(Command, WithoutFixedVerticesTheBodyIsFree) {
  const auto rigid_modes = [](const std::string& options, bool warns) {
    const CommandResult result = run("reduce beam.veg " + options + " --modes 2 --rank 2 -o free.qrt --json");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors.find("warning: no vertices are fixed") != std::string::npos, warns) << options;
    return result.json()["rigid_modes"].get<int>();
  };
  EXPECT_EQ(rigid_modes("--free", false), 6);
  EXPECT_EQ(rigid_modes("--fix empty.bou", false), 6);
  EXPECT_EQ(rigid_modes("", true), 6);

  const CommandResult fall = run("simulate free.qrt --hold-frame --gravity 0,0,-9.81 --steps 5 -o free.csv --json");
  EXPECT_EQ(fall.exit_code, 0) << fall.errors;
  EXPECT_NE(fall.errors.find("gravity has no effect"), std::string::npos);
  EXPECT_LT(fall.json()["energy"]["last"].get<double>(), 1e-15);  // round-off of U^T M e
}

TEST_F(Command, RegionPartsAreKeptWhenAskedFor) {
  ASSERT_EQ(run("reduce beam.veg --fix beam.bou --modes 2 --rank 4 --region-parts -o parts.qrt").exit_code, 0);
  EXPECT_EQ(load_model(*folder_ / "parts.qrt").region_energy.size(), 1U);
  EXPECT_EQ(load_model(*folder_ / "parts.qrt").region_mass.size(), 1U);
  EXPECT_TRUE(load_model(*folder_ / "beam.qrt").region_energy.empty());
}

// omega^2 is proportional to E / rho.
TEST_F(Command, MaterialsOverrideSeparately) {
  const double before = reduced_->json()["eigenvalues"][0];
  const auto eigenvalue = [](const std::string& options) {
    const CommandResult result = run("modes beam.veg --fix beam.bou --modes 1 -o m.qrt --json " + options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.json()["eigenvalues"][0].get<double>();
  };
  // Round-off of assembly and factorisation, some 1e-15 of the largest eigenvalue, which is 1e4 times the first.
  EXPECT_NEAR(eigenvalue("--youngs-modulus 2e7") / before, 2, 1e-10);
  EXPECT_NEAR(eigenvalue("--density 250") / before, 4, 1e-10);
  EXPECT_NEAR(eigenvalue("--materials soft.json") / before, 0.25, 1e-10);
  EXPECT_NEAR(eigenvalue("--materials soft.json --density 500") / before, 0.5, 1e-10);
}

TEST_F(Command, SimulateWritesWhatOthersRead) {
  const CommandResult result = run(
      "simulate beam.qrt --gravity 0,0,-9.81 --steps 20 --dt 0.02 --bodies 2 --substeps 3 -o s.qtraj -o s.csv -o s.glb "
      "--plot s.svg --json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto report = result.json();
  EXPECT_GT(report["body_steps_per_second"].get<double>(), 0);
  EXPECT_EQ(report["status"], (nlohmann::json{{"ok", 2}, {"regularised", 0}, {"diverged", 0}}));
  EXPECT_EQ(report["energy"]["first"], 0);
  EXPECT_GT(report["energy"]["last"], 0);

  const Trajectory trajectory = load_trajectory(*folder_ / "s.qtraj");
  EXPECT_EQ(trajectory.frames(), 21);
  EXPECT_EQ(trajectory.bodies, 2);
  EXPECT_EQ(trajectory.time.front(), 0);
  EXPECT_DOUBLE_EQ(trajectory.time.back(), 0.4);
  EXPECT_TRUE(file_text(*folder_ / "s.csv").starts_with("time,q0,q1,q2,q3,q4,q5,q6,q7\n"));
  EXPECT_TRUE(file_text(*folder_ / "s.glb").starts_with("glTF"));
  EXPECT_TRUE(file_text(*folder_ / "s.svg").starts_with("<svg"));

  // The same by the library, bit for bit.
  const ReducedModel model = load_model(*folder_ / "beam.qrt");
  Batch<double> batch(model.energy);
  for (int i = 0; i < 8; ++i) batch.force()(i, 0) = -9.81 * model.unit_acceleration(i, 2);
  for (int frame = 0; frame < 20; ++frame) batch.step(0.02, 3);
  for (int body = 0; body < 2; ++body)
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(trajectory.q[static_cast<std::size_t>((20 * 2 + body) * 8 + i)], batch.q()(i, 0));
}

// Until it ends, a force with an end acts as one without; from then on as none.
TEST_F(Command, ForcesActFromTheirBeginningUntilTheirEnd) {
  const auto simulate = [](const std::string& options) {
    const CommandResult result = run("simulate beam.qrt --steps 10 -o f.qtraj " + options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return load_trajectory(*folder_ / "f.qtraj").q;
  };
  const auto always = simulate("--force 98,0,0,1"), until = simulate("--force 98,0,0,1,0,0.05");
  for (std::size_t i = 0; i < 11 * 8; ++i) {
    if (i < 6 * 8) {
      EXPECT_EQ(always[i], until[i]) << i;
    }
  }
  EXPECT_NE(always[6 * 8], until[6 * 8]);

  const auto late = simulate("--force 98,0,0,1,0.03,0.07");
  for (std::size_t i = 0; i < 4 * 8; ++i) EXPECT_EQ(late[i], 0) << i;
  EXPECT_NE(late[4 * 8], 0);
  EXPECT_EQ(late[4 * 8], always[8]);  // the first step under the force, later

  // Two forces add up to the sum, here exactly since halves are powers of two apart.
  EXPECT_EQ(simulate("--force 98,0,0,0.5 --force 98,0,0,0.5"), always);
}

// Stopped in the middle of a push and taken up again, a run ends as one that wasn't stopped, to the bit.
TEST_F(Command, ACheckpointIsTakenUpToTheBit) {
  for (const std::string precision : {"double", "float"}) {
    const std::string common =
        " --bodies 2 --substeps 2 --force 98,0,0,1,0.03,0.14 --gravity 0,0,-1 --precision " + precision;
    const auto simulate = [&](const std::string& options) {
      const CommandResult result = run("simulate beam.qrt -o c.qtraj" + common + options);
      EXPECT_EQ(result.exit_code, 0) << result.errors;
      return load_trajectory(*folder_ / "c.qtraj");
    };
    const Trajectory whole = simulate(" --steps 20 --rayleigh-mass 0.5");
    const Trajectory first = simulate(" --steps 10 --rayleigh-mass 0.5 --checkpoint c.qstate");
    const Trajectory second = simulate(" --steps 10 --resume c.qstate");
    const auto frame = [](const Trajectory& t, std::int64_t n) {
      const auto begin = t.q.begin() + n * t.bodies * t.rank;
      return std::vector<double>(begin, begin + t.bodies * t.rank);
    };
    EXPECT_EQ(frame(first, 10), frame(whole, 10));
    EXPECT_EQ(frame(second, 0), frame(whole, 10));
    EXPECT_EQ(frame(second, 10), frame(whole, 20));
    EXPECT_NE(frame(whole, 20), frame(whole, 10));
    EXPECT_NEAR(second.time.front(), 0.1, 1e-15);
    EXPECT_NEAR(second.time.back(), 0.2, 1e-15);
  }
  EXPECT_EQ(run("simulate beam.qrt -o c.csv --resume c.qstate").exit_code, 1);  // of other precision and bodies
  EXPECT_EQ(run("simulate beam.qrt -o c.csv --resume missing.qstate").exit_code, 1);
  EXPECT_EQ(run("simulate beam.qrt -o c.csv --resume c.qstate --rayleigh-mass 1").exit_code, 2);
  EXPECT_EQ(run("simulate beam.qrt --checkpoint c.csv").exit_code, 2);
  EXPECT_EQ(run("simulate beam.qrt --checkpoint d.qstate").exit_code, 0);  // an output like any other
}

// M q'' + s R(q) = s f has the solutions of M q'' + R(q) = f in 1/sqrt(s) of the time. Powers of two change no bits.
TEST_F(Command, StiffnessScaledByFourGoesTwiceAsFast) {
  const auto simulate = [&](const std::string& options) {
    const CommandResult result = run("simulate beam.qrt -o s.qtraj --substeps 2 " + options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return load_trajectory(*folder_ / "s.qtraj");
  };
  const std::string slow = "--steps 10 --dt 0.0078125 --force 98,0,0,1", fast = "--dt 0.00390625 --force 98,0,0,4";
  for (const std::string precision : {" --precision double", " --precision float"}) {
    const Trajectory expected = simulate(slow + precision);
    EXPECT_EQ(simulate("--steps 10 --stiffness-scale 4 " + fast + precision).q, expected.q);
    // A checkpoint brings it.
    simulate("--steps 5 --stiffness-scale 4 --checkpoint s.qstate " + fast + precision);
    const Trajectory second = simulate("--steps 5 --resume s.qstate " + fast + precision);
    EXPECT_EQ(second.q, std::vector<double>(expected.q.begin() + 5 * expected.rank, expected.q.end()));
  }
  for (const char* wrong : {"0", "-1", "nan", "soft"})
    EXPECT_EQ(run(std::string("simulate beam.qrt -o s.csv --stiffness-scale ") + wrong).exit_code, 2) << wrong;
  EXPECT_EQ(run("simulate beam.qrt -o s.csv --resume s.qstate --stiffness-scale 2").exit_code, 2);
  const CommandResult tiny = run("simulate beam.qrt -o s.csv --precision float --stiffness-scale 1e-42");
  EXPECT_EQ(tiny.exit_code, 1);
  EXPECT_NE(tiny.errors.find("stiffness_scale"), std::string::npos) << tiny.errors;
}

TEST_F(Command, SinglePrecisionIsNearDouble) {
  const auto last = [](const std::string& options) {
    const CommandResult result = run("simulate beam.qrt --gravity 0,0,-9.81 --steps 20 -o p.qtraj " + options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return load_trajectory(*folder_ / "p.qtraj").q;
  };
  const auto single = last("--precision float"), exact = last("");
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    largest = std::max(largest, std::abs(exact[i]));
    difference = std::max(difference, std::abs(exact[i] - single[i]));
  }
  EXPECT_GT(difference, 0);
  EXPECT_LT(difference, 1e-3 * largest);  // 20 steps, each within some 1e-5
}

// A file size limit stands in for a full disk.
TEST_F(Command, AFullDiskIsAnErrorAndLeavesNothing) {
  const auto before = files();
  const CommandResult result = run("make beam --resolution 60 -o large.veg", "ulimit -f 8;");
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_NE(result.errors.find("large.veg"), std::string::npos) << result.errors;
  // What fits beside it, its fixed vertices, is there.
  EXPECT_TRUE(std::filesystem::remove(folder_->path() / "large.bou"));
  EXPECT_EQ(files(), before);
  const CommandResult model = run("reduce beam.veg --fix beam.bou --modes 2 --rank 4 -o large.qrt", "ulimit -f 8;");
  EXPECT_EQ(model.exit_code, 1) << model.errors;
  EXPECT_EQ(files(), before);
}

TEST_F(Command, ReportsThatCantBeWrittenAreAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  for (const std::string arguments : {"info beam.veg", "--help", "simulate --help", "--version"}) {
    const std::string line =
        "cd '" + folder_->path().string() + "' && '" + test::command_path() + "' " + arguments + " >/dev/full 2>&1";
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 1) << arguments;
  }
}

/// The command as a child of this process, so that signals reach it alone.
pid_t start(const std::filesystem::path& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), test::command_path());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  if (chdir(folder.c_str()) == 0) execv(pointers.front(), pointers.data());
  _exit(127);
}

int exit_code_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST_F(Command, StoppedWhileItComputesItLeavesNoFile) {
  ASSERT_EQ(run("make bridge --resolution 120 -o bridge.veg").exit_code, 0);
  const auto before = files();
  const pid_t child = start(folder_->path(), {"reduce", "bridge.veg", "--fix", "bridge.bou", "-o", "bridge.qrt"});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ASSERT_EQ(kill(child, SIGINT), 0);
  EXPECT_EQ(exit_code_of(child), 130);
  EXPECT_EQ(files(), before);
}

// Stopped at the moment when the temporary file of a long table appears.
TEST_F(Command, StoppedWhileItWritesItLeavesNoFile) {
  const auto before = files();
  const pid_t child = start(folder_->path(), {"simulate", "beam.qrt", "--steps", "200000", "-o", "table.csv"});
  int status = 0;
  while (files() == before && waitpid(child, &status, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(files().contains("table.csv"));
  ASSERT_EQ(kill(child, SIGTERM), 0);
  EXPECT_EQ(exit_code_of(child), 128 + SIGTERM);
  EXPECT_EQ(files(), before);
}

TEST_F(Command, NumbersDontDependOnTheLocale) {
  const char* old = std::setlocale(LC_ALL, nullptr);
  const std::string saved = old;
  const bool present = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
  std::setlocale(LC_ALL, saved.c_str());
  if (!present) GTEST_SKIP() << "the locale de_DE.UTF-8, with its decimal comma, isn't installed";
  const std::string arguments = "modes beam.veg --fix-box 0,0,0,0.1,0.1,0.1 --density 999.5 --modes 2 -o l.qrt --json";
  const auto plain = run(arguments).json(), german = run(arguments, "LC_ALL=de_DE.UTF-8").json();
  EXPECT_EQ(plain["eigenvalues"], german["eigenvalues"]);
}

}  // namespace
}  // namespace quartic
