// Models of bodies with mirror planes: the same physics from fewer coefficients.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/editing.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "support/meshes.hpp"
#include "symmetry/soft_matter.hpp"

namespace quartic {
namespace {

ProceduralMesh cantilever() {
  return make_box({.length = 1,
                   .width = 0.15,
                   .height = 0.1,
                   .cells_x = 10,
                   .cells_y = 2,
                   .cells_z = 2,
                   .material = test::soft_matter});
}

struct Pair {
  ReducedModel pure, plain;
};
Pair reduce_both(const ProceduralMesh& body, ReduceOptions options) {
  Pair models;
  models.pure = reduce(body.mesh, body.fixed_vertices, options);
  options.mirror_planes = false;
  models.plain = reduce(body.mesh, body.fixed_vertices, options);
  return models;
}

// Displacements of both models' fields, from the pure model's coordinates: U^T M u isn't needed where the spans agree,
// least squares are the same.
Eigen::VectorXd plain_coordinates(const Pair& models, const Eigen::VectorXd& q) {
  return models.plain.basis.map().householderQr().solve(models.pure.basis.map() * q);
}

TEST(PureBasis, HasTheSpanTheFrequenciesAndTheEnergyOfAnyOther) {
  for (const int rank : {8, 20}) {
    const Pair models = reduce_both(cantilever(), {.modes = 10, .rank = rank});
    EXPECT_EQ(tensor_symmetry(models.pure.energy).parities, 2);
    EXPECT_LT(tensor_symmetry(models.pure.energy).work_share, 0.32);
    EXPECT_EQ(tensor_symmetry(models.plain.energy).parities, 0);
    std::mt19937 random(5);
    std::normal_distribution<double> normal(0, 0.02);
    for (int n = 0; n < 5; ++n) {
      Eigen::VectorXd q(rank);
      for (double& x : q) x = normal(random);
      const Eigen::VectorXd other = plain_coordinates(models, q);
      const Eigen::VectorXd gap = models.pure.basis.map() * q - models.plain.basis.map() * other;
      EXPECT_LT(gap.norm(), 1e-9 * (models.pure.basis.map() * q).norm());
      const double energy =
          evaluate(models.pure.energy, std::span(q.data(), static_cast<std::size_t>(q.size()))).energy;
      EXPECT_NEAR(energy,
                  evaluate(models.plain.energy, std::span(other.data(), static_cast<std::size_t>(other.size()))).energy,
                  1e-9 * energy);
    }
  }
}

// Coordinates that stay exactly zero under a dead load down.
int still_coordinates(const ReducedModel& model) {
  Batch<double> batch(model.energy);
  const Eigen::VectorXd down = -9.81 * model.unit_acceleration.map().col(2);
  for (int i = 0; i < model.rank(); ++i) batch.force()(i, 0) = down[i];
  batch.step(0.01, 50);
  int still = 0;
  for (int i = 0; i < model.rank(); ++i)
    if (batch.q()(i, 0) == 0) ++still;
  return still;
}

// What is odd sideways isn't touched by a load that is even, however large the motion: not even by round-off.
TEST(PureBasis, KeepsEvenMotionsEven) {
  const Pair models = reduce_both(cantilever(), {.modes = 10, .rank = 20});
  EXPECT_GT(still_coordinates(models.pure), 5);
  EXPECT_EQ(still_coordinates(models.plain), 0);
}

// A square section's bending modes come in pairs of equal frequency, each a mixture until it is made pure.
TEST(PureBasis, PartsPairsOfEqualFrequency) {
  const ProceduralMesh beam = test::square_beam(0.1, 8, test::soft_matter);
  ReduceReport report;
  const ReducedModel model = reduce(beam.mesh, beam.fixed_vertices, {.modes = 9, .rank = 16}, &report);
  EXPECT_EQ(report.mirror_planes.size(), 2U);
  EXPECT_NEAR(model.eigenvalues[0], model.eigenvalues[1], 1e-9 * model.eigenvalues[0]);
  EXPECT_EQ(tensor_symmetry(model.energy).parities, 2);
  EXPECT_LT(orthonormality_error(model.basis.map(), mass_matrix(model.mesh, model.mass_matrix)), 1e-12);
  EXPECT_LT(orthonormality_error(model.linear_modes.map(), mass_matrix(model.mesh, model.mass_matrix)), 1e-11);
}

TEST(PureBasis, FreeBodiesHaveThreePlanes) {
  const ReducedModel model = reduce(cantilever().mesh, {}, {.modes = 12, .rank = 20});
  EXPECT_EQ(tensor_symmetry(model.energy).parities, 3);
  EXPECT_LT(tensor_symmetry(model.energy).work_share, 0.2);
}

// Halves of two materials: with different ones the body has a plane less, and a step all its work again.
TEST(PureBasis, EditsOfOneSideLoseThePlane) {
  ProceduralMesh body = cantilever();
  body.mesh.regions.push_back({"other", test::soft_matter});
  for (std::size_t e = 0; e < body.mesh.element_region.size(); ++e) {
    double y = 0;
    for (const std::int32_t v : body.mesh.blocks[0].element(static_cast<std::int64_t>(e)))
      y += body.mesh.vertices[3 * static_cast<std::size_t>(v) + 1] / 8;
    double mid = 0;
    for (std::size_t v = 1; v < body.mesh.vertices.size(); v += 3) mid += body.mesh.vertices[v];
    mid /= static_cast<double>(body.mesh.vertex_count());
    body.mesh.element_region[e] = y < mid ? 0 : 1;
  }
  const ReducedModel model = reduce(body.mesh, body.fixed_vertices, {.modes = 8, .rank = 12, .region_parts = true});
  EXPECT_EQ(tensor_symmetry(model.energy).parities, 2);
  Material stiff = test::soft_matter;
  stiff.youngs_modulus *= 3;
  const QuarticEnergy edited = combine_region_energy(model.region_energy, std::vector{test::soft_matter, stiff});
  EXPECT_EQ(tensor_symmetry(edited).parities, 1);
}

}  // namespace
}  // namespace quartic
