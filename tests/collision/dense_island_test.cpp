// Single steps of two bodies in contact against all their equations as they stand, solved at once with derivatives by
// differences.
#include <gtest/gtest.h>

#include <cmath>

#include "collision/colliding_blocks.hpp"
#include "support/dense.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double island_step = 4e-3;

struct Law {
  double stiffness, friction;
};

/// A step of two soft blocks that fly, in x = (q1, w1, v1) of each, and the impulses p of each contact, in world axes.
class DenseIsland {
 public:
  DenseIsland(std::array<FreeState, 2> start, std::vector<BodyContact> contacts, const Law& law)
      : frame_(free_frame(soft_block())),
        body_(frame_, soft_block().energy),
        start_(std::move(start)),
        contacts_(std::move(contacts)),
        law_(law) {
    for (const BodyContact& contact : contacts_) {
      const Vector3d x(contact.position.data());
      rows_.push_back({rows(contact.body, std::array{contact.point}, std::array{1.0}, x),
                       rows(contact.other, contact.corners, contact.weights, x)});
    }
  }

  [[nodiscard]] Eigen::Index rank() const { return soft_block().rank(); }
  [[nodiscard]] Eigen::Index size() const { return 2 * (rank() + 6); }

  /// What is left, in the units of impulses.
  [[nodiscard]] VectorXd operator()(const VectorXd& x) const {
    const Eigen::Index n = rank() + 6;
    VectorXd result(x.size()), impulses = VectorXd::Zero(size());
    std::array<VectorXd, 2> velocities;
    for (std::size_t b = 0; b < 2; ++b) {
      velocities[b] = x.segment(static_cast<Eigen::Index>(b) * n, n);
      velocities[b].head(rank()) = (velocities[b].head(rank()) - start_[b].q) / island_step;
    }
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const auto a = static_cast<std::size_t>(contacts_[c].body), b = static_cast<std::size_t>(contacts_[c].other);
      const Vector3d p = x.segment<3>(size() + 3 * static_cast<Eigen::Index>(c));
      const Vector3d u = rows_[c][0] * velocities[a] - rows_[c][1] * velocities[b];
      impulses.segment(static_cast<Eigen::Index>(a) * n, n) += rows_[c][0].transpose() * p;
      impulses.segment(static_cast<Eigen::Index>(b) * n, n) -= rows_[c][1].transpose() * p;
      result.segment<3>(size() + 3 * static_cast<Eigen::Index>(c)) = p - allowed(contacts_[c], p, u);
    }
    for (std::size_t b = 0; b < 2; ++b)
      result.segment(static_cast<Eigen::Index>(b) * n, n) =
          left(b, x.segment(static_cast<Eigen::Index>(b) * n, n), velocities[b].head(rank())) -
          impulses.segment(static_cast<Eigen::Index>(b) * n, n);
    return result;
  }

 private:
  // The velocity of a place by (q', w, v), where it is at the start.
  [[nodiscard]] MatrixXd rows(std::int64_t body, std::span<const std::int32_t> points, std::span<const double> weights,
                              const Vector3d& x) const {
    const FreeState& s = start_[static_cast<std::size_t>(body)];
    MatrixXd fields = MatrixXd::Zero(3, rank());
    for (std::size_t p = 0; p < points.size(); ++p)
      fields += weights[p] * soft_blocks().surface->tree()->points.basis.map().middleRows(3 * points[p], 3);
    MatrixXd result(3, rank() + 6);
    result << s.rotation * fields, -hat(x - s.position) * s.rotation, Matrix3d::Identity();
    return result;
  }

  // The normal impulse that the gap gives, and p across it where friction lets it be: with a hair of compliance, since
  // forces of many points that stick aren't unique.
  [[nodiscard]] Vector3d allowed(const BodyContact& contact, const Vector3d& p, const Vector3d& u) const {
    constexpr double per_velocity = 10, compliance = 1e-9;
    const Vector3d n(contact.normal.data());
    const double depth = -(contact.gap + island_step * n.dot(u));
    const double normal = depth > 0 ? island_step * law_.stiffness * contact.area * depth : 0.0;
    Vector3d across = (1 - compliance) * (p - n.dot(p) * n) - per_velocity * (u - n.dot(u) * n);
    if (across.norm() > law_.friction * normal) across *= law_.friction * normal / across.norm();
    return normal * n + across;
  }

  // h times the equations of a body without contacts.
  [[nodiscard]] VectorXd left(std::size_t b, const VectorXd& x, const VectorXd& rate) const {
    const FreeState& s = start_[b];
    const double h = island_step;
    const VectorXd q1 = x.head(rank());
    const Vector3d w1 = x.segment<3>(rank()), v1 = x.tail<3>();
    const Matrix3d half = 0.5 * h * hat(w1);
    const Matrix3d turn = (Matrix3d::Identity() - half).inverse() * (Matrix3d::Identity() + half);
    const std::vector<double> q(q1.begin(), q1.end());
    const auto elastic = evaluate(soft_block().energy, q);
    const VectorXd internal = Eigen::Map<const VectorXd>(elastic.force.data(), rank());
    const MatrixXd turning = body_.axial(rate) - body_.axial(VectorXd::Zero(rank()));
    VectorXd result(rank() + 6);
    result.head(rank()) = rate - s.rate +
                          h * (internal + 1e-3 * elastic.stiffness.map() * rate + 2 * turning.transpose() * w1 -
                               body_.centrifugal(q1, w1)) +
                          body_.axial(q1).transpose() * (w1 - s.spin);
    // In body axes of the start: R0^T L.
    result.segment<3>(rank()) = turn * (body_.inertia(q1) * w1 + body_.axial(q1) * rate) -
                                (body_.inertia(s.q) * s.spin + body_.axial(s.q) * s.rate);
    result.tail<3>() = frame_.mass * (v1 - s.velocity - h * Vector3d(0, 0, -gravity));
    return result;
  }

  FrameMoments frame_;
  FreeBody body_;
  std::array<FreeState, 2> start_;
  std::vector<BodyContact> contacts_;
  Law law_;
  std::vector<std::array<MatrixXd, 2>> rows_;
};

/// The root near a guess. @return how far the last step went, relative
double find_root(const DenseIsland& equations, VectorXd& x, double scale) {
  double last = 1;
  for (int iteration = 0; iteration < 30 && last > 1e-11; ++iteration) {
    const VectorXd here = equations(x);
    MatrixXd derivative(x.size(), x.size());
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      const double by = j < equations.size() ? 1e-6 : 1e-6 * scale;
      VectorXd before = x, after = x;
      before[j] -= by, after[j] += by;
      derivative.col(j) = (equations(after) - equations(before)) / (2 * by);
    }
    const VectorXd change = solve(derivative, here);
    x -= change;
    last = change.head(equations.size()).norm() / x.head(equations.size()).norm();
  }
  return last;
}

// One on the other, bent and turning, that slides there or sticks; from h^2 k A/m of 0.01 to 1e4.
TEST(DenseIslandTest, AgreesWithADenseSolveOfBothBodies) {
  const double mass = free_frame(soft_block()).mass;
  for (const double friction : {0.0, 0.3, 2.0})
    for (const double ratio : {0.01, 1.0, 100.0, 1e4}) {
      SCOPED_TRACE(testing::Message() << "h^2 k A/m " << ratio << ", friction " << friction);
      const Law law = {ratio * mass / (island_step * island_step * 0.6), friction};
      World<double> world = colliding_world<double>(
          {{&soft_blocks(), 2}}, backward_euler,
          {.stiffness = law.stiffness, .friction = law.friction, .iterations = 60, .tolerance = 1e-13},
          {.sweeps = 100000});
      std::array<FreeState, 2> start = {tumbling(soft_block(), 1), tumbling(soft_block(), 2)};
      for (FreeState& s : start) s.q *= 0.005, s.velocity.setZero(), s.spin = {0.1, -0.05, 0.2};
      start[0].position = {0, 0, 0};
      start[1].position = {0.15, 0.1, 0.2995};
      start[1].velocity = {0.2, 0.1, -0.2};
      for (std::int64_t b = 0; b < 2; ++b) set_state(world.batch(), b, start[static_cast<std::size_t>(b)]);
      add_gravity(world.batch(), {0, 0, -gravity});
      const std::vector<CollidingBodies<double>> bodies = {
          {soft_blocks().surface,
           {.q = world.batch().q(), .pose = world.batch().pose(), .origin = world.batch().frame().origin}}};
      const std::vector<double> margins = {0.01, 0.01};
      const DenseIsland equations(start, find_body_contacts<double>(bodies, {}, margins), law);
      const std::vector<BodyContact> near = find_body_contacts<double>(bodies, {}, margins);
      world.step(island_step);
      ASSERT_GE(body_contacts(world).size(), 6U);
      EXPECT_EQ(world.batch().flags()[0], BodyFlags::none);
      EXPECT_EQ(collision_report(world).unsettled_islands, 0);

      VectorXd found = VectorXd::Zero(equations.size() + 3 * std::ssize(near));
      const Eigen::Index n = equations.size() / 2;
      for (Eigen::Index b = 0; b < 2; ++b) {
        const FreeState end = get_state(world.batch(), b, soft_block().rank());
        found.segment(b * n, n) << end.q, end.spin, end.velocity;
      }
      double pressed = 0;
      for (const BodyContact& contact : body_contacts(world))
        for (std::size_t c = 0; c < near.size(); ++c)
          if (near[c].body == contact.body && near[c].point == contact.point) {
            found.segment<3>(equations.size() + 3 * static_cast<Eigen::Index>(c)) =
                island_step * Vector3d(contact.force.data());
            pressed += Vector3d(contact.force.data()).norm() * island_step;
          }
      ASSERT_GT(pressed, 0);
      VectorXd solved = found;
      EXPECT_LT(find_root(equations, solved, pressed), 1e-9);
      for (Eigen::Index b = 0; b < 2; ++b) {
        const auto& from = start[static_cast<std::size_t>(b)];
        const VectorXd one = found.segment(b * n, n), two = solved.segment(b * n, n);
        const Eigen::Index r = soft_block().rank();
        EXPECT_LT((one - two).head(r).norm(), 1e-6 * (two.head(r) - from.q).norm());
        EXPECT_LT((one - two).segment<3>(r).norm(), 1e-6 * two.segment<3>(r).norm());
        EXPECT_LT((one - two).tail<3>().norm(), 1e-6 * two.tail<3>().norm());
      }
      std::cout << "h^2 k A/m " << ratio << ", friction " << friction << ": off by "
                << (found - solved).head(equations.size()).norm() / solved.head(equations.size()).norm() << '\n';
    }
}

}  // namespace
}  // namespace quartic
