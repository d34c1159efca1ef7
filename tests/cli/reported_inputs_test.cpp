// Small inputs that other programs' users reported, with values that were found in another way: closed forms, other
// elements, independent programs.
#include <algorithm>
#include <string>
#include <vector>

#include "support/command.hpp"

namespace quartic {
namespace {

using nlohmann::json;
using test::CommandResult;

class ReportedInput : public testing::Test {
 protected:
  void SetUp() override {
    data_ = test::reference_data("turn2").value_or("");
    if (data_.empty()) GTEST_SKIP() << "QUARTIC_TEST_DATA isn't set: no reference data";
  }
  /// `@` stands for the folder of inputs.
  CommandResult run(std::string arguments) {
    for (std::size_t at = 0; (at = arguments.find('@', at)) != std::string::npos;)
      arguments.replace(at, 1, "'" + data_.string() + "'/");
    return test::run_quartic(folder_.path(), arguments);
  }
  json report(const std::string& arguments) {
    const CommandResult result = run(arguments + " --json");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.exit_code == 0 ? result.json() : json::object();
  }
  std::vector<double> frequencies(const std::string& arguments) {
    return report("modes " + arguments + " -o x.qrt").at("frequencies").get<std::vector<double>>();
  }

  std::filesystem::path data_;
  test::TemporaryFolder folder_;
};

bool warns(const json& report, const std::string& part) {
  const auto& warnings = report.at("warnings");
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const json& text) { return text.get<std::string>().find(part) != std::string::npos; });
}

void expect_near(const std::vector<double>& found, const std::vector<double>& right, double relative) {
  ASSERT_GE(found.size(), right.size());
  for (std::size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(found[i] / right[i], 1, relative) << "number " << i;
}

TEST_F(ReportedInput, SymmetryHoldsOneDirection) {
  expect_near(frequencies("@t01_half_ysymm.inp --fix-set boundary --modes 4"),
              {83.720919, 502.600285, 1298.90664, 1325.79459}, 1e-8);
  const json by_hand = report("modes @t01_half_ysymm.inp --fix-set ROOT --fix-set SYM:y --modes 4 -o x.qrt");
  EXPECT_NEAR(by_hand.at("frequencies").at(0).get<double>(), 83.720919, 1e-6);
  EXPECT_EQ(by_hand.at("fixed_vertices"), 21);
  EXPECT_EQ(by_hand.at("constraints"), 85);  // that of its mirror plane, some of which are fixed besides
}

TEST_F(ReportedInput, PointMassesSwingAlong) {
  expect_near(frequencies("@t21_tip_mass.inp --fix-set boundary --modes 6"),
              {189.07559, 189.07559, 1875.80449, 1875.80449, 3280.64452, 3726.41025}, 2e-8);
  EXPECT_EQ(report("info @t21_tip_mass.inp").at("point_mass"), 0.6);
}

TEST_F(ReportedInput, LoadsThatAreLeftOutAreTold) {
  const json preload = report("modes @t17_strut_preload.inp --fix-set boundary --modes 4 -o x.qrt");
  EXPECT_TRUE(warns(preload, "*FREQUENCY of the body loaded in a step before")) << preload["warnings"];
}

TEST_F(ReportedInput, BodiesOutsideTheirModelAreTold) {
  ASSERT_EQ(run("reduce @t03_bar.inp --fix-set BOTTOM --modes 10 --rank 20 -o x.qrt").exit_code, 0);
  const json motion =
      report("simulate x.qrt --gravity 0,0,-50 --steps 100 --dt 0.01 --substeps 4 --rayleigh-mass 1 -o x.csv");
  EXPECT_EQ(motion.at("inverted_elements"), 168);  // of 320; all of them where round-off lets the bar buckle sideways
  EXPECT_NEAR(motion.at("inverted_since").get<double>(), 0.17, 1e-9);
}

TEST_F(ReportedInput, LostPrecisionIsToldAndAvoided) {
  ASSERT_EQ(run("reduce @t05_utm.inp --fix-set boundary --modes 4 --rank 6 -o x.qrt").exit_code, 0);
  const json files = report("simulate x.qrt --gravity 0,0,-9.81 --steps 5 --dt 0.001 -o x.glb -o x.usda -o x.pc2");
  EXPECT_TRUE(warns(files, "x.pc2: positions in single precision are 0.5 m apart")) << files["warnings"];
  EXPECT_FALSE(warns(files, "x.glb") || warns(files, "x.usda")) << files["warnings"];
  const json shown = report("info x.glb");
  EXPECT_EQ(shown.at("vertices"), 260);
  const std::vector<double> box = shown.at("bounding_box");
  EXPECT_NEAR(box[3] - box[0], 0.2, 1e-6);
  EXPECT_NEAR(box[4] - box[1], 0.02, 1e-6);
}

TEST_F(ReportedInput, VoxelsLeaveCavitiesEmptyAndTellWhatTheyAdd) {
  const json nested = report("info @t07_nested.obj --voxels 10");
  EXPECT_EQ(nested.at("elements").at("hex8"), 784);
  EXPECT_NEAR(nested.at("volume").get<double>(), 0.784, 1e-12);
  const std::string material = " --youngs-modulus 1e6 --poissons-ratio 0.3 --density 1000 --free --modes 1";
  expect_near(frequencies("@t07_nested.obj --voxels 10" + material), {7.87}, 1e-3);
  const json plate = report(
      "modes @t09_plate_m.obj --voxels 20 --youngs-modulus 2.1e11 --poissons-ratio 0.3 --density 7850 --free --modes 3 "
      "-o x.qrt");
  EXPECT_TRUE(warns(plate, "50 % more")) << plate["warnings"];
}

TEST_F(ReportedInput, FoldedElementsAreToldAndRefused) {
  const CommandResult info = run("info @t13_curved_quarter.inp");
  EXPECT_NE(info.errors.find("element 0, counted from 0"), std::string::npos) << info.errors;
  EXPECT_EQ(run("modes @t13_curved_quarter.inp --strict --free --modes 4 -o x.qrt").exit_code, 1);
  EXPECT_TRUE(warns(report("modes @t13_curved_quarter.inp --free --modes 4 -o x.qrt"), "folded"));
}

TEST_F(ReportedInput, BoxesHaveATolerance) {
  expect_near(frequencies("@t15_fixbox.inp --fix-box 0.3,0,0,0.3,0.1,0.1 --modes 3"), {1973, 1973, 4035}, 2e-4);
}

TEST_F(ReportedInput, MeshesAreReadForWhatTheyAre) {
  const json heat = report("info @t19_dof_0_0_300.inp");
  EXPECT_EQ(heat.at("vertices"), 20);
  EXPECT_EQ(heat.at("fixed_sets").at("boundary"), 4);
  EXPECT_NEAR(report("info @t23_usd_material.usda").at("mass").get<double>(), 550, 1e-9);
  const json cube = report("info @t25_quantized.glb");
  EXPECT_TRUE(cube.at("closed"));
  EXPECT_NEAR(cube.at("enclosed_volume").get<double>(), 8, 1e-12);
  const json parts = report("info @t29_partitioned.msh");
  EXPECT_EQ(parts.at("elements").at("hex8"), 2);
  EXPECT_EQ(parts.at("vertices"), 12);
  EXPECT_EQ(parts.at("fixed_sets").at("clamp"), 4);
  const json assembly = report("info @t37_assembly_set.inp");
  EXPECT_EQ(assembly.at("fixed_sets").at("FLOOR"), 4);
  EXPECT_NEAR(assembly.at("mass").get<double>(), 1000, 1e-9);
}

// hex20 and tet10 on the same grid: 1.014 to 1.021 Hz, where hex8 has 1.713.
TEST_F(ReportedInput, LockingGetsAHintAndAWayOut) {
  const std::string body = "@t27_inc_h8_0.499.inp";
  EXPECT_EQ(report("info " + body).at("hints").size(), 1U);
  EXPECT_NEAR(frequencies(body + " --fix-set boundary --modes 2 --quadratic")[0], 1.0175, 0.005);
}

TEST_F(ReportedInput, NumbersOutOfRangeAreRefused) {
  const CommandResult tiny = run("modes @t31_tiny60.inp --fix-set boundary --modes 3 -o x.qrt");
  EXPECT_EQ(tiny.exit_code, 1);
  EXPECT_NE(tiny.errors.find("out of range"), std::string::npos) << tiny.errors;
}

TEST_F(ReportedInput, ForcesOnFixedVerticesAreTold) {
  ASSERT_EQ(run("reduce @t33_square_h8.inp --fix-set boundary --modes 4 --rank 6 -o x.qrt").exit_code, 0);
  const json motion = report("simulate x.qrt --force 0,0,0,1 --steps 2 -o x.csv");
  EXPECT_TRUE(warns(motion, "vertex 0 is fixed")) << motion["warnings"];
}

// Lamb 1882: the lowest modes of a free sphere, torsional and spheroidal, are five each.
TEST_F(ReportedInput, ASphereHasFiveModesOfAKind) {
  const double unit = 0.6201737 / 6.283185307179586;
  std::vector<double> right(5, 2.501 * unit);
  right.insert(right.end(), 5, 2.646 * unit);
  expect_near(frequencies("@t35_sphere_t10.inp --free --modes 10"), right, 8e-4);
}

}  // namespace
}  // namespace quartic
