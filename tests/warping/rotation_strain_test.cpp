// Rotation-strain warping: exact rotations, bent and twisted bars. The numbers are those of an independent program in
// NumPy on the same mesh.
#include <gtest/gtest.h>

#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/statics.hpp"
#include "support/boxes.hpp"
#include "warping/bent_bar.hpp"

namespace quartic {
namespace {

using test::BentBar;
using test::BoxCells;
using test::degree;

const BentBar& bent_bar() {
  static const BentBar made;
  return made;
}

std::vector<double> warped(const RotationStrainWarp& warp, const std::vector<double>& u) {
  return warp.warp(Eigen::VectorXd::Map(u.data(), std::ssize(u))).values;
}

class RotationStrain : public testing::TestWithParam<BoxCells> {};
INSTANTIATE_TEST_SUITE_P(Cells, RotationStrain, testing::ValuesIn(test::all_cells),
                         [](const auto& info) { return test::name_of(info.param); });

TEST_P(RotationStrain, RecoversRotationsAboutAHeldVertex) {
  const VolumeMesh mesh = test::make_box(GetParam(), {3, 2, 2});
  const std::int32_t held = 4;
  const Eigen::Vector3d theta(2, -5, 3), centre = Eigen::Vector3d::Map(mesh.vertices.data() + 3 * held);
  const RotationStrainWarp warp(mesh, {{held}});
  EXPECT_LT(test::largest_difference(warped(warp, test::turned_slightly(mesh, theta, centre)),
                                     test::turned(mesh, theta, centre)),
            1e-12);
}

TEST_P(RotationStrain, FreeBodiesTurnAboutTheirCentreOfMass) {
  const VolumeMesh mesh = test::make_box(GetParam(), {3, 2, 2});
  const SparseMatrix mass = mass_matrix(mesh);
  const auto centre_of = [&](const std::vector<double>& field) {
    const Eigen::VectorXd moved = mass.map() * Eigen::VectorXd::Map(field.data(), std::ssize(field));
    const Eigen::VectorXd ones = mass.map() * Eigen::VectorXd::Ones(mass.rows);
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (std::int64_t v = 0; v < mesh.vertex_count(); ++v) sum += moved.segment<3>(3 * v);
    return Eigen::Vector3d(3 * sum / ones.sum());
  };
  const Eigen::Vector3d theta(2, -5, 3), shift(1, 2, 3), centre = centre_of(mesh.vertices);
  std::vector<double> u = test::turned_slightly(mesh, theta, Eigen::Vector3d::Zero());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] += shift[static_cast<Eigen::Index>(i % 3)];
  const Eigen::Vector3d moved = centre_of(u);
  std::vector<double> expected = test::turned(mesh, theta, centre);
  for (std::size_t i = 0; i < u.size(); ++i) expected[i] += moved[static_cast<Eigen::Index>(i % 3)];
  EXPECT_LT(test::largest_difference(warped(RotationStrainWarp(mesh), u), expected), 1e-12);
}

TEST_P(RotationStrain, SmallDisplacementsStayWhatTheyAre) {
  const VolumeMesh mesh = test::make_box(GetParam(), {2, 2, 2});
  const RotationStrainWarp warp(mesh, {{0, 1, 2}});
  for (const double size : {1e-5, 1e-6}) {
    std::vector<double> u = test::random_numbers(mesh.vertices.size(), 2);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] *= i < 9 ? 0 : size;
    EXPECT_LT(test::largest_difference(warped(warp, u), u), 3e3 * size * size) << "second order";
  }
}

TEST_P(RotationStrain, LaplacianIsSymmetricAndVanishesOnConstants) {
  const VolumeMesh mesh = test::make_box(GetParam(), {2, 2, 2});
  const SparseMatrix l = RotationStrainWarp(mesh).laplacian();
  const Eigen::MatrixXd dense = l.map();
  EXPECT_LT((dense - dense.transpose()).cwiseAbs().maxCoeff(), 1e-15 * dense.cwiseAbs().maxCoeff());
  EXPECT_LT((dense * Eigen::VectorXd::Ones(dense.rows())).cwiseAbs().maxCoeff(), 1e-14 * dense.cwiseAbs().maxCoeff());
}

TEST(RotationStrainBar, KeepsItsVolumeInBends) {
  const RotationStrainWarp warp(bent_bar().mesh, bent_bar().fixed);
  struct Case {
    double angle, swelling;
  };
  for (const Case& c : {Case{45, -0.05}, Case{90, -0.21}, Case{180, -0.82}, Case{360, -3.07}}) {
    const auto u = warped(warp, bent_bar().linear(bent_bar().bend(c.angle * degree)));
    EXPECT_NEAR(bent_bar().swelling(u), c.swelling, 0.02) << c.angle;
  }
}

TEST(RotationStrainBar, TwistsByTwoTurnsWithoutTurningElementsInsideOut) {
  const RotationStrainWarp warp(bent_bar().mesh, bent_bar().fixed);
  const auto once = warped(warp, bent_bar().linear(bent_bar().twist(360 * degree)));
  const auto twice = warped(warp, bent_bar().linear(bent_bar().twist(720 * degree)));
  EXPECT_NEAR(bent_bar().swelling(once), -4.41, 0.02);
  EXPECT_NEAR(bent_bar().swelling(twice), -15.26, 0.05);
  EXPECT_EQ(inverted_elements(bent_bar().mesh, twice), 0);
}

TEST(RotationStrainBar, IsWhereTheIdealTwistIs) {
  const VolumeMesh& mesh = bent_bar().mesh;
  std::vector<double> u(mesh.vertices.size());
  for (std::size_t v = 0; 3 * v < u.size(); ++v) {
    const double angle = 2 * std::numbers::pi * mesh.vertices[3 * v];
    u[3 * v + 1] = -angle * mesh.vertices[3 * v + 2];
    u[3 * v + 2] = angle * mesh.vertices[3 * v + 1];
  }
  const auto x = warped(RotationStrainWarp(mesh, bent_bar().fixed), u);
  EXPECT_NEAR(bent_bar().swelling(x), -3.675, 0.001);
  const std::size_t corner = u.size() - 3;  // of the end, which the ideal twist brings back to where it was
  const double y = mesh.vertices[corner + 1], z = mesh.vertices[corner + 2];
  EXPECT_NEAR((std::atan2(z + x[corner + 2], y + x[corner + 1]) - std::atan2(z, y)) / degree, -4.751, 0.001);
}

TEST(RotationStrainWarp, ColumnsDoNotDependOnEachOther) {
  const RotationStrainWarp warp(bent_bar().mesh, bent_bar().fixed);
  Matrix both(3 * warp.vertex_count(), 3);
  const auto bend = bent_bar().linear(bent_bar().bend(1)), twist = bent_bar().linear(bent_bar().twist(2));
  std::ranges::copy(bend, both.col(0).begin());
  std::ranges::fill(both.col(1), std::numeric_limits<double>::infinity());
  std::ranges::copy(twist, both.col(2).begin());
  const Matrix together = warp.warp(both.map());
  EXPECT_EQ(warped(warp, bend), std::vector<double>(together.col(0).begin(), together.col(0).end()));
  EXPECT_EQ(warped(warp, twist), std::vector<double>(together.col(2).begin(), together.col(2).end()));
  EXPECT_TRUE(std::isnan(together(0, 1)));
}

TEST(RotationStrainWarp, RefusesWhatDoesNotFit) {
  const VolumeMesh mesh = test::make_box(BoxCells::tets, {1, 1, 1});
  EXPECT_THROW(RotationStrainWarp(mesh, {{8}}), InputError);
  EXPECT_THROW(RotationStrainWarp(mesh, {{-1}}), InputError);
  EXPECT_THROW((void)RotationStrainWarp(mesh).warp(Eigen::MatrixXd::Zero(23, 1)), InputError);
  EXPECT_THROW(RotationStrainWarp(VolumeMesh{}), InputError);
}

TEST(RotationStrainWarp, OfAWhollyHeldBodyIsRest) {
  const VolumeMesh mesh = test::make_box(BoxCells::tets, {1, 1, 1});
  const std::vector<std::int32_t> all = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(warped(RotationStrainWarp(mesh, all), std::vector<double>(24, 0.1)), std::vector<double>(24));
}

}  // namespace
}  // namespace quartic
