// Laws at a point against differences, Hooke's tangent at rest, the textbooks' formulas and known states.
#include "quartic/laws.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>

#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::Matrix3d;
using RowMatrix3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Matrix9d = Eigen::Matrix<double, 9, 9, Eigen::RowMajor>;

Material material_of(MaterialLaw law, double nu = 0.3) {
  return {.youngs_modulus = 1, .poissons_ratio = nu, .density = 1, .law = law, .mooney_share = 0.3};
}

LawResponse at(const Material& material, const Matrix3d& f, LawTangent tangent = LawTangent::exact) {
  const RowMatrix3d rows = f;
  return evaluate_law(material, std::span<const double, 9>(rows.data(), 9), tangent);
}
RowMatrix3d stress(const LawResponse& r) {
  return Eigen::Map<const RowMatrix3d>(r.stress.data());
}
Matrix9d tangent(const LawResponse& r) {
  return Eigen::Map<const Matrix9d>(r.tangent.data());
}
double apply(const LawResponse& r, const Matrix3d& d) {
  return stress(r).cwiseProduct(d).sum();
}
RowMatrix3d product(const LawResponse& r, const RowMatrix3d& d) {
  RowMatrix3d result;
  Eigen::Map<Eigen::Vector<double, 9>>(result.data()) =
      tangent(r) * Eigen::Map<const Eigen::Vector<double, 9>>(d.data());
  return result;
}

class Laws : public testing::TestWithParam<MaterialLaw> {
 protected:
  Matrix3d random_matrix(double scale) {
    Matrix3d result;
    for (double& x : result.reshaped()) x = scale * normal_(random_);
    return result;
  }
  Matrix3d random_rotation() {
    return Eigen::Quaterniond(Eigen::Vector4d::NullaryExpr([&] { return normal_(random_); }).normalized())
        .toRotationMatrix();
  }

 private:
  std::mt19937 random_{7};
  std::normal_distribution<double> normal_;
};

TEST_P(Laws, StressAndTangentAreDerivatives) {
  for (int trial = 0; trial < 40; ++trial) {
    Matrix3d f = Matrix3d::Identity() + random_matrix(0.4);
    if (trial % 4 == 3) f.col(0) *= -1;  // inverted
    const Matrix3d d = random_matrix(1);
    const Material material = material_of(GetParam(), trial % 2 == 0 ? 0.3 : 0.45);
    constexpr double h = 1e-6;
    const LawResponse here = at(material, f), plus = at(material, f + h * d), minus = at(material, f - h * d);
    EXPECT_NEAR((plus.energy - minus.energy) / (2 * h), apply(here, d), 1e-7 * (1 + stress(here).norm() * d.norm()));
    EXPECT_LT(((stress(plus) - stress(minus)) / (2 * h) - product(here, d)).norm(),
              1e-7 * (1 + tangent(here).norm() * d.norm()))
        << "trial " << trial;
    EXPECT_EQ(tangent(here), tangent(here).transpose());
  }
}

TEST_P(Laws, HaveHookesTangentAtRest) {
  const Material material = material_of(GetParam());
  const LawResponse rest = at(material, Matrix3d::Identity());
  EXPECT_EQ(rest.energy, 0);
  EXPECT_LT(stress(rest).norm(), 1e-15);
  for (int row = 0; row < 9; ++row)
    for (int column = 0; column < 9; ++column) {
      const int i = row / 3, j = row % 3, k = column / 3, l = column % 3;
      const double hooke =
          lame_lambda(material) * (i == j) * (k == l) + lame_mu(material) * ((i == k) * (j == l) + (i == l) * (j == k));
      EXPECT_NEAR(tangent(rest)(row, column), hooke, 1e-14);
    }
}

// Small strains keep their digits: the stress of 1e-9 is Hooke's to 1e-8 of itself, which differences with 1 wouldn't
// give.
TEST_P(Laws, KeepDigitsOfSmallStrains) {
  const Material material = material_of(GetParam());
  const RowMatrix3d a = 0x1p-30 * random_matrix(1).array().round().matrix();  // I + A is exact
  const LawResponse small = at(material, Matrix3d::Identity() + a);
  const RowMatrix3d hooke =
      lame_lambda(material) * a.trace() * Matrix3d::Identity() + lame_mu(material) * (a + a.transpose());
  const double tolerance = GetParam() == MaterialLaw::corotational ? 1e-6 : 1e-8;  // whose rotation rounds to 1e-16
  EXPECT_LT((stress(small) - hooke).norm(), tolerance * hooke.norm());
  EXPECT_NEAR(small.energy, hooke.cwiseProduct(a).sum() / 2, 1e-6 * small.energy);
}

TEST_P(Laws, AreObjectiveAndIsotropic) {
  const Material material = material_of(GetParam());
  const Matrix3d f = Matrix3d::Identity() + random_matrix(0.3), q = random_rotation(), r = random_rotation();
  const LawResponse here = at(material, f), turned = at(material, q * f * r);
  EXPECT_NEAR(turned.energy, here.energy, 1e-13 * (1 + here.energy));
  EXPECT_LT((stress(turned) - q * stress(here) * r).norm(), 1e-13 * (1 + stress(here).norm()));
  EXPECT_LT(std::abs(at(material, q).energy), 1e-15);
}

TEST_P(Laws, ProjectedTangentsHaveNoNegativeEigenvalue) {
  const Material material = material_of(GetParam(), 0.45);
  int indefinite = 0;
  for (int trial = 0; trial < 50; ++trial) {
    Matrix3d f = Matrix3d::Identity() + random_matrix(0.5);
    if (trial % 3 == 0) f.col(1) *= -1;
    const Eigen::SelfAdjointEigenSolver<Matrix9d> exact(tangent(at(material, f)));
    const Matrix9d clamped =
        exact.eigenvectors() * exact.eigenvalues().cwiseMax(0).asDiagonal() * exact.eigenvectors().transpose();
    const LawResponse projected = at(material, f, LawTangent::projected);
    const double size = exact.eigenvalues().cwiseAbs().maxCoeff();
    EXPECT_LT((tangent(projected) - clamped).norm(), 1e-11 * size);
    EXPECT_EQ(stress(projected), stress(at(material, f)));
    indefinite += exact.eigenvalues().minCoeff() < -1e-9 * size ? 1 : 0;
  }
  EXPECT_GT(indefinite, 5);  // so that something was clamped
}

// A cube that is turned inside out, to half its width: the energy falls as F_11 grows from -1/2. Not with stvk, which
// is at rest where it is reflected.
TEST_P(Laws, PushAnInvertedCubeBack) {
  const Material material = material_of(GetParam());
  const double slope = stress(at(material, Matrix3d(Eigen::Vector3d(-0.5, 1, 1).asDiagonal())))(0, 0);
  if (GetParam() != MaterialLaw::stvk) {
    EXPECT_LT(slope, -0.1);
    return;
  }
  EXPECT_GT(slope, 0.1);
  EXPECT_EQ(stress(at(material, Matrix3d(Eigen::Vector3d(-1, 1, 1).asDiagonal()))).norm(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, Laws,
                         testing::Values(MaterialLaw::stvk, MaterialLaw::stable_neo_hookean,
                                         MaterialLaw::neo_hookean_polynomial, MaterialLaw::mooney_rivlin,
                                         MaterialLaw::corotational),
                         [](const auto& info) {
                           std::string name(material_law_name(info.param));
                           std::erase(name, '-');
                           return name;
                         });

// The formulas as the papers have them, at a large strain.
TEST(LawFormulas, AreThePapers) {
  Matrix3d f;
  f << 1.3, 0.2, -0.1, 0.4, 0.7, 0.3, -0.2, 0.1, 1.1;
  const double ic = f.squaredNorm(), j = f.determinant();
  const Matrix3d c = f.transpose() * f, e = (c - Matrix3d::Identity()) / 2;
  const Material base = material_of(MaterialLaw::stvk);
  const double lambda = lame_lambda(base), mu = lame_mu(base);
  const auto energy = [&](MaterialLaw law) { return at(material_of(law), f).energy; };
  EXPECT_NEAR(energy(MaterialLaw::stvk), lambda / 2 * e.trace() * e.trace() + mu * e.squaredNorm(), 1e-14);
  const double m = 4 * mu / 3, l = lambda + 5 * mu / 6, a = 1 + 3 * m / (4 * l);
  const auto smith = [&](double i, double v) {
    return m / 2 * (i - 3) + l / 2 * (v - a) * (v - a) - m / 2 * std::log(i + 1);
  };
  EXPECT_NEAR(energy(MaterialLaw::stable_neo_hookean), smith(ic, j) - smith(3, 1), 1e-14);
  EXPECT_NEAR(energy(MaterialLaw::neo_hookean_polynomial),
              mu / 2 * (ic - 3) - mu * (j - 1) + (lambda + mu) / 2 * (j - 1) * (j - 1), 1e-14);
  const double c10 = 0.7 * mu / 2, c01 = 0.3 * mu / 2, second = (ic * ic - (c * c).trace()) / 2;
  EXPECT_NEAR(
      energy(MaterialLaw::mooney_rivlin),
      c10 * (ic - 3) + c01 * (second - 3) - (2 * c10 + 4 * c01) * (j - 1) + (lambda + 2 * c10) / 2 * (j - 1) * (j - 1),
      1e-14);
  const Eigen::JacobiSVD<Matrix3d> svd(f, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Matrix3d r = svd.matrixU() * svd.matrixV().transpose();  // det f > 0
  const double trace = (r.transpose() * f).trace() - 3;
  EXPECT_NEAR(energy(MaterialLaw::corotational), mu * (f - r).squaredNorm() + lambda / 2 * trace * trace, 1e-14);
}

TEST(LawInput, IsChecked) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(at(material_of(MaterialLaw::stvk), Matrix3d::Constant(inf)), InputError);
  Material material = material_of(MaterialLaw::mooney_rivlin);
  material.mooney_share = 1.5;
  EXPECT_THROW(at(material, Matrix3d::Identity()), InputError);
  EXPECT_THROW(static_cast<void>(find_material_law("ogden")), InputError);
  EXPECT_EQ(find_material_law("mooney-rivlin"), MaterialLaw::mooney_rivlin);
}

// A collapsed element has finite numbers.
TEST(LawInput, CollapsedStatesAreFinite) {
  for (int n = 0; n < material_law_count; ++n) {
    const LawResponse r = at(material_of(static_cast<MaterialLaw>(n)), Matrix3d::Zero());
    EXPECT_TRUE(std::isfinite(r.energy) && stress(r).allFinite() && tangent(r).allFinite()) << n;
  }
}

}  // namespace
}  // namespace quartic
