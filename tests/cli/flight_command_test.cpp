// Free bodies fly: `quartic simulate` and `export` of models without fixed vertices.
#include <array>
#include <cmath>

#include "quartic/quartic.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::Case;
using test::CommandResult;
using test::file_text;
using test::run_quartic;

using Vector = std::array<double, 3>;

class Flight : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    ASSERT_EQ(run("make beam --resolution 5 -o beam.veg").exit_code, 0);
    ASSERT_EQ(run("reduce beam.veg --free --modes 3 --rank 5 -o free.qrt").exit_code, 0);
    ASSERT_EQ(run("reduce beam.veg --fix beam.bou --modes 3 --rank 5 -o held.qrt").exit_code, 0);
    mass_ = frame_moments(load_model(*folder_ / "free.qrt")).mass;
  }
  static void TearDownTestSuite() { delete folder_; }
  static CommandResult run(const std::string& arguments) { return run_quartic(folder_->path(), arguments); }
  static nlohmann::json report(const std::string& arguments) {
    const CommandResult result = run(arguments + " --json");
    EXPECT_EQ(result.exit_code, 0) << arguments << '\n' << result.errors;
    return result.exit_code == 0 ? result.json() : nlohmann::json();
  }
  static Trajectory motion(const std::string& name) { return load_trajectory(*folder_ / name); }
  static inline test::TemporaryFolder* folder_ = nullptr;
  static inline double mass_ = 0;
};

double norm(const Vector& v) {
  return std::hypot(v[0], v[1], v[2]);
}

double distance(const Vector& a, const Vector& b) {
  return norm({a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

TEST_F(Flight, WhatCannotFlyIsRefusedWithWhatHelps) {
  ASSERT_EQ(run("reduce beam.veg --fix-box 0,0,0,0,0,9 --modes 2 --rank 2 -o hinge.qrt").exit_code, 0);
  // Two beams side by side, which have twelve rigid motions.
  const VolumeMesh one = read_mesh(*folder_ / "beam.veg");
  VolumeMesh two = one;
  for (std::size_t i = 0; i < one.vertices.size(); ++i) two.vertices.push_back(one.vertices[i] + (i % 3 == 1 ? 5 : 0));
  for (ElementBlock& block : two.blocks) {
    const std::size_t count = block.vertices.size();
    for (std::size_t i = 0; i < count; ++i)
      block.vertices.push_back(block.vertices[i] + static_cast<std::int32_t>(one.vertex_count()));
  }
  two.element_region.insert(two.element_region.end(), one.element_region.begin(), one.element_region.end());
  two.vertex_sets.clear();
  write_vtu(two, *folder_ / "two.vtu");
  ASSERT_EQ(run("reduce two.vtu --free --modes 2 --rank 2 -o two.qrt").exit_code, 0);

  const std::array cases = {
      Case{"simulate held.qrt --pose 0,0,0,0,0,0,1 -o x.csv", 1, "--pose: the body is held"},
      Case{"simulate held.qrt --velocity 1,0,0 -o x.csv", 1, "--velocity: the body is held"},
      Case{"simulate held.qrt --spin 1,0,0 -o x.csv", 1, "--spin: the body is held"},
      Case{"simulate free.qrt --pose 0,0,0,0,0,0,0 -o x.csv", 2, "no rotation"},
      Case{"simulate free.qrt --pose 0,0,0,nan,0,0,1 -o x.csv", 2, "--pose"},
      Case{"simulate free.qrt --pose 0,0,0 -o x.csv", 2, "7 numbers"},
      Case{"simulate free.qrt --spin 1,2 -o x.csv", 2, "3 numbers"},
      Case{"simulate free.qrt --velocity '' -o x.csv", 2, "--velocity"},
      Case{"simulate free.qrt --precision float --velocity 1e38,1e39,0 -o x.csv", 1, "--precision double"},
      Case{"simulate free.qrt --spin 0,0,1 --hold-frame -o x.csv", 2, "--hold-frame"},
      Case{"simulate free.qrt --spin 0,0,1 --resume x.qstate -o x.csv", 2, "--resume"},
      Case{"simulate free.qrt --integrator central-differences -o x.csv", 1, "energy-conserving"},
      Case{"simulate free.qrt --force 100000,0,0,1 -o x.csv", 1, "no vertex 100000"},
      Case{"simulate hinge.qrt -o x.csv", 1, "--hold-frame"},
      Case{"simulate two.qrt -o x.csv", 1, "--hold-frame"},
      Case{"simulate held.qrt --all-bodies -o x.csv", 2, ".glb and .usda"},
  };
  for (const Case& c : cases) {
    const CommandResult result = run(c.arguments);
    EXPECT_EQ(result.exit_code, c.exit_code) << c.arguments << '\n' << result.errors;
    EXPECT_NE(result.errors.find(c.message), std::string::npos) << c.arguments << '\n' << result.errors;
    EXPECT_FALSE(std::filesystem::exists(*folder_ / "x.csv")) << c.arguments;
  }
  for (const char* model : {"hinge.qrt", "two.qrt", "free.qrt"})
    EXPECT_EQ(report(std::string("simulate ") + model + " --hold-frame --steps 2 -o held.qtraj")["flies"], false);
}

// In the frame that is held, the body is what it was before bodies flew: its file has no word of poses.
TEST_F(Flight, AFrameMayBeHeld) {
  const auto held = report("simulate free.qrt --hold-frame --gravity 0,0,-9.81 --steps 3 -o h.qtraj -o h.csv");
  EXPECT_EQ(held["flies"], false);
  EXPECT_FALSE(held.contains("momentum"));
  ASSERT_EQ(held["warnings"].size(), 1U);
  EXPECT_NE(held["warnings"][0].get<std::string>().find("gravity has no effect"), std::string::npos);
  EXPECT_FALSE(motion("h.qtraj").flies());
  EXPECT_TRUE(file_text(*folder_ / "h.csv").starts_with("time,q0,q1,q2,q3,q4\n"));
}

// Gravity alone: the mass centre's parabola at every frame, whatever the step, and nothing else.
TEST_F(Flight, GravityMakesAParabola) {
  for (const char* integrator : {"newmark", "energy-conserving"})
    for (const char* substeps : {"1", "7"}) {
      const auto fall =
          report(std::string("simulate free.qrt --pose 1,2,3,0,0,0,1 --velocity 3,0,4 --gravity 0,-1,-9.81 "
                             "--steps 20 --dt 0.05 -o fall.qtraj -o fall.csv --integrator ") +
                 integrator + " --substeps " + substeps);
      EXPECT_EQ(fall["warnings"], nlohmann::json::array());
      EXPECT_EQ(fall["flies"], true);
      const Trajectory trajectory = motion("fall.qtraj");
      ASSERT_TRUE(trajectory.flies());
      ASSERT_EQ(trajectory.twist.size(), 6U * 21U);
      for (std::size_t frame = 0; frame < 21; ++frame) {
        const double t = trajectory.time[frame];
        const double* pose = trajectory.pose.data() + 7 * frame;
        EXPECT_NEAR(pose[0], 1 + 3 * t, 1e-12);
        EXPECT_NEAR(pose[1], 2 - t * t / 2, 1e-12);
        EXPECT_NEAR(pose[2], 3 + 4 * t - 9.81 * t * t / 2, 1e-12);
        EXPECT_NEAR(pose[6], 1, 1e-14);
        EXPECT_NEAR(trajectory.twist[6 * frame + 2], 4 - 9.81 * t, 1e-12);
      }
      for (const double q : trajectory.q) EXPECT_EQ(q, 0);
      const auto last = fall["momentum"]["linear"]["last"].get<Vector>();
      EXPECT_NEAR(last[2] / mass_, 4 - 9.81, 1e-11);
      EXPECT_NEAR(fall["kinetic_energy"]["last"].get<double>(), mass_ / 2 * (9 + 1 + 5.81 * 5.81), 1e-9 * mass_);
      EXPECT_TRUE(file_text(*folder_ / "fall.csv").starts_with("time,q0,q1,q2,q3,q4,x,y,z,qx,qy,qz,qw\n"));
    }
}

TEST_F(Flight, SpinKeepsMomentaAndEnergy) {
  const auto spin = report(
      "simulate free.qrt --spin 3,2,0.5 --velocity 1,-2,0.25 --steps 50 --dt 0.01 --substeps 4 "
      "--integrator energy-conserving -o spin.qtraj");
  const auto linear = spin["momentum"]["linear"], angular = spin["momentum"]["angular"];
  const Vector p0 = linear["first"].get<Vector>(), p1 = linear["last"].get<Vector>();
  const Vector l0 = angular["first"].get<Vector>(), l1 = angular["last"].get<Vector>();
  EXPECT_NEAR(distance(p0, {mass_, -2 * mass_, mass_ / 4}), 0, 1e-12 * norm(p0));
  EXPECT_GT(norm(l0), 0);
  EXPECT_LT(distance(p1, p0), 1e-11 * norm(p0));
  EXPECT_LT(distance(l1, l0), 1e-11 * norm(l0));
  const double first = spin["energy"]["first"].get<double>();
  EXPECT_NEAR(spin["energy"]["last"].get<double>(), first, 1e-10 * first);
  const Trajectory trajectory = motion("spin.qtraj");
  double deformed = 0;
  for (const double q : trajectory.q) deformed = std::max(deformed, std::abs(q));
  EXPECT_GT(deformed, 0) << "it stretches as it spins";
  // Where nothing is said, a body starts in the place of its mesh.
  const std::array<double, 3> centre = frame_moments(load_model(*folder_ / "free.qrt")).origin;
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(trajectory.pose[c], centre[c]);
}

// --spin is in world axes, whatever the pose: L is the same as that of the unturned body's inertia turned along.
TEST_F(Flight, SpinIsInWorldAxes) {
  const auto momentum = [&](const std::string& options) {
    return report("simulate free.qrt --steps 1 -o spin.qtraj " + options)["momentum"]["angular"]["first"].get<Vector>();
  };
  const Vector x = momentum("--spin 1,0,0"), y = momentum("--spin 0,1,0");
  // A quarter turn about z takes the body's x axis to the world's y.
  const std::string quarter = " --pose 0,0,0,0,0,0.70710678118654752,0.70710678118654752";
  const Vector turned_x = momentum("--spin 0,1,0" + quarter), turned_y = momentum("--spin -1,0,0" + quarter);
  EXPECT_LT(distance(turned_x, {-x[1], x[0], x[2]}), 1e-12 * norm(x));
  EXPECT_LT(distance(turned_y, {-y[1], y[0], y[2]}), 1e-12 * norm(y));
  EXPECT_GT(std::abs(norm(x) / norm(y) - 1), 0.5) << "a beam's axes differ";
}

TEST_F(Flight, QuaternionsAreBroughtToUnitLengthAndThatIsTold) {
  const CommandResult result = run("simulate free.qrt --pose 0,0,0,0,0,1,1 --steps 1 -o n.qtraj");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.errors.find("warning: --pose: the quaternion has the length 1.414"), std::string::npos)
      << result.errors;
  EXPECT_NEAR(motion("n.qtraj").pose[5], std::sqrt(0.5), 1e-15);
}

// A constant force on one vertex: the impulse is the force's, and its moment about the mass centre that of where the
// vertex is, step by step, as told by the frames themselves.
TEST_F(Flight, ForcesOnVerticesActWhereTheVertexIs) {
  const ReducedModel model = load_model(*folder_ / "free.qrt");
  const FrameMoments moments = frame_moments(model);
  const std::int32_t vertex = 0;
  const Vector f = {0, 0.5 * mass_, 2 * mass_};
  const auto pushed = report(
      "simulate free.qrt --velocity 0,1,0 --spin 0,2,1 --steps 200 --dt 0.002 -o push.qtraj "
      "--force 0," +
      std::to_string(f[0]) + "," + std::to_string(f[1]) + "," + std::to_string(f[2]));
  const Vector p0 = pushed["momentum"]["linear"]["first"].get<Vector>();
  const Vector p1 = pushed["momentum"]["linear"]["last"].get<Vector>();
  const Vector l0 = pushed["momentum"]["angular"]["first"].get<Vector>();
  const Vector l1 = pushed["momentum"]["angular"]["last"].get<Vector>();
  EXPECT_LT(distance({p1[0] - p0[0], p1[1] - p0[1], p1[2] - p0[2]}, {0.4 * f[0], 0.4 * f[1], 0.4 * f[2]}),
            2e-6 * 0.4 * norm(f));  // std::to_string has six digits behind the point
  const Trajectory trajectory = motion("push.qtraj");
  Vector impulse{};
  for (std::size_t frame = 0; frame + 1 < trajectory.time.size(); ++frame) {  // forces are those at a step's start
    const double* pose = trajectory.pose.data() + 7 * frame;
    std::vector<double> own(3);
    for (std::size_t c = 0; c < 3; ++c) {
      own[c] = model.mesh.vertices[c] - moments.origin[c];
      for (std::size_t i = 0; i < 5; ++i)
        own[c] += model.basis(3 * std::int64_t{vertex} + static_cast<std::int64_t>(c), static_cast<std::int64_t>(i)) *
                  trajectory.q[5 * frame + i];
    }
    // R y = y + 2 w (u x y) + 2 u x (u x y)
    const Vector u = {pose[3], pose[4], pose[5]};
    const auto cross = [](const Vector& a, const Vector& b) {
      return Vector{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    };
    const Vector y = {own[0], own[1], own[2]}, once = cross(u, y), twice = cross(u, once);
    Vector arm{};
    for (std::size_t c = 0; c < 3; ++c) arm[c] = y[c] + 2 * pose[6] * once[c] + 2 * twice[c];
    const Vector torque = cross(arm, f);
    for (std::size_t c = 0; c < 3; ++c) impulse[c] += 0.002 * torque[c];
  }
  EXPECT_LT(distance({l1[0] - l0[0], l1[1] - l0[1], l1[2] - l0[2]}, impulse), 2e-6 * norm(impulse));
  double deformed = 0;
  for (const double q : trajectory.q) deformed = std::max(deformed, std::abs(q));
  EXPECT_GT(deformed, 0);
}

// A force that ends: afterwards the momenta stay.
TEST_F(Flight, ForcesEnd) {
  const auto pushed = report("simulate free.qrt --force 0,0,0,50,0,0.1 --steps 30 --dt 0.01 -o push.qtraj");
  const Vector last = pushed["momentum"]["linear"]["last"].get<Vector>();
  EXPECT_NEAR(last[2], 50 * 0.1, 1e-11);
}

TEST_F(Flight, AResumedFlightIsTheUninterruptedOneBitByBit) {
  const std::string loads = " --gravity 0,0,-9.81 --force 3,0,5,40,0,0.12 --dt 0.01 --substeps 2 --bodies 2 ";
  for (const char* precision : {"double", "float"}) {
    const std::string common = loads + "--precision " + precision;
    (void)report("simulate free.qrt --spin 1,2,3 --pose 1,2,3,0.5,0.5,0.5,0.5 --steps 20 -o whole.qtraj" + common);
    (void)report("simulate free.qrt --spin 1,2,3 --pose 1,2,3,0.5,0.5,0.5,0.5 --steps 9 --checkpoint c.qstate" +
                 common);
    (void)report("simulate free.qrt --resume c.qstate --steps 11 -o rest.qtraj" + common);
    const Trajectory whole = motion("whole.qtraj"), rest = motion("rest.qtraj");
    ASSERT_EQ(rest.frames(), 12);
    const auto tail = [](const std::vector<double>& all, std::ptrdiff_t row) {
      return std::vector<double>(all.begin() + 9 * row, all.end());
    };
    EXPECT_EQ(rest.q, tail(whole.q, 10)) << precision;
    EXPECT_EQ(rest.pose, tail(whole.pose, 14)) << precision;
    EXPECT_EQ(rest.twist, tail(whole.twist, 12)) << precision;
  }
  // A checkpoint of one kind isn't taken for the other.
  CommandResult result = run("simulate free.qrt --resume c.qstate --precision float --bodies 2 --hold-frame -o x.csv");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("without --hold-frame"), std::string::npos) << result.errors;
  (void)report("simulate free.qrt --hold-frame --steps 1 --checkpoint h.qstate");
  result = run("simulate free.qrt --resume h.qstate -o x.csv");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("with --hold-frame"), std::string::npos) << result.errors;
}

// All bodies of a flying batch are in scenes, one on request; held ones the other way round.
TEST_F(Flight, ScenesHaveAllBodiesThatFly) {
  (void)report("simulate free.qrt --spin 0,0,1 --bodies 3 --steps 4 -o f.qtraj -o f.glb -o f.usda -o f.pc2 -o f.pvd");
  const auto nodes = [&](const std::string& name) {
    const std::string content = file_text(*folder_ / name);
    const std::size_t size = static_cast<unsigned char>(content[12]) + 256U * static_cast<unsigned char>(content[13]) +
                             65536U * static_cast<unsigned char>(content[14]);
    return nlohmann::json::parse(content.substr(20, size))["nodes"].size();
  };
  EXPECT_EQ(nodes("f.glb"), 3U);
  auto exported = report("export free.qrt f.qtraj -o g.glb -o g.usda -o g.pc2 -o g.pvd");
  EXPECT_TRUE(exported["body"].is_null());
  EXPECT_EQ(exported["flies"], true);
  for (const char* extension : {".glb", ".usda", ".pc2"})
    EXPECT_TRUE(file_text(*folder_ / (std::string("f") + extension)) ==
                file_text(*folder_ / (std::string("g") + extension)))
        << extension;
  EXPECT_TRUE(file_text(*folder_ / "f/f_0004.vtu") == file_text(*folder_ / "g/g_0004.vtu"));
  exported = report("export free.qrt f.qtraj --body 1 -o one.glb");
  EXPECT_EQ(exported["body"], 1);
  EXPECT_EQ(nodes("one.glb"), 1U);
  EXPECT_EQ(run("export free.qrt f.qtraj --body 1 --all-bodies -o one.glb").exit_code, 2);
  // Files of one body hold the first, whatever flies, and the report says so.
  EXPECT_EQ(report("export free.qrt f.qtraj -o g.csv -o g.pvd")["body"], 0);
  EXPECT_NE(run("export free.qrt f.qtraj -o g.csv").output.find("body 0 of 3"), std::string::npos);
  const std::string mixed = run("export free.qrt f.qtraj -o g.glb -o g.csv").output;
  EXPECT_NE(mixed.find("all 3 bodies"), std::string::npos) << mixed;
  EXPECT_NE(mixed.find("body 0 alone"), std::string::npos) << mixed;
  EXPECT_NE(mixed.find("in g.csv"), std::string::npos) << mixed;

  (void)report("simulate held.qrt --bodies 3 --steps 4 -o h.qtraj -o h.glb");
  EXPECT_EQ(nodes("h.glb"), 1U);
  exported = report("export held.qrt h.qtraj --all-bodies -o all.glb");
  EXPECT_TRUE(exported["body"].is_null());
  EXPECT_EQ(nodes("all.glb"), 3U);
  EXPECT_EQ(report("export held.qrt h.qtraj -o one.glb")["body"], 0);
  EXPECT_TRUE(file_text(*folder_ / "one.glb") == file_text(*folder_ / "h.glb"));
}

// The plot of a flying body's vertex is of its way in the world: 3 m along x in a second, as its axis says.
TEST_F(Flight, PlotsAreInTheWorld) {
  const CommandResult result = run("simulate free.qrt --velocity 3,0,0 --steps 10 --dt 0.1 --plot flight.svg");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::string svg = file_text(*folder_ / "flight.svg");
  EXPECT_NE(svg.find("Most deformed vertex"), std::string::npos);
  EXPECT_NE(svg.find(">3.0<"), std::string::npos) << svg.substr(0, 3000);
}

// Mass, mass centre and moments of inertia of a box: density, size / 2, m (b^2 + c^2) / 12.
TEST_F(Flight, InfoTellsTheInertiaOfABox) {
  const ProceduralMesh box = make_box({.length = 0.6,
                                       .width = 0.4,
                                       .height = 0.2,
                                       .cells_x = 3,
                                       .cells_y = 2,
                                       .cells_z = 1,
                                       .material = {1e6, 0.3, 500}});
  write_vtu(box.mesh, *folder_ / "box.vtu");
  ASSERT_EQ(run("reduce box.vtu --free --modes 2 --rank 3 -o box.qrt").exit_code, 0);
  const auto info = report("info box.qrt");
  const double mass = 500 * 0.6 * 0.4 * 0.2;
  EXPECT_NEAR(info["mass"].get<double>(), mass, 1e-12 * mass);
  const auto centre = info["mass_centre"].get<Vector>();
  const SurfaceEmbedding surface = boundary_surface(box.mesh);
  for (std::size_t c = 0; c < 3; ++c) {
    double low = 1e9, high = -1e9;
    for (std::size_t i = c; i < surface.vertices.size(); i += 3) {
      low = std::min(low, surface.vertices[i]);
      high = std::max(high, surface.vertices[i]);
    }
    EXPECT_NEAR(centre[c], (low + high) / 2, 1e-13);
  }
  const auto principal = info["principal_inertia"].get<Vector>();
  const Vector exact = {mass * (0.16 + 0.04) / 12, mass * (0.36 + 0.04) / 12, mass * (0.36 + 0.16) / 12};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(principal[i], exact[i], 1e-12 * exact[i]) << "hex8 is exact here";
  EXPECT_LT(info["mean_axis_error"].get<double>(), 1e-9);
  // q, velocity, acceleration and force; pose, twist, its rate and wrench.
  EXPECT_EQ(info["bytes_per_body"], 8 * (4 * 3 + 7 + 6 + 6 + 6));
  EXPECT_EQ(report("info held.qrt")["bytes_per_body"], 8 * 4 * 5);
}

}  // namespace
}  // namespace quartic
