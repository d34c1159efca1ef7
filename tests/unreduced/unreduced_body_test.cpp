// Motion of the unreduced body: against a batch whose basis leaves nothing out, closed forms, orders of convergence.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "quartic/batch.hpp"
#include "quartic/embedding.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/strain_damping.hpp"
#include "quartic/unreduced.hpp"
#include "support/boxes.hpp"

namespace {

using namespace quartic;

double norm(std::span<const double> x) {
  return Eigen::VectorXd::Map(x.data(), std::ssize(x)).norm();
}

double distance(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

ProceduralMesh small_bar() {
  return make_box({.length = 1,
                   .width = 0.3,
                   .height = 0.2,
                   .cells_x = 2,
                   .cells_y = 1,
                   .cells_z = 1,
                   .material = {1e5, 0.3, 1000}});
}

// Unit displacements of all free vertices.
Eigen::MatrixXd all_fields(const ProceduralMesh& bar) {
  const auto dofs = std::ssize(bar.mesh.vertices);
  Eigen::MatrixXd fields = Eigen::MatrixXd::Zero(dofs, dofs - 3 * std::ssize(bar.fixed_vertices));
  Eigen::Index column = 0;
  for (std::int32_t v = 0; v < dofs / 3; ++v) {
    if (std::binary_search(bar.fixed_vertices.begin(), bar.fixed_vertices.end(), v)) continue;
    for (int c = 0; c < 3; ++c) fields(3 * v + c, column++) = 1;
  }
  return fields;
}

class UnreducedAgainstBatch : public testing::TestWithParam<UnreducedOptions> {};

// A basis of all displacements reduces nothing: both are the same equations.
TEST_P(UnreducedAgainstBatch, MovesAsABatchWithACompleteBasis) {
  const UnreducedOptions options = GetParam();
  const ProceduralMesh bar = small_bar();
  const ReducedModel model =
      reduce_with_basis(bar.mesh, bar.fixed_vertices, all_fields(bar), {.mass_matrix = options.mass_matrix});
  Batch<double> batch(model.energy, {.integrator = options.integrator,
                                     .newmark_beta = options.newmark_beta,
                                     .newmark_gamma = options.newmark_gamma,
                                     .rayleigh_mass = options.rayleigh_mass,
                                     .rayleigh_stiffness = options.rayleigh_stiffness,
                                     .newton_iterations = options.newton_iterations,
                                     .newton_tolerance = options.newton_tolerance});
  UnreducedBody body(bar.mesh, bar.fixed_vertices, options);
  const StrainForm form = reduce_strains(bar.mesh, model.basis.map());
  set_strain_damping(batch, std::vector{options.strain_damping}, std::span(&form, 1));
  const std::int32_t tip = static_cast<std::int32_t>(bar.mesh.vertex_count()) - 1;
  const VertexForce pull{.body = 0, .vertex = tip, .force = {20, 35, -60}};
  add_vertex_forces<double>(model.basis.map(), {&pull, 1}, batch.force());
  for (std::size_t c = 0; c < 3; ++c) body.force()[3 * static_cast<std::size_t>(tip) + c] = pull.force[c];
  std::vector<double> u(bar.mesh.vertices.size());
  double farthest = 0;
  for (int frame = 0; frame < 20; ++frame) {
    if (frame == 10) {  // let go
      const VertexForce back{.body = 0, .vertex = tip, .force = {-20, -35, 60}};
      add_vertex_forces<double>(model.basis.map(), {&back, 1}, batch.force());
      std::fill(body.force().begin(), body.force().end(), 0);
    }
    batch.step(0.02, 2);
    body.step(0.02, 2);
    vertex_displacements<double>(model.basis.map(), batch.q(), {}, u);
    farthest = std::max(farthest, norm(u));
    // Both round differently in 40 steps; the tolerance of Newton's iteration is met at slightly different residuals.
    EXPECT_LE(distance(u, body.displacement()), (options.newton_tolerance > 0 ? 1e-5 : 1e-10) * farthest);
    // Energies follow displacements and velocities; both are of the order of 10 J.
    const double close = options.newton_tolerance > 0 ? 1e-3 : 1e-8;
    EXPECT_NEAR(body.elastic_energy(), batch.elastic_energy()[0], close);
    EXPECT_NEAR(body.kinetic_energy(), batch.kinetic_energy()[0], close);
  }
  EXPECT_GT(farthest, 0.2);  // of a bar 1 m long: far beyond the linear range
  EXPECT_EQ(body.status(), BodyStatus::ok);
}

INSTANTIATE_TEST_SUITE_P(
    Options, UnreducedAgainstBatch,
    testing::Values(UnreducedOptions{}, UnreducedOptions{.newton_iterations = 4},
                    UnreducedOptions{.newmark_beta = 0.3, .newmark_gamma = 0.6, .newton_iterations = 3},
                    UnreducedOptions{.rayleigh_mass = 2, .rayleigh_stiffness = 0.01, .newton_iterations = 3},
                    UnreducedOptions{.integrator = Integrator::backward_euler, .newton_iterations = 2},
                    UnreducedOptions{.strain_damping = 0.03, .newton_iterations = 3},
                    UnreducedOptions{.integrator = Integrator::backward_euler,
                                     .rayleigh_stiffness = 0.005,
                                     .strain_damping = 0.01,
                                     .newton_iterations = 2},
                    UnreducedOptions{.rayleigh_stiffness = 0.02, .mass_matrix = MassMatrix::lumped},
                    UnreducedOptions{.newton_iterations = 50, .newton_tolerance = 1e-6}));

TEST(UnreducedBodyTest, SmallVibrationIsThatOfNewmarksMethod) {
  const ProceduralMesh bar = small_bar();
  const ElasticSystem system(bar.mesh, bar.fixed_vertices);
  const LinearModes modes = linear_modes(system, {.count = 1});
  const double omega = std::sqrt(modes.eigenvalues[0]), h = 0.1 / omega, amplitude = 1e-7;
  UnreducedBody body(bar.mesh, bar.fixed_vertices);
  const auto mode = modes.vectors.col(0);
  for (std::size_t i = 0; i < mode.size(); ++i) {
    body.displacement()[i] = amplitude * mode[i];
    body.acceleration()[i] = -omega * omega * amplitude * mode[i];
  }
  body.step(100 * h, 100);
  // The average acceleration rule turns the phase by theta per step, tan(theta / 2) = omega h / 2.
  const double expected = amplitude * std::cos(100 * 2 * std::atan(omega * h / 2));
  for (std::size_t i = 0; i < mode.size(); ++i)
    EXPECT_NEAR(body.displacement()[i], expected * mode[i], 1e-5 * amplitude * norm(mode));
}

TEST(UnreducedBodyTest, ConvergesWithTheIntegratorsOrder) {
  const ProceduralMesh bar = small_bar();
  const auto end = [&](Integrator integrator, int steps) {
    UnreducedBody body(bar.mesh, bar.fixed_vertices,
                       {.integrator = integrator, .rayleigh_stiffness = 0.01, .newton_iterations = 10});
    const std::vector<double> weight = gravity_force(body.mass(), std::array{0.0, 0.0, -100.0});
    for (int step = 1; step <= steps; ++step) {  // a load that begins smoothly: accelerations at rest are consistent
      const double time = 0.3 * step / steps;
      for (std::size_t i = 0; i < weight.size(); ++i) body.force()[i] = weight[i] * time * time;
      body.step(0.3 / steps);
    }
    return std::vector<double>(body.displacement().begin(), body.displacement().end());
  };
  for (const auto& [integrator, order] : {std::pair{Integrator::newmark, 2.0}, {Integrator::backward_euler, 1.0}}) {
    const std::vector<double> coarse = end(integrator, 80), middle = end(integrator, 160), fine = end(integrator, 320);
    EXPECT_NEAR(std::log2(distance(coarse, middle) / distance(middle, fine)), order, 0.15);
  }
}

TEST(UnreducedBodyTest, EnergyOfAnUndampedBodyStaysUpToTheSquareOfTheStep) {
  const ProceduralMesh bar = small_bar();
  const auto drift = [&](int steps) {
    UnreducedBody body(bar.mesh, bar.fixed_vertices, {.newton_iterations = 10});
    for (std::size_t v = 0; 3 * v < bar.mesh.vertices.size(); ++v) {
      const double x = bar.mesh.vertices[3 * v];
      body.velocity()[3 * v + 2] = 2 * x * x;
    }
    const double start = body.kinetic_energy() + body.elastic_energy();
    double largest = 0;
    for (int step = 0; step < steps; ++step) {
      body.step(0.5 / steps);
      largest = std::max(largest, std::abs(body.kinetic_energy() + body.elastic_energy() - start) / start);
    }
    return largest;
  };
  const double coarse = drift(200), fine = drift(400);
  EXPECT_LE(fine, 0.02);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.4);
}

TEST(UnreducedBodyTest, AFreeBodyFalls) {
  const ProceduralMesh bar = small_bar();
  UnreducedBody body(bar.mesh, {});
  const std::vector<double> weight = gravity_force(body.mass(), std::array{0.0, 0.0, -9.81});
  double total = 0;
  for (std::size_t i = 2; i < weight.size(); i += 3) total += weight[i];
  EXPECT_NEAR(total, -9.81 * 0.06 * 1000, 1e-9);
  std::copy(weight.begin(), weight.end(), body.force().begin());
  for (std::size_t i = 2; i < weight.size(); i += 3) body.acceleration()[i] = -9.81;
  body.step(0.5, 50);
  for (std::size_t i = 0; i < weight.size(); ++i)
    EXPECT_NEAR(body.displacement()[i], i % 3 == 2 ? -9.81 * 0.5 * 0.5 / 2 : 0, 1e-9);
  EXPECT_LE(body.elastic_energy(), 1e-12 * body.kinetic_energy());
}

TEST(UnreducedBodyTest, FixedVerticesStayAndForcesOnThemDoNothing) {
  const ProceduralMesh bar = small_bar();
  UnreducedBody body(bar.mesh, bar.fixed_vertices);
  for (const std::int32_t v : bar.fixed_vertices) body.force()[3 * static_cast<std::size_t>(v)] = 1e3;
  body.step(0.1, 3);
  EXPECT_EQ(norm(body.displacement()), 0);
  EXPECT_EQ(norm(body.velocity()), 0);
  // Nor can velocities move them: what a batch has no coordinates for.
  for (std::size_t i = 2; i < bar.mesh.vertices.size(); i += 3) body.velocity()[i] = 1;
  body.step(0.1, 10);
  for (const std::int32_t v : bar.fixed_vertices)
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(body.displacement()[3 * static_cast<std::size_t>(v) + c], 0);
      EXPECT_EQ(body.velocity()[3 * static_cast<std::size_t>(v) + c], 0);
      EXPECT_EQ(body.acceleration()[3 * static_cast<std::size_t>(v) + c], 0);
    }
}

TEST(UnreducedBodyTest, DivergedBodiesFreezeAtTheirLastFiniteState) {
  const ProceduralMesh bar = small_bar();
  UnreducedBody body(bar.mesh, bar.fixed_vertices);
  body.force().back() = -30;
  body.step(0.05, 5);
  const std::vector<double> before(body.displacement().begin(), body.displacement().end());
  body.force().back() = std::numeric_limits<double>::infinity();
  body.step(0.05, 5);
  EXPECT_EQ(body.status(), BodyStatus::diverged);
  EXPECT_EQ(before, std::vector<double>(body.displacement().begin(), body.displacement().end()));
  body.force().back() = 0;
  body.step(0.05);
  EXPECT_EQ(before, std::vector<double>(body.displacement().begin(), body.displacement().end()));
  body.reset_status();
  body.step(0.05);
  EXPECT_EQ(body.status(), BodyStatus::ok);
  EXPECT_NE(before, std::vector<double>(body.displacement().begin(), body.displacement().end()));
}

TEST(UnreducedBodyTest, IndefiniteSystemsAreShiftedAndReported) {
  const ProceduralMesh bar = small_bar();
  UnreducedBody body(bar.mesh, bar.fixed_vertices);
  for (std::size_t i = 0; i < bar.mesh.vertices.size(); i += 3)
    body.displacement()[i] = -0.7 * bar.mesh.vertices[i];  // pressed together far beyond what the material resists
  body.step(1);
  EXPECT_EQ(body.status(), BodyStatus::regularised);
  EXPECT_TRUE(std::isfinite(norm(body.displacement())));
}

TEST(UnreducedBodyTest, RefusesOptionsThatMeanNothing) {
  const ProceduralMesh bar = small_bar();
  const auto make = [&](const UnreducedOptions& options) { UnreducedBody body(bar.mesh, bar.fixed_vertices, options); };
  EXPECT_THROW(make({.integrator = Integrator::central_differences}), InputError);
  EXPECT_THROW(make({.integrator = Integrator::energy_conserving}), InputError);
  EXPECT_THROW(make({.newmark_beta = 0}), InputError);
  EXPECT_THROW(make({.rayleigh_mass = -1}), InputError);
  EXPECT_THROW(make({.strain_damping = -1}), InputError);
  EXPECT_THROW(make({.newton_iterations = 0}), InputError);
  UnreducedBody body(bar.mesh, bar.fixed_vertices);
  EXPECT_THROW(body.step(0), InputError);
  EXPECT_THROW(body.step(0.1, 0), InputError);
}

}  // namespace
