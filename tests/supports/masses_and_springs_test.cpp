// Masses at vertices and springs in matrices, energy, moments and edits.
#include <gtest/gtest.h>

#include <cmath>

#include "quartic/editing.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/frame_moments.hpp"
#include "quartic/model.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"
#include "quartic/statics.hpp"
#include "support/boxes.hpp"
#include "support/support.hpp"
#include "supports/supported_boxes.hpp"

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace quartic;
using test::plane;

// A body with masses at its end, springs to the ground there, and one between far vertices.
VolumeMesh loaded_box() {
  VolumeMesh mesh = test::make_box(test::BoxCells::alternating, {3, 2, 1});
  const auto end = plane(mesh, 0, 1.5);
  mesh.masses = spread_mass(mesh, end, 40);
  mesh.springs = springs_to_ground(mesh, end, 5e4);
  mesh.springs.push_back(
      {{{0, {0.6, 0.8, 0}}, {static_cast<std::int32_t>(mesh.vertex_count() - 1), {-0.6, -0.8, 0}}}, 3e4});
  return mesh;
}

MatrixXd spring_matrix(const VolumeMesh& mesh) {
  MatrixXd k = MatrixXd::Zero(3 * mesh.vertex_count(), 3 * mesh.vertex_count());
  for (const Spring& spring : mesh.springs) {
    VectorXd a = VectorXd::Zero(k.rows());
    for (const DisplacementTerm& term : spring.terms)
      for (int c = 0; c < 3; ++c) a[3 * term.vertex + c] += term.factors[static_cast<std::size_t>(c)];
    k += spring.stiffness * a * a.transpose();
  }
  return k;
}

TEST(MassesAndSprings, AreInTheMatrices) {
  const VolumeMesh mesh = loaded_box();
  VolumeMesh bare = mesh;
  bare.masses.clear();
  bare.springs.clear();
  const MatrixXd added = stiffness_matrix(mesh).map().toDense() - stiffness_matrix(bare).map().toDense();
  EXPECT_LE((added - spring_matrix(mesh)).norm(), 1e-9 * added.norm());  // of entries far below the elements'
  for (const MassMatrix kind : {MassMatrix::consistent, MassMatrix::lumped}) {
    const MatrixXd mass = mass_matrix(mesh, kind).map().toDense() - mass_matrix(bare, kind).map().toDense();
    EXPECT_NEAR(mass.trace(), 3 * 40, 1e-9);
    EXPECT_LE((mass - MatrixXd(mass.diagonal().asDiagonal())).norm(), 1e-14);
  }
}

TEST(MassesAndSprings, AreSpreadByArea) {
  const VolumeMesh mesh = make_box({.cells_x = 2, .cells_y = 2, .cells_z = 2}).mesh;
  const auto end = plane(mesh, 0, 1);
  double sum = 0;
  for (const PointMass& mass : spread_mass(mesh, end, 16)) {
    const auto x = test::position(mesh, mass.vertex);
    const int inner = (std::abs(x[1] - 0.05) < 1e-9 ? 1 : 0) + (std::abs(x[2] - 0.05) < 1e-9 ? 1 : 0);
    EXPECT_NEAR(mass.mass, 1 << inner, 1e-13);  // a corner has a quarter of a cell
    sum += mass.mass;
  }
  EXPECT_NEAR(sum, 16, 1e-13);
  std::vector<std::int32_t> twice = end;
  twice.insert(twice.end(), end.begin(), end.end());
  sum = 0;
  for (const PointMass& mass : spread_mass(mesh, twice, 16)) sum += mass.mass;
  EXPECT_NEAR(sum, 16, 1e-13);
  EXPECT_EQ(springs_to_ground(mesh, twice, 1).size(), springs_to_ground(mesh, end, 1).size());
  const std::vector<std::int32_t> two = {0, 1};
  EXPECT_EQ(spread_mass(mesh, two, 3).back().mass, 1.5);  // no face
  EXPECT_THROW(static_cast<void>(spread_mass(mesh, two, -1)), InputError);
  EXPECT_THROW(static_cast<void>(spread_mass(mesh, {}, 1)), InputError);
}

TEST(MassesAndSprings, AreRefusedWhereTheyMakeNoSense) {
  VolumeMesh mesh = test::make_box(test::BoxCells::hexes, {1, 1, 1});
  mesh.masses = {{0, -1}};
  EXPECT_THROW(static_cast<void>(mass_matrix(mesh)), InputError);
  mesh.masses = {{8, 1}};
  EXPECT_THROW(static_cast<void>(mass_matrix(mesh)), InputError);
  mesh.masses.clear();
  mesh.springs = {{{{0, {1, 0, 0}}}, -1}};
  EXPECT_THROW(static_cast<void>(stiffness_matrix(mesh)), InputError);
  mesh.springs = {{{}, 1}};
  EXPECT_THROW(static_cast<void>(stiffness_matrix(mesh)), InputError);
}

TEST(MassesAndSprings, AreRefusedAtVerticesOfNoElement) {
  VolumeMesh bare = test::make_box(test::BoxCells::hexes, {1, 1, 1});
  const auto loose = static_cast<std::int32_t>(bare.vertex_count());
  bare.vertices.insert(bare.vertices.end(), {9, 9, 9});
  EXPECT_NO_THROW(static_cast<void>(mass_matrix(bare)));
  for (const MassMatrix kind : {MassMatrix::consistent, MassMatrix::lumped}) {
    VolumeMesh mesh = bare;
    mesh.masses = {{loose, 1}};
    EXPECT_THROW(static_cast<void>(mass_matrix(mesh, kind)), InputError);
  }
  VolumeMesh sprung = bare;
  sprung.springs = {{{{0, {1, 0, 0}}, {loose, {-1, 0, 0}}}, 1}};
  EXPECT_THROW(static_cast<void>(stiffness_matrix(sprung)), InputError);
  VolumeMesh joined = bare;
  const Constraint support{{{0, {1, 0, 0}}, {loose, {-1, 0, 0}}}, "a support"};
  joined.joints = {support};
  EXPECT_THROW(static_cast<void>(stiffness_matrix(joined)), InputError);
  EXPECT_THROW(static_cast<void>(rigid_modes(bare, mass_matrix(bare), {{}, {support}})), InputError);
}

// Force and tangent stiffness are derivatives of the energy, springs included.
TEST(MassesAndSprings, AreInEnergyAndForces) {
  const VolumeMesh mesh = loaded_box();
  const auto numbers = test::random_numbers(2 * mesh.vertices.size(), 2);
  const auto n = static_cast<Eigen::Index>(mesh.vertices.size());
  const VectorXd u = 0.02 * VectorXd::Map(numbers.data(), n), d = VectorXd::Map(numbers.data() + n, n);
  const auto span = [](const VectorXd& x) { return std::span(x.data(), static_cast<std::size_t>(x.size())); };
  const double h = 1e-4;
  const VectorXd up = u + h * d, down = u - h * d;
  const std::vector<double> force = internal_force(mesh, span(u));
  const double slope = VectorXd::Map(force.data(), n).dot(d);
  EXPECT_NEAR((strain_energy(mesh, span(up)) - strain_energy(mesh, span(down))) / (2 * h) / slope, 1, 1e-6);
  const std::vector<double> above = internal_force(mesh, span(up)), below = internal_force(mesh, span(down));
  const VectorXd product = tangent_stiffness(mesh, span(u)).map() * d;
  const VectorXd difference = (VectorXd::Map(above.data(), n) - VectorXd::Map(below.data(), n)) / (2 * h);
  EXPECT_LE((difference - product).norm(), 1e-5 * product.norm());
}

TEST(MassesAndSprings, AreInTheReducedModel) {
  const VolumeMesh mesh = loaded_box();
  const ReducedModel model = reduce(mesh, plane(mesh, 0, 0), {.modes = 4, .rank = 7});
  const auto numbers = test::random_numbers(7, 9);
  const VectorXd q = 0.05 * VectorXd::Map(numbers.data(), 7);
  const VectorXd u = model.basis.map() * q;
  const double expected = strain_energy(mesh, {u.data(), static_cast<std::size_t>(u.size())});
  EXPECT_NEAR(evaluate(model.energy, {q.data(), 7}).energy / expected, 1, 1e-11);
  EXPECT_NEAR(evaluate(reduce_strains(mesh, model.basis.map()), {q.data(), 7}).energy / expected, 1, 1e-11);
  const ReducedModel parts = reduce(mesh, plane(mesh, 0, 0), {.modes = 4, .rank = 7, .region_parts = true});
  EXPECT_NEAR(evaluate(parts.energy, {q.data(), 7}).energy / expected, 1, 1e-10);  // basis of its own rounding
  // Gravity and moments know the masses.
  const SparseMatrix m = mass_matrix(mesh);
  const MatrixXd mass = m.map().toDense();
  MatrixXd unit = MatrixXd::Zero(mass.rows(), 3);
  for (Eigen::Index i = 0; i < unit.rows(); ++i) unit(i, i % 3) = 1;
  EXPECT_LE((model.unit_acceleration.map() - model.basis.map().transpose() * mass * unit).norm(),
            1e-12 * model.unit_acceleration.map().norm());
  EXPECT_NEAR(model.frame_moments->mass, (unit.col(0).transpose() * mass * unit.col(0)).value(), 1e-9);
}

// Other materials: the same model as the reduction of a mesh that has them, with the same fields.
TEST(MassesAndSprings, StayWhatTheyAreWhenMaterialsAreEdited) {
  const VolumeMesh mesh = loaded_box();
  const ReducedModel model = reduce(mesh, plane(mesh, 0, 0), {.modes = 3, .rank = 5, .region_parts = true});
  std::vector<Material> materials;
  for (const Region& region : mesh.regions) materials.push_back(*region.material);
  materials[0].density *= 3;
  materials[1].youngs_modulus *= 0.5;
  const ReducedModel edited = with_materials(model, materials);
  VolumeMesh other = mesh;
  for (std::size_t g = 0; g < materials.size(); ++g) other.regions[g].material = materials[g];
  const ReducedModel expected = reduce_with_basis(other, plane(mesh, 0, 0), edited.basis.map());
  const auto numbers = test::random_numbers(5, 4);
  EXPECT_NEAR(evaluate(edited.energy, numbers).energy / evaluate(expected.energy, numbers).energy, 1, 1e-10);
  EXPECT_LE((edited.unit_acceleration.map() - expected.unit_acceleration.map()).norm(),
            1e-11 * expected.unit_acceleration.map().norm());
  EXPECT_NEAR(edited.frame_moments->mass / expected.frame_moments->mass, 1, 1e-13);
  EXPECT_LE((edited.frame_moments->moment2.map() - expected.frame_moments->moment2.map()).norm(),
            1e-10 * expected.frame_moments->moment2.map().norm());
}

// A stiff block on soft springs at its floor, all of whose mass and stiffness are known: along z it swings as one, with
// omega^2 = k / m, but for the share of the motion that the block itself gives way by, k / (E A / h) / 3 or less.
TEST(MassesAndSprings, LetABlockSwingAsTheClosedFormSays) {
  const Material material{.youngs_modulus = 1e11, .poissons_ratio = 0.3, .density = 1000};
  VolumeMesh mesh = make_box({.length = 0.3, .width = 0.3, .height = 0.3, .cells_x = 2, .material = material}).mesh;
  const double stiffness = 1e4, extra = 5;
  mesh.springs = springs_to_ground(mesh, plane(mesh, 2, 0), stiffness);
  mesh.masses = spread_mass(mesh, plane(mesh, 2, 0.3), extra);
  const LinearModes modes = linear_modes(ElasticSystem(mesh, {}), {.count = 6});
  EXPECT_EQ(modes.rigid_modes, 0);
  const double expected = stiffness / (1000 * 0.027 + extra);
  double nearest = 1;
  for (const double value : modes.eigenvalues) nearest = std::min(nearest, std::abs(value / expected - 1));
  EXPECT_LE(nearest, 1e-6);  // stiffness / (E A / h) = 3e-7
  // And it rests where its weight stretches the springs.
  StaticSolver solver(mesh, {});
  std::vector<double> weight(mesh.vertices.size());
  const SparseMatrix mass = mass_matrix(mesh);
  for (std::size_t row = 0; row < weight.size(); ++row)
    for (auto e = mass.row_offsets[row]; e < mass.row_offsets[row + 1]; ++e)
      if (mass.columns[static_cast<std::size_t>(e)] % 3 == 2)
        weight[row] -= 9.81 * mass.values[static_cast<std::size_t>(e)];
  const Equilibrium rest = solver.solve(weight);
  ASSERT_TRUE(rest.converged);
  EXPECT_NEAR(rest.solution[2], -9.81 / expected, 1e-5 * 9.81 / expected);
}

// Springs between all corners of two equal boxes let them move alike, each about its own middle, and in no other way.
TEST(MassesAndSprings, JoinBodies) {
  VolumeMesh mesh = test::make_box(test::BoxCells::hexes, {1, 1, 1});
  const VolumeMesh other = test::moved(mesh, Eigen::Matrix3d::Identity(), {2, 0, 0});
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const auto v : other.blocks.front().vertices) mesh.blocks.front().vertices.push_back(8 + v);
  mesh.element_region.push_back(0);
  for (std::int32_t v = 0; v < 8; ++v)
    for (std::size_t c = 0; c < 3; ++c) {
      Spring& spring = mesh.springs.emplace_back(Spring{{{v, {}}, {8 + v, {}}}, 100});
      spring.terms[0].factors[c] = 1;
      spring.terms[1].factors[c] = -1;
    }
  EXPECT_EQ(rigid_modes(mesh, mass_matrix(mesh), {}).cols, 6);
  mesh.springs.resize(1);
  EXPECT_EQ(rigid_modes(mesh, mass_matrix(mesh), {}).cols, 11);
}

}  // namespace
