// Free and partly held bodies: modes against closed forms, and the whole way from mesh to batch.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "quartic/basis.hpp"
#include "quartic/batch.hpp"
#include "quartic/model.hpp"
#include "quartic/modes.hpp"
#include "support/batch_states.hpp"
#include "support/dense.hpp"
#include "support/meshes.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using std::numbers::pi;

const Material bar_material{.youngs_modulus = 2e9, .poissons_ratio = 0, .density = 1000};

// A bar of 1 m with a square section of `across` x `across` bricks.
ProceduralMesh free_bar(double height, int cells, int across) {
  ProceduralMesh body = make_box({.length = 1,
                                  .width = height,
                                  .height = height,
                                  .cells_x = cells,
                                  .cells_y = across,
                                  .cells_z = across,
                                  .material = bar_material});
  body.fixed_vertices.clear();
  return body;
}

LinearModes modes_of(const ProceduralMesh& body, int count) {
  return linear_modes(ElasticSystem(body.mesh, body.fixed_vertices), {.count = count});
}

// ---- closed forms --------------------------------------------------------------------------------------------

// cos(b) cosh(b) = 1, omega^2 = b^4 E I / (rho A L^4) for slender beams. Bricks of length l and height h bend too
// stiffly by l^2 / h^2 / 2 (shear), and shear and rotary inertia lower the frequency by O((b h)^2): both are
// extrapolated away.
TEST(FreeBeam, BendsAtTheFrequenciesOfASlenderBeam) {
  const double beta[] = {4.73004074486270, 7.85320462409584, 10.9956078380017};
  double thick[3] = {}, slender[3] = {};
  for (const int inverse_height : {25, 50}) {
    const double height = 1.0 / inverse_height;
    double coarse[3] = {};
    for (const int cells : {2 * inverse_height, 4 * inverse_height}) {
      const LinearModes modes = modes_of(free_bar(height, cells, 2), 6);
      EXPECT_EQ(modes.rigid_modes, 6);
      for (std::size_t pair = 0; pair < 3; ++pair) {
        const double first = modes.eigenvalues[2 * pair];
        EXPECT_NEAR(modes.eigenvalues[2 * pair + 1] / first, 1, 1e-8);  // the section bends both ways alike
        const double value = (4 * first - coarse[pair]) / 3 /
                             (bar_material.youngs_modulus * height * height / (12 * bar_material.density));
        coarse[pair] = first;
        slender[pair] = value;
      }
    }
    for (std::size_t pair = 0; pair < 3; ++pair) {
      const double ratio = slender[pair] / std::pow(beta[pair], 4);
      EXPECT_LT(ratio, 1) << pair;
      if (inverse_height == 25) thick[pair] = ratio;
      if (inverse_height == 50) {
        const double limit = (4 * ratio - thick[pair]) / 3;
        // O((beta h)^4) at the thicker beam.
        EXPECT_NEAR(limit, 1, std::pow(beta[pair] / 25, 4)) << pair;
      }
    }
  }
}

TEST(FreeBeam, ConvergesWithTheSquareOfTheCellLength) {
  double value[3] = {};
  for (std::size_t level = 0; level < 3; ++level)
    value[level] = modes_of(free_bar(0.05, 20 << level, 2), 2).eigenvalues[0];
  EXPECT_GT(value[0], value[1]);
  // Bending stiffness is too large by a factor linear in l^2: 4 but for terms of O(l^4).
  EXPECT_NEAR((value[0] - value[1]) / (value[1] - value[2]), 4, 0.1);
}

// f = n c / 2L. The trilinear brick is the linear bar element, whose discrete frequencies are known.
TEST(FreeBeam, StretchesAtTheDiscreteFrequenciesOfAFreeBar) {
  const int cells = 30;
  const LinearModes modes = modes_of(free_bar(0.4, cells, 1), 14);
  for (const int n : {1, 2}) {
    const double c = std::cos(n * pi / cells);
    const double stiffness = bar_material.youngs_modulus / bar_material.density * cells * cells;
    const double expected = 6 * stiffness * (1 - c) / (2 + c);
    double nearest = 1;
    for (const double value : modes.eigenvalues) nearest = std::min(nearest, std::abs(value / expected - 1));
    EXPECT_LT(nearest, 1e-11) << n;
    const double wave = n * n * pi * pi * bar_material.youngs_modulus / bar_material.density;
    EXPECT_NEAR(expected / wave, 1, std::pow(n * pi / cells, 2) / 11);  // the element's own error, k^2 l^2 / 12
  }
}

// f = n/2L sqrt(G J / rho I_p): Saint-Venant's J = 0.1405770 a^4 of a square, which free ends leave as it is.
TEST(FreeBeam, TwistsAtSaintVenantsFrequency) {
  const double a = 0.05;
  double coarse = 0, extrapolated = 0;
  for (const int across : {3, 6}) {
    const ProceduralMesh bar = free_bar(a, 40, across);
    const LinearModes modes = modes_of(bar, 10);
    const SparseMatrix mass = mass_matrix(bar.mesh);
    VectorXd twist = VectorXd::Zero(mass.rows);
    for (std::int64_t v = 0; v < bar.mesh.vertex_count(); ++v) {
      const auto x = Vector3d::Map(&bar.mesh.vertices[static_cast<std::size_t>(3 * v)]);
      twist.segment<3>(3 * v) = std::cos(pi * x[0]) * Vector3d::UnitX().cross(x - Vector3d(0, a / 2, a / 2));
    }
    const VectorXd overlap = modes.vectors.map().transpose() * (mass.map() * twist);
    Index torsion = 0;
    const double share = overlap.cwiseAbs().maxCoeff(&torsion) / std::sqrt(twist.dot(mass.map() * twist));
    EXPECT_GT(share, 0.99);
    const double value = modes.eigenvalues[static_cast<std::size_t>(torsion)];
    extrapolated = (4 * value - coarse) / 3;
    coarse = value;
  }
  const double shear_modulus = bar_material.youngs_modulus / 2;
  const double expected = pi * pi * shear_modulus * 0.1405770 * 6 / bar_material.density;
  EXPECT_NEAR(extrapolated / expected, 1, 0.005);  // O(across^-4), and the inertia of warping
}

// ---- supports ------------------------------------------------------------------------------------------------

// What is held of a box of 3 x 2 x 2 cells, and how many rigid modes that leaves.
struct Support {
  const char* name;
  std::vector<std::array<int, 3>> held;  // grid places
  int rigid_modes;
};

void PrintTo(const Support& support, std::ostream* out) {
  *out << support.name;
}

constexpr int cells_x = 4, cells_y = 2, cells_z = 2;

ProceduralMesh supported_box(const Support& support, ElementType type) {
  ProceduralMesh body = make_box({.length = 1,
                                  .width = 0.3,
                                  .height = 0.2,
                                  .cells_x = cells_x,
                                  .cells_y = cells_y,
                                  .cells_z = cells_z,
                                  .type = type});
  body.fixed_vertices.clear();
  for (const auto& [i, j, k] : support.held) {
    const Vector3d place(1.0 * i / cells_x, 0.3 * j / cells_y, 0.2 * k / cells_z);
    for (std::int32_t v = 0; v < body.mesh.vertex_count(); ++v)
      if ((Vector3d::Map(&body.mesh.vertices[static_cast<std::size_t>(3 * v)]) - place).norm() < 1e-9)
        body.fixed_vertices.push_back(v);
  }
  std::ranges::sort(body.fixed_vertices);
  return body;
}

using Case = std::tuple<Support, ElementType>;

class Supports : public testing::TestWithParam<Case> {
 protected:
  const Support& support = std::get<0>(GetParam());
  ProceduralMesh body = supported_box(support, std::get<1>(GetParam()));
  SparseMatrix mass = mass_matrix(body.mesh);
  Matrix rigid = rigid_modes(body.mesh, mass, body.fixed_vertices);
  ReduceReport report;
  ReducedModel model = reduce(body.mesh, body.fixed_vertices, {.modes = 6, .rank = 14}, &report);

  [[nodiscard]] std::vector<double> coordinates(double amplitude) const {
    const double longest = model.basis.map().cwiseAbs().maxCoeff();
    std::vector<double> q = test::random_numbers(14, 5);
    for (double& x : q) x *= amplitude / longest;
    return q;
  }
};

INSTANTIATE_TEST_SUITE_P(
    , Supports,
    testing::Combine(testing::Values(Support{"nothing", {}, 6}, Support{"a_point", {{0, 0, 0}}, 3},
                                     Support{"an_inner_point", {{2, 1, 1}}, 3},
                                     Support{"two_points", {{0, 0, 0}, {4, 2, 1}}, 1},
                                     Support{"a_hinge", {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}}, 1},
                                     Support{"three_points", {{0, 0, 0}, {0, 2, 0}, {4, 0, 0}}, 0}),
                     testing::Values(ElementType::hex8, ElementType::tet4)),
    [](const auto& test) {
      return std::string(std::get<0>(test.param).name) + "_" + std::string(element_type_name(std::get<1>(test.param)));
    });

TEST_P(Supports, LeaveTheirRigidModesOutOfTheModel) {
  ASSERT_EQ(std::ssize(body.fixed_vertices), std::ssize(support.held));
  EXPECT_EQ(model.rigid_modes, support.rigid_modes);
  EXPECT_EQ(rigid.cols, support.rigid_modes);
  EXPECT_LT(orthonormality_error(model.basis.map(), mass), 1e-12);
  for (const auto v : body.fixed_vertices) EXPECT_EQ(model.basis.map().middleRows(3 * v, 3).cwiseAbs().maxCoeff(), 0);
  if (rigid.cols > 0) {
    const MatrixXd mass_rigid = mass.map() * MatrixXd(rigid.map());
    EXPECT_LT((mass_rigid.transpose() * model.basis.map()).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT((mass_rigid.transpose() * model.linear_modes.map()).cwiseAbs().maxCoeff(), 1e-10);
  }
  // Elastic modes only: far above what the rigid ones' round-off would give.
  EXPECT_GT(model.eigenvalues.front(), 1e-6 * model.eigenvalues.back());
}

// The spectrum, with as many zeros as there are rigid modes, of a solver that knows nothing of them.
TEST_P(Supports, HaveTheElasticModesOfADenseSolver) {
  std::vector<Index> free;
  for (Index dof = 0; dof < mass.rows; ++dof)
    if (!std::ranges::binary_search(body.fixed_vertices, static_cast<std::int32_t>(dof / 3))) free.push_back(dof);
  const MatrixXd k = MatrixXd(stiffness_matrix(body.mesh).map())(free, free), m = MatrixXd(mass.map())(free, free);
  const VectorXd all = test::eigenvalues(k, m);
  const double round_off = 1e-14 * all[all.size() - 1];
  for (Index i = 0; i < support.rigid_modes; ++i) EXPECT_LT(std::abs(all[i]), round_off);
  for (Index i = 0; i < 6; ++i)
    EXPECT_NEAR(model.eigenvalues[static_cast<std::size_t>(i)], all[support.rigid_modes + i],
                1e-11 * all[support.rigid_modes + i] + round_off);
}

TEST_P(Supports, SolveForModalDerivatives) {
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  const ModalDerivatives derivatives = modal_derivatives(body.mesh, system, model.linear_modes.map());
  const MatrixXd force = force_hessian(body.mesh, model.linear_modes.map(), derivatives.pairs).map();
  MatrixXd residual = stiffness_matrix(body.mesh).map() * MatrixXd(derivatives.vectors.map()) + force;
  if (rigid.cols > 0) {
    const MatrixXd mass_rigid = mass.map() * MatrixXd(rigid.map());
    residual -= mass_rigid * (rigid.map().transpose() * force);
    const MatrixXd overlap = mass_rigid.transpose() * derivatives.vectors.map();
    EXPECT_LT(overlap.norm(), 1e-11 * std::sqrt(mass.map().norm()) * derivatives.vectors.map().norm());
  }
  for (const auto v : body.fixed_vertices) residual.middleRows(3 * v, 3).setZero();  // the support's reaction
  for (Index p = 0; p < residual.cols(); ++p) EXPECT_LT(residual.col(p).norm(), 1e-10 * force.col(p).norm()) << p;
}

TEST_P(Supports, WarnWhereAPartIsLoose) {
  const bool warned = std::ranges::any_of(
      report.warnings, [](const std::string& text) { return text.find("rigid motions") != std::string::npos; });
  EXPECT_EQ(warned, support.rigid_modes > 0 && !support.held.empty());
}

TEST_P(Supports, KeepTheEnergyOfABatch) {
  Batch<double> batch(model.energy, {.bodies = 2, .integrator = Integrator::energy_conserving});
  const std::vector<double> q = coordinates(0.02);
  test::set_body(batch.q(), 1, VectorXd(Eigen::Map<const VectorXd>(q.data(), 14)));
  const double start = batch.elastic_energy()[1];
  ASSERT_GT(start, 0);
  const double period = 2 * pi / std::sqrt(model.eigenvalues[0]);
  batch.step(5 * period, 300);
  EXPECT_NEAR(batch.elastic_energy()[1] + batch.kinetic_energy()[1], start, 1e-11 * start);
  EXPECT_GT(batch.kinetic_energy()[1], 0);
  EXPECT_EQ(batch.elastic_energy()[0], 0);
}

// ---- free bodies ---------------------------------------------------------------------------------------------

class FreeModel : public Supports {};

INSTANTIATE_TEST_SUITE_P(, FreeModel,
                         testing::Combine(testing::Values(Support{"nothing", {}, 6}),
                                          testing::Values(ElementType::hex8, ElementType::tet4, ElementType::tet10)),
                         [](const auto& test) { return std::string(element_type_name(std::get<1>(test.param))); });

TEST_P(FreeModel, UniformGravityDoesNothing) {
  MatrixXd unit = MatrixXd::Zero(mass.rows, 3);
  for (Index i = 0; i < unit.rows(); ++i) unit(i, i % 3) = 1;
  const double size = std::sqrt((unit.col(0).dot(mass.map() * unit.col(0))));  // of a field that does feel it
  EXPECT_LT(model.unit_acceleration.map().cwiseAbs().maxCoeff(), 1e-12 * size);
}

// Momentum P = 1^T M U q', angular momentum about the centre L = sum of x cross m u': none in any motion of the basis.
TEST_P(FreeModel, HasNeitherMomentumNorAngularMomentumAtRest) {
  const MatrixXd mass_basis = mass.map() * MatrixXd(model.basis.map());
  const double scale = std::sqrt(mass.map().sum() / 3);  // of a unit vector in the mass norm, uniform over the body
  for (Index mode = 0; mode < 14; ++mode) {
    Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero();
    for (std::int64_t v = 0; v < body.mesh.vertex_count(); ++v) {
      const Vector3d p = mass_basis.col(mode).segment<3>(3 * v);
      linear += p;
      angular += Vector3d::Map(&body.mesh.vertices[static_cast<std::size_t>(3 * v)]).cross(p);
    }
    EXPECT_LT(linear.norm(), 1e-12 * scale);
    EXPECT_LT(angular.norm(), 1e-12 * scale);
  }
}

// The elastic energy doesn't see where the body is, nor how it is turned, however it is deformed.
TEST_P(FreeModel, HasTheEnergyOfTheMovedAndTurnedBody) {
  const std::vector<double> q = coordinates(0.1);
  const VectorXd u = model.basis.map() * Eigen::Map<const VectorXd>(q.data(), 14);
  const double expected = evaluate(model.energy, q).energy;
  const Eigen::Matrix3d rotation = Eigen::AngleAxisd(2.0, Vector3d(1, 2, -1).normalized()).toRotationMatrix();
  VectorXd moved(u.size());
  for (std::int64_t v = 0; v < body.mesh.vertex_count(); ++v) {
    const auto x = Vector3d::Map(&body.mesh.vertices[static_cast<std::size_t>(3 * v)]);
    moved.segment<3>(3 * v) = rotation * (x + u.segment<3>(3 * v)) + Vector3d(3, -2, 1) - x;
  }
  for (const VectorXd& field : {u, moved})
    EXPECT_NEAR(strain_energy(body.mesh, {field.data(), static_cast<std::size_t>(field.size())}), expected,
                1e-11 * expected);
}

// Scaling by a power of two is exact; what isn't moves with round-off only.
TEST_P(FreeModel, IsTheSameWhereverTheMeshLies) {
  VolumeMesh away = body.mesh;
  for (double& x : away.vertices) x += 64;
  const ReducedModel other = reduce(away, {}, {.modes = 6, .rank = 14});
  EXPECT_EQ(other.rigid_modes, 6);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(other.eigenvalues[i] / model.eigenvalues[i], 1, 1e-9);
}

// ---- several components --------------------------------------------------------------------------------------

ProceduralMesh part(double length, bool held) {
  ProceduralMesh body =
      make_box({.length = length, .width = 0.1, .height = 0.07, .cells_x = 8, .cells_y = 2, .cells_z = 2});
  if (!held) body.fixed_vertices.clear();
  return body;
}

// The spectrum is the union of the components' own, and each mode moves one component only where they differ.
void expect_union_of_spectra(const ProceduralMesh& first, const ProceduralMesh& second) {
  ProceduralMesh both = first;
  test::append_copy(both, second, {0, 1, 0});
  std::vector<std::pair<double, int>> expected;  // eigenvalue, component
  const LinearModes a = modes_of(first, 6), b = modes_of(second, 6);
  for (const double value : a.eigenvalues) expected.emplace_back(value, 0);
  for (const double value : b.eigenvalues) expected.emplace_back(value, 1);
  std::ranges::sort(expected);
  const LinearModes modes = modes_of(both, 6);
  EXPECT_EQ(modes.rigid_modes, a.rigid_modes + b.rigid_modes);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(modes.eigenvalues[i] / expected[i].first, 1, 1e-9) << i;
    const auto mode = modes.vectors.map().col(static_cast<Index>(i));
    const double here = mode.head(3 * first.mesh.vertex_count()).norm();
    const double there = mode.tail(3 * second.mesh.vertex_count()).norm();
    EXPECT_LT(expected[i].second == 0 ? there : here, 1e-7 * mode.norm()) << i;
  }
}

TEST(Components, OneHeldAndOneFree) {
  expect_union_of_spectra(part(1, true), part(0.83, false));
}

TEST(Components, BothFree) {
  expect_union_of_spectra(part(1, false), part(0.83, false));
}

// Equal ones: every eigenvalue twice.
TEST(Components, TwoAlikeHaveEveryModeTwice) {
  ProceduralMesh both = part(1, false);
  test::append_copy(both, part(1, false), {0, 1, 0});
  const LinearModes one = modes_of(part(1, false), 4), two = modes_of(both, 8);
  EXPECT_EQ(two.rigid_modes, 12);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(two.eigenvalues[i] / one.eigenvalues[i / 2], 1, 1e-9) << i;

  const ReducedModel model = reduce(both.mesh, {}, {.modes = 8, .rank = 16});
  const SparseMatrix mass = mass_matrix(both.mesh);
  const MatrixXd mass_rigid = mass.map() * MatrixXd(rigid_modes(both.mesh, mass, {}).map());
  EXPECT_EQ(model.rigid_modes, 12);
  EXPECT_LT((mass_rigid.transpose() * model.basis.map()).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT(orthonormality_error(model.basis.map(), mass), 1e-12);
}

}  // namespace
}  // namespace quartic
