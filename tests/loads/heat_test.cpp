// Heated bodies: free and between walls, unreduced and reduced.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "quartic/batch.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/model.hpp"
#include "quartic/statics.hpp"
#include "quartic/thermal.hpp"
#include "quartic/unreduced.hpp"
#include "support/boxes.hpp"
#include "support/error_message.hpp"
#include "supports/supported_boxes.hpp"

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace quartic;
using test::BoxCells;
using test::plane;

const Heating warm{.temperature = {80}, .expansion = {5e-4}};  // a strain of 0.04

VectorXd rest_of(const VolumeMesh& mesh, const Supports& supports, const Heating& heating,
                 std::span<const double> force = {}) {
  StaticSolver solver(mesh, supports, {.heating = heating});
  const std::vector<double> none(mesh.vertices.size());
  const Equilibrium end = solver.solve(force.empty() ? none : force);
  EXPECT_TRUE(end.converged && end.stable);
  return VectorXd::Map(end.solution.data(), std::ssize(end.solution));
}

std::span<const double> heated_span(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// R(u) of a heated body.
VectorXd force_at(const VolumeMesh& mesh, const VectorXd& u, const Heating& heating) {
  const std::vector<double> elastic = internal_force(mesh, heated_span(u)),
                            heat = thermal_force(mesh, heated_span(u), heating);
  return VectorXd::Map(elastic.data(), u.size()) + VectorXd::Map(heat.data(), u.size());
}

double energy_at(const VolumeMesh& mesh, const VectorXd& u, const Heating& heating) {
  return strain_energy(mesh, heated_span(u)) + thermal_energy(mesh, heated_span(u), heating);
}

using test::conforming_cells;

class Heated : public testing::TestWithParam<BoxCells> {
 protected:
  Heated() : mesh_(test::make_box(GetParam(), {2, 2, 2})) {}
  Supports sliding_on(std::initializer_list<int> axes) {
    Supports slides;
    for (const int axis : axes) {
      std::array<double, 3> normal{};
      normal[static_cast<std::size_t>(axis)] = 1;
      test::append(slides.constraints, hold_along(plane(mesh_, axis, 0), normal));
    }
    return slides;
  }
  void expect_stretch(const VectorXd& u, const Eigen::Array3d& stretch) {
    for (std::int32_t v = 0; v < mesh_.vertex_count(); ++v) {
      const Eigen::Vector3d expected = (stretch - 1) * test::position(mesh_, v).array();
      EXPECT_LE((u.segment<3>(3 * v) - expected).norm(), 1e-11) << v;
    }
  }
  VolumeMesh mesh_;
};

// Of both materials alike: E = alpha T I everywhere, without stress or energy.
TEST_P(Heated, FreeBodiesExpandEvenly) {
  const VectorXd u = rest_of(mesh_, sliding_on({0, 1, 2}), warm);
  const double s = std::sqrt(1 + 2 * 0.04);
  expect_stretch(u, {s, s, s});
  EXPECT_NEAR(energy_at(mesh_, u, warm), 0, 1e-11 * energy_at(mesh_, VectorXd::Zero(u.size()), warm));
}

// Held at both ends and free across: E_y = E_z = (1 + nu) alpha T, and the walls push with E alpha T.
TEST_P(Heated, BarsBetweenWallsPushThem) {
  for (Region& region : mesh_.regions) region.material = test::soft;
  Supports supports = sliding_on({0, 1, 2});
  const auto far = plane(mesh_, 0, 1);
  test::append(supports.constraints, hold_along(far, {1, 0, 0}));
  const VectorXd u = rest_of(mesh_, supports, warm);
  const double across = std::sqrt(1 + 2 * 1.3 * 0.04);
  expect_stretch(u, {1, across, across});
  const VectorXd r = force_at(mesh_, u, warm);
  double push = 0;
  for (const auto v : far) push += r[3 * v];
  EXPECT_NEAR(push / (-1e5 * 0.04 * 0.6 * 0.8), 1, 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Types, Heated, testing::ValuesIn(conforming_cells),
                         [](const auto& parameter) { return test::name_of(parameter.param); });

Heating uneven(const VolumeMesh& mesh) {
  Heating heating{.expansion = {3e-4, 8e-4}};
  for (const double x : test::random_numbers(mesh.vertices.size() / 3, 5)) heating.temperature.push_back(60 * x);
  return heating;
}

TEST(Heat, ForcesAreDerivativesOfTheEnergy) {
  const VolumeMesh mesh = test::make_box(BoxCells::curved_hexes_and_wedges, {2, 1, 1});
  const Heating heating = uneven(mesh);
  const auto numbers = test::random_numbers(2 * mesh.vertices.size(), 3);
  const auto n = static_cast<Eigen::Index>(mesh.vertices.size());
  const VectorXd u = 0.02 * VectorXd::Map(numbers.data(), n), d = VectorXd::Map(numbers.data() + n, n);
  const double h = 1e-2;  // of a quadratic: exact but for rounding
  const VectorXd up = u + h * d, down = u - h * d;
  const std::vector<double> force = thermal_force(mesh, heated_span(u), heating);
  const double slope =
      (thermal_energy(mesh, heated_span(up), heating) - thermal_energy(mesh, heated_span(down), heating)) / (2 * h);
  EXPECT_NEAR(VectorXd::Map(force.data(), n).dot(d) / slope, 1, 1e-10);
}

TEST(Heat, IsInTheReducedEnergy) {
  const VolumeMesh mesh = test::make_box(BoxCells::straight_hex20, {3, 1, 1});
  const auto fixed = plane(mesh, 0, 0);
  const Heating heating = uneven(mesh);
  const ReducedModel model = reduce(mesh, fixed, {.modes = 4, .rank = 7});
  const QuarticEnergy energy = heated_energy(model.energy, model.mesh, model.basis.map(), heating);
  const auto numbers = test::random_numbers(7, 9);
  const VectorXd q = 0.05 * VectorXd::Map(numbers.data(), 7);
  const VectorXd u = model.basis.map() * q;
  const ReducedForces reduced = evaluate(energy, {q.data(), 7});
  const double scale = energy_at(mesh, VectorXd::Zero(u.size()), heating);
  EXPECT_NEAR(reduced.energy, energy_at(mesh, u, heating), 1e-11 * scale);
  const VectorXd force = model.basis.map().transpose() * force_at(mesh, u, heating);
  EXPECT_LE((VectorXd::Map(reduced.force.data(), 7) - force).norm(), 1e-11 * force.norm());
}

// A cantilever of two materials bends as it gets warm. A basis that has the equilibrium finds it, and a batch that is
// damped comes to rest there.
TEST(Heat, BendsReducedBodiesAsUnreducedOnes) {
  VolumeMesh mesh = test::make_box(BoxCells::straight_hex20, {3, 1, 2}, 0);
  for (std::size_t e = 0; e < mesh.element_region.size(); ++e) mesh.element_region[e] = e < 3 ? 0 : 1;  // below, above
  for (Region& region : mesh.regions) region.material = test::soft;
  const auto fixed = plane(mesh, 0, 0);
  const Heating heating{.temperature = {100}, .expansion = {0, 5e-4}};
  const VectorXd u = rest_of(mesh, fixed, heating);
  double lowest = 0;
  for (Eigen::Index i = 2; i < u.size(); i += 3) lowest = std::min(lowest, u[i]);
  EXPECT_LT(lowest, -0.03);  // away from the warm side
  const ReducedModel model = reduce_with_basis(mesh, fixed, u);
  const QuarticEnergy energy = heated_energy(model.energy, model.mesh, model.basis.map(), heating);
  const std::vector<double> none(1);
  const Equilibrium end = reduced_equilibrium(energy, none);
  ASSERT_TRUE(end.converged);
  EXPECT_LE((model.basis.map().col(0) * end.solution[0] - u).norm(), 1e-9 * u.norm());
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
    Batch<double> batch(energy, {.rayleigh_mass = 30, .newton_iterations = 4, .evaluation = evaluation});
    for (int step = 0; step < 400; ++step) batch.step(0.02);
    EXPECT_NEAR(batch.q()(0, 0) / end.solution[0], 1, 1e-6);
    EXPECT_NEAR(batch.elastic_energy()[0] / energy_at(mesh, u, heating), 1, 1e-9);
  }
}

// Warmed at once: the body swings about the size that it rests at, and its energy stays what it was.
TEST(Heat, MovesUnreducedBodies) {
  const VolumeMesh mesh = test::make_box(BoxCells::hexes, {2, 1, 1});
  const auto fixed = plane(mesh, 0, 0);
  UnreducedBody body(mesh, fixed, {.newton_iterations = 8, .mass_matrix = MassMatrix::lumped, .heating = warm});
  const std::vector<double> force = thermal_force(mesh, body.displacement(), warm);
  const auto mass = body.mass().map();
  for (std::size_t i = 0; i < force.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    body.acceleration()[i] = -force[i] / mass.coeff(row, row);
  }
  const double first = body.elastic_energy();
  double longest = 0, worst = 0;
  const auto tip = static_cast<std::size_t>(3 * plane(mesh, 0, 1).front());
  for (int step = 0; step < 150; ++step) {
    body.step(1e-3);
    longest = std::max(longest, body.displacement()[tip]);
    worst = std::max(worst, std::abs((body.elastic_energy() + body.kinetic_energy()) / first - 1));
  }
  EXPECT_GT(longest, 0.04);
  EXPECT_LT(worst, 0.05);  // of Newmark's rule
}

TEST(Heat, IsRefusedWhereItMakesNoSense) {
  const VolumeMesh mesh = test::make_box(BoxCells::hexes, {1, 1, 1});
  const std::vector<double> u(mesh.vertices.size());
  const auto refusal = [&](const Heating& heating) {
    return test::message_of([&] { static_cast<void>(thermal_force(mesh, u, heating)); });
  };
  EXPECT_NE(refusal({.temperature = {1, 2}, .expansion = {1e-5}}).find("one per vertex"), std::string::npos);
  EXPECT_NE(refusal({.temperature = {1}, .expansion = {1e-5, 1e-5, 1e-5}}).find("one per region"), std::string::npos);
  EXPECT_NE(refusal({.temperature = {1}}).find("the expansion"), std::string::npos);
  EXPECT_NE(refusal({.temperature = {std::numeric_limits<double>::infinity()}, .expansion = {1}}).find("finite"),
            std::string::npos);
  EXPECT_NE(refusal({.temperature = {-1000}, .expansion = {1e-3}}).find("-1/2 or below"), std::string::npos);
  const ReducedModel model = reduce(mesh, plane(mesh, 0, 0), {.modes = 2, .rank = 2});
  const std::vector<double> none(2);
  EXPECT_THROW(static_cast<void>(reduced_equilibrium(model.energy, none, {}, {.heating = warm})), InputError);
  EXPECT_THROW(static_cast<void>(heated_energy(model.energy, mesh, model.basis.map().leftCols(1), warm)), InputError);
}

}  // namespace
