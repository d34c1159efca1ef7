// Bodies held in directions through every stage: modes, derivatives, basis, energy, statics, motion, files.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "quartic/batch.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/model.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"
#include "quartic/statics.hpp"
#include "quartic/unreduced.hpp"
#include "support/boxes.hpp"
#include "support/files.hpp"
#include "support/safetensors_header.hpp"
#include "support/support.hpp"
#include "supports/supported_boxes.hpp"

namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using namespace quartic;
using test::array_of;
using test::plane;

// A body that slides on a plane, and whose end is held along a slanted direction and linked rigidly.
struct SlidingBody {
  VolumeMesh mesh = test::make_box(test::BoxCells::hexes, {3, 2, 1});
  Supports supports;

  SlidingBody() {
    const auto fixed = plane(mesh, 0, 0), end = plane(mesh, 0, 1.5), floor = plane(mesh, 2, 0);
    supports.fixed_vertices = {fixed.front()};
    test::append(supports.constraints, hold_along(fixed, {1, 0, 0}));
    test::append(supports.constraints, hold_along(floor, {0, 0, 1}));
    mesh.joints = link_rigidly(mesh, end);
    supports.constraints.push_back(hold_mean(end, {0.3, 1, 0.2}));
  }
  [[nodiscard]] MatrixXd t() const { return freedom_map(mesh, supports).map().toDense(); }
};

// How far displacements are from T x.
double disobedience(const MatrixXd& t, const MatrixXd& u) {
  const MatrixXd q = test::orthonormal_columns(t);
  return (u - q * (q.transpose() * u)).norm() / u.norm();
}

TEST(SupportedBody, HasTheEigenvaluesOfItsDenseMatrices) {
  const SlidingBody body;
  const ElasticSystem system(body.mesh, body.supports);
  EXPECT_EQ(system.rigid_mode_count(), 0);
  EXPECT_EQ(system.free_dof_count(), body.t().cols());
  const LinearModes modes = linear_modes(system, {.count = 6});
  const VectorXd expected = test::dense_eigenvalues(body.mesh, body.supports);
  // The dense solver rounds to the largest eigenvalue, thousands of times the lowest.
  for (int j = 0; j < 6; ++j) EXPECT_NEAR(modes.eigenvalues[static_cast<std::size_t>(j)] / expected[j], 1, 1e-11);
  EXPECT_LE(disobedience(body.t(), modes.vectors.map()), 1e-13);
  const ElasticSystem own(stiffness_matrix(body.mesh), mass_matrix(body.mesh), [&] {
    Supports all = body.supports;
    test::append(all.constraints, body.mesh.joints);
    return all;
  }());
  EXPECT_NEAR(linear_modes(own, {.count = 1}).eigenvalues[0] / expected[0], 1, 1e-11);
}

TEST(SupportedBody, HasTheSameEigenvaluesInARotatedFrame) {
  const Eigen::Matrix3d r = test::some_rotation();
  for (const test::BoxCells cells : {test::BoxCells::tets, test::BoxCells::curved_hex20}) {
    const VolumeMesh straight = test::make_box(cells, {2, 2, 1}), turned = test::moved(straight, r, {1, 2, -3});
    Supports along, slanted;
    const auto hold = [&](int axis, double value) {
      const auto face = plane(straight, axis, value);
      test::append(along.constraints, hold_along(face, array_of(Vector3d::Unit(axis))));
      test::append(slanted.constraints, hold_along(face, array_of(r.col(axis))));
    };
    hold(0, 0);
    hold(1, 0);
    hold(2, 0.4);
    const LinearModes a = linear_modes(ElasticSystem(straight, along), {.count = 5});
    const LinearModes b = linear_modes(ElasticSystem(turned, slanted), {.count = 5});
    EXPECT_EQ(a.rigid_modes, 0);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(b.eigenvalues[j] / a.eigenvalues[j], 1, 1e-12);
    // The faces' normals are these directions.
    const LinearModes c =
        linear_modes(ElasticSystem(turned, {{},
                                            [&] {
                                              auto held = hold_normals(turned, plane(straight, 0, 0));
                                              test::append(held, hold_normals(turned, plane(straight, 1, 0)));
                                              test::append(held, hold_normals(turned, plane(straight, 2, 0.4)));
                                              return held;
                                            }()}),
                     {.count = 5});
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(c.eigenvalues[j] / a.eigenvalues[j], 1, 1e-12);
  }
}

TEST(SupportedBody, KeepsTheRigidMotionsThatSupportsLeave) {
  const VolumeMesh mesh = test::make_box(test::BoxCells::tets, {3, 2, 2});
  const SparseMatrix mass = mass_matrix(mesh);
  const auto count = [&](const Supports& supports) { return rigid_modes(mesh, mass, supports).cols; };
  const auto floor = plane(mesh, 2, 0);
  const std::vector<std::int32_t> one = {floor.front()};
  EXPECT_EQ(count({{}, hold_along(floor, {0, 0, 1})}), 3);  // two ways and a turn
  EXPECT_EQ(count({one, hold_along(floor, {0, 0, 1})}), 1);
  EXPECT_EQ(count({{}, hold_along(one, {1, 1, 0})}), 5);
  EXPECT_EQ(count({{}, link_rigidly(mesh, floor)}), 6);
  EXPECT_EQ(count({{}, {hold_mean(floor, {0, 1, 0})}}), 5);
  const LinearModes sliding = linear_modes(ElasticSystem(mesh, {{}, hold_along(floor, {0, 0, 1})}), {.count = 3});
  const VectorXd expected = test::dense_eigenvalues(mesh, {{}, hold_along(floor, {0, 0, 1})});
  EXPECT_EQ(sliding.rigid_modes, 3);
  for (int j = 0; j < 3; ++j)
    EXPECT_NEAR(sliding.eigenvalues[static_cast<std::size_t>(j)] / expected[3 + j], 1, 1e-10);  // beside round-off of 0
}

// Half a bar, held in y alone where it was cut, has the whole one's modes that are symmetric about the cut.
TEST(SupportedBody, HalfByItsSymmetryHasModesOfTheWhole) {
  const VolumeMesh whole = make_box({.width = 0.2, .cells_x = 8, .cells_y = 4, .cells_z = 2}).mesh;
  const VolumeMesh half = make_box({.width = 0.1, .cells_x = 8, .cells_y = 2, .cells_z = 2}).mesh;
  const LinearModes all = linear_modes(ElasticSystem(whole, plane(whole, 0, 0)), {.count = 12});
  const LinearModes some =
      linear_modes(ElasticSystem(half, {plane(half, 0, 0), hold_along(plane(half, 1, 0.1), {0, 1, 0})}), {.count = 4});
  for (const double value : some.eigenvalues) {
    double nearest = 1;
    for (const double other : all.eigenvalues) nearest = std::min(nearest, std::abs(value / other - 1));
    EXPECT_LE(nearest, 1e-11);
  }
}

// Static derivatives solve T^T (K Phi + H : Psi Psi) = 0, and inertial ones their own equation, whatever T is.
TEST(SupportedBody, HasModalDerivativesThatObey) {
  const SlidingBody body;
  const ElasticSystem system(body.mesh, body.supports);
  const LinearModes modes = linear_modes(system, {.count = 3});
  const MatrixXd t = body.t();
  const auto k = stiffness_matrix(body.mesh), m = mass_matrix(body.mesh);
  for (const DerivativeKind kind : {DerivativeKind::statics, DerivativeKind::inertial}) {
    const ModalDerivatives derivatives = modal_derivatives(body.mesh, system, modes.vectors.map(), {.kind = kind});
    EXPECT_LE(disobedience(t, derivatives.vectors.map()), 1e-12);
    const Matrix h = force_hessian(body.mesh, modes.vectors.map(), derivatives.pairs);
    for (std::size_t p = 0; p < derivatives.pairs.size(); ++p) {
      const auto column = static_cast<Eigen::Index>(p);
      const VectorXd phi = derivatives.vectors.map().col(column);
      VectorXd left = k.map() * phi + h.map().col(column);
      if (kind == DerivativeKind::inertial) {
        const auto i = derivatives.pairs[p][0];
        const VectorXd psi = modes.vectors.map().col(i), m_psi = m.map() * psi;
        left -= modes.eigenvalues[static_cast<std::size_t>(i)] * (m.map() * phi);
        left -= m_psi * psi.dot(h.map().col(column));
      }
      EXPECT_LE((t.transpose() * left).norm(), 1e-9 * (t.transpose() * h.map().col(column)).norm()) << p;
    }
  }
}

TEST(SupportedBody, ReducesToTheEnergyOfItsOwnDisplacements) {
  const SlidingBody body;
  const ReducedModel model = reduce(body.mesh, body.supports, {.modes = 4, .rank = 8});
  EXPECT_LE(disobedience(body.t(), model.basis.map()), 1e-12);
  EXPECT_EQ(model.constraints.size(), body.supports.constraints.size());
  const auto numbers = test::random_numbers(8, 5);
  const VectorXd q = 0.02 * VectorXd::Map(numbers.data(), 8);
  const VectorXd u = model.basis.map() * q;
  const double expected = strain_energy(body.mesh, {u.data(), static_cast<std::size_t>(u.size())});
  EXPECT_NEAR(evaluate(model.energy, {q.data(), 8}).energy / expected, 1, 1e-11);
}

TEST(SupportedBody, RefusesABasisThatDoesNotObey) {
  const SlidingBody body;
  const ReducedModel model = reduce(body.mesh, body.supports, {.modes = 2, .rank = 3});
  EXPECT_NO_THROW(static_cast<void>(reduce_with_basis(body.mesh, body.supports, model.basis.map())));
  Matrix other = model.basis;
  other(3 * plane(body.mesh, 2, 0).back() + 2, 1) += 0.1 * other.map().col(1).cwiseAbs().maxCoeff();
  EXPECT_THROW(static_cast<void>(reduce_with_basis(body.mesh, body.supports, other.map())), InputError);
}

// A block between three planes without friction, pulled along x until it is a fifth longer: the stress is uniform,
// S11 = E E11, the nominal traction F11 S11, and it gets thinner by E22 = -nu E11.
TEST(SupportedBody, StretchesBetweenPlanesAsTheClosedFormSays) {
  const Material material{.youngs_modulus = 2e5, .poissons_ratio = 0.3, .density = 1000};
  const VolumeMesh mesh = make_box({.length = 1, .width = 0.5, .height = 0.4, .cells_x = 3, .material = material}).mesh;
  Supports supports;
  for (int axis = 0; axis < 3; ++axis)
    test::append(supports.constraints, hold_along(plane(mesh, axis, 0), array_of(Vector3d::Unit(axis))));
  const double stretch = 1.2, strain = (stretch * stretch - 1) / 2;
  const double force = stretch * material.youngs_modulus * strain * 0.5 * 0.4;
  const auto end = plane(mesh, 0, 1);
  std::vector<double> load(mesh.vertices.size());
  for (const PointMass& share : spread_mass(mesh, end, 1))
    load[static_cast<std::size_t>(3 * share.vertex)] = force * share.mass;
  StaticSolver solver(mesh, supports);
  const Equilibrium found = solver.solve(load);
  ASSERT_TRUE(found.converged);
  const double thinner = std::sqrt(1 - 2 * material.poissons_ratio * strain) - 1;
  for (std::size_t v = 0; 3 * v < load.size(); ++v)
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(found.solution[3 * v + c], (c == 0 ? stretch - 1 : thinner) * mesh.vertices[3 * v + c], 1e-9);
  EXPECT_THROW(StaticSolver(mesh, {{}, hold_along(plane(mesh, 0, 0), {1, 0, 0})}), InputError);  // it may slide
}

// With as many coordinates as are free, the reduced body is the unreduced one.
TEST(SupportedBody, MovesAsItsReductionOnACompleteBasis) {
  VolumeMesh mesh = make_box({.length = 1, .width = 0.5, .height = 0.4, .cells_x = 2, .cells_y = 1, .cells_z = 1}).mesh;
  Supports supports({}, hold_along(plane(mesh, 0, 0), {1, 0, 0}));
  test::append(supports.constraints, hold_along(plane(mesh, 1, 0), {0.1, 1, 0}));
  supports.fixed_vertices = {plane(mesh, 0, 0).front()};
  mesh.joints = link_rigidly(mesh, plane(mesh, 0, 1));
  const Matrix basis = to_matrix(freedom_map(mesh, supports).map().toDense());
  const ReducedModel model = reduce_with_basis(mesh, supports, basis.map());
  UnreducedBody body(mesh, supports, {.rayleigh_stiffness = 1e-3, .newton_iterations = 6});
  Batch<double> batch(model.energy, {.rayleigh_stiffness = 1e-3, .newton_iterations = 6});
  const auto numbers = test::random_numbers(mesh.vertices.size(), 11);
  const VectorXd force = 2e3 * VectorXd::Map(numbers.data(), std::ssize(numbers));
  std::copy(force.begin(), force.end(), body.force().begin());
  const VectorXd reduced = model.basis.map().transpose() * force;
  for (int i = 0; i < model.rank(); ++i) batch.force()(i, 0) = reduced[i];
  for (int step = 0; step < 20; ++step) {
    body.step(0.01);
    batch.step(0.01);
  }
  VectorXd q(model.rank());
  for (int i = 0; i < model.rank(); ++i) q[i] = batch.q()(i, 0);
  const VectorXd u = VectorXd::Map(body.displacement().data(), std::ssize(body.displacement()));
  EXPECT_GT(u.cwiseAbs().maxCoeff(), 0.01);  // far from linear
  EXPECT_LE((u - model.basis.map() * q).norm(), 1e-9 * u.norm());
}

TEST(SupportedBody, IsKeptInItsFile) {
  SlidingBody body;
  body.mesh.masses = {{3, 0.5}};
  body.mesh.springs = {{{{2, {1, 0, 0}}, {5, {0, -1, 0.5}}}, 30}};
  const ReducedModel model = reduce(body.mesh, body.supports, {.modes = 2, .rank = 3, .region_parts = true});
  const test::TemporaryFolder folder;
  save_model(model, folder / "a.qrt");
  const ReducedModel loaded = load_model(folder / "a.qrt");
  EXPECT_TRUE(loaded.notices.empty());
  const auto expect_same = [](const auto& a, const auto& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].terms.size(), b[i].terms.size());
      for (std::size_t t = 0; t < a[i].terms.size(); ++t) {
        EXPECT_EQ(a[i].terms[t].vertex, b[i].terms[t].vertex);
        EXPECT_EQ(a[i].terms[t].factors, b[i].terms[t].factors);
      }
    }
  };
  expect_same(model.constraints, loaded.constraints);
  expect_same(model.mesh.joints, loaded.mesh.joints);
  expect_same(model.mesh.springs, loaded.mesh.springs);
  EXPECT_EQ(loaded.mesh.springs.front().stiffness, 30);
  ASSERT_EQ(loaded.mesh.masses.size(), 1U);
  EXPECT_EQ(loaded.mesh.masses.front().mass, 0.5);
  EXPECT_NEAR(loaded.frame_moments->mass, model.frame_moments->mass, 0);
}

TEST(SupportedBody, IsRefusedBeforeItIsWrittenWithNumbersThatArentAny) {
  SlidingBody body;
  body.mesh.masses = {{3, 0.5}};
  body.mesh.springs = {{{{2, {1, 0, 0}}}, 30}};
  const ReducedModel model = reduce(body.mesh, body.supports, {.modes = 2, .rank = 3});
  const test::TemporaryFolder folder;
  const auto expect_refused = [&](const auto& damage) {
    ReducedModel damaged = model;
    damage(damaged);
    EXPECT_THROW(save_model(damaged, folder / "never.qrt"), InputError);
    EXPECT_FALSE(std::filesystem::exists(folder / "never.qrt"));
  };
  expect_refused([](ReducedModel& m) { m.constraints.front().terms.front().factors[1] = NAN; });
  expect_refused([](ReducedModel& m) { m.mesh.springs.front().terms.front().factors[0] = INFINITY; });
  expect_refused([](ReducedModel& m) { m.mesh.springs.front().stiffness = INFINITY; });
  expect_refused([](ReducedModel& m) { m.mesh.masses.front().mass = INFINITY; });
}

// A model file whose tensor begins with another number.
std::string with_first_value(std::string content, const char* tensor, std::int32_t value) {
  const auto data = content.size() - test::tensor_bytes(content).size();
  const auto place = test::header_of(content)[tensor]["data_offsets"][0].get<std::size_t>();
  std::memcpy(content.data() + data + place, &value, sizeof value);
  return content;
}

// Moments are compared with the masses while the file is read.
TEST(SupportedBody, IsRefusedWithMassesOutsideOfItsMesh) {
  SlidingBody body;
  body.mesh.masses = {{3, 0.5}};
  for (const MassMatrix kind : {MassMatrix::consistent, MassMatrix::lumped}) {
    const ReducedModel model =
        reduce(body.mesh, body.supports, {.modes = 2, .rank = 3, .region_parts = true, .mass_matrix = kind});
    const test::TemporaryFolder folder;
    save_model(model, folder / "a.qrt");
    const std::string content = test::file_text(folder / "a.qrt");
    for (const auto vertex : {std::int32_t{-1}, static_cast<std::int32_t>(model.mesh.vertex_count())}) {
      std::ofstream(folder / "b.qrt", std::ios::binary) << with_first_value(content, "point_mass_vertices", vertex);
      EXPECT_THROW(static_cast<void>(load_model(folder / "b.qrt")), ParseError);
    }
  }
}

// A set that holds nothing is one that isn't there.
TEST(SupportedBody, LosesSupportSetsOfDroppedVertices) {
  VolumeMesh mesh = test::make_box(test::BoxCells::hexes, {1, 1, 1});
  const auto loose = static_cast<std::int32_t>(mesh.vertex_count());
  mesh.vertices.insert(mesh.vertices.end(), {9, 9, 9});
  mesh.support_sets["loose"] = hold_along(std::vector<std::int32_t>{loose}, {1, 0, 0});
  mesh.support_sets["body"] = hold_along(std::vector<std::int32_t>{0}, {1, 0, 0});
  static_cast<void>(drop_unreferenced_vertices(mesh));
  EXPECT_FALSE(mesh.support_sets.contains("loose"));
  EXPECT_TRUE(mesh.support_sets.contains("body"));
}

TEST(SupportedBody, KeepsItsSupportsWhenVerticesAreRenumbered) {
  SlidingBody body;
  const auto count = body.mesh.vertex_count();
  VolumeMesh shifted = body.mesh;  // with a vertex of no element before all others
  shifted.vertices.insert(shifted.vertices.begin(), {9, 9, 9});
  for (ElementBlock& block : shifted.blocks)
    for (auto& v : block.vertices) ++v;
  Supports supports = body.supports;
  for (auto& v : supports.fixed_vertices) ++v;
  for (auto* list : {&supports.constraints, &shifted.joints})
    for (Constraint& constraint : *list)
      for (DisplacementTerm& term : constraint.terms) ++term.vertex;
  supports.constraints.push_back({{{0, {1, 0, 0}}}, "a support"});  // of what is dropped
  const ReducedModel model = reduce(shifted, supports, {.modes = 3, .energy = false});
  EXPECT_EQ(model.mesh.vertex_count(), count);
  const ReducedModel expected = reduce(body.mesh, body.supports, {.modes = 3, .energy = false});
  EXPECT_EQ(model.eigenvalues, expected.eigenvalues);
  shifted.joints.front().terms.push_back({0, {1, 0, 0}});
  EXPECT_THROW(static_cast<void>(reduce(shifted, supports, {.modes = 3, .energy = false})), InputError);
}

TEST(MakeQuadratic, ExtendsSupportsByDirection) {
  VolumeMesh mesh = test::make_box(test::BoxCells::hexes, {2, 1, 1});
  mesh.support_sets["boundary"] = hold_along(plane(mesh, 2, 0), {0, 0, 1});
  const VolumeMesh quadratic = make_quadratic(mesh);
  EXPECT_EQ(quadratic.support_sets.at("boundary").size(), plane(quadratic, 2, 0).size());
  mesh.joints = link_rigidly(mesh, plane(mesh, 0, 0));
  EXPECT_THROW(static_cast<void>(make_quadratic(mesh)), InputError);
}

}  // namespace
