// A spinning, vibrating block: the reduced body in its floating frame against its whole mesh, stepped by the scheme of
// Simo and Tarnow.
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/matrix.hpp"
#include "quartic/procedural.hpp"
#include "support/conserving_mesh.hpp"
#include "support/dense.hpp"
#include "support/free_batches.hpp"

namespace quartic {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix3Xd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double h = 2e-3;
constexpr int mesh_steps = 400;

const VolumeMesh& block() {
  static const VolumeMesh mesh = make_box({.length = 1,
                                           .width = 0.6,
                                           .height = 0.3,
                                           .cells_x = 6,
                                           .cells_y = 3,
                                           .cells_z = 2,
                                           .type = ElementType::tet4,
                                           .material = {.youngs_modulus = 5e5, .poissons_ratio = 0.3, .density = 1000}})
                                     .mesh;
  return mesh;
}

ReducedModel model_of(int modes, int rank) {
  return reduce(block(), {}, {.modes = modes, .rank = rank, .derivatives = rank > modes});
}

// Bent by a tenth of the length in the first mode, which all bases have.
VectorXd bent(const ReducedModel& model) {
  static const VectorXd u = [] {
    const ReducedModel first = model_of(1, 1);
    const VectorXd field = first.basis.map().col(0);
    return VectorXd(0.1 / field.cwiseAbs().maxCoeff() * field);
  }();
  return model.basis.map().transpose() * (mass_matrix(model.mesh).map() * u);
}

// The best-fit rotation of points x against X, both about their mass centres: the polar factor of S m x X^T.
Matrix3d attitude(const Eigen::MatrixXd& mass, const Matrix3Xd& points, const Matrix3Xd& rest) {
  const Matrix3d moment = points * mass * rest.transpose();
  const test::EigenPairs pairs = test::eigen_pairs(moment.transpose() * moment);
  return moment * pairs.vectors * pairs.values.cwiseSqrt().cwiseInverse().asDiagonal() * pairs.vectors.transpose();
}

double degrees_between(const Matrix3d& a, const Matrix3d& b) {
  return std::acos(std::clamp(((a.transpose() * b).trace() - 1) / 2, -1.0, 1.0)) * 180 / std::acos(-1.0);
}

struct Start {
  Matrix3Xd rest, velocities;  // about the mass centre
  VectorXd bend;               // displacements
};

// The mesh' motion: positions in the end, and how well it keeps its energy and momentum.
Matrix3Xd exact_end(const Start& start) {
  test::ConservingMesh mesh(block());
  mesh.positions = start.rest + Eigen::Map<const Matrix3Xd>(start.bend.data(), 3, start.rest.cols());
  mesh.velocities = start.velocities;
  const double energy = mesh.energy();
  const Vector3d momentum = mesh.angular_momentum();
  for (int n = 0; n < mesh_steps; ++n) mesh.step(h);
  EXPECT_NEAR(mesh.energy(), energy, 1e-11 * energy);
  EXPECT_LT((mesh.angular_momentum() - momentum).norm(), 1e-11 * momentum.norm());
  return mesh.positions;
}

Start start_with(const Vector3d& spin) {
  const test::ConservingMesh mesh(block());
  const ReducedModel first = model_of(1, 1);
  Start start;
  start.bend = first.basis.map() * bent(first);
  const Eigen::RowVectorXd weights = mesh.mass().colwise().sum();
  start.rest = mesh.positions;
  const Vector3d centre = start.rest * weights.transpose() / weights.sum();
  start.rest.colwise() -= centre;
  start.velocities.resize(3, start.rest.cols());
  for (Eigen::Index v = 0; v < start.rest.cols(); ++v)
    start.velocities.col(v) = spin.cross(Vector3d(start.rest.col(v) + start.bend.segment<3>(3 * v)));
  return start;
}

struct Apart {
  double degrees, distance;  // of attitudes; root of the mean square of positions [m]
};

Apart apart_at_end(const BodyGroup& group, const ReducedModel& model, const Vector3d& spin, const Start& start,
                   const Matrix3Xd& exact) {
  Batch<double> batch({group}, {.integrator = Integrator::energy_conserving});
  test::set_body(batch.q(), 0, bent(model));
  for (int c = 0; c < 3; ++c) batch.twist()(3 + c, 0) = spin[c];
  batch.step(h * mesh_steps, mesh_steps);
  const test::FreeState end = test::get_state(batch, 0, model.rank());
  const VectorXd u = model.basis.map() * end.q;
  const Matrix3Xd points = end.rotation * (start.rest + Eigen::Map<const Matrix3Xd>(u.data(), 3, start.rest.cols()));
  const Eigen::MatrixXd mass = test::ConservingMesh(block()).mass();
  const Matrix3Xd difference = points - exact;
  return {degrees_between(attitude(mass, points, start.rest), attitude(mass, exact, start.rest)),
          std::sqrt((difference * mass).cwiseProduct(difference).sum() / mass.sum())};
}

// docs/evaluation.md has the numbers that this prints.
TEST(SpinningMeshTest, SlowAttitudeConvergesWithTheRank) {
  for (const double rate : {4.0, 8.0, 12.0}) {
    const Vector3d spin = rate / 8 * Vector3d(1, 8, 0.5);
    const Start start = start_with(spin);
    const Matrix3Xd exact = exact_end(start);
    std::vector<double> errors;
    for (const auto& [modes, rank] : {std::pair{6, 6}, {6, 12}, {8, 20}, {12, 30}}) {
      const ReducedModel model = model_of(modes, rank);
      const Apart apart = apart_at_end(test::flying(model), model, spin, start, exact);
      std::printf("%4.0f rad/s, k = %2d, r = %2d: attitude off by %.2f degrees, positions by %.4f m\n", rate, modes,
                  rank, apart.degrees, apart.distance);
      errors.push_back(apart.degrees);
    }
    EXPECT_LT(errors.back(), 0.8);
    if (rate != 8) continue;
    const ReducedModel model = model_of(12, 30);
    const BodyGroup rest = {.energy = model.energy, .frame = rest_moments(free_frame(model))};
    const Apart apart = apart_at_end(rest, model, spin, start, exact);
    std::printf("%4.0f rad/s, without coupling: attitude off by %.2f degrees\n", rate, apart.degrees);
    EXPECT_GT(apart.degrees, 10) << "what the coupling is for";
    EXPECT_TRUE(std::ranges::is_sorted(errors, std::greater())) << "the error falls with the rank";
    EXPECT_LT(errors.back(), 0.6);
    EXPECT_GT(errors.front(), 2);
  }
}

}  // namespace
}  // namespace quartic
