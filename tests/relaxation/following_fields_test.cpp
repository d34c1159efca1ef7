// The fields that follow and the forces that they answer to, against dense algebra on small bars.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/algebra/sparse_product.hpp"
#include "core/fem/prepared_mesh.hpp"
#include "core/modes/elastic_system.hpp"
#include "core/relaxation/relaxation_operations.hpp"
#include "quartic/energy.hpp"
#include "quartic/fem.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/relaxation.hpp"
#include "support/boxes.hpp"
#include "support/dense.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ProceduralMesh bar() {  // ten elements
  return make_box({.length = 1, .width = 0.1, .height = 0.07, .cells_x = 10, .cells_y = 1, .cells_z = 1});
}

MatrixXd quadratic_forces(const VolumeMesh& mesh, const MatrixXd& fields) {
  return cpu_relaxation_operations.quadratic_forces(PreparedMesh(mesh), fields).map();
}

// g_ij of all pairs i <= j, by polarisation: g(q) = sum of g_ij q_i q_j.
MatrixXd forces_of_pairs(const VolumeMesh& mesh, const MatrixXd& basis) {
  const Index r = basis.cols();
  const MatrixXd own = quadratic_forces(mesh, basis);
  MatrixXd result(basis.rows(), r * (r + 1) / 2);
  for (Index i = 0, pair = 0; i < r; ++i)
    for (Index j = i; j < r; ++j, ++pair)
      if (i == j)
        result.col(pair) = own.col(i);
      else
        result.col(pair) = quadratic_forces(mesh, basis.col(i) + basis.col(j)) - own.col(i) - own.col(j);
  return result;
}

double relative_difference(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).norm() / b.norm();
}

// ---- forces of the quadratic stress -------------------------------------------------------------------------------

// R(u) = K u + (the rest), and of an infinitesimal rotation, which has no linear strain, the part of second order is
// nothing but the force of the quadratic stress.
TEST(QuadraticForces, AreTheSecondOrderForcesOfARotation) {
  for (const test::BoxCells cells : test::all_cells) {
    SCOPED_TRACE(test::name_of(cells));
    const VolumeMesh mesh = test::make_box(cells, {2, 2, 1});
    VectorXd u(std::ssize(mesh.vertices));
    for (Index v = 0; v < u.size(); v += 3) {
      const Eigen::Vector3d x = VectorXd::Map(mesh.vertices.data(), u.size()).segment<3>(v);
      u.segment<3>(v) = Eigen::Vector3d(0.3, -0.5, 0.2).cross(x);
    }
    const auto force = [&](double t) {
      const VectorXd moved = t * u;
      const std::vector<double> f = internal_force(mesh, {moved.data(), static_cast<std::size_t>(moved.size())});
      return VectorXd(VectorXd::Map(f.data(), std::ssize(f)));
    };
    EXPECT_LT(relative_difference(quadratic_forces(mesh, u), 0.5 * (force(1) + force(-1))), 1e-12);
  }
}

// Two ways to the same numbers: nodal forces and products of strains.
TEST(QuadraticForces, DoTheWorkOfTheirStresses) {
  for (const test::BoxCells cells : test::all_cells) {
    SCOPED_TRACE(test::name_of(cells));
    const VolumeMesh mesh = test::make_box(cells, {2, 2, 1});
    const auto size = std::ssize(mesh.vertices);
    const std::vector<double> numbers = test::random_numbers(static_cast<std::size_t>(5 * size), 11);
    const MatrixXd fields = MatrixXd::Map(numbers.data(), size, 5);
    const PreparedMesh prepared(mesh);
    RegionConstants constants;
    for (const Region& region : mesh.regions)
      constants.push_back(ElasticConstants{lame_lambda(*region.material), lame_mu(*region.material)});
    const StrainProducts products =
        cpu_relaxation_operations.strain_products(prepared, fields, 3, std::span(&constants, 1), 1 << 20, {}).front();
    const MatrixXd expected = fields.transpose() * forces_of_pairs(mesh, fields.leftCols(3));
    EXPECT_LT(relative_difference(products.forces.map(), expected), 1e-12);
    for (const std::int64_t workspace : {std::int64_t{1}, std::int64_t{1} << 20}) {  // a field at once, or all
      const Matrix work =
          cpu_relaxation_operations.geometric_products(prepared, fields.leftCols(3), fields, workspace, {});
      EXPECT_LT(relative_difference(work.map(), expected), 1e-12);
    }
    const MatrixXd stiffness = fields.transpose() * sparse_times(stiffness_matrix(mesh), fields);
    EXPECT_LT(relative_difference(products.stiffness.map(), stiffness), 1e-12);
  }
}

// ---- fields -------------------------------------------------------------------------------------------------------

TEST(RelaxStrains, ByAllDisplacementsIsTheInverseOfTheStiffness) {
  const ProceduralMesh body = bar();
  const ReducedModel model = reduce(body.mesh, body.fixed_vertices, {.modes = 3, .rank = 4});
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  const ElasticSystem::Impl& inside = system.impl();
  MatrixXd all(system.dof_count(), system.free_dof_count());
  inside.scatter_from_free(MatrixXd::Identity(system.free_dof_count(), system.free_dof_count()), all);
  const Relaxation relaxation = relax_strains(body.mesh, model.basis.map(), all);
  const MatrixXd stiffness = inside.restrict_forces(MatrixXd(stiffness_matrix(body.mesh).map() * all));
  const MatrixXd u = inside.restrict_displacements(model.basis.map());
  const MatrixXd g = inside.restrict_forces(forces_of_pairs(body.mesh, model.basis.map()));
  const MatrixXd ug = u.transpose() * g;
  const MatrixXd expected =
      g.transpose() * test::solve(stiffness, g) - ug.transpose() * test::solve(u.transpose() * stiffness * u, ug);
  EXPECT_LT(relative_difference(relaxation.products.map().transpose() * relaxation.products.map(), expected), 1e-9);
  EXPECT_EQ(relaxation.field_count(), system.free_dof_count() - 4);
}

TEST(FollowingFields, SpanTheAnswersToTheirStates) {
  const ProceduralMesh body = bar();
  const ReducedModel model = reduce(body.mesh, body.fixed_vertices, {.modes = 3, .rank = 4});
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  const Matrix states = natural_states(body.mesh.vertices, model.basis.map(), model.energy);
  ASSERT_EQ(states.cols, 10);  // as many as there are pairs
  const Matrix fields = following_fields(body.mesh, system, model.basis.map(), states.map());
  ASSERT_GT(fields.cols, 4);
  const MatrixXd y = fields.map(), ky = stiffness_matrix(body.mesh).map() * y;
  EXPECT_LT((y.transpose() * ky - MatrixXd::Identity(y.cols(), y.cols())).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((model.basis.map().transpose() * ky).cwiseAbs().maxCoeff(), 1e-9);
  // What is left of K^-1 g beside U and Y, in the K-norm, is what was taken for round-off.
  const ElasticSystem::Impl& inside = system.impl();
  const MatrixXd g = inside.restrict_forces(quadratic_forces(body.mesh, model.basis.map() * states.map()));
  MatrixXd answers(system.dof_count(), g.cols());
  MatrixXd free_answers = g;
  inside.solver->solve_static(free_answers);
  inside.scatter_from_free(free_answers, answers);
  MatrixXd span(y.rows(), y.cols() + 4);
  span << model.basis.map(), y;
  const MatrixXd k_span = stiffness_matrix(body.mesh).map() * span;
  const MatrixXd left = answers - span * test::solve(span.transpose() * k_span, k_span.transpose() * answers);
  const MatrixXd k_left = stiffness_matrix(body.mesh).map() * left;
  const MatrixXd k_answers = stiffness_matrix(body.mesh).map() * answers;
  for (Index s = 0; s < left.cols(); ++s)
    EXPECT_LT(left.col(s).dot(k_left.col(s)), 1e-8 * answers.col(s).dot(k_answers.col(s)));
}

TEST(FollowingFields, OfAFreeBodyHaveNoRigidMotion) {
  ProceduralMesh body = bar();
  body.fixed_vertices.clear();
  const ReducedModel model = reduce(body.mesh, {}, {.modes = 4, .rank = 6});
  const ElasticSystem system(body.mesh, {});
  ASSERT_EQ(system.rigid_mode_count(), 6);
  const Matrix states = natural_states(body.mesh.vertices, model.basis.map(), model.energy);
  const Matrix fields = following_fields(body.mesh, system, model.basis.map(), states.map());
  ASSERT_GT(fields.cols, 0);
  const ElasticSystem::Impl& inside = system.impl();
  const MatrixXd moved = inside.mass_rigid.transpose() * fields.map();
  const MatrixXd sizes = fields.map().cwiseAbs2().colwise().sum().cwiseSqrt();
  EXPECT_LT(moved.cwiseAbs().maxCoeff(), 1e-8 * inside.mass_rigid.norm() * sizes.maxCoeff());
  const Relaxation relaxation = relax_strains(body.mesh, model.basis.map(), fields.map(), {.share = 0.9});
  const QuarticEnergy energy = relaxed(model.energy, relaxation);
  for (unsigned seed = 0; seed < 100; ++seed) {
    const std::vector<double> q = test::random_numbers(6, seed);
    const double whole = evaluate(model.energy, q).energy;
    EXPECT_GE(evaluate(energy, q).energy, 0.1 * whole * (1 - 1e-10));
    EXPECT_LE(evaluate(energy, q).energy, whole * (1 + 1e-10));
  }
}

// ---- states -------------------------------------------------------------------------------------------------------

TEST(NaturalStates, OfALinearBodyHaveTheirAmplitudes) {
  const ProceduralMesh body = bar();
  const ReducedModel model = reduce(body.mesh, body.fixed_vertices, {.modes = 3, .rank = 4});
  QuarticEnergy linear = model.energy;  // without its cubic and quartic terms
  std::size_t next = 0;
  for (int a = 0; a <= 4; ++a)
    for (int b = a; b <= 4; ++b)
      for (int c = b; c <= 4; ++c)
        for (int d = c; d <= 4; ++d, ++next)
          if (b > 0) linear.coefficients[next] = 0;
  const Matrix states = natural_states(body.mesh.vertices, model.basis.map(), linear, {.states = 8});
  const double amplitudes[] = {0.1, 0.2, 0.4, 0.8};
  for (Index s = 0; s < 8; ++s) {
    const VectorXd u = model.basis.map() * states.map().col(s);
    double largest = 0;
    for (Index v = 0; v < u.size(); v += 3) largest = std::max(largest, u.segment<3>(v).norm());
    EXPECT_NEAR(largest, amplitudes[s % 4], 1e-8);  // of a body of 1 m
  }
}

TEST(NaturalStates, TellTheirProgressAndCanBeCancelled) {
  const ProceduralMesh body = bar();
  const ReducedModel model = reduce(body.mesh, body.fixed_vertices, {.modes = 3, .rank = 4});
  std::vector<double> fractions;
  const auto states = [&](const Progress& progress) {
    return natural_states(body.mesh.vertices, model.basis.map(), model.energy, {.states = 8, .progress = progress});
  };
  const Matrix told = states([&](std::string_view stage, double fraction) {
    EXPECT_EQ(stage, "natural states");
    fractions.push_back(fraction);
  });
  EXPECT_EQ(told.values, states({}).values);
  EXPECT_GE(fractions.size(), 8U);  // at least once per state
  EXPECT_EQ(fractions.front(), 0);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_GE(fractions.back(), 7.0 / 8);
  EXPECT_LE(fractions.back(), 1);
  struct Cancelled {};
  EXPECT_THROW(static_cast<void>(states([](std::string_view, double fraction) {
                 if (fraction >= 0.5) throw Cancelled();
               })),
               Cancelled);
}

}  // namespace
}  // namespace quartic
