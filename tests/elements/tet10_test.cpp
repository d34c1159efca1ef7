// Quadratic tetrahedra, straight and curved: rules, shape functions, integrals, meshes, convergence.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "core/elements/elements.hpp"
#include "quartic/quartic.hpp"
#include "support/boxes.hpp"
#include "support/dense.hpp"
#include "support/surface.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Point = std::array<double, 3>;
using test::BoxCells;

double small_factorial(int n) {
  return n < 2 ? 1 : n * small_factorial(n - 1);
}

// ---- rules and shape functions --------------------------------------------------------------------------------

// The integral of x^i y^j z^k over the reference tetrahedron is i! j! k! / (i + j + k + 3)!.
TEST(Tet10, RulesIntegrateAllMonomialsOfTheirDegree) {
  const ElementTable& table = element_table(ElementType::tet10);
  for (const auto& [rule, degree] : {std::pair{&table.stiffness_rule, 5}, {&table.mass_rule, 7}}) {
    for (int i = 0; i <= degree; ++i)
      for (int j = 0; i + j <= degree; ++j)
        for (int k = 0; i + j + k <= degree; ++k) {
          double sum = 0;
          for (std::size_t p = 0; p < rule->points.size(); ++p) {
            const auto& [x, y, z] = rule->points[p];
            sum += rule->weights[p] * std::pow(x, i) * std::pow(y, j) * std::pow(z, k);
          }
          EXPECT_NEAR(
              sum, small_factorial(i) * small_factorial(j) * small_factorial(k) / small_factorial(i + j + k + 3), 3e-16)
              << i << j << k << " of degree " << degree;
        }
    for (const double w : rule->weights) EXPECT_GT(w, 0);
    for (const auto& [x, y, z] : rule->points) EXPECT_GT(std::min({x, y, z, 1 - x - y - z}), 0);
  }
}

TEST(Tet10, ShapeFunctionsAreOneAtTheirVertexAndZeroAtOthers) {
  const ElementTable& table = element_table(ElementType::tet10);
  for (std::size_t b = 0; b < 10; ++b) {
    std::array<double, 10> values;
    table.shape(table.corners[b], values.data());
    for (std::size_t a = 0; a < 10; ++a) EXPECT_NEAR(values[a], a == b ? 1 : 0, 1e-16);
  }
  // Quadratic, so that central differences are exact; the sum of all is one everywhere.
  const Point at = {0.17, 0.41, 0.23};
  double gradient[10][3];
  table.shape_gradient(at, gradient);
  for (std::size_t c = 0; c < 3; ++c) {
    std::array<double, 10> low, high;
    Point left = at, right = at;
    left[c] -= 0.5;
    right[c] += 0.5;
    table.shape(left, low.data());
    table.shape(right, high.data());
    double sum = 0;
    for (std::size_t a = 0; a < 10; ++a) {
      EXPECT_NEAR(gradient[a][c], high[a] - low[a], 1e-15);
      sum += high[a];
    }
    EXPECT_NEAR(sum, 1, 1e-15);
  }
}

// ---- integrals ------------------------------------------------------------------------------------------------

VolumeMesh one_element(double curvature) {
  VolumeMesh mesh;
  mesh.vertices = {0.1, 0.2, -0.1, 1.3, 0.1, 0.2, 0.3, 1.1, 0.1, 0.2, 0.4, 0.9};
  mesh.blocks = {{ElementType::tet4, {0, 1, 2, 3}}};
  mesh.element_region = {0};
  mesh.regions = {{"one", Material{1e3, 0.3, 700}}};
  mesh = make_quadratic(mesh);
  const auto noise = test::random_numbers(mesh.vertices.size(), 5);
  for (std::size_t i = 12; i < mesh.vertices.size(); ++i) mesh.vertices[i] += curvature * noise[i];
  return mesh;
}

// A much higher rule: Gauss points in a cube that is folded to the tetrahedron (Duffy 1982).
QuadratureRule folded_rule() {
  constexpr int n = 8;
  MatrixXd jacobi = MatrixXd::Zero(n, n);  // Golub & Welsch 1969
  for (int i = 1; i < n; ++i) jacobi(i, i - 1) = jacobi(i - 1, i) = i / std::sqrt(4.0 * i * i - 1);
  const test::EigenPairs eigen = test::eigen_pairs(jacobi);
  QuadratureRule rule;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        const auto node = [&](int m) { return 0.5 * (1 + eigen.values[m]); };
        const auto weight = [&](int m) { return std::pow(eigen.vectors(0, m), 2); };
        const double a = node(i), b = node(j), c = node(k);
        rule.points.push_back({a, (1 - a) * b, (1 - a) * (1 - b) * c});
        rule.weights.push_back(weight(i) * weight(j) * weight(k) * (1 - a) * (1 - a) * (1 - b));
      }
  return rule;
}

/// Mass matrix (vertices), stiffness at rest and energy at u, by the rule above and the textbook's formulas.
struct Integrals {
  MatrixXd mass = MatrixXd::Zero(10, 10), stiffness = MatrixXd::Zero(30, 30);
  double volume = 0, energy = 0;
};

Integrals integrate(const VolumeMesh& mesh, const VectorXd& u) {
  const ElementTable& table = element_table(ElementType::tet10);
  const QuadratureRule rule = folded_rule();
  const auto element = mesh.blocks[0].element(0);
  const Material& material = *mesh.regions[0].material;
  const double lambda = lame_lambda(material), mu = lame_mu(material);
  Integrals result;
  for (std::size_t p = 0; p < rule.points.size(); ++p) {
    double values[10], slopes[10][3];
    table.shape(rule.points[p], values);
    table.shape_gradient(rule.points[p], slopes);
    Eigen::Matrix3d jacobian = Eigen::Matrix3d::Zero(), gradient = Eigen::Matrix3d::Zero();
    for (int a = 0; a < 10; ++a)
      jacobian +=
          Eigen::Vector3d::Map(&mesh.vertices[static_cast<std::size_t>(3 * element[static_cast<std::size_t>(a)])]) *
          Eigen::RowVector3d::Map(slopes[a]);
    Eigen::Matrix<double, 10, 3> g;
    for (int a = 0; a < 10; ++a) g.row(a) = Eigen::RowVector3d::Map(slopes[a]) * jacobian.inverse();
    const double w = rule.weights[p] * jacobian.determinant();
    const Eigen::Map<const Eigen::Matrix<double, 10, 1>> n(values);
    result.volume += w;
    result.mass += w * material.density * n * n.transpose();
    for (int a = 0; a < 10; ++a)
      for (int b = 0; b < 10; ++b)
        result.stiffness.block<3, 3>(3 * a, 3 * b) +=
            w * (lambda * g.row(a).transpose() * g.row(b) + mu * g.row(b).transpose() * g.row(a) +
                 mu * g.row(a).dot(g.row(b)) * Eigen::Matrix3d::Identity());
    for (int a = 0; a < 10; ++a) gradient += u.segment<3>(3 * element[static_cast<std::size_t>(a)]) * g.row(a);
    const Eigen::Matrix3d strain = 0.5 * (gradient + gradient.transpose() + gradient.transpose() * gradient);
    result.energy += w * (0.5 * lambda * strain.trace() * strain.trace() + mu * strain.squaredNorm());
  }
  return result;
}

MatrixXd of_one_direction(const SparseMatrix& mass) {
  const MatrixXd whole = mass.map();
  MatrixXd part(whole.rows() / 3, whole.rows() / 3);
  for (Eigen::Index i = 0; i < part.rows(); ++i)
    for (Eigen::Index j = 0; j < part.rows(); ++j) part(i, j) = whole(3 * i, 3 * j);
  return part;
}

double relative_error(const MatrixXd& ours, const MatrixXd& exact) {
  return (ours - exact).cwiseAbs().maxCoeff() / exact.cwiseAbs().maxCoeff();
}

TEST(Tet10, StraightElementHasTheTextbooksMassMatrix) {
  const VolumeMesh mesh = one_element(0);
  const auto edge_ends = std::array<std::array<int, 2>, 6>{{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};
  MatrixXd exact(10, 10);  // in units of mass / 420
  for (int a = 0; a < 10; ++a)
    for (int b = 0; b < 10; ++b) {
      if (a < 4 && b < 4) {
        exact(a, b) = a == b ? 6 : 1;
      } else if (a >= 4 && b >= 4) {
        int shared = 0;
        for (const int i : edge_ends[static_cast<std::size_t>(a - 4)])
          for (const int j : edge_ends[static_cast<std::size_t>(b - 4)]) shared += i == j;
        exact(a, b) = shared == 2 ? 32 : shared == 1 ? 16 : 8;
      } else {
        const auto& ends = edge_ends[static_cast<std::size_t>(std::max(a, b) - 4)];
        exact(a, b) = ends[0] == std::min(a, b) || ends[1] == std::min(a, b) ? -4 : -6;
      }
    }
  exact *= integrate(mesh, VectorXd::Zero(30)).volume * 700 / 420;
  EXPECT_LE(relative_error(of_one_direction(mass_matrix(mesh)), exact), 1e-13);
  // HRZ: corners and middles as 6 to 32.
  const SparseMatrix lumped = mass_matrix(mesh, MassMatrix::lumped);
  const double total = exact.sum();
  for (std::size_t a = 0; a < 10; ++a) EXPECT_NEAR(lumped.values[3 * a], total * (a < 4 ? 6 : 32) / 216, 1e-13 * total);
}

TEST(Tet10, MassStiffnessAndEnergyAreExactOnStraightElements) {
  const VolumeMesh mesh = one_element(0);
  const auto numbers = test::random_numbers(30, 3);
  const VectorXd u = VectorXd::Map(numbers.data(), 30);  // strains of the order of one
  const Integrals exact = integrate(mesh, u);
  EXPECT_LE(relative_error(stiffness_matrix(mesh).map(), exact.stiffness), 1e-13);
  EXPECT_NEAR(strain_energy(mesh, numbers), exact.energy, 1e-13 * exact.energy);
}

// The Jacobian is of degree 3 there: mass and volume are polynomials of degree 7 and 3, the strain is rational.
TEST(Tet10, MassAndVolumeAreExactOnCurvedElements) {
  const VolumeMesh mesh = one_element(0.06);
  const Integrals exact = integrate(mesh, VectorXd::Zero(30));
  EXPECT_LE(relative_error(of_one_direction(mass_matrix(mesh)), exact.mass), 1e-13);
  EXPECT_NEAR(check_mesh(mesh).volume, exact.volume, 1e-13 * exact.volume);
  EXPECT_GT(std::abs(exact.volume - integrate(one_element(0), VectorXd::Zero(30)).volume), 1e-3 * exact.volume);
}

// ---- meshes ----------------------------------------------------------------------------------------------------

TEST(Tet10, QuadraticMeshHasAVertexPerEdge) {
  VolumeMesh linear = test::make_box(BoxCells::tets, {2, 2, 2}, 0);
  linear.vertex_sets["bottom"] = vertices_in_box(linear, {-1, -1, 0, 9, 9, 0});
  const VolumeMesh mesh = make_quadratic(linear);
  // Every edge of the refined lattice of 5 x 5 x 5 vertices is one: Kuhn's tetrahedra have all middles there.
  EXPECT_EQ(mesh.vertex_count(), 125);
  EXPECT_EQ(mesh.element_count(), linear.element_count());
  EXPECT_EQ(mesh.element_region, linear.element_region);
  EXPECT_EQ(mesh.vertex_sets.at("bottom"), vertices_in_box(mesh, {-1, -1, 0, 9, 9, 0}));
  EXPECT_EQ(mesh.vertex_sets.at("bottom").size(), 25U);
  const MeshReport before = check_mesh(linear), after = check_mesh(mesh);
  EXPECT_TRUE(after.warnings.empty()) << after.warnings.front();
  EXPECT_NEAR(after.volume, before.volume, 1e-14 * before.volume);
  EXPECT_NEAR(after.worst_quality, before.worst_quality, 1e-14);
  EXPECT_NEAR(test::enclosed_volume(mesh), before.volume, 1e-14 * before.volume);
  EXPECT_THROW((void)make_quadratic(mesh), InputError);
}

TEST(Tet10, InvertedElementsAreTurnedRoundWithTheirMiddles) {
  const VolumeMesh sound = test::make_box(BoxCells::curved_tet10, {2, 2, 2});
  VolumeMesh mesh = sound;
  for (std::size_t e = 0; e < 48; e += 5) {  // corners 2 and 3 change places, and with them the middles of their edges
    std::int32_t* v = mesh.blocks[0].vertices.data() + 10 * e;
    for (const auto& [a, b] : {std::array{2, 3}, {5, 8}, {6, 7}}) std::swap(v[a], v[b]);
  }
  EXPECT_EQ(check_mesh(mesh).inverted, 10);
  EXPECT_NEAR(test::enclosed_volume(mesh), test::enclosed_volume(sound), 1e-14);
  EXPECT_EQ(repair_orientation(mesh), 10);
  EXPECT_EQ(check_mesh(mesh).inverted, 0);
  const VectorXd u =
      0.1 * VectorXd::Map(test::random_numbers(mesh.vertices.size(), 1).data(), std::ssize(mesh.vertices));
  const std::span<const double> span(u.data(), mesh.vertices.size());
  EXPECT_NEAR(strain_energy(mesh, span), strain_energy(sound, span), 1e-13 * strain_energy(sound, span));
}

TEST(Tet10, FoldedElementsAreRefused) {
  VolumeMesh mesh = one_element(0);
  for (std::size_t c = 0; c < 3; ++c)  // the middle of edge 0-1 beyond vertex 1
    mesh.vertices[12 + c] = mesh.vertices[3 + c] + 0.4 * (mesh.vertices[3 + c] - mesh.vertices[c]);
  EXPECT_EQ(check_mesh(mesh).degenerate, 1);
  EXPECT_THROW((void)stiffness_matrix(mesh), InputError);
}

// A tet4 and a tet10 with three corners in common share no face: there, the middles would gape.
TEST(Tet10, FacesMatchWithTheirMiddlesOnly) {
  VolumeMesh mesh = one_element(0);
  mesh.vertices.insert(mesh.vertices.end(), {1.2, 1.3, 1.4});
  mesh.blocks.insert(mesh.blocks.begin(), {ElementType::tet4, {1, 2, 3, 10}});
  mesh.element_region = {0, 0};
  EXPECT_EQ(boundary_triangles(mesh).size() / 3, 4U + 16U);
}

// ---- the whole way ---------------------------------------------------------------------------------------------

// The longitudinal mode of a free bar without lateral contraction is cos(pi x / L), with omega^2 = pi^2 E / (rho L^2):
// the error of eigenvalues falls with h^2 for linear shape functions and with h^4 for quadratic ones.
TEST(Tet10, EigenvaluesConvergeWithTheFourthPower) {
  const Material material = {.youngs_modulus = 1e6, .poissons_ratio = 0, .density = 1000};
  const double exact = std::pow(std::numbers::pi, 2) * 1e6 / 1000;
  const auto error = [&](ElementType type, int cells) {
    const ProceduralMesh bar = make_box({.width = 0.3,
                                         .height = 0.2,
                                         .cells_x = cells,
                                         .cells_y = 1,
                                         .cells_z = 1,
                                         .type = type,
                                         .material = material});
    double least = exact;
    for (const double value : linear_modes(ElasticSystem(bar.mesh, {}), {.count = 12}).eigenvalues)
      least = std::min(least, std::abs(value / exact - 1));
    return least;
  };
  EXPECT_NEAR(std::log2(error(ElementType::tet4, 8) / error(ElementType::tet4, 16)), 2, 0.2);
  EXPECT_NEAR(std::log2(error(ElementType::tet10, 8) / error(ElementType::tet10, 16)), 4, 0.1);
  EXPECT_LE(error(ElementType::tet10, 16), 1e-5);
}

// Bending of a slender beam, one cell thick, against Euler-Bernoulli's 1.8751^4 EI / (rho A L^4): linear tetrahedra
// lock, quadratic ones don't.
TEST(Tet10, BendingDoesNotLock) {
  const Material steel = {.youngs_modulus = 2e11, .poissons_ratio = 0.3, .density = 7800};
  const double exact = std::pow(1.875104068711961, 4) * 2e11 * std::pow(0.02, 2) / 12 / 7800;
  const auto ratio = [&](ElementType type) {
    const ProceduralMesh beam = make_box(
        {.width = 0.02, .height = 0.02, .cells_x = 25, .cells_y = 1, .cells_z = 1, .type = type, .material = steel});
    return linear_modes(ElasticSystem(beam.mesh, beam.fixed_vertices), {.count = 1}).eigenvalues.front() / exact;
  };
  EXPECT_NEAR(ratio(ElementType::tet10), 1, 0.015);
  EXPECT_GT(ratio(ElementType::tet4), 1.5);
}

TEST(Tet10, ReducedEnergyIsTheMeshs) {
  for (const BoxCells cells : {BoxCells::straight_tet10, BoxCells::curved_tet10}) {
    VolumeMesh mesh = test::make_box(cells, {4, 1, 1});
    const auto fixed = vertices_in_box(mesh, {0, -1, -1, 0, 9, 9});
    EXPECT_EQ(fixed.size(), 9U);
    const ReducedModel model = reduce(mesh, fixed, {.modes = 4, .rank = 8});
    const auto q = test::random_numbers(8, 3);
    const VectorXd u = model.basis.map() * VectorXd::Map(q.data(), 8);
    const std::span<const double> span(u.data(), mesh.vertices.size());
    const ReducedForces reduced = evaluate(model.energy, q);
    EXPECT_NEAR(reduced.energy, strain_energy(mesh, span), 1e-11 * reduced.energy);
    const auto force = internal_force(mesh, span);
    const VectorXd projected = model.basis.map().transpose() * VectorXd::Map(force.data(), std::ssize(force));
    EXPECT_LE((VectorXd::Map(reduced.force.data(), 8) - projected).norm(), 1e-11 * projected.norm());
  }
}

TEST(Tet10, ModelsGoThroughFiles) {
  const test::TemporaryFolder folder;
  const ProceduralMesh beam = make_box({.cells_x = 4, .cells_y = 1, .cells_z = 1, .type = ElementType::tet10});
  EXPECT_EQ(beam.fixed_vertices.size(), 9U);
  const ReducedModel model = reduce(beam.mesh, beam.fixed_vertices, {.modes = 2, .rank = 3});
  save_model(model, folder / "m.qrt");
  const ReducedModel loaded = load_model(folder / "m.qrt");
  ASSERT_EQ(loaded.mesh.blocks.size(), 1U);
  EXPECT_EQ(loaded.mesh.blocks[0].type, ElementType::tet10);
  EXPECT_EQ(loaded.mesh.blocks[0].vertices, model.mesh.blocks[0].vertices);
  EXPECT_THROW(write_veg(beam.mesh, folder / "m.veg"), InputError);
}

}  // namespace
}  // namespace quartic
