// The pipeline from a mesh to a reduced model as a library call: what it warns of, refuses, and keeps.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "quartic/basis.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "support/meshes.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;

ProceduralMesh small_beam() {
  return make_box({.length = 1, .width = 0.2, .height = 0.15, .cells_x = 6, .cells_y = 2, .cells_z = 1});
}

bool any_contains(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const auto& text) { return text.find(part) != std::string::npos; });
}

/// Random fields that leave the fixed vertices at rest.
Matrix random_fields(const ProceduralMesh& body, int count, unsigned seed) {
  Matrix fields(3 * body.mesh.vertex_count(), count);
  fields.values = test::random_numbers(fields.values.size(), seed);
  for (const auto v : body.fixed_vertices) fields.map().middleRows(3 * v, 3).setZero();
  return fields;
}

TEST(Reduce, SaysWhatMadeTheModel) {
  const ProceduralMesh body = small_beam();
  const ReducedModel reduced = reduce(body.mesh, body.fixed_vertices, {.modes = 2, .rank = 2});
  EXPECT_NE(reduced.created_by.find("reduce"), std::string::npos) << reduced.created_by;
  const ReducedModel own = reduce_with_basis(body.mesh, body.fixed_vertices, random_fields(body, 2, 1).map());
  EXPECT_NE(own.created_by.find("reduce_with_basis"), std::string::npos) << own.created_by;

  const test::TemporaryFolder folder;
  save_model(reduced, folder / "body.qrt");
  EXPECT_EQ(load_model(folder / "body.qrt").created_by, reduced.created_by);
}

// Two modes and their three derivatives span five dimensions at most.
TEST(Reduce, RefusesARankAboveTheNumericalOneAndLowersTheDefault) {
  const ProceduralMesh body = small_beam();
  EXPECT_THROW((void)reduce(body.mesh, body.fixed_vertices, {.modes = 2, .rank = 6}), InputError);
  EXPECT_THROW((void)reduce(body.mesh, body.fixed_vertices, {.modes = 2, .rank = 3, .derivatives = false}), InputError);
  EXPECT_THROW((void)reduce(body.mesh, body.fixed_vertices, {.modes = 2, .rank = 0}), InputError);

  ReduceReport report;
  const ReducedModel model = reduce(body.mesh, body.fixed_vertices, {.modes = 2}, &report);
  EXPECT_EQ(model.rank(), 5);
  EXPECT_TRUE(any_contains(report.warnings, "rank is 5"));
  EXPECT_LT(orthonormality_error(model.basis.map(), mass_matrix(model.mesh)), 1e-12);
  EXPECT_EQ(reduce(body.mesh, body.fixed_vertices, {.modes = 2, .rank = 5}).rank(), 5);
}

TEST(Reduce, WarnsThatAVertexAloneLeavesRotations) {
  const ProceduralMesh body = small_beam();
  ReduceReport report;
  const std::vector<std::int32_t> one = {0};
  const ReducedModel model = reduce(body.mesh, one, {.modes = 2, .rank = 2}, &report);
  EXPECT_EQ(model.rigid_modes, 3);
  EXPECT_TRUE(any_contains(report.warnings, "rigid"));

  ReduceReport held;
  EXPECT_EQ(reduce(body.mesh, body.fixed_vertices, {.modes = 2, .rank = 2}, &held).rigid_modes, 0);
  EXPECT_FALSE(any_contains(held.warnings, "rigid"));
}

// The first thing that happens to a mesh is repair, which follows these indices.
TEST(Reduce, RefusesIndicesOutOfRange) {
  const ProceduralMesh body = small_beam();
  const auto vertices = static_cast<std::int32_t>(body.mesh.vertex_count());
  for (const std::int32_t wrong :
       {-1, vertices, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()}) {
    VolumeMesh mesh = body.mesh;
    mesh.blocks[0].vertices[11] = wrong;
    EXPECT_THROW((void)reduce(mesh, body.fixed_vertices, {.modes = 2, .rank = 2}), InputError) << wrong;
    EXPECT_THROW((void)reduce_with_basis(mesh, body.fixed_vertices, random_fields(body, 2, 1).map()), InputError);
    const std::vector<std::int32_t> fixed = {0, wrong};
    EXPECT_THROW((void)reduce(body.mesh, fixed, {.modes = 2, .rank = 2}), InputError) << wrong;
  }
  VolumeMesh cut = body.mesh;
  cut.blocks[0].vertices.pop_back();
  EXPECT_THROW((void)reduce(cut, body.fixed_vertices, {.modes = 2, .rank = 2}), InputError);
  VolumeMesh regions = body.mesh;
  regions.element_region[3] = 1;
  EXPECT_THROW((void)reduce(regions, body.fixed_vertices, {.modes = 2, .rank = 2}), InputError);
  VolumeMesh sets = body.mesh;
  sets.vertex_sets["tip"] = {0, vertices};
  EXPECT_THROW((void)reduce(sets, body.fixed_vertices, {.modes = 2, .rank = 2}), InputError);
}

// Two materials: what the regions' parts add up to is the energy that was computed as a whole.
TEST(Reduce, RegionPartsRecombineToTheSameModel) {
  ProceduralMesh body = small_beam();
  body.mesh.regions.push_back({"tip", Material{.youngs_modulus = 3e5, .poissons_ratio = 0.4, .density = 250}});
  for (std::size_t e = 0; e < body.mesh.element_region.size(); e += 3) body.mesh.element_region[e] = 1;
  const ReduceOptions options{.modes = 3, .rank = 5};
  ReduceOptions in_parts = options;
  in_parts.region_parts = true;
  const ReducedModel whole = reduce(body.mesh, body.fixed_vertices, options);
  const ReducedModel parts = reduce(body.mesh, body.fixed_vertices, in_parts);
  EXPECT_TRUE(whole.region_energy.empty());
  ASSERT_EQ(parts.region_energy.size(), 2U);
  ASSERT_EQ(parts.region_mass.size(), 2U);

  const std::vector<Material> materials = {*body.mesh.regions[0].material, *body.mesh.regions[1].material};
  EXPECT_EQ(combine_region_energy(parts.region_energy, materials).coefficients, parts.energy.coefficients);
  // Another order of summation: round-off of the largest coefficient.
  double largest = 0;
  for (const double c : whole.energy.coefficients) largest = std::max(largest, std::abs(c));
  ASSERT_EQ(whole.energy.coefficients.size(), parts.energy.coefficients.size());
  for (std::size_t i = 0; i < whole.energy.coefficients.size(); ++i)
    EXPECT_NEAR(parts.energy.coefficients[i], whole.energy.coefficients[i], 1e-13 * largest) << i;

  MatrixXd mass = MatrixXd::Zero(5, 5);
  for (std::size_t g = 0; g < 2; ++g) mass += materials[g].density * parts.region_mass[g].map();
  EXPECT_LT((mass - MatrixXd::Identity(5, 5)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(ReduceWithBasis, KeepsTheSpanOrthonormalWithSignsAndSupport) {
  const ProceduralMesh body = small_beam();
  Matrix fields = random_fields(body, 4, 7);
  fields.map().col(2) *= -1e6;  // whatever their lengths and signs
  for (const MassMatrix kind : {MassMatrix::consistent, MassMatrix::lumped}) {
    const ReducedModel model = reduce_with_basis(body.mesh, body.fixed_vertices, fields.map(), {.mass_matrix = kind});
    ASSERT_EQ(model.rank(), 4);
    EXPECT_EQ(model.mass_matrix, kind);
    EXPECT_EQ(model.rigid_modes, 0);
    EXPECT_TRUE(model.eigenvalues.empty());
    const SparseMatrix mass = mass_matrix(body.mesh, kind);
    EXPECT_LT(orthonormality_error(model.basis.map(), mass), 1e-12);
    const MatrixXd u = model.basis.map();
    const MatrixXd rest = fields.map() - u * (u.transpose() * (mass.map() * MatrixXd(fields.map())));
    for (int j = 0; j < 4; ++j) {
      EXPECT_LT(rest.col(j).norm(), 1e-12 * fields.map().col(j).norm()) << j;
      Eigen::Index largest = 0;
      u.col(j).cwiseAbs().maxCoeff(&largest);
      EXPECT_GT(u(largest, j), 0) << j;
    }
    for (const auto v : body.fixed_vertices) EXPECT_EQ(u.middleRows(3 * v, 3).cwiseAbs().maxCoeff(), 0);

    // V is that of the mesh at u = U q.
    const std::vector<double> q = {0.1, -0.2, 0.05, 0.3};
    const Eigen::VectorXd moved = u * Eigen::Map<const Eigen::VectorXd>(q.data(), 4);
    const double expected = strain_energy(body.mesh, {moved.data(), static_cast<std::size_t>(moved.size())});
    EXPECT_NEAR(evaluate(model.energy, q).energy, expected, 1e-11 * expected);  // 5^4 terms that cancel in part
  }
}

TEST(ReduceWithBasis, RefusesABasisThatDoesNotFit) {
  const ProceduralMesh body = small_beam();
  const auto attempt = [&](const Matrix& basis, const VolumeMesh& mesh) {
    (void)reduce_with_basis(mesh, body.fixed_vertices, basis.map());
  };
  const Matrix good = random_fields(body, 3, 1);
  EXPECT_NO_THROW(attempt(good, body.mesh));
  EXPECT_THROW(attempt(Matrix(good.rows, 0), body.mesh), InputError);
  for (const std::int64_t rows : {good.rows - 3, good.rows + 3, std::int64_t{0}}) {
    Matrix other(rows, 3);
    other.values = test::random_numbers(other.values.size(), 2);
    EXPECT_THROW(attempt(other, body.mesh), InputError) << rows;
  }
  Matrix dependent = good;
  dependent.map().col(2) = dependent.map().col(0) - 2 * dependent.map().col(1);
  EXPECT_THROW(attempt(dependent, body.mesh), InputError);
  Matrix zero = good;
  zero.map().col(1).setZero();
  EXPECT_THROW(attempt(zero, body.mesh), InputError);
  Matrix moving = good;
  moving(3 * body.fixed_vertices[1] + 2, 1) = 1e-3;
  EXPECT_THROW(attempt(moving, body.mesh), InputError);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Matrix not_finite = good;
    not_finite(good.rows - 1, 1) = bad;
    EXPECT_THROW(attempt(not_finite, body.mesh), InputError) << bad;
  }
  VolumeMesh loose = body.mesh;  // a vertex that would be dropped, and the basis' rows with it
  loose.vertices.insert(loose.vertices.end(), {5, 5, 5});
  Matrix longer(good.rows + 3, 3);
  longer.map().topRows(good.rows) = good.map();
  EXPECT_THROW(attempt(longer, loose), InputError);
}

}  // namespace
}  // namespace quartic
