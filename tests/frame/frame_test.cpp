// Rotations and poses, against matrices of Eigen's.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/frame/polar.hpp"
#include "core/frame/pose.hpp"
#include "core/frame/rotation.hpp"
#include "support/support.hpp"

namespace quartic::frame {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

template <class T>
constexpr double epsilon = std::numeric_limits<T>::epsilon();

template <class T>
class FrameTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FrameTest, Precisions);

template <class T>
Vector3<T> vector(const Vector3d& v) {
  return {static_cast<T>(v.x()), static_cast<T>(v.y()), static_cast<T>(v.z())};
}
template <class T>
Vector3d eigen(const Vector3<T>& v) {
  return {double{v.x}, double{v.y}, double{v.z}};
}
template <class T>
Matrix3d eigen(const Matrix3<T>& m) {
  Matrix3d result;
  for (int i = 0; i < 3; ++i) result.row(i) = eigen(m.row[i]).transpose();
  return result;
}
template <class T>
Matrix3<T> matrix3(const Matrix3d& m) {
  return {{vector<T>(m.row(0)), vector<T>(m.row(1)), vector<T>(m.row(2))}};
}
template <class T>
Matrix3d rotation_matrix(const Quaternion<T>& q) {
  return eigen(matrix(q));
}
// v^ x = v x x.
Matrix3d skew(const Vector3d& v) {
  Matrix3d m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}
double most(const Matrix3d& m) {
  return m.cwiseAbs().maxCoeff();
}

// Directions of length 1, and the axes.
std::vector<Vector3d> directions() {
  std::vector<Vector3d> all = {Vector3d::UnitX(), -Vector3d::UnitY(), Vector3d::UnitZ()};
  const std::vector<double> numbers = test::random_numbers(30, 1);
  for (std::size_t n = 0; n < numbers.size(); n += 3)
    all.push_back(Vector3d(numbers[n], numbers[n + 1], numbers[n + 2]).normalized());
  return all;
}

template <class T>
std::vector<Quaternion<T>> sample_rotations() {
  std::vector<Quaternion<T>> all;
  double angle = 0.1;
  for (const Vector3d& direction : directions()) all.push_back(rotation_exp(vector<T>((angle += 0.23) * direction)));
  return all;
}

// ---- exp, log ---------------------------------------------------------------------------------------------------

// Rodrigues' formula in double, of the vector that T holds.
TYPED_TEST(FrameTest, ExpIsTheRotationAboutTheVector) {
  for (const Vector3d& direction : directions())
    for (const double angle : {0.0, 1e-30, 1e-8, 1e-4, 3e-4, 1e-2, 0.5, 1.0, 2.0, 3.1, 6.0}) {
      const Vector3<TypeParam> v = vector<TypeParam>(angle * direction);
      const Vector3d w = eigen(v);
      const Matrix3d expected = Eigen::AngleAxisd(w.norm(), w.norm() > 0 ? w.normalized() : direction).matrix();
      EXPECT_LE(most(rotation_matrix(rotation_exp(v)) - expected), 8 * epsilon<TypeParam>) << angle;
    }
}

TYPED_TEST(FrameTest, LogIsTheInverseOfExp) {
  const double pi = std::numbers::pi;
  for (const Vector3d& direction : directions())
    for (const double angle : {0.0, 1e-30, 1e-8, 1e-4, 3e-4, 1e-2, 0.5, 2.0, pi - 1e-2, pi - 1e-5}) {
      const Vector3<TypeParam> v = vector<TypeParam>(angle * direction);
      const Vector3d back = eigen(rotation_log(rotation_exp(v)));
      // Relative to the vector: small ones lose nothing.
      EXPECT_LE((back - eigen(v)).norm(), 4 * epsilon<TypeParam> * angle) << angle;
    }
}

// At pi either of two opposite vectors will do, and beyond it the shorter way round is meant.
TYPED_TEST(FrameTest, LogGoesTheShortWay) {
  for (const Vector3d& direction : directions())
    for (const double angle : {std::numbers::pi, 3.5, 6.0}) {
      const Quaternion<TypeParam> q = rotation_exp(vector<TypeParam>(angle * direction));
      const Vector3<TypeParam> v = rotation_log(q);
      EXPECT_LE(eigen(v).norm(), std::numbers::pi * (1 + epsilon<TypeParam>));
      EXPECT_LE(most(rotation_matrix(rotation_exp(v)) - rotation_matrix(q)), 16 * epsilon<TypeParam>);
      const Quaternion<TypeParam> other{TypeParam{-1} * q.vector, -q.w};  // the same rotation
      EXPECT_LE(most(rotation_matrix(rotation_exp(rotation_log(other))) - rotation_matrix(q)), 16 * epsilon<TypeParam>);
    }
}

// ---- Cayley's map --------------------------------------------------------------------------------------------------

TYPED_TEST(FrameTest, CayleyIsItsClosedForm) {
  for (const Vector3d& direction : directions())
    for (const double size : {0.0, 1e-30, 1e-6, 1e-2, 1.0, 2.0, 100.0}) {
      const Vector3<TypeParam> v = vector<TypeParam>(size * direction);
      const Matrix3d half = skew(eigen(v)) / 2, one = Matrix3d::Identity();
      const Matrix3d expected = (one - half).inverse() * (one + half);
      const Matrix3d r = rotation_matrix(cayley(v));
      EXPECT_LE(most(r - expected), (8 + size) * epsilon<TypeParam>)
          << size;                                                         // the inverse's condition is 1 + size / 2
      EXPECT_LE(most(r.transpose() * r - one), 4.5 * epsilon<TypeParam>);  // 1e-15 in double
    }
}

// ---- quaternions ---------------------------------------------------------------------------------------------------

TYPED_TEST(FrameTest, ProductsAreThoseOfMatrices) {
  const auto rotations = sample_rotations<TypeParam>();
  for (const auto& a : rotations)
    for (const auto& b : rotations)
      EXPECT_LE(most(rotation_matrix(a * b) - rotation_matrix(a) * rotation_matrix(b)), 8 * epsilon<TypeParam>);
}

TYPED_TEST(FrameTest, VectorsTurnAsByMatrices) {
  const Vector3<TypeParam> x = vector<TypeParam>({0.3, -2, 0.7});
  for (const auto& q : sample_rotations<TypeParam>()) {
    const Vector3d turned = eigen(rotate(q, x));
    EXPECT_LE((turned - rotation_matrix(q) * eigen(x)).norm(), 16 * epsilon<TypeParam>);
    EXPECT_LE((eigen(matrix(q) * x) - turned).norm(), 16 * epsilon<TypeParam>);
    EXPECT_LE((eigen(rotate(conjugate(q), rotate(q, x))) - eigen(x)).norm(), 16 * epsilon<TypeParam>);
  }
}

TYPED_TEST(FrameTest, NormalisingKeepsTheRotation) {
  const Quaternion<TypeParam> q = rotation_exp(vector<TypeParam>({0.4, 1, -0.2}));
  const Quaternion<TypeParam> unit = normalised(Quaternion<TypeParam>{TypeParam{3} * q.vector, TypeParam{3} * q.w});
  EXPECT_NEAR(double{dot(unit.vector, unit.vector) + unit.w * unit.w}, 1, 4 * epsilon<TypeParam>);
  EXPECT_LE(most(rotation_matrix(unit) - rotation_matrix(q)), 8 * epsilon<TypeParam>);
}

// ---- the polar factor ----------------------------------------------------------------------------------------------

// The nearest rotation by the singular values, and the sum that says how well it is determined.
struct Nearest {
  Matrix3d rotation;
  double sum, largest;
};
Nearest nearest_by_svd(const Matrix3d& a) {
  const Eigen::JacobiSVD<Matrix3d> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const double sign = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
  const Vector3d signs(1, 1, sign);
  return {svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose(),
          svd.singularValues()[1] + sign * svd.singularValues()[2], svd.singularValues()[0]};
}

template <class T>
void expect_nearest(const Matrix3d& a) {
  const Matrix3<T> rounded = matrix3<T>(a);
  const Nearest expected = nearest_by_svd(eigen(rounded));
  const Matrix3d r = rotation_matrix(nearest_rotation(rounded));
  EXPECT_LE(most(r - expected.rotation), 16 * epsilon<T> * expected.largest / expected.sum) << a;
  EXPECT_LE(most(r.transpose() * r - Matrix3d::Identity()), 8 * epsilon<T>);
  EXPECT_NEAR(r.determinant(), 1, 8 * epsilon<T>);
}

Matrix3d random_matrix(unsigned seed) {
  const std::vector<double> numbers = test::random_numbers(9, seed);
  return Eigen::Map<const Matrix3d>(numbers.data());
}

TYPED_TEST(FrameTest, NearestRotationIsThatOfTheSingularValues) {
  int reflected = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const Matrix3d a = random_matrix(seed);
    reflected += a.determinant() < 0 ? 1 : 0;
    expect_nearest<TypeParam>(a);
    expect_nearest<TypeParam>(-a);  // of the other handedness
    for (const double size : {1e-30, 1e-10, 1e10, 1e30}) expect_nearest<TypeParam>(size * a);
  }
  EXPECT_GT(reflected, 50);
  EXPECT_LT(reflected, 150);
}

TYPED_TEST(FrameTest, NearestRotationOfSingularAndReflectedMatrices) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const Matrix3d r = rotation_matrix(rotation_exp(vector<double>(random_matrix(seed).col(0))));
    const Matrix3d v = rotation_matrix(rotation_exp(vector<double>(random_matrix(seed).col(1))));
    for (const Vector3d& values :
         {Vector3d(1, 0.5, 0), Vector3d(1, 1e-3, 1e-9), Vector3d(1, 1, 1), Vector3d(1, 1, 1e-20), Vector3d(2, 1, -0.5),
          Vector3d(1, 0.9, -1e-4), Vector3d(3, 3, -1), Vector3d(1, 1e-2, 0)})
      expect_nearest<TypeParam>(r * v * values.asDiagonal() * v.transpose());
  }
}

// Where any rotation, or any about an axis, is as near: one of them, and no other number.
TYPED_TEST(FrameTest, NearestRotationIsOneEvenIfManyAre) {
  EXPECT_EQ(rotation_matrix(nearest_rotation(Matrix3<TypeParam>{})), Matrix3d::Identity());
  const Vector3d x = directions()[5], y = directions()[6];
  for (const Matrix3d& a : {Matrix3d(x * y.transpose()), Matrix3d(-Matrix3d::Identity())}) {
    const Matrix3d r = rotation_matrix(nearest_rotation(matrix3<TypeParam>(a)));
    const Nearest expected = nearest_by_svd(a);
    EXPECT_LE(most(r.transpose() * r - Matrix3d::Identity()), 8 * epsilon<TypeParam>);
    EXPECT_NEAR((r.transpose() * a).trace(), (expected.rotation.transpose() * a).trace(), 8 * epsilon<TypeParam>);
  }
}

// ---- poses
// -----------------------------------------------------------------------------------------------------------

TYPED_TEST(FrameTest, PosesComposeAndInvert) {
  const auto rotations = sample_rotations<TypeParam>();
  const Vector3<TypeParam> x = vector<TypeParam>({0.3, -2, 0.7});
  for (std::size_t n = 0; n + 1 < rotations.size(); ++n) {
    const Pose<TypeParam> a{vector<TypeParam>(directions()[n]), rotations[n]};
    const Pose<TypeParam> b{vector<TypeParam>(2 * directions()[n + 1]), rotations[n + 1]};
    const Vector3d inner = rotation_matrix(b.rotation) * eigen(x) + eigen(b.position);
    const Vector3d expected = rotation_matrix(a.rotation) * inner + eigen(a.position);
    EXPECT_LE((eigen(apply(a * b, x)) - expected).norm(), 32 * epsilon<TypeParam>);
    EXPECT_LE((eigen(apply(inverse(a), apply(a, x))) - eigen(x)).norm(), 32 * epsilon<TypeParam>);
    EXPECT_LE((eigen(apply(inverse(a) * a, x)) - eigen(x)).norm(), 32 * epsilon<TypeParam>);
  }
}

}  // namespace
}  // namespace quartic::frame
