// Linear modes against closed forms, a dense solver, and each other.
#include "quartic/modes.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>

#include "quartic/error.hpp"
#include "quartic/procedural.hpp"
#include "support/dense.hpp"
#include "support/golden.hpp"
#include "support/meshes.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using std::numbers::pi;

const char* method_name(ModesMethod method) {
  return method == ModesMethod::lobpcg ? "lobpcg" : "lanczos";
}

// Sine of the largest principal angle between the spans of two M-orthonormal bases.
double subspace_distance(const Matrix& a, const Matrix& b, const SparseMatrix& mass) {
  const MatrixXd product = mass.map() * b.map();
  const MatrixXd cosines = a.map().transpose() * product;
  const MatrixXd difference = b.map() - a.map() * cosines;
  const MatrixXd gram = difference.transpose() * (mass.map() * difference);
  return std::sqrt(std::max(0.0, test::eigenvalues(gram).maxCoeff()));
}

VectorXd dense_eigenvalues(const ProceduralMesh& body) {
  const MatrixXd stiffness = MatrixXd(stiffness_matrix(body.mesh).map());
  const MatrixXd mass = MatrixXd(mass_matrix(body.mesh).map());
  std::vector<Eigen::Index> free;
  for (Eigen::Index dof = 0; dof < stiffness.rows(); ++dof)
    if (!std::binary_search(body.fixed_vertices.begin(), body.fixed_vertices.end(), dof / 3)) free.push_back(dof);
  return test::eigenvalues(stiffness(free, free), mass(free, free));
}

class Modes : public testing::TestWithParam<ModesMethod> {
 protected:
  LinearModes solve(const ElasticSystem& system, int count, std::uint64_t seed = 1) const {
    return linear_modes(system, {.count = count, .method = GetParam(), .seed = seed});
  }
  LinearModes solve(const ProceduralMesh& body, int count) const {
    return solve(ElasticSystem(body.mesh, body.fixed_vertices), count);
  }
};

INSTANTIATE_TEST_SUITE_P(, Modes, testing::Values(ModesMethod::lobpcg, ModesMethod::lanczos),
                         [](const auto& test) { return method_name(test.param); });

TEST_P(Modes, EqualADenseSolver) {
  const ProceduralMesh body = make_box(
      {.length = 1, .width = 0.3, .height = 0.2, .cells_x = 16, .cells_y = 3, .cells_z = 2, .type = ElementType::tet4});
  const VectorXd expected = dense_eigenvalues(body);
  const LinearModes modes = solve(body, 24);
  ASSERT_EQ(modes.eigenvalues.size(), 24U);
  for (int j = 0; j < 24; ++j) {
    // The dense solver's own error: eps |K| of the largest eigenvalue.
    const double tolerance = 1e-11 * expected[j] + 1e-15 * expected[expected.size() - 1];
    EXPECT_NEAR(modes.eigenvalues[static_cast<std::size_t>(j)], expected[j], tolerance) << j;
  }
}

// With nu = 0 a bar stretches without bending, and the trilinear brick is the linear bar element: the discrete
// frequencies are known in closed form, (6 E / rho h^2) (1 - cos kh) / (2 + cos kh) with kh = (2n-1) pi / 2N.
TEST_P(Modes, ContainTheDiscreteLongitudinalModesOfABar) {
  const int cells = 40;
  const Material material{.youngs_modulus = 1e7, .poissons_ratio = 0, .density = 1000};
  const ProceduralMesh body = make_box(
      {.length = 1, .width = 0.5, .height = 0.4, .cells_x = cells, .cells_y = 1, .cells_z = 1, .material = material});
  const LinearModes modes = solve(body, 20);
  const double h = 1.0 / cells;
  for (const int n : {1, 2}) {
    const double c = std::cos((2 * n - 1) * pi / (2 * cells));
    const double expected = 6 * material.youngs_modulus / (material.density * h * h) * (1 - c) / (2 + c);
    double nearest = 1;
    for (const double value : modes.eigenvalues) nearest = std::min(nearest, std::abs(value / expected - 1));
    EXPECT_LT(nearest, 1e-11) << "longitudinal mode " << n;
  }
}

TEST_P(Modes, ApproachTheEulerBernoulliCantilever) {
  const Material material{.youngs_modulus = 2e9, .poissons_ratio = 0, .density = 1000};
  const double height = 0.04;
  const double beta[] = {1.87510406871196, 4.69409113297418};  // cos(b) cosh(b) = -1
  double coarse[2] = {}, extrapolated[2] = {};
  for (const int cells : {80, 160}) {
    const LinearModes modes = solve(test::square_beam(height, cells, material), 4);
    for (int pair = 0; pair < 2; ++pair) {
      // A square section bends equally both ways: double eigenvalues, to round-off.
      const double first = modes.eigenvalues[static_cast<std::size_t>(2 * pair)];
      const double second = modes.eigenvalues[static_cast<std::size_t>(2 * pair + 1)];
      EXPECT_NEAR(second / first, 1, 1e-9);
      extrapolated[pair] = (4 * first - coarse[pair]) / 3;  // error O(cell^2)
      coarse[pair] = first;
    }
  }
  for (int pair = 0; pair < 2; ++pair) {
    const double expected =
        std::pow(beta[pair], 4) * material.youngs_modulus * height * height / (12 * material.density);
    // What remains is the shear and rotary inertia that the theory of slender beams leaves out: O((beta height)^2).
    EXPECT_NEAR(extrapolated[pair] / expected, 1, std::pow(beta[pair] * height, 2));
    EXPECT_LT(extrapolated[pair], expected);
  }
}

TEST_P(Modes, FindEveryCopyOfAMultipleEigenvalue) {
  const ProceduralMesh beam =
      make_box({.length = 1, .width = 0.1, .height = 0.1, .cells_x = 10, .cells_y = 2, .cells_z = 2});
  ProceduralMesh three = beam;  // the same beam three times, apart: every eigenvalue six-fold or three-fold
  for (int copy = 1; copy < 3; ++copy) test::append_copy(three, beam, {0, copy * 1.0, 0});
  const LinearModes one = solve(beam, 8);
  const LinearModes all = solve(three, 24);
  for (std::size_t j = 0; j < 24; ++j) EXPECT_NEAR(all.eigenvalues[j] / one.eigenvalues[j / 3], 1, 1e-9) << j;
}

TEST_P(Modes, AreMassOrthonormalWithTheirResidualsAndSigns) {
  const ProceduralMesh body = test::square_beam(0.1, 20, {1e7, 0.3, 1000});
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  const LinearModes modes = solve(system, 12);
  const MatrixXd x = modes.vectors.map();
  const SparseMatrix mass_stored = mass_matrix(body.mesh), stiffness_stored = stiffness_matrix(body.mesh);
  const MatrixXd mass_x = mass_stored.map() * x;
  EXPECT_LT((x.transpose() * mass_x - MatrixXd::Identity(12, 12)).cwiseAbs().maxCoeff(), 1e-12);
  MatrixXd residual =
      stiffness_stored.map() * x - mass_x * Eigen::Map<const VectorXd>(modes.eigenvalues.data(), 12).asDiagonal();
  for (const auto v : body.fixed_vertices) {
    EXPECT_EQ(x.middleRows(3 * v, 3).cwiseAbs().maxCoeff(), 0);
    residual.middleRows(3 * v, 3).setZero();  // the reaction of the support
  }
  const double norm = (MatrixXd(stiffness_stored.map()).cwiseAbs().rowwise().sum()).maxCoeff();
  for (int j = 0; j < 12; ++j) {
    EXPECT_LT(residual.col(j).norm(), 1e-12 * norm * x.col(j).norm());
    EXPECT_LE(modes.residuals[static_cast<std::size_t>(j)], 1e-12);
    const double largest = x.col(j).cwiseAbs().maxCoeff();
    Eigen::Index first = 0;  // of those as large as the largest, up to ties
    while (std::abs(x(first, j)) < (1 - 1e-8) * largest) ++first;
    EXPECT_GT(x(first, j), 0);
  }
}

TEST_P(Modes, DoNotDependOnTheStart) {
  const ProceduralMesh body =
      make_box({.length = 1, .width = 0.3, .height = 0.2, .cells_x = 20, .cells_y = 4, .cells_z = 3});
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  const LinearModes a = solve(system, 10, 1), b = solve(system, 10, 99);
  for (std::size_t j = 0; j < 10; ++j) EXPECT_NEAR(a.eigenvalues[j] / b.eigenvalues[j], 1, 1e-11);
  EXPECT_LT(subspace_distance(a.vectors, b.vectors, system.mass()), 1e-8);
}

TEST_P(Modes, OfAFreeBeamCountSixRigidMotionsAndApproachTheClosedForm) {
  const Material material{.youngs_modulus = 2e9, .poissons_ratio = 0, .density = 1000};
  const double height = 0.04;
  double coarse = 0, extrapolated = 0;
  for (const int cells : {60, 120}) {
    ProceduralMesh body = test::square_beam(height, cells, material);
    body.fixed_vertices.clear();
    const LinearModes modes = solve(body, 6);
    EXPECT_EQ(modes.rigid_modes, 6);
    EXPECT_NEAR(modes.eigenvalues[1] / modes.eigenvalues[0], 1, 1e-9);
    extrapolated = (4 * modes.eigenvalues[0] - coarse) / 3;  // error O(cell^2)
    coarse = modes.eigenvalues[0];
  }
  const double beta = 4.73004074486270;  // cos(b) cosh(b) = 1
  const double expected = std::pow(beta, 4) * material.youngs_modulus * height * height / (12 * material.density);
  EXPECT_NEAR(extrapolated / expected, 1, std::pow(beta * height, 2));  // shear and rotary inertia
}

TEST_P(Modes, ReportProgressAndStopOnAnException) {
  const ProceduralMesh body = test::square_beam(0.1, 20, {1e7, 0.3, 1000});
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  ModesOptions options{.count = 5, .method = GetParam()};
  double last = -1;
  options.progress = [&](std::string_view, double share) {
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
    last = share;
  };
  static_cast<void>(linear_modes(system, options));
  EXPECT_EQ(last, 1);
  options.progress = [](std::string_view, double) { throw std::runtime_error("stop"); };
  EXPECT_THROW(static_cast<void>(linear_modes(system, options)), std::runtime_error);
}

TEST_P(Modes, ThrowWhenTheyDoNotConverge) {
  const ProceduralMesh body = test::square_beam(0.1, 20, {1e7, 0.3, 1000});
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  EXPECT_THROW(static_cast<void>(linear_modes(system, {.count = 20, .method = GetParam(), .iteration_limit = 1})),
               NumericalError);
}

// In a slender body the stiffness is so much larger than the first eigenvalues that the backward error is below 1e-12
// long before the modes are right: the method's own test of convergence has to count.
TEST_P(Modes, ThrowWhenOnlyTheBackwardErrorIsSmall) {
  const ProceduralMesh body = test::square_beam(0.005, 100, {1e4, 0.3, 1000});
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  EXPECT_THROW(static_cast<void>(linear_modes(system, {.count = 20, .method = GetParam(), .iteration_limit = 3})),
               NumericalError);
  EXPECT_EQ(solve(system, 20).eigenvalues.size(), 20U);
}

TEST(ModesMethods, AgreeOnASubspaceCutAtAGap) {
  const ProceduralMesh body =
      make_box({.length = 1, .width = 0.3, .height = 0.2, .cells_x = 20, .cells_y = 4, .cells_z = 3});
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  const LinearModes a = linear_modes(system, {.count = 15, .method = ModesMethod::lobpcg});
  const LinearModes b = linear_modes(system, {.count = 15, .method = ModesMethod::lanczos});
  EXPECT_LT(subspace_distance(a.vectors, b.vectors, system.mass()), 1e-8);
}

TEST(ModesOptionsCheck, RefuseImpossibleCounts) {
  const ProceduralMesh body = make_box({.cells_x = 1, .cells_y = 1, .cells_z = 1});
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  ASSERT_EQ(system.free_dof_count(), 12);
  EXPECT_THROW(static_cast<void>(linear_modes(system, {.count = 13})), InputError);
  EXPECT_THROW(static_cast<void>(linear_modes(system, {.count = 0})), InputError);
  EXPECT_EQ(linear_modes(system, {.count = 12}).eigenvalues.size(), 12U);
}

TEST(ModesWarning, TellsThatTheLastModeSplitsAPair) {
  const ProceduralMesh body = test::square_beam(0.1, 20, {1e7, 0.3, 1000});  // square section: modes come in pairs
  const ElasticSystem system(body.mesh, body.fixed_vertices);
  EXPECT_EQ(linear_modes(system, {.count = 1}).warnings.size(), 1U);
  EXPECT_TRUE(linear_modes(system, {.count = 2}).warnings.empty());
}

TEST(ElasticSystemOfMatrices, TakesTheCallersKAndM) {
  // A chain of three masses held at one end by vertex 0; directions are independent.
  const double spring = 5, weight = 2;
  MatrixXd stiffness = MatrixXd::Zero(12, 12), mass = MatrixXd::Identity(12, 12) * weight;
  for (int link = 0; link < 3; ++link)
    for (int c = 0; c < 3; ++c) {
      const int a = 3 * link + c, b = a + 3;
      stiffness(a, a) += spring;
      stiffness(b, b) += spring;
      stiffness(a, b) -= spring;
      stiffness(b, a) -= spring;
    }
  const std::vector<std::int32_t> fixed = {0};
  const ElasticSystem system(to_sparse_matrix(Eigen::SparseMatrix<double>(stiffness.sparseView())),
                             to_sparse_matrix(Eigen::SparseMatrix<double>(mass.sparseView())), fixed);
  const LinearModes modes = linear_modes(system, {.count = 9});
  for (std::size_t n = 0; n < 3; ++n) {
    const double s = std::sin((2 * static_cast<double>(n) + 1) * pi / 14);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(modes.eigenvalues[3 * n + c], 4 * spring / weight * s * s, 1e-13);
  }
  EXPECT_EQ(modes.rigid_modes, 0);
  EXPECT_THROW(ElasticSystem(to_sparse_matrix(Eigen::SparseMatrix<double>(stiffness.sparseView())),
                             to_sparse_matrix(Eigen::SparseMatrix<double>(mass.sparseView())), {}),
               NumericalError);  // nothing holds it, and nobody said so
}

TEST(ElasticSystemErrors, NameWhatIsWrong) {
  const ProceduralMesh body = make_box({.cells_x = 1, .cells_y = 1, .cells_z = 1});
  const std::vector<std::int32_t> outside = {8}, all = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_THROW(ElasticSystem(body.mesh, outside), InputError);
  EXPECT_THROW(ElasticSystem(body.mesh, all), InputError);
}

TEST(ElasticSystemErrors, RefuseMalformedSparseMatrices) {
  const ProceduralMesh body = make_box({.cells_x = 1, .cells_y = 1, .cells_z = 1});
  const SparseMatrix stiffness = stiffness_matrix(body.mesh), mass = mass_matrix(body.mesh);
  ASSERT_NO_THROW(ElasticSystem(stiffness, mass, body.fixed_vertices));
  struct Defect {
    const char* name;
    void (*apply)(SparseMatrix&);
  };
  const Defect defects[] = {
      {"column too large", [](SparseMatrix& m) { m.columns.back() = static_cast<std::int32_t>(m.cols); }},
      {"column far too large", [](SparseMatrix& m) { m.columns.back() = std::numeric_limits<std::int32_t>::max(); }},
      {"negative column", [](SparseMatrix& m) { m.columns.front() = -1; }},
      {"columns not ascending", [](SparseMatrix& m) { std::swap(m.columns[0], m.columns[1]); }},
      {"column twice", [](SparseMatrix& m) { m.columns[1] = m.columns[0]; }},
      {"offsets decrease", [](SparseMatrix& m) { std::swap(m.row_offsets[4], m.row_offsets[5]); }},
      {"offsets don't start at 0", [](SparseMatrix& m) { m.row_offsets.front() = 1; }},
      {"negative offset", [](SparseMatrix& m) { m.row_offsets.front() = -1; }},
      {"offsets end past the entries", [](SparseMatrix& m) { ++m.row_offsets.back(); }},
      {"offsets end before the entries", [](SparseMatrix& m) { --m.row_offsets.back(); }},
      {"an offset too few", [](SparseMatrix& m) { m.row_offsets.pop_back(); }},
      {"no offsets", [](SparseMatrix& m) { m.row_offsets.clear(); }},
      {"a value too few", [](SparseMatrix& m) { m.values.pop_back(); }},
      {"a column too few", [](SparseMatrix& m) { m.columns.pop_back(); }},
      {"not square", [](SparseMatrix& m) { ++m.cols; }},
      {"negative size", [](SparseMatrix& m) { m.rows = m.cols = -3; }},
      {"empty", [](SparseMatrix& m) { m = {}; }},
  };
  for (const Defect& defect : defects) {
    SparseMatrix bad_stiffness = stiffness, bad_mass = mass;
    defect.apply(bad_stiffness);
    defect.apply(bad_mass);
    EXPECT_THROW(ElasticSystem(bad_stiffness, mass, body.fixed_vertices), InputError) << "stiffness: " << defect.name;
    EXPECT_THROW(ElasticSystem(stiffness, bad_mass, body.fixed_vertices), InputError) << "mass: " << defect.name;
  }
  const ProceduralMesh larger = make_box({.cells_x = 2, .cells_y = 1, .cells_z = 1});
  EXPECT_THROW(ElasticSystem(stiffness, mass_matrix(larger.mesh), body.fixed_vertices), InputError);
}

// Reference eigenvalues of other programs; see the data's own notes for where they come from.
TEST(ModesGolden, EqualTheReferenceEigenvalues) {
  QUARTIC_NEED_DATA(data, "");
  for (const test::GoldenCase& c : test::golden_cases) {
    const VolumeMesh mesh = read_mesh(data / "public/vegafem" / c.mesh);
    const auto fixed = read_fixed_vertices(data / "public/vegafem" / c.fixed, mesh.vertex_count());
    const ElasticSystem system(mesh, fixed);
    for (const ModesMethod method : {ModesMethod::lobpcg, ModesMethod::lanczos}) {
      const LinearModes modes = linear_modes(system, {.count = 20, .method = method});
      std::ifstream file(data / "golden" / c.name / "eigenvalues_exact.txt");
      std::string title;
      ASSERT_TRUE(std::getline(file, title)) << c.name;
      for (const double value : modes.eigenvalues) {
        double expected = 0;
        ASSERT_TRUE(file >> expected);
        EXPECT_NEAR(value / expected, 1, 1e-9) << c.name << ' ' << method_name(method);
      }
    }
  }
}

}  // namespace
}  // namespace quartic
