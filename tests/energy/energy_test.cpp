// The quartic energy against direct integration of the StVK energy over the mesh, with the test's own elements.
#include "quartic/energy.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <functional>

#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "support/dense.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// ---- meshes ------------------------------------------------------------------------------------------------

// A row of `cells` bricks from x = start on, vertices moved by up to `jitter`, each brick one hex8 or six tet4.
void append_bricks(VolumeMesh& mesh, ElementType type, int cells, double start, double jitter) {
  const auto first = static_cast<std::int32_t>(mesh.vertex_count());
  const auto noise = test::random_numbers(static_cast<std::size_t>(12 * (cells + 1)), 11);
  for (int i = 0; i <= cells; ++i)
    for (int corner = 0; corner < 4; ++corner) {
      const Vector3d x(start + 0.7 * i, corner % 2, 0.8 * (corner / 2));
      for (int c = 0; c < 3; ++c)
        mesh.vertices.push_back(x[c] + jitter * noise[static_cast<std::size_t>(12 * i + 3 * corner + c)]);
    }
  ElementBlock block{type, {}};
  for (int i = 0; i < cells; ++i) {
    const std::int32_t v = first + 4 * i;
    const std::int32_t hex[8] = {v, v + 4, v + 5, v + 1, v + 2, v + 6, v + 7, v + 3};
    if (type == ElementType::hex8) block.vertices.insert(block.vertices.end(), hex, hex + 8);
    // Six tetrahedra round the diagonal 0-6.
    const int ring[7] = {1, 2, 3, 7, 4, 5, 1};
    for (int k = 0; k < 6 && type == ElementType::tet4; ++k)
      for (const int corner : {0, ring[k], ring[k + 1], 6}) block.vertices.push_back(hex[corner]);
  }
  mesh.element_region.resize(mesh.element_region.size() + static_cast<std::size_t>(block.count()), 0);
  mesh.blocks.push_back(std::move(block));
}

VolumeMesh brick_mesh(ElementType type, double poissons_ratio = 0.3) {
  VolumeMesh mesh;
  append_bricks(mesh, type, 3, 0, 0.1);
  mesh.regions = {{"body", Material{1e3, poissons_ratio, 1000}}};
  return mesh;
}

// Tetrahedra and hexahedra side by side, every third element of another material.
VolumeMesh mixed_mesh() {
  VolumeMesh mesh;
  append_bricks(mesh, ElementType::tet4, 2, 0, 0.1);
  append_bricks(mesh, ElementType::hex8, 3, 5, 0.1);
  for (std::size_t e = 0; e < mesh.element_region.size(); ++e) mesh.element_region[e] = e % 3 == 0 ? 1 : 0;
  mesh.regions = {{"soft", Material{1e3, 0.45, 1000}}, {"hard", Material{2e4, -0.4, 500}}};
  return mesh;
}

// ---- direct integration ------------------------------------------------------------------------------------

struct PointData {
  std::vector<Matrix3d> gradients;  // of each basis field
  double weight = 0, lambda = 0, mu = 0;
};

// Shape function gradients by reference coordinates, row per vertex.
MatrixXd hexahedron_gradients(const Vector3d& xi) {
  const double corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                               {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  MatrixXd gradients(8, 3);
  for (int a = 0; a < 8; ++a)
    for (int d = 0; d < 3; ++d) {
      gradients(a, d) = corner[a][d] / 8;
      for (int other = 0; other < 3; ++other)
        if (other != d) gradients(a, d) *= 1 + corner[a][other] * xi[other];
    }
  return gradients;
}

MatrixXd tetrahedron_gradients() {
  MatrixXd gradients(4, 3);
  gradients << -1, -1, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1;
  return gradients;
}

// Calls `visit` for every quadrature point: the centroid of a tetrahedron, 3 x 3 x 3 Gauss points of a hexahedron.
void for_each_quadrature_point(const VolumeMesh& mesh, const MatrixXd& basis,
                               const std::function<void(const PointData&)>& visit) {
  std::size_t element = 0;
  for (const ElementBlock& block : mesh.blocks)
    for (std::int64_t e = 0; e < block.count(); ++e, ++element) {
      const auto vertices = block.element(e);
      const auto n = static_cast<Eigen::Index>(vertices.size());
      MatrixXd x(n, 3);
      for (Eigen::Index a = 0; a < n; ++a)
        for (int c = 0; c < 3; ++c)
          x(a, c) = mesh.vertices[static_cast<std::size_t>(3 * vertices[static_cast<std::size_t>(a)] + c)];
      const Material& material = *mesh.regions[static_cast<std::size_t>(mesh.element_region[element])].material;
      const auto visit_point = [&](const MatrixXd& reference, double weight) {
        const Matrix3d jacobian = x.transpose() * reference;
        const MatrixXd gradients = reference * jacobian.inverse();
        PointData point;
        point.weight = weight * jacobian.determinant();
        point.lambda = lame_lambda(material);
        point.mu = lame_mu(material);
        for (Eigen::Index i = 0; i < basis.cols(); ++i) {
          MatrixXd u(n, 3);
          for (Eigen::Index a = 0; a < n; ++a)
            u.row(a) = basis.col(i).segment<3>(3 * vertices[static_cast<std::size_t>(a)]).transpose();
          point.gradients.emplace_back(u.transpose() * gradients);
        }
        visit(point);
      };
      if (block.type == ElementType::tet4) {
        visit_point(tetrahedron_gradients(), 1.0 / 6);
        continue;
      }
      const double position[3] = {-std::sqrt(0.6), 0, std::sqrt(0.6)}, weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
      for (int i = 0; i < 27; ++i)
        visit_point(hexahedron_gradients({position[i % 3], position[i / 3 % 3], position[i / 9]}),
                    weight[i % 3] * weight[i / 3 % 3] * weight[i / 9]);
    }
}

// V = integral of lambda/2 tr(E)^2 + mu E:E, and its derivatives by q from the stress, at u = U q.
ReducedForces integrate(const VolumeMesh& mesh, const MatrixXd& basis, const VectorXd& q) {
  const Eigen::Index r = basis.cols();
  ReducedForces result;
  result.stiffness = Matrix(r, r);
  VectorXd force = VectorXd::Zero(r);
  for_each_quadrature_point(mesh, basis, [&](const PointData& point) {
    Matrix3d f = Matrix3d::Identity();
    for (Eigen::Index i = 0; i < r; ++i) f += q[i] * point.gradients[static_cast<std::size_t>(i)];
    const auto stress_of = [&](const Matrix3d& strain) -> Matrix3d {
      return point.lambda * strain.trace() * Matrix3d::Identity() + 2 * point.mu * strain;
    };
    const Matrix3d strain = 0.5 * (f.transpose() * f - Matrix3d::Identity());
    const Matrix3d stress = stress_of(strain);
    result.energy += point.weight * 0.5 * stress.cwiseProduct(strain).sum();
    for (Eigen::Index i = 0; i < r; ++i) {
      const Matrix3d& a = point.gradients[static_cast<std::size_t>(i)];
      force[i] += point.weight * (f * stress).cwiseProduct(a).sum();
      const Matrix3d strain_rate = 0.5 * (f.transpose() * a + a.transpose() * f);
      const Matrix3d force_rate = a * stress + f * stress_of(strain_rate);
      for (Eigen::Index j = 0; j < r; ++j)
        result.stiffness(i, j) +=
            point.weight * force_rate.cwiseProduct(point.gradients[static_cast<std::size_t>(j)]).sum();
    }
  });
  result.force.assign(force.data(), force.data() + r);
  return result;
}

// ---- comparison --------------------------------------------------------------------------------------------

MatrixXd random_basis(const VolumeMesh& mesh, Eigen::Index rank, unsigned seed = 5) {
  const auto rows = static_cast<Eigen::Index>(mesh.vertices.size());
  const auto numbers = test::random_numbers(static_cast<std::size_t>(rows * rank), seed);
  return Eigen::Map<const MatrixXd>(numbers.data(), rows, rank);
}

std::vector<double> random_q(std::size_t rank, unsigned seed, double scale = 2) {
  auto q = test::random_numbers(rank, seed);
  for (double& x : q) x *= scale;
  return q;
}

VectorXd vector(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), std::ssize(values));
}

double relative_error(const MatrixXd& value, const MatrixXd& reference) {
  return (value - reference).norm() / reference.norm();
}

// Both sides sum the same polynomial in another order; its terms exceed the sum by about ten here.
constexpr double tolerance = 1e-11;

void expect_equal(const ReducedForces& value, const ReducedForces& reference) {
  EXPECT_NEAR(value.energy, reference.energy, tolerance * std::abs(reference.energy));
  EXPECT_LT(relative_error(vector(value.force), vector(reference.force)), tolerance);
  EXPECT_LT(relative_error(value.stiffness.map(), reference.stiffness.map()), tolerance);
}

struct Case {
  const char* name;
  VolumeMesh mesh;
};

std::vector<Case> cases() {
  return {{"tet4", brick_mesh(ElementType::tet4)},
          {"distorted hex8", brick_mesh(ElementType::hex8)},
          {"mixed, two regions", mixed_mesh()},
          {"negative Poisson's ratio", brick_mesh(ElementType::hex8, -0.9)},
          {"nearly incompressible", brick_mesh(ElementType::tet4, 0.499)}};
}

TEST(Energy, EqualsDirectIntegrationAtLargeAmplitude) {
  for (const auto& [name, mesh] : cases())
    for (const int rank : {1, 2, 5, 13}) {
      SCOPED_TRACE(std::string(name) + ", rank " + std::to_string(rank));
      const MatrixXd basis = random_basis(mesh, rank);
      const QuarticEnergy energy = reduce_energy(mesh, basis);
      for (unsigned seed = 1; seed <= 3; ++seed) {
        const auto q = random_q(static_cast<std::size_t>(rank), seed);
        expect_equal(evaluate(energy, q), integrate(mesh, basis, vector(q)));
      }
    }
}

// U^T R(U q), U^T K(U q) U and V(U q) of the unreduced body.
TEST(Energy, EqualsTheProjectedUnreducedBody) {
  for (const auto& [name, mesh] : cases()) {
    SCOPED_TRACE(name);
    const MatrixXd basis = random_basis(mesh, 8);
    const auto q = random_q(8, 9);
    const VectorXd u = basis * vector(q);
    const std::span<const double> displacement(u.data(), static_cast<std::size_t>(u.size()));
    ReducedForces projected;
    projected.energy = strain_energy(mesh, displacement);
    const VectorXd force = basis.transpose() * vector(internal_force(mesh, displacement));
    projected.force.assign(force.data(), force.data() + force.size());
    projected.stiffness = to_matrix(basis.transpose() * (tangent_stiffness(mesh, displacement).map() * basis));
    expect_equal(evaluate(reduce_energy(mesh, basis), q), projected);
  }
}

// More points than one tile holds, and a last panel that isn't full.
TEST(Energy, EqualsDirectIntegrationOverManyTiles) {
  VolumeMesh mesh;
  append_bricks(mesh, ElementType::hex8, 101, 0, 0.1);  // 2727 points
  mesh.regions = {{"body", Material{1e3, 0.3, 1000}}};
  const MatrixXd basis = random_basis(mesh, 3);
  const auto q = random_q(3, 1);
  expect_equal(evaluate(reduce_energy(mesh, basis), q), integrate(mesh, basis, vector(q)));
}

// V is a quartic: along a line, the five-point formula gives the derivative without truncation error.
TEST(Energy, ForceAndStiffnessAreDerivatives) {
  const VolumeMesh mesh = mixed_mesh();
  const std::size_t rank = 6;
  const QuarticEnergy energy = reduce_energy(mesh, random_basis(mesh, 6));
  const auto q = random_q(rank, 4);
  const ReducedForces at = evaluate(energy, q);
  for (std::size_t i = 0; i < rank; ++i) {
    const double h = 0.5;
    const auto shifted = [&](double steps) {
      auto moved = q;
      moved[i] += steps * h;
      return evaluate(energy, moved);
    };
    const ReducedForces p1 = shifted(1), p2 = shifted(2), m1 = shifted(-1), m2 = shifted(-2);
    const double slope = (8 * (p1.energy - m1.energy) - (p2.energy - m2.energy)) / (12 * h);
    EXPECT_NEAR(at.force[i], slope, 1e-12 * (std::abs(p2.energy) + std::abs(m2.energy)));
    const VectorXd column =
        (8 * (vector(p1.force) - vector(m1.force)) - (vector(p2.force) - vector(m2.force))) / (12 * h);
    const auto index = static_cast<Eigen::Index>(i);
    EXPECT_LT((at.stiffness.map().col(index) - column).norm(),
              1e-12 * (vector(p2.force).norm() + vector(m2.force).norm()));
  }
  EXPECT_EQ(at.stiffness.map(), at.stiffness.map().transpose());
}

TEST(Energy, DoesNotSeeRigidMotion) {
  for (const auto& [name, mesh] : cases()) {
    SCOPED_TRACE(name);
    const Matrix3d rotation = (Eigen::AngleAxisd(2.1, Vector3d(1, -2, 0.5).normalized())).toRotationMatrix();
    // Fields: translation, u = (R - I) X, and two random ones.
    MatrixXd basis = random_basis(mesh, 4);
    for (std::int64_t v = 0; v < mesh.vertex_count(); ++v) {
      const Eigen::Map<const Vector3d> x(mesh.vertices.data() + 3 * v);
      basis.block<3, 1>(3 * v, 0) = Vector3d(1, 2, 3);
      basis.block<3, 1>(3 * v, 1) = rotation * x - x;
    }
    const QuarticEnergy energy = reduce_energy(mesh, basis);
    const auto energy_at = [&](double a, double b, double c) { return evaluate(energy, std::vector{a, b, c, 0.0}); };
    // Half of the way the body is squeezed: the scale that round-off is to be seen against.
    const ReducedForces squeezed = energy_at(0, 0.5, 0);
    ASSERT_GT(squeezed.energy, 0);
    const ReducedForces rotated = energy_at(7, 1, 0), moved = energy_at(7, 0, 0);
    EXPECT_NEAR(rotated.energy, 0, 1e-13 * squeezed.energy);
    EXPECT_LT(vector(rotated.force).norm(), 1e-12 * vector(squeezed.force).norm());
    EXPECT_NEAR(moved.energy, 0, 1e-13 * squeezed.energy);
    EXPECT_NEAR(energy_at(7, 0.3, 0.2).energy, energy_at(0, 0.3, 0.2).energy, 1e-12 * squeezed.energy);
  }
}

TEST(Energy, StateAtRestIsForceFreeAndStable) {
  const VolumeMesh mesh = mixed_mesh();
  const QuarticEnergy energy = reduce_energy(mesh, random_basis(mesh, 5));
  const ReducedForces rest = evaluate(energy, std::vector<double>(5, 0.0));
  EXPECT_EQ(rest.energy, 0);
  EXPECT_EQ(vector(rest.force).norm(), 0);
  EXPECT_GT(test::eigenvalues(rest.stiffness.map())[0], 0);
}

TEST(Energy, RegionPartsMakeTheEnergyOfAnyMaterials) {
  VolumeMesh mesh = mixed_mesh();
  const MatrixXd basis = random_basis(mesh, 5);
  const auto parts = reduce_region_energy(mesh, basis);
  ASSERT_EQ(parts.size(), 2U);
  for (const auto& [first, second] : {std::pair{0.45, -0.4}, std::pair{-0.8, 0.1}}) {
    mesh.regions[0].material = Material{3e3, first, 1};
    mesh.regions[1].material = Material{5e2, second, 1};
    const std::vector materials = {*mesh.regions[0].material, *mesh.regions[1].material};
    const QuarticEnergy combined = combine_region_energy(parts, materials), direct = reduce_energy(mesh, basis);
    EXPECT_LT(relative_error(vector(combined.coefficients), vector(direct.coefficients)), 1e-14);
  }
}

TEST(Energy, IsTheSameInEveryRunAndForEveryWorkspace) {
  const VolumeMesh mesh = mixed_mesh();
  const MatrixXd basis = random_basis(mesh, 7);
  const QuarticEnergy once = reduce_energy(mesh, basis), again = reduce_energy(mesh, basis);
  EXPECT_EQ(once.coefficients, again.coefficients);
  const std::int64_t point_bytes = 35 * 6 * 8;  // 35 pairs, 6 strains
  for (const std::int64_t points : {1, 10, 64, 67}) {
    const QuarticEnergy small = reduce_energy(mesh, basis, {.workspace_bytes = points * point_bytes, .progress = {}});
    EXPECT_LT(relative_error(vector(small.coefficients), vector(once.coefficients)), 1e-14);
  }
  EXPECT_THROW((void)reduce_energy(mesh, basis, {.workspace_bytes = point_bytes - 1, .progress = {}}), InputError);
}

TEST(Energy, ReportsProgressFromZeroToOne) {
  const VolumeMesh mesh = mixed_mesh();
  std::vector<double> fractions;
  const Progress progress = [&](std::string_view, double fraction) { fractions.push_back(fraction); };
  (void)reduce_region_energy(mesh, random_basis(mesh, 2), {.progress = progress});
  ASSERT_GE(fractions.size(), 2U);
  EXPECT_EQ(fractions.front(), 0);
  EXPECT_EQ(fractions.back(), 1);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
}

TEST(Energy, RefusesWrongInput) {
  VolumeMesh mesh = brick_mesh(ElementType::tet4);
  const MatrixXd basis = random_basis(mesh, 2);
  EXPECT_THROW((void)reduce_energy(mesh, basis.topRows(basis.rows() - 3)), InputError);
  EXPECT_THROW((void)reduce_energy(mesh, MatrixXd(basis.rows(), 0)), InputError);
  EXPECT_THROW((void)reduce_energy(mesh, MatrixXd::Zero(basis.rows(), 256)), InputError);
  MatrixXd damaged = basis;
  damaged(3, 1) = std::nan("");
  EXPECT_THROW((void)reduce_energy(mesh, damaged), InputError);
  const auto parts = reduce_region_energy(mesh, basis);
  EXPECT_THROW((void)combine_region_energy(parts, {}), InputError);
  EXPECT_THROW((void)combine_region_energy({}, {}), InputError);
  mesh.regions[0].material.reset();
  EXPECT_THROW((void)reduce_energy(mesh, basis), InputError);
}

}  // namespace
}  // namespace quartic
