// Unreduced forces of other laws than StVK: an affine motion's energy in closed form, differences, several laws in one
// block, equilibria.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/laws.hpp"
#include "quartic/procedural.hpp"
#include "quartic/statics.hpp"
#include "quartic/supports.hpp"
#include "quartic/thermal.hpp"
#include "quartic/unreduced.hpp"
#include "support/boxes.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

constexpr std::array laws = {MaterialLaw::stable_neo_hookean, MaterialLaw::neo_hookean_polynomial,
                             MaterialLaw::mooney_rivlin, MaterialLaw::corotational};
constexpr std::array types = {ElementType::tet4,  ElementType::tet10,  ElementType::hex8,
                              ElementType::hex20, ElementType::wedge6, ElementType::wedge15};

VolumeMesh law_lattice(ElementType type) {
  if (type == ElementType::wedge6) return test::make_box(test::BoxCells::wedges, {2, 1, 2});
  if (type == ElementType::wedge15) return test::make_box(test::BoxCells::straight_wedge15, {2, 1, 2});
  if (type == ElementType::hex20) return make_quadratic(law_lattice(ElementType::hex8));
  return make_box({.length = 1, .width = 0.9, .height = 0.8, .cells_x = 2, .cells_y = 1, .cells_z = 2, .type = type})
      .mesh;
}

VolumeMesh mesh_of(ElementType type, MaterialLaw law) {
  VolumeMesh mesh = law_lattice(type);
  for (Region& region : mesh.regions)
    region.material = Material{.youngs_modulus = 1e5, .poissons_ratio = 0.35, .density = 1000, .law = law};
  return mesh;
}

// Every third element is of StVK, so that groups of elements have both laws.
void mix_laws(VolumeMesh& mesh) {
  mesh.regions.push_back({"other", Material{.youngs_modulus = 2e5, .poissons_ratio = 0.2, .density = 1000}});
  for (std::size_t e = 0; e < mesh.element_region.size(); e += 3)
    mesh.element_region[e] = static_cast<std::int32_t>(mesh.regions.size()) - 1;
}

std::vector<double> waves(const VolumeMesh& mesh, double size, double phase) {
  std::vector<double> u;
  for (std::size_t n = 0; n < mesh.vertices.size(); ++n)
    u.push_back(size * std::sin(phase + 3.0 * static_cast<double>(n)));
  return u;
}

// u = (F - I) X: every point has this F.
TEST(LawForces, AffineMotionsHaveTheLawsEnergy) {
  const std::array<double, 9> f = {1.1, 0.2, -0.1, 0.05, 0.8, 0.15, 0.1, -0.2, 1.2};
  for (const MaterialLaw law : laws)
    for (const ElementType type : types) {
      const VolumeMesh mesh = mesh_of(type, law);
      std::vector<double> u(mesh.vertices.size());
      for (std::size_t n = 0; n < u.size(); n += 3)
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t j = 0; j < 3; ++j) u[n + i] += f[3 * i + j] * mesh.vertices[n + j];
          u[n + i] -= mesh.vertices[n + i];
        }
      const double expected = check_mesh(mesh).volume * evaluate_law(*mesh.regions[0].material, f).energy;
      EXPECT_NEAR(strain_energy(mesh, u), expected, 1e-12 * expected)
          << material_law_name(law) << ", " << element_type_name(type);
    }
}

TEST(LawForces, AreDerivativesAlsoWhereLawsMeet) {
  for (const MaterialLaw law : laws)
    for (const ElementType type : types) {
      VolumeMesh mesh = mesh_of(type, law);
      mix_laws(mesh);
      const std::vector<double> u = waves(mesh, 0.02, 1), d = waves(mesh, 1, 2);
      constexpr double h = 1e-6;
      std::vector<double> plus = u, minus = u;
      for (std::size_t n = 0; n < u.size(); ++n) plus[n] += h * d[n], minus[n] -= h * d[n];
      InternalForces forces(mesh);
      std::vector<double> r(u.size()), after(u.size()), before(u.size());
      SparseMatrix k = forces.zero_stiffness();
      forces.evaluate(u, r, k);
      forces.force(plus, after);
      forces.force(minus, before);
      const auto map = [](const std::vector<double>& x) { return Eigen::VectorXd::Map(x.data(), std::ssize(x)); };
      const Eigen::VectorXd product = k.map() * map(d);
      const double work = map(r).dot(map(d));
      const std::string what = std::string(material_law_name(law)) + ", " + std::string(element_type_name(type));
      EXPECT_NEAR((forces.energy(plus) - forces.energy(minus)) / (2 * h), work, 1e-7 * map(r).norm() * map(d).norm())
          << what;
      EXPECT_LT(((map(after) - map(before)) / (2 * h) - product).norm(), 1e-7 * product.norm()) << what;
    }
}

// A body of two laws is the sum of two bodies of one law each.
TEST(LawForces, OfSeveralLawsAreSumsOfTheParts) {
  VolumeMesh mesh = mesh_of(ElementType::tet4, MaterialLaw::mooney_rivlin);
  mix_laws(mesh);
  const std::vector<double> u = waves(mesh, 0.03, 1);
  double sum = 0;
  for (std::int32_t region = 0; region < 2; ++region) {
    VolumeMesh part = mesh;
    part.blocks[0].vertices.clear();
    part.element_region.clear();
    for (std::int64_t e = 0; e < mesh.blocks[0].count(); ++e) {
      if (mesh.element_region[static_cast<std::size_t>(e)] != region) continue;
      const auto element = mesh.blocks[0].element(e);
      part.blocks[0].vertices.insert(part.blocks[0].vertices.end(), element.begin(), element.end());
      part.element_region.push_back(region);
    }
    sum += strain_energy(part, u);
  }
  EXPECT_NEAR(strain_energy(mesh, u), sum, 1e-13 * sum);
}

// At rest all laws are Hooke's, so that the stiffness of all is StVK's.
TEST(LawForces, HaveOneStiffnessAtRest) {
  for (const MaterialLaw law : laws) {
    const SparseMatrix stvk = stiffness_matrix(mesh_of(ElementType::hex8, MaterialLaw::stvk)),
                       k = stiffness_matrix(mesh_of(ElementType::hex8, law));
    double largest = 0, error = 0;
    for (std::size_t n = 0; n < k.values.size(); ++n) {
      largest = std::max(largest, std::abs(stvk.values[n]));
      error = std::max(error, std::abs(stvk.values[n] - k.values[n]));
    }
    EXPECT_LT(error, 1e-14 * largest) << material_law_name(law);
  }
}

// Pressed by three times what StVK can hold, rubber is in a stable equilibrium.
TEST(LawForces, RubberIsPressedFlatAndHolds) {
  ProceduralMesh block = make_box({.length = 1, .width = 1, .height = 1, .cells_x = 2, .cells_y = 1, .cells_z = 1});
  for (const MaterialLaw law : laws) {
    if (law == MaterialLaw::corotational) continue;  // gives way under such pressure
    block.mesh.regions[0].material = {
        .youngs_modulus = 1e5, .poissons_ratio = 0.3, .density = 1000, .law = law, .mooney_share = 0.3};
    std::vector<double> force(block.mesh.vertices.size());
    for (std::size_t n = 0; n < force.size(); n += 3)
      if (block.mesh.vertices[n] > 0.99) force[n] = -6e4 / 4;  // towards the fixed end
    StaticSolver solver(block.mesh, block.fixed_vertices, {.load_steps = 4});
    const Equilibrium result = solver.solve(force);
    EXPECT_TRUE(result.converged) << material_law_name(law);
    EXPECT_TRUE(result.stable) << material_law_name(law);
    EXPECT_LT(result.residual, 1e-8) << material_law_name(law);
    double shortest = 1;
    for (std::size_t n = 0; n < force.size(); n += 3)
      if (block.mesh.vertices[n] > 0.99) shortest = std::min(shortest, 1 + result.solution[n]);
    EXPECT_LT(shortest, 0.75) << material_law_name(law);
  }
}

// A brick that is turned inside out comes back to rest; of StVK it is at rest where it is reflected.
TEST(LawForces, RubberComesBackFromInversion) {
  ProceduralMesh block = make_box({.length = 1, .width = 1, .height = 1, .cells_x = 1, .cells_y = 1, .cells_z = 1});
  const auto end_of = [&](MaterialLaw law) {
    block.mesh.regions[0].material = {.youngs_modulus = 1e5, .poissons_ratio = 0.3, .density = 1000, .law = law};
    UnreducedBody body(block.mesh, block.fixed_vertices,
                       {.integrator = Integrator::backward_euler,
                        .rayleigh_mass = 2,
                        .newton_iterations = 20,
                        .newton_tolerance = 1e-9});
    for (std::size_t n = 0; n < block.mesh.vertices.size(); n += 3)
      body.displacement()[n] = -1.9 * block.mesh.vertices[n];  // x -> -0.9 x
    body.step(8.0, 800);
    EXPECT_NE(body.status(), BodyStatus::diverged);
    double largest = 0;
    for (const double x : body.displacement()) largest = std::max(largest, std::abs(x));
    return largest;
  };
  EXPECT_LT(end_of(MaterialLaw::stable_neo_hookean), 0.02);
  EXPECT_LT(end_of(MaterialLaw::mooney_rivlin), 0.02);
  EXPECT_GT(end_of(MaterialLaw::stvk), 1.5);
}

TEST(LawForces, WhatIsOfStvkAloneSaysSo) {
  const VolumeMesh mesh = mesh_of(ElementType::tet4, MaterialLaw::mooney_rivlin);
  const Eigen::MatrixXd basis = Eigen::MatrixXd::Ones(3 * mesh.vertex_count(), 1);
  for (const std::string& message : {test::message_of([&] { static_cast<void>(reduce_energy(mesh, basis)); }),
                                     test::message_of([&] { static_cast<void>(reduce_strains(mesh, basis)); }),
                                     test::message_of([&] { static_cast<void>(reduce_region_energy(mesh, basis)); })}) {
    EXPECT_NE(message.find("mooney-rivlin"), std::string::npos) << message;
    EXPECT_NE(message.find("cubature"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace quartic
