// Equilibria of the unreduced body: patch test, elastica, linear limit, prescribed displacements, loads out of reach.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/unreduced/line_minimum.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/statics.hpp"
#include "support/boxes.hpp"
#include "support/dense.hpp"

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using namespace quartic;

std::vector<std::int32_t> vertices_at(const VolumeMesh& mesh, std::size_t axis, double place) {
  std::vector<std::int32_t> found;
  for (std::size_t v = 0; 3 * v < mesh.vertices.size(); ++v)
    if (std::abs(mesh.vertices[3 * v + axis] - place) < 1e-9) found.push_back(static_cast<std::int32_t>(v));
  return found;
}

double norm(std::span<const double> x) {
  return Eigen::VectorXd::Map(x.data(), std::ssize(x)).norm();
}

// |R(u) - f| on the vertices that aren't fixed, by the functions of fem.hpp.
double imbalance(const VolumeMesh& mesh, std::span<const std::int32_t> fixed, std::span<const double> u,
                 std::span<const double> force) {
  std::vector<double> r = internal_force(mesh, u);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= force[i];
  for (const std::int32_t v : fixed) std::fill_n(r.begin() + 3 * v, 3, 0.0);
  return norm(r);
}

// The tip of a cantilever under a dead load P across it, in units of its length, for P L^2 / E I = load: from the
// elliptic integrals of Bisshopp and Drucker (1945).
struct Tip {
  double across, along;
};
Tip elastica(double load) {
  double low = std::sqrt(0.5) + 1e-12, high = 1 - 1e-12;
  const auto root = [](double p) {
    return std::comp_ellint_1(p) - std::ellint_1(p, std::asin(1 / (p * std::numbers::sqrt2)));
  };
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (root(middle) * root(middle) < load ? low : high) = middle;
  }
  const double p = low, alpha = root(p), phi = std::asin(1 / (p * std::numbers::sqrt2));
  const double sine = 2 * p * p - 1;  // of the slope at the tip
  return {1 - 2 * (std::comp_ellint_2(p) - std::ellint_2(p, phi)) / alpha, std::sqrt(2 * sine) / alpha - 1};
}

TEST(StaticSolverTest, SlenderCantileverFollowsTheElastica) {
  EXPECT_NEAR(elastica(4).across, 0.66996, 5e-6);  // as tabulated
  EXPECT_NEAR(elastica(4).along, -0.32894, 5e-6);
  const double width = 0.02, bending = 1e7 * std::pow(width, 4) / 12;
  const ProceduralMesh beam = make_box({.length = 1,
                                        .width = width,
                                        .height = width,
                                        .cells_x = 40,
                                        .cells_y = 1,
                                        .cells_z = 1,
                                        .type = ElementType::tet10,
                                        .material = {1e7, 0, 1000}});
  const std::vector<std::int32_t> tip = vertices_at(beam.mesh, 0, 1);
  StaticSolver solver(beam.mesh, beam.fixed_vertices);
  for (const double load : {0.1, 1.0, 4.0, 10.0}) {
    std::vector<double> force(beam.mesh.vertices.size());
    for (const std::int32_t v : tip)
      force[3 * static_cast<std::size_t>(v) + 2] = load * bending / static_cast<double>(tip.size());
    const Equilibrium end = solver.solve(force);
    EXPECT_TRUE(end.converged && end.stable);
    // Round-off of forces whose parts along the beam are thousands of times the load.
    EXPECT_LE(imbalance(beam.mesh, beam.fixed_vertices, end.solution, force), 1e-8 * norm(force));
    double across = 0, along = 0;
    for (const std::int32_t v : tip) {
      along += end.solution[3 * static_cast<std::size_t>(v)] / static_cast<double>(tip.size());
      across += end.solution[3 * static_cast<std::size_t>(v) + 2] / static_cast<double>(tip.size());
    }
    // Shear and the change of the axis' length, which the elastica leaves out, are of the order of (width/length)^2.
    EXPECT_NEAR(across, elastica(load).across, 1e-3) << load;
    EXPECT_NEAR(along, elastica(load).along, 1e-3) << load;
  }
}

// A homogeneous deformation u = x a is in equilibrium with its own surface tractions P N, whatever the mesh.
class PatchTest : public testing::TestWithParam<test::BoxCells> {};

TEST_P(PatchTest, HomogeneousDeformationIsFoundExactly) {
  VolumeMesh mesh = test::make_box(GetParam(), {3, 2, 2});
  for (Region& region : mesh.regions) region.material = test::soft;
  const std::vector<std::int32_t> fixed = vertices_at(mesh, 0, 0);
  const Vector3d a(0.3, 0.2, -0.25);
  const Matrix3d f = Matrix3d::Identity() + a * Vector3d::UnitX().transpose();
  const Matrix3d strain = (f.transpose() * f - Matrix3d::Identity()) / 2;
  const Matrix3d stress = lame_lambda(test::soft) * strain.trace() * Matrix3d::Identity() +
                          2 * lame_mu(test::soft) * strain;  // second Piola-Kirchhoff
  const Matrix3d p = f * stress;
  // Virtual work of P in the body equals that of P N on its surface: f_a = P times the integral of grad phi_a, which
  // is the derivative of the volume by the position of vertex a. Inside it vanishes.
  std::vector<double> force(mesh.vertices.size());
  const auto volume = [](const VolumeMesh& moved) { return check_mesh(moved).volume; };
  for (std::size_t v = 0; 3 * v < mesh.vertices.size(); ++v) {
    Vector3d gradient;
    for (std::size_t c = 0; c < 3; ++c) {
      VolumeMesh moved = mesh;  // the volume is linear in each single coordinate of straight elements
      moved.vertices[3 * v + c] += 0.01;
      gradient[static_cast<Eigen::Index>(c)] = volume(moved);
      moved.vertices[3 * v + c] -= 0.02;
      gradient[static_cast<Eigen::Index>(c)] -= volume(moved);
    }
    Vector3d::Map(force.data() + 3 * v) = p * gradient / 0.02;
  }
  const Equilibrium end = StaticSolver(mesh, fixed).solve(force);
  ASSERT_TRUE(end.converged && end.stable);
  for (std::size_t v = 0; 3 * v < mesh.vertices.size(); ++v)
    EXPECT_LE((Vector3d::Map(end.solution.data() + 3 * v) - mesh.vertices[3 * v] * a).norm(), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Elements, PatchTest,
                         testing::Values(test::BoxCells::tets, test::BoxCells::hexes, test::BoxCells::wedges,
                                         test::BoxCells::straight_tet10, test::BoxCells::straight_hex20,
                                         test::BoxCells::straight_wedge15),
                         [](const auto& param) { return test::name_of(param.param); });

TEST(StaticSolverTest, SmallLoadsGiveTheLinearSolution) {
  const VolumeMesh mesh = test::make_box(test::BoxCells::alternating, {3, 2, 2});
  const std::vector<std::int32_t> fixed = vertices_at(mesh, 0, 0);
  std::vector<double> force = test::random_numbers(mesh.vertices.size(), 5);
  for (double& x : force) x *= 1e-4;
  const Equilibrium end = StaticSolver(mesh, fixed).solve(force);
  ASSERT_TRUE(end.converged && end.stable);
  Eigen::MatrixXd k(stiffness_matrix(mesh).map());
  Eigen::VectorXd f = Eigen::VectorXd::Map(force.data(), std::ssize(force));
  for (const std::int32_t v : fixed) {
    k.middleRows(3 * v, 3).setZero();
    k.middleCols(3 * v, 3).setZero();
    k.diagonal().segment(3 * v, 3).setOnes();
    f.segment(3 * v, 3).setZero();
  }
  const Eigen::VectorXd linear = test::solve(k, f);
  // The second order is |u| / size = 1e-8 of the first.
  EXPECT_LE((Eigen::VectorXd::Map(end.solution.data(), f.size()) - linear).norm(), 1e-7 * linear.norm());
}

TEST(StaticSolverTest, PathsDoNotMatterToWhereTheyLead) {
  const ProceduralMesh beam = make_beam(20);
  std::vector<double> force(beam.mesh.vertices.size());
  for (const std::int32_t v : vertices_at(beam.mesh, 0, 1)) force[3 * static_cast<std::size_t>(v) + 2] = -8;
  const Equilibrium once = StaticSolver(beam.mesh, beam.fixed_vertices).solve(force);
  const Equilibrium steps = StaticSolver(beam.mesh, beam.fixed_vertices,
                                         {.load_steps = 7, .factorization = {.method = FactorizationMethod::eigen}})
                                .solve(force);
  ASSERT_TRUE(once.converged && steps.converged);
  EXPECT_EQ(steps.load_steps, 7);
  std::vector<double> half = force;
  for (double& x : half) x /= 2;
  StaticSolver solver(beam.mesh, beam.fixed_vertices);
  const Equilibrium warm = solver.solve(force, solver.solve(half).solution);
  ASSERT_TRUE(warm.converged);
  const double size = norm(once.solution);
  for (const Equilibrium* other : {&steps, &warm}) {
    double distance = 0;
    for (std::size_t i = 0; i < force.size(); ++i)
      distance = std::max(distance, std::abs(other->solution[i] - once.solution[i]));
    EXPECT_LE(distance, 1e-9 * size);
  }
  // A solution is its own continuation: no further iteration.
  const Equilibrium again = solver.solve(force, once.solution);
  EXPECT_LE(again.iterations, 1);
  EXPECT_TRUE(again.stable);
}

TEST(StaticSolverTest, FixedVerticesStayWhereTheyArePut) {
  const ProceduralMesh bar = make_box(
      {.length = 1, .width = 0.2, .height = 0.2, .cells_x = 5, .cells_y = 1, .cells_z = 1, .material = {1e5, 0, 1000}});
  std::vector<std::int32_t> fixed = bar.fixed_vertices;
  std::vector<double> start(bar.mesh.vertices.size());
  for (const std::int32_t v : vertices_at(bar.mesh, 0, 1)) {
    fixed.push_back(v);
    start[3 * static_cast<std::size_t>(v)] = 0.5;
  }
  const std::vector<double> no_force(start.size());
  const Equilibrium end = StaticSolver(bar.mesh, fixed).solve(no_force, start);
  ASSERT_TRUE(end.converged && end.stable);
  double reaction = 0;
  const std::vector<double> r = internal_force(bar.mesh, end.solution);
  for (const std::int32_t v : vertices_at(bar.mesh, 0, 1)) reaction += r[3 * static_cast<std::size_t>(v)];
  const double stretch = 1.5;  // without lateral strain: P = E/2 (stretch^3 - stretch) on the section
  EXPECT_NEAR(reaction, 0.04 * 1e5 / 2 * (stretch * stretch * stretch - stretch), 1e-6);
  for (std::size_t v = 0; 3 * v < start.size(); ++v)
    EXPECT_NEAR(end.solution[3 * v], 0.5 * bar.mesh.vertices[3 * v], 1e-9);
}

TEST(StaticSolverTest, SaysHowFarItGot) {
  // The material gives way at a pressure of E / (3 sqrt(3)) = 0.192 E; four iterations don't lead past that. The bar is
  // too short to buckle.
  const ProceduralMesh bar = make_box({.length = 0.2,
                                       .width = 0.2,
                                       .height = 0.2,
                                       .cells_x = 2,
                                       .cells_y = 1,
                                       .cells_z = 1,
                                       .material = {1e5, 0, 1000}});
  std::vector<double> force(bar.mesh.vertices.size());
  for (const std::int32_t v : vertices_at(bar.mesh, 0, 0.2))
    force[3 * static_cast<std::size_t>(v)] = -0.25 * 1e5 * 0.04 / 4;
  const Equilibrium end =
      StaticSolver(bar.mesh, bar.fixed_vertices, {.load_steps = 25, .halvings = 0, .newton_iterations = 4})
          .solve(force);
  EXPECT_FALSE(end.converged);
  EXPECT_TRUE(end.stable);
  EXPECT_GE(end.load_factor, 0.4);
  EXPECT_LE(end.load_factor, 0.1925 / 0.25);
  for (double& x : force) x *= end.load_factor;
  // What it did reach is an equilibrium.
  EXPECT_LE(imbalance(bar.mesh, bar.fixed_vertices, end.solution, force), 1e-9 * norm(force));
  EXPECT_EQ(inverted_elements(bar.mesh, end.solution), 0);
}

TEST(StaticSolverTest, ShortStepsSucceedWhereLongOnesFail) {
  const ProceduralMesh beam = make_beam(20);
  std::vector<double> force(beam.mesh.vertices.size());
  for (const std::int32_t v : vertices_at(beam.mesh, 0, 1)) force[3 * static_cast<std::size_t>(v) + 2] = -8;
  const Equilibrium many =
      StaticSolver(beam.mesh, beam.fixed_vertices, {.load_steps = 100, .halvings = 0, .newton_iterations = 5})
          .solve(force);
  EXPECT_TRUE(many.converged);
  EXPECT_EQ(many.load_steps, 100);
  // A step that is too long is halved until it works; steps grow again, but not beyond what was asked for.
  const Equilibrium halved =
      StaticSolver(beam.mesh, beam.fixed_vertices, {.halvings = 10, .newton_iterations = 5}).solve(force);
  EXPECT_TRUE(halved.converged);
  EXPECT_GT(halved.load_steps, 4);
  EXPECT_LE((Eigen::VectorXd::Map(many.solution.data(), std::ssize(force)) -
             Eigen::VectorXd::Map(halved.solution.data(), std::ssize(force)))
                .norm(),
            1e-8 * norm(many.solution));
}

// So slender that rounding of the forces along it is far above the tolerance.
TEST(StaticSolverTest, StopsAtRoundOff) {
  const double width = 0.001, bending = 1e7 * std::pow(width, 4) / 12;
  const ProceduralMesh wire = make_box({.length = 1,
                                        .width = width,
                                        .height = width,
                                        .cells_x = 100,
                                        .cells_y = 1,
                                        .cells_z = 1,
                                        .type = ElementType::tet10,
                                        .material = {1e7, 0, 1000}});
  const std::vector<std::int32_t> tip = vertices_at(wire.mesh, 0, 1);
  StaticSolver solver(wire.mesh, wire.fixed_vertices);
  for (const double load : {1e-3, 1.0}) {
    std::vector<double> force(wire.mesh.vertices.size());
    for (const std::int32_t v : tip)
      force[3 * static_cast<std::size_t>(v) + 2] = load * bending / static_cast<double>(tip.size());
    const Equilibrium end = solver.solve(force);
    EXPECT_TRUE(end.converged && end.stable) << load;
    EXPECT_LT(end.iterations, 60);
    EXPECT_LT(end.energy_error, 1e-7);
    EXPECT_NEAR(end.solution[3 * static_cast<std::size_t>(tip.front()) + 2], elastica(load).across, 2e-3 * load);
  }
}

// A column beyond Euler's load pi^2 E I / (4 L^2) can stand upright, but not for long.
TEST(StaticSolverTest, TellsUnstableEquilibria) {
  const double width = 0.05, euler = std::numbers::pi * std::numbers::pi / 4 * 1e7 * std::pow(width, 4) / 12;
  const ProceduralMesh column = make_box({.length = 1,
                                          .width = width,
                                          .height = width,
                                          .cells_x = 20,
                                          .cells_y = 1,
                                          .cells_z = 1,
                                          .type = ElementType::tet10,
                                          .material = {1e7, 0, 1000}});
  const std::vector<std::int32_t> top = vertices_at(column.mesh, 0, 1);
  StaticSolver solver(column.mesh, column.fixed_vertices);
  for (const double share : {0.9, 1.1}) {
    // Even pressure on the quadratic triangles of the top: a third of each on the middle vertices of its edges.
    std::vector<double> force(column.mesh.vertices.size());
    for (const std::int32_t v : top) {
      const double y = column.mesh.vertices[3 * static_cast<std::size_t>(v) + 1] / width;
      const double z = column.mesh.vertices[3 * static_cast<std::size_t>(v) + 2] / width;
      const bool corner = (y < 0.1 || y > 0.9) && (z < 0.1 || z > 0.9),
                 middle = y > 0.1 && y < 0.9 && z > 0.1 && z < 0.9;
      force[3 * static_cast<std::size_t>(v)] = corner ? 0 : -share * euler / (middle ? 3 : 6);
    }
    const Equilibrium end = solver.solve(force);
    EXPECT_TRUE(end.converged);
    EXPECT_EQ(end.stable, share < 1) << share;
  }
}

TEST(StaticSolverTest, CompressionBeyondTheMaterialTurnsElementsInsideOut) {
  // St. Venant-Kirchhoff material resists compression up to 0.19 E only, and has an equilibrium beyond flat elements.
  const ProceduralMesh bar = make_box(
      {.length = 1, .width = 0.2, .height = 0.2, .cells_x = 1, .cells_y = 1, .cells_z = 1, .material = {1e5, 0, 1000}});
  const std::vector<std::int32_t> end_face = vertices_at(bar.mesh, 0, 1);
  StaticSolver solver(bar.mesh, bar.fixed_vertices);
  for (const double pressure : {0.1, 0.3}) {
    std::vector<double> force(bar.mesh.vertices.size());
    for (const std::int32_t v : end_face) force[3 * static_cast<std::size_t>(v)] = -pressure * 1e5 * 0.04 / 4;
    const Equilibrium end = solver.solve(force);
    ASSERT_TRUE(end.converged && end.stable);
    EXPECT_EQ(inverted_elements(bar.mesh, end.solution), pressure > 0.19 ? 1 : 0);
  }
}

// A basis of all displacements reduces nothing.
TEST(ReducedEquilibriumTest, IsThatOfTheUnreducedBodyWithACompleteBasis) {
  const ProceduralMesh bar = make_box({.length = 1,
                                       .width = 0.3,
                                       .height = 0.2,
                                       .cells_x = 2,
                                       .cells_y = 1,
                                       .cells_z = 1,
                                       .material = {1e5, 0.3, 1000}});
  const auto dofs = std::ssize(bar.mesh.vertices);
  Eigen::MatrixXd fields = Eigen::MatrixXd::Zero(dofs, 24);
  Eigen::Index column = 0;
  for (Eigen::Index v = 0; v < dofs / 3; ++v)
    for (int c = 0; c < 3 && bar.mesh.vertices[3 * static_cast<std::size_t>(v)] > 0; ++c)
      fields(3 * v + c, column++) = 1;
  ASSERT_EQ(column, 24);
  const ReducedModel model = reduce_with_basis(bar.mesh, bar.fixed_vertices, fields);
  std::vector<double> force(bar.mesh.vertices.size());
  force.back() = -80;
  const Eigen::VectorXd reduced = model.basis.map().transpose() * Eigen::VectorXd::Map(force.data(), dofs);
  const Equilibrium whole = StaticSolver(bar.mesh, bar.fixed_vertices).solve(force);
  const Equilibrium part = reduced_equilibrium(model.energy, std::span(reduced.data(), 24));
  ASSERT_TRUE(whole.converged && part.converged && part.stable);
  const Eigen::VectorXd u = model.basis.map() * Eigen::VectorXd::Map(part.solution.data(), 24);
  EXPECT_GT(u.cwiseAbs().maxCoeff(), 0.3);
  EXPECT_LE((u - Eigen::VectorXd::Map(whole.solution.data(), dofs)).norm(), 1e-9 * u.norm());
  // From elsewhere to the same place.
  const Equilibrium again =
      reduced_equilibrium(model.energy, std::span(reduced.data(), 24), std::vector<double>(24, 0.1), {.load_steps = 3});
  ASSERT_TRUE(again.converged);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_NEAR(again.solution[i], part.solution[i], 1e-8);
}

TEST(ReducedEquilibriumTest, RefusesWhatDoesNotFit) {
  const QuarticEnergy energy{.rank = 1, .coefficients = {0, 0, 2, 0, 0}};  // V = q^2 / 2
  EXPECT_NEAR(reduced_equilibrium(energy, std::array{3.0}).solution[0], 3, 1e-14);
  EXPECT_THROW(static_cast<void>(reduced_equilibrium(energy, std::array{3.0, 1.0})), InputError);
  EXPECT_THROW(static_cast<void>(reduced_equilibrium(energy, std::array{3.0}, std::array{1.0, 2.0})), InputError);
  EXPECT_THROW(static_cast<void>(reduced_equilibrium(energy, std::array{std::nan("")})), InputError);
  EXPECT_THROW(static_cast<void>(reduced_equilibrium(energy, std::array{3.0}, {}, {.tolerance = 2})), InputError);
}

TEST(ReducedEquilibriumTest, OfManyLoadsAreThoseOfEach) {
  const ProceduralMesh beam = make_beam(10);
  const QuarticEnergy energy = reduce(beam.mesh, beam.fixed_vertices, {.modes = 4, .rank = 6}).energy;
  Eigen::MatrixXd forces = 40 * Eigen::MatrixXd::Identity(6, 3);
  forces(0, 2) = -100;
  const std::vector<Equilibrium> all = reduced_equilibria(energy, forces, {.tolerance = 1e-8});
  ASSERT_EQ(all.size(), 3U);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const Equilibrium one = reduced_equilibrium(energy, std::span(forces.col(static_cast<Eigen::Index>(n)).data(), 6),
                                                {}, {.tolerance = 1e-8});
    EXPECT_TRUE(all[n].converged);
    EXPECT_EQ(all[n].solution, one.solution) << n;
  }
  EXPECT_THROW(static_cast<void>(reduced_equilibria(energy, forces.topRows(5))), InputError);
  forces(1, 1) = std::nan("");
  EXPECT_THROW(static_cast<void>(reduced_equilibria(energy, forces)), InputError);
}

// Forces that vanish at the end are measured by what they were.
TEST(StaticSolverTest, SupportsThatMoveTakeTheBodyAlong) {
  const ProceduralMesh beam = make_beam(10);
  const std::vector<double> no_force(beam.mesh.vertices.size());
  StaticSolver solver(beam.mesh, beam.fixed_vertices);
  for (const double shift : {1e-6, 1e-3, 1.0}) {
    std::vector<double> start(no_force.size());
    for (const std::int32_t v : beam.fixed_vertices) start[3 * static_cast<std::size_t>(v) + 2] = shift;
    const Equilibrium end = solver.solve(no_force, start);
    ASSERT_TRUE(end.converged && end.stable) << shift;
    for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NEAR(end.solution[i], i % 3 == 2 ? shift : 0, 1e-6 * shift);
  }
  // A bent body that is let go returns to rest.
  std::vector<double> force = no_force;
  force.back() = -60;
  const Equilibrium rest = solver.solve(no_force, solver.solve(force).solution);
  EXPECT_TRUE(rest.converged);
  EXPECT_LE(rest.iterations, 30);
  EXPECT_LE(norm(rest.solution), 1e-5);
}

TEST(StaticSolverTest, NoLoadIsAtRest) {
  const ProceduralMesh beam = make_beam(10);
  const Equilibrium end =
      StaticSolver(beam.mesh, beam.fixed_vertices).solve(std::vector<double>(beam.mesh.vertices.size()));
  EXPECT_TRUE(end.converged && end.stable);
  EXPECT_EQ(end.load_factor, 1);
  EXPECT_EQ(norm(end.solution), 0);
}

TEST(StaticSolverTest, RefusesWhatItCannotSolve) {
  const ProceduralMesh beam = make_beam(10);
  const std::size_t dofs = beam.mesh.vertices.size();
  EXPECT_THROW(StaticSolver(beam.mesh, {}), InputError);
  EXPECT_THROW(StaticSolver(beam.mesh, std::vector<std::int32_t>{0, 1}), InputError);
  EXPECT_THROW(StaticSolver(beam.mesh, std::vector<std::int32_t>{-1}), InputError);
  EXPECT_THROW(StaticSolver(beam.mesh, beam.fixed_vertices, {.load_steps = 0}), InputError);
  EXPECT_THROW(StaticSolver(beam.mesh, beam.fixed_vertices, {.newton_iterations = 0}), InputError);
  EXPECT_THROW(StaticSolver(beam.mesh, beam.fixed_vertices, {.tolerance = 0}), InputError);
  StaticSolver solver(beam.mesh, beam.fixed_vertices);
  std::vector<double> force(dofs);
  EXPECT_THROW(static_cast<void>(solver.solve(std::span(force).first(dofs - 1))), InputError);
  EXPECT_THROW(static_cast<void>(solver.solve(force, std::span(force).first(3))), InputError);
  force[4] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(static_cast<void>(solver.solve(force)), InputError);
}

// Slopes of t^4 - 3 t^3 + ... with minima where they are put.
TEST(LineMinimumTest, FindsTheNearestMinimum) {
  const auto slope = [](double t) { return (t - 0.3) * (t - 0.6) * (t - 2) * 5; };  // rising at 0.3, and at 2
  const double h = 1e-5, curvature = (slope(h) - slope(-h)) / (2 * h);
  const auto t = nearest_minimum(slope(0), curvature, slope(0.5), slope(1));
  ASSERT_TRUE(t);
  EXPECT_NEAR(*t, 0.3, 1e-9);                                           // curvature by differences
  EXPECT_NEAR(*nearest_minimum(-1, 1, -0.5, 0), 1, 1e-14);              // a parabola
  EXPECT_NEAR(*nearest_minimum(-1, 0, -1 + 0.125e3, 999), 0.1, 1e-14);  // -1 + 1000 t^3
  EXPECT_NEAR(*nearest_minimum(-6, 0.1, -5.95, -5.9), 60, 1e-8);        // far away
  EXPECT_FALSE(nearest_minimum(-1, 0, -1, -1));                         // downhill for ever
  EXPECT_FALSE(nearest_minimum(-1, 1, std::nan(""), 0));
}

}  // namespace
