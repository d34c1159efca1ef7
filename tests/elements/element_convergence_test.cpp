// Elements of all types on the whole way: eigenvalues that converge with their order and to one limit, reduced models.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <numbers>

#include "quartic/quartic.hpp"
#include "support/boxes.hpp"

namespace quartic {
namespace {

using Eigen::VectorXd;
using test::BoxCells;

// Each hexahedron cut into two wedges along the diagonal of its bottom.
VolumeMesh cut_into_wedges(VolumeMesh mesh) {
  ElementBlock wedges{ElementType::wedge6, {}};
  for (std::int64_t e = 0; e < mesh.blocks[0].count(); ++e) {
    const auto v = mesh.blocks[0].element(e);
    wedges.vertices.insert(wedges.vertices.end(),
                           {v[0], v[1], v[2], v[4], v[5], v[6], v[0], v[2], v[3], v[4], v[6], v[7]});
  }
  mesh.blocks = {wedges};
  mesh.element_region.assign(static_cast<std::size_t>(wedges.count()), 0);
  return mesh;
}

constexpr std::array types = {ElementType::tet4,  ElementType::tet10,  ElementType::hex8,
                              ElementType::hex20, ElementType::wedge6, ElementType::wedge15};

bool is_quadratic(ElementType type) {
  return type == ElementType::tet10 || type == ElementType::hex20 || type == ElementType::wedge15;
}

/// A bar along x of elements of one type.
VolumeMesh bar(ElementType type, const BoxOptions& options) {
  BoxOptions cells = options;
  const bool tetrahedra = type == ElementType::tet4 || type == ElementType::tet10;
  const bool wedges = type == ElementType::wedge6 || type == ElementType::wedge15;
  cells.type = tetrahedra ? ElementType::tet4 : ElementType::hex8;
  VolumeMesh mesh = make_box(cells).mesh;
  if (wedges) mesh = cut_into_wedges(std::move(mesh));
  return is_quadratic(type) ? make_quadratic(std::move(mesh)) : mesh;
}

class ElementConvergence : public testing::TestWithParam<ElementType> {};
INSTANTIATE_TEST_SUITE_P(Types, ElementConvergence, testing::ValuesIn(types),
                         [](const auto& param) { return std::string(element_type_name(param.param)); });

// The longitudinal mode of a free bar without lateral contraction is cos(pi x / L), with omega^2 = pi^2 E / (rho L^2):
// the error of eigenvalues falls with h^2 for linear shape functions and with h^4 for quadratic ones.
TEST_P(ElementConvergence, EigenvaluesOfABarHaveTheirOrder) {
  const double exact = std::pow(std::numbers::pi, 2) * 1e6 / 1000;
  const auto error = [&](int cells) {
    const VolumeMesh mesh =
        bar(GetParam(), {.width = 0.3,
                         .height = 0.2,
                         .cells_x = cells,
                         .cells_y = 1,
                         .cells_z = 1,
                         .material = {.youngs_modulus = 1e6, .poissons_ratio = 0, .density = 1000}});
    double least = exact;
    for (const double value : linear_modes(ElasticSystem(mesh, {}), {.count = 12}).eigenvalues)
      least = std::min(least, std::abs(value / exact - 1));
    return least;
  };
  const double coarse = error(8), fine = error(16);
  const bool quadratic = is_quadratic(GetParam());
  EXPECT_NEAR(std::log2(coarse / fine), quadratic ? 4 : 2, quadratic ? 0.1 : 0.2);
  EXPECT_LE(fine, quadratic ? 1e-5 : 5e-3);
}

// The first two eigenvalues of a clamped beam, bending about either axis.
std::vector<double> bending(ElementType type, int cells) {
  const VolumeMesh mesh = bar(type, {.length = 0.6,
                                     .width = 0.12,
                                     .height = 0.1,
                                     .cells_x = 6 * cells,
                                     .cells_y = cells,
                                     .cells_z = cells,
                                     .material = {.youngs_modulus = 1e6, .poissons_ratio = 0, .density = 1000}});
  const auto fixed = vertices_in_box(mesh, {0, -1, -1, 0, 1, 1});
  return linear_modes(ElasticSystem(mesh, fixed), {.count = 2}).eigenvalues;
}

// Order 2, and for quadratic elements less than 4 because of the edges of the clamped face, where the stress isn't
// smooth. The limit is that of fine hex20, whose own error is about a seventh of the smallest measured here. Quadratic
// elements with two cells across are nearer to it than linear ones with four, which have about as many vertices, by a
// factor of 20 and more.
TEST(ElementLimits, BendingOfAClampedBeamIsTheSameWithAllTypes) {
  const std::vector<double> limit = bending(ElementType::hex20, 7);
  for (const ElementType type : types) {
    SCOPED_TRACE(element_type_name(type));
    const std::vector<double> coarse = bending(type, 2), fine = bending(type, 4);
    for (std::size_t mode = 0; mode < 2; ++mode) {
      const double before = coarse[mode] / limit[mode] - 1, after = fine[mode] / limit[mode] - 1;
      EXPECT_NEAR(std::log2(before / after), is_quadratic(type) ? 3.5 : 2, 0.25) << before << ' ' << after;
      EXPECT_GT(after, 0);  // from above, as in all conforming methods with exact integrals
      if (is_quadratic(type)) {
        EXPECT_LT(before, 1e-3);
      } else {
        EXPECT_GT(after, 0.02);
      }
    }
  }
}

// ---- from the mesh to a model file -------------------------------------------------------------------------------

class ElementPipeline : public testing::TestWithParam<BoxCells> {};
INSTANTIATE_TEST_SUITE_P(Cells, ElementPipeline,
                         testing::Values(BoxCells::wedges, BoxCells::hexes_and_wedges, BoxCells::curved_hex20,
                                         BoxCells::curved_wedge15, BoxCells::curved_hexes_and_wedges),
                         [](const auto& param) { return test::name_of(param.param); });

TEST_P(ElementPipeline, ReducedEnergyIsTheMeshs) {
  const VolumeMesh mesh = test::make_box(GetParam(), {4, 2, 1});
  const auto fixed = vertices_in_box(mesh, {0, -1, -1, 0, 9, 9});
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

TEST_P(ElementPipeline, ModelsGoThroughFiles) {
  const test::TemporaryFolder folder;
  const VolumeMesh mesh = test::make_box(GetParam(), {4, 2, 1});
  const ReducedModel model =
      reduce(mesh, vertices_in_box(mesh, {0, -1, -1, 0, 9, 9}), {.modes = 2, .rank = 3, .region_parts = true});
  save_model(model, folder / "m.qrt");
  const ReducedModel loaded = load_model(folder / "m.qrt");
  ASSERT_EQ(loaded.mesh.blocks.size(), mesh.blocks.size());
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    EXPECT_EQ(loaded.mesh.blocks[b].type, mesh.blocks[b].type);
    EXPECT_EQ(loaded.mesh.blocks[b].vertices, mesh.blocks[b].vertices);
  }
  EXPECT_EQ(loaded.energy.coefficients, model.energy.coefficients);
  EXPECT_EQ(boundary_triangles(loaded.mesh), boundary_triangles(mesh));
}

}  // namespace
}  // namespace quartic
