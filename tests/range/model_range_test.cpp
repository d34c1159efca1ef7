// The range of models: closed forms, elements that are inverted, and how many of them the points find.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/editing.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/statics.hpp"
#include "support/boxes.hpp"
#include "support/dense.hpp"

namespace quartic {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::VectorXd;

using namespace test;

std::span<const double> numbers(const VectorXd& q) {
  return {q.data(), static_cast<std::size_t>(q.size())};
}

// Fields that are linear in the position: any F is the same at all points.
struct AffineModel {
  ReducedModel model;
  ModelRange range;

  AffineModel() {
    VolumeMesh mesh = test::make_box(BoxCells::alternating, {2, 2, 2});
    MatrixXd fields = MatrixXd::Zero(std::ssize(mesh.vertices), 9);
    for (Eigen::Index v = 0; v < mesh.vertex_count(); ++v)
      for (Eigen::Index a = 0; a < 3; ++a)
        for (Eigen::Index b = 0; b < 3; ++b)
          fields(3 * v + a, 3 * a + b) = mesh.vertices[static_cast<std::size_t>(3 * v + b)];
    model = reduce_with_basis(std::move(mesh), {}, fields);
    range = model_range(model);
  }
  // The coordinates of u = (F - I) X.
  [[nodiscard]] BodyFlags flags(const Matrix3d& f) const {
    const VolumeMesh& mesh = model.mesh;
    VectorXd u(std::ssize(mesh.vertices));
    for (Eigen::Index v = 0; v < mesh.vertex_count(); ++v)
      u.segment<3>(3 * v) =
          (f - Matrix3d::Identity()) * Eigen::Map<const Eigen::Vector3d>(mesh.vertices.data() + 3 * v);
    const MatrixXd basis = model.basis.map();
    return range_flags(range, numbers(solve(basis.transpose() * basis, VectorXd(basis.transpose() * u))));
  }
};

TEST(ModelRangeTest, StretchesAndShearsHaveTheirClosedForms) {
  const AffineModel body;
  ASSERT_GT(body.range.points(), 0);
  const auto stretched = [&](double stretch) {
    Matrix3d f = Matrix3d::Identity();
    f(1, 1) = stretch;
    return body.flags(f);
  };
  const double root = std::numbers::sqrt3, little = 1e-6;
  EXPECT_EQ(stretched(1), BodyFlags::none);
  EXPECT_EQ(stretched(1 / root + little), BodyFlags::none);
  EXPECT_EQ(stretched(1 / root - little), BodyFlags::strained);
  EXPECT_EQ(stretched(root - little), BodyFlags::none);
  EXPECT_EQ(stretched(root + little), BodyFlags::strained);
  EXPECT_EQ(stretched(little), BodyFlags::strained);
  EXPECT_EQ(stretched(-little), out_of_range);
  EXPECT_EQ(stretched(-1), BodyFlags::inverted) << "a mirror image, not strained";
  // Simple shear: the stretches are (sqrt(4 + s^2) +- s) / 2.
  const auto sheared = [&](double shear) {
    Matrix3d f = Matrix3d::Identity();
    f(0, 2) = shear;
    return body.flags(f);
  };
  EXPECT_EQ(sheared(root - 1 / root - little), BodyFlags::none);
  EXPECT_EQ(sheared(root - 1 / root + little), BodyFlags::strained);
  for (const double angle : {0.5, 2.0, 3.1}) {
    const double c = std::cos(angle), s = std::sin(angle);
    EXPECT_EQ(body.flags(Matrix3d{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}), BodyFlags::none) << "rotations are no strain";
  }
}

// States at random: a state of equal energies, or the response to a random force, and how large.
struct RandomStates {
  MatrixXd modes;
  VectorXd stiffness;
  unsigned seed = 1000;

  explicit RandomStates(const ReducedModel& model) {
    const std::vector<double> rest(static_cast<std::size_t>(model.rank()));
    const EigenPairs pairs = eigen_pairs(evaluate(model.energy, rest).stiffness.map());
    stiffness = pairs.values;
    modes = pairs.vectors;
  }
  VectorXd next() {
    const auto r = static_cast<int>(stiffness.size());
    VectorXd z = VectorXd::Zero(r);
    for (int n = 0; n < 6; ++n) {
      const std::vector<double> more = random_numbers(static_cast<std::size_t>(r), ++seed);
      z += Eigen::Map<const VectorXd>(more.data(), r);
    }
    const bool equal_energies = seed % 4 < 2;
    const VectorXd scales = equal_energies ? VectorXd(stiffness.cwiseSqrt()) : stiffness;
    return modes * z.cwiseQuotient(scales);
  }
};

std::int64_t inverted(const ReducedModel& model, const VectorXd& q) {
  const VectorXd u = model.basis.map() * q;
  return inverted_elements(model.mesh, numbers(u));
}

// The least multiple of q, to a thousandth, at which elements are inverted.
VectorXd at_the_edge(const ReducedModel& model, VectorXd q) {
  while (inverted(model, q) > 0) q /= 2;
  while (inverted(model, q) == 0) q *= 2;
  double inside = 0.5, outside = 1;
  while (outside - inside > 1e-3) {
    const double middle = (inside + outside) / 2;
    (inverted(model, middle * q) > 0 ? outside : inside) = middle;
  }
  return outside * q;
}

struct Shares {
  int tried = 0, found = 0, out_of_range = 0;
};

// Of states beyond the edge by this factor, which no training has seen.
Shares find_inverted(const ReducedModel& model, const ModelRange& range, double beyond, int states) {
  RandomStates random(model);
  Shares shares;
  for (; shares.tried < states; ++shares.tried) {
    const VectorXd q = beyond * at_the_edge(model, random.next());
    const BodyFlags flags = range_flags(range, numbers(q));
    shares.found += has_any(flags, BodyFlags::inverted) ? 1 : 0;
    shares.out_of_range += has_any(flags, quartic::out_of_range) ? 1 : 0;
  }
  return shares;
}

class ElementTypes : public testing::TestWithParam<BoxCells> {};
INSTANTIATE_TEST_SUITE_P(All, ElementTypes,
                         testing::Values(BoxCells::tets, BoxCells::hexes, BoxCells::wedges, BoxCells::curved_tet10,
                                         BoxCells::curved_hex20, BoxCells::curved_wedge15),
                         [](const auto& tested) { return name_of(tested.param); });

TEST_P(ElementTypes, WhatIsFlaggedIsInvertedAndMostOfWhatIsInvertedIsFlagged) {
  VolumeMesh mesh = test::make_box(GetParam(), {5, 2, 2});
  std::vector<std::int32_t> fixed;
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v)
    if (mesh.vertices[static_cast<std::size_t>(3 * v)] == 0) fixed.push_back(v);
  const ReducedModel model = reduce(std::move(mesh), fixed, {.modes = 6, .rank = 12});
  const ModelRange range = model_range(model);
  ASSERT_GT(range.points(), 0);
  ASSERT_LE(range.points(), 32);
  RandomStates random(model);
  int flagged = 0;
  for (int n = 0; n < 100; ++n) {
    const VectorXd q = 1.02 * at_the_edge(model, random.next());
    for (const double size : {0.5, 0.9, 1.0}) {
      if (!has_any(range_flags(range, numbers(size * q)), BodyFlags::inverted)) continue;
      ++flagged;
      EXPECT_GT(inverted(model, size * q), 0) << n << ' ' << size;
    }
  }
  const Shares shares = find_inverted(model, range, 1.1, 100);
  EXPECT_GT(flagged, 50);
  EXPECT_GE(shares.found, shares.tried * 8 / 10);
  EXPECT_EQ(shares.out_of_range, shares.tried) << "on its way to an inversion a body is strained more and more";
}

// Bodies under loads that are too large: frames with inverted elements are found.
TEST(ModelRangeTest, MotionsOutOfRangeAreFound) {
  for (const ProceduralMesh& body : {make_box({.cells_x = 12, .cells_y = 2, .cells_z = 2, .type = ElementType::tet4}),
                                     make_spoon(40), make_heart(12)}) {
    const ReducedModel model = reduce(body.mesh, body.fixed_vertices, {.modes = 8, .rank = 16});
    const ModelRange range = model_range(model);
    std::vector<BodyGroup> groups(1);
    groups[0] = {.energy = model.energy, .bodies = 1, .range = range};
    int frames = 0, found = 0, out = 0, false_alarms = 0;
    for (int load = 0; load < 12; ++load) {
      Batch<double> batch(groups, {.rayleigh_mass = 1});
      const Eigen::Vector3d g = std::pow(10, 1 + load % 4) * Eigen::Map<const Eigen::Vector3d>(
                                                                 random_numbers(3, static_cast<unsigned>(load)).data());
      const VectorXd force = model.unit_acceleration.map() * g;
      for (int i = 0; i < model.rank(); ++i) batch.force()(i, 0) = force[i];
      for (int frame = 0; frame < 40 && batch.status()[0] != BodyStatus::diverged; ++frame) {
        batch.step(0.01, 2);
        VectorXd q(model.rank());
        for (int i = 0; i < model.rank(); ++i) q[i] = batch.q()(i, 0);
        const BodyFlags flags = batch.check_range()[0];
        const bool is_inverted = inverted(model, q) > 0;
        frames += is_inverted ? 1 : 0;
        found += is_inverted && has_any(flags, BodyFlags::inverted) ? 1 : 0;
        out += is_inverted && has_any(flags, out_of_range) ? 1 : 0;
        false_alarms += !is_inverted && has_any(flags, BodyFlags::inverted) ? 1 : 0;
      }
    }
    EXPECT_EQ(false_alarms, 0);
    EXPECT_GT(frames, 20);
    EXPECT_GE(found, frames * 85 / 100);
    EXPECT_EQ(out, frames);
  }
}

TEST(ModelRangeTest, IsTheSameEachTime) {
  const ProceduralMesh body = make_spoon(40);
  const ReducedModel model = reduce(body.mesh, body.fixed_vertices, {.modes = 5, .rank = 8});
  const ModelRange first = model_range(model), second = model_range(model);
  EXPECT_EQ(first.gradients, second.gradients);
  EXPECT_EQ(first.elements, second.elements);
  EXPECT_EQ(first.rank, 8);
  EXPECT_EQ(std::ssize(first.gradients), 9 * 8 * first.points());
  EXPECT_LE(model_range(model, {.points = 3}).points(), 3);
}

// Coordinates of edited densities: the same place has the same flags.
TEST(ModelRangeTest, FollowsEditsOfDensities) {
  ProceduralMesh body = make_box({.cells_x = 6, .cells_y = 2, .cells_z = 2});
  Material heavy = *body.mesh.regions[0].material;
  heavy.density *= 7;
  body.mesh.regions.push_back({"tip", *body.mesh.regions[0].material});
  for (std::size_t e = 0; e < body.mesh.element_region.size(); ++e)
    body.mesh.element_region[e] = static_cast<std::int32_t>(e % 6 / 3);
  const ReducedModel model = reduce(body.mesh, body.fixed_vertices, {.modes = 4, .rank = 6, .region_parts = true});
  std::vector<BodyGroup> groups(1);
  groups[0] = {.energy = model.energy, .bodies = 100, .range = model_range(model)};
  Batch<double> batch(groups);
  RandomStates random(model);
  for (std::int64_t n = 0; n < 100; ++n) {
    const VectorXd q = 0.015 * static_cast<double>(n) * at_the_edge(model, random.next());
    for (int i = 0; i < 6; ++i) batch.q()(i, n) = q[i];
  }
  const std::vector<BodyFlags> before(batch.check_range().begin(), batch.check_range().end());
  EXPECT_GT(std::count(before.begin(), before.end(), BodyFlags::none), 5);
  EXPECT_LT(std::count(before.begin(), before.end(), BodyFlags::none), 95);
  const MaterialEdit edit = edit_materials(model, std::vector<Material>{*model.mesh.regions[0].material, heavy});
  apply_edit(batch, edit);
  EXPECT_EQ(std::vector<BodyFlags>(batch.check_range().begin(), batch.check_range().end()), before);
  apply_edit(batch, edit_materials(model, std::vector<Material>{heavy, heavy}), &edit);
  EXPECT_EQ(std::vector<BodyFlags>(batch.check_range().begin(), batch.check_range().end()), before);
}

TEST(ModelRangeTest, RefusesWhatDoesNotFit) {
  const ProceduralMesh body = make_box({.cells_x = 3, .cells_y = 1, .cells_z = 1});
  ReducedModel model = reduce(body.mesh, body.fixed_vertices, {.modes = 2, .rank = 3});
  EXPECT_THROW(static_cast<void>(model_range(model, {.points = 0})), InputError);
  EXPECT_THROW(static_cast<void>(model_range(model, {.directions = 0})), InputError);
  EXPECT_THROW(static_cast<void>(model_range(reduce(body.mesh, body.fixed_vertices, {.modes = 2, .energy = false}))),
               InputError);
  model.mesh.vertices.resize(model.mesh.vertices.size() - 3);
  EXPECT_THROW(static_cast<void>(model_range(model)), InputError);
}

}  // namespace
}  // namespace quartic
