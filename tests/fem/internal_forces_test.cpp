// InternalForces against differences of its own energy and force, closed forms, and itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/procedural.hpp"
#include "quartic/strain_damping.hpp"
#include "support/boxes.hpp"

namespace quartic {
namespace {

VolumeMesh lattice(ElementType type) {
  if (type == ElementType::wedge6) return test::make_box(test::BoxCells::wedges, {12, 9, 9});
  if (type == ElementType::wedge15) return test::make_box(test::BoxCells::straight_wedge15, {12, 9, 9});
  if (type == ElementType::hex20) return make_quadratic(lattice(ElementType::hex8));
  return make_box({.length = 1, .width = 0.9, .height = 0.8, .cells_x = 12, .cells_y = 9, .cells_z = 9, .type = type})
      .mesh;
}

// The first `elements` elements of a box, every third one of another material.
VolumeMesh sample_mesh(ElementType type, std::int64_t elements) {
  VolumeMesh mesh = lattice(type);
  ElementBlock& block = mesh.blocks[0];
  block.vertices.resize(static_cast<std::size_t>(elements * element_vertex_count(type)));
  mesh.element_region.resize(static_cast<std::size_t>(elements));
  mesh.regions.push_back({"hard", Material{.youngs_modulus = 3e7, .poissons_ratio = -0.2, .density = 1000}});
  for (std::size_t e = 0; e < mesh.element_region.size(); e += 3) mesh.element_region[e] = 1;
  for (std::size_t n = 0; n < mesh.vertices.size(); ++n)  // no element is like another
    mesh.vertices[n] += 0.005 * std::sin(7.0 * static_cast<double>(n));
  return mesh;
}

// Bricks and, beside them, tetrahedra.
VolumeMesh mixed_mesh() {
  VolumeMesh mesh = sample_mesh(ElementType::tet4, 11), bricks = sample_mesh(ElementType::hex8, 5);
  const auto first = static_cast<std::int32_t>(mesh.vertex_count());
  for (std::int32_t& v : bricks.blocks[0].vertices) v += first;
  for (std::size_t n = 0; n < bricks.vertices.size(); ++n)
    mesh.vertices.push_back(bricks.vertices[n] + (n % 3 == 0 ? 2.0 : 0.0));
  mesh.blocks.push_back(bricks.blocks[0]);
  mesh.element_region.insert(mesh.element_region.end(), bricks.element_region.begin(), bricks.element_region.end());
  return mesh;
}

std::vector<double> sample_displacement(const VolumeMesh& mesh, double size) {
  std::vector<double> u;
  for (std::size_t n = 0; n < mesh.vertices.size(); ++n)
    u.push_back(size * std::sin(1.0 + 3.0 * static_cast<double>(n)));
  return u;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t n = 0; n < a.size(); ++n) sum += a[n] * b[n];
  return sum;
}

std::vector<double> moved(const std::vector<double>& u, double step, const std::vector<double>& direction) {
  std::vector<double> result = u;
  for (std::size_t n = 0; n < u.size(); ++n) result[n] += step * direction[n];
  return result;
}

std::vector<double> times(const SparseMatrix& k, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (std::size_t row = 0; row < y.size(); ++row)
    for (auto i = k.row_offsets[row]; i < k.row_offsets[row + 1]; ++i)
      y[row] +=
          k.values[static_cast<std::size_t>(i)] * x[static_cast<std::size_t>(k.columns[static_cast<std::size_t>(i)])];
  return y;
}

std::vector<double> column(const Matrix& fields, std::int64_t i) {
  const double* begin = fields.values.data() + i * fields.rows;
  return {begin, begin + fields.rows};
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

// The energy is a quartic along any line, for which the five-point formula is exact: what is left is round-off.
double slope(const std::array<double, 4>& at, double h) {
  return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h);
}

class MeshesTest : public testing::TestWithParam<std::pair<ElementType, std::int64_t>> {
 protected:
  [[nodiscard]] static VolumeMesh mesh() {
    return GetParam().second == 0 ? mixed_mesh() : sample_mesh(GetParam().first, GetParam().second);
  }
};

TEST_P(MeshesTest, ForceAndStiffnessAreDerivatives) {
  const VolumeMesh m = mesh();
  InternalForces forces(m);
  const std::vector<double> u = sample_displacement(m, 0.02), direction = sample_displacement(m, 1);
  std::vector<double> r(u.size());
  SparseMatrix k = forces.zero_stiffness();
  forces.evaluate(u, r, k);
  constexpr double h = 0.01;
  std::array<double, 4> energies;
  std::array<std::vector<double>, 4> ends;
  constexpr std::array<double, 4> offsets = {-2 * h, -h, h, 2 * h};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::vector<double> at = moved(u, offsets[i], direction);
    energies[i] = forces.energy(at);
    ends[i].resize(u.size());
    forces.force(at, ends[i]);
  }
  EXPECT_NEAR(slope(energies, h), dot(r, direction), 1e-11 * energies[3] / h);
  const std::vector<double> product = times(k, direction);
  for (std::size_t n = 0; n < u.size(); ++n)
    EXPECT_NEAR(slope({ends[0][n], ends[1][n], ends[2][n], ends[3][n]}, h), product[n], 1e-11 * largest(ends[3]) / h);
}

TEST_P(MeshesTest, StiffnessIsSymmetricToTheBit) {
  const VolumeMesh m = mesh();
  InternalForces forces(m);
  SparseMatrix k = forces.zero_stiffness();
  forces.stiffness(sample_displacement(m, 0.02), k);
  const auto at = [&](std::int32_t row, std::int32_t column) {
    const auto begin = k.columns.begin() + k.row_offsets[static_cast<std::size_t>(row)];
    const auto end = k.columns.begin() + k.row_offsets[static_cast<std::size_t>(row) + 1];
    const auto found = std::lower_bound(begin, end, column);
    EXPECT_TRUE(found != end && *found == column);
    return k.values[static_cast<std::size_t>(found - k.columns.begin())];
  };
  for (std::int32_t row = 0; row < k.rows; ++row)
    for (auto i = k.row_offsets[static_cast<std::size_t>(row)]; i < k.row_offsets[static_cast<std::size_t>(row) + 1];
         ++i)
      ASSERT_EQ(k.values[static_cast<std::size_t>(i)], at(k.columns[static_cast<std::size_t>(i)], row));
}

// Two ways to the products of strain rates: U^T D(u) U by elements, and by the strains of a basis.
TEST_P(MeshesTest, ViscousStiffnessIsThatOfStrainRates) {
  VolumeMesh m = mesh();
  const std::int32_t vertex = m.blocks[0].vertices[1];
  m.springs = springs_to_ground(m, std::span(&vertex, 1), 1e5);  // strains, too
  constexpr std::int64_t rank = 3;
  Matrix basis(3 * m.vertex_count(), rank);
  for (std::size_t n = 0; n < basis.values.size(); ++n) basis.values[n] = std::sin(1.0 + 5.0 * static_cast<double>(n));
  const std::vector<double> q = {0.02, -0.03, 0.01};
  const Matrix expected = strain_damping_matrix(reduce_strains(m, basis.map()), q);
  std::vector<double> u(m.vertices.size());
  for (std::int64_t i = 0; i < rank; ++i) u = moved(u, q[static_cast<std::size_t>(i)], column(basis, i));
  InternalForces forces(m);
  SparseMatrix d = forces.zero_stiffness(), k = d;
  forces.viscous_stiffness(u, d);
  forces.stiffness(u, k);
  for (std::int64_t j = 0; j < rank; ++j) {
    const std::vector<double> product = times(d, column(basis, j));
    for (std::int64_t i = 0; i < rank; ++i)
      EXPECT_NEAR(dot(column(basis, i), product), expected(i, j), 1e-11 * largest(expected.values)) << i << ' ' << j;
  }
  EXPECT_GT(std::abs(dot(column(basis, 0), times(k, column(basis, 0))) - expected(0, 0)), 1e-3 * expected(0, 0));
  forces.viscous_stiffness(std::vector<double>(u.size()), d);  // at rest
  forces.stiffness(std::vector<double>(u.size()), k);
  EXPECT_EQ(d.values, k.values);
}

// One evaluation leaves no trace in the next, together and alone give the same bits, and so do the free functions.
TEST_P(MeshesTest, EvaluationsDontDependOnEachOther) {
  const VolumeMesh m = mesh();
  InternalForces used(m);
  const std::vector<double> u = sample_displacement(m, 0.02);
  std::vector<double> r(u.size()), r_alone(u.size());
  SparseMatrix k = used.zero_stiffness(), k_alone = k;
  used.evaluate(sample_displacement(m, 0.1), r, k);
  used.evaluate(u, r, k);
  InternalForces fresh(m);
  fresh.stiffness(u, k_alone);
  fresh.force(u, r_alone);
  EXPECT_EQ(k.values, k_alone.values);
  EXPECT_EQ(r, r_alone);
  EXPECT_EQ(used.energy(u), fresh.energy(u));
  EXPECT_EQ(tangent_stiffness(m, u).values, k.values);
  EXPECT_EQ(tangent_stiffness(m, u).columns, k.columns);
  EXPECT_EQ(internal_force(m, u), r);
  EXPECT_EQ(strain_energy(m, u), used.energy(u));
}

// Less and more than a group of elements, whole groups, and more than fits into the buffer at once.
INSTANTIATE_TEST_SUITE_P(InternalForces, MeshesTest,
                         testing::Values(std::pair{ElementType::tet4, 1}, std::pair{ElementType::tet4, 8},
                                         std::pair{ElementType::tet4, 13}, std::pair{ElementType::tet4, 5700},
                                         std::pair{ElementType::tet10, 3}, std::pair{ElementType::tet10, 150},
                                         std::pair{ElementType::hex8, 9}, std::pair{ElementType::hex8, 250},
                                         std::pair{ElementType::hex20, 3}, std::pair{ElementType::hex20, 300},
                                         std::pair{ElementType::wedge6, 9}, std::pair{ElementType::wedge15, 480},
                                         std::pair{ElementType::tet4, 0}));

// A rotation about an axis through the box, and a stretch with its closed form.
TEST(InternalForcesTest, KnowsRotationsAndStretches) {
  for (const ElementType type : {ElementType::tet4, ElementType::tet10, ElementType::hex8}) {
    const VolumeMesh mesh = make_box({.cells_x = 3, .cells_y = 1, .cells_z = 1, .type = type}).mesh;
    InternalForces forces(mesh);
    std::vector<double> rotation, stretch, r(mesh.vertices.size());
    for (std::size_t v = 0; v < mesh.vertices.size(); v += 3) {
      const double x = mesh.vertices[v], y = mesh.vertices[v + 1];
      rotation.insert(rotation.end(),
                      {std::cos(2.0) * x - std::sin(2.0) * y - x, std::sin(2.0) * x + std::cos(2.0) * y - y, 0});
      stretch.insert(stretch.end(), {0.1 * x, 0, 0});
    }
    forces.force(rotation, r);
    EXPECT_LE(largest(r), 1e-14 * mesh.regions[0].material->youngs_modulus);
    // E_xx = 0.1 + 0.1^2 / 2 everywhere.
    const double strain = 0.105, lambda = lame_lambda(*mesh.regions[0].material),
                 mu = lame_mu(*mesh.regions[0].material);
    const double expected = 0.01 * (0.5 * lambda + mu) * strain * strain;
    EXPECT_NEAR(forces.energy(stretch), expected, 1e-13 * expected);
  }
}

TEST(InternalForcesTest, RefusesOtherSizes) {
  const VolumeMesh mesh = sample_mesh(ElementType::tet4, 20), other = sample_mesh(ElementType::tet4, 21);
  InternalForces forces(mesh);
  std::vector<double> u(mesh.vertices.size()), r(u.size()), shorter(u.size() - 3);
  SparseMatrix k = forces.zero_stiffness(), wrong = InternalForces(other).zero_stiffness();
  EXPECT_EQ(forces.dof_count(), std::ssize(u));
  EXPECT_THROW((void)forces.energy(shorter), InputError);
  EXPECT_THROW(forces.force(shorter, r), InputError);
  EXPECT_THROW(forces.force(u, shorter), InputError);
  EXPECT_THROW(forces.stiffness(u, wrong), InputError);
  EXPECT_THROW(forces.evaluate(u, shorter, k), InputError);
  EXPECT_THROW(forces.evaluate(shorter, r, k), InputError);
  SparseMatrix moved = k;  // as many entries, elsewhere
  moved.row_offsets[1] += 1;
  EXPECT_THROW(forces.stiffness(u, moved), InputError);
  EXPECT_THROW(forces.force(u, u), InputError);
  EXPECT_THROW(forces.evaluate(std::span(k.values).first(u.size()), r, k), InputError);
}

}  // namespace
}  // namespace quartic
