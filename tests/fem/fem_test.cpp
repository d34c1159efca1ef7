// The finite elements against their own structure: derivatives, patch tests, invariances, sums over elements.
#include "quartic/fem.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <limits>

#include "quartic/error.hpp"
#include "support/boxes.hpp"
#include "support/dense.hpp"

namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using namespace quartic;
using test::BoxCells;

std::span<const double> span_of(const VectorXd& u) {
  return {u.data(), static_cast<std::size_t>(u.size())};
}

VectorXd force(const VolumeMesh& mesh, const VectorXd& u) {
  const auto r = internal_force(mesh, span_of(u));
  return VectorXd::Map(r.data(), std::ssize(r));
}

VectorXd random_field(const VolumeMesh& mesh, unsigned seed, double scale) {
  const auto numbers = test::random_numbers(mesh.vertices.size(), seed);
  return scale * VectorXd::Map(numbers.data(), std::ssize(numbers));
}

VectorXd rest_positions(const VolumeMesh& mesh) {
  return VectorXd::Map(mesh.vertices.data(), std::ssize(mesh.vertices));
}

// Applies a matrix to each vertex's vector.
VectorXd per_vertex(const Matrix3d& a, const VectorXd& u) {
  return (a * Eigen::Map<const Eigen::Matrix3Xd>(u.data(), 3, u.size() / 3)).reshaped();
}

double error_of(const VectorXd& ours, const VectorXd& exact) {
  return (ours - exact).lpNorm<Eigen::Infinity>() / exact.lpNorm<Eigen::Infinity>();
}

// f'(0) of a polynomial of degree 4 at most: the five-point formula has no truncation error, so h can be large.
template <class Function>
auto derivative(const Function& f, double h) {
  using Value = decltype(f(h));
  return Value((f(-2 * h) - f(2 * h) + 8 * (f(h) - f(-h))) / (12 * h));
}

class Fem : public testing::TestWithParam<BoxCells> {
 protected:
  VolumeMesh mesh = test::make_box(GetParam(), {3, 2, 2});
};

// Displacements here are a tenth of a cell and more: far beyond small strain.

TEST_P(Fem, ForceIsTheEnergysGradient) {
  const VectorXd u = random_field(mesh, 1, 0.1), r = force(mesh, u);
  for (unsigned seed = 2; seed < 6; ++seed) {
    const VectorXd d = random_field(mesh, seed, 0.1);
    const double slope = derivative([&](double t) { return strain_energy(mesh, span_of(u + t * d)); }, 0.5);
    // Rounding only: energies of the order of |R||d|, a few hundred terms each.
    EXPECT_NEAR(slope, r.dot(d), 1e-12 * r.norm() * d.norm());
  }
}

TEST_P(Fem, StiffnessIsTheForcesDerivative) {
  const VectorXd u = random_field(mesh, 1, 0.1);
  const SparseMatrix k = tangent_stiffness(mesh, span_of(u));
  for (unsigned seed = 2; seed < 6; ++seed) {
    const VectorXd d = random_field(mesh, seed, 0.1);
    const VectorXd slope = derivative([&](double t) { return force(mesh, u + t * d); }, 0.5);
    EXPECT_LE(error_of(slope, k.map() * d), 1e-12);
  }
}

// R is cubic and without constant term, so this mixed second difference at rest is exact at any amplitude.
TEST_P(Fem, HessianIsTheForcesSecondDerivativeAtRest) {
  MatrixXd fields(mesh.vertices.size(), 7);
  for (int i = 0; i < fields.cols(); ++i) fields.col(i) = random_field(mesh, static_cast<unsigned>(20 + i), 0.2);
  std::vector<std::array<int, 2>> pairs;
  for (int i = 0; i < 7; ++i)
    for (int j = i; j < 7; ++j) pairs.push_back({i, j});
  pairs.push_back({6, 0});  // symmetric: the pair's order doesn't matter
  const Matrix h = force_hessian(mesh, fields, pairs);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const VectorXd x = fields.col(pairs[p][0]), y = fields.col(pairs[p][1]);
    const VectorXd exact = (force(mesh, x + y) - force(mesh, x - y) - force(mesh, y - x) + force(mesh, -x - y)) / 4;
    EXPECT_LE(error_of(h.map().col(static_cast<Eigen::Index>(p)), exact), 1e-12);
  }
  EXPECT_EQ(h.map().col(6), h.map().col(std::ssize(pairs) - 1));
}

TEST_P(Fem, HessianOfNoPairsIsEmpty) {
  const Matrix h = force_hessian(mesh, MatrixXd::Zero(std::ssize(mesh.vertices), 1), {});
  EXPECT_EQ(h.rows, std::ssize(mesh.vertices));
  EXPECT_EQ(h.cols, 0);
}

TEST_P(Fem, MatricesAreSymmetricWithAscendingColumnsAndWholeBlocks) {
  const VectorXd u = random_field(mesh, 1, 0.1);
  for (const SparseMatrix& matrix : {tangent_stiffness(mesh, span_of(u)), mass_matrix(mesh)}) {
    const MatrixXd dense = matrix.map();
    EXPECT_EQ(dense, dense.transpose());
    for (std::size_t i = 0; i < static_cast<std::size_t>(matrix.rows); ++i)
      for (auto k = static_cast<std::size_t>(matrix.row_offsets[i]) + 1;
           k < static_cast<std::size_t>(matrix.row_offsets[i + 1]); ++k)
        ASSERT_LT(matrix.columns[k - 1], matrix.columns[k]);
  }
  EXPECT_EQ(tangent_stiffness(mesh, span_of(u)).nonzeros(), 3 * mass_matrix(mesh).nonzeros());
  EXPECT_EQ(stiffness_matrix(mesh).values, tangent_stiffness(mesh, std::vector<double>(mesh.vertices.size())).values);
}

TEST_P(Fem, StiffnessVanishesOnRigidMotionsAlone) {
  const MatrixXd k = stiffness_matrix(mesh).map();
  const VectorXd values = test::eigenvalues(k);
  EXPECT_LE(values.head(6).cwiseAbs().maxCoeff(), 1e-13 * values.tail(1)[0]);
  EXPECT_GE(values[6], 1e-5 * values.tail(1)[0]);
}

TEST_P(Fem, RotationsAndTranslationsCostNothing) {
  const Matrix3d q = Eigen::AngleAxisd(2.1, Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();
  const VectorXd x = rest_positions(mesh);
  const VectorXd shift = Vector3d(3, -1, 2).replicate(x.size() / 3, 1);
  const VectorXd rigid = per_vertex(q, x) - x + shift;
  // Against the energy and force of a deformation of the same size.
  const VectorXd strained = 0.5 * x;
  EXPECT_LE(std::abs(strain_energy(mesh, span_of(rigid))), 1e-26 * strain_energy(mesh, span_of(strained)) + 1e-20);
  EXPECT_LE(force(mesh, rigid).norm(), 1e-13 * force(mesh, strained).norm());
  // A deformed body turned as a whole keeps its energy; its force turns with it.
  const VectorXd u = random_field(mesh, 1, 0.1);
  const VectorXd turned = per_vertex(q, x + u) - x + shift;
  const double energy = strain_energy(mesh, span_of(u));
  EXPECT_NEAR(strain_energy(mesh, span_of(turned)), energy, 1e-13 * energy);
  EXPECT_LE(error_of(force(mesh, turned), per_vertex(q, force(mesh, u))), 1e-12);
}

TEST_P(Fem, MassMatrixHoldsTheBodysMass) {
  const double cells = 3 * 2 * 2;
  const double volume = cells * 0.5 * 0.3 * 0.4;
  for (Region& region : mesh.regions) region.material->density = 1200;
  const VectorXd ones = VectorXd::Ones(std::ssize(mesh.vertices));
  // Three directions. Where hexahedra and tetrahedra meet in moved faces, volumes overlap by design.
  const VectorXd sums = mass_matrix(mesh).map() * ones;
  if (GetParam() != BoxCells::alternating) {
    EXPECT_NEAR(sums.sum() / 3, 1200 * volume, 1e-13 * 1200 * volume);
  }
  const SparseMatrix lumped = mass_matrix(mesh, MassMatrix::lumped);
  EXPECT_EQ(lumped.nonzeros(), lumped.rows);
  if (!test::is_quadratic(GetParam())) {
    EXPECT_LE(error_of(lumped.map() * ones, sums), 1e-14);
  }
  EXPECT_NEAR((lumped.map() * ones).sum(), sums.sum(), 1e-13 * sums.sum());
  EXPECT_GT(*std::min_element(lumped.values.begin(), lumped.values.end()), 0);
  EXPECT_TRUE(test::is_positive_definite(mass_matrix(mesh).map()));
}

INSTANTIATE_TEST_SUITE_P(Cells, Fem,
                         testing::Values(BoxCells::tets, BoxCells::hexes, BoxCells::wedges, BoxCells::alternating,
                                         BoxCells::hexes_and_wedges, BoxCells::straight_tet10, BoxCells::straight_hex20,
                                         BoxCells::straight_wedge15, BoxCells::curved_tet10, BoxCells::curved_hex20,
                                         BoxCells::curved_wedge15, BoxCells::curved_hexes_and_wedges),
                         [](const auto& param) { return test::name_of(param.param); });

// Any linear field strains a homogeneous body evenly: no force inside, and energy = density times volume. Holds on
// irregular elements, if their faces match.
class Patch : public testing::TestWithParam<BoxCells> {
 protected:
  // Of a box of 3 x 3 x 3 cells: 2 x 2 x 2 lattice points; of quadratic elements also edges along the axes, 3 x 2 x 2
  // in each direction, those across faces, 2 x 3 x 3 per direction of the normal or for wedges of z alone, and 3 x 3 x
  // 3 across cells.
  static int inner_vertices() {
    switch (GetParam()) {
      case BoxCells::straight_tet10:
      case BoxCells::curved_tet10:
        return 8 + 36 + 54 + 27;
      case BoxCells::straight_hex20:
      case BoxCells::curved_hex20:
        return 8 + 36;
      case BoxCells::straight_wedge15:
      case BoxCells::curved_wedge15:
        return 8 + 36 + 18;
      case BoxCells::curved_hexes_and_wedges:
        return 8 + 36 + 2 * 4;  // four of nine columns are of wedges
      default:
        return 8;
    }
  }
};

TEST_P(Patch, LinearFieldIsReproduced) {
  VolumeMesh mesh = test::make_box(GetParam(), {3, 3, 3});
  mesh.regions = {{"all", test::stiff}};
  mesh.element_region.assign(mesh.element_region.size(), 0);
  Matrix3d gradient;
  gradient << 0.2, -0.3, 0.1, 0.4, -0.1, 0.2, 0.05, 0.3, 0.15;
  const VectorXd u = per_vertex(gradient, rest_positions(mesh));
  const VectorXd r = force(mesh, u);
  const double scale = r.lpNorm<Eigen::Infinity>();
  int inner = 0;
  for (Eigen::Index v = 0; v < r.size() / 3; ++v) {
    const Vector3d x = Vector3d::Map(&mesh.vertices[static_cast<std::size_t>(3 * v)]);
    const bool inside = (x.array() > 1e-3).all() && x[0] < 1.499 && x[1] < 0.899 && x[2] < 1.199;
    inner += inside;
    if (inside) {
      EXPECT_LE(r.segment<3>(3 * v).lpNorm<Eigen::Infinity>(), 1e-13 * scale);
    }
  }
  EXPECT_EQ(inner, inner_vertices());
  const Matrix3d e = 0.5 * (gradient + gradient.transpose() + gradient.transpose() * gradient);
  const double density =
      0.5 * lame_lambda(test::stiff) * e.trace() * e.trace() + lame_mu(test::stiff) * e.squaredNorm();
  const double energy = density * 1.5 * 0.9 * 1.2;
  EXPECT_NEAR(strain_energy(mesh, span_of(u)), energy, 1e-13 * energy);
}

INSTANTIATE_TEST_SUITE_P(Cells, Patch,
                         testing::Values(BoxCells::tets, BoxCells::hexes, BoxCells::wedges, BoxCells::hexes_and_wedges,
                                         BoxCells::straight_tet10, BoxCells::straight_hex20, BoxCells::straight_wedge15,
                                         BoxCells::curved_tet10, BoxCells::curved_hex20, BoxCells::curved_wedge15,
                                         BoxCells::curved_hexes_and_wedges),
                         [](const auto& param) { return test::name_of(param.param); });

// The promise that threads don't change a bit: whatever the tasks and batches, sums run over the elements in their
// order, as here, one element after the other.
class FemSums : public testing::TestWithParam<VolumeMesh> {};

TEST_P(FemSums, RunOverElementsInOrder) {
  const VolumeMesh& mesh = GetParam();
  const VectorXd u = random_field(mesh, 1, 0.1);
  MatrixXd fields(u.size(), 2);
  fields << u, random_field(mesh, 2, 0.1);
  const std::vector<std::array<int, 2>> pair = {{0, 1}};
  SparseMatrix k = tangent_stiffness(mesh, span_of(u)), m = mass_matrix(mesh);
  VectorXd r = force(mesh, u);
  Matrix h = force_hessian(mesh, fields, pair);
  SparseMatrix k_sum = k, m_sum = m;
  std::fill(k_sum.values.begin(), k_sum.values.end(), 0.0);
  std::fill(m_sum.values.begin(), m_sum.values.end(), 0.0);
  VectorXd r_sum = VectorXd::Zero(u.size()), h_sum = r_sum;
  const auto add = [](SparseMatrix& sum, const SparseMatrix& part, const std::vector<std::int32_t>& global) {
    for (std::int32_t i = 0; i < part.rows; ++i)
      for (auto p = part.row_offsets[static_cast<std::size_t>(i)];
           p < part.row_offsets[static_cast<std::size_t>(i) + 1]; ++p) {
        const auto j = part.columns[static_cast<std::size_t>(p)];
        const auto row = static_cast<std::size_t>(3 * global[static_cast<std::size_t>(i / 3)] + i % 3);
        const auto column = 3 * global[static_cast<std::size_t>(j / 3)] + j % 3;
        const auto begin = sum.columns.begin() + sum.row_offsets[row],
                   end = sum.columns.begin() + sum.row_offsets[row + 1];
        const auto at = std::lower_bound(begin, end, column) - sum.columns.begin();
        sum.values[static_cast<std::size_t>(at)] += part.values[static_cast<std::size_t>(p)];
      }
  };
  std::int64_t number = 0;
  std::vector<std::int32_t> global;
  for (const ElementBlock& block : mesh.blocks)
    for (std::int64_t e = 0; e < block.count(); ++e, ++number) {
      const VolumeMesh one = test::single_element(mesh, block, e, number, global);
      MatrixXd local(std::ssize(one.vertices), 2);
      for (std::size_t a = 0; a < global.size(); ++a)
        local.middleRows<3>(3 * static_cast<Eigen::Index>(a)) = fields.middleRows<3>(3 * global[a]);
      const VectorXd u_local = local.col(0);
      add(k_sum, tangent_stiffness(one, span_of(u_local)), global);
      add(m_sum, mass_matrix(one), global);
      const VectorXd r_local = force(one, u_local);
      const Matrix h_local = force_hessian(one, local, pair);
      for (std::size_t a = 0; a < global.size(); ++a) {
        const auto from = 3 * static_cast<Eigen::Index>(a);
        r_sum.segment<3>(3 * global[a]) += r_local.segment<3>(from);
        h_sum.segment<3>(3 * global[a]) += h_local.map().col(0).segment<3>(from);
      }
    }
  EXPECT_EQ(k.values, k_sum.values);
  EXPECT_EQ(m.values, m_sum.values);
  EXPECT_EQ(r, r_sum);
  EXPECT_EQ(h.map().col(0), h_sum);
}

// Elements of both types for several tasks, and more hexahedra than one batch of K takes (8 MB of 24 x 24 matrices).
std::string name_of_mesh(const testing::TestParamInfo<VolumeMesh>& mesh) {
  constexpr const char* names[] = {"tasks", "batches", "curved", "curved_hexes_and_wedges"};
  return names[mesh.index];
}
INSTANTIATE_TEST_SUITE_P(Meshes, FemSums,
                         testing::Values(test::make_box(BoxCells::alternating, {7, 6, 5}),
                                         test::make_box(BoxCells::hexes, {13, 12, 12}),
                                         test::make_box(BoxCells::curved_tet10, {4, 3, 3}),
                                         test::make_box(BoxCells::curved_hexes_and_wedges, {7, 7, 6})),
                         name_of_mesh);

TEST(FemVertices, VertexWithoutElementsHasNoMassAndNoStiffness) {
  VolumeMesh mesh = test::make_box(BoxCells::tets, {1, 1, 1});
  mesh.vertices.insert(mesh.vertices.end(), {9, 9, 9});
  const SparseMatrix k = stiffness_matrix(mesh);
  EXPECT_EQ(k.rows, 27);
  EXPECT_EQ(MatrixXd(k.map()).bottomRows<3>().norm(), 0);
  EXPECT_EQ(MatrixXd(mass_matrix(mesh).map()).bottomRows<3>().norm(), 0);
}

// ---- what can't be used ---------------------------------------------------------------------------------------

// Every function refuses the mesh with a message that has `text` in it.
void expect_refused(const VolumeMesh& mesh, const std::string& text) {
  const std::vector<double> u(mesh.vertices.size());
  const MatrixXd fields = MatrixXd::Zero(std::ssize(u), 1);
  const std::vector<std::array<int, 2>> pair = {{0, 0}};
  const auto refused = [&](const auto& call) {
    try {
      call();
      ADD_FAILURE() << "not refused: " << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  refused([&] { (void)mass_matrix(mesh); });
  refused([&] { (void)stiffness_matrix(mesh); });
  refused([&] { (void)tangent_stiffness(mesh, u); });
  refused([&] { (void)internal_force(mesh, u); });
  refused([&] { (void)strain_energy(mesh, u); });
  refused([&] { (void)force_hessian(mesh, fields, pair); });
}

TEST(FemErrors, NameTheOffender) {
  const VolumeMesh good = test::make_box(BoxCells::alternating, {2, 2, 2});
  expect_refused({}, "no volume elements");
  VolumeMesh mesh = good;
  mesh.element_region[5] = -1;
  expect_refused(mesh, "element 5 belongs to no region");
  mesh = good;
  mesh.element_region.pop_back();
  expect_refused(mesh, "element_region");
  mesh = good;
  mesh.regions[1].material.reset();
  expect_refused(mesh, "region 'stiff' has no material");
  mesh = good;
  mesh.regions[0].material->poissons_ratio = 0.5;
  expect_refused(mesh, "Poisson's ratio is 0.5");
  mesh = good;
  mesh.regions[0].material->density = -1;
  expect_refused(mesh, "density");
  mesh = good;
  mesh.blocks[0].vertices[9] = 27;
  expect_refused(mesh, "element 2 has vertex 27");
  mesh = good;
  mesh.vertices[4] = std::numeric_limits<double>::quiet_NaN();
  expect_refused(mesh, "isn't a finite number");
  mesh = good;
  std::swap(mesh.blocks[0].vertices[12], mesh.blocks[0].vertices[13]);
  expect_refused(mesh, "element 3 (tet4) is inverted");
  mesh = good;
  std::swap(mesh.blocks[1].vertices[8], mesh.blocks[1].vertices[12]);
  expect_refused(mesh, "element 25 (hex8) is inverted");
}

// Four points in a plane, turned: rounding leaves a volume of either sign, about 1e-17.
TEST(FemErrors, FlatElementIsRefusedWhateverItsRounding) {
  for (int turn = 0; turn < 20; ++turn) {
    VolumeMesh mesh = test::make_box(BoxCells::tets, {1, 1, 1});
    const Matrix3d q = Eigen::AngleAxisd(0.3 + turn, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
    const Eigen::Matrix<double, 3, 4> flat{{0, 1, 0, 0.3}, {0, 0, 1, 0.6}, {0, 0, 0, 0}};
    const Eigen::Matrix<double, 3, 4> turned = q * flat;
    mesh.vertices.assign(turned.data(), turned.data() + turned.size());
    mesh.blocks = {{ElementType::tet4, {0, 1, 2, 3}}};
    mesh.element_region = {0};
    expect_refused(mesh, "has no volume");
  }
}

TEST(FemErrors, WrongSizesAndPairs) {
  const VolumeMesh mesh = test::make_box(BoxCells::tets, {1, 1, 1});
  const std::vector<double> u(7);
  EXPECT_THROW((void)tangent_stiffness(mesh, u), InputError);
  EXPECT_THROW((void)internal_force(mesh, u), InputError);
  EXPECT_THROW((void)strain_energy(mesh, u), InputError);
  const std::vector<std::array<int, 2>> bad = {{0, 2}}, negative = {{-1, 0}}, good = {{0, 1}};
  EXPECT_THROW((void)force_hessian(mesh, MatrixXd::Zero(24, 2), bad), InputError);
  EXPECT_THROW((void)force_hessian(mesh, MatrixXd::Zero(24, 2), negative), InputError);
  EXPECT_THROW((void)force_hessian(mesh, MatrixXd::Zero(23, 2), good), InputError);
}

}  // namespace
