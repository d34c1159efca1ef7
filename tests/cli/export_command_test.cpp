// `quartic export`, and what `simulate` writes for render programs.
#include <array>
#include <fstream>
#include <set>

#include "quartic/quartic.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::Case;
using test::CommandResult;
using test::file_text;
using test::run_quartic;

class Export : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    ASSERT_EQ(run("make beam --resolution 10 -o beam.veg").exit_code, 0);
    ASSERT_EQ(run("reduce beam.veg --fix beam.bou --modes 4 --rank 6 -o beam.qrt").exit_code, 0);
    ASSERT_EQ(run("reduce beam.veg --fix beam.bou --modes 6 --rank 12 -o large.qrt").exit_code, 0);
    ASSERT_EQ(run("modes beam.veg --fix beam.bou --modes 3 -o modes.qrt").exit_code, 0);
    // Three bodies that move differently; the last diverged.
    Trajectory trajectory{.bodies = 3, .rank = 6, .time = {0, 0.1, 0.2}};
    trajectory.q = test::random_numbers(54, 7);
    for (double& x : trajectory.q) x *= 0.01;  // small strains
    trajectory.status = {BodyStatus::ok, BodyStatus::regularised, BodyStatus::diverged};
    save_trajectory(trajectory, *folder_ / "three.qtraj");
    trajectory.time[1] = 0.15;
    save_trajectory(trajectory, *folder_ / "uneven.qtraj");
    trajectory.time.clear();
    trajectory.q.clear();
    save_trajectory(trajectory, *folder_ / "none.qtraj");
    std::ofstream(*folder_ / "damaged.qtraj") << file_text(*folder_ / "three.qtraj").substr(0, 100);
    std::filesystem::create_directory(*folder_ / "taken.surface.obj");
  }
  static void TearDownTestSuite() { delete folder_; }
  static CommandResult run(const std::string& arguments, const std::string& before = "") {
    return run_quartic(folder_->path(), arguments, before);
  }
  static std::set<std::string> files() { return test::files_below(folder_->path()); }
  static inline test::TemporaryFolder* folder_ = nullptr;
};

TEST_F(Export, ErrorsSayWhatIsWrongAndLeaveNothing) {
  const std::array cases = {
      Case{"export --help", 0, "--body"},
      Case{"simulate --help", 0, "blend-shapes"},
      Case{"export beam.qrt three.qtraj", 2, "--output"},
      Case{"export beam.qrt three.qtraj -o x.qtraj", 2, ".usda"},
      Case{"export beam.qrt three.qtraj -o x.usdc", 2, ".usda"},
      Case{"export beam.qrt three.qtraj -o missing/x.usda", 1, "missing"},
      Case{"export missing.qrt three.qtraj -o x.usda", 1, "missing.qrt"},
      Case{"export beam.qrt missing.qtraj -o x.usda", 1, "missing.qtraj"},
      Case{"export beam.qrt damaged.qtraj -o x.usda", 1, "damaged.qtraj"},
      Case{"export modes.qrt three.qtraj -o x.usda", 1, "linear modes only"},
      Case{"export large.qrt three.qtraj -o x.csv", 1, "12"},
      Case{"export beam.qrt three.qtraj --body 3 -o x.usda", 1, "3 bodies"},
      Case{"export beam.qrt three.qtraj --body -1 -o x.usda", 2, "--body"},
      Case{"export beam.qrt three.qtraj --usd points -o x.glb", 2, ".usda"},
      Case{"export beam.qrt three.qtraj --usd shapes -o x.usda", 2, "blend-shapes"},
      Case{"export beam.qrt uneven.qtraj -o x.pc2", 1, ".mdd"},
      Case{"export beam.qrt none.qtraj -o x.usda", 1, "no frames"},
      Case{"export beam.qrt none.qtraj -o x.mdd", 1, "no frames"},
      Case{"export beam.qrt three.qtraj -o x.mdd -o ./x.mdd", 2, "twice"},
      Case{"export beam.qrt three.qtraj -o taken.mdd", 1, "taken.surface.obj"},
      Case{"simulate beam.qrt -o x.pc2 --plot x.obj", 2, ".svg"},
      Case{"simulate beam.qrt -o taken.pc2", 1, "taken.surface.obj"},
      Case{"simulate beam.qrt -o missing/x.mdd", 1, "missing"},
      Case{"simulate beam.qrt -o x.csv --usd points", 2, ".usda"},
  };
  const auto before = files();
  for (const Case& c : cases) {
    const CommandResult result = run(c.arguments);
    EXPECT_EQ(result.exit_code, c.exit_code) << c.arguments << '\n' << result.errors;
    EXPECT_NE((result.output + result.errors).find(c.message), std::string::npos) << c.arguments << '\n'
                                                                                  << result.output << result.errors;
    EXPECT_EQ(files(), before) << c.arguments;
  }
}

// Elements out of range are looked for with the cubature's forces: there is no quartic energy.
TEST_F(Export, MotionsOfCubatureModelsAreExported) {
  CommandResult result = run(
      "reduce beam.veg --fix beam.bou --law mooney-rivlin --cubature-points 8 --training lift --modes 3 --rank 4 -o "
      "rubber.qrt");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  result = run("simulate rubber.qrt --gravity 0,0,-9.81 --steps 5 -o rubber.qtraj");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  result = run("export rubber.qrt rubber.qtraj -o rubber.glb");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  for (const char* file : {"rubber.qrt", "rubber.qtraj", "rubber.glb"})
    EXPECT_TRUE(std::filesystem::remove(*folder_ / file)) << file;
}

// What one format can't hold, others can: the motion isn't lost.
TEST_F(Export, AFileThatCannotBeWrittenLeavesTheOthers) {
  const CommandResult result = run("export beam.qrt uneven.qtraj -o f.pc2 -o f.csv");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find(".mdd"), std::string::npos) << result.errors;
  EXPECT_FALSE(std::filesystem::exists(*folder_ / "f.pc2"));
  EXPECT_TRUE(std::filesystem::remove(*folder_ / "f.csv"));
}

// However many fail: each is named, and the report tells what there is.
TEST_F(Export, SeveralFailuresLeaveTheRest) {
  std::filesystem::create_symlink("/dev/full", *folder_ / "full.csv");
  std::filesystem::create_symlink("/proc/version", *folder_ / "full.svg");  // others that nobody writes
  std::filesystem::create_symlink("/proc/uptime", *folder_ / "full.qstate");
  CommandResult result = run("export beam.qrt uneven.qtraj -o f.pc2 -o full.csv -o f.glb -o f.mdd --json");
  EXPECT_EQ(result.exit_code, 1);
  for (const char* part : {"2 outputs couldn't be written", "f.pc2", "full.csv"})
    EXPECT_NE(result.errors.find(part), std::string::npos) << result.errors;
  EXPECT_EQ(result.json()["files"], (std::vector<std::string>{"f.glb", "f.mdd", "f.surface.obj"}));
  EXPECT_EQ(result.json()["failures"].size(), 2U);
  for (const char* file : {"f.glb", "f.mdd", "f.surface.obj"})
    EXPECT_TRUE(std::filesystem::remove(*folder_ / file)) << file;

  result = run(
      "simulate beam.qrt --gravity 0,0,-9.81 --steps 2 --checkpoint full.qstate -o full.csv -o f.qtraj --plot full.svg "
      "--json");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.json()["files"], (std::vector<std::string>{"f.qtraj"}));
  for (const char* part : {"3 outputs couldn't be written", "full.csv", "full.svg", "full.qstate"})
    EXPECT_NE(result.errors.find(part), std::string::npos) << result.errors;
  EXPECT_EQ(load_trajectory(*folder_ / "f.qtraj").frames(), 3);
  EXPECT_TRUE(std::filesystem::remove(*folder_ / "f.qtraj"));

  // Of bodies that diverged besides, too, each on a line of its own.
  result =
      run("simulate beam.qrt --gravity 0,0,-9.81 --integrator central-differences --dt 1 --steps 60 -o full.csv "
          "--plot full.svg");
  EXPECT_EQ(result.exit_code, 3) << result.errors;
  for (const char* part : {"warning: full.csv", "warning: full.svg", "1 body diverged"})
    EXPECT_NE(result.errors.find(part), std::string::npos) << result.errors;
  EXPECT_EQ(result.errors.find('?'), std::string::npos) << result.errors;

  result = run("solve beam.veg --fix beam.bou --gravity 0,0,-9.81 --steps 1 -o f.pvd --plot full.svg --json");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.json()["files"], (std::vector<std::string>{"f.pvd"}));
  EXPECT_TRUE(std::filesystem::remove(*folder_ / "f.pvd"));
  std::filesystem::remove_all(*folder_ / "f");
  for (const char* file : {"full.csv", "full.svg", "full.qstate"}) std::filesystem::remove(*folder_ / file);
}

// What single precision takes is in the report, too.
TEST_F(Export, LostPrecisionIsTold) {
  VolumeMesh mesh = read_mesh(*folder_ / "beam.veg");
  for (std::size_t i = 1; i < mesh.vertices.size(); i += 3) mesh.vertices[i] += 4649776.25;
  write_vtu(mesh, *folder_ / "far.vtu");
  EXPECT_EQ(read_mesh(*folder_ / "far.vtu").vertices, mesh.vertices);  // which holds all digits
  ASSERT_EQ(run("reduce far.vtu --fix beam.bou --modes 4 --rank 6 -o far.qrt").exit_code, 0);
  const CommandResult result =
      run("simulate far.qrt --gravity 0,0,-9.81 --steps 2 -o far.glb -o far.usda -o far.pc2 --json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  ASSERT_EQ(result.json()["warnings"].size(), 1U);
  EXPECT_NE(result.errors.find("warning: far.pc2: positions in single precision are 0.5 m apart"), std::string::npos)
      << result.errors;
  // By our own reader: where the first frame is.
  const TriangleMesh shown = read_triangle_mesh(*folder_ / "far.glb");
  const SurfaceReport surface = check_surface(shown);
  const ReducedModel model = load_model(*folder_ / "far.qrt");
  const SurfaceReport exact =
      check_surface({boundary_surface(model.mesh).vertices, boundary_surface(model.mesh).triangles, {}});
  EXPECT_EQ(surface.coincident_vertices, 0);
  EXPECT_NEAR(surface.enclosed_volume.value() / exact.enclosed_volume.value(), 1, 1e-5);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(surface.bounding_box[i], exact.bounding_box[i], 1e-6) << i;
  for (const auto& entry : std::filesystem::directory_iterator(folder_->path()))
    if (entry.path().filename().string().starts_with("far.")) std::filesystem::remove(entry.path());
}

// A cache's surface counts as an output, though nobody named it.
TEST_F(Export, TheSurfaceBesideACacheOverwritesNoInput) {
  for (const auto& [from, to] : {std::pair{"beam.qrt", "model.surface.obj"}, {"three.qtraj", "motion.surface.obj"}})
    std::filesystem::copy_file(*folder_ / from, *folder_ / to, std::filesystem::copy_options::overwrite_existing);
  for (const char* arguments :
       {"simulate model.surface.obj -o model.pc2", "export model.surface.obj three.qtraj -o model.mdd",
        "export beam.qrt motion.surface.obj -o ./motion.pc2"}) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_NE(result.errors.find("overwrite the input"), std::string::npos) << result.errors;
  }
  EXPECT_EQ(file_text(*folder_ / "model.surface.obj"), file_text(*folder_ / "beam.qrt"));
  std::filesystem::remove(*folder_ / "model.surface.obj");
  std::filesystem::remove(*folder_ / "motion.surface.obj");
}

// Every file is the library's own of that body.
TEST_F(Export, WritesTheBodyThatIsAskedFor) {
  const CommandResult result =
      run("export beam.qrt three.qtraj --body 1 -o e.glb -o e.usda -o e.pc2 -o e.mdd -o e.pvd -o e.csv --json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto report = result.json();
  EXPECT_EQ(report["files"],
            (std::vector<std::string>{"e.glb", "e.usda", "e.pc2", "e.mdd", "e.pvd", "e.csv", "e.surface.obj"}));
  EXPECT_EQ(report["body"], 1);
  EXPECT_EQ(report["bodies"], 3);
  EXPECT_EQ(report["frames"], 3);
  EXPECT_EQ(report["status"], "regularised");
  EXPECT_EQ(report["warnings"], nlohmann::json::array());

  const ReducedModel model = load_model(*folder_ / "beam.qrt");
  const Trajectory all = load_trajectory(*folder_ / "three.qtraj");
  Trajectory one{.bodies = 1, .rank = 6, .time = all.time, .status = {BodyStatus::regularised}};
  for (std::ptrdiff_t frame = 0; frame < 3; ++frame)
    one.q.insert(one.q.end(), all.q.begin() + 18 * frame + 6, all.q.begin() + 18 * frame + 12);
  const test::TemporaryFolder own;
  write_glb(model, one, own / "e.glb");
  write_usd(model, one, own / "e.usda", UsdMotion::blend_shapes);
  write_pc2(model, one, own / "e.pc2");
  write_mdd(model, one, own / "e.mdd");
  write_csv(one, own / "e.csv");
  write_pvd(model, one, own / "e.pvd");
  for (const char* name : {"e.glb", "e.usda", "e.pc2", "e.mdd", "e.csv", "e.pvd", "e/e_0002.vtu", "e.surface.obj"})
    EXPECT_TRUE(file_text(*folder_ / name) == file_text(own / name)) << name;

  ASSERT_EQ(run("export beam.qrt three.qtraj --body 1 -o p.usda --usd points").exit_code, 0);
  write_usd(model, one, own / "p.usda", UsdMotion::points);
  EXPECT_TRUE(file_text(*folder_ / "p.usda") == file_text(own / "p.usda"));
}

TEST_F(Export, SimulateWritesTheSameAsExport) {
  const CommandResult result = run(
      "simulate beam.qrt --gravity 0,0,-9.81 --steps 5 --bodies 2 -o s.qtraj -o s.usda --usd points -o s.pc2 -o s.mdd "
      "--json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.json()["files"], (std::vector<std::string>{"s.qtraj", "s.usda", "s.pc2", "s.mdd", "s.surface.obj"}));
  ASSERT_EQ(run("export beam.qrt s.qtraj -o t.usda --usd points -o t.pc2 -o t.mdd").exit_code, 0);
  for (const char* extension : {".usda", ".pc2", ".mdd", ".surface.obj"})
    EXPECT_TRUE(file_text(*folder_ / (std::string("s") + extension)) ==
                file_text(*folder_ / (std::string("t") + extension)))
        << extension;
  EXPECT_NE(file_text(*folder_ / "s.usda").find("endTimeCode = 5\n"), std::string::npos);
}

TEST_F(Export, ReportsForPeopleNameAllFiles) {
  const CommandResult result = run("export beam.qrt three.qtraj -o r.mdd");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(result.output.starts_with("three.qtraj: body 0 of 3, rank 6\n")) << result.output;
  for (const char* file : {"r.mdd, ", "r.surface.obj, "})
    EXPECT_NE(result.output.find(file), std::string::npos) << file;
  EXPECT_EQ(result.errors.find("warning"), std::string::npos) << result.errors;
}

TEST_F(Export, WarnsOfBakedShapesAndDivergedBodies) {
  CommandResult result = run("export beam.qrt three.qtraj --body 2 -o w.usda --json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  ASSERT_EQ(result.json()["warnings"].size(), 1U);
  EXPECT_NE(result.errors.find("warning: body 2 diverged"), std::string::npos) << result.errors;
  const std::string baked = "w.glb: viewers blend no more than 8 morph targets, and the rank is 12";
  result = run("simulate large.qrt --steps 2 -o w.glb -o w.usda -o w.qtraj --json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  ASSERT_EQ(result.json()["warnings"].size(), 1U);
  EXPECT_TRUE(result.json()["warnings"][0].get<std::string>().starts_with(baked));
  EXPECT_NE(result.errors.find("warning: " + baked), std::string::npos) << result.errors;
  result = run("export large.qrt w.qtraj -o w.glb");
  EXPECT_NE(result.errors.find("warning: " + baked), std::string::npos) << result.errors;
}

// With a limit on the size of files, as on a full disk: what was there stays.
TEST_F(Export, AFailedWriteKeepsTheEarlierFiles) {
  ASSERT_EQ(run("export beam.qrt three.qtraj -o k.usda -o k.mdd -o k.pc2").exit_code, 0);
  const auto before = files();
  for (const char* name : {"k.usda", "k.mdd", "k.pc2"}) {
    const std::string earlier = file_text(*folder_ / name), surface = file_text(*folder_ / "k.surface.obj");
    const CommandResult result =
        run(std::string("export beam.qrt three.qtraj --body 1 -o ") + name, "ulimit -f 1 &&");  // one block
    EXPECT_EQ(result.exit_code, 1) << name;
    EXPECT_NE(result.errors.find(name), std::string::npos) << result.errors;
    EXPECT_TRUE(file_text(*folder_ / name) == earlier) << name;
    EXPECT_TRUE(file_text(*folder_ / "k.surface.obj") == surface) << name;
    EXPECT_EQ(files(), before) << name;
  }
}

}  // namespace
}  // namespace quartic
