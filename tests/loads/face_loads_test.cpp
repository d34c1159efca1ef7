// Forces, tractions and pressures on faces of every type.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "quartic/error.hpp"
#include "quartic/loads.hpp"
#include "quartic/mesh.hpp"
#include "support/boxes.hpp"
#include "support/error_message.hpp"
#include "support/support.hpp"
#include "supports/supported_boxes.hpp"

namespace {

using Eigen::Vector3d;
using namespace quartic;
using test::BoxCells;
using test::plane;

Vector3d force_of(const LoadTotals& totals) {
  return Vector3d::Map(totals.force.data());
}
Vector3d moment_of(const LoadTotals& totals) {
  return Vector3d::Map(totals.moment.data());
}

LoadTotals totals_of(const VolumeMesh& mesh, const std::vector<PointForce>& forces,
                     const std::array<double, 3>& point = {}) {
  return load_totals(mesh, force_vector(forces, mesh.vertex_count()), point);
}

std::vector<std::int32_t> all_vertices(const VolumeMesh& mesh) {
  std::vector<std::int32_t> all;
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) all.push_back(v);
  return all;
}

// Bends and twists, so that no face stays flat and no edge straight.
VolumeMesh bent(VolumeMesh mesh) {
  for (std::size_t i = 0; i < mesh.vertices.size(); i += 3) {
    double* const x = mesh.vertices.data() + i;
    const Vector3d at(x[0], x[1], x[2]);
    x[0] += 0.1 * std::sin(3 * at[1]) + 0.05 * at[2] * at[2];
    x[1] += 0.1 * at[0] * at[2] - 0.08 * at[0] * at[0];
    x[2] += 0.07 * std::cos(2 * at[0]) * (1 + at[1]);
  }
  return mesh;
}

class Faces : public testing::TestWithParam<BoxCells> {};

TEST_P(Faces, TractionsHaveTheirTotals) {
  const VolumeMesh mesh = test::make_box(GetParam(), {2, 3, 2});
  const auto end = plane(mesh, 0, 1);
  const double area = 0.9 * 0.8;
  const Vector3d t(3, -5, 2), middle(1, 0.45, 0.4), about(-0.3, 2, 0.7);
  EXPECT_NEAR(face_area(mesh, end) / area, 1, 1e-14);
  for (const LoadTotals& totals :
       {totals_of(mesh, traction_forces(mesh, end, test::array_of(t)), {-0.3, 2, 0.7}),
        totals_of(mesh, spread_force(mesh, end, test::array_of(area * t)), {-0.3, 2, 0.7})}) {
    EXPECT_LE((force_of(totals) - area * t).norm(), 1e-13 * area * t.norm());
    EXPECT_LE((moment_of(totals) - area * (middle - about).cross(t)).norm(), 1e-12);
  }
  const LoadTotals pressed = totals_of(mesh, pressure_forces(mesh, end, 7), {-0.3, 2, 0.7});
  EXPECT_LE((force_of(pressed) + 7 * area * Vector3d::UnitX()).norm(), 1e-13 * 7 * area);
  EXPECT_LE((moment_of(pressed) + 7 * area * (middle - about).cross(Vector3d::UnitX())).norm(), 1e-12);
}

TEST_P(Faces, ForcesOfCurvedFacesHaveTheirTotals) {
  const VolumeMesh mesh = bent(test::make_box(GetParam(), {2, 1, 1}));
  const auto end = plane(test::make_box(GetParam(), {2, 1, 1}), 0, 1);
  const LoadTotals totals = totals_of(mesh, spread_force(mesh, end, {3, -5, 2}));
  EXPECT_LE((force_of(totals) - Vector3d(3, -5, 2)).norm(), 1e-13);
  const LoadTotals by_traction = totals_of(mesh, traction_forces(mesh, end, {0, 0, 2}));
  EXPECT_NEAR(by_traction.force[2] / face_area(mesh, end), 2, 1e-13);
  const LoadTotals closed = totals_of(mesh, pressure_forces(mesh, all_vertices(mesh), 100));
  EXPECT_LE(force_of(closed).norm(), 1e-12);
  EXPECT_LE(moment_of(closed).norm(), 1e-12);
}

// The work of a pressure all over a body is -p dV, and V is linear in each coordinate of a vertex.
TEST_P(Faces, PressuresAreDerivativesOfTheVolume) {
  const VolumeMesh mesh = bent(test::make_box(GetParam(), {2, 2, 1}));
  const double p = 100, h = 0.02;
  const std::vector<double> force = force_vector(pressure_forces(mesh, all_vertices(mesh), p), mesh.vertex_count());
  double largest = 0;
  for (const double f : force) largest = std::max(largest, std::abs(f));
  const std::size_t stride = force.size() / 19;
  for (std::size_t i = 0; i < force.size(); i += stride) {
    VolumeMesh above = mesh, below = mesh;
    above.vertices[i] += h;
    below.vertices[i] -= h;
    const double slope = (check_mesh(above).volume - check_mesh(below).volume) / (2 * h);
    EXPECT_NEAR(force[i], -p * slope, 1e-11 * largest) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Faces, testing::ValuesIn(test::all_cells),
                         [](const auto& parameter) { return test::name_of(parameter.param); });

// Of one flat face: integrals of shape functions over its area.
TEST(FaceLoads, HaveTheSharesOfTheirShapeFunctions) {
  const auto shares = [](BoxCells cells, std::size_t corners, double of_corner, double of_middle) {
    VolumeMesh mesh = test::make_box(cells, {1, 1, 1});
    const auto face = mesh.blocks.front().element(0);
    std::vector<std::int32_t> set;
    for (std::size_t a = 0; a < corners; ++a) set.push_back(face[a]);
    const std::size_t first_middle = corners == 4 ? 8 : 4;
    for (std::size_t a = 0; test::is_quadratic(cells) && a < corners; ++a) set.push_back(face[first_middle + a]);
    const double area = face_area(mesh, set);
    ASSERT_GT(area, 0);
    const std::vector<double> force = force_vector(traction_forces(mesh, set, {0, 0, 1 / area}), mesh.vertex_count());
    for (std::size_t a = 0; a < set.size(); ++a)
      EXPECT_NEAR(force[3 * static_cast<std::size_t>(set[a]) + 2], a < corners ? of_corner : of_middle, 1e-14);
  };
  shares(BoxCells::hexes, 4, 1.0 / 4, 0);
  shares(BoxCells::straight_hex20, 4, -1.0 / 12, 1.0 / 3);
  shares(BoxCells::straight_tet10, 3, 0, 1.0 / 3);
  shares(BoxCells::tets, 3, 1.0 / 3, 0);
}

TEST(FaceLoads, SpreadEvenlyWhereThereIsNoFace) {
  const VolumeMesh mesh = test::make_box(BoxCells::hexes, {1, 1, 1});
  const std::vector<std::int32_t> ends = {0, 7, 0};
  const std::vector<PointForce> forces = spread_force(mesh, ends, {0, 0, -6});
  ASSERT_EQ(forces.size(), 2);
  EXPECT_EQ(forces[1].vertex, 7);
  EXPECT_EQ(forces[1].force[2], -3);
  EXPECT_EQ(face_area(mesh, ends), 0);
}

TEST(FaceLoads, RefuseWhatMakesNoSense) {
  const VolumeMesh mesh = test::make_box(BoxCells::hexes, {1, 1, 1});
  const std::vector<std::int32_t> none, two = {0, 7}, out = {0, 8};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto message = [](const auto& call) { return test::message_of(call); };
  EXPECT_NE(message([&] {
              static_cast<void>(spread_force(mesh, none, {1, 0, 0}));
            }).find("vertices"),
            std::string::npos);
  EXPECT_NE(message([&] {
              static_cast<void>(spread_force(mesh, two, {1, nan, 0}));
            }).find("finite"),
            std::string::npos);
  EXPECT_NE(message([&] {
              static_cast<void>(spread_force(mesh, out, {1, 0, 0}));
            }).find("vertex 8"),
            std::string::npos);
  EXPECT_NE(message([&] {
              static_cast<void>(traction_forces(mesh, two, {1, 0, 0}));
            }).find("no face"),
            std::string::npos);
  EXPECT_NE(message([&] { static_cast<void>(pressure_forces(mesh, two, 1)); }).find("no face"), std::string::npos);
  EXPECT_THROW(static_cast<void>(pressure_forces(mesh, all_vertices(mesh), nan)), InputError);
  EXPECT_THROW(static_cast<void>(force_vector(std::vector<PointForce>{{8, {1, 0, 0}}}, 8)), InputError);
  EXPECT_THROW(static_cast<void>(load_totals(mesh, std::vector<double>(3))), InputError);
}

}  // namespace
