// Single steps of a body in contact against the equations as they stand, solved with derivatives by differences.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <utility>

#include "contact/contact_models.hpp"
#include "quartic/frame_motion.hpp"
#include "quartic/world.hpp"
#include "support/free_batches.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Tree = std::shared_ptr<const BoundTree>;

struct PlaneContact {
  double stiffness, friction, limit;
  // On a point, above the plane z = 0 at rest.
  [[nodiscard]] Vector3d force(double area, const Vector3d& x, const Vector3d& v) const {
    if (x[2] >= 0) return Vector3d::Zero();
    const double normal = -stiffness * area * x[2], speed = std::hypot(v[0], v[1]);
    const double share = speed < limit ? (2 - speed / limit) / limit : 1 / speed;
    return {-friction * normal * share * v[0], -friction * normal * share * v[1], normal};
  }
};

// The root of a function near a guess.
VectorXd root(const std::function<VectorXd(const VectorXd&)>& equations, VectorXd x, const VectorXd& scales) {
  for (int iteration = 0; iteration < 8; ++iteration) {
    const VectorXd here = equations(x);
    MatrixXd derivative(x.size(), x.size());
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      VectorXd left = x, right = x;
      left[j] -= 1e-6 * scales[j], right[j] += 1e-6 * scales[j];
      derivative.col(j) = (equations(right) - equations(left)) / (2e-6 * scales[j]);
    }
    x -= solve(derivative, here);
  }
  return x;
}

// The step of a soft block that flies, under gravity and on the plane z = 0, as equations in x = (q1, w1, v1).
class DenseStep {
 public:
  DenseStep(const Tree& tree, FreeState start, const PlaneContact& law, double h)
      : tree_(tree),
        frame_(free_frame(soft_block())),
        body_(frame_, soft_block().energy),
        start_(std::move(start)),
        law_(law),
        h_(h),
        momentum_(start_.rotation * (body_.inertia(start_.q) * start_.spin + body_.axial(start_.q) * start_.rate)) {}

  [[nodiscard]] VectorXd operator()(const VectorXd& x) const {
    const auto r = static_cast<Eigen::Index>(soft_block().rank());
    const VectorXd q1 = x.head(r), rate = (q1 - start_.q) / h_;
    const Vector3d w1 = x.segment<3>(r), v1 = x.tail<3>();
    const Matrix3d half = 0.5 * h_ * hat(w1);
    const Matrix3d turn = start_.rotation * (Matrix3d::Identity() - half).inverse() * (Matrix3d::Identity() + half);
    const Vector3d c1 = start_.position + h_ * v1;
    VectorXd on_q = VectorXd::Zero(r);
    Vector3d force(0, 0, -frame_.mass * gravity), torque = Vector3d::Zero();
    for (std::int64_t p = 0; p < tree_->points.count(); ++p) {
      const MatrixXd fields = tree_->points.basis.map().middleRows(3 * p, 3);
      const Vector3d y =
          Vector3d(tree_->points.positions.data() + 3 * p) - Vector3d(frame_.origin.data()) + fields * q1;
      const Vector3d place = c1 + turn * y, velocity = v1 + turn * (w1.cross(y) + fields * rate);
      const Vector3d f = law_.force(tree_->points.areas[static_cast<std::size_t>(p)], place, velocity);
      on_q += fields.transpose() * (turn.transpose() * f);
      force += f;
      torque += (place - start_.position).cross(f);
    }
    const std::vector<double> q(q1.begin(), q1.end());
    const auto elastic = evaluate(soft_block().energy, q);
    const VectorXd internal = Eigen::Map<const VectorXd>(elastic.force.data(), r);
    const MatrixXd stiffness = elastic.stiffness.map();
    const MatrixXd turning = body_.axial(rate) - body_.axial(VectorXd::Zero(r));
    VectorXd result(r + 6);
    result.head(r) = (rate - start_.rate) / h_ + internal + 1e-3 * stiffness * rate +
                     body_.axial(q1).transpose() * (w1 - start_.spin) / h_ + 2 * turning.transpose() * w1 -
                     body_.centrifugal(q1, w1) - on_q;
    result.segment<3>(r) = (turn * (body_.inertia(q1) * w1 + body_.axial(q1) * rate) - momentum_) / h_ - torque;
    result.tail<3>() = frame_.mass * (v1 - start_.velocity) / h_ - force;
    return result;
  }

  // That the body of the world, which has made the step, is where they say.
  void expect_solved_by(const World<double>& world) const {
    const auto r = static_cast<Eigen::Index>(soft_block().rank());
    VectorXd found(r + 6), scales(r + 6);
    const FreeState end = get_state(world.batch(), 0, soft_block().rank());
    found << end.q, end.spin, end.velocity;
    scales << VectorXd::Constant(r, 1e-2), VectorXd::Constant(6, 1e-1);
    const VectorXd solved = root(*this, found, scales);
    EXPECT_LT((found - solved).head(r).norm(), 1e-6 * (solved.head(r) - start_.q).norm());
    EXPECT_LT((found - solved).segment<3>(r).norm(), 1e-6 * solved.segment<3>(r).norm());
    EXPECT_LT((found - solved).tail<3>().norm(), 1e-6 * solved.tail<3>().norm());
  }

 private:
  const Tree& tree_;
  FrameMoments frame_;
  FreeBody body_;
  FreeState start_;
  PlaneContact law_;
  double h_;
  Vector3d momentum_;
};

constexpr double dense_step = 4e-3;
// Where h^2 k A/m is the ratio, A the block's lower face.
PlaneContact law_of(double ratio) {
  return {ratio * free_frame(soft_block()).mass / (dense_step * dense_step * 0.6), 0.5, 1e-2};
}
const Tree& soft_corners() {
  static const Tree tree = std::make_shared<BoundTree>(bound_tree(soft_block()));
  return tree;
}
template <class T>
World<T> stepped_from(const FreeState& start, const PlaneContact& law) {
  World<T> world(
      TestedBatch<T>({flying(soft_block())}, backward_euler), {soft_corners()},
      {.stiffness = law.stiffness, .friction = law.friction, .friction_velocity = law.limit, .tolerance = 1e-10});
  world.colliders() = {Collider{Shape{PlaneShape{}}}};
  set_state(world.batch(), 0, start);
  add_gravity(world.batch(), {0, 0, -gravity});
  world.step(dense_step);
  return world;
}

// One step of a body that lies bent in the plane, spins and slides.
TEST(DenseContactTest, AgreesWithADenseSolve) {
  for (const double ratio : {0.01, 1.0, 100.0, 1e3, 1e4}) {
    if (ratio > 100 && test::tested_backend() != Backend::cpu) continue;  // stiffer friction is the CPU's alone
    SCOPED_TRACE(ratio);
    const PlaneContact law = law_of(ratio);
    FreeState start = tumbling(soft_block());
    start.q *= 0.005;
    start.position = {0.3, 0.1, 0.1495};
    start.spin = {0.1, -0.2, 0.4};
    start.velocity = {0.5, 0.2, -0.05};
    const World<double> world = stepped_from<double>(start, law);
    ASSERT_GE(world.contacts().size(), 4U);
    ASSERT_EQ(world.batch().flags()[0], BodyFlags::none);
    DenseStep(soft_corners(), start, law, dense_step).expect_solved_by(world);
  }
}

// From any start, slow or fast, h^2 k A/m = 1e4.
TEST(DenseContactTest, FrictionOfStiffContactsIsSolved) {
  if (test::tested_backend() != Backend::cpu) GTEST_SKIP() << "stiff friction is the CPU's alone";
  const PlaneContact law = law_of(1e4);
  int touching = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const double fast = seed % 2 == 0 ? 1 : 5;
    const int r = soft_block().rank();
    const VectorXd numbers = random_vector(2 * r + 7, seed + 1, 1);
    FreeState start;
    start.q = 0.05 * numbers.head(r);
    start.rate = 0.5 * fast * numbers.segment(r, r);
    start.position = {0.3, 0.1, 0.1495 + 0.005 * numbers[2 * r]};
    start.velocity = fast * (numbers.tail<3>() - Vector3d(0, 0, 0.5));
    start.spin = fast * numbers.tail<6>().head<3>();
    const World<double> world = stepped_from<double>(start, law);
    EXPECT_EQ(world.batch().flags()[0], BodyFlags::none);
    EXPECT_EQ(stepped_from<float>(start, law).batch().flags()[0], BodyFlags::none) << "float";
    if (world.contacts().empty() || world.batch().flags()[0] != BodyFlags::none) continue;
    ++touching;
    DenseStep(soft_corners(), start, law, dense_step).expect_solved_by(world);
  }
  EXPECT_GT(touching, 35);
}

}  // namespace
}  // namespace quartic
