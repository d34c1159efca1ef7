// A thick sphere under inner pressure, of StVK material, against the radial equation
//   dP_r/dR + 2 (P_r - P_t) / R = 0,   P_r = f' S_r,   P_t = f/R S_t,   P_r(B) = 0,   P_r(A) = -p (f(A) / A)^2
// for f(R), where the radius R goes, with S = lambda tr(E) + 2 mu E, E_r = (f'^2 - 1) / 2, E_t = ((f/R)^2 - 1) / 2.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "quartic/chambers.hpp"
#include "quartic/model.hpp"
#include "quartic/statics.hpp"

namespace quartic {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double inner = 1, young = 1e5;

struct Stresses {
  double radial, tangential;
};

// A sphere's material and outer radius.
struct Shell {
  double outer, poisson;
  double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = young / (2 * (1 + poisson));

  [[nodiscard]] Stresses stresses(double slope, double stretch) const {
    const double e_r = (slope * slope - 1) / 2, e_t = (stretch * stretch - 1) / 2, trace = lambda * (e_r + 2 * e_t);
    return {slope * (trace + 2 * mu * e_r), stretch * (trace + 2 * mu * e_t)};
  }
  // dP_r / df'.
  [[nodiscard]] double rigidity(double slope, double stretch) const {
    return (lambda + 2 * mu) * (3 * slope * slope - 1) / 2 + lambda * (stretch * stretch - 1);
  }
  // f' of a given P_r, by Newton's method from a guess.
  [[nodiscard]] double slope_of(double radial, double stretch, double guess) const {
    for (int n = 0; n < 60; ++n) {
      const double step = (stresses(guess, stretch).radial - radial) / rigidity(guess, stretch);
      guess -= step;
      if (std::abs(step) < 1e-15) break;
    }
    return guess;
  }
  // P_r at the outer radius, from where the inner one goes and f' there: Runge and Kutta's steps of order four.
  [[nodiscard]] double outer_stress(double place, double slope) const {
    constexpr int steps = 400;
    const double h = (outer - inner) / steps;
    double f = place, radial = stresses(slope, place / inner).radial;
    const auto rates = [&](double r, double at, double stress) {
      slope = slope_of(stress, at / r, slope);
      return std::array{slope, 2 * (stresses(slope, at / r).tangential - stress) / r};
    };
    for (int n = 0; n < steps; ++n) {
      const double r = inner + n * h;
      const auto k1 = rates(r, f, radial);
      const auto k2 = rates(r + h / 2, f + h / 2 * k1[0], radial + h / 2 * k1[1]);
      const auto k3 = rates(r + h / 2, f + h / 2 * k2[0], radial + h / 2 * k2[1]);
      const auto k4 = rates(r + h, f + h * k3[0], radial + h * k3[1]);
      f += h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]);
      radial += h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]);
    }
    return radial;
  }
  // The pressure that takes the inner radius to `place`. P_r grows with f' from where the material gives way on.
  [[nodiscard]] double pressure_for(double place) const {
    const double stretch = place / inner;
    double low = 0.2, high = 1.1;
    for (int n = 0; n < 60; ++n) {  // rigidity grows with f'
      const double middle = (low + high) / 2;
      (rigidity(middle, stretch) < 0 ? low : high) = middle;
    }
    low = high + 1e-3, high = 1.1;
    for (int n = 0; n < 60; ++n) {
      const double middle = (low + high) / 2;
      (outer_stress(place, middle) < 0 ? low : high) = middle;
    }
    return -stresses(low, stretch).radial / (stretch * stretch);
  }
};
// The thick one's material gives way where it is compressed to two thirds: a thin one without Poisson's effect is
// inflated further.
constexpr Shell thick = {1.3, 0.3}, thin = {1.05, 0};

// A shell of hex20: n (even) x n elements on each side of a cube that is blown up to a sphere, and `layers` of them
// across.
VolumeMesh sphere(const Shell& shell, int n, int layers) {
  VolumeMesh mesh;
  std::map<std::array<int, 4>, std::int32_t> numbers;  // by place on the cube, -n .. n, and layer
  const auto vertex = [&](std::array<int, 3> at, int layer) {
    const auto [found, is_new] =
        numbers.try_emplace({at[0], at[1], at[2], layer}, static_cast<std::int32_t>(mesh.vertex_count()));
    if (is_new)  // on a cube for now, where the middles of edges are made
      for (const int c : at) mesh.vertices.push_back((1 + static_cast<double>(layer) / layers) * c / n);
    return found->second;
  };
  ElementBlock hexes{ElementType::hex8, {}};
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const int side : {-1, 1})
      for (int i = -n; i < n; i += 2)
        for (int j = -n; j < n; j += 2)
          for (int layer = 0; layer < layers; ++layer)
            for (const int l : {layer, layer + 1})
              for (const auto& [a, b] : {std::array{i, j}, {i + 2, j}, {i + 2, j + 2}, {i, j + 2}}) {
                std::array<int, 3> at{};
                at[axis] = side * n;
                at[(axis + 1) % 3] = side > 0 ? a : b;  // so that normals point outwards
                at[(axis + 2) % 3] = side > 0 ? b : a;
                hexes.vertices.push_back(vertex(at, l));
              }
  mesh.blocks = {hexes};
  mesh.regions = {{"rubber", Material{young, shell.poisson, 1000}}};
  mesh.element_region.assign(static_cast<std::size_t>(mesh.element_count()), 0);
  mesh = make_quadratic(std::move(mesh));
  for (Eigen::Index v = 0; v < mesh.vertex_count(); ++v) {
    auto x = Vector3d::Map(mesh.vertices.data() + 3 * v);
    const double level = x.cwiseAbs().maxCoeff() - 1;  // 0 inside, 1 outside
    const Vector3d angle = (x / (1 + level) * (std::numbers::pi / 4)).array().tan().matrix();
    x = (inner + (shell.outer - inner) * level) * angle.normalized();
  }
  return mesh;
}

// Vertices on an axis of symmetry stay there.
std::vector<Constraint> held_by_symmetry(const VolumeMesh& mesh) {
  std::vector<Constraint> constraints;
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {
    const double* x = mesh.vertices.data() + std::ptrdiff_t{3} * v;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
      if (std::abs(x[b]) > 1e-9 || std::abs(x[c]) > 1e-9) continue;
      for (const std::size_t held : {b, c}) {
        DisplacementTerm term{v, {}};
        term.factors[held] = 1;
        constraints.push_back({{term}});
      }
    }
  }
  return constraints;
}

double mean_inner_radius(const VolumeMesh& mesh, const Chamber& chamber, const std::vector<double>& u) {
  return std::cbrt(enclosed_volume(mesh, chamber, u) / enclosed_volume(mesh, chamber)) * inner;
}

TEST(InflatedSphereTest, LameIsTheRadialEquationsLimit) {
  const auto [outer, nu, lambda, mu] = thick;
  const double p = 0.1;  // u(A) = p A^3 / (B^3 - A^3) ((1 - 2 nu) A + (1 + nu) B^3 / (2 A^2)) / E
  const double a3 = inner * inner * inner, b3 = outer * outer * outer;
  const double u = p * a3 / (b3 - a3) * ((1 - 2 * nu) * inner + (1 + nu) * b3 / (2 * inner * inner)) / young;
  EXPECT_NEAR(thick.pressure_for(inner + u), p, 1e-4 * p);
}

void expect_radius(const Shell& shell, int layers, const std::vector<double>& places, double tolerance) {
  const VolumeMesh mesh = sphere(shell, 4, layers);
  const Chamber chamber = find_cavities(mesh).at(0);
  StaticSolver solver(mesh, {{}, held_by_symmetry(mesh)}, {.load_steps = 4}, std::span(&chamber, 1));
  const std::vector<double> none(mesh.vertices.size());
  for (const double place : places) {
    const Equilibrium e = solver.solve(none, {}, std::vector{shell.pressure_for(place)});
    ASSERT_TRUE(e.converged) << place << ' ' << e.load_factor;
    EXPECT_TRUE(e.stable);
    EXPECT_NEAR(mean_inner_radius(mesh, chamber, e.solution) - inner, place - inner, tolerance * (place - inner))
        << place;
  }
}

// By a hundredth of the radius, and by half of the volume.
TEST(InflatedSphereTest, FollowsTheRadialEquation) {
  expect_radius(thick, 2, {1.01, std::cbrt(1.5)}, 2e-3);
}

// By half of the radius.
TEST(InflatedSphereTest, ThinOneToo) {
  expect_radius(thin, 1, {1.5}, 2e-3);
}

// A basis of the sphere's states at four pressures, at one of these and at another one.
TEST(InflatedSphereTest, ReducedModelsInflateAsFar) {
  const VolumeMesh mesh = sphere(thin, 2, 1);
  const Chamber chamber = find_cavities(mesh).at(0);
  const Supports supports{{}, held_by_symmetry(mesh)};
  StaticSolver solver(mesh, supports, {.load_steps = 4}, std::span(&chamber, 1));
  const std::vector<double> none(mesh.vertices.size());
  const double most = thin.pressure_for(1.5);
  const auto solution = [&](double share) { return solver.solve(none, {}, std::vector{share * most}).solution; };
  Matrix fields(std::ssize(mesh.vertices), 4);
  for (std::int64_t i = 0; i < 4; ++i)
    std::ranges::copy(solution(std::array{0.05, 0.3, 0.6, 1.0}[static_cast<std::size_t>(i)]), fields.col(i).begin());
  ReducedModel model = reduce_with_basis(mesh, supports, fields.map());
  add_chamber(model, find_cavities(model.mesh).at(0));
  for (const double share : {0.3, 0.8}) {
    const Equilibrium e =
        reduced_equilibrium(model.energy, chamber_volumes(model), std::vector{share * most}, std::vector<double>(4));
    ASSERT_TRUE(e.converged);
    const VectorXd u = model.basis.map() * VectorXd::Map(e.solution.data(), 4);
    const std::vector<double> whole = solution(share);
    const auto expected = VectorXd::Map(whole.data(), std::ssize(whole));
    EXPECT_LE((u - expected).norm(), (share == 0.3 ? 1e-7 : 1e-3) * expected.norm()) << share;
  }
}

}  // namespace
}  // namespace quartic
