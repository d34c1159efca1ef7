// Sets of vertices that are moved: unreduced and reduced bodies beside each other and beside closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "quartic/batch.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/driven.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/statics.hpp"
#include "quartic/unreduced.hpp"
#include "support/boxes.hpp"
#include "support/error_message.hpp"
#include "support/files.hpp"
#include "supports/supported_boxes.hpp"

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace quartic;
using test::append;
using test::BoxCells;
using test::plane;

VectorXd vector_of(std::span<const double> x) {
  return VectorXd::Map(x.data(), std::ssize(x));
}
std::span<const double> span_of(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// A box held at one end, whose other end is moved along x and along a slanted direction across it.
struct Pulled {
  VolumeMesh mesh = test::make_box(BoxCells::hexes_and_wedges, {2, 1, 1});
  std::vector<DrivenSet> sets = {{plane(mesh, 0, 1), {2, 0, 0}, "along"}, {plane(mesh, 0, 1), {0, 0.6, 0.8}, "across"}};
  Supports supports = plane(mesh, 0, 0);

  Pulled() {
    for (const DrivenSet& set : sets) append(supports.constraints, hold_along(set.vertices, set.direction));
  }
  /// A basis of all that is free.
  [[nodiscard]] ReducedModel whole() const {
    return reduce_with_basis(mesh, supports, MatrixXd(freedom_map(mesh, supports).map()));
  }
};

// Both ends accelerate smoothly from rest and come to a stop: s = a sin^2.
std::vector<double> places(double time) {
  const double s = std::sin(8 * time);
  return {0.12 * s * s, -0.07 * s * s};
}

TEST(DrivenSets, HoldCoordinatesOfTheEnergyExactly) {
  const Pulled body;
  const DrivenModel driven = drive_sets(reduce(body.mesh, body.supports, {.modes = 3, .rank = 4}), body.sets);
  const std::vector<double> held = {0.7, -1.3}, q = {0.4, -0.2, 0.9, 0.1};
  std::vector<double> all = q;
  all.insert(all.end(), held.begin(), held.end());
  const ReducedForces whole = evaluate(driven.model.energy, all);
  const ReducedForces part = evaluate(hold_coordinates(driven.model.energy, held), q);
  EXPECT_NEAR(part.energy, whole.energy, 1e-12 * whole.energy);
  for (std::size_t i = 0; i < q.size(); ++i)
    EXPECT_NEAR(part.force[i], whole.force[i], 1e-12 * std::abs(whole.force[i]) + 1e-9);
  EXPECT_LE((part.stiffness.map() - whole.stiffness.map().topLeftCorner(4, 4)).norm(),
            1e-12 * whole.stiffness.map().norm());
  EXPECT_THROW(static_cast<void>(hold_coordinates(driven.model.energy, all)), InputError);
}

// Fields and mass are what the header says: unit displacements, in balance elsewhere, orthonormal to the basis.
TEST(DrivenSets, LiftingFieldsAreStaticAnswers) {
  const Pulled body;
  const MatrixXd p = driven_fields(body.mesh, body.supports, body.sets).map();
  const MatrixXd l = lifting_fields(body.mesh, body.supports, body.sets).map();
  const Eigen::Vector3d directions[] = {{1, 0, 0}, {0, 0.6, 0.8}};
  for (Eigen::Index s = 0; s < 2; ++s)
    for (std::int32_t v = 0; v < body.mesh.vertex_count(); ++v) {
      const bool is_moved = std::ranges::binary_search(body.sets[0].vertices, v);
      for (Eigen::Index d = 0; d < 2 && is_moved; ++d) {  // across both directions they are free
        EXPECT_NEAR(p.col(s).segment<3>(3 * v).dot(directions[d]), d == s ? 1 : 0, 1e-14) << v;
        EXPECT_NEAR(l.col(s).segment<3>(3 * v).dot(directions[d]), d == s ? 1 : 0, 1e-14) << v;
      }
      if (!is_moved) {
        EXPECT_EQ((p.col(s).segment<3>(3 * v).norm()), 0) << v;
      }
    }
  const MatrixXd t = freedom_map(body.mesh, body.supports).map();
  const SparseMatrix k = stiffness_matrix(body.mesh);
  EXPECT_LE((t.transpose() * (k.map() * l)).norm(), 1e-12 * (k.map() * p).norm());
  const DrivenModel driven = drive_sets(reduce(body.mesh, body.supports, {.modes = 3, .rank = 4}), body.sets);
  const MatrixXd b = driven.model.basis.map(), mass = mass_matrix(body.mesh).map();
  EXPECT_LE((b.transpose() * mass * b - MatrixXd::Identity(6, 6)).norm(), 1e-12);
  EXPECT_LE((b * driven.coordinates.map() - l).norm(), 1e-12 * l.norm());
}

// With a basis that leaves nothing out, both solve the same equations: in other coordinates, which inertia couples in
// one and not in the other.
void expect_the_same_motion(Integrator integrator, double alpha, double beta, double tolerance) {
  SCOPED_TRACE(std::string(integrator_name(integrator)) + " " + std::to_string(alpha) + " " + std::to_string(beta));
  const Pulled body;
  const DrivenModel driven = drive_sets(body.whole(), body.sets);
  UnreducedBody unreduced(body.mesh, body.supports,
                          {.integrator = integrator,
                           .rayleigh_mass = alpha,
                           .rayleigh_stiffness = beta,
                           .newton_iterations = 4,
                           .driven = driven_fields(body.mesh, body.supports, body.sets)});
  std::vector<BodyGroup> groups(1);
  groups[0].energy = driven.model.energy;
  groups[0].driven = 2;
  Batch<double> batch(
      groups, {.integrator = integrator, .rayleigh_mass = alpha, .rayleigh_stiffness = beta, .newton_iterations = 4});
  constexpr double dt = 0.004;
  const int rank = driven.model.rank();
  for (int step = 1; step <= 60; ++step) {
    const std::vector<double> s = places(step * dt), z = driven.driven_coordinates(s);
    unreduced.set_driven(s);
    unreduced.step(dt);
    for (int i = 0; i < 2; ++i) batch.force()(rank - 2 + i, 0) = z[static_cast<std::size_t>(i)];
    batch.step(dt);
  }
  ASSERT_EQ(unreduced.status(), BodyStatus::ok);
  VectorXd q(rank), rate(rank);
  for (int i = 0; i < rank; ++i) q[i] = std::as_const(batch).q()(i, 0), rate[i] = std::as_const(batch).velocity()(i, 0);
  const VectorXd u = vector_of(std::as_const(unreduced).displacement());
  EXPECT_GT(u.lpNorm<Eigen::Infinity>(), 0.05);
  EXPECT_LE((driven.model.basis.map() * q - u).norm(), tolerance * u.norm());
  for (const std::int32_t v : body.sets[0].vertices)
    EXPECT_NEAR(u[3 * v], places(60 * dt)[0], 1e-13);  // exactly where it is to be
}

TEST(DrivenSets, MoveReducedBodiesAsUnreducedOnes) {
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler}) {
    expect_the_same_motion(integrator, 0, 0, 1e-9);
    expect_the_same_motion(integrator, 2, 0, 1e-9);
    // Damping by stiffness takes the sets' mean velocity, carried on to the step's end, along P in one and along L in
    // the other: what that differs in from the integrator's own velocity is of the integrator's order.
    expect_the_same_motion(integrator, 2, 0.003, integrator == Integrator::newmark ? 5e-5 : 2e-3);
  }
}

TEST(DrivenSets, RestReducedWhereTheyRestUnreduced) {
  const Pulled body;
  const DrivenModel driven = drive_sets(body.whole(), body.sets);
  const std::vector<double> s = {0.15, -0.1};
  const VectorXd start = driven_fields(body.mesh, body.supports, body.sets).map() * vector_of(s);
  const Equilibrium unreduced = StaticSolver(body.mesh, body.supports, {.load_steps = 4})
                                    .solve(std::vector<double>(body.mesh.vertices.size()), span_of(start));
  ASSERT_TRUE(unreduced.converged && unreduced.stable);
  const std::vector<double> z = driven.driven_coordinates(s);
  const QuarticEnergy energy = hold_coordinates(driven.model.energy, z);
  const Equilibrium reduced = reduced_equilibrium(energy, std::vector<double>(static_cast<std::size_t>(energy.rank)));
  ASSERT_TRUE(reduced.converged && reduced.stable);
  VectorXd q(driven.model.rank());
  q << vector_of(reduced.solution), vector_of(z);
  const VectorXd u = vector_of(unreduced.solution);
  EXPECT_LE((driven.model.basis.map() * q - u).norm(), 1e-8 * u.norm());
}

// A bar between guides, driven at x = 0 and free at L: u = A cos(k (L - x)) / cos(k L) sin(omega t), k = omega / c,
// with c^2 = (lambda + 2 mu) / rho.
struct Bar {
  static constexpr double length = 1, young = 1e6, nu = 0.2, density = 500, amplitude = 1e-6;
  const double c = std::sqrt(young * (1 - nu) / ((1 + nu) * (1 - 2 * nu)) / density);
  const double omega = 0.8 * M_PI / 2 * c / length, k = omega / c;  // four fifths of the first resonance
  VolumeMesh mesh;
  std::vector<DrivenSet> sets;
  Supports supports;

  Bar() {
    mesh = make_quadratic(test::make_box(BoxCells::hexes, {8, 1, 1}, 0));
    for (std::size_t i = 0; i < mesh.vertices.size(); i += 3) mesh.vertices[i] *= length / 4;  // 8 cells of 0.5
    for (Region& region : mesh.regions) region.material = Material{young, nu, density};
    sets = {{plane(mesh, 0, 0), {1, 0, 0}}};
    std::vector<std::int32_t> all;
    for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) all.push_back(v);
    supports.constraints = hold_along(all, {0, 1, 0});
    append(supports.constraints, hold_along(all, {0, 0, 1}));
    append(supports.constraints, hold_along(sets[0].vertices, {1, 0, 0}));
  }
  [[nodiscard]] VectorXd shape() const {
    VectorXd u = VectorXd::Zero(3 * mesh.vertex_count());
    for (std::int32_t v = 0; v < mesh.vertex_count(); ++v)
      u[3 * v] =
          amplitude * std::cos(k * (length - mesh.vertices[static_cast<std::size_t>(3 * v)])) / std::cos(k * length);
    return u;
  }
};

TEST(DrivenSets, StandingWaveOfABarIsTheClosedOne) {
  const Bar bar;
  constexpr int steps = 2000;
  const double time = 2.3 * 2 * M_PI / bar.omega, dt = time / steps;
  const VectorXd shape = bar.shape();
  UnreducedBody body(bar.mesh, bar.supports, {.driven = driven_fields(bar.mesh, bar.supports, bar.sets)});
  body.place_driven(std::vector{0.0}, std::vector{bar.amplitude * bar.omega});
  VectorXd::Map(body.velocity().data(), shape.size()) = bar.omega * shape;
  const DrivenModel driven =
      drive_sets(reduce(bar.mesh, bar.supports, {.modes = 8, .rank = 8, .derivatives = false}), bar.sets);
  std::vector<BodyGroup> groups(1);
  groups[0].energy = driven.model.energy;
  groups[0].driven = 1;
  Batch<double> batch(groups);
  const SparseMatrix mass = mass_matrix(bar.mesh);
  const VectorXd start = driven.model.basis.map().transpose() * (mass.map() * shape);
  for (int i = 0; i < driven.model.rank(); ++i) batch.velocity()(i, 0) = bar.omega * start[i];
  for (int step = 1; step <= steps; ++step) {
    const std::vector<double> s = {bar.amplitude * std::sin(bar.omega * step * dt)};
    body.set_driven(s);
    body.step(dt);
    batch.force()(driven.model.rank() - 1, 0) = driven.driven_coordinates(s)[0];
    batch.step(dt);
  }
  const VectorXd expected = std::sin(bar.omega * time) * shape;
  VectorXd q(driven.model.rank());
  for (int i = 0; i < q.size(); ++i) q[i] = std::as_const(batch).q()(i, 0);
  // Waves through 8 elements of second order, and 8 modes beside the static answer.
  EXPECT_LE((vector_of(std::as_const(body).displacement()) - expected).norm(), 2e-4 * shape.norm());
  EXPECT_LE((driven.model.basis.map() * q - expected).norm(), 1e-3 * shape.norm());
}

// All integrators find the same motion, each with its order, as steps get shorter.
TEST(DrivenSets, AllIntegratorsConverge) {
  const Pulled body;
  const DrivenModel driven = drive_sets(reduce(body.mesh, body.supports, {.modes = 3, .rank = 4}), body.sets);
  const int rank = driven.model.rank();
  const auto end_of = [&](Integrator integrator, Evaluation evaluation, int steps) {
    std::vector<BodyGroup> groups(1);
    groups[0].energy = driven.model.energy;
    groups[0].driven = 2;
    Batch<double> batch(groups, {.integrator = integrator,
                                 .rayleigh_mass = 1,
                                 .rayleigh_stiffness = 1e-4,
                                 .newton_iterations = 4,
                                 .evaluation = evaluation});
    constexpr double time = 0.16;
    for (int step = 1; step <= steps; ++step) {
      const std::vector<double> z = driven.driven_coordinates(places(time * step / steps));
      for (int i = 0; i < 2; ++i) batch.force()(rank - 2 + i, 0) = z[static_cast<std::size_t>(i)];
      batch.step(time / steps);
    }
    VectorXd q(rank);
    for (int i = 0; i < rank; ++i) q[i] = std::as_const(batch).q()(i, 0);
    return q;
  };
  const VectorXd reference = end_of(Integrator::energy_conserving, Evaluation::strict, 12800);
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler, Integrator::central_differences,
                                      Integrator::energy_conserving})
    for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
      SCOPED_TRACE(std::string(integrator_name(integrator)));
      const double coarse = (end_of(integrator, evaluation, 800) - reference).norm(),
                   fine = (end_of(integrator, evaluation, 1600) - reference).norm();
      EXPECT_LE(fine, 0.02 * reference.norm());
      EXPECT_LE(fine, 0.6 * coarse);  // of first order at least
      if (integrator == Integrator::newmark || integrator == Integrator::energy_conserving) {
        EXPECT_LE(fine, 0.3 * coarse);
      }
    }
}

// Where everything that holds a body moves alike, it moves as on a base that accelerates.
TEST(DrivenSets, AllSupportsTogetherAreABase) {
  const VolumeMesh mesh = test::make_box(BoxCells::hexes, {2, 1, 1});
  const auto fixed = plane(mesh, 0, 0);
  const std::vector<DrivenSet> sets = {{fixed, {0, 0, 1}}};
  const MatrixXd l = lifting_fields(mesh, fixed, sets).map();
  for (Eigen::Index i = 0; i < l.rows(); ++i) EXPECT_NEAR(l(i, 0), i % 3 == 2 ? 1 : 0, 1e-10);
  const ReducedModel model = reduce(mesh, fixed, {.modes = 3, .rank = 5});
  const DrivenModel driven = drive_sets(model, sets);
  std::vector<BodyGroup> groups(1);
  groups[0].energy = driven.model.energy;
  groups[0].driven = 1;
  Batch<double> moved(groups, {.newton_iterations = 3}), shaken(model.energy, {.newton_iterations = 3});
  constexpr double dt = 5e-5;
  for (int step = 1; step <= 4000; ++step) {
    const double t = step * dt, w = 12, s = 0.1 * (1 - std::cos(w * t)), a = 0.1 * w * w * std::cos(w * t);
    moved.force()(driven.model.rank() - 1, 0) = driven.driven_coordinates(std::vector{s})[0];
    for (int i = 0; i < model.rank(); ++i) shaken.force()(i, 0) = -a * model.unit_acceleration(i, 2);
    moved.step(dt);
    shaken.step(dt);
  }
  VectorXd z(driven.model.rank()), q(model.rank());
  for (int i = 0; i < z.size(); ++i) z[i] = std::as_const(moved).q()(i, 0);
  for (int i = 0; i < q.size(); ++i) q[i] = std::as_const(shaken).q()(i, 0);
  const double s = 0.1 * (1 - std::cos(12 * 4000 * dt));
  const VectorXd relative = driven.model.basis.map() * z - s * l.col(0), expected = model.basis.map() * q;
  EXPECT_GT(expected.lpNorm<Eigen::Infinity>(), 0.01);
  EXPECT_LE((relative - expected).norm(), 2e-4 * expected.norm());  // of second order both, in some 800 steps a period
}

TEST(DrivenSets, RefuseWhatCantMove) {
  const Pulled body;
  const auto refuse = [&](const Supports& supports, const DrivenSet& set, const std::string& part) {
    const std::string message = test::message_of([&] {
      static_cast<void>(driven_fields(body.mesh, supports, {&set, 1}));
    });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  const auto end = plane(body.mesh, 0, 1);
  const auto fixed = plane(body.mesh, 0, 0);
  refuse(fixed, {end, {1, 0, 0}, "END"}, "END: vertex");
  refuse(fixed, {end, {1, 0, 0}}, "isn't held along the direction");
  refuse(body.supports, {{}, {1, 0, 0}}, "no vertices");
  refuse(body.supports, {{99}, {1, 0, 0}}, "no vertex 99");
  refuse(body.supports, {end, {0, 0, 0}}, "not zero");
  const std::vector<DrivenSet> slanted = {{end, {1, 0, 0}}, {end, {1, 1, 0}}};
  EXPECT_THROW(static_cast<void>(driven_fields(body.mesh, body.supports, slanted)), InputError);
  VolumeMesh linked = body.mesh;  // whose other end follows
  linked.joints.push_back({{{end[0], {1, 0, 0}}, {fixed[0], {-1, 0, 0}}}, "a link"});
  Supports held = hold_along(std::vector{end[0]}, {1, 0, 0}).empty() ? Supports() : body.supports;
  held.fixed_vertices = fixed;
  const DrivenSet one{{end[0]}, {1, 0, 0}};
  EXPECT_THROW(static_cast<void>(driven_fields(linked, held, {&one, 1})), InputError);
  const DrivenModel driven = drive_sets(reduce(body.mesh, body.supports, {.modes = 2, .rank = 2}), body.sets);
  const test::TemporaryFolder folder;
  EXPECT_THROW(save_model(driven.model, folder / "driven.qrt"), InputError);
  std::vector<BodyGroup> groups(1);
  groups[0].energy = driven.model.energy;
  groups[0].driven = driven.model.rank();
  EXPECT_THROW(Batch<double>{groups}, InputError);
  UnreducedBody unreduced(body.mesh, body.supports);
  EXPECT_THROW(unreduced.set_driven(std::vector{1.0}), InputError);
}

TEST(DrivenSets, GoOnFromACheckpoint) {
  const Pulled body;
  const DrivenModel driven = drive_sets(reduce(body.mesh, body.supports, {.modes = 2, .rank = 2}), body.sets);
  std::vector<BodyGroup> groups(1);
  groups[0].energy = driven.model.energy;
  groups[0].driven = 2;
  const test::TemporaryFolder folder;
  Batch<double> batch(groups), again(groups), free(driven.model.energy);
  batch.force()(2, 0) = 0.2;
  batch.step(0.01, 3);
  save_checkpoint(batch, folder / "moved.qstate");
  static_cast<void>(load_checkpoint(again, folder / "moved.qstate"));
  again.force()(2, 0) = batch.force()(2, 0) = 0.3;
  batch.step(0.01);
  again.step(0.01);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(batch.q()(i, 0), again.q()(i, 0));
  EXPECT_EQ(batch.q()(2, 0), 0.3);
  const std::string message =
      test::message_of([&] { static_cast<void>(load_checkpoint(free, folder / "moved.qstate")); });
  EXPECT_NE(message.find("BodyGroup::driven"), std::string::npos) << message;
}

}  // namespace
