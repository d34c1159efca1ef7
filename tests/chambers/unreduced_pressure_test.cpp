// Pressure on the unreduced body and in statics, against reduced models whose basis has every displacement that is
// free.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <vector>

#include "chambers/hollow.hpp"
#include "quartic/batch.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/statics.hpp"
#include "quartic/unreduced.hpp"
#include "support/batch_states.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::VectorXd;

// A hollow box that is held outside: eight vertices around the cavity are free.
struct HollowBody {
  HollowBody() {
    mesh = hollow_box(BoxCells::hexes);
    for (Region& region : mesh.regions) region.material = soft;
    fixed = box_vertices(mesh, true);
    const std::vector<std::int32_t> inside = box_vertices(mesh, false);
    Matrix fields(std::ssize(mesh.vertices), 3 * std::ssize(inside));
    for (std::size_t i = 0; i < inside.size(); ++i)
      for (std::int64_t c = 0; c < 3; ++c) fields(3 * inside[i] + c, 3 * static_cast<std::int64_t>(i) + c) = 1;
    model = reduce_with_basis(mesh, fixed, fields.map());
    add_chamber(model, find_cavities(model.mesh).at(0));
  }
  [[nodiscard]] const Chamber& chamber() const { return model.chambers[0].chamber; }

  VolumeMesh mesh;
  std::vector<std::int32_t> fixed;
  ReducedModel model;
};

const HollowBody& body() {
  static const HollowBody body;
  return body;
}

constexpr double pressure = 2e4;

VectorXd vector_of(std::span<const double> x) {
  return VectorXd::Map(x.data(), std::ssize(x));
}

TEST(PressureStaticsTest, HoldsTheForcesThatFollow) {
  const HollowBody& b = body();
  StaticSolver solver(b.mesh, b.fixed, {.load_steps = 2}, std::span(&b.chamber(), 1));
  const std::vector<double> none(b.mesh.vertices.size()), pressures = {pressure};
  const Equilibrium e = solver.solve(none, {}, pressures);
  ASSERT_TRUE(e.converged);
  EXPECT_TRUE(e.stable);
  VectorXd left = vector_of(internal_force(b.mesh, e.solution));
  const double size = left.norm();
  left -= pressure * vector_of(enclosed_volume_gradient(b.mesh, b.chamber(), e.solution));
  for (const std::int32_t v : b.fixed) left.segment<3>(3 * v).setZero();
  EXPECT_LE(left.norm(), 1e-9 * size);
  // Far from linear: a tenth of the pressure moves the walls by less than a tenth.
  const std::vector<double> tenth = {pressure / 10};
  const VectorXd small = vector_of(solver.solve(none, {}, tenth).solution);
  EXPECT_GT((10 * small - vector_of(e.solution)).norm(), 0.02 * vector_of(e.solution).norm());

  const ReducedModel& m = b.model;
  const Equilibrium r = reduced_equilibrium(m.energy, chamber_volumes(m), pressures,
                                            std::vector<double>(static_cast<std::size_t>(m.rank())));
  ASSERT_TRUE(r.converged);
  EXPECT_LE((m.basis.map() * vector_of(r.solution) - vector_of(e.solution)).norm(),
            1e-8 * vector_of(e.solution).norm());
}

TEST(PressureStaticsTest, BadPressuresAreRefused) {
  const HollowBody& b = body();
  StaticSolver solver(b.mesh, b.fixed, {}, std::span(&b.chamber(), 1));
  const std::vector<double> none(b.mesh.vertices.size());
  EXPECT_THROW(static_cast<void>(solver.solve(none, {}, std::vector{1.0, 2.0})), InputError);
  EXPECT_THROW(static_cast<void>(solver.solve(none, {}, std::vector{std::nan("")})), InputError);
  Chamber open = b.chamber();
  open.faces.resize(40);
  EXPECT_THROW(StaticSolver(b.mesh, b.fixed, {}, std::span(&open, 1)), InputError);
  const std::vector<double> q(static_cast<std::size_t>(b.model.rank()));
  EXPECT_THROW(
      static_cast<void>(reduced_equilibrium(b.model.energy, chamber_volumes(b.model), std::vector{1.0, 1.0}, q)),
      InputError);
  const std::vector<EnclosedVolume> small = {{1, {1, 1, 1, 1}}};
  EXPECT_THROW(static_cast<void>(reduced_equilibrium(b.model.energy, small, std::vector{1.0}, q)), InputError);
}

TEST(PressureMotionTest, UnreducedAndReducedMoveAlike) {
  const HollowBody& b = body();
  const ReducedModel& m = b.model;
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler}) {
    UnreducedBody whole(
        m.mesh, m.supports(),
        {.integrator = integrator, .rayleigh_stiffness = 1e-4, .newton_iterations = 3, .chambers = {b.chamber()}});
    Batch<double> batch({{.energy = m.energy, .chambers = chamber_volumes(m)}},
                        {.integrator = integrator, .rayleigh_stiffness = 1e-4, .newton_iterations = 3});
    for (int n = 0; n < 40; ++n) {
      const double p = pressure * (1 + 0.5 * std::sin(0.2 * n));
      whole.set_pressure(p);
      batch.set_pressure(std::vector{p});
      whole.step(1e-3);
      batch.step(1e-3);
    }
    EXPECT_EQ(whole.status(), BodyStatus::ok);
    const VectorXd u = m.basis.map() * get_body(std::as_const(batch).q(), 0);
    const VectorXd expected = vector_of(std::as_const(whole).displacement());
    EXPECT_GT(expected.lpNorm<Eigen::Infinity>(), 0.01);
    EXPECT_LE((u - expected).norm(), 1e-10 * expected.norm());
    EXPECT_NEAR(batch.enclosed_volume()[0], whole.enclosed_volume(), 1e-13);
  }
}

TEST(PressureMotionTest, BadPressuresAreRefused) {
  const HollowBody& b = body();
  UnreducedBody whole(b.mesh, b.fixed, {.chambers = {b.chamber()}});
  EXPECT_THROW(whole.set_pressure(1, 1), InputError);
  EXPECT_THROW(whole.set_pressure(std::nan("")), InputError);
  EXPECT_EQ(whole.pressure(), 0);
  UnreducedBody plain(b.mesh, b.fixed);
  EXPECT_THROW(plain.set_pressure(1), InputError);
}

}  // namespace
}  // namespace quartic
