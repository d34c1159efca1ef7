// Supports and joints by themselves: normals, ties, rigid links, means, and what is refused.
#include "quartic/supports.hpp"

#include <gtest/gtest.h>

#include <string>

#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"
#include "support/boxes.hpp"
#include "support/dense.hpp"
#include "support/error_message.hpp"
#include "supports/supported_boxes.hpp"

namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using namespace quartic;
using test::message_of;
using test::plane;
using test::position;

// The bend of z by x and y of these surfaces is quadratic, as shape functions of quadratic elements are, so that the
// normals at vertices are exact.
TEST(HoldNormals, OfCurvedFacesAreThoseOfTheSurface) {
  for (const test::BoxCells cells : {test::BoxCells::straight_hex20, test::BoxCells::straight_tet10}) {
    VolumeMesh mesh = test::make_box(cells, {2, 2, 1}, 0);
    const double top = 0.4;
    const std::vector<std::int32_t> face = plane(mesh, 2, top);
    for (std::size_t v = 0; 3 * v < mesh.vertices.size(); ++v) {
      const double x = mesh.vertices[3 * v], y = mesh.vertices[3 * v + 1];
      mesh.vertices[3 * v + 2] += 0.1 * x * x + 0.05 * y * y - 0.03 * x * y;
    }
    const std::vector<Constraint> held = hold_normals(mesh, face);
    ASSERT_EQ(held.size(), face.size());
    for (std::size_t i = 0; i < face.size(); ++i) {
      const Vector3d x = position(mesh, face[i]);
      const Vector3d normal = Vector3d(-0.2 * x[0] + 0.03 * x[1], -0.1 * x[1] + 0.03 * x[0], 1).normalized();
      EXPECT_EQ(held[i].terms.front().vertex, face[i]);
      EXPECT_LE((Vector3d::Map(held[i].terms.front().factors.data()) - normal).norm(), 1e-13);
    }
  }
}

TEST(HoldNormals, HoldEachSideAtAnEdge) {
  const VolumeMesh mesh = make_box({.cells_x = 2, .cells_y = 2, .cells_z = 2}).mesh;
  std::vector<std::int32_t> sides = plane(mesh, 0, 0), others = plane(mesh, 1, 0);
  sides.insert(sides.end(), others.begin(), others.end());
  std::sort(sides.begin(), sides.end());
  sides.erase(std::unique(sides.begin(), sides.end()), sides.end());
  EXPECT_EQ(hold_normals(mesh, sides).size(), 18U);  // nine of each side
  const SparseMatrix t = freedom_map(mesh, {{}, hold_normals(mesh, sides)});
  EXPECT_EQ(t.cols, 3 * 27 - 18);
}

TEST(HoldNormals, RefusesVerticesWithoutAFace) {
  const VolumeMesh mesh = make_box({.cells_x = 2}).mesh;
  std::vector<std::int32_t> vertices = plane(mesh, 0, 0);
  vertices.push_back(plane(mesh, 0, 1).front());
  EXPECT_EQ(message_of([&] { static_cast<void>(hold_normals(mesh, vertices, "--fix-normal END")); }),
            "--fix-normal END: vertex " + std::to_string(vertices.back()) +
                " is on no boundary face whose vertices are all in the set, so that it has no normal there");
}

// Two boxes, end to end, without a common vertex; the second one's cells are smaller if `fine`.
struct Halves {
  VolumeMesh mesh;
  std::vector<std::int32_t> first, second;  // the faces that touch

  explicit Halves(bool fine, double gap = 0) {
    ProceduralMesh a = make_box({.length = 0.5, .cells_x = 4, .cells_y = 2, .cells_z = 2});
    const int across = fine ? 3 : 2;
    const ProceduralMesh b = make_box({.length = 0.5, .cells_x = 4, .cells_y = across, .cells_z = across});
    first = plane(a.mesh, 0, 0.5);
    const auto offset = static_cast<std::int32_t>(a.mesh.vertex_count());
    for (const auto v : plane(b.mesh, 0, 0)) second.push_back(offset + v);
    mesh = a.mesh;
    for (std::size_t i = 0; i < b.mesh.vertices.size(); ++i)
      mesh.vertices.push_back(b.mesh.vertices[i] + (i % 3 == 0 ? 0.5 + gap : 0));
    for (const auto v : b.mesh.blocks.front().vertices) mesh.blocks.front().vertices.push_back(offset + v);
    mesh.element_region.resize(static_cast<std::size_t>(mesh.element_count()));
  }
};

TEST(Tie, OfEqualFacesIsTheWeldedBody) {
  Halves halves(false);
  VolumeMesh welded = halves.mesh;
  ASSERT_EQ(weld_vertices(welded, 1e-9), 9);
  halves.mesh.joints = tie_vertices(halves.mesh, halves.second, halves.first, 1e-9);
  const auto held = plane(halves.mesh, 0, 0);
  const Eigen::VectorXd tied = test::dense_eigenvalues(halves.mesh, held),
                        whole = test::dense_eigenvalues(welded, plane(welded, 0, 0));
  ASSERT_EQ(tied.size(), whole.size());
  EXPECT_LE(((tied - whole).array() / whole.array()).abs().maxCoeff(), 1e-10);  // the lowest are 1e-5 of the largest
}

TEST(Tie, OfFacesThatDontMatchMovesRigidlyAndBendsAsOneBody) {
  Halves halves(true);
  halves.mesh.joints = tie_vertices(halves.mesh, halves.second, halves.first, 1e-9);
  EXPECT_EQ(rigid_modes(halves.mesh, mass_matrix(halves.mesh), {}).cols, 6);
  const LinearModes tied = linear_modes(ElasticSystem(halves.mesh, plane(halves.mesh, 0, 0)), {.count = 2});
  VolumeMesh one = make_box({.length = 1, .cells_x = 8, .cells_y = 3, .cells_z = 3}).mesh;
  const LinearModes whole = linear_modes(ElasticSystem(one, plane(one, 0, 0)), {.count = 2});
  // Half the body has coarser elements, and these differ from the fine ones by more than that.
  EXPECT_NEAR(tied.eigenvalues[0] / whole.eigenvalues[0], 1, 0.05);
}

TEST(Tie, RefusesAGapAndNamesTheVertex) {
  const Halves halves(true, 0.01);
  const std::string message = message_of(
      [&] { static_cast<void>(tie_vertices(halves.mesh, halves.second, halves.first, 0.005, "*TIE WELD")); });
  EXPECT_EQ(message, "*TIE WELD: vertex " + std::to_string(halves.second.front()) +
                         " is 0.01 m from the surface, more than 0.005 m: allow a larger gap, or tie what touches "
                         "alone");
  EXPECT_EQ(tie_vertices(halves.mesh, halves.second, halves.first, 0.02).size(), 3 * halves.second.size());
  const std::vector<std::int32_t> none = {halves.first.front()};
  EXPECT_THROW(static_cast<void>(tie_vertices(halves.mesh, halves.second, none, 1)), InputError);
}

TEST(Tie, RefusesAVertexOfTheElementThatItWouldFollow) {
  const VolumeMesh mesh = make_box({.cells_x = 4, .cells_y = 2, .cells_z = 2}).mesh;
  const std::vector<std::int32_t> end = plane(mesh, 0, 1), behind = plane(mesh, 0, 0.75);
  const std::string message = message_of([&] { static_cast<void>(tie_vertices(mesh, behind, end, 1, "*TIE SELF")); });
  EXPECT_NE(message.find("*TIE SELF: vertex "), std::string::npos) << message;
  EXPECT_NE(message.find("leave it out of what is tied"), std::string::npos) << message;
}

// Two tetrahedra on one triangle: all of its vertices are at the surface of the first one, but not the second one.
TEST(Tie, IsToElementsWithAFaceThere) {
  VolumeMesh mesh;
  mesh.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 1, 0.2, 0.2, -1, 0.2, 0.2, -0.5};
  mesh.blocks = {{ElementType::tet4, {0, 1, 2, 3, 0, 2, 1, 4}}};
  const std::vector<std::int32_t> surface = {0, 1, 2, 3}, inside = {5};
  const std::vector<Constraint> ties = tie_vertices(mesh, inside, surface, 1);
  ASSERT_EQ(ties.size(), 3U);
  for (const Constraint& tie : ties)
    for (const DisplacementTerm& term : tie.terms) EXPECT_NE(term.vertex, 4);
}

TEST(LinkRigidly, LetsASetMoveAsOneRigidBodyAlone) {
  const VolumeMesh mesh = test::make_box(test::BoxCells::tets, {3, 2, 2});
  const std::vector<std::int32_t> end = plane(mesh, 0, 1.5);
  const std::vector<Constraint> link = link_rigidly(mesh, end);
  EXPECT_EQ(link.size(), 3 * end.size() - 6);
  const SparseMatrix t = freedom_map(mesh, {plane(mesh, 0, 0), link});
  const MatrixXd all = t.map().toDense();
  MatrixXd rows(3 * std::ssize(end), all.cols()), motions(rows.rows(), 6);
  for (std::size_t i = 0; i < end.size(); ++i) {
    const auto row = 3 * static_cast<Eigen::Index>(i);
    rows.middleRows<3>(row) = all.middleRows<3>(3 * Eigen::Index{end[i]});
    for (int c = 0; c < 3; ++c) {
      motions.block<3, 1>(row, c) = Vector3d::Unit(c);
      motions.block<3, 1>(row, 3 + c) = Vector3d::Unit(c).cross(position(mesh, end[i]));
    }
  }
  const MatrixXd q = test::orthonormal_columns(motions);
  EXPECT_LE((rows - q * (q.transpose() * rows)).norm(), 1e-13 * rows.norm());
  EXPECT_EQ(t.cols, 3 * (mesh.vertex_count() - 2 * std::ssize(end)) + 6);
  EXPECT_LE(all.cwiseAbs().maxCoeff(), 4);  // no vertex lies far outside of those that lead
}

TEST(LinkRigidly, OfVerticesOnALineKeepsTheirTurnsAboutItOut) {
  const VolumeMesh mesh = test::make_box(test::BoxCells::hexes, {3, 1, 1});
  const std::vector<std::int32_t> line = {0, 1, 2, 3};
  EXPECT_EQ(link_rigidly(mesh, line).size(), 12U - 5U);
  EXPECT_EQ(link_rigidly(mesh, std::vector<std::int32_t>{0, 3}).size(), 1U);
  EXPECT_THROW(static_cast<void>(link_rigidly(mesh, std::vector<std::int32_t>{0, 0})), InputError);
  EXPECT_THROW(static_cast<void>(link_rigidly(mesh, std::vector<std::int32_t>{0, 99})), InputError);
}

TEST(HoldMean, KeepsTheMeanOfAllModes) {
  const VolumeMesh mesh = make_box({.cells_x = 6, .cells_y = 1, .cells_z = 1}).mesh;
  const std::vector<std::int32_t> end = plane(mesh, 0, 1);
  const LinearModes modes =
      linear_modes(ElasticSystem(mesh, {plane(mesh, 0, 0), {hold_mean(end, {0, 1, 0})}}), {.count = 4});
  for (Eigen::Index j = 0; j < 4; ++j) {
    double sum = 0, size = 0;
    for (const auto v : end) {
      sum += modes.vectors(3 * v + 1, j);
      size += std::abs(modes.vectors(3 * v + 1, j));
    }
    EXPECT_LE(std::abs(sum), 1e-13 * (size + modes.vectors.map().col(j).cwiseAbs().maxCoeff()));
  }
}

TEST(HoldMean, CountsEachVertexOnce) {
  const std::vector<std::int32_t> list = {4, 2, 4};
  const Constraint mean = hold_mean(list, {0, 1, 0});
  ASSERT_EQ(mean.terms.size(), 2U);
  EXPECT_NE(mean.terms[0].vertex, mean.terms[1].vertex);
}

TEST(HoldAlong, RefusesNoDirection) {
  const std::vector<std::int32_t> vertices = {0};
  EXPECT_THROW(static_cast<void>(hold_along(vertices, {0, 0, 0})), InputError);
  EXPECT_THROW(static_cast<void>(hold_mean(vertices, {0, NAN, 0})), InputError);
  EXPECT_THROW(static_cast<void>(hold_mean({}, {0, 1, 0})), InputError);
}

}  // namespace
