// Mass, force, stiffness and energy against VegaFEM's, on its own meshes.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <fstream>
#include <map>
#include <sstream>

#include "quartic/fem.hpp"
#include "support/golden.hpp"
#include "support/support.hpp"

namespace {

using Eigen::VectorXd;
using namespace quartic;

struct Golden {
  const char *name, *mesh;
  // VegaFEM's cube integrals are printed constants, right to 8 to 12 digits; its tetrahedra are exact.
  double stiffness_tolerance, energy_tolerance, mass_tolerance;
};

// "key value" lines up to the first line that is something else.
std::map<std::string, double> read_values(std::ifstream& file) {
  std::map<std::string, double> values;
  for (std::string line; std::getline(file, line) && line != "q";) {
    std::istringstream words(line);
    std::string key;
    double value = 0;
    if (words >> key >> value) values[key] = value;
  }
  return values;
}

void expect_relative(double ours, double golden, double tolerance) {
  EXPECT_NEAR(ours, golden, tolerance * std::abs(golden));
}

class GoldenFem : public testing::TestWithParam<Golden> {};

TEST_P(GoldenFem, MatricesAtRest) {
  const Golden& golden = GetParam();
  QUARTIC_NEED_DATA(folder, std::string("golden/") + golden.name);
  QUARTIC_NEED_DATA(meshes, "public/vegafem");
  std::ifstream file(folder / "summary.txt");
  auto values = read_values(file);
  const VolumeMesh mesh = read_mesh(meshes / golden.mesh);
  expect_relative(stiffness_matrix(mesh).map().norm(), values.at("K0_frobenius"), golden.stiffness_tolerance);
  const SparseMatrix m = mass_matrix(mesh);
  expect_relative(m.map().norm(), values.at("M_frobenius"), golden.mass_tolerance);
  expect_relative((m.map() * VectorXd::Ones(m.rows)).sum() / 3, values.at("total_mass"), golden.mass_tolerance);
}

TEST_P(GoldenFem, LargeDisplacements) {
  const Golden& golden = GetParam();
  QUARTIC_NEED_DATA(folder, std::string("golden/") + golden.name);
  QUARTIC_NEED_DATA(meshes, "public/vegafem");
  const VolumeMesh mesh = read_mesh(meshes / golden.mesh);
  const Matrix basis = test::golden_matrix(folder / "U30.f64", std::ssize(mesh.vertices));
  for (const char* name : {"r12_q1.txt", "r20_q2.txt", "r30_q1.txt", "r30_q3.txt"}) {
    SCOPED_TRACE(name);
    std::ifstream file(folder / name);
    auto values = read_values(file);
    VectorXd q(static_cast<Eigen::Index>(values.at("r")));
    for (double& x : q) file >> x;
    const VectorXd u = basis.map().leftCols(q.size()) * q;
    const std::span<const double> displacement(u.data(), static_cast<std::size_t>(u.size()));
    const auto r = internal_force(mesh, displacement);
    const auto force = VectorXd::Map(r.data(), std::ssize(r));
    expect_relative(strain_energy(mesh, displacement), values.at("strain_energy"), golden.energy_tolerance);
    expect_relative(force.norm(), values.at("full_force_norm2"), golden.stiffness_tolerance);
    expect_relative(force.lpNorm<1>(), values.at("full_force_norm1"), golden.stiffness_tolerance);
    expect_relative(force.lpNorm<Eigen::Infinity>(), values.at("full_force_norminf"), golden.stiffness_tolerance);
    expect_relative(tangent_stiffness(mesh, displacement).map().norm(), values.at("full_K_frobenius_all_dofs"),
                    golden.stiffness_tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, GoldenFem,
                         testing::Values(Golden{"beam_tet", "beam3_tet.veg", 1e-12, 1e-10, 1e-12},
                                         Golden{"beam_vox", "beam3.veg", 1e-9, 1e-7, 1e-7},
                                         Golden{"turtle", "turtle-volumetric-homogeneous.veg", 1e-12, 1e-10, 1e-12}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
