// Linear modes, factors and static solutions on a device, against the CPU's and against residuals.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "quartic/error.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"
#include "quartic/statics.hpp"
#include "support/dense.hpp"
#include "support/expected_cudss.hpp"
#include "support/meshes.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Sine of the largest principal angle between the spans of two M-orthonormal bases.
double subspace_distance(const Matrix& a, const Matrix& b, const SparseMatrix& mass) {
  const MatrixXd cosines = a.map().transpose() * (mass.map() * b.map());
  const MatrixXd difference = b.map() - a.map() * cosines;
  const MatrixXd gram = difference.transpose() * (mass.map() * difference);
  return std::sqrt(std::max(0.0, test::eigenvalues(gram).maxCoeff()));
}

// Above 400 free degrees of freedom, so that a dense solver isn't the quicker way.
ProceduralMesh small_box(ElementType type = ElementType::hex8) {
  return make_box({.length = 1, .width = 0.3, .height = 0.2, .cells_x = 11, .cells_y = 4, .cells_z = 2, .type = type});
}

ElasticSystem on_device(const ProceduralMesh& body) {
  ElasticSystem system(body.mesh, body.fixed_vertices, MassMatrix::consistent, {.backend = Backend::cuda});
  if (test::cudss_must_be_there()) {
    EXPECT_TRUE(system.factorization_name().starts_with("cuDSS ")) << system.factorization_name();
  }
  return system;
}

// Round-off of either is about eps |K|, which for these meshes is far below 1e-9 of the lowest eigenvalues.
void expect_equal(const LinearModes& actual, const LinearModes& expected, const SparseMatrix& mass) {
  ASSERT_EQ(actual.eigenvalues.size(), expected.eigenvalues.size());
  for (std::size_t j = 0; j < expected.eigenvalues.size(); ++j)
    EXPECT_NEAR(actual.eigenvalues[j] / expected.eigenvalues[j], 1, 1e-9) << j;
  EXPECT_EQ(actual.rigid_modes, expected.rigid_modes);
  EXPECT_LT(subspace_distance(actual.vectors, expected.vectors, mass), 1e-8);
}

template <class Base>
class NeedsDevice : public Base {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
};

class DeviceModes : public NeedsDevice<testing::TestWithParam<ModesMethod>> {};
class DeviceSystemTest : public NeedsDevice<testing::Test> {};

INSTANTIATE_TEST_SUITE_P(, DeviceModes, testing::Values(ModesMethod::lobpcg, ModesMethod::lanczos),
                         [](const auto& test) { return test.param == ModesMethod::lobpcg ? "lobpcg" : "lanczos"; });

TEST_P(DeviceModes, OfAHeldBodyEqualTheCpus) {
  const ProceduralMesh body = small_box(ElementType::tet4);
  const ElasticSystem cpu(body.mesh, body.fixed_vertices), cuda = on_device(body);
  const ModesOptions options{.count = 10, .method = GetParam()};
  const LinearModes modes = linear_modes(cuda, options);
  expect_equal(modes, linear_modes(cpu, options), cpu.mass());

  // And by themselves: residuals on the host, with the matrices of the mesh.
  const MatrixXd x = modes.vectors.map(), mass_x = cpu.mass().map() * x;
  EXPECT_LT((x.transpose() * mass_x - MatrixXd::Identity(10, 10)).cwiseAbs().maxCoeff(), 1e-12);
  const SparseMatrix stiffness = stiffness_matrix(body.mesh);
  MatrixXd residual = stiffness.map() * x - mass_x * VectorXd::Map(modes.eigenvalues.data(), 10).asDiagonal();
  for (const auto v : body.fixed_vertices) residual.middleRows(3 * v, 3).setZero();  // the reaction of the support
  const double norm = MatrixXd(stiffness.map()).cwiseAbs().rowwise().sum().maxCoeff();
  for (int j = 0; j < 10; ++j) {
    EXPECT_LT(residual.col(j).norm(), 1e-12 * norm * x.col(j).norm());
    EXPECT_LE(modes.residuals[static_cast<std::size_t>(j)], 1e-12);
  }
}

TEST_P(DeviceModes, OfAFreeBodyWithPairsEqualTheCpus) {
  ProceduralMesh body = test::square_beam(0.1, 18, {1e7, 0.3, 1000});  // a square section: modes come in pairs
  body.fixed_vertices.clear();
  const ElasticSystem cpu(body.mesh, {}), cuda = on_device(body);
  ASSERT_EQ(cuda.rigid_mode_count(), 6);
  const ModesOptions options{.count = 8, .method = GetParam()};
  const LinearModes modes = linear_modes(cuda, options);
  expect_equal(modes, linear_modes(cpu, options), cpu.mass());
  EXPECT_NEAR(modes.eigenvalues[1] / modes.eigenvalues[0], 1, 1e-9);
}

TEST_P(DeviceModes, AreTheSameBitsAgain) {
  const ProceduralMesh body = small_box();
  const ModesOptions options{.count = 6, .method = GetParam()};
  std::string solver;
  const auto modes_anew = [&] {  // one system after the other: small devices have no memory for two
    const ElasticSystem system = on_device(body);
    solver = system.factorization_name();
    return linear_modes(system, options);
  };
  const LinearModes a = modes_anew(), b = modes_anew();
  if (solver.starts_with("cuSOLVER")) return expect_equal(a, b, mass_matrix(body.mesh));  // promises no order
  EXPECT_EQ(a.eigenvalues, b.eigenvalues);
  EXPECT_EQ(a.vectors.values, b.vectors.values);
}

TEST_P(DeviceModes, ThrowWhenTheyDoNotConverge) {
  const ElasticSystem cuda = on_device(small_box());
  EXPECT_THROW(static_cast<void>(linear_modes(cuda, {.count = 20, .method = GetParam(), .iteration_limit = 1})),
               NumericalError);
}

// A chain of masses that differ by direction, so that blocks are neither full nor multiples of the identity; small
// enough for the dense solver.
TEST_F(DeviceSystemTest, TakesTheCallersKAndM) {
  const double spring = 5;
  MatrixXd stiffness = MatrixXd::Zero(12, 12), mass = MatrixXd::Zero(12, 12);
  for (int link = 0; link < 3; ++link)
    for (int c = 0; c < 3; ++c) {
      const int a = 3 * link + c, b = a + 3;
      stiffness(a, a) += spring;
      stiffness(b, b) += spring;
      stiffness(a, b) -= spring;
      stiffness(b, a) -= spring;
    }
  for (int dof = 0; dof < 12; ++dof) mass(dof, dof) = 1 + dof % 3;
  const std::vector<std::int32_t> fixed = {0};
  const ElasticSystem system(to_sparse_matrix(Eigen::SparseMatrix<double>(stiffness.sparseView())),
                             to_sparse_matrix(Eigen::SparseMatrix<double>(mass.sparseView())), fixed, {},
                             {.backend = Backend::cuda});
  const LinearModes modes = linear_modes(system, {.count = 9});
  std::vector<double> expected;
  for (int n = 0; n < 3; ++n)
    for (int c = 0; c < 3; ++c)
      expected.push_back(4 * spring / (1 + c) * std::pow(std::sin((2 * n + 1) * std::numbers::pi / 14), 2));
  std::sort(expected.begin(), expected.end());
  for (std::size_t j = 0; j < 9; ++j) EXPECT_NEAR(modes.eigenvalues[j], expected[j], 1e-13);
}

TEST_F(DeviceSystemTest, StaticDerivativesEqualTheCpus) {
  for (const bool held : {true, false}) {
    ProceduralMesh body = make_box({.cells_x = 4, .cells_y = 2, .cells_z = 2});
    if (!held) body.fixed_vertices.clear();
    const ElasticSystem cpu(body.mesh, body.fixed_vertices), cuda = on_device(body);
    const LinearModes modes = linear_modes(cpu, {.count = 4});
    for (const DerivativeKind kind : {DerivativeKind::statics, DerivativeKind::inertial}) {
      const auto expected = modal_derivatives(body.mesh, cpu, modes.vectors.map(), {.kind = kind});
      const auto actual = modal_derivatives(body.mesh, cuda, modes.vectors.map(), {.kind = kind});
      // Both are solutions to round-off times the condition number, about 1e4.
      EXPECT_LT((actual.vectors.map() - expected.vectors.map()).norm(), 1e-10 * expected.vectors.map().norm()) << held;
    }
  }
}

// Forces and stiffness are the CPU's, the factor is the device's. Three times beyond Euler's load, where Newton's
// method meets matrices that aren't positive definite and shifts them.
TEST_F(DeviceSystemTest, EquilibriaEqualTheCpus) {
  const ProceduralMesh beam = make_beam(10);
  std::vector<double> force(beam.mesh.vertices.size());
  for (std::size_t v = 0; v < static_cast<std::size_t>(beam.mesh.vertex_count()); ++v)
    if (beam.mesh.vertices[3 * v] > 0.99) force[3 * v] = -35, force[3 * v + 2] = 0.1;
  const auto solve = [&](Backend backend) {
    StaticSolver solver(beam.mesh, beam.fixed_vertices, {.factorization = {.backend = backend}});
    return solver.solve(force);
  };
  const Equilibrium expected = solve(Backend::cpu), actual = solve(Backend::cuda);
  ASSERT_TRUE(expected.converged && expected.regularised > 0);
  EXPECT_TRUE(actual.converged);
  EXPECT_GT(actual.regularised, 0);
  const auto size = std::ssize(force);
  const auto x = VectorXd::Map(actual.solution.data(), size), y = VectorXd::Map(expected.solution.data(), size);
  EXPECT_LT((x - y).norm(), 1e-6 * y.norm());  // both stop at a residual that allows as much
}

TEST_F(DeviceSystemTest, MassesComeToTheHostWhenAskedFor) {
  ProceduralMesh body = make_box({.cells_x = 3, .cells_y = 2, .cells_z = 1});
  for (const bool held : {true, false}) {
    if (!held) body.fixed_vertices.clear();
    for (const MassMatrix kind : {MassMatrix::consistent, MassMatrix::lumped}) {
      const ElasticSystem system(body.mesh, body.fixed_vertices, kind, {.backend = Backend::cuda});
      const MatrixXd expected = mass_matrix(body.mesh, kind).map(), actual = system.mass().map();
      EXPECT_LT((actual - expected).cwiseAbs().maxCoeff(), 1e-14 * expected.maxCoeff());
      EXPECT_EQ(system.rigid_mode_count(), held ? 0 : 6);
    }
  }
}

TEST_F(DeviceSystemTest, SaysWhatDoesTheWork) {
  const ProceduralMesh body = make_box({.cells_x = 2, .cells_y = 1, .cells_z = 1});
  const auto name = [&](FactorizationMethod method) {
    return std::string(ElasticSystem(body.mesh, body.fixed_vertices, MassMatrix::consistent,
                                     {.method = method, .backend = Backend::cuda})
                           .factorization_name());
  };
  EXPECT_EQ(name(FactorizationMethod::cusolver).find("cuSOLVER csrchol "), 0U);
  EXPECT_NE(name(FactorizationMethod::eigen).find("(CPU)"), std::string::npos);
}

// Chosen automatically, the CPU's factor is told of; asked for, it isn't.
TEST_F(DeviceSystemTest, WarnsOfTheCpusFactorOnlyIfNobodyAskedForIt) {
  const ProceduralMesh body = make_box({.cells_x = 2, .cells_y = 1, .cells_z = 1});
  for (const FactorizationMethod method : {FactorizationMethod::automatic, FactorizationMethod::eigen}) {
    const ElasticSystem system(body.mesh, body.fixed_vertices, MassMatrix::consistent,
                               {.method = method, .backend = Backend::cuda});
    const bool fell_back = method == FactorizationMethod::automatic && system.factorization_name().ends_with(" (CPU)");
    const std::vector<std::string> warnings = linear_modes(system, {.count = 1}).warnings;
    EXPECT_EQ(std::any_of(warnings.begin(), warnings.end(),
                          [](const std::string& text) { return text.find("is on the CPU") != std::string::npos; }),
              fell_back);
  }
}

TEST_F(DeviceSystemTest, RefusesABodyThatNothingHolds) {
  MatrixXd stiffness = MatrixXd::Zero(6, 6);  // two vertices, one of them without any spring
  stiffness.topLeftCorner(3, 3).setIdentity();
  EXPECT_THROW(ElasticSystem(to_sparse_matrix(Eigen::SparseMatrix<double>(stiffness.sparseView())),
                             to_sparse_matrix(Eigen::SparseMatrix<double>(MatrixXd::Identity(6, 6).sparseView())), {},
                             {}, {.backend = Backend::cuda}),
               NumericalError);
}

}  // namespace
}  // namespace quartic
