// Vectors of a basis that are chosen by energy, against the decomposition of the same fields by dense algebra.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "quartic/basis.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "support/dense.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int modes = 4, rank = 10, stiff = 3;
constexpr double share = 0.3;

ProceduralMesh plate() {
  return make_box({.length = 1, .width = 0.5, .height = 0.05, .cells_x = 5, .cells_y = 2, .cells_z = 1});
}

// Modes at p_i = p_1 lambda_1 / lambda_i, and second derivatives at p_i p_j, halved on the diagonal.
MatrixXd natural_fields(const ProceduralMesh& body, const ElasticSystem& system) {
  const LinearModes found = linear_modes(system, {.count = modes});
  const ModalDerivatives derivatives = modal_derivatives(body.mesh, system, found.vectors.map());
  VectorXd p(modes);
  for (int i = 0; i < modes; ++i)
    p[i] = 0.3 / found.vectors.map().col(0).cwiseAbs().maxCoeff() * found.eigenvalues[0] /
           found.eigenvalues[static_cast<std::size_t>(i)];
  MatrixXd fields(found.vectors.rows, modes + std::ssize(derivatives.pairs));
  for (int i = 0; i < modes; ++i) fields.col(i) = p[i] * found.vectors.map().col(i);
  Index column = modes;
  for (const auto& [i, j] : derivatives.pairs) {
    fields.col(column) = (i == j ? 0.5 : 1) * p[i] * p[j] * derivatives.vectors.map().col(column - modes);
    ++column;
  }
  return fields;
}

// Energies, descending, of what is left of fields K-orthogonal to a basis.
VectorXd energies_beside(const MatrixXd& basis, const MatrixXd& fields, const SparseMatrix& stiffness) {
  const MatrixXd ku = stiffness.map() * basis;
  const MatrixXd left = fields - basis * test::solve(basis.transpose() * ku, ku.transpose() * fields);
  const MatrixXd gram = left.transpose() * (stiffness.map() * left);
  return test::eigenvalues(gram).reverse();
}

TEST(StiffVectors, LeaveAsLittleEnergyAsSoManyCan) {
  const ProceduralMesh body = plate();
  const ReducedModel plain = reduce(body.mesh, body.fixed_vertices, {.modes = modes, .rank = rank});
  const ReducedModel model =
      reduce(body.mesh, body.fixed_vertices, {.modes = modes, .rank = rank, .stiff_share = share});
  ASSERT_EQ(model.rank(), rank);
  EXPECT_LT(orthonormality_error(model.basis.map(), mass_matrix(body.mesh)), 1e-12);
  constexpr int kept = rank - stiff;
  EXPECT_LT((model.basis.map().leftCols(kept) - plain.basis.map().leftCols(kept)).cwiseAbs().maxCoeff(), 1e-11);
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  const SparseMatrix stiffness = stiffness_matrix(body.mesh);
  const MatrixXd fields = natural_fields(body, system);
  const VectorXd beside = energies_beside(plain.basis.map().leftCols(kept), fields, stiffness);
  const double least = beside.tail(beside.size() - stiff).sum();  // by Eckart and Young
  EXPECT_NEAR(energies_beside(model.basis.map(), fields, stiffness).sum(), least, 1e-8 * beside.sum());
  EXPECT_GT(energies_beside(plain.basis.map(), fields, stiffness).sum(), 1.5 * least);
}

TEST(StiffVectors, OfAFreeBodyHaveNoRigidMotion) {
  const ReducedModel model = reduce(plate().mesh, {}, {.modes = modes, .rank = 6, .stiff_share = share});
  const SparseMatrix mass = mass_matrix(model.mesh);
  EXPECT_LT(orthonormality_error(model.basis.map(), mass), 1e-12);
  EXPECT_LT(model.unit_acceleration.map().cwiseAbs().maxCoeff(), 1e-10);
}

TEST(StiffVectors, AreOfInertialDerivativesToo) {
  const ProceduralMesh body = plate();
  const ReducedModel model =
      reduce(body.mesh, body.fixed_vertices,
             {.modes = modes, .rank = rank, .derivative_kind = DerivativeKind::inertial, .stiff_share = share});
  EXPECT_LT(orthonormality_error(model.basis.map(), mass_matrix(body.mesh)), 1e-12);
}

TEST(StiffVectors, RefuseSharesThatArentAny) {
  const ProceduralMesh body = plate();
  for (const double wrong : {-0.1, 1.0, 0.96, std::nan("")})
    EXPECT_THROW(
        static_cast<void>(reduce(body.mesh, body.fixed_vertices, {.modes = modes, .rank = rank, .stiff_share = wrong})),
        InputError);
  // There are 14 fields.
  EXPECT_THROW(
      static_cast<void>(reduce(body.mesh, body.fixed_vertices, {.modes = modes, .rank = 16, .stiff_share = share})),
      InputError);
  const Matrix basis = reduce(body.mesh, body.fixed_vertices, {.modes = modes, .rank = 4}).basis;
  EXPECT_THROW(
      static_cast<void>(reduce_with_basis(body.mesh, body.fixed_vertices, basis.map(), {.stiff_share = share})),
      InputError);
}

}  // namespace
}  // namespace quartic
