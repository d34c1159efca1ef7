// Inertial modal derivatives (Appendix D) against a dense bordered solve and the eigenvectors they are derivatives of.
#include <Eigen/Core>
#include <cmath>

#include "quartic/basis.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/modes.hpp"
#include "support/dense.hpp"
#include "support/meshes.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// All eigenvalues simple.
ProceduralMesh box(bool held = true) {
  ProceduralMesh body = make_box({.length = 1, .width = 0.3, .height = 0.2, .cells_x = 6, .cells_y = 2, .cells_z = 2});
  if (!held) body.fixed_vertices.clear();
  return body;
}

std::vector<Index> free_dofs(const ProceduralMesh& body) {
  std::vector<Index> free;
  for (Index dof = 0; dof < 3 * body.mesh.vertex_count(); ++dof)
    if (!std::ranges::binary_search(body.fixed_vertices, static_cast<std::int32_t>(dof / 3))) free.push_back(dof);
  return free;
}

// Everything on the free degrees of freedom, dense.
struct Body {
  explicit Body(ProceduralMesh mesh_, int count)
      : body(std::move(mesh_)),
        system(body.mesh, body.fixed_vertices),
        modes(linear_modes(system, {.count = count})),
        derivatives(modal_derivatives(body.mesh, system, modes.vectors.map(), {.kind = DerivativeKind::inertial})),
        free(free_dofs(body)),
        stiffness(MatrixXd(stiffness_matrix(body.mesh).map())(free, free)),
        mass(MatrixXd(system.mass().map())(free, free)),
        vectors(modes.vectors.map()(free, Eigen::all)),
        phi(derivatives.vectors.map()(free, Eigen::all)),
        rigid(MatrixXd(rigid_modes(body.mesh, system.mass(), body.fixed_vertices).map())(free, Eigen::all)),
        force(MatrixXd(force_hessian(body.mesh, modes.vectors.map(), derivatives.pairs).map())(free, Eigen::all)) {}

  // M times the modes whose eigenvalue coincides with that of mode i, and the rigid modes.
  [[nodiscard]] MatrixXd border(int i) const {
    std::vector<Index> cluster;
    for (std::size_t c = 0; c < modes.eigenvalues.size(); ++c)
      if (std::abs(modes.eigenvalues[c] / modes.eigenvalues[static_cast<std::size_t>(i)] - 1) < 1e-6)
        cluster.push_back(static_cast<Index>(c));
    MatrixXd columns(mass.rows(), std::ssize(cluster) + rigid.cols());
    columns << vectors(Eigen::all, cluster), rigid;
    return mass * columns;
  }
  [[nodiscard]] double eigenvalue(int i) const { return modes.eigenvalues[static_cast<std::size_t>(i)]; }
  [[nodiscard]] double mass_norm(const VectorXd& x) const { return std::sqrt(x.dot(mass * x)); }

  ProceduralMesh body;
  ElasticSystem system;
  LinearModes modes;
  ModalDerivatives derivatives;
  std::vector<Index> free;
  MatrixXd stiffness, mass, vectors, phi, rigid, force;
};

// The system bordered by what it is singular on: regular, whatever else is in its spectrum.
VectorXd bordered_solution(const Body& b, int i, const VectorXd& right_side) {
  const MatrixXd border = b.border(i);
  const Index n = b.mass.rows(), m = border.cols();
  MatrixXd matrix = MatrixXd::Zero(n + m, n + m);
  const double scale = b.stiffness.norm() / border.norm();
  matrix.topLeftCorner(n, n) = b.stiffness - b.eigenvalue(i) * b.mass;
  matrix.topRightCorner(n, m) = scale * border;
  matrix.bottomLeftCorner(m, n) = scale * border.transpose();
  VectorXd rhs = VectorXd::Zero(n + m);
  rhs.head(n) = right_side;
  return test::solve(matrix, rhs).col(0).head(n);
}

void expect_bordered_solutions(const Body& b, double tolerance) {
  const double longest = b.phi.colwise().norm().maxCoeff();
  for (std::size_t p = 0; p < b.derivatives.pairs.size(); ++p) {
    const auto [i, j] = b.derivatives.pairs[p];
    const VectorXd expected = bordered_solution(b, i, -b.force.col(static_cast<Index>(p)));
    // Derivatives that vanish by symmetry are round-off of the others.
    EXPECT_LT(b.mass_norm(b.phi.col(static_cast<Index>(p)) - expected),
              tolerance * (b.mass_norm(expected) + 1e-3 * longest))
        << i << ' ' << j;
  }
}

TEST(InertialDerivatives, ListAllOrderedPairs) {
  const Body b(box(), 3);
  ASSERT_EQ(b.derivatives.pairs.size(), 9U);
  for (int p = 0; p < 9; ++p)
    EXPECT_EQ(b.derivatives.pairs[static_cast<std::size_t>(p)], (std::array<int, 2>{p / 3, p % 3}));
  EXPECT_EQ(b.derivatives.vectors.cols, 9);
}

// Modes have an error of about 1e-12, which division by relative gaps of some percent multiplies.
TEST(InertialDerivatives, EqualADenseBorderedSolve) {
  expect_bordered_solutions(Body(box(), 8), 1e-9);
}

TEST(InertialDerivatives, EqualADenseBorderedSolveForDoubleEigenvaluesAndFreeBodies) {
  const Body square(test::square_beam(0.2, 8, {1e7, 0.3, 1000}), 6);
  ASSERT_LT(square.eigenvalue(1) / square.eigenvalue(0) - 1, 1e-9);
  expect_bordered_solutions(square, 1e-9);
  expect_bordered_solutions(Body(box(false), 7), 1e-9);
  ProceduralMesh free_square = test::square_beam(0.2, 8, {1e7, 0.3, 1000});
  free_square.fixed_vertices.clear();
  expect_bordered_solutions(Body(free_square, 6), 1e-9);
  ProceduralMesh point = box();
  point.fixed_vertices = {0};
  expect_bordered_solutions(Body(point, 6), 1e-9);
}

// Psi_i(eps Psi_j) by a dense eigensolver on the tangent stiffness of the bent body.
TEST(InertialDerivatives, AreDerivativesOfTheModesOfTheBentBody) {
  const Body b(box(), 4);
  const auto bent_modes = [&](int j, double amplitude) {
    const VectorXd u = amplitude * b.modes.vectors.map().col(j);
    const SparseMatrix tangent = tangent_stiffness(b.body.mesh, {u.data(), static_cast<std::size_t>(u.size())});
    MatrixXd vectors = test::eigen_pairs(MatrixXd(tangent.map())(b.free, b.free), b.mass).vectors.leftCols(4);
    for (int i = 0; i < 4; ++i)
      if (b.vectors.col(i).dot(b.mass * vectors.col(i)) < 0) vectors.col(i) *= -1;
    return vectors;
  };
  const double longest = b.phi.colwise().norm().maxCoeff();
  for (int j = 0; j < 4; ++j) {
    // Bent by 0.1 % of its length: h^4 is below the round-off of the eigenvectors over h.
    const double h = 1e-3 / b.modes.vectors.map().col(j).cwiseAbs().maxCoeff();
    const auto slope = [&](double step) -> MatrixXd {
      return (bent_modes(j, step) - bent_modes(j, -step)) / (2 * step);
    };
    const MatrixXd expected = (4 * slope(h / 2) - slope(h)) / 3;  // Richardson: error O(h^4)
    for (int i = 0; i < 4; ++i)
      EXPECT_LT((b.phi.col(4 * i + j) - expected.col(i)).norm(), 1e-6 * expected.col(i).norm() + 1e-8 * longest)
          << i << ' ' << j;
  }
}

// K (Phi - Phi_static) = lambda_i M Phi + forces on the modes of the cluster: what statics neglects, and nothing else.
TEST(InertialDerivatives, DifferFromStaticOnesByTheInertiaTerm) {
  for (const bool held : {true, false}) {
    const Body b(box(held), 6);
    const ModalDerivatives statics = modal_derivatives(b.body.mesh, b.system, b.modes.vectors.map());
    const MatrixXd phi_static = statics.vectors.map()(b.free, Eigen::all);
    for (std::size_t s = 0; s < statics.pairs.size(); ++s) {
      const auto [i, j] = statics.pairs[s];
      const VectorXd phi = b.phi.col(6 * i + j), force = b.force.col(6 * i + j);
      const VectorXd own = b.vectors.col(i) * b.vectors.col(i).dot(force);
      const VectorXd difference = b.stiffness * (phi - phi_static.col(static_cast<Index>(s)));
      const VectorXd inertia = b.mass * (b.eigenvalue(i) * phi + own);
      EXPECT_LT((difference - inertia).norm(), 1e-10 * force.norm()) << i << ' ' << j;
      if (held) continue;
      const double size = b.mass_norm(phi) + b.mass_norm(phi_static.col(static_cast<Index>(s)));
      EXPECT_LT((b.rigid.transpose() * (b.mass * phi)).norm(), 1e-12 * size);
    }
  }
}

TEST(InertialDerivatives, AreNotSymmetric) {
  const Body b(box(), 4);
  EXPECT_GT((b.phi.col(1) - b.phi.col(4)).norm(), 1e-3 * b.phi.col(1).norm());
}

// All k^2 of them go into the basis, each scaled by eq. 16.
TEST(InertialDerivatives, MakeABasis) {
  const Body b(box(), 4);
  const Matrix fields = scaled_fields(b.modes, b.derivatives, b.system.mass());
  const double first = b.eigenvalue(0);
  std::vector<double> norms;
  for (Index p = 4; p < fields.cols; ++p)
    norms.push_back(std::sqrt(fields.map().col(p).dot(b.system.mass().map() * VectorXd(fields.map().col(p)))));
  std::size_t kept = 0;
  const MatrixXd mass_phi = b.mass * b.phi;
  const double longest = b.phi.cwiseProduct(mass_phi).colwise().sum().cwiseSqrt().maxCoeff();
  for (std::size_t p = 0; p < 16; ++p) {
    if (b.mass_norm(b.phi.col(static_cast<Index>(p))) < 1e-10 * longest) continue;
    const auto [i, j] = b.derivatives.pairs[p];
    ASSERT_LT(kept, norms.size());
    EXPECT_NEAR(norms[kept] * b.eigenvalue(i) * b.eigenvalue(j) / (first * first), 1, 1e-12);
    ++kept;
  }
  EXPECT_EQ(kept, norms.size());

  const ReducedModel model =
      reduce(b.body.mesh, b.body.fixed_vertices, {.modes = 4, .rank = 12, .derivative_kind = DerivativeKind::inertial});
  const Matrix direct = mass_pca(fields, b.system.mass(), 12).vectors;
  const MatrixXd cosines = model.basis.map().transpose() * (b.system.mass().map() * MatrixXd(direct.map()));
  EXPECT_NEAR(std::abs(test::determinant(cosines)), 1, 1e-9);
}

TEST(InertialDerivatives, RefuseWhatIsNotTheLowestModes) {
  const ProceduralMesh body = box();
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  const LinearModes modes = linear_modes(system, {.count = 4});
  const ModalDerivativesOptions inertial{.kind = DerivativeKind::inertial};
  MatrixXd damaged = modes.vectors.map();
  damaged.col(1) *= 2;
  EXPECT_THROW((void)modal_derivatives(body.mesh, system, damaged, inertial), InputError);
  damaged = modes.vectors.map();
  damaged.col(0) = std::sqrt(0.5) * (damaged.col(0) + damaged.col(1));
  damaged.col(1) = damaged.col(0) - std::sqrt(2.0) * modes.vectors.map().col(1);
  EXPECT_THROW((void)modal_derivatives(body.mesh, system, damaged, inertial), InputError);
  // Without the lowest one, the rest of the spectrum isn't above the shift.
  EXPECT_THROW((void)modal_derivatives(body.mesh, system, modes.vectors.map().rightCols(3), inertial), NumericalError);
}

// K = M but for what the eigenvalues behind the modes are larger: nothing or next to nothing.
TEST(InertialDerivatives, RefuseAClusterThatIsCut) {
  const ProceduralMesh body = box();
  const Index dofs = 3 * body.mesh.vertex_count(), first = 3 * (body.fixed_vertices.back() + 1);
  MatrixXd modes = MatrixXd::Zero(dofs, 2);
  modes(first, 0) = modes(first + 1, 1) = 1;
  const auto diagonal = [&](double rest) {
    VectorXd values = VectorXd::Constant(dofs, rest);
    values.segment(first, 2).setOnes();
    return to_sparse_matrix(Eigen::SparseMatrix<double>(MatrixXd(values.asDiagonal()).sparseView()));
  };
  const auto derivatives = [&](double rest) {
    const ElasticSystem system(diagonal(rest), diagonal(1), body.fixed_vertices);
    return modal_derivatives(body.mesh, system, modes, {.kind = DerivativeKind::inertial});
  };
  EXPECT_THROW((void)derivatives(1), NumericalError);
  EXPECT_THROW((void)derivatives(1 + 1e-9), NumericalError);
  EXPECT_THROW((void)derivatives(0.5), NumericalError);
  EXPECT_NO_THROW((void)derivatives(1.001));
}

}  // namespace
}  // namespace quartic
