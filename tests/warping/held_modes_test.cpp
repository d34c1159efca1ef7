// Position constraints on warped modal bodies. The numbers are those of an independent program in NumPy.
#include <gtest/gtest.h>

#include "quartic/error.hpp"
#include "quartic/position_constraints.hpp"
#include "warping/bent_bar.hpp"

namespace quartic {
namespace {

using test::degree;

const test::BentBar& dragged_bar() {
  static const test::BentBar made(12, 20, 3);
  return made;
}

ModalWarp warp_of_dragged_bar() {
  return {dragged_bar().modes.vectors, dragged_bar().rotations};
}

HeldModes held_bar(const HeldModesOptions& options) {
  return {dragged_bar().modes.eigenvalues, warp_of_dragged_bar(), options};
}

HeldModesOptions damped(double beta, double gamma, int iterations) {
  return {.rayleigh_mass = 0.5,
          .rayleigh_stiffness = 1e-3,
          .newmark_beta = beta,
          .newmark_gamma = gamma,
          .iterations = iterations,
          .tolerance = 0};
}

/// Where vertices go that are turned about the y axis and drawn towards the origin.
std::vector<double> dragged(std::span<const std::int32_t> vertices, double angle, double shrunk) {
  const Eigen::AngleAxisd turn(angle, Eigen::Vector3d::UnitY());
  std::vector<double> targets;
  for (const std::int32_t v : vertices) {
    const Eigen::Vector3d x = Eigen::Vector3d::Map(dragged_bar().mesh.vertices.data() + 3 * v);
    const Eigen::Vector3d moved = (1 - shrunk) * (turn * x) - x;
    targets.insert(targets.end(), moved.begin(), moved.end());
  }
  return targets;
}

double smooth(double t) {  // from 0 to 1 with velocity and acceleration 0 at both ends
  t = std::min(t, 1.0);
  return t * t * t * (10 + t * (-15 + 6 * t));
}

/// Drags to 60 degrees in 2 s, 5 % nearer, and holds for 2 s. @return largest distance from the target
double largest_miss(HeldModes& body, std::span<const std::int32_t> vertices, double shrunk) {
  double worst = 0;
  for (int step = 1; step <= 400; ++step) {
    const double share = smooth(step * 0.005);
    body.hold(0, vertices, dragged(vertices, 60 * degree * share, shrunk * share));
    body.step(0.01);
    EXPECT_FALSE(body.status()[0].diverged);
    worst = std::max(worst, body.status()[0].distance);
  }
  return worst;
}

std::vector<std::int32_t> corner() {
  return {static_cast<std::int32_t>(dragged_bar().mesh.vertex_count() - 1)};
}

TEST(HeldModes, TipIsDraggedExactlyInFiveIterations) {
  HeldModes body = held_bar(damped(0.25, 0.5, 5));
  EXPECT_LT(largest_miss(body, corner(), 0.05), 1e-12);
  EXPECT_EQ(body.status()[0].rank, 3);
}

TEST(HeldModes, OneIterationIsNearlyEnough) {
  HeldModes printed = held_bar(damped(0.25, 0.5, 1)), by_default = held_bar(damped(0.3025, 0.6, 1));
  EXPECT_LT(largest_miss(printed, corner(), 0.05), 6e-6);
  EXPECT_LT(largest_miss(by_default, corner(), 0.05), 4e-9);
}

TEST(HeldModes, MoreConstraintsThanModesAreMetAsWellAsCanBe) {
  const std::vector<std::int32_t>& face = dragged_bar().tip;
  ASSERT_EQ(face.size(), 16);
  HeldModes body = held_bar(damped(0.3025, 0.6, 20));
  EXPECT_LT(largest_miss(body, face, 0), 2e-6);
  EXPECT_LE(body.status()[0].rank, 12);
}

TEST(HeldModes, ForceIsWhatHoldsTheBodyAgainstALoad) {
  HeldModes body = held_bar(damped(0.3025, 0.6, 5));
  const std::vector<std::int32_t> vertices = corner();
  const std::array<double, 3> pull = {0.3, -1, 2};
  const VertexForce load{0, vertices[0], pull};
  for (int step = 0; step < 300; ++step) {  // at rest, so that loads and the force there cancel
    body.hold(0, vertices, std::vector<double>(3));
    if (step == 0) body.warp().add_forces<double>({&load, 1}, body.q(), body.force());
    body.step(0.01);
  }
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(body.hold_force(0)[c], -pull[c], 1e-9);
}

TEST(HeldModes, ForceIsThatOfTheSpringThatTheBodyIs) {
  HeldModes body = held_bar(damped(0.3025, 0.6, 5));
  const std::vector<std::int32_t> vertices = corner();
  const std::vector<double> target = {0, 0, 1e-5};
  for (int step = 0; step < 2000; ++step) {
    body.hold(0, vertices, target);
    body.step(0.01);
  }
  // J is Phi at rest: compliance Phi Lambda^-1 Phi^T of the vertex.
  const Eigen::MatrixXd rows = dragged_bar().modes.vectors.map().middleRows(3 * vertices[0], 3);
  const Eigen::VectorXd lambda = Eigen::VectorXd::Map(dragged_bar().modes.eigenvalues.data(), 12);
  const Eigen::Matrix3d compliance = rows * lambda.cwiseInverse().asDiagonal() * rows.transpose();
  const Eigen::Vector3d expected = compliance.inverse() * Eigen::Vector3d::Map(target.data());
  for (int c = 0; c < 3; ++c)
    EXPECT_NEAR(body.hold_force(0)[static_cast<std::size_t>(c)], expected[c], 1e-3 * expected.norm())
        << "of order 1e-5 rad";
}

TEST(HeldModes, BodiesHaveTheSameBitsAloneAndAmongOthers) {
  HeldModesOptions options = damped(0.3025, 0.6, 5);
  HeldModes alone = held_bar(options);
  options.bodies = 3;
  HeldModes several = held_bar(options);
  const std::vector<std::int32_t> vertices = corner();
  for (int step = 1; step <= 20; ++step) {
    const auto target = dragged(vertices, 0.01 * step, 0);
    alone.hold(0, vertices, target);
    several.hold(1, vertices, target);
    several.hold(2, vertices, dragged(vertices, -0.02 * step, 0));
    alone.step(0.01);
    several.step(0.01);
  }
  for (std::int64_t i = 0; i < 12; ++i) {
    EXPECT_EQ(alone.q()(i, 0), several.q()(i, 1));
    EXPECT_EQ(several.q()(i, 0), 0) << "nothing holds or moves it";
  }
}

TEST(HeldModes, LetGoBodiesSwing) {
  HeldModes body = held_bar(damped(0.25, 0.5, 5));
  body.hold(0, corner(), dragged(corner(), 0.1, 0));
  body.step(0.01);
  body.let_go(0);
  EXPECT_TRUE(body.hold_force(0).empty());
  body.step(0.01);
  EXPECT_EQ(body.status()[0].rank, 0);
  EXPECT_TRUE(body.status()[0].converged);
}

TEST(HeldModes, RefusesWhatDoesNotFit) {
  HeldModes body = held_bar({});
  const std::vector<double> three(3), six(6);
  const std::vector<double> infinite(3, std::numeric_limits<double>::infinity());
  EXPECT_THROW(body.hold(1, corner(), three), InputError);
  EXPECT_THROW(body.hold(0, corner(), six), InputError);
  EXPECT_THROW(body.hold(0, corner(), infinite), InputError);
  EXPECT_THROW(body.hold(0, std::vector<std::int32_t>{2, 2}, six), InputError);
  EXPECT_THROW(body.hold(0, std::vector<std::int32_t>{-1}, three), InputError);
  EXPECT_THROW(body.step(0), InputError);
  EXPECT_THROW((void)held_bar({.bodies = 0}), InputError);
  EXPECT_THROW((void)held_bar({.newmark_gamma = 0.4}), InputError);
  EXPECT_THROW((void)held_bar({.iterations = 0}), InputError);
  EXPECT_THROW(HeldModes(std::vector<double>(3, 1.0), warp_of_dragged_bar()), InputError);
}

}  // namespace
}  // namespace quartic
