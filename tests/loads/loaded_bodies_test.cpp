// Bodies under loads on their faces: patch tests, and reduced bodies beside unreduced ones.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <initializer_list>
#include <string>

#include "quartic/error.hpp"
#include "quartic/loads.hpp"
#include "quartic/model.hpp"
#include "quartic/statics.hpp"
#include "support/boxes.hpp"
#include "support/files.hpp"
#include "supports/supported_boxes.hpp"

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace quartic;
using test::BoxCells;
using test::plane;

VectorXd solved(const VolumeMesh& mesh, const Supports& supports, std::span<const double> force) {
  StaticSolver solver(mesh, supports, {.load_steps = 2});
  const Equilibrium end = solver.solve(force);
  EXPECT_TRUE(end.converged && end.stable);
  return VectorXd::Map(end.solution.data(), std::ssize(end.solution));
}

using test::conforming_cells;

class Patch : public testing::TestWithParam<BoxCells> {
 protected:
  Patch() : mesh_(test::make_box(GetParam(), {2, 2, 2})) {
    for (Region& region : mesh_.regions) region.material = test::soft;
    for (int axis = 0; axis < 3; ++axis) {
      std::array<double, 3> normal{};
      normal[static_cast<std::size_t>(axis)] = 1;
      test::append(slides_.constraints, hold_along(plane(mesh_, axis, 0), normal));
    }
  }

  /// u = (stretch - 1) X.
  void expect_stretch(const VectorXd& u, const Eigen::Array3d& stretch) {
    for (std::int32_t v = 0; v < mesh_.vertex_count(); ++v) {
      const Eigen::Vector3d expected = (stretch - 1) * test::position(mesh_, v).array();
      EXPECT_LE((u.segment<3>(3 * v) - expected).norm(), 1e-11) << v;  // of a body of 1 m
    }
  }

  VolumeMesh mesh_;
  Supports slides_;  // on three planes through the origin
};

// All six sides pressed alike: E = (s^2 - 1) / 2 I, and the first Piola-Kirchhoff stress is s (3 lambda + 2 mu) E.
TEST_P(Patch, PressureAllRoundShrinksABodyEvenly) {
  const double s = 0.97, bulk3 = 1e5 / (1 - 2 * 0.3), pressure = -s * bulk3 * (s * s - 1) / 2;
  std::vector<std::int32_t> all;
  for (std::int32_t v = 0; v < mesh_.vertex_count(); ++v) all.push_back(v);
  const auto force = force_vector(pressure_forces(mesh_, all, pressure), mesh_.vertex_count());
  expect_stretch(solved(mesh_, slides_, force), {s, s, s});
}

// Pulled along x and free across: Ey = Ez = -nu Ex, and the traction at rest is sx E Ex.
TEST_P(Patch, TractionStretchesABarEvenly) {
  const double sx = 1.05, strain = (sx * sx - 1) / 2, across = std::sqrt(1 - 2 * 0.3 * strain);
  const auto end = plane(mesh_, 0, 1);
  const double traction = sx * 1e5 * strain, area = 0.6 * 0.8;
  for (const auto& forces : {traction_forces(mesh_, end, {traction, 0, 0}), pressure_forces(mesh_, end, -traction),
                             spread_force(mesh_, end, {traction * area, 0, 0})})
    expect_stretch(solved(mesh_, slides_, force_vector(forces, mesh_.vertex_count())), {sx, across, across});
}

INSTANTIATE_TEST_SUITE_P(Types, Patch, testing::ValuesIn(conforming_cells),
                         [](const auto& parameter) { return test::name_of(parameter.param); });

// A reduced body whose basis has the equilibrium in it finds that one.
TEST(LoadedBodies, RestReducedWhereTheyRestUnreduced) {
  const VolumeMesh mesh = test::make_box(BoxCells::straight_tet10, {3, 1, 1});
  const auto fixed = plane(mesh, 0, 0), end = plane(mesh, 0, 1.5), top = plane(mesh, 2, 0.4);
  for (const auto& forces : {pressure_forces(mesh, top, 400), traction_forces(mesh, end, {0, 900, -300}),
                             spread_force(mesh, end, {50, 0, 80})}) {
    const auto force = force_vector(forces, mesh.vertex_count());
    std::vector<double> half = force;
    for (double& f : half) f /= 2;
    const VectorXd u = solved(mesh, fixed, force);
    MatrixXd fields(u.size(), 2);
    fields << solved(mesh, fixed, half), u;
    const ReducedModel model = reduce_with_basis(mesh, fixed, fields);
    const VectorXd reduced = model.basis.map().transpose() * VectorXd::Map(force.data(), std::ssize(force));
    const Equilibrium end_of = reduced_equilibrium(model.energy, {reduced.data(), 2});
    ASSERT_TRUE(end_of.converged);
    const VectorXd q = VectorXd::Map(end_of.solution.data(), 2);
    EXPECT_GT(u.lpNorm<Eigen::Infinity>(), 0.01);  // beyond the linear range
    EXPECT_LE((model.basis.map() * q - u).norm(), 1e-8 * u.norm());
  }
}

// What loads act on by name is in the model's file; a file without sets is what it was.
TEST(LoadedBodies, HaveTheirSetsInTheModelsFile) {
  const test::TemporaryFolder folder;
  VolumeMesh mesh = test::make_box(BoxCells::hexes, {2, 1, 1});
  const auto fixed = plane(mesh, 0, 0);
  save_model(reduce(mesh, fixed, {.modes = 2, .rank = 2}), folder / "bare.qrt");
  EXPECT_TRUE(load_model(folder / "bare.qrt").mesh.vertex_sets.empty());
  mesh.vertex_sets = {{"END \"a\", \u00e4", plane(mesh, 0, 1)}, {"NONE", {}}, {"TOP", plane(mesh, 2, 0.4)}};
  mesh.names_ignore_case = true;
  const ReducedModel model = reduce(mesh, fixed, {.modes = 2, .rank = 2});
  save_model(model, folder / "sets.qrt");
  const ReducedModel again = load_model(folder / "sets.qrt");
  EXPECT_EQ(again.mesh.vertex_sets, mesh.vertex_sets);
  EXPECT_EQ(find_vertex_set(again.mesh, "top"), plane(mesh, 2, 0.4));
  EXPECT_TRUE(again.unknown_tensors.empty() && again.unknown_metadata.empty());
  std::string text = test::file_text(folder / "sets.qrt");  // what isn't "true" is false
  const std::size_t entry = text.find(R"("vertex_sets_ignore_case":"true")");
  ASSERT_NE(entry, std::string::npos);
  text.replace(text.find("true", entry), 4, "nope");
  std::ofstream(folder / "exact.qrt", std::ios::binary) << text;
  EXPECT_FALSE(load_model(folder / "exact.qrt").mesh.names_ignore_case);
  ReducedModel wrong = model;
  wrong.mesh.vertex_sets["TOP"].push_back(99);
  EXPECT_THROW(save_model(wrong, folder / "wrong.qrt"), InputError);
}

}  // namespace
