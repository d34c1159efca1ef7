// The whole way from a mesh to a motion doesn't depend on how the mesh is written down: its unit of length, where it
// lies and how it is turned, the order of vertices and elements, the winding.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/mesh.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A held body with a force on each vertex.
struct Problem {
  VolumeMesh mesh;
  std::vector<std::int32_t> fixed;
  VectorXd force;  // [N], 3n
};

struct Answer {
  std::vector<double> eigenvalues;
  VectorXd displacement;  // after some steps of the reduced body, 3n
  double mass = 0, volume = 0;
};

// All three extents differ and vertices lie at random, so that no eigenvalue is double.
Problem problem(ElementType type) {
  ProceduralMesh box = make_box({.length = 1.1,
                                 .width = 0.25,
                                 .height = 0.4,
                                 .cells_x = 6,
                                 .cells_y = 2,
                                 .cells_z = 3,
                                 .type = type,
                                 .material = {.youngs_modulus = 2e6, .poissons_ratio = 0.35, .density = 900}});
  if (type != ElementType::tet10) {  // their middle vertices would leave the edges
    const std::vector<double> noise = test::random_numbers(box.mesh.vertices.size(), 11);
    for (std::size_t i = 0; i < noise.size(); ++i) box.mesh.vertices[i] += 0.015 * noise[i];
  }
  Problem p{box.mesh, box.fixed_vertices, VectorXd::Zero(std::ssize(box.mesh.vertices))};
  p.force.tail(6) << 600, -400, 1000, 200, 800, -600;  // at the far end
  return p;
}

Answer solve(const Problem& p) {
  const ReducedModel model = reduce(p.mesh, p.fixed, {.modes = 4, .rank = 10});
  Batch<double> batch(model.energy, {.newton_iterations = 4});
  const VectorXd reduced = model.basis.map().transpose() * p.force;
  for (int i = 0; i < batch.rank(); ++i) batch.force()(i, 0) = reduced[i];
  batch.step(0.25, 25);
  VectorXd q(batch.rank());
  for (int i = 0; i < batch.rank(); ++i) q[i] = batch.q()(i, 0);
  const MeshReport report = check_mesh(model.mesh);
  return {model.eigenvalues, model.basis.map() * q, report.mass.value(), report.volume};
}

void expect_same_eigenvalues(const Answer& a, const Answer& b, double tolerance) {
  ASSERT_EQ(a.eigenvalues.size(), b.eigenvalues.size());
  for (std::size_t i = 0; i < a.eigenvalues.size(); ++i)
    EXPECT_NEAR(a.eigenvalues[i] / b.eigenvalues[i], 1, tolerance) << i;
}

void expect_same_displacement(const VectorXd& a, const VectorXd& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_LT((a - b).norm(), tolerance * b.norm());
}

class Invariance : public testing::TestWithParam<ElementType> {
 protected:
  Invariance() : original_(problem(GetParam())), answer_(solve(original_)) {
    largest_ = answer_.displacement.cwiseAbs().maxCoeff();
  }

  Problem original_;
  Answer answer_;
  double largest_ = 0;
  // Round-off of the positions, 2e-12 of an edge where the body lies 2e4 of its lengths away, and of K, whose condition
  // number is about 1e6: up to 3e-12 was seen in eigenvalues and 1e-10 in motions.
  static constexpr double eigenvalue_tolerance = 3e-11, motion_tolerance = 1e-9;
};

// A tenth of the body's length, where strains are far from linear.
TEST_P(Invariance, MotionIsLarge) {
  EXPECT_GT(largest_, 0.1);
}

// Tonnes, millimetres and seconds, with forces in newtons and stresses in megapascals, as finite element decks have it.
TEST_P(Invariance, MillimetresAndTonnes) {
  Problem p = original_;
  for (double& x : p.mesh.vertices) x *= 1000;
  Material& material = *p.mesh.regions.at(0).material;
  material.youngs_modulus /= 1e6;
  material.density /= 1e12;
  const Answer other = solve(p);
  EXPECT_NEAR(other.mass * 1000 / answer_.mass, 1, 1e-13);
  EXPECT_NEAR(other.volume / 1e9 / answer_.volume, 1, 1e-13);
  expect_same_eigenvalues(other, answer_, eigenvalue_tolerance);
  expect_same_displacement(other.displacement / 1000, answer_.displacement, motion_tolerance);
}

TEST_P(Invariance, RotatedAndMovedFarAway) {
  const Eigen::Matrix3d rotation =
      (Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(-1.9, Eigen::Vector3d::UnitX()))
          .toRotationMatrix();
  Problem p = original_;
  const Eigen::Index n = p.force.size() / 3;
  Eigen::Map<Eigen::Matrix3Xd> x(p.mesh.vertices.data(), 3, n), f(p.force.data(), 3, n);
  x = (rotation * x).eval().colwise() + Eigen::Vector3d(1e4, -2e4, 5e3);
  f = (rotation * f).eval();
  Answer other = solve(p);
  Eigen::Map<Eigen::Matrix3Xd> u(other.displacement.data(), 3, n);
  u = (rotation.transpose() * u).eval();
  // Positions lost four digits.
  EXPECT_NEAR(other.mass / answer_.mass, 1, 1e-10);
  expect_same_eigenvalues(other, answer_, eigenvalue_tolerance);
  expect_same_displacement(other.displacement, answer_.displacement, motion_tolerance);
}

TEST_P(Invariance, VerticesAndElementsInAnotherOrder) {
  std::mt19937_64 engine(4);
  const auto shuffled = [&](std::size_t count) {  // the same on every machine
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[engine() % i]);
    return order;
  };
  const auto n = static_cast<std::size_t>(original_.mesh.vertex_count());
  const std::vector<std::size_t> place = shuffled(n);
  Problem p = original_;
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t c = 0; c < 3; ++c) {
      p.mesh.vertices[3 * place[v] + c] = original_.mesh.vertices[3 * v + c];
      p.force[static_cast<Eigen::Index>(3 * place[v] + c)] = original_.force[static_cast<Eigen::Index>(3 * v + c)];
    }
  for (auto& v : p.fixed) v = static_cast<std::int32_t>(place[static_cast<std::size_t>(v)]);
  ElementBlock& block = p.mesh.blocks.at(0);
  const auto width = static_cast<std::size_t>(element_vertex_count(block.type));
  const auto order = shuffled(static_cast<std::size_t>(block.count()));
  for (std::size_t e = 0; e < order.size(); ++e)
    for (std::size_t a = 0; a < width; ++a)
      block.vertices[order[e] * width + a] =
          static_cast<std::int32_t>(place[static_cast<std::size_t>(original_.mesh.blocks[0].vertices[e * width + a])]);
  const Answer other = solve(p);
  VectorXd displacement(other.displacement.size());
  for (std::size_t v = 0; v < n; ++v)
    displacement.segment<3>(static_cast<Eigen::Index>(3 * v)) =
        other.displacement.segment<3>(static_cast<Eigen::Index>(3 * place[v]));
  expect_same_eigenvalues(other, answer_, eigenvalue_tolerance);
  expect_same_displacement(displacement, answer_.displacement, motion_tolerance);
}

// Every other element is written the wrong way round: `reduce` mends them.
TEST_P(Invariance, BothWindings) {
  Problem p = original_;
  ElementBlock& block = p.mesh.blocks.at(0);
  VolumeMesh mirrored = p.mesh;  // all elements of a mirrored mesh are inverted; their repair gives the other winding
  for (std::size_t i = 0; i < mirrored.vertices.size(); i += 3) mirrored.vertices[i] *= -1;
  ASSERT_EQ(repair_orientation(mirrored), block.count());
  const auto width = static_cast<std::size_t>(element_vertex_count(block.type));
  for (std::size_t e = 0; e < static_cast<std::size_t>(block.count()); e += 2)
    std::copy_n(mirrored.blocks[0].vertices.begin() + static_cast<std::ptrdiff_t>(e * width), width,
                block.vertices.begin() + static_cast<std::ptrdiff_t>(e * width));
  EXPECT_EQ(check_mesh(p.mesh).inverted, (block.count() + 1) / 2);
  const Answer other = solve(p);
  EXPECT_NEAR(other.volume / answer_.volume, 1, 1e-13);
  expect_same_eigenvalues(other, answer_, eigenvalue_tolerance);
  expect_same_displacement(other.displacement, answer_.displacement, motion_tolerance);
}

INSTANTIATE_TEST_SUITE_P(Elements, Invariance,
                         testing::Values(ElementType::tet4, ElementType::hex8, ElementType::tet10),
                         [](const auto& type) { return std::string(element_type_name(type.param)); });

}  // namespace
}  // namespace quartic
