// The relaxed energy against its definition, by strains that the test computes itself, and against its own bounds.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/relaxation.hpp"
#include "quartic/supports.hpp"
#include "support/boxes.hpp"
#include "support/dense.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A plate, which locks.
ProceduralMesh plate(ElementType type) {
  return make_box({.length = 1, .width = 0.5, .height = 0.05, .cells_x = 5, .cells_y = 2, .cells_z = 1, .type = type});
}

struct Body {
  ProceduralMesh body;
  ReducedModel model;
  ElasticSystem system;
  Matrix fields;  // that follow natural states

  explicit Body(ProceduralMesh made, int modes = 4, int rank = 6)
      : body(std::move(made)),
        model(reduce(body.mesh, body.fixed_vertices, {.modes = modes, .rank = rank})),
        system(body.mesh, body.fixed_vertices),
        fields(following_fields(body.mesh, system, model.basis.map(),
                                natural_states(body.mesh.vertices, model.basis.map(), model.energy).map())) {}

  [[nodiscard]] Relaxation relaxation(double share) const {
    return relax_strains(body.mesh, model.basis.map(), fields.map(), {.share = share});
  }
};

VectorXd random_state(const QuarticEnergy& energy, unsigned seed) {
  const std::vector<double> rest(static_cast<std::size_t>(energy.rank));
  const VectorXd stiffness = evaluate(energy, rest).stiffness.map().diagonal();
  const std::vector<double> numbers = test::random_numbers(static_cast<std::size_t>(energy.rank) + 1, seed);
  const VectorXd q = VectorXd::Map(numbers.data(), energy.rank);
  return std::pow(10, 2 * numbers.back()) * q.cwiseQuotient(stiffness.cwiseSqrt());
}

std::span<const double> span_of(const VectorXd& q) {
  return {q.data(), static_cast<std::size_t>(q.size())};
}

double energy_at(const QuarticEnergy& energy, const VectorXd& q) {
  return evaluate(energy, span_of(q)).energy;
}

// D = t^T t: t itself is known but for an orthogonal matrix.
MatrixXd products_of(const Relaxation& relaxation) {
  return relaxation.products.map().transpose() * relaxation.products.map();
}

double relative_difference(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).norm() / b.norm();
}

// ---- the definition, from strains of tetrahedra -----------------------------------------------------------------

// Gradients of a field in each tetrahedron, and what weighs their strains.
struct TetStrains {
  std::vector<Eigen::Matrix<double, 4, 3>> gradient;
  std::vector<double> volume;
  double lambda = 0, mu = 0;
  const VolumeMesh& mesh;

  explicit TetStrains(const VolumeMesh& m)
      : lambda(lame_lambda(*m.regions[0].material)), mu(lame_mu(*m.regions[0].material)), mesh(m) {
    for (std::int64_t e = 0; e < mesh.element_count(); ++e) {
      const auto v = mesh.blocks[0].element(e);
      Eigen::Matrix4d positions;
      for (int a = 0; a < 4; ++a) {
        positions(a, 0) = 1;
        for (int c = 0; c < 3; ++c)
          positions(a, 1 + c) =
              mesh.vertices[3 * static_cast<std::size_t>(v[static_cast<std::size_t>(a)]) + static_cast<std::size_t>(c)];
      }
      gradient.emplace_back(test::inverse(positions).bottomRows(3).transpose());
      volume.push_back(test::determinant(positions) / 6);
    }
  }
  [[nodiscard]] Matrix3d field_gradient(const VectorXd& u, std::size_t e) const {
    Matrix3d a = Matrix3d::Zero();
    const auto v = mesh.blocks[0].element(static_cast<std::int64_t>(e));
    for (int k = 0; k < 4; ++k) a += u.segment<3>(3 * Index{v[static_cast<std::size_t>(k)]}) * gradient[e].row(k);
    return a;
  }
  // Six numbers whose square is w E : C : E.
  [[nodiscard]] Eigen::Matrix<double, 6, 1> weighted(const Matrix3d& strain, std::size_t e) const {
    const double shear = std::sqrt(2 * mu), trace = (std::sqrt(2 * mu + 3 * lambda) - shear) / 3 * strain.trace();
    Eigen::Matrix<double, 6, 1> result;
    for (int c = 0; c < 3; ++c) result[c] = shear * strain(c, c) + trace;
    result[3] = std::sqrt(2) * shear * strain(0, 1);
    result[4] = std::sqrt(2) * shear * strain(0, 2);
    result[5] = std::sqrt(2) * shear * strain(1, 2);
    return std::sqrt(volume[e]) * result;
  }
  // And of each spring its extension, whose square is k s^2.
  [[nodiscard]] Index count() const { return 6 * std::ssize(volume) + std::ssize(mesh.springs); }
  [[nodiscard]] MatrixXd linear(const MatrixXd& fields) const {
    MatrixXd result = MatrixXd::Zero(count(), fields.cols());
    for (Index f = 0; f < fields.cols(); ++f) {
      for (std::size_t e = 0; e < volume.size(); ++e) {
        const Matrix3d a = field_gradient(fields.col(f), e);
        result.col(f).segment<6>(6 * static_cast<Index>(e)) = weighted(0.5 * (a + a.transpose()), e);
      }
      for (std::size_t s = 0; s < mesh.springs.size(); ++s)
        for (const DisplacementTerm& term : mesh.springs[s].terms)
          result(6 * std::ssize(volume) + static_cast<Index>(s), f) +=
              std::sqrt(mesh.springs[s].stiffness) *
              Eigen::Vector3d::Map(term.factors.data()).dot(fields.col(f).segment<3>(3 * Index{term.vertex}));
    }
    return result;
  }
  [[nodiscard]] VectorXd quadratic(const VectorXd& u) const {  // of 1/2 A^T A
    VectorXd result = VectorXd::Zero(count());
    for (std::size_t e = 0; e < volume.size(); ++e) {
      const Matrix3d a = field_gradient(u, e);
      result.segment<6>(6 * static_cast<Index>(e)) = weighted(0.5 * a.transpose() * a, e);
    }
    return result;
  }
};

void expect_minimum_over_fields(const Body& body) {
  const double share = 0.8, softness = 1 / share - 1;
  const QuarticEnergy energy = relaxed(body.model.energy, body.relaxation(share));
  const TetStrains strains(body.body.mesh);
  const MatrixXd a = strains.linear(body.model.basis.map());
  MatrixXd y = strains.linear(body.fields.map());
  y -= a * test::solve(a.transpose() * a, a.transpose() * y);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const VectorXd q = random_state(body.model.energy, seed);
    const VectorXd s = a * q + strains.quadratic(body.model.basis.map() * q);
    const VectorXd least = -test::solve((1 + softness) * y.transpose() * y, y.transpose() * s);
    const double expected = 0.5 * (s + y * least).squaredNorm() + 0.5 * softness * (y * least).squaredNorm();
    EXPECT_NEAR(energy_at(energy, q), expected, 1e-12 * s.squaredNorm()) << "state " << seed;
  }
}

TEST(RelaxedEnergy, IsTheMinimumOverTheFieldsThatFollow) {
  expect_minimum_over_fields(Body(plate(ElementType::tet4)));
}

// The fields stretch them, and what does is paid for.
TEST(RelaxedEnergy, OfABodyWithSpringsIsTheMinimumToo) {
  ProceduralMesh sprung = plate(ElementType::tet4);
  const std::vector<std::int32_t> end = vertices_in_box(sprung.mesh, {1, 0, 0, 1, 1, 1});
  sprung.mesh.springs = springs_to_ground(sprung.mesh, end, 1e5);
  sprung.mesh.springs.push_back({{{end.front(), {1, 0, 0}}, {end.back(), {0, -1, 1}}}, 1e6});
  const Body body(std::move(sprung));
  ASSERT_GT(body.fields.cols, 0);
  expect_minimum_over_fields(body);
  // By the fields that follow with the system's factor, and of region parts, which are left out.
  const Relaxation own = relax_strains(body.body.mesh, body.system, body.model.basis.map(), body.model.energy,
                                       {.share = 0.8, .region_parts = true});
  EXPECT_TRUE(own.regions.empty());
  EXPECT_LT(relative_difference(products_of(own), products_of(body.relaxation(0.8))), 1e-9);
}

TEST(RelaxedEnergy, EqualsItsStrainFormOnAllElements) {
  for (const test::BoxCells cells : test::all_cells) {
    SCOPED_TRACE(test::name_of(cells));
    const VolumeMesh mesh = test::make_box(cells, {3, 2, 1});
    std::vector<std::int32_t> fixed;
    for (std::int64_t v = 0; v < mesh.vertex_count(); ++v)
      if (mesh.vertices[3 * static_cast<std::size_t>(v)] < 1e-9) fixed.push_back(static_cast<std::int32_t>(v));
    const Body body({mesh, fixed}, 3, 4);
    const Relaxation relaxation = body.relaxation(0.9);
    ASSERT_GT(relaxation.field_count(), 0);
    const QuarticEnergy energy = relaxed(body.model.energy, relaxation);
    const StrainForm form = relaxed(reduce_strains(mesh, body.model.basis.map()), relaxation);
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const VectorXd q = random_state(body.model.energy, seed);
      EXPECT_NEAR(evaluate(form, span_of(q)).energy, energy_at(energy, q), 1e-12 * energy_at(body.model.energy, q));
    }
  }
}

// ---- bounds and bits ----------------------------------------------------------------------------------------------

TEST(RelaxedEnergy, IsAtLeastWhatTheShareLeavesAndAtMostTheWhole) {
  const Body body(plate(ElementType::hex8));
  const double share = 0.9;
  const QuarticEnergy energy = relaxed(body.model.energy, body.relaxation(share));
  double least = 1;
  for (unsigned seed = 0; seed < 10000; ++seed) {
    const VectorXd q = random_state(body.model.energy, seed);
    const double whole = energy_at(body.model.energy, q), part = energy_at(energy, q);
    ASSERT_LE(part, whole * (1 + 1e-12));
    ASSERT_GE(part, whole * (1 - share) * (1 - 1e-12));
    least = std::min(least, part / whole);
  }
  EXPECT_LT(least, 0.95);  // the plate does lock
}

TEST(RelaxedEnergy, HasTheConstantQuadraticAndCubicTermsOfTheWholeBitForBit) {
  const Body body(plate(ElementType::hex8));
  const QuarticEnergy& whole = body.model.energy;
  const QuarticEnergy energy = relaxed(whole, body.relaxation(0.9));
  const auto quartic_terms = quartic_coefficient_count(whole.rank - 1);  // a >= 1
  const auto others = static_cast<std::ptrdiff_t>(quartic_coefficient_count(whole.rank) - quartic_terms);
  EXPECT_TRUE(std::equal(whole.coefficients.begin(), whole.coefficients.begin() + others, energy.coefficients.begin()));
  EXPECT_NE(whole.coefficients, energy.coefficients);
  EXPECT_EQ(relaxed(whole, body.relaxation(0)).coefficients, whole.coefficients);
  EXPECT_EQ(unrelaxed(whole, body.relaxation(0)).coefficients, whole.coefficients);
}

TEST(RelaxedEnergy, GoesBackToTheWhole) {
  const Body body(plate(ElementType::hex8));
  const Relaxation relaxation = body.relaxation(0.9);
  const QuarticEnergy back = unrelaxed(relaxed(body.model.energy, relaxation), relaxation);
  for (std::size_t i = 0; i < back.coefficients.size(); ++i)
    EXPECT_NEAR(
        back.coefficients[i], body.model.energy.coefficients[i],
        1e-14 * std::abs(body.model.energy.coefficients[i]) + 1e-14 * std::abs(body.model.energy.coefficients.back()));
}

TEST(RelaxableShare, IsWhatAShareOfOneTakesAway) {
  const Body body(plate(ElementType::hex8));
  const Relaxation whole = body.relaxation(1), part = body.relaxation(0.6);
  const QuarticEnergy energy = relaxed(body.model.energy, part);
  for (unsigned seed = 0; seed < 50; ++seed) {
    const VectorXd q = random_state(body.model.energy, seed);
    const double left = energy_at(relaxed(body.model.energy, whole), q) / energy_at(body.model.energy, q);
    EXPECT_NEAR(relaxable_share(energy, part, span_of(q)), 1 - left, 1e-11);
  }
  EXPECT_EQ(relaxable_share(energy, part, std::vector<double>(6)), 0);
}

// ---- other coordinates --------------------------------------------------------------------------------------------

TEST(RelaxedEnergy, IsTheSameInTurnedCoordinates) {
  const Body body(plate(ElementType::hex8));
  const Index r = body.model.rank();
  const std::vector<double> numbers = test::random_numbers(static_cast<std::size_t>(r * r), 7);
  const MatrixXd turn = test::orthonormal_columns(MatrixXd::Map(numbers.data(), r, r));
  const MatrixXd basis = body.model.basis.map() * turn;
  const QuarticEnergy turned_energy = reduce_energy(body.body.mesh, basis);
  const Relaxation turned = relax_strains(body.body.mesh, body.system, basis, turned_energy, {.share = 0.9});
  const Relaxation straight =
      relax_strains(body.body.mesh, body.system, body.model.basis.map(), body.model.energy, {.share = 0.9});
  EXPECT_NEAR(turned.reach, straight.reach, 1e-9 * straight.reach);
  EXPECT_LT(relative_difference(products_of(transform_relaxation(straight, turn)), products_of(turned)), 1e-9);
  const QuarticEnergy there = relaxed(turned_energy, transform_relaxation(body.relaxation(0.9), turn));
  const QuarticEnergy here = relaxed(body.model.energy, body.relaxation(0.9));
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const VectorXd q = random_state(body.model.energy, seed);
    EXPECT_NEAR(energy_at(there, turn.transpose() * q), energy_at(here, q), 1e-11 * energy_at(body.model.energy, q));
  }
}

TEST(RelaxedEnergy, LosesCoordinatesAsTheWholeDoes) {
  const Body body(plate(ElementType::hex8));
  const Relaxation relaxation = body.relaxation(0.9);
  const std::vector<int> kept = {4, 0, 3};
  const Relaxation some = keep_coordinates(relaxation, kept);
  const QuarticEnergy here = relaxed(body.model.energy, relaxation);
  const QuarticEnergy there =
      relaxed(reduce_energy(body.body.mesh, body.model.basis.map()(Eigen::all, kept).eval()), some);
  for (unsigned seed = 1; seed <= 10; ++seed) {
    VectorXd q = random_state(body.model.energy, seed);
    q[1] = q[2] = q[5] = 0;
    const VectorXd few = q(kept);
    EXPECT_NEAR(energy_at(there, few), energy_at(here, q), 1e-12 * energy_at(body.model.energy, q));
  }
}

// ---- other materials ----------------------------------------------------------------------------------------------

VolumeMesh two_regions() {
  VolumeMesh mesh = plate(ElementType::hex8).mesh;
  mesh.regions.push_back({"far", Material{.youngs_modulus = 2e6, .poissons_ratio = 0.4, .density = 800}});
  for (std::size_t e = 0; e < mesh.element_region.size(); ++e) mesh.element_region[e] = e % 5 > 2 ? 1 : 0;
  return mesh;
}

TEST(EditedRelaxation, IsThatOfTheEditedMesh) {
  const Body body({two_regions(), plate(ElementType::hex8).fixed_vertices});
  const Relaxation before =
      relax_strains(body.body.mesh, body.model.basis.map(), body.fields.map(), {.share = 0.9, .region_parts = true});
  EXPECT_LT(relative_difference(products_of(before), products_of(body.relaxation(0.9))), 1e-12);
  VolumeMesh edited = body.body.mesh;
  edited.regions[0].material->youngs_modulus *= 3;
  edited.regions[1].material = Material{.youngs_modulus = 8e5, .poissons_ratio = -0.2, .density = 800};
  const auto materials = [](const VolumeMesh& mesh) {
    return std::vector<Material>{*mesh.regions[0].material, *mesh.regions[1].material};
  };
  const auto after = edit_relaxation(before, materials(body.body.mesh), materials(edited));
  ASSERT_TRUE(after);
  const Relaxation anew = relax_strains(edited, body.model.basis.map(), body.fields.map(), {.share = 0.9});
  EXPECT_LT(relative_difference(products_of(*after), products_of(anew)), 1e-12);
  EXPECT_GT(relative_difference(products_of(before), products_of(anew)), 0.1);
  EXPECT_LT(after->reach, 0.45 * before.reach + 1e-300);

  Relaxation whole = before;
  whole.regions.clear();
  EXPECT_FALSE(edit_relaxation(whole, materials(body.body.mesh), materials(edited)));
}

// A field that counts as none is in no part either.
TEST(EditedRelaxation, OfDependentFieldsIsThatOfTheEditedMesh) {
  const Body body({two_regions(), plate(ElementType::hex8).fixed_vertices});
  MatrixXd fields(body.model.basis.rows, body.fields.cols + 1);
  fields << body.fields.map(), body.fields.map().col(0) + 2 * body.fields.map().col(1);
  const Relaxation before =
      relax_strains(body.body.mesh, body.model.basis.map(), fields, {.share = 0.9, .region_parts = true});
  ASSERT_EQ(before.field_count(), body.fields.cols);
  EXPECT_EQ(before.regions[0].mu_part.stiffness.rows, body.model.rank() + body.fields.cols);
  const std::vector<Material> old = {*body.body.mesh.regions[0].material, *body.body.mesh.regions[1].material};
  std::vector<Material> materials = old;
  materials[0].youngs_modulus *= 3;
  VolumeMesh edited = body.body.mesh;
  edited.regions[0].material = materials[0];
  const auto after = edit_relaxation(before, old, materials);
  ASSERT_TRUE(after);
  const Relaxation anew = relax_strains(edited, body.model.basis.map(), body.fields.map(), {.share = 0.9});
  EXPECT_LT(relative_difference(products_of(*after), products_of(anew)), 1e-11);
}

TEST(EditedRelaxation, GrowsWithAllConstantsAlike) {
  const Body body({two_regions(), plate(ElementType::hex8).fixed_vertices});
  Relaxation before = body.relaxation(0.9);
  before.reach = 2;
  std::vector<Material> materials = {*body.body.mesh.regions[0].material, *body.body.mesh.regions[1].material};
  const std::vector<Material> old = materials;
  for (Material& material : materials) material.youngs_modulus *= 5;
  const auto after = edit_relaxation(before, old, materials);
  ASSERT_TRUE(after);
  EXPECT_LT(relative_difference(products_of(*after), 5 * products_of(before)), 1e-13);
  EXPECT_NEAR(after->reach, 10, 1e-12);
}

// ---- few fields ---------------------------------------------------------------------------------------------------

TEST(RelaxedEnergy, IsTheWholeWhereNothingFollows) {
  const Body body(plate(ElementType::hex8));
  const MatrixXd nothing(body.model.basis.rows, 0);
  const MatrixXd within = body.model.basis.map().leftCols(2);
  for (const MatrixXd& fields : {nothing, within}) {
    const Relaxation relaxation = relax_strains(body.body.mesh, body.model.basis.map(), fields, {.share = 0.9});
    EXPECT_EQ(relaxation.field_count(), 0);
    EXPECT_EQ(relaxed(body.model.energy, relaxation).coefficients, body.model.energy.coefficients);
    EXPECT_EQ(relaxable_share(body.model.energy, relaxation, std::vector<double>(6, 1e-3)), 0);
  }
}

TEST(RelaxedEnergy, TakesDependentFieldsOnce) {
  const Body body(plate(ElementType::hex8));
  MatrixXd repeated(body.model.basis.rows, 2 * body.fields.cols);
  repeated << body.fields.map(), 3 * body.fields.map() + body.model.basis.map().col(0).replicate(1, body.fields.cols);
  const Relaxation relaxation = relax_strains(body.body.mesh, body.model.basis.map(), repeated);
  EXPECT_EQ(relaxation.field_count(), body.fields.cols);
  EXPECT_LT(relative_difference(products_of(relaxation), products_of(body.relaxation(0.75))), 1e-11);
}

TEST(RelaxedEnergy, RelaxesASingleCoordinate) {
  const Body body(plate(ElementType::hex8), 1, 1);
  const Relaxation relaxation = body.relaxation(0.5);
  ASSERT_EQ(relaxation.field_count(), 1);
  const QuarticEnergy energy = relaxed(body.model.energy, relaxation);
  const double t = relaxation.products(0, 0);
  EXPECT_GT(std::abs(t), 0);
  for (const double q : {-1e-2, 1e-3, 1.0})  // V - 1/2 beta t^2 q^4
    EXPECT_NEAR(energy_at(energy, VectorXd::Constant(1, q)),
                energy_at(body.model.energy, VectorXd::Constant(1, q)) - 0.25 * t * t * std::pow(q, 4),
                1e-13 * energy_at(body.model.energy, VectorXd::Constant(1, q)));
}

TEST(RelaxedEnergy, RefusesWhatDoesntFit) {
  const Body body(plate(ElementType::hex8));
  Relaxation relaxation = body.relaxation(0.5);
  relaxation.share = 1.1;
  EXPECT_THROW(static_cast<void>(relaxed(body.model.energy, relaxation)), InputError);
  relaxation.share = 0.5;
  relaxation.products(0, 0) = std::nan("");
  EXPECT_THROW(static_cast<void>(relaxed(body.model.energy, relaxation)), InputError);
  relaxation.products = Matrix(1, 20);
  EXPECT_THROW(static_cast<void>(relaxed(body.model.energy, relaxation)), InputError);
  EXPECT_THROW(static_cast<void>(relax_strains(body.body.mesh, body.model.basis.map(), MatrixXd::Zero(3, 1))),
               InputError);
  EXPECT_THROW(static_cast<void>(body.relaxation(-0.1)), InputError);
  EXPECT_THROW(static_cast<void>(
                   natural_states(body.body.mesh.vertices, body.model.basis.map(), body.model.energy, {.states = -1})),
               InputError);
}

}  // namespace
}  // namespace quartic
