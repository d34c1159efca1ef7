// With all modes of a small mesh, a modal body is the unreduced linear body.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "quartic/fem.hpp"
#include "quartic/modal_batch.hpp"
#include "quartic/procedural.hpp"
#include "support/batch_states.hpp"
#include "support/dense.hpp"

namespace quartic {
namespace {

using namespace test;

// By Taylor's series of A/2^n, squared n times.
Eigen::MatrixXd exponential(Eigen::MatrixXd a) {
  const int squarings =
      std::max(0, static_cast<int>(std::ceil(std::log2(a.cwiseAbs().rowwise().sum().maxCoeff()))) + 4);
  a /= std::ldexp(1.0, squarings);
  Eigen::MatrixXd term = Eigen::MatrixXd::Identity(a.rows(), a.rows()), sum = term;
  for (int n = 1; n < 20; ++n) {
    term = term * a / n;
    sum += term;
  }
  for (int n = 0; n < squarings; ++n) sum = sum * sum;
  return sum;
}

struct LinearBody {
  Eigen::MatrixXd k, m;  // of the free coordinates

  LinearBody() {
    const VolumeMesh mesh = make_box({.cells_x = 2, .cells_y = 1, .cells_z = 1}).mesh;
    std::vector<Eigen::Index> kept;
    for (std::int64_t v = 0; v < mesh.vertex_count(); ++v)
      if (mesh.vertices[static_cast<std::size_t>(3 * v)] > 1e-9)
        for (int c = 0; c < 3; ++c) kept.push_back(3 * v + c);
    k = Eigen::MatrixXd(stiffness_matrix(mesh).map())(kept, kept);
    m = Eigen::MatrixXd(mass_matrix(mesh).map())(kept, kept);
  }
};

TEST(UnreducedModes, AllModesAreTheUnreducedBody) {
  const LinearBody body;
  const auto n = body.k.rows();
  ASSERT_GE(n, 20);
  const EigenPairs pairs = eigen_pairs(body.k, body.m);
  const std::vector<double> lambda(pairs.values.begin(), pairs.values.end());
  // Some modes are overdamped, the lowest swing for long.
  const double w = std::sqrt(lambda.front()), alpha = 0.1 * w, beta = 0.02 / w, h = 1 / w;
  ModalBatch<double> batch(
      lambda,
      {.rayleigh_mass = alpha, .rayleigh_stiffness = beta, .damping_ratios = {}, .hold = ForceHold::first_order});
  EXPECT_LT(batch.overdamped_modes(), n);

  // (u, u'/w, f, its growth over h) in times of h; w keeps both halves of one size.
  const Eigen::MatrixXd inverse_m = inverse(body.m), c = alpha * body.m + beta * body.k;
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(4 * n, 4 * n);
  a.block(0, n, n, n) = h * w * Eigen::MatrixXd::Identity(n, n);
  a.block(n, 0, n, n) = -h / w * inverse_m * body.k;
  a.block(n, n, n, n) = -h * inverse_m * c;
  a.block(n, 2 * n, n, n) = h / w * inverse_m;
  a.block(2 * n, 3 * n, n, n) = Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd flow = exponential(a);

  Eigen::VectorXd state = Eigen::VectorXd::Zero(4 * n);
  const int size = static_cast<int>(n);
  const Eigen::VectorXd start = random_vector(size, 1, 1e-3), velocity = w * random_vector(size, 2, 1e-3);
  state.head(n) = start, state.segment(n, n) = velocity / w;
  const Eigen::MatrixXd to_modes = pairs.vectors.transpose() * body.m;
  set_body(batch.q(), 0, to_modes * start);
  set_body(batch.velocity(), 0, to_modes * velocity);
  Eigen::VectorXd before = Eigen::VectorXd::Zero(n);
  for (unsigned step = 0; step < 5; ++step) {
    const Eigen::VectorXd force = body.k.norm() * 1e-4 * random_vector(size, 10 + step, 1);
    state.segment(2 * n, n) = before, state.tail(n) = force - before;
    state = flow * state;
    before = force;
    set_body(batch.force(), 0, pairs.vectors.transpose() * force);
    batch.step(h);
    const Eigen::VectorXd u = pairs.vectors * get_body(std::as_const(batch).q(), 0);
    const Eigen::VectorXd v = pairs.vectors * get_body(std::as_const(batch).velocity(), 0);
    EXPECT_LE((u - state.head(n)).norm() / state.head(n).norm(), 1e-10) << step;
    EXPECT_LE((v / w - state.segment(n, n)).norm() / state.segment(n, n).norm(), 1e-10) << step;
  }
}

}  // namespace
}  // namespace quartic
