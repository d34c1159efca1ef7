// Precomputation on a device: the same numbers as the CPU's, on small meshes of every kind of element.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quartic/attachments.hpp"
#include "quartic/basis.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/supports.hpp"
#include "support/grids.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Vertices moved by up to a tenth of an edge, so that no two elements are alike, far from the origin.
VolumeMesh jittered(VolumeMesh mesh) {
  const std::vector<double> noise = random_numbers(mesh.vertices.size(), 3);
  for (std::size_t i = 0; i < noise.size(); ++i) mesh.vertices[i] += 5 + 0.1 * noise[i];
  return mesh;
}

void give_two_regions(VolumeMesh& mesh) {
  mesh.regions = {{"soft", Material{1e3, 0.45, 900}}, {"hard", Material{2e4, -0.4, 1100}}};
  for (std::size_t e = 0; e < mesh.element_region.size(); ++e) mesh.element_region[e] = e % 3 == 0 ? 1 : 0;
}

// Bricks, and beside them tetrahedra with vertices of their own.
VolumeMesh mixed_mesh() {
  VolumeMesh mesh = grid(1, 1, 2, true);
  const VolumeMesh bricks = grid(2, 1, 1, false);
  const auto first = static_cast<std::int32_t>(mesh.vertex_count());
  for (const double x : bricks.vertices) mesh.vertices.push_back(x + 20);
  mesh.blocks.push_back(bricks.blocks.front());
  for (std::int32_t& v : mesh.blocks.back().vertices) v += first;
  mesh.element_region.resize(static_cast<std::size_t>(mesh.element_count()));
  return mesh;
}

VolumeMesh wedge_mesh() {
  VolumeMesh mesh;
  mesh.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1};
  mesh.blocks = {{ElementType::wedge6, {0, 1, 2, 3, 4, 5, 1, 6, 2, 4, 7, 5}}};
  give_region(mesh);
  return mesh;
}

std::vector<std::pair<std::string, VolumeMesh>> meshes() {
  std::vector<std::pair<std::string, VolumeMesh>> list;
  const VolumeMesh tetrahedra = jittered(grid(2, 1, 1, true)), bricks = jittered(grid(2, 1, 1, false)),
                   wedges = jittered(wedge_mesh());
  list.emplace_back("tet4", tetrahedra);
  list.emplace_back("tet10", jittered(make_quadratic(grid(1, 1, 1, true))));
  list.emplace_back("hex8", bricks);
  VolumeMesh two_points = bricks;
  two_points.blocks.front().hexahedron_rule = HexahedronRule::gauss_2x2x2;
  list.emplace_back("hex8 of two points per axis", two_points);
  list.emplace_back("hex20", make_quadratic(jittered(grid(1, 1, 1, false))));
  list.emplace_back("wedge6", wedges);
  list.emplace_back("wedge15", make_quadratic(wedges));
  list.emplace_back("mixed", jittered(mixed_mesh()));
  for (auto& [name, mesh] : list) give_two_regions(mesh);
  return list;
}

MatrixXd random_fields(const VolumeMesh& mesh, Eigen::Index count) {
  const auto rows = static_cast<Eigen::Index>(mesh.vertices.size());
  const std::vector<double> numbers = random_numbers(static_cast<std::size_t>(rows * count), 5);
  return Eigen::Map<const MatrixXd>(numbers.data(), rows, count);
}

VectorXd vector(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), std::ssize(values));
}

double relative_error(const std::vector<double>& value, const std::vector<double>& reference) {
  return (vector(value) - vector(reference)).norm() / vector(reference).norm();
}

class DeviceReductionTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
};

// The same sums in another order; terms of both signs, each at most as large as the largest coefficients.
constexpr double tolerance = 1e-13;

TEST_F(DeviceReductionTest, EnergyIsTheCpus) {
  for (const auto& [name, mesh] : meshes())
    for (const int rank : {1, 6}) {
      SCOPED_TRACE(name + ", rank " + std::to_string(rank));
      const MatrixXd basis = random_fields(mesh, rank);
      const QuarticEnergy device = reduce_energy(mesh, basis, {.backend = Backend::cuda});
      EXPECT_EQ(device.rank, rank);
      EXPECT_LT(relative_error(device.coefficients, reduce_energy(mesh, basis).coefficients), tolerance);
    }
}

// More rows of pairs than a block of threads has warps, and two squares of the Gram matrix.
TEST_F(DeviceReductionTest, EnergyOfALargerRankIsTheCpus) {
  const VolumeMesh mesh = jittered(grid(2, 1, 1, true));
  const MatrixXd basis = random_fields(mesh, 18);
  EXPECT_LT(relative_error(reduce_energy(mesh, basis, {.backend = Backend::cuda}).coefficients,
                           reduce_energy(mesh, basis).coefficients),
            tolerance);
}

// The energy of the unreduced body, which comes from another formula.
TEST_F(DeviceReductionTest, EnergyIsTheUnreducedBodys) {
  const VolumeMesh mesh = jittered(mixed_mesh());
  const MatrixXd basis = random_fields(mesh, 4);
  const std::vector<double> q = {0.3, -0.7, 1.1, 0.4};
  const VectorXd u = basis * vector(q);
  const double expected = strain_energy(mesh, {u.data(), static_cast<std::size_t>(u.size())});
  const QuarticEnergy energy = reduce_energy(mesh, basis, {.backend = Backend::cuda});
  EXPECT_NEAR(evaluate(energy, q).energy, expected, 1e-12 * expected);
}

TEST_F(DeviceReductionTest, EnergyDoesNotDependOnRunAndWorkspace) {
  const VolumeMesh mesh = meshes().back().second;
  const MatrixXd basis = random_fields(mesh, 7);
  const auto reduced = [&](std::int64_t workspace) {
    return reduce_energy(mesh, basis, {.backend = Backend::cuda, .workspace_bytes = workspace}).coefficients;
  };
  const std::int64_t point_bytes = 35 * 6 * 8;  // 35 pairs, 6 strains
  const std::vector<double> once = reduced(std::int64_t{1} << 20);
  EXPECT_EQ(once, reduced(std::int64_t{1} << 20));
  for (const std::int64_t points : {1, 5, 40})
    EXPECT_LT(relative_error(reduced(points * point_bytes), once), tolerance);
  EXPECT_THROW((void)reduced(point_bytes - 1), InputError);
}

TEST_F(DeviceReductionTest, RegionPartsAreTheCpus) {
  const VolumeMesh mesh = meshes().back().second;
  const MatrixXd basis = random_fields(mesh, 5);
  std::vector<double> fractions;
  const Progress progress = [&](std::string_view, double fraction) { fractions.push_back(fraction); };
  const auto device = reduce_region_energy(mesh, basis, {.backend = Backend::cuda, .progress = progress}),
             cpu = reduce_region_energy(mesh, basis);
  ASSERT_EQ(device.size(), cpu.size());
  for (std::size_t g = 0; g < cpu.size(); ++g) {
    EXPECT_LT(relative_error(device[g].lambda_part.coefficients, cpu[g].lambda_part.coefficients), tolerance);
    EXPECT_LT(relative_error(device[g].mu_part.coefficients, cpu[g].mu_part.coefficients), tolerance);
  }
  ASSERT_GE(fractions.size(), 2U);
  EXPECT_EQ(fractions.front(), 0);
  EXPECT_EQ(fractions.back(), 1);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
}

TEST_F(DeviceReductionTest, StrainFormsAreTheCpusBusiness) {
  const VolumeMesh mesh = grid(1, 1, 1, true);
  EXPECT_THROW((void)reduce_strains(mesh, random_fields(mesh, 2), {.backend = Backend::cuda}), BackendUnavailable);
}

std::vector<std::array<int, 2>> all_pairs(int fields) {
  std::vector<std::array<int, 2>> pairs;
  for (int i = 0; i < fields; ++i)
    for (int j = 0; j < fields; ++j) pairs.push_back({i, j});
  return pairs;
}

TEST_F(DeviceReductionTest, ForceHessianIsTheCpus) {
  for (const auto& [name, mesh] : meshes()) {
    SCOPED_TRACE(name);
    const MatrixXd fields = random_fields(mesh, 3);
    const Matrix device = force_hessian(mesh, fields, all_pairs(3), Backend::cuda);
    EXPECT_LT(relative_error(device.values, force_hessian(mesh, fields, all_pairs(3)).values), tolerance);
  }
}

// More pairs than are looked at together; and the second difference of the internal force, which is a cubic in u, so
// that the four-point formula has no truncation error.
TEST_F(DeviceReductionTest, ForceHessianIsTheSecondDerivativeOfTheForce) {
  const VolumeMesh mesh = jittered(grid(1, 1, 1, false));
  const MatrixXd fields = random_fields(mesh, 9);
  const Matrix hessian = force_hessian(mesh, fields, all_pairs(9), Backend::cuda);
  ASSERT_EQ(hessian.cols, 81);
  for (const auto& [i, j] : {std::array{0, 0}, {8, 3}, {8, 8}}) {
    const auto force = [&](double a, double b) {
      const VectorXd u = a * fields.col(i) + b * fields.col(j);
      return vector(internal_force(mesh, {u.data(), static_cast<std::size_t>(u.size())}));
    };
    const VectorXd expected = (force(1, 1) - force(1, -1) - force(-1, 1) + force(-1, -1)) / 4;
    EXPECT_LT((hessian.map().col(9 * i + j) - expected).norm(), 1e-12 * force(1, 1).norm());
  }
}

// Largest difference of two matrices of one pattern, relative to the largest entry.
double relative_error(const SparseMatrix& value, const SparseMatrix& reference) {
  EXPECT_EQ(value.row_offsets, reference.row_offsets);
  EXPECT_EQ(value.columns, reference.columns);
  return (vector(value.values) - vector(reference.values)).cwiseAbs().maxCoeff() /
         vector(reference.values).cwiseAbs().maxCoeff();
}

TEST_F(DeviceReductionTest, MatricesAreTheCpus) {
  for (const auto& [name, mesh] : meshes()) {
    SCOPED_TRACE(name);
    const SparseMatrix stiffness = stiffness_matrix(mesh, Backend::cuda);
    EXPECT_LT(relative_error(stiffness, stiffness_matrix(mesh)), 1e-14);
    const MatrixXd dense = stiffness.map();
    EXPECT_EQ(dense, dense.transpose());
    for (const MassMatrix kind : {MassMatrix::consistent, MassMatrix::lumped})
      EXPECT_LT(relative_error(mass_matrix(mesh, kind, Backend::cuda), mass_matrix(mesh, kind)), 1e-14);
  }
}

// A tetrahedron's stiffness is that of constant strains: of a stretch u = (x, 0, 0), V = (lambda + 2 mu) / 2 per
// volume; its mass is a tenth of the whole at each vertex and a twentieth between two.
TEST_F(DeviceReductionTest, MatricesOfATetrahedronAreTheClosedForms) {
  VolumeMesh mesh;
  mesh.vertices = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};  // volume 1
  mesh.blocks = {{ElementType::tet4, {0, 1, 2, 3}}};
  give_region(mesh);
  const double e = 1e6, nu = 0.3, lambda = e * nu / ((1 + nu) * (1 - 2 * nu)), mu = e / (2 * (1 + nu));
  VectorXd stretch = VectorXd::Zero(12);
  stretch[3] = 1;
  const MatrixXd stiffness = stiffness_matrix(mesh, Backend::cuda).map();
  EXPECT_NEAR(stretch.dot(stiffness * stretch), lambda + 2 * mu, 1e-14 * lambda);
  const MatrixXd mass = mass_matrix(mesh, MassMatrix::consistent, Backend::cuda).map();
  for (int a = 0; a < 12; ++a)
    for (int b = 0; b < 12; ++b)
      EXPECT_NEAR(mass(a, b), a == b ? 100 : a % 3 == b % 3 ? 50 : 0, 1e-11) << a << ' ' << b;
}

ReducedModel reduced(const ProceduralMesh& body, ReduceOptions options, Backend backend, ReduceReport& report) {
  options.backend = backend;
  return reduce(body.mesh, body.fixed_vertices, options, &report);
}

// Largest M-norm of what a column of b has outside the span of a; both M-orthonormal.
double subspace_distance(const Matrix& a, const Matrix& b, const SparseMatrix& mass) {
  const MatrixXd rest = b.map() - a.map() * (a.map().transpose() * (mass.map() * b.map()));
  const MatrixXd gram = rest.transpose() * (mass.map() * rest);
  return std::sqrt(std::max(0.0, gram.diagonal().maxCoeff()));
}

// From the mesh to the model on either backend. The bases' spans agree as far as the modes do, 1e-8 or so, which PCA
// amplifies where singular values lie close; so energies are compared for one basis.
void expect_equal_models(const ProceduralMesh& body, const ReduceOptions& options) {
  ReduceReport report, cpu_report;
  const ReducedModel cuda = reduced(body, options, Backend::cuda, report),
                     cpu = reduced(body, options, Backend::cpu, cpu_report);
  const bool on_cpu = report.factorization.ends_with(" (CPU)");
  EXPECT_TRUE(on_cpu || report.factorization.starts_with("cuDSS ") || report.factorization.starts_with("cuSOLVER "))
      << report.factorization;
  if (on_cpu) {  // nobody asked for that, so it is told
    ASSERT_FALSE(report.warnings.empty());
    EXPECT_NE(report.warnings[0].find(report.factorization), std::string::npos) << report.warnings[0];
    report.warnings.erase(report.warnings.begin());
  }
  EXPECT_EQ(report.warnings, cpu_report.warnings);
  ASSERT_EQ(cuda.eigenvalues.size(), cpu.eigenvalues.size());
  for (std::size_t j = 0; j < cpu.eigenvalues.size(); ++j)
    EXPECT_NEAR(cuda.eigenvalues[j] / cpu.eigenvalues[j], 1, 1e-9) << j;
  const SparseMatrix mass = mass_matrix(body.mesh, options.mass_matrix);
  ASSERT_EQ(cuda.basis.cols, cpu.basis.cols);
  EXPECT_LT(orthonormality_error(cuda.basis.map(), mass), 1e-12);
  EXPECT_LT(subspace_distance(cuda.basis, cpu.basis, mass), 1e-5);
  MatrixXd unit = MatrixXd::Zero(mass.rows, 3);
  for (Eigen::Index i = 0; i < unit.rows(); ++i) unit(i, i % 3) = 1;
  const MatrixXd acceleration = cuda.basis.map().transpose() * (mass.map() * unit);
  EXPECT_LT((cuda.unit_acceleration.map() - acceleration).cwiseAbs().maxCoeff(),
            1e-13 * std::sqrt(unit.col(0).dot(mass.map() * unit.col(0))));
  EXPECT_LT(relative_error(cuda.energy.coefficients, reduce_energy(body.mesh, cuda.basis.map()).coefficients), 1e-11);
}

// Above 400 degrees of freedom, so that the eigensolver on the device is what finds the modes.
TEST_F(DeviceReductionTest, ModelsOfHeldBodiesAreTheCpus) {
  expect_equal_models(make_box({.length = 1, .width = 0.3, .height = 0.2, .cells_x = 11, .cells_y = 4, .cells_z = 2}),
                      {.modes = 4, .rank = 8});
}

TEST_F(DeviceReductionTest, ModelsOfFreeBodiesAreTheCpus) {
  ProceduralMesh body = make_box({.length = 1, .width = 0.3, .height = 0.2, .cells_x = 4, .cells_y = 2, .cells_z = 2});
  body.fixed_vertices.clear();
  expect_equal_models(body, {.modes = 4, .rank = 6, .mass_matrix = MassMatrix::lumped});
}

// Takes all of the device's memory but for `left` bytes, or a little more, piece by piece: the largest piece that
// can be had may be much smaller than what is free.
class TakenMemory {
 public:
  explicit TakenMemory(std::size_t left) {
    for (std::size_t piece = std::size_t{16} << 30; piece >= left / 8; piece /= 2)
      for (void* taken = nullptr; available() >= left + piece && cudaMalloc(&taken, piece) == cudaSuccess;)
        pieces_.push_back(taken);
    cudaGetLastError();  // a piece that can't be had is no failure
  }
  ~TakenMemory() {
    for (void* piece : pieces_) cudaFree(piece);
  }
  TakenMemory(const TakenMemory&) = delete;
  TakenMemory& operator=(const TakenMemory&) = delete;
  [[nodiscard]] static std::size_t available() {
    std::size_t free = 0, total = 0;
    return cudaMemGetInfo(&free, &total) == cudaSuccess ? free : 0;
  }

 private:
  std::vector<void*> pieces_;
};

// What the fields need is told before anything is assembled. A reduction takes some 40 MB for this mesh.
TEST_F(DeviceReductionTest, MissingMemoryIsToldBeforehand) {
  constexpr std::size_t left = std::size_t{40} << 20;
  const TakenMemory taken(left);
  ASSERT_LT(TakenMemory::available(), left + left / 4);
  const ProceduralMesh body =
      make_box({.length = 1, .width = 0.3, .height = 0.2, .cells_x = 40, .cells_y = 12, .cells_z = 8});
  std::vector<std::string> stages;
  const auto note = [&](std::string_view stage, double) { stages.emplace_back(stage); };
  try {
    static_cast<void>(reduce(body.mesh, body.fixed_vertices, {.backend = Backend::cuda, .progress = note}));
    ADD_FAILURE() << "a reduction of over 40 MiB went through";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(" MiB of device memory"), std::string::npos) << text;
    EXPECT_NE(text.find(" MiB are free"), std::string::npos) << text;
  }
  EXPECT_EQ(stages, std::vector<std::string>{"assembly"});
}

// 44 fields, of which no more than the body's twelve degrees of freedom can be independent.
TEST_F(DeviceReductionTest, DependentFieldsAreDropped) {
  const ProceduralMesh body =
      make_box({.length = 1, .width = 0.9, .height = 0.8, .cells_x = 1, .cells_y = 1, .cells_z = 1});
  ReduceReport report;
  const ReducedModel model = reduced(body, {.modes = 8}, Backend::cuda, report);
  const SparseMatrix mass = mass_matrix(body.mesh, MassMatrix::consistent);
  EXPECT_EQ(model.basis.cols, 12);
  EXPECT_LT(orthonormality_error(model.basis.map(), mass), 1e-12);
}

TEST_F(DeviceReductionTest, ModalDerivativesAreTheCpus) {
  const ProceduralMesh body =
      make_box({.length = 1, .width = 0.3, .height = 0.2, .cells_x = 3, .cells_y = 2, .cells_z = 1});
  const ElasticSystem cpu(body.mesh, body.fixed_vertices),
      cuda(body.mesh, body.fixed_vertices, MassMatrix::consistent, {.backend = Backend::cuda});
  const LinearModes modes = linear_modes(cpu, {.count = 3});
  for (const DerivativeKind kind : {DerivativeKind::statics, DerivativeKind::inertial}) {
    const ModalDerivatives expected = modal_derivatives(body.mesh, cpu, modes.vectors.map(), {.kind = kind}),
                           actual = modal_derivatives(body.mesh, cuda, modes.vectors.map(), {.kind = kind});
    EXPECT_EQ(actual.pairs, expected.pairs);
    EXPECT_LT(relative_error(actual.vectors.values, expected.vectors.values), 1e-9);  // both solve to some 1e-12
  }
}

// What a deck brings: a slide, a motor on a rigid link, springs. Modes of such bodies are the CPU's, which is told; the
// energy is reduced on the device.
TEST_F(DeviceReductionTest, SupportsLinksMassesAndSpringsGoThrough) {
  VolumeMesh mesh = grid(3, 1, 1, false);
  const auto at = [&](double x) {
    std::vector<std::int32_t> vertices;
    for (std::int32_t v = 0; v < mesh.vertex_count(); ++v)
      if (mesh.vertices[3 * static_cast<std::size_t>(v)] == x) vertices.push_back(v);
    return vertices;
  };
  const std::vector<std::int32_t> root = at(0), end = at(3);
  attach_rigid_mass(mesh, end, {.mass = 700, .centre = {3.5, 0.4, 0.6}, .inertia = {60, 70, 80}}, Link::rigid);
  for (Spring& spring : springs_to_ground(mesh, at(2), 3e4)) mesh.springs.push_back(std::move(spring));
  std::vector<Constraint> slide = hold_along(root, {1, 0, 0});
  for (Constraint& constraint : hold_along(std::vector{root[0]}, {0, 0.6, 0.8})) slide.push_back(std::move(constraint));
  const Supports supports(std::vector<std::int32_t>{}, slide);
  const auto made = [&](Backend backend, ReduceReport& report) {
    return reduce(mesh, supports, {.modes = 4, .rank = 6, .backend = backend}, &report);
  };
  ReduceReport report, cpu_report;
  const ReducedModel device = made(Backend::cuda, report), cpu = made(Backend::cpu, cpu_report);
  EXPECT_EQ(device.eigenvalues, cpu.eigenvalues);
  EXPECT_EQ(device.basis.values, cpu.basis.values);
  EXPECT_LT(relative_error(device.energy.coefficients, cpu.energy.coefficients), tolerance);
  EXPECT_TRUE(std::ranges::any_of(
      report.warnings, [](const std::string& text) { return text.find("are the CPU's") != std::string::npos; }));
}

}  // namespace
}  // namespace quartic
