// What moves in the viewer: sessions, their pace, and the thread that steps them.
#include "view/session/session.hpp"

#include <cmath>

#include "quartic/quartic.hpp"
#include "support/dense.hpp"
#include "view/session/physics_thread.hpp"
#include "view/session/step_pacer.hpp"
#include "view/view_models.hpp"

namespace quartic::view {
namespace {

using test::beam_model;
using test::beam_surface;

SessionOptions session_options() {
  return {.batch = {.bodies = 2, .rayleigh_stiffness = 1e-3, .newton_iterations = 2},
          .step_length = 2e-3,
          .gravity = {0, 0.5, -9.81},
          .load_scales = {1, 0.5}};
}

// The same steps by the library alone.
TEST(ViewSession, MovesAsABatchDoes) {
  const ReducedModel& model = beam_model();
  Session session(model, beam_surface(), session_options());
  Batch<double> batch(model.energy, session_options().batch);
  for (int mode = 0; mode < model.rank(); ++mode) {
    const double force = 0.5 * model.unit_acceleration(mode, 1) - 9.81 * model.unit_acceleration(mode, 2);
    batch.force()(mode, 0) = force;
    batch.force()(mode, 1) = 0.5 * force;
  }
  for (int step = 0; step < 50; ++step) session.step();
  batch.step(0.1, 50);
  const Frame frame = session.frame();
  for (int body = 0; body < 2; ++body)
    for (int mode = 0; mode < model.rank(); ++mode)
      EXPECT_NEAR(static_cast<double>(frame.q[static_cast<std::size_t>(body * model.rank() + mode)]),
                  batch.q()(mode, body), 1e-6 * std::abs(batch.q()(mode, body)) + 1e-12);
  EXPECT_EQ(frame.steps, 50);
  EXPECT_NEAR(frame.time, 0.1, 1e-12);
  const auto elastic = batch.elastic_energy();
  EXPECT_NEAR(frame.elastic, elastic[0] + elastic[1], 1e-9 * frame.elastic);
}

TEST(ViewSession, IntegratorsChangeInFlight) {
  const ReducedModel& model = beam_model();
  Session session(model, beam_surface(), session_options());
  for (int step = 0; step < 10; ++step) session.step();
  const Frame before = session.frame();
  session.set_integrator(Integrator::backward_euler);
  const Frame after = session.frame();
  EXPECT_EQ(before.q, after.q);
  EXPECT_EQ(before.kinetic, after.kinetic);
  EXPECT_EQ(before.time, after.time);
  EXPECT_EQ(session.batch_options().integrator, Integrator::backward_euler);
  // It goes on as a batch that always was of this kind does from this state.
  SessionOptions other = session_options();
  other.batch.integrator = Integrator::backward_euler;
  Session same(model, beam_surface(), other);
  session.reset();
  for (int step = 0; step < 5; ++step) {
    session.step();
    same.step();
  }
  EXPECT_EQ(session.frame().q, same.frame().q);
}

TEST(ViewSession, PullingComesToRestHalfWay) {
  const ReducedModel& model = beam_model();
  const ViewSurface& surface = beam_surface();
  SessionOptions options{.batch = {.rayleigh_mass = 4, .rayleigh_stiffness = 5e-3}, .step_length = 5e-3};
  Session session(model, surface, options);
  // A vertex of the free end, and a target near it, across the beam.
  std::int64_t row = 0;
  surface.basis.map().col(0).cwiseAbs().maxCoeff(&row);
  const auto vertex = static_cast<std::uint32_t>(row / 3);
  const Eigen::Vector3d rest = Eigen::Map<const Eigen::Vector3f>(&surface.rest[std::size_t{3} * vertex]).cast<double>();
  const Eigen::Vector3d away = Eigen::Vector3d::UnitZ() * 1e-3 * box_of(surface.rest).diagonal();
  session.set_pull(Pull{.body = 0, .vertex = vertex, .target = rest + away});
  for (int step = 0; step < 4000; ++step) session.step();
  const Frame frame = session.frame();
  ASSERT_TRUE(frame.pull);
  EXPECT_LT(frame.kinetic, 1e-9 * frame.elastic);
  // At rest, q = K^-1 U_v^T k (target - x) with the stiffness at rest: an equation for x in three unknowns.
  const Eigen::MatrixXd stiffness =
      evaluate(model.energy, std::vector<double>(static_cast<std::size_t>(model.rank()))).stiffness.map();
  const Eigen::MatrixXd rows = surface.basis.map().middleRows(3 * std::int64_t{vertex}, 3);
  const double spring = session.spring(vertex).stiffness;
  const Eigen::Matrix3d compliance = rows * test::solve(stiffness, rows.transpose());
  const Eigen::Vector3d moved =
      test::solve(Eigen::Matrix3d::Identity() + spring * compliance, spring * compliance * away);
  // The energy's higher terms are of the order of the displacement over the thickness, here below a hundredth.
  EXPECT_LT((frame.pull->from - rest - moved).norm(), 0.01 * moved.norm());
  EXPECT_GT(moved.norm(), 0.2 * away.norm());
  EXPECT_LT((frame.pull->force - spring * (rest + away - frame.pull->from)).norm(), 1e-12 * frame.pull->force.norm());
  session.set_pull(std::nullopt);
  EXPECT_FALSE(session.frame().pull);
}

TEST(ViewSession, SpringsAreSoftEnoughForTheStep) {
  const ReducedModel& model = beam_model();
  const ViewSurface& surface = beam_surface();
  const Eigen::MatrixXd stiffness =
      evaluate(model.energy, std::vector<double>(static_cast<std::size_t>(model.rank()))).stiffness.map();
  for (const double step : {1e-4, 1e-2, 1.0}) {
    Session session(model, surface, {.step_length = step});
    for (std::uint32_t vertex = 0; vertex < surface.vertex_count(); ++vertex) {
      // How far a force of 1 N moves the vertex in one implicit step, all directions together [m / (N s^2)].
      const Eigen::MatrixXd rows = surface.basis.map().middleRows(3 * std::int64_t{vertex}, 3);
      const Eigen::MatrixXd system =
          Eigen::MatrixXd::Identity(model.rank(), model.rank()) + step * step / 4 * stiffness;
      const double mobility = (rows * test::solve(system, rows.transpose())).trace();
      EXPECT_LE(session.spring(vertex).stiffness * mobility * step * step, 0.25 * (1 + 1e-9));
    }
  }
}

TEST(ViewSession, MaterialsAreEditedWhereTheBodyIs) {
  const ReducedModel& model = beam_model();
  Session session(model, beam_surface(), session_options());
  for (int step = 0; step < 20; ++step) session.step();
  const Frame before = session.frame();
  std::vector<Material> materials;
  for (const Region& region : model.mesh.regions) {
    materials.push_back(*region.material);
    materials.back().youngs_modulus *= 3;
    materials.back().density *= 2;
  }
  session.set_materials(materials);
  const Frame after = session.frame();
  for (std::size_t i = 0; i < before.q.size(); ++i)
    EXPECT_NEAR(before.q[i], after.q[i], 2e-6 * std::abs(before.q[i]) + 1e-9F) << "nothing jumps";
  EXPECT_NEAR(after.elastic, 3 * before.elastic, 1e-9 * after.elastic);
  EXPECT_NEAR(after.kinetic, 2 * before.kinetic, 1e-9 * after.kinetic);

  // From rest it then moves as a body that was made of these materials in the same space.
  session.reset();
  const ReducedModel other = with_materials(model, materials);
  SessionOptions options = session_options();
  Session made(other, beam_surface(), options);
  for (int step = 0; step < 20; ++step) {
    session.step();
    made.step();
  }
  const Eigen::VectorXd edited =
      model.basis.map() * Eigen::Map<const Eigen::VectorXf>(session.frame().q.data(), model.rank()).cast<double>();
  const Eigen::VectorXd expected =
      other.basis.map() * Eigen::Map<const Eigen::VectorXf>(made.frame().q.data(), model.rank()).cast<double>();
  EXPECT_LT((edited - expected).norm(), 1e-5 * expected.norm());

  session.place(1, 3, 0.25);
  EXPECT_NEAR(session.frame().q[static_cast<std::size_t>(model.rank() + 3)], 0.25F, 1e-6F);
  EXPECT_THROW(session.place(2, 0, 0), InputError);
  EXPECT_THROW(session.place(0, model.rank(), 0), InputError);
}

TEST(ViewSession, TellsWhatAnEditCouldNotCarryOver) {
  ReducedModel model = beam_model();
  const std::int64_t rank = model.rank();
  model.relaxation = Relaxation{.products = Matrix(0, rank * (rank + 1) / 2), .share = 0.5};
  Session session(model, beam_surface(), session_options());
  EXPECT_TRUE(session.frame().notices.empty());
  std::vector<Material> materials;
  for (const Region& region : model.mesh.regions) {
    materials.push_back(*region.material);
    materials.back().poissons_ratio /= 2;
  }
  session.set_materials(materials);
  ASSERT_EQ(session.frame().notices.size(), 1U);
  EXPECT_NE(session.frame().notices[0].find("aren't relaxed any more"), std::string::npos);
}

TEST(ViewSession, RecordingsAreReadBySketches) {
  const ReducedModel& model = beam_model();
  const ViewSurface& surface = beam_surface();
  Session session(model, surface, {.step_length = 1e-3});
  const std::uint32_t vertex = 5;
  const Eigen::Vector3d rest = Eigen::Map<const Eigen::Vector3f>(&surface.rest[std::size_t{3} * vertex]).cast<double>();
  session.set_pull(Pull{.vertex = vertex, .target = rest + Eigen::Vector3d(0, 0.1, 0)});
  for (int step = 0; step < 20; ++step) session.step();
  EXPECT_TRUE(session.recording().empty()) << "it wasn't asked for";
  session.set_recording(true);
  for (int step = 0; step < 100; ++step) session.step();
  session.reset();  // takes the pull away; the recording's time goes on
  for (int step = 0; step < 50; ++step) session.step();
  session.set_pull(Pull{.vertex = vertex, .target = rest + Eigen::Vector3d(0.1, 0, 0)});
  for (int step = 0; step < 10; ++step) session.step();
  EXPECT_EQ(session.recording().size(), 11U) << "every hundredth second of 0.1 s, and once after the reset";

  const test::TemporaryFolder folder;
  write_recorded_loads(session.recording(), folder / "pulls.csv");
  const auto read = read_recorded_loads(folder / "pulls.csv", model.mesh.vertex_count());
  ASSERT_EQ(read.size(), session.recording().size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].time, session.recording()[i].time);
    ASSERT_EQ(read[i].forces.size(), 1U);
    EXPECT_EQ(read[i].forces[0].vertex, surface.embedding.volume_vertices[vertex]);
    EXPECT_EQ(read[i].forces[0].force, session.recording()[i].forces[0].force);
  }
}

TEST(ViewSession, VerticesInNoTriangleDontCount) {
  ReducedModel model = beam_model();
  SurfaceEmbedding boundary = boundary_surface(model.mesh);
  const ViewSurface without = view_surface(model);
  TriangleMesh surface{boundary.vertices, boundary.triangles, {}};
  surface.vertices.insert(surface.vertices.end(), {100, 200, 300});
  model.surface = embed_surface(model.mesh, surface);
  const ViewSurface with = view_surface(model);
  EXPECT_EQ(with.vertex_count(), without.vertex_count() + 1);
  const std::vector<float> q(static_cast<std::size_t>(model.rank()), 0.01F);
  const Box expected = box_of(surface_positions(without, q)), box = box_of(surface_positions(with, q));
  EXPECT_LT((box.low - expected.low).norm() + (box.high - expected.high).norm(), 1e-6);
}

// A vertex of a surface of its own hangs on several of the mesh's, which share the force.
TEST(ViewSession, RecordingOfAnEmbeddedSurfaceIsOfTheVolume) {
  ReducedModel model = beam_model();
  const SurfaceEmbedding boundary = boundary_surface(model.mesh);
  TriangleMesh shrunk{boundary.vertices, boundary.triangles, {}};
  for (double& coordinate : shrunk.vertices) coordinate *= 0.97;
  model.surface = embed_surface(model.mesh, shrunk);
  const ViewSurface surface = view_surface(model);
  EXPECT_EQ(surface.vertex_count(), shrunk.vertex_count());
  Session session(model, surface, {.step_length = 1e-3});
  const std::uint32_t vertex = 7;
  session.set_recording(true);
  session.set_pull(Pull{.vertex = vertex, .target = Eigen::Vector3d(0.1, 0.2, 0.3)});
  session.step();
  ASSERT_EQ(session.recording().size(), 1U);
  const std::vector<VertexForce>& forces = session.recording().front().forces;
  EXPECT_GT(forces.size(), 1U);
  const PullReadout pull = session.frame().pull.value();
  Eigen::VectorXd reduced = Eigen::VectorXd::Zero(model.rank());
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const VertexForce& force : forces) {
    const Eigen::Vector3d f = Eigen::Vector3d::Map(force.force.data());
    sum += f;
    reduced += model.basis.map().middleRows(3 * std::int64_t{force.vertex}, 3).transpose() * f;
  }
  // It was recorded at the step's start, when the body was at rest.
  const Eigen::Vector3d rest = Eigen::Map<const Eigen::Vector3f>(&surface.rest[std::size_t{3} * vertex]).cast<double>();
  const Eigen::Vector3d expected = session.spring(vertex).stiffness * (pull.pull.target - rest);
  EXPECT_LT((sum - expected).norm(), 1e-12 * expected.norm());
  const Eigen::VectorXd through_surface =
      surface.basis.map().middleRows(3 * std::int64_t{vertex}, 3).transpose() * expected;
  EXPECT_LT((reduced - through_surface).norm(), 1e-12 * through_surface.norm());
}

TEST(ViewSession, BadInputsAreRefused) {
  Session session(beam_model(), beam_surface(), {});
  EXPECT_THROW(session.set_step_length(0), InputError);
  EXPECT_THROW(session.set_step_length(std::nan("")), InputError);
  EXPECT_THROW(session.set_gravity({0, INFINITY, 0}), InputError);
  EXPECT_THROW(session.set_damping(-1, 0), InputError);
  EXPECT_THROW(session.set_pull(Pull{.body = 1}), InputError);
  EXPECT_THROW(session.set_pull(Pull{.vertex = 1000000}), InputError);
  EXPECT_THROW(session.set_materials({}), InputError);
  EXPECT_THROW(Session(beam_model(), beam_surface(), {.step_length = -1}), InputError);
  EXPECT_THROW(Session(beam_model(), beam_surface(), {.load_scales = {1, 2}}), InputError);
}

TEST(ViewPace, KeepsTheRate) {
  StepPacer pacer(0.001);
  int steps = 0;
  for (int tick = 0; tick <= 10000; ++tick) {  // a clock of 0.1 ms; steps take no time
    while (pacer.due(5 + 1e-4 * tick)) ++steps;
  }
  EXPECT_NEAR(steps, 1001, 1) << "one second, both ends";
  EXPECT_EQ(pacer.dropped(), 0);
}

TEST(ViewPace, CatchesUpAShortDelayAndForgetsALongOne) {
  StepPacer pacer(0.001, 0.05);
  const auto due_at = [&](double now) {
    int steps = 0;
    while (pacer.due(now)) ++steps;
    return steps;
  };
  EXPECT_EQ(due_at(0), 1);
  EXPECT_NEAR(due_at(0.0405), 40, 1) << "within what may be caught up";
  EXPECT_EQ(pacer.dropped(), 0);
  const int after_long = due_at(10.0405);
  EXPECT_NEAR(after_long, 50, 2) << "no backlog of ten thousand";
  EXPECT_NEAR(static_cast<double>(pacer.dropped()), 10000 - after_long, 2);
  EXPECT_LE(pacer.next() - 10.0405, 0.001 + 1e-9);
}

// Steps that take 2.5 times as long as there is time for: every step is made as soon as the one before is done.
TEST(ViewPace, SlowsDownUnderLoad) {
  StepPacer pacer(0.001);
  RateMeter meter;
  double now = 0, simulated = 0;
  int steps = 0;
  while (now < 5) {
    ASSERT_TRUE(pacer.due(now)) << "never idle, at " << now;
    now += 0.0025;
    simulated += 0.001;
    meter.add(now, simulated);
    ++steps;
  }
  EXPECT_EQ(steps, 2000);
  EXPECT_NEAR(meter.rate(), 0.4, 0.01);
  EXPECT_NEAR(static_cast<double>(pacer.dropped()), 3000, 60) << "all but what is still within 50 ms";
}

TEST(ViewPace, IntervalsLongerThanTheDelayAreKept) {
  StepPacer pacer(1.0, 0.05);
  EXPECT_TRUE(pacer.due(0));
  EXPECT_FALSE(pacer.due(0.9));
  EXPECT_TRUE(pacer.due(1.3));
  EXPECT_FALSE(pacer.due(1.35));
  pacer.set_interval(0.1);
  pacer.restart();
  EXPECT_TRUE(pacer.due(7));
  EXPECT_NEAR(pacer.next(), 7.1, 1e-12);
}

TEST(ViewPhysics, CommandsRunInOrderBetweenSteps) {
  Session session(beam_model(), beam_surface(), session_options());
  PhysicsThread physics(session, 1, true);
  std::vector<int> order;
  for (int i = 0; i < 20; ++i) physics.post([&order, i](Session&) { order.push_back(i); });
  std::int64_t steps = -1;
  physics.run([&](Session& own) { steps = own.frame().steps; });
  EXPECT_EQ(steps, 0) << "paused";
  ASSERT_EQ(order.size(), 20U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

// Waits, as long as it takes, until what the thread hands over is as it should be.
template <class Condition>
Frame frame_when(PhysicsThread& physics, const Condition& condition) {
  while (true) {
    const Frame& frame = physics.latest();
    if (condition(frame)) return frame;
    std::this_thread::yield();
  }
}

TEST(ViewPhysics, StepsOneByOneWhilePaused) {
  Session session(beam_model(), beam_surface(), session_options()),
      direct(beam_model(), beam_surface(), session_options());
  PhysicsThread physics(session, 1, true);
  for (int i = 0; i < 7; ++i) {
    physics.step_once();
    direct.step();
  }
  const Frame frame = frame_when(physics, [](const Frame& f) { return f.steps == 7; });
  EXPECT_EQ(frame.q, direct.frame().q);
  EXPECT_TRUE(physics.paused());
}

TEST(ViewPhysics, RunsUntilPausedAndAsABatchDoes) {
  Session session(beam_model(), beam_surface(), session_options()),
      direct(beam_model(), beam_surface(), session_options());
  PhysicsThread physics(session, 1000);
  frame_when(physics, [](const Frame& f) { return f.steps > 100; });
  physics.set_paused(true);
  std::int64_t steps = 0;
  physics.run([&](Session& own) { steps = own.frame().steps; });
  const Frame frame = frame_when(physics, [&](const Frame& f) { return f.steps == steps; });
  while (direct.frame().steps < steps) direct.step();
  EXPECT_EQ(frame.q, direct.frame().q) << "whatever thread and pace";
}

// As a window does, which says with each picture what the speed should be.
TEST(ViewPhysics, SpeedIsMeasuredWhileItIsSetAgainAndAgain) {
  Session session(beam_model(), beam_surface(), session_options());
  PhysicsThread physics(session, 1);
  while (physics.readout().speed == 0) {
    physics.set_speed(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GT(physics.readout().speed, 0);
}

TEST(ViewPhysics, ErrorsAreToldAndLeaveTheSessionAsItWas) {
  Session session(beam_model(), beam_surface(), session_options());
  PhysicsThread physics(session, 1, true);
  physics.run([](Session& own) { own.set_step_length(-1); });
  EXPECT_NE(physics.readout().error.find("above 0"), std::string::npos);
  physics.run([](Session& own) { own.set_step_length(1e-3); });
  EXPECT_EQ(physics.readout().error, "");
}

}  // namespace
}  // namespace quartic::view
