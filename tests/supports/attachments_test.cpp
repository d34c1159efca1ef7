// Rigid bodies, rotations and springs of sets of vertices, beside closed forms and independent algebra.
#include "quartic/attachments.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "quartic/editing.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/frame_moments.hpp"
#include "quartic/model.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"
#include "support/boxes.hpp"
#include "support/error_message.hpp"
#include "support/support.hpp"
#include "supports/supported_boxes.hpp"

namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using namespace quartic;
using test::message_of;
using test::plane;
using test::position;

// A motor beside the end of a box, with products of inertia.
const RigidMass motor_beside_box{.mass = 30, .centre = {2.1, 0.9, 0.3}, .inertia = {2, 3, 4, 0.5, -0.3, 0.4}};

VolumeMesh box_with_motor(Link link) {
  VolumeMesh mesh = test::make_box(test::BoxCells::alternating, {3, 2, 1});
  attach_rigid_mass(mesh, plane(mesh, 0, 1.5), motor_beside_box, link);
  return mesh;
}

Matrix3d motor_inertia() {
  Matrix3d inertia;
  inertia << 2, 0.5, -0.3, 0.5, 3, 0.4, -0.3, 0.4, 4;
  return inertia;
}

// u = v + omega x X.
VectorXd rigid_motion(const VolumeMesh& mesh, const Vector3d& v, const Vector3d& omega) {
  VectorXd u(3 * mesh.vertex_count());
  for (std::int32_t n = 0; n < mesh.vertex_count(); ++n) u.segment<3>(3 * n) = v + omega.cross(position(mesh, n));
  return u;
}

// A rigid body's kinetic energy m |v_c|^2 / 2 + omega . I omega / 2 is exact, whatever it moves like.
TEST(RigidMassTest, HasItsKineticEnergy) {
  const VolumeMesh bare = test::make_box(test::BoxCells::alternating, {3, 2, 1});
  const Vector3d v(0.3, -1, 0.7), omega(1.1, -0.4, 0.9);
  for (const Link link : {Link::rigid, Link::mean}) {
    const VolumeMesh mesh = box_with_motor(link);
    EXPECT_EQ(mesh.vertex_count(), bare.vertex_count() + 4);
    // The motion obeys all joints.
    const MatrixXd t = freedom_map(mesh, {}).map().toDense();
    const VectorXd u = rigid_motion(mesh, v, omega);
    EXPECT_LE((t * t.colPivHouseholderQr().solve(u) - u).norm(), 1e-12 * u.norm());
    const VectorXd own = rigid_motion(bare, v, omega);
    const Vector3d centre_velocity = v + omega.cross(Vector3d::Map(motor_beside_box.centre.data()));
    const double expected = own.dot(mass_matrix(bare).map() * own) +
                            motor_beside_box.mass * centre_velocity.squaredNorm() + omega.dot(motor_inertia() * omega);
    for (const MassMatrix kind : {MassMatrix::consistent, MassMatrix::lumped}) {
      const double lumped_away = own.dot(mass_matrix(bare, kind).map() * own) - own.dot(mass_matrix(bare).map() * own);
      EXPECT_NEAR(u.dot(mass_matrix(mesh, kind).map() * u) / (expected + lumped_away), 1, 1e-13);
    }
  }
}

TEST(RigidMassTest, IsInMomentsGravityAndModelFiles) {
  const test::TemporaryFolder folder;
  const VolumeMesh mesh = box_with_motor(Link::rigid), bare = test::make_box(test::BoxCells::alternating, {3, 2, 1});
  const ReducedModel model = reduce(mesh, plane(bare, 0, 0), {.modes = 4, .rank = 7, .region_parts = true});
  EXPECT_EQ(model.mesh.vertex_count(), mesh.vertex_count());
  const double own = mass_matrix(bare).map().sum() / 3;
  EXPECT_NEAR(model.frame_moments->mass, own + motor_beside_box.mass, 1e-9);
  save_model(model, folder / "motor.qrt");
  const ReducedModel loaded = load_model(folder / "motor.qrt");
  EXPECT_TRUE(loaded.notices.empty());
  EXPECT_EQ(loaded.mesh.masses.size(), 4U);
  // Forces of the energy are those of the mesh, and fields obey the link.
  const auto numbers = test::random_numbers(7, 5);
  const VectorXd q = 0.03 * VectorXd::Map(numbers.data(), 7), u = loaded.basis.map() * q;
  EXPECT_NEAR(evaluate(loaded.energy, {q.data(), 7}).energy /
                  strain_energy(mesh, {u.data(), static_cast<std::size_t>(u.size())}),
              1, 1e-10);
  const MatrixXd t = freedom_map(mesh, plane(bare, 0, 0)).map().toDense();
  EXPECT_LE((t * t.colPivHouseholderQr().solve(u) - u).norm(), 1e-11 * u.norm());
}

// Modes by the library and by dense algebra of T^T K T and T^T M T.
TEST(RigidMassTest, HasTheModesOfDenseAlgebra) {
  for (const Link link : {Link::rigid, Link::mean}) {
    const VolumeMesh mesh = box_with_motor(link);
    const auto held = plane(test::make_box(test::BoxCells::alternating, {3, 2, 1}), 0, 0);
    const VectorXd expected = test::dense_eigenvalues(mesh, held);
    const LinearModes modes = linear_modes(ElasticSystem(mesh, held), {.count = 5});
    for (Eigen::Index i = 0; i < 5; ++i)
      EXPECT_NEAR(modes.eigenvalues[static_cast<std::size_t>(i)] / expected[i], 1, 1e-10);
    // And it stays a free body.
    EXPECT_EQ(rigid_modes(mesh, mass_matrix(mesh), {}).cols, 6);
  }
}

// The mean motion is the least-squares fit of a rigid one: vertices that make up no face count alike.
TEST(RigidMassTest, FollowsTheLeastSquaresFit) {
  VolumeMesh mesh = test::make_box(test::BoxCells::hexes, {2, 2, 2});
  const std::vector<std::int32_t> some = {0, 5, 11, 16, 20};
  const auto before = static_cast<Eigen::Index>(mesh.vertex_count());
  attach_rigid_mass(mesh, some, {.mass = 1, .centre = {1, 2, -1}}, Link::mean);
  ASSERT_EQ(mesh.vertex_count(), before + 1);
  MatrixXd fit(3 * std::ssize(some), 6);
  for (std::size_t i = 0; i < some.size(); ++i) {
    const Vector3d x = position(mesh, some[i]);
    for (Eigen::Index c = 0; c < 3; ++c) {
      const auto row = 3 * static_cast<Eigen::Index>(i) + c;
      fit.row(row).head(3) = Vector3d::Unit(c);
      fit.row(row).tail(3) = x.cross(Vector3d::Unit(c));
    }
  }
  const MatrixXd t = freedom_map(mesh, {}).map().toDense();
  ASSERT_EQ(t.cols(), 3 * before);  // nothing else is bound
  const auto numbers = test::random_numbers(static_cast<std::size_t>(3 * before), 8);
  const VectorXd u = t * VectorXd::Map(numbers.data(), 3 * before);
  VectorXd moved(3 * std::ssize(some));
  for (std::size_t i = 0; i < some.size(); ++i)
    moved.segment<3>(3 * static_cast<Eigen::Index>(i)) = u.segment<3>(3 * Eigen::Index{some[i]});
  const VectorXd z = fit.colPivHouseholderQr().solve(moved);
  const Vector3d expected = Vector3d(z.head(3)) + Vector3d(z.tail(3)).cross(Vector3d(1, 2, -1));
  EXPECT_LE((Vector3d(u.tail(3)) - expected).norm(), 1e-12 * expected.norm());
}

TEST(RigidMassTest, RefusesWhatNoBodyHas) {
  const VolumeMesh mesh = test::make_box(test::BoxCells::hexes, {2, 2, 2});
  const auto face = plane(mesh, 0, 0);
  const auto refused = [&](const std::vector<std::int32_t>& vertices, const RigidMass& body) {
    VolumeMesh changed = mesh;
    const std::string message = message_of([&] { attach_rigid_mass(changed, vertices, body, Link::rigid, "a motor"); });
    EXPECT_EQ(changed.vertices, mesh.vertices);
    EXPECT_TRUE(changed.joints.empty() && changed.masses.empty());
    return message;
  };
  EXPECT_EQ(refused(face, {.mass = 1, .inertia = {1, 1, 2.5}}),
            "a motor: no body has these moments of inertia, since the largest principal one, 2.5 kg m^2, is more than "
            "the sum of both others");
  EXPECT_EQ(refused(face, {.inertia = {1, 1, 1}}), "a motor: moments of inertia need a mass; give the body its own");
  EXPECT_EQ(refused(face, {.mass = -1}), "a motor: a rigid body needs a mass of 0 or more, and finite numbers");
  EXPECT_EQ(refused({}, {.mass = 1}), "a motor: it needs vertices that move it");
  EXPECT_EQ(refused({99}, {.mass = 1}), "a motor: vertex 99 is outside 0 .. 26");
  EXPECT_NE(refused({0, 1}, {.mass = 1, .centre = {9, 9, 9}}).find("on a line or at one place"), std::string::npos);
  // A plate and a rod are bodies, too.
  VolumeMesh plate = mesh;
  attach_rigid_mass(plate, face, {.mass = 1, .inertia = {1, 1, 2}}, Link::rigid);
  attach_rigid_mass(plate, face, {.mass = 1, .inertia = {0, 1, 1}}, Link::rigid);
  EXPECT_EQ(plate.masses.size(), 8U);
}

TEST(RigidMassTest, IsNoPlaceToHoldTheBody) {
  const VolumeMesh mesh = box_with_motor(Link::rigid);
  EXPECT_TRUE(vertices_in_box(mesh, {1.6, -9, -9, 9, 9, 9}).empty());
  EXPECT_EQ(check_mesh(mesh).unreferenced_vertices, 0);
  EXPECT_NO_THROW(require_no_repairs(mesh));
  VolumeMesh half = mesh;  // joints that leave one of the points free along z
  half.joints.pop_back();
  EXPECT_NE(message_of([&] { static_cast<void>(freedom_map(half, {})); }).find("leave it free along z"),
            std::string::npos);
}

TEST(MeanRotation, IsThatOfARigidMotion) {
  const VolumeMesh mesh = test::make_box(test::BoxCells::alternating, {3, 2, 1});
  const auto end = plane(mesh, 0, 1.5);
  const Vector3d axis(1, 2, -0.5), omega(0.3, -0.2, 0.9);
  const VectorXd u = rigid_motion(mesh, {4, 5, 6}, omega);
  double sum = 0;
  for (const DisplacementTerm& term : mean_rotation(mesh, end, test::array_of(axis)))
    sum += Vector3d::Map(term.factors.data()).dot(u.segment<3>(3 * Eigen::Index{term.vertex}));
  EXPECT_NEAR(sum, omega.dot(axis.normalized()), 1e-12);
  EXPECT_THROW(static_cast<void>(mean_rotation(mesh, end, {0, 0, 0})), InputError);
  const std::vector<std::int32_t> one = {0};
  EXPECT_THROW(static_cast<void>(mean_rotation(mesh, one, {1, 0, 0})), InputError);
}

// A stiff block that a torsional spring holds by its top and a hinge along an edge: omega^2 = k / J.
TEST(MeanRotation, LetsABlockSwingOnATorsionalSpring) {
  const Material material{.youngs_modulus = 1e11, .poissons_ratio = 0.3, .density = 1000};
  VolumeMesh mesh = make_box({.length = 0.3, .width = 0.4, .height = 0.5, .material = material}).mesh;
  const double stiffness = 1e3;
  mesh.springs = {{mean_rotation(mesh, plane(mesh, 2, 0.5), {0, 1, 0}), stiffness}};
  std::vector<std::int32_t> hinge;
  for (const auto v : plane(mesh, 2, 0))
    if (position(mesh, v)[0] == 0) hinge.push_back(v);
  const LinearModes modes = linear_modes(ElasticSystem(mesh, hinge), {.count = 1});
  EXPECT_EQ(modes.rigid_modes, 0);
  const double mass = 1000 * 0.3 * 0.4 * 0.5, moment = mass * (0.3 * 0.3 + 0.5 * 0.5) / 3;
  EXPECT_NEAR(modes.eigenvalues[0] / (stiffness / moment), 1, 1e-5);  // k over E I / L of the block is 1e-6
}

// Two blocks that slide along x: omega^2 = k (1 / m + 1 / M).
TEST(SpringsBetween, LetTwoBlocksSwing) {
  const Material material{.youngs_modulus = 1e11, .poissons_ratio = 0, .density = 1000};
  VolumeMesh mesh = make_box({.length = 0.3, .width = 0.4, .height = 0.5, .material = material}).mesh;
  const VolumeMesh other =
      test::moved(make_box({.length = 0.2, .width = 0.4, .height = 0.5, .material = material}).mesh,
                  Matrix3d::Identity(), {1, 0, 0});
  const auto first = static_cast<std::int32_t>(mesh.vertex_count());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const auto v : other.blocks.front().vertices) mesh.blocks.front().vertices.push_back(first + v);
  mesh.element_region.insert(mesh.element_region.end(), other.element_region.begin(), other.element_region.end());
  const auto a = plane(mesh, 0, 0.3), b = plane(mesh, 0, 1);
  mesh.springs = springs_between(mesh, a, b, 2e4);
  EXPECT_EQ(rigid_modes(mesh, mass_matrix(mesh), {}).cols, 9);  // it carries no moments
  std::vector<std::int32_t> all(static_cast<std::size_t>(mesh.vertex_count()));
  for (std::size_t v = 0; v < all.size(); ++v) all[v] = static_cast<std::int32_t>(v);
  Supports guides({}, hold_along(all, {0, 1, 0}));
  test::append(guides.constraints, hold_along(all, {0, 0, 1}));
  const LinearModes modes = linear_modes(ElasticSystem(mesh, guides), {.count = 1});
  EXPECT_EQ(modes.rigid_modes, 1);
  EXPECT_NEAR(modes.eigenvalues[0] / (2e4 * (1 / 60.0 + 1 / 40.0)), 1, 1e-5);
  EXPECT_THROW(static_cast<void>(springs_between(mesh, a, a, 1)), InputError);
  EXPECT_THROW(static_cast<void>(springs_between(mesh, a, b, -1)), InputError);
  EXPECT_THROW(static_cast<void>(springs_between(mesh, a, {}, 1)), InputError);
}

TEST(SpreadMassPerArea, IsThatOfTheArea) {
  const VolumeMesh mesh = make_box({.length = 0.3, .width = 0.4, .height = 0.5, .cells_x = 2}).mesh;
  double sum = 0;
  for (const PointMass& mass : spread_mass_per_area(mesh, plane(mesh, 2, 0.5), 7)) sum += mass.mass;
  EXPECT_NEAR(sum, 7 * 0.3 * 0.4, 1e-14);
  const std::vector<std::int32_t> two = {0, 1};
  EXPECT_THROW(static_cast<void>(spread_mass_per_area(mesh, two, 1)), InputError);
  EXPECT_THROW(static_cast<void>(spread_mass_per_area(mesh, plane(mesh, 2, 0.5), -1)), InputError);
}

}  // namespace
