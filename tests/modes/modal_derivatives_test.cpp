// Modal derivatives against the nonlinear static response they are the second derivative of.
#include <Eigen/SparseCholesky>
#include <cmath>
#include <fstream>

#include "quartic/error.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"
#include "support/golden.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Solves R(u) = load on the free degrees of freedom by Newton's method, to round-off.
VectorXd static_response(const ProceduralMesh& body, const VectorXd& load) {
  VectorXd u = VectorXd::Zero(load.size());
  for (int iteration = 0; iteration < 12; ++iteration) {
    const std::span<const double> view(u.data(), static_cast<std::size_t>(u.size()));
    const std::vector<double> force = internal_force(body.mesh, view);
    VectorXd residual = load - Eigen::Map<const VectorXd>(force.data(), load.size());
    Eigen::SparseMatrix<double> tangent = tangent_stiffness(body.mesh, view).map();
    for (const auto v : body.fixed_vertices)
      for (int c = 0; c < 3; ++c) {
        residual[3 * v + c] = 0;
        tangent.coeffRef(3 * v + c, 3 * v + c) += 1e30;  // holds the support
      }
    u += Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>(tangent).solve(residual);
  }
  return u;
}

TEST(ModalDerivatives, AreTheSecondDerivativeOfTheStaticResponse) {
  const ProceduralMesh body =
      make_box({.length = 1, .width = 0.3, .height = 0.2, .cells_x = 6, .cells_y = 2, .cells_z = 2});
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  const LinearModes modes = linear_modes(system, {.count = 3});
  const ModalDerivatives derivatives = modal_derivatives(body.mesh, system, modes.vectors.map());
  ASSERT_EQ(derivatives.pairs.size(), 6U);
  const SparseMatrix stiffness = stiffness_matrix(body.mesh);
  // u(p) answers the load sum p_i K Psi_i; d^2 u / dp_i dp_j at 0 is Phi_ij.
  const auto response = [&](const VectorXd& p) {
    return static_response(body, stiffness.map() * (modes.vectors.map() * p));
  };
  const auto second_difference = [&](int i, int j, double h) {
    const VectorXd a = VectorXd::Unit(3, i) * h, b = VectorXd::Unit(3, j) * h;
    return VectorXd((response(a + b) - response(a - b) - response(b - a) + response(-a - b)) / (4 * h * h));
  };
  // Modes are mass-normalised: this amplitude bends the body by 0.3 % of its length, where h^4 is below round-off /
  // h^2.
  const double h = 0.003 / modes.vectors.map().cwiseAbs().maxCoeff();
  for (std::size_t n = 0; n < derivatives.pairs.size(); ++n) {
    const auto [i, j] = derivatives.pairs[n];
    const VectorXd coarse = second_difference(i, j, h), fine = second_difference(i, j, h / 2);
    const VectorXd expected = (4 * fine - coarse) / 3;  // Richardson: error O(h^4)
    const VectorXd actual = derivatives.vectors.map().col(static_cast<Eigen::Index>(n));
    EXPECT_LT((actual - expected).norm(),
              2e-5 * expected.norm() + 1e-9 * derivatives.vectors.map().colwise().norm().maxCoeff())
        << i << ' ' << j;
  }
}

TEST(ModalDerivatives, SolveTheirEquationForHeldAndFreeBodies) {
  for (const bool free : {false, true}) {
    ProceduralMesh body =
        make_box({.length = 1, .width = 0.3, .height = 0.2, .cells_x = 12, .cells_y = 4, .cells_z = 3});
    if (free) body.fixed_vertices.clear();
    const ElasticSystem system(body.mesh, body.fixed_vertices);
    const LinearModes modes = linear_modes(system, {.count = 12});
    const ModalDerivatives derivatives = modal_derivatives(body.mesh, system, modes.vectors.map());
    const SparseMatrix stiffness = stiffness_matrix(body.mesh), mass = mass_matrix(body.mesh);
    MatrixXd force = force_hessian(body.mesh, modes.vectors.map(), derivatives.pairs).map();
    MatrixXd residual = stiffness.map() * derivatives.vectors.map() + force;
    if (free) {
      const Matrix rigid = rigid_modes(body.mesh, mass, {});
      const MatrixXd mass_rigid = mass.map() * rigid.map();
      residual -= mass_rigid * (rigid.map().transpose() * force);
      // M-orthogonal to the rigid motions: relative to the derivative's own mass norm.
      const MatrixXd overlap = mass_rigid.transpose() * derivatives.vectors.map();
      const MatrixXd mass_derivatives = mass.map() * derivatives.vectors.map();
      for (Eigen::Index p = 0; p < overlap.cols(); ++p)
        EXPECT_LT(overlap.col(p).norm(),
                  1e-12 * std::sqrt(derivatives.vectors.map().col(p).dot(mass_derivatives.col(p))));
    }
    for (const auto v : body.fixed_vertices) {
      residual.middleRows(3 * v, 3).setZero();
      EXPECT_EQ(derivatives.vectors.map().middleRows(3 * v, 3).cwiseAbs().maxCoeff(), 0);
    }
    for (Eigen::Index p = 0; p < residual.cols(); ++p)
      EXPECT_LT(residual.col(p).norm(), 1e-10 * force.col(p).norm()) << (free ? "free" : "held") << ' ' << p;
  }
}

TEST(ModalDerivatives, RefuseModesOfAnotherBody) {
  const ProceduralMesh body = make_beam(5);
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  EXPECT_THROW(static_cast<void>(modal_derivatives(body.mesh, system, MatrixXd::Zero(12, 2))), InputError);
}

TEST(ModalDerivativesGolden, EqualTheReference) {
  QUARTIC_NEED_DATA(data, "");
  for (const test::GoldenCase& c : test::golden_cases) {
    const VolumeMesh mesh = read_mesh(data / "public/vegafem" / c.mesh);
    const auto fixed = read_fixed_vertices(data / "public/vegafem" / c.fixed, mesh.vertex_count());
    const ElasticSystem system(mesh, fixed);
    const Matrix modes = test::golden_matrix(data / "golden" / c.name / "Ulin.f64", 3 * mesh.vertex_count());
    const Matrix expected = test::golden_matrix(data / "golden" / c.name / "deriv10.f64", 3 * mesh.vertex_count());
    const ModalDerivatives actual = modal_derivatives(mesh, system, modes.map().leftCols(10));
    ASSERT_EQ(actual.vectors.cols, expected.cols);
    // The reference's modes are orthogonal to about 1e-12; its force model for bricks to 1e-10 or better.
    for (Eigen::Index p = 0; p < expected.cols; ++p)
      EXPECT_LT((actual.vectors.map().col(p) - expected.map().col(p)).norm(),
                1e-8 * expected.map().colwise().norm().maxCoeff())
          << c.name << ' ' << p;
  }
}

}  // namespace
}  // namespace quartic
