// Points and forces of bodies with poses: the power of a force is that of its wrench and of its reduced force.
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <vector>

#include "embedding/random_matrix.hpp"
#include "quartic/embedding.hpp"
#include "quartic/error.hpp"
#include "support/moving_base.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr Eigen::Index posed_vertices = 23, posed_rank = 5, body_count = 3;

template <class T>
class PosedPoints : public testing::Test {
 protected:
  using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  PosedPoints() {
    frame_.origin = {0.5, -0.25, 1};
    frame_.moment1 = Matrix(9, posed_rank);
    for (Eigen::Index b = 0; b < body_count; ++b) pose_.col(b).template tail<4>() *= static_cast<T>(b + 1);
  }
  static StateView<const T> view(const Columns& c) { return {c.data(), c.rows(), c.cols(), 1, c.rows()}; }
  static StateView<T> view(Columns& c) { return {c.data(), c.rows(), c.cols(), 1, c.rows()}; }

  Matrix3d rotation(Eigen::Index b) const {
    const Eigen::Vector4d q = pose_.col(b).template tail<4>().template cast<double>();
    return test::rotation_of(q.normalized());
  }
  Vector3d own_point(Eigen::Index b, Eigen::Index v) const {
    const Vector3d u = basis_.middleRows(3 * v, 3) * q_.col(b).template cast<double>();
    return Eigen::Map<const Vector3d>(rest_.data() + 3 * v) - Vector3d(0.5, -0.25, 1) + u;
  }
  std::span<const double> rest() const { return {rest_.data(), static_cast<std::size_t>(rest_.size())}; }

  const MatrixXd basis_ = test::random_matrix(3 * posed_vertices, posed_rank, 1),
                 rest_ = test::random_matrix(3 * posed_vertices, 1, 2);
  FrameMoments frame_;
  Columns q_ = test::random_matrix(posed_rank, body_count, 3).template cast<T>();
  Columns pose_ = test::random_matrix(7, body_count, 4).template cast<T>();
  static constexpr double tolerance = 40 * static_cast<double>(std::numeric_limits<T>::epsilon());
};

using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PosedPoints, Precisions);

TYPED_TEST(PosedPoints, PositionsAreTurnedAndMoved) {
  using T = TypeParam;
  for (const std::vector<std::int32_t>& chosen : {std::vector<std::int32_t>{}, {22, 0, 7, 7}}) {
    const std::size_t count = chosen.empty() ? posed_vertices : chosen.size();
    std::vector<T> x(3 * count * body_count);
    vertex_positions<T>(this->basis_, this->rest(), this->frame_, this->view(std::as_const(this->q_)),
                        this->view(std::as_const(this->pose_)), chosen, x);
    for (Eigen::Index b = 0; b < body_count; ++b)
      for (std::size_t k = 0; k < count; ++k) {
        const auto v = chosen.empty() ? static_cast<Eigen::Index>(k) : chosen[k];
        const Vector3d centre = this->pose_.col(b).template head<3>().template cast<double>();
        const Vector3d expected = centre + this->rotation(b) * this->own_point(b, v);
        for (std::size_t c = 0; c < 3; ++c)
          EXPECT_NEAR(static_cast<double>(x[3 * (static_cast<std::size_t>(b) * count + k) + c]),
                      expected[static_cast<Eigen::Index>(c)], this->tolerance);
      }
    // The same bits by axis, vertex and body, backwards.
    std::vector<T> strided(x.size());
    const auto last = std::ssize(x) - 1;
    vertex_positions<T>(this->basis_, this->rest(), this->frame_, this->view(std::as_const(this->q_)),
                        this->view(std::as_const(this->pose_)), chosen,
                        {strided.data() + last, body_count, static_cast<std::int64_t>(count), -1, -body_count,
                         -body_count * static_cast<std::int64_t>(count)});
    for (std::size_t b = 0; b < body_count; ++b)
      for (std::size_t k = 0; k < count; ++k)
        for (std::size_t c = 0; c < 3; ++c)
          EXPECT_EQ(strided[x.size() - 1 - (c * count + k) * body_count - b], x[3 * (b * count + k) + c]);
  }
}

// For any velocities of the frame and of q, and on top of what is there.
TYPED_TEST(PosedPoints, ForcesDoTheWorkOfTheirPoints) {
  using T = TypeParam;
  using Numbers = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  const std::vector<VertexForce> forces = {{.body = 2, .vertex = 22, .force = {3, -1, 2}},
                                           {.body = 0, .vertex = 4, .force = {-5, 0.5, 1}},
                                           {.body = 2, .vertex = 11, .force = {1, 2, 3}}};
  const Numbers before = test::random_matrix(posed_rank + 6, body_count, 5).template cast<T>();
  Numbers reduced = before.topRows(posed_rank), wrench = before.bottomRows(6);
  add_vertex_forces<T>(this->basis_, this->rest(), this->frame_, forces, this->view(std::as_const(this->q_)),
                       this->view(std::as_const(this->pose_)), this->view(reduced), this->view(wrench));
  const MatrixXd q_rate = test::random_matrix(posed_rank, body_count, 6), v = test::random_matrix(3, body_count, 7),
                 w = test::random_matrix(3, body_count, 8);
  for (Eigen::Index b = 0; b < body_count; ++b) {
    double power = 0, size = 1;
    for (const VertexForce& force : forces) {
      if (force.body != b) continue;
      const Matrix3d turn = this->rotation(b);
      const Vector3d own = Vector3d(w.col(b)).cross(this->own_point(b, force.vertex)) +
                           this->basis_.middleRows(3 * force.vertex, 3) * q_rate.col(b);
      const Vector3d velocity = v.col(b) + turn * own;
      power += Eigen::Map<const Vector3d>(force.force.data()).dot(velocity);
      size += Eigen::Map<const Vector3d>(force.force.data()).norm() * velocity.norm();
    }
    const VectorXd f = (reduced - before.topRows(posed_rank)).col(b).template cast<double>(),
                   load = (wrench - before.bottomRows(6)).col(b).template cast<double>();
    const double sum =
        f.dot(q_rate.col(b)) + load.head<3>().dot(v.col(b)) + load.tail<3>().dot(this->rotation(b) * w.col(b));
    EXPECT_NEAR(sum, power, this->tolerance * size) << b;
  }
  EXPECT_EQ(reduced.col(1), before.col(1).head(posed_rank)) << "the body without a force";
}

TYPED_TEST(PosedPoints, WhatDoesNotFitIsRefused) {
  using T = TypeParam;
  using Numbers = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  Numbers reduced = Numbers::Zero(posed_rank, body_count), wrench = Numbers::Zero(6, body_count),
          low = wrench.topRows(5);
  const auto q = this->view(std::as_const(this->q_)), pose = this->view(std::as_const(this->pose_));
  const auto add = [&](const VertexForce& force, StateView<const T> poses, StateView<T> wrenches) {
    add_vertex_forces<T>(this->basis_, this->rest(), this->frame_, std::vector{force}, q, poses, this->view(reduced),
                         wrenches);
  };
  EXPECT_THROW(add({.body = 3, .force = {1, 1, 1}}, pose, this->view(wrench)), InputError);
  EXPECT_THROW(add({.vertex = posed_vertices, .force = {1, 1, 1}}, pose, this->view(wrench)), InputError);
  EXPECT_THROW(add({.force = {1, 1, 1}}, pose, this->view(low)), InputError);
  EXPECT_THROW(add({.force = {1, 1, 1}}, q, this->view(wrench)), InputError);
  EXPECT_EQ(reduced, Numbers::Zero(posed_rank, body_count));
  EXPECT_EQ(wrench, Numbers::Zero(6, body_count));
  std::vector<T> x(3 * body_count);
  EXPECT_THROW(vertex_positions<T>(this->basis_, this->rest().first(6), this->frame_, q, pose, {}, x), InputError);
  const VertexView<T> short_of_one{x.data(), body_count - 1, posed_vertices, 3 * posed_vertices};
  EXPECT_THROW(vertex_positions<T>(this->basis_, this->rest(), this->frame_, q, pose, {}, short_of_one), InputError);
}

}  // namespace
}  // namespace quartic
