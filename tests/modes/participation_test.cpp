// Participation factors, effective masses, and Rayleigh's damping from ratios.
#include "quartic/participation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "quartic/batch.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/model.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"

namespace {

using namespace quartic;

// Of all modes together they are the mass that isn't at the support, which lumping tells apart.
TEST(Participation, SumsToTheMassThatMoves) {
  const ProceduralMesh beam = make_box({.cells_x = 4, .cells_y = 1, .cells_z = 1});
  const ElasticSystem system(beam.mesh, beam.fixed_vertices, MassMatrix::lumped);
  const LinearModes modes = linear_modes(system, {.count = static_cast<int>(system.free_dof_count())});
  const Matrix masses = effective_masses(participation_factors(system.mass(), modes.vectors.map()));
  for (int axis = 0; axis < 3; ++axis) {
    double sum = 0;
    for (const double mass : masses.col(axis)) sum += mass;
    EXPECT_NEAR(sum, 10 * (1 - 0.125), 1e-11);  // half of the first of four cells is held
  }
}

// Euler-Bernoulli's cantilever: the first two bending modes have 61.3 % and 18.8 % of the mass, the first longitudinal
// one 8 / pi^2.
TEST(Participation, OfASlenderBeamIsTheClosedForms) {
  const ProceduralMesh box = make_box({.width = 0.02, .height = 0.03, .cells_x = 40, .cells_y = 1, .cells_z = 1});
  const VolumeMesh mesh = make_quadratic(box.mesh);
  std::vector<std::int32_t> fixed;
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v)
    if (mesh.vertices[3 * static_cast<std::size_t>(v)] == 0) fixed.push_back(v);
  const ElasticSystem system(mesh, fixed);
  const LinearModes modes = linear_modes(system, {.count = 20});
  const Matrix masses = effective_masses(participation_factors(system.mass(), modes.vectors.map()));
  const auto largest = [&](int axis, int rank) {
    std::vector<double> sorted(masses.col(axis).begin(), masses.col(axis).end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    return sorted[static_cast<std::size_t>(rank)] / (1000 * 0.02 * 0.03);
  };
  for (const int axis : {1, 2}) {
    EXPECT_NEAR(largest(axis, 0), 0.6131, 2e-3);  // shear and turning inertia: a share of (h / L)^2 or so
    EXPECT_NEAR(largest(axis, 1), 0.1883, 2e-3);
  }
  EXPECT_NEAR(largest(0, 0), 8 / (std::numbers::pi * std::numbers::pi), 2e-3);
}

TEST(RayleighDamping, HasTheRatiosThatItWasMadeFor) {
  const RayleighDamping damping = rayleigh_damping({10, 0.02}, {50, 0.03});
  EXPECT_NEAR(damping_ratio(damping, 10), 0.02, 1e-16);
  EXPECT_NEAR(damping_ratio(damping, 50), 0.03, 1e-16);
  EXPECT_LT(damping_ratio(damping, 25), 0.02);
  EXPECT_GT(damping_ratio(damping, 100), 0.03);
  EXPECT_THROW(static_cast<void>(rayleigh_damping({10, 0.02}, {10, 0.03})), InputError);
  EXPECT_THROW(static_cast<void>(rayleigh_damping({10, 0.02}, {20, 0.05})), InputError);  // alpha below 0
  EXPECT_THROW(static_cast<void>(rayleigh_damping({10, 0.05}, {20, 0.02})), InputError);  // beta below 0
  EXPECT_THROW(static_cast<void>(rayleigh_damping({0, 0.05}, {20, 0.05})), InputError);
  EXPECT_THROW(static_cast<void>(rayleigh_damping({1, -0.05}, {20, 0.05})), InputError);
}

// A small free vibration decays by exp(-2 pi zeta / sqrt(1 - zeta^2)) a period.
TEST(RayleighDamping, LetsAModeDecayByItsRatio) {
  const ProceduralMesh beam = make_box({.cells_x = 6, .cells_y = 1, .cells_z = 1});
  const ReducedModel model = reduce(beam.mesh, beam.fixed_vertices, {.modes = 4, .rank = 4, .derivatives = false});
  const double omega = std::sqrt(model.eigenvalues[0]), f = omega / (2 * std::numbers::pi), zeta = 0.05;
  const RayleighDamping damping = rayleigh_damping({f, zeta}, {5 * f, zeta});
  Batch<double> batch(model.energy, {.rayleigh_mass = damping.mass, .rayleigh_stiffness = damping.stiffness});
  batch.q()(0, 0) = 1e-7;  // the basis is the modes, the first of them first
  const double period = 1 / (f * std::sqrt(1 - zeta * zeta));
  batch.step(2 * period, 4000);
  EXPECT_NEAR(batch.q()(0, 0) / 1e-7, std::exp(-2 * 2 * std::numbers::pi * zeta / std::sqrt(1 - zeta * zeta)), 2e-5);
}

}  // namespace
