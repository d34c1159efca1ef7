// Rigid modes: how many, that they are rigid, M-orthonormal and zero where the body is held.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "support/boxes.hpp"

namespace {

using Eigen::MatrixXd;
using namespace quartic;

VolumeMesh box() {
  return test::make_box(test::BoxCells::tets, {3, 2, 2});
}

// The box's vertex at grid place (i, j, k).
std::int32_t at(int i, int j, int k) {
  return (k * 3 + j) * 4 + i;
}

// Counts the modes after checking what holds for any of them.
std::int64_t checked_count(const VolumeMesh& mesh, const std::vector<std::int32_t>& fixed) {
  const SparseMatrix m = mass_matrix(mesh), k = stiffness_matrix(mesh);
  const Matrix z = rigid_modes(mesh, m, fixed);
  EXPECT_EQ(z.rows, m.rows);
  if (z.cols == 0) return 0;
  const MatrixXd gram = z.map().transpose() * (m.map() * z.map());
  EXPECT_LE((gram - MatrixXd::Identity(z.cols, z.cols)).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LE((k.map() * z.map()).norm(), 1e-13 * k.map().norm() * z.map().norm());
  for (const std::int32_t v : fixed)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(z.map().row(3 * v + c).norm(), 0);
  return z.cols;
}

TEST(RigidModes, CountByWhatIsHeld) {
  const VolumeMesh mesh = box();
  EXPECT_EQ(checked_count(mesh, {}), 6);
  EXPECT_EQ(checked_count(mesh, {at(0, 0, 0)}), 3);
  EXPECT_EQ(checked_count(mesh, {at(0, 0, 0), at(3, 2, 2)}), 1);
  EXPECT_EQ(checked_count(mesh, {at(0, 0, 0), at(1, 0, 0), at(2, 0, 0), at(3, 0, 0)}), 1);  // on one line
  EXPECT_EQ(checked_count(mesh, {at(0, 0, 0), at(1, 0, 0), at(0, 1, 0)}), 0);
}

TEST(RigidModes, FreeModesSpanAllRigidMotions) {
  const VolumeMesh mesh = box();
  const SparseMatrix m = mass_matrix(mesh);
  const Matrix z = rigid_modes(mesh, m, {});
  MatrixXd motions = MatrixXd::Zero(z.rows, 6);
  for (Eigen::Index v = 0; v < z.rows / 3; ++v) {
    const auto x = Eigen::Vector3d::Map(&mesh.vertices[static_cast<std::size_t>(3 * v)]);
    for (int c = 0; c < 3; ++c) {
      motions(3 * v + c, c) = 1;
      motions.block<3, 1>(3 * v, 3 + c) = Eigen::Vector3d::Unit(c).cross(x);
    }
  }
  const MatrixXd rest = motions - z.map() * (z.map().transpose() * (m.map() * motions));
  EXPECT_LE(rest.norm(), 1e-13 * motions.norm());
}

// Far from the origin, tiny, and with coordinates of single precision: points on a line still count as on a line.
TEST(RigidModes, DoNotDependOnPlaceAndScale) {
  VolumeMesh mesh = box();
  for (double& x : mesh.vertices) x = static_cast<double>(static_cast<float>(1e-3 * (x / 3 + 1.7)));
  EXPECT_EQ(rigid_modes(mesh, mass_matrix(mesh), std::vector{at(0, 0, 0), at(1, 0, 0), at(3, 0, 0)}).cols, 1);
  EXPECT_EQ(rigid_modes(mesh, mass_matrix(mesh), std::vector{at(0, 0, 0), at(1, 0, 0), at(3, 1, 0)}).cols, 0);
}

TEST(RigidModes, CountPerComponent) {
  VolumeMesh mesh = box();
  const VolumeMesh part = box();
  const auto first = static_cast<std::int32_t>(mesh.vertex_count());
  for (const double x : part.vertices) mesh.vertices.push_back(x + 20);
  for (const std::int32_t v : part.blocks[0].vertices) mesh.blocks[0].vertices.push_back(first + v);
  mesh.element_region.insert(mesh.element_region.end(), part.element_region.begin(), part.element_region.end());
  mesh.vertices.insert(mesh.vertices.end(), {5, 5, 5});  // of no element: of no component
  EXPECT_EQ(checked_count(mesh, {}), 12);
  EXPECT_EQ(checked_count(mesh, {at(0, 0, 0), at(1, 0, 0), at(0, 1, 0)}), 6);
  EXPECT_EQ(checked_count(mesh, {at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), first + at(2, 1, 1)}), 3);
}

TEST(RigidModes, LumpedMassToo) {
  const VolumeMesh mesh = box();
  const SparseMatrix m = mass_matrix(mesh, MassMatrix::lumped);
  const Matrix z = rigid_modes(mesh, m, {});
  EXPECT_LE((z.map().transpose() * (m.map() * z.map()) - MatrixXd::Identity(6, 6)).norm(), 1e-14);
}

TEST(RigidModes, RefuseWhatDoesNotFit) {
  const VolumeMesh mesh = box();
  const SparseMatrix m = mass_matrix(mesh);
  EXPECT_THROW((void)rigid_modes(mesh, m, std::vector<std::int32_t>{36}), InputError);
  EXPECT_THROW((void)rigid_modes(mesh, m, std::vector<std::int32_t>{-1}), InputError);
  EXPECT_THROW((void)rigid_modes(mesh, mass_matrix(test::make_box(test::BoxCells::tets, {1, 1, 1})), {}), InputError);
  SparseMatrix zero = m;
  std::fill(zero.values.begin(), zero.values.end(), 0.0);
  EXPECT_THROW((void)rigid_modes(mesh, zero, {}), NumericalError);
}

}  // namespace
