// The commands around the unreduced body: solve, sketch, compare, and bases from snapshots.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "quartic/quartic.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;
using test::file_text;
using test::run_quartic;

// A folder with a beam, its model of rank 10 from 5 modes, a recording of pulls at its tip, and the motion after a
// pull.
class UnreducedCommands : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    ASSERT_EQ(run("make beam --resolution 10 -o beam.veg").exit_code, 0);
    ASSERT_EQ(run("reduce beam.veg --fix beam.bou --modes 5 --rank 10 -o beam.qrt").exit_code, 0);
    const VolumeMesh mesh = read_mesh(*folder_ / "beam.veg");
    tip_ = static_cast<std::int32_t>(mesh.vertex_count() - 1);
    std::vector<RecordedLoad> loads;
    for (int n = 0; n <= 40; ++n) {
      const double angle = 2 * std::numbers::pi * n / 40;
      loads.push_back({0.05 * n, {{0, tip_, {0, 60 * std::sin(angle), 60 * std::cos(angle) - 60}}}});
    }
    write_recorded_loads(loads, *folder_ / "pulls.csv");
    solve_ = new CommandResult(run("solve beam.veg --fix beam.bou --force " + std::to_string(tip_) +
                                   ",0,0,-50,0,0.1 --dt 0.02 --steps 40 --newton 3 -o beam.qsnap --plot beam.svg "
                                   "--json"));
    ASSERT_EQ(solve_->exit_code, 0) << solve_->errors;
  }
  static void TearDownTestSuite() {
    delete solve_;
    delete folder_;
  }
  static CommandResult run(const std::string& arguments, const std::string& before = "") {
    return run_quartic(folder_->path(), arguments, before);
  }
  static std::string pull(const std::string& force) { return " --force " + std::to_string(tip_) + "," + force + " "; }

  static inline test::TemporaryFolder* folder_ = nullptr;
  static inline CommandResult* solve_ = nullptr;
  static inline std::int32_t tip_ = 0;
};

TEST_F(UnreducedCommands, SolveWritesTheMotionOfTheLibrary) {
  const nlohmann::json report = solve_->json();
  EXPECT_EQ(report["frames"], 41);
  EXPECT_EQ(report["status"], "ok");
  EXPECT_EQ(report["inverted_elements"], 0);
  EXPECT_EQ(report["energy"]["first"], 0);
  EXPECT_GT(report["energy"]["last"], 0);
  const Snapshots snapshots = load_snapshots(*folder_ / "beam.qsnap");
  ASSERT_EQ(snapshots.count(), 41);
  EXPECT_NEAR(snapshots.time.back(), 0.8, 1e-12);
  const VolumeMesh mesh = read_mesh(*folder_ / "beam.veg");
  const auto fixed = read_fixed_vertices(*folder_ / "beam.bou", mesh.vertex_count());
  UnreducedBody body(mesh, fixed, {.newton_iterations = 3});
  for (int frame = 0; frame < 40; ++frame) {
    body.force().back() = frame < 5 ? -50 : 0;
    body.step(0.02);
    const auto u = snapshots.displacements.col(frame + 1);
    ASSERT_TRUE(std::equal(u.begin(), u.end(), body.displacement().begin())) << frame;
  }
  EXPECT_NE(file_text(*folder_ / "beam.svg").find("Unreduced body, loaded vertex"), std::string::npos);
}

TEST_F(UnreducedCommands, SolveFindsEquilibria) {
  const CommandResult result = run("solve beam.veg --fix beam.bou --static" + pull("0,0,-80") + "-o rest.qsnap --json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json report = result.json();
  EXPECT_TRUE(report["converged"]);
  EXPECT_TRUE(report["stable"]);
  EXPECT_EQ(report["load_factor"], 1);
  const Snapshots snapshots = load_snapshots(*folder_ / "rest.qsnap");
  ASSERT_EQ(snapshots.count(), 1);
  std::vector<double> r = internal_force(read_mesh(*folder_ / "beam.veg"), snapshots.displacements.col(0));
  EXPECT_NEAR(r.back(), -80, 1e-6);
  // Under gravity, too.
  const CommandResult sag = run("solve beam.veg --fix beam.bou --static --gravity 0,0,-9.81 -o sag.qsnap");
  EXPECT_EQ(sag.exit_code, 0) << sag.errors;
  EXPECT_NE(sag.output.find("stable"), std::string::npos);
}

TEST_F(UnreducedCommands, SolveWarnsOfLoadsThatTheMaterialDoesNotResist) {
  // Pressed along its axis by far more than 0.19 E.
  const CommandResult result =
      run("solve beam.veg --fix beam.bou --static" + pull("-1e6,0,0") + "-o crushed.qsnap --json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_GT(result.json()["inverted_elements"], 0);
  EXPECT_NE(result.json()["warnings"].dump().find("turned inside out"), std::string::npos);
  EXPECT_NE(result.errors.find("turned inside out"), std::string::npos);
}

TEST_F(UnreducedCommands, EquilibriaNeedALoad) {
  for (const char* command : {"solve beam.veg --fix beam.bou --static -o x.qsnap", "compare beam.qrt --static"}) {
    const CommandResult later = run(command + pull("0,0,-10,0.1,0.2"));
    EXPECT_EQ(later.exit_code, 1);
    EXPECT_NE(later.errors.find("no load acts at time 0"), std::string::npos) << later.errors;
    EXPECT_EQ(run(command + pull("0,0,-10") + "--dt 0.1").exit_code, 2);  // of a motion
  }
}

TEST_F(UnreducedCommands, ForcesOnFixedVerticesDoNothing) {
  const CommandResult compared = run("compare beam.qrt --static --force 0,0,0,-9");
  EXPECT_EQ(compared.exit_code, 1);
  EXPECT_NE(compared.errors.find("nothing moves under this load"), std::string::npos) << compared.errors;
  const CommandResult solved = run("solve beam.veg --fix beam.bou --static --force 0,0,0,-9 -o x.qsnap");
  EXPECT_EQ(solved.exit_code, 0);
  EXPECT_NE(solved.errors.find("vertex 0 is fixed"), std::string::npos) << solved.errors;
  const std::string tip = std::to_string(tip_);
  std::ofstream(*folder_ / "support.csv") << "0,0,0,0,500\n1," << tip << ",0,0,1\n2," << tip << ",0,1,0\n";
  const CommandResult sketched = run("sketch beam.veg --fix beam.bou --forces support.csv -o x.qrt --json");
  ASSERT_EQ(sketched.exit_code, 0) << sketched.errors;
  EXPECT_EQ(sketched.json()["selected_loads"], 2);
  EXPECT_NE(sketched.errors.find("1 recorded force acts on fixed vertices"), std::string::npos) << sketched.errors;
  EXPECT_EQ(run("sketch beam.veg --fix beam.bou --forces support.csv --rank 3 -o x.qrt").exit_code, 1);
}

TEST_F(UnreducedCommands, UnstableEquilibriaAreTold) {
  // Beyond twice the weight that a column of this kind can carry.
  const std::string weight = " --static --gravity -100,0,0 ";
  for (const std::string& command :
       {"solve beam.veg --fix beam.bou -o x.qsnap" + weight, "compare beam.qrt" + weight}) {
    const CommandResult result = run(command);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_NE(result.errors.find("isn't stable"), std::string::npos) << result.errors;
  }
}

// The file's numbers count, though the unused vertex isn't in the model.
TEST_F(UnreducedCommands, VerticesKeepTheNumbersOfTheFile) {
  VolumeMesh mesh = read_mesh(*folder_ / "beam.veg");
  mesh.vertices.insert(mesh.vertices.begin(), {9, 9, 9});
  for (ElementBlock& block : mesh.blocks)
    for (std::int32_t& v : block.vertices) ++v;
  write_veg(mesh, *folder_ / "unused.veg");
  std::vector<std::int32_t> fixed = read_fixed_vertices(*folder_ / "beam.bou", mesh.vertex_count() - 1);
  for (std::int32_t& v : fixed) ++v;
  write_fixed_vertices(fixed, *folder_ / "unused.bou");
  const std::string body = " unused.veg --fix unused.bou ", next = std::to_string(tip_ + 1);
  ASSERT_EQ(run("solve beam.veg --fix beam.bou --static" + pull("0,0,-10") + "-o a.qsnap").exit_code, 0);
  ASSERT_EQ(run("solve" + body + "--static --force " + next + ",0,0,-10 -o b.qsnap").exit_code, 0);
  EXPECT_EQ(load_snapshots(*folder_ / "a.qsnap").displacements.values,
            load_snapshots(*folder_ / "b.qsnap").displacements.values);
  const CommandResult dropped = run("solve" + body + "--static --force 0,0,0,-10 -o b.qsnap");
  EXPECT_EQ(dropped.exit_code, 1);
  EXPECT_NE(dropped.errors.find("vertex 0 belongs to no element"), std::string::npos) << dropped.errors;
  std::ofstream(*folder_ / "one.csv") << "0," << next << ",0,0,-10\n";
  ASSERT_EQ(run("sketch" + body + "--forces one.csv --snapshots c.qsnap -o c.qrt").exit_code, 0);
  EXPECT_EQ(load_snapshots(*folder_ / "a.qsnap").displacements.values,
            load_snapshots(*folder_ / "c.qsnap").displacements.values);
  // Snapshots of all of the file's vertices, and of those that are kept.
  Snapshots whole = load_snapshots(*folder_ / "a.qsnap");
  whole.displacements.values.insert(whole.displacements.values.begin(), {5, 5, 5});
  whole.displacements.rows += 3;
  save_snapshots(whole, *folder_ / "whole.qsnap");
  ASSERT_EQ(run("reduce" + body + "--snapshots a.qsnap --rank 1 -o d.qrt").exit_code, 0);
  ASSERT_EQ(run("reduce" + body + "--snapshots whole.qsnap --rank 1 -o e.qrt").exit_code, 0);
  EXPECT_EQ(load_model(*folder_ / "d.qrt").basis.values, load_model(*folder_ / "e.qrt").basis.values);
}

TEST_F(UnreducedCommands, SnapshotsMakeAModelThatMovesAsTheyDo) {
  const CommandResult reduced = run("reduce beam.veg --fix beam.bou --snapshots beam.qsnap --rank 8 -o pod.qrt --json");
  ASSERT_EQ(reduced.exit_code, 0) << reduced.errors;
  const nlohmann::json report = reduced.json();
  EXPECT_EQ(report["rank"], 8);
  EXPECT_EQ(report["selected_snapshots"], 40);  // not rest
  EXPECT_GT(report["captured_energy"][7], 0.99999);
  const ReducedModel model = load_model(*folder_ / "pod.qrt");
  EXPECT_LE(orthonormality_error(model.basis.map(), mass_matrix(model.mesh)), 1e-12);
  const CommandResult compared =
      run("compare pod.qrt" + pull("0,0,-50,0,0.1") + "--dt 0.02 --steps 40 --newton 3 --ranks 8 --json");
  ASSERT_EQ(compared.exit_code, 0) << compared.errors;
  const nlohmann::json row = compared.json()["rows"][0];
  // What the basis can't express is what mass-PCA leaves out of the same motion.
  EXPECT_NEAR(row["basis_error"], std::sqrt(1 - double{report["captured_energy"][7]}), 1e-6);
  EXPECT_LT(row["error"], 0.05);  // 40 steps of the energy's rest in eight coordinates
}

TEST_F(UnreducedCommands, SnapshotsAreThinnedOutByDistance) {
  const CommandResult thin =
      run("reduce beam.veg --fix beam.bou --snapshots beam.qsnap --separation 0.2 -o thin.qrt --json");
  ASSERT_EQ(thin.exit_code, 0) << thin.errors;
  const nlohmann::json report = thin.json();
  EXPECT_LT(report["selected_snapshots"], 20);
  EXPECT_EQ(report["rank"], report["selected_snapshots"]);
  EXPECT_NE(thin.errors.find("the snapshots span no more"), std::string::npos);
  EXPECT_EQ(run("reduce beam.veg --fix beam.bou --snapshots beam.qsnap --rank 41 -o x.qrt").exit_code, 1);
  EXPECT_EQ(run("reduce beam.veg --fix beam.bou --snapshots beam.qsnap --modes 4 -o x.qrt").exit_code, 2);
  EXPECT_EQ(run("reduce beam.veg --fix beam.bou --separation 0.2 -o x.qrt").exit_code, 2);
  const CommandResult other = run("make beam --resolution 12 -o other.veg");
  const CommandResult misfit = run("reduce other.veg --free --snapshots beam.qsnap -o x.qrt");
  EXPECT_EQ(misfit.exit_code, 1);
  EXPECT_NE(misfit.errors.find("vertices, but the mesh has"), std::string::npos) << misfit.errors;
}

TEST_F(UnreducedCommands, FixedVerticesOfSnapshotsRest) {
  Snapshots moving = load_snapshots(*folder_ / "beam.qsnap");
  const auto fixed = read_fixed_vertices(*folder_ / "beam.bou", moving.displacements.rows / 3);
  moving.displacements(3 * fixed.front(), 3) = 0.01;
  save_snapshots(moving, *folder_ / "moving.qsnap");
  const CommandResult result = run("reduce beam.veg --fix beam.bou --snapshots moving.qsnap -o x.qrt");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("snapshot 3 moves vertex " + std::to_string(fixed.front())), std::string::npos)
      << result.errors;
}

TEST_F(UnreducedCommands, SketchHoldsTheRecordedLoads) {
  const CommandResult result =
      run("sketch beam.veg --fix beam.bou --forces pulls.csv --rank 10 --jobs 2 --snapshots shapes.qsnap -o sketch.qrt "
          "--json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json report = result.json();
  EXPECT_EQ(report["recorded_loads"], 41);
  EXPECT_EQ(report["selected_loads"], 39);  // the pull begins and ends with nothing
  EXPECT_EQ(report["held_loads"], 39);
  EXPECT_LE(report["selected_snapshots"], 39);
  EXPECT_EQ(report["rank"], 10);
  // One process or two: the same shapes, since each converges far beyond what tells them apart.
  const CommandResult alone =
      run("sketch beam.veg --fix beam.bou --forces pulls.csv --rank 10 --jobs 1 --snapshots alone.qsnap -o alone.qrt");
  ASSERT_EQ(alone.exit_code, 0) << alone.errors;
  const Snapshots two = load_snapshots(*folder_ / "shapes.qsnap"), one = load_snapshots(*folder_ / "alone.qsnap");
  ASSERT_EQ(two.count(), one.count());
  EXPECT_LE((two.displacements.map() - one.displacements.map()).cwiseAbs().maxCoeff(), 1e-8);
  // The model holds a load of the recording as the whole body does.
  const CommandResult compared = run("compare sketch.qrt --static" + pull("0,53.46,-87.24") + "--json");
  ASSERT_EQ(compared.exit_code, 0) << compared.errors;
  const nlohmann::json rows = compared.json()["rows"];
  EXPECT_LT(rows[rows.size() - 1]["vertex_error"], 0.02);
}

TEST_F(UnreducedCommands, SketchRefusesRecordingsWithoutLoads) {
  std::ofstream(*folder_ / "empty.csv") << "time,vertex,fx,fy,fz\n0,1,0,0,0\n";
  std::ofstream(*folder_ / "bad.csv") << "0,100000,1,0,0\n";
  EXPECT_EQ(run("sketch beam.veg --fix beam.bou --forces empty.csv -o x.qrt").exit_code, 1);
  EXPECT_EQ(run("sketch beam.veg --fix beam.bou --forces bad.csv -o x.qrt").exit_code, 1);
  EXPECT_EQ(run("sketch beam.veg --fix beam.bou --forces missing.csv -o x.qrt").exit_code, 1);
  EXPECT_EQ(run("sketch beam.veg --fix beam.bou -o x.qrt").exit_code, 2);
  // The error of a process reaches the user, also where nobody waits for children.
  const CommandResult free = run("sketch beam.veg --free --forces pulls.csv --jobs 2 -o x.qrt");
  EXPECT_EQ(free.exit_code, 1);
  EXPECT_NE(free.errors.find("rigid modes"), std::string::npos) << free.errors;
  EXPECT_EQ(run("sketch beam.veg --fix beam.bou --forces pulls.csv --jobs 2 -o y.qrt", "trap '' CHLD;").exit_code, 0);
}

TEST_F(UnreducedCommands, CompareTellsErrorsOfRanksAndModes) {
  const CommandResult result = run("compare beam.qrt" + pull("0,0,-30,0,0.2") +
                                   "--dt 0.01 --steps 80 --modes 2,5 --ranks 4,10 --plot compare.svg --json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json report = result.json();
  const nlohmann::json rows = report["rows"];
  ASSERT_EQ(rows.size(), 3U);  // two modes and three derivatives make a rank of five: 4 of 2, 4 and 10 of 5
  EXPECT_EQ(report["watched_vertex"], tip_);
  EXPECT_LT(rows[2]["basis_error"], rows[1]["basis_error"]);
  EXPECT_LE(rows[2]["basis_error"], rows[2]["error"]);
  EXPECT_LT(rows[2]["error"], 0.1);
  EXPECT_GT(rows[2]["speedup"], 0);
  EXPECT_LT(std::abs(double{rows[2]["frequency_error"]}), 0.1);
  const std::string svg = file_text(*folder_ / "compare.svg");
  for (const char* name : {"unreduced", "2 modes, r = 4", "5 modes, r = 10"})
    EXPECT_NE(svg.find(name), std::string::npos) << name;
  // The same basis, as the model has it.
  const CommandResult own = run("compare beam.qrt" + pull("0,0,-30,0,0.2") + "--dt 0.01 --steps 80 --ranks 10 --json");
  ASSERT_EQ(own.exit_code, 0) << own.errors;
  EXPECT_NEAR(own.json()["rows"][0]["error"], double{rows[2]["error"]}, 1e-6);
}

TEST_F(UnreducedCommands, CompareReadsForPeople) {
  const CommandResult result = run("compare beam.qrt --gravity 0,0,-3 --dt 0.02 --steps 30");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  for (const char* word : {"unreduced", "watched", "speed-up", "frequency", "beam"})
    EXPECT_NE(result.output.find(word), std::string::npos) << word;
  EXPECT_NE(run("compare beam.qrt --gravity 0,0,-3 --dt 2 --steps 3").errors.find("is long for the first mode"),
            std::string::npos);
}

TEST_F(UnreducedCommands, CompareTakesSeveralModelsOfOneBody) {
  ASSERT_EQ(run("reduce beam.veg --fix beam.bou --modes 4 --rank 4 --no-derivatives -o linear.qrt").exit_code, 0);
  const CommandResult result = run("compare beam.qrt linear.qrt --static" + pull("0,0,-60") + "--json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json rows = result.json()["rows"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["basis"], "beam");
  EXPECT_EQ(rows[1]["basis"], "linear");
  EXPECT_GT(rows[1]["error"], 5 * double{rows[0]["error"]});  // linear modes lock
  ASSERT_EQ(run("reduce beam.veg --fix beam.bou --youngs-modulus 1e6 --modes 4 --rank 4 -o soft.qrt").exit_code, 0);
  const CommandResult other = run("compare beam.qrt soft.qrt --static" + pull("0,0,-60"));
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.errors.find("isn't of the same body"), std::string::npos) << other.errors;
  EXPECT_EQ(run("compare beam.qrt linear.qrt --modes 3 --gravity 0,0,-1").exit_code, 2);
}

TEST_F(UnreducedCommands, RefuseWhatMeansNothing) {
  EXPECT_EQ(run("compare beam.qrt").exit_code, 2);  // no load
  EXPECT_EQ(run("compare beam.qrt --gravity 0,0,-1 --integrator central-differences").exit_code, 2);
  EXPECT_EQ(run("compare beam.qrt --gravity 0,0,-1 --static --plot a.svg").exit_code, 2);
  EXPECT_EQ(run("compare beam.qrt --gravity 0,0,-1 --ranks 0").exit_code, 2);
  EXPECT_EQ(run("compare beam.qrt --gravity 0,0,-1 --ranks 50").exit_code, 1);
  const CommandResult some = run("compare beam.qrt --gravity 0,0,-1 --steps 2 --ranks 5,50");
  EXPECT_EQ(some.exit_code, 0);
  EXPECT_NE(some.errors.find("left out at 50"), std::string::npos) << some.errors;
  EXPECT_EQ(run("reduce beam.veg --fix beam.bou --snapshots beam.qsnap --backend vulkan -o x.qrt").exit_code, 2);
  EXPECT_EQ(run("reduce beam.veg --fix beam.bou --snapshots beam.qsnap --backend cuda -o x.qrt").exit_code, 4);
  EXPECT_EQ(run("compare beam.qrt --gravity 0,0,-1 --vertex 100000").exit_code, 1);
  EXPECT_EQ(run("compare beam.qrt --force 100000,0,0,1").exit_code, 1);
  EXPECT_EQ(run("compare beam.veg --gravity 0,0,-1").exit_code, 1);
  EXPECT_EQ(run("solve beam.veg --fix beam.bou --gravity 0,0,-1").exit_code, 2);  // nothing to write
  EXPECT_EQ(run("solve beam.veg --fix beam.bou --static --plot a.svg").exit_code, 2);
  EXPECT_EQ(run("solve beam.veg --fix beam.bou --load-steps 2 -o a.qsnap").exit_code, 2);
  EXPECT_EQ(run("solve beam.veg --fix beam.bou --integrator energy-conserving -o a.qsnap").exit_code, 2);
  EXPECT_EQ(run("solve beam.veg --free --static -o a.qsnap").exit_code, 1);
  ASSERT_EQ(run("reduce beam.veg --free --modes 3 --rank 3 -o free.qrt").exit_code, 0);
  const CommandResult free = run("compare free.qrt --gravity 0,0,-1");
  EXPECT_EQ(free.exit_code, 1);
  EXPECT_NE(free.errors.find("only held bodies can be compared"), std::string::npos);
}

TEST_F(UnreducedCommands, ThreadsComeFromTheEnvironment) {
  const std::string command = "solve beam.veg --fix beam.bou --gravity 0,0,-1 --steps 2 -o threads.qsnap";
  EXPECT_EQ(run(command, "QUARTIC_THREADS=1").exit_code, 0);
  EXPECT_EQ(run(command, "QUARTIC_THREADS=").exit_code, 0);
  EXPECT_EQ(run(command, "QUARTIC_THREADS=2000000000").exit_code, 1);
  const CommandResult bad = run(command, "QUARTIC_THREADS=many");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_NE(bad.errors.find("QUARTIC_THREADS"), std::string::npos);
}

}  // namespace
}  // namespace quartic
