// Planes that mirror a body, and what they have to be for.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "quartic/procedural.hpp"
#include "quartic/symmetry.hpp"
#include "support/meshes.hpp"
#include "symmetry/soft_matter.hpp"

namespace quartic {
namespace {

ProceduralMesh brick() {
  return make_box({.length = 1,
                   .width = 0.3,
                   .height = 0.2,
                   .cells_x = 6,
                   .cells_y = 3,
                   .cells_z = 2,
                   .material = test::soft_matter});
}

std::size_t plane_count(const ProceduralMesh& body) {
  return mirror_planes(body.mesh, body.fixed_vertices).size();
}

void turn(VolumeMesh& mesh) {
  const Eigen::Matrix3d rotation = Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, -0.5).normalized()).matrix();
  Eigen::Map<Eigen::Matrix3Xd> x(mesh.vertices.data(), 3, mesh.vertex_count());
  x = (rotation * x).colwise() + Eigen::Vector3d(3, -2, 5);
}

TEST(MirrorPlanes, BricksHaveThreeAndHeldOnesTwo) {
  ProceduralMesh body = brick();
  EXPECT_EQ(plane_count(body), 2U);
  body.fixed_vertices.clear();
  const auto planes = mirror_planes(body.mesh, body.fixed_vertices);
  ASSERT_EQ(planes.size(), 3U);
  EXPECT_NEAR(std::abs(planes[0].normal[0]), 1, 1e-14);
  EXPECT_NEAR(planes[0].offset, 0.5, 1e-14);
}

TEST(MirrorPlanes, AreThoseOfTheBodyHoweverItIsTurnedAndNumbered) {
  for (const ElementType type : {ElementType::hex8, ElementType::tet4}) {
    ProceduralMesh body = make_bridge(32, type);
    const std::size_t before = plane_count(body);
    EXPECT_EQ(before, type == ElementType::hex8 ? 2U : 0U);  // Kuhn's tetrahedra all lean one way
    turn(body.mesh);
    EXPECT_EQ(plane_count(body), before);
    std::vector<std::int32_t> number(static_cast<std::size_t>(body.mesh.vertex_count()));
    std::iota(number.begin(), number.end(), 0);
    std::shuffle(number.begin(), number.end(), std::mt19937(3));
    const std::vector<double> x = body.mesh.vertices;
    for (std::size_t v = 0; v < number.size(); ++v)
      std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(3 * v), 3,
                  body.mesh.vertices.begin() + std::ptrdiff_t{3} * number[v]);
    for (ElementBlock& block : body.mesh.blocks)
      for (std::int32_t& v : block.vertices) v = number[static_cast<std::size_t>(v)];
    for (std::int32_t& v : body.fixed_vertices) v = number[static_cast<std::size_t>(v)];
    EXPECT_EQ(plane_count(body), before);
  }
}

// A square section has principal axes of its own choice; turned, its planes come from vertices that are as far away.
TEST(MirrorPlanes, OfSquareSectionsAreFound) {
  ProceduralMesh beam = test::square_beam(0.1, 8, test::soft_matter);
  EXPECT_EQ(plane_count(beam), 2U);
  turn(beam.mesh);
  EXPECT_EQ(plane_count(beam), 2U);
}

TEST(MirrorPlanes, AreLostWithAVertexAMaterialASupportOrAnElement) {
  ProceduralMesh moved = brick();
  moved.mesh.vertices[3 * 40 + 1] += 1e-6;
  EXPECT_LT(plane_count(moved), 2U);

  ProceduralMesh nearly = brick();  // within the tolerance
  nearly.mesh.vertices[3 * 40 + 1] += 1e-11;
  EXPECT_EQ(plane_count(nearly), 2U);

  ProceduralMesh mixed = brick();
  mixed.mesh.regions.push_back({"stiff", Material{.youngs_modulus = 2e6, .poissons_ratio = 0.3, .density = 1000}});
  mixed.mesh.element_region[0] = 1;  // in a corner
  EXPECT_EQ(plane_count(mixed), 0U);
  mixed.mesh.regions[1].material = mixed.mesh.regions[0].material;  // another region of the same material
  EXPECT_EQ(plane_count(mixed), 2U);

  ProceduralMesh held = brick();
  held.fixed_vertices.pop_back();
  EXPECT_EQ(plane_count(held), 0U);

  ProceduralMesh open = brick();
  auto& vertices = open.mesh.blocks[0].vertices;
  vertices.resize(vertices.size() - 8);
  open.mesh.element_region.pop_back();
  EXPECT_EQ(plane_count(open), 0U);
}

TEST(MirrorPlanes, ArentLookedForBesideJointsMassesAndSprings) {
  ProceduralMesh body = brick();
  body.mesh.masses.push_back({.vertex = 0, .mass = 1});
  EXPECT_EQ(plane_count(body), 0U);
}

}  // namespace
}  // namespace quartic
