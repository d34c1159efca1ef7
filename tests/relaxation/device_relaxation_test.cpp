// Relaxed strains on a device: the same numbers as the CPU's, for every kind of element.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "quartic/editing.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/relaxation.hpp"
#include "support/boxes.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd random_fields(const VolumeMesh& mesh, Index count, unsigned seed) {
  const auto rows = std::ssize(mesh.vertices);
  const std::vector<double> numbers = test::random_numbers(static_cast<std::size_t>(rows * count), seed);
  return MatrixXd::Map(numbers.data(), rows, count);
}

// D = t^T t: t itself is known but for an orthogonal matrix.
MatrixXd products_of(const Relaxation& relaxation) {
  return relaxation.products.map().transpose() * relaxation.products.map();
}

double relative_difference(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).norm() / b.norm();
}

ProceduralMesh plate() {
  return make_box({.length = 1, .width = 0.3, .height = 0.05, .cells_x = 6, .cells_y = 2, .cells_z = 1});
}

class DeviceRelaxationTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
};

// The CPU goes another way, by the stiffness of pairs of vertices.
TEST_F(DeviceRelaxationTest, ProductsAreTheCpus) {
  for (const test::BoxCells cells : test::all_cells) {
    SCOPED_TRACE(test::name_of(cells));
    const VolumeMesh mesh = test::make_box(cells, {2, 1, 1});
    const MatrixXd basis = random_fields(mesh, 5, 3), fields = random_fields(mesh, 4, 5);
    const Relaxation device = relax_strains(mesh, basis, fields, {.share = 0.9, .backend = Backend::cuda}),
                     cpu = relax_strains(mesh, basis, fields, {.share = 0.9});
    EXPECT_EQ(device.field_count(), 4);
    EXPECT_LT(relative_difference(products_of(device), products_of(cpu)), 1e-11);
  }
}

TEST_F(DeviceRelaxationTest, RegionPartsAreTheCpus) {
  for (const test::BoxCells cells : test::all_cells) {
    SCOPED_TRACE(test::name_of(cells));
    const VolumeMesh mesh = test::make_box(cells, {2, 1, 1});
    const MatrixXd basis = random_fields(mesh, 3, 3), fields = random_fields(mesh, 2, 5);
    const Relaxation device = relax_strains(mesh, basis, fields, {.region_parts = true, .backend = Backend::cuda}),
                     cpu = relax_strains(mesh, basis, fields, {.region_parts = true});
    ASSERT_EQ(device.regions.size(), cpu.regions.size());
    for (std::size_t g = 0; g < cpu.regions.size(); ++g)
      for (const auto part : {&RegionRelaxation::lambda_part, &RegionRelaxation::mu_part}) {
        const StrainProducts &there = device.regions[g].*part, &here = cpu.regions[g].*part;
        EXPECT_LT(relative_difference(there.stiffness.map(), here.stiffness.map()), 1e-13);
        EXPECT_LT(relative_difference(there.forces.map(), here.forces.map()), 1e-13);
      }
    EXPECT_LT(relative_difference(products_of(device), products_of(cpu)), 1e-11);
  }
}

TEST_F(DeviceRelaxationTest, ProductsDoNotDependOnRunAndWorkspace) {
  const VolumeMesh mesh = test::make_box(test::BoxCells::hexes_and_wedges, {2, 2, 1});
  const MatrixXd basis = random_fields(mesh, 4, 3), fields = random_fields(mesh, 3, 5);
  std::vector<double> fractions;
  const auto relaxed = [&](std::int64_t workspace) {
    return relax_strains(mesh, basis, fields,
                         {.workspace_bytes = workspace,
                          .backend = Backend::cuda,
                          .progress = [&](std::string_view, double fraction) { fractions.push_back(fraction); }});
  };
  const std::int64_t point_bytes = (4 + 10 + 4 + 3) * 6 * 8;  // U, its pairs, and U and Y to be products of
  const Relaxation once = relaxed(std::int64_t{1} << 20);
  EXPECT_EQ(once.products.values, relaxed(std::int64_t{1} << 20).products.values);
  for (const std::int64_t points : {1, 7, 40})
    EXPECT_LT(relative_difference(products_of(relaxed(points * point_bytes)), products_of(once)), 1e-12);
  EXPECT_THROW(static_cast<void>(relaxed(point_bytes - 1)), InputError);
  EXPECT_TRUE(std::ranges::all_of(fractions, [](double fraction) { return 0 <= fraction && fraction <= 1; }));
}

// More fields than forces are made of at once. Solves lose digits, which either backend has its own of.
TEST_F(DeviceRelaxationTest, FieldsAnswerToTheirStates) {
  const ProceduralMesh held = plate();
  for (const std::vector<std::int32_t>& fixed : {held.fixed_vertices, std::vector<std::int32_t>()}) {
    SCOPED_TRACE(fixed.empty() ? "free" : "held");
    const ReducedModel model = reduce(held.mesh, fixed, {.modes = 4, .rank = 12});
    const ElasticSystem cpu(held.mesh, fixed),
        cuda(held.mesh, fixed, MassMatrix::consistent, {.backend = Backend::cuda});
    const Matrix states = natural_states(held.mesh.vertices, model.basis.map(), model.energy, {.states = 70});
    ASSERT_EQ(states.cols, 70);
    const Matrix device = following_fields(held.mesh, cuda, model.basis.map(), states.map());
    ASSERT_GT(device.cols, 20);
    const MatrixXd y = device.map(), ky = stiffness_matrix(held.mesh).map() * y;
    EXPECT_LT((y.transpose() * ky - MatrixXd::Identity(y.cols(), y.cols())).cwiseAbs().maxCoeff(), 1e-10);
    const auto products = [&](const ElasticSystem& system, Backend backend, int count) {
      const Matrix some = following_fields(held.mesh, system, model.basis.map(), states.map().leftCols(count));
      return products_of(relax_strains(held.mesh, model.basis.map(), some.map(), {.backend = backend}));
    };
    EXPECT_LT(relative_difference(products(cuda, Backend::cuda, 6), products(cpu, Backend::cpu, 6)), 1e-9);
    EXPECT_LT(relative_difference(products(cuda, Backend::cuda, 70), products(cpu, Backend::cpu, 70)), 1e-6);
  }
}

TEST_F(DeviceRelaxationTest, ModelsAreRelaxedWhereTheyAreReduced) {
  const ProceduralMesh body = plate();
  ReduceReport report;
  const ReducedModel model =
      reduce(body.mesh, body.fixed_vertices,
             {.modes = 3, .rank = 5, .region_parts = true, .relax = {.share = 0.9}, .backend = Backend::cuda}, &report);
  EXPECT_TRUE(std::ranges::none_of(
      report.warnings, [](const std::string& warning) { return warning.find("relax") != std::string::npos; }));
  const QuarticEnergy whole = reduce_energy(body.mesh, model.basis.map());
  const ElasticSystem cpu(body.mesh, body.fixed_vertices);
  const Relaxation expected = relax_strains(body.mesh, cpu, model.basis.map(), whole, {.share = 0.9});
  ASSERT_TRUE(model.relaxation);
  EXPECT_GT(model.relaxation->field_count(), 0);
  const auto coefficients = [](const QuarticEnergy& energy) {
    return Eigen::VectorXd::Map(energy.coefficients.data(), std::ssize(energy.coefficients));
  };
  EXPECT_LT(relative_difference(coefficients(model.energy), coefficients(relaxed(whole, expected))), 1e-7);
  EXPECT_NEAR(model.relaxation->reach, expected.reach, 1e-7 * expected.reach);
  Material other = *body.mesh.regions[0].material;
  other.poissons_ratio = 0.1;
  EXPECT_TRUE(edit_materials(model, std::vector<Material>{other}).relaxation);
}

TEST_F(DeviceRelaxationTest, CalibrationsAreTheCpusAndThatIsTold) {
  const ProceduralMesh body = plate();
  ReduceReport report;
  static_cast<void>(reduce(body.mesh, body.fixed_vertices,
                           {.modes = 3, .rank = 5, .relax = {.automatic = true}, .backend = Backend::cuda}, &report));
  EXPECT_TRUE(std::ranges::any_of(report.warnings, [](const std::string& warning) {
    return warning.find("calibrated on the CPU") != std::string::npos;
  }));
}

}  // namespace
}  // namespace quartic
