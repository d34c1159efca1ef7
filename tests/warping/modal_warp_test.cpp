// Modal warping of a bent and twisted bar: volumes, forces, energy. The numbers are those of an independent program in
// NumPy on the same mesh.
#include <gtest/gtest.h>

#include "quartic/fem.hpp"
#include "quartic/unreduced.hpp"
#include "support/support.hpp"
#include "warping/bent_bar.hpp"

namespace quartic {
namespace {

using test::BentBar;
using test::degree;

const BentBar& bar() {
  static const BentBar made;
  return made;
}

ModalWarp warp_of_bar(WarpMap map, ForceMap force_map = ForceMap::exact) {
  return {bar().modes.vectors, bar().rotations, {.map = map, .force_map = force_map}};
}

std::vector<double> shown(const ModalWarp& warp, std::span<const double> q) {
  std::vector<double> u(static_cast<std::size_t>(3 * warp.vertex_count()));
  warp.displacements<double>({q.data(), warp.rank(), 1, 1, warp.rank()}, {}, u);
  return u;
}

TEST(BentBar, KeepsMostOfItsVolume) {
  const ModalWarp warp = warp_of_bar(WarpMap::integrated), printed = warp_of_bar(WarpMap::rotation);
  struct Case {
    double angle, linear, integrated, rotation;
  };
  for (const Case& c :
       {Case{45, 37.82, -2.65, -36.43}, Case{90, 151.27, -9.97, -67.67}, Case{180, 605.07, -28.59, 549.69}}) {
    const auto q = bar().bend(c.angle * degree);
    EXPECT_NEAR(bar().swelling(bar().linear(q)), c.linear, 0.01);
    EXPECT_NEAR(bar().swelling(shown(warp, q)), c.integrated, 0.05) << c.angle;
    EXPECT_NEAR(bar().swelling(shown(printed, q)), c.rotation, 0.5) << c.angle;
  }
}

TEST(BentBar, TwistsByAFullTurn) {
  const ModalWarp warp = warp_of_bar(WarpMap::integrated);
  const auto q = bar().twist(360 * degree);
  EXPECT_NEAR(bar().swelling(bar().linear(q)), 1971.55, 0.05);
  EXPECT_NEAR(bar().swelling(shown(warp, q)), -1.33, 0.01);
  EXPECT_NEAR(bar().swelling(shown(warp, bar().twist(180 * degree))), -0.25, 0.01);
  const auto largest = warp.largest_rotations<double>({q.data(), warp.rank(), 1, 1, warp.rank()});
  EXPECT_GT(largest[0], 2 * std::numbers::pi * 0.99);
}

TEST(BentBar, JacobianIsTheDerivativeOfWhatIsShown) {
  const ModalWarp warp = warp_of_bar(WarpMap::integrated);
  auto q = bar().bend(90 * degree);
  const auto noise = test::random_numbers(q.size(), 1);
  const double size = std::max(std::abs(q[0]), std::abs(q[1]));
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += 0.02 * size * noise[i];
  const Matrix jacobian = warp.jacobian(q, {});
  const double h = 1e-6 * size, largest = jacobian.map().cwiseAbs().maxCoeff();
  for (std::size_t i = 0; i < q.size(); ++i) {
    auto more = q, less = q;
    more[i] += h;
    less[i] -= h;
    const auto a = shown(warp, more), b = shown(warp, less);
    for (std::size_t k = 0; k < a.size(); ++k)
      ASSERT_NEAR((a[k] - b[k]) / (2 * h), jacobian(static_cast<std::int64_t>(k), static_cast<std::int64_t>(i)),
                  2e-10 * largest);
  }
}

TEST(BentBar, ForcesAreTheJacobiansTranspose) {
  const ModalWarp warp = warp_of_bar(WarpMap::integrated);
  const auto q = bar().bend(60 * degree);
  const std::int64_t n = warp.vertex_count(), k = warp.rank();
  const auto forces = test::random_numbers(static_cast<std::size_t>(3 * n), 4);
  std::vector<double> dense(static_cast<std::size_t>(k)), sparse(dense.size());
  warp.add_forces<double>({}, {forces.data(), 1, n, 3 * n}, {q.data(), k, 1, 1, k}, {dense.data(), k, 1, 1, k});
  std::vector<VertexForce> list;
  for (std::int32_t v = 0; v < n; ++v) {
    const double* f = forces.data() + 3 * v;
    list.push_back({0, v, {f[0], f[1], f[2]}});
  }
  warp.add_forces<double>(list, {q.data(), k, 1, 1, k}, {sparse.data(), k, 1, 1, k});
  const Matrix jacobian = warp.jacobian(q, {});
  const Eigen::VectorXd expected = jacobian.map().transpose() * Eigen::VectorXd::Map(forces.data(), 3 * n);
  const double size = jacobian.map().cwiseAbs().colwise().sum().maxCoeff();
  for (std::int64_t i = 0; i < k; ++i) {
    EXPECT_NEAR(dense[static_cast<std::size_t>(i)], expected[i], 1e-13 * size);
    EXPECT_NEAR(sparse[static_cast<std::size_t>(i)], expected[i], 1e-13 * size);
  }
}

/// Falls under gravity, undamped, by velocity Verlet. @return error of the energy over the largest kinetic one
double energy_error(const ModalWarp& warp, double share) {
  const std::int64_t k = warp.rank(), n = warp.vertex_count();
  const std::vector<double> weight = gravity_force(mass_matrix(bar().mesh), std::array<double, 3>{0, -4, 0});
  const Eigen::VectorXd lambda = Eigen::VectorXd::Map(bar().modes.eigenvalues.data(), k);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(k), v = q;
  const auto force = [&] {
    Eigen::VectorXd f = -lambda.cwiseProduct(q);
    warp.add_forces<double>({}, {weight.data(), 1, n, 3 * n}, {q.data(), k, 1, 1, k}, {f.data(), k, 1, 1, k});
    return f;
  };
  const double h = share / std::sqrt(lambda[k - 1]), end = 3 * 2 * std::numbers::pi / std::sqrt(lambda[0]);
  double worst = 0, kinetic = 0;
  Eigen::VectorXd f = force();
  for (std::int64_t step = 0; step < static_cast<std::int64_t>(end / h); ++step) {
    v += h / 2 * f;
    q += h * v;
    f = force();
    v += h / 2 * f;
    if (step % 10 != 0) continue;
    const auto u = shown(warp, {q.data(), static_cast<std::size_t>(k)});
    const double potential = -Eigen::VectorXd::Map(weight.data(), 3 * n).dot(Eigen::VectorXd::Map(u.data(), 3 * n));
    kinetic = std::max(kinetic, 0.5 * v.squaredNorm());
    worst = std::max(worst, std::abs(0.5 * v.squaredNorm() + 0.5 * q.dot(lambda.cwiseProduct(q)) + potential));
  }
  return worst / kinetic;
}

TEST(BentBar, ExactForcesConserveEnergyToSecondOrder) {
  const ModalWarp warp = warp_of_bar(WarpMap::integrated);
  const double coarse = energy_error(warp, 0.3), fine = energy_error(warp, 0.15);
  EXPECT_LT(coarse, 3e-5);
  EXPECT_NEAR(coarse / fine, 4, 0.3);
}

TEST(BentBar, PrintedForcesDoNot) {
  EXPECT_GT(energy_error(warp_of_bar(WarpMap::integrated, ForceMap::rotation), 0.3), 0.01);
}

}  // namespace
}  // namespace quartic
