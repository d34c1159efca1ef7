// Sessions and recorded motions of bodies that fly, without anything that draws.
#include <Eigen/Geometry>
#include <cmath>

#include "quartic/quartic.hpp"
#include "support/dense.hpp"
#include "view/session/motion_frame.hpp"
#include "view/session/session.hpp"
#include "view/view_models.hpp"

namespace quartic::view {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;
using test::free_beam_model;

const ViewSurface& free_beam_surface() {
  static const ViewSurface surface = view_surface(free_beam_model());
  return surface;
}

// Turned, away from the origin, and spinning.
RigidMotion some_motion() {
  RigidMotion motion{.velocity = {1, -0.5, 2}, .spin = {0.4, 3, -1}};
  motion.pose = Eigen::Translation3d(5, -3, 2) * Eigen::Quaterniond(0.5, 0.1, -0.7, 0.3).normalized();
  return motion;
}

SessionOptions flying_options() {
  SessionOptions options{.batch = {.bodies = 2, .rayleigh_stiffness = 1e-3, .newton_iterations = 2},
                         .step_length = 1e-3,
                         .gravity = {0, 0.5, -9.81},
                         .load_scales = {1, 0.5}};
  options.flight = FlightOptions{.frame = free_frame(free_beam_model()), .start = some_motion()};
  return options;
}

Batch<double> batch_at_start(const SessionOptions& options) {
  std::vector<BodyGroup> groups(1);
  groups[0].energy = free_beam_model().energy;
  groups[0].bodies = options.batch.bodies;
  groups[0].frame = options.flight->frame;
  Batch<double> batch(std::move(groups), options.batch);
  const RigidMotion& start = options.flight->start;
  const Eigen::Quaterniond rotation(start.pose.linear());
  for (std::int64_t body = 0; body < batch.bodies(); ++body) {
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      batch.pose()(axis, body) = start.pose.translation()[axis];
      batch.pose()(3 + axis, body) = rotation.vec()[axis];
      batch.twist()(axis, body) = start.velocity[axis];
      batch.twist()(3 + axis, body) = start.spin[axis];
    }
    batch.pose()(6, body) = rotation.w();
  }
  return batch;
}

// Where a frame shows a body's vertices, as columns.
Eigen::Matrix3Xd shown_positions(const Frame& frame, std::int64_t body) {
  const auto rank = static_cast<std::size_t>(free_beam_surface().rank());
  const std::vector<float> positions =
      surface_positions(free_beam_surface(), std::span(frame.q).subspan(static_cast<std::size_t>(body) * rank, rank));
  return frame.poses[static_cast<std::size_t>(body)] *
         Eigen::Map<const Eigen::Matrix3Xf>(positions.data(), 3, std::ssize(positions) / 3).cast<double>();
}

// The same by the library, of all bodies side by side; the surface is the mesh's own boundary.
Eigen::Matrix3Xd positions_of(const Batch<double>& batch) {
  const ReducedModel& model = free_beam_model();
  const auto& chosen = free_beam_surface().embedding.volume_vertices;
  std::vector<double> positions(3 * chosen.size() * static_cast<std::size_t>(batch.bodies()));
  vertex_positions<double>(model.basis.map(), model.mesh.vertices, batch.frame(), batch.q(), batch.pose(), chosen,
                           positions);
  return Eigen::Map<const Eigen::Matrix3Xd>(positions.data(), 3, std::ssize(positions) / 3);
}

// Coordinates are drawn in single precision: a rounding of 2^-24 of 1 m in the surface's own axes.
constexpr double single = 3e-7;

void expect_positions(const Frame& frame, const Eigen::Matrix3Xd& expected, double tolerance = single) {
  const Eigen::Index own = expected.cols() / std::ssize(frame.poses);
  for (std::int64_t body = 0; body < std::ssize(frame.poses); ++body)
    EXPECT_LT((shown_positions(frame, body) - expected.middleCols(body * own, own)).cwiseAbs().maxCoeff(), tolerance)
        << "body " << body;
}

TEST(FlyingSession, MovesAsABatchDoes) {
  const ReducedModel& model = free_beam_model();
  SessionOptions options = flying_options();
  // A force on a vertex in the middle, for half of the time.
  const std::int32_t vertex = 11;
  const VertexForce load{0, vertex, {3, -2, 5}};
  options.flight->loads = [&](double time, double) {
    return time < 0.0205 ? std::span(&load, 1) : std::span<const VertexForce>();
  };
  Session session(model, free_beam_surface(), options);
  Batch<double> batch = batch_at_start(options);
  expect_positions(session.frame(), positions_of(batch));
  const double mass = batch.frame().mass;
  for (int step = 0; step < 41; ++step) {
    session.step();
    for (std::int64_t body = 0; body < 2; ++body) {
      const double scale = body == 0 ? 1 : 0.5;
      for (int i = 0; i < model.rank(); ++i) batch.force()(i, body) = 0;
      for (int row = 0; row < 6; ++row) batch.wrench()(row, body) = 0;
      batch.wrench()(1, body) = 0.5 * mass * scale;
      batch.wrench()(2, body) = -9.81 * mass * scale;
      const VertexForce force{body, vertex, {3 * scale, -2 * scale, 5 * scale}};
      if (step < 21)
        add_vertex_forces<double>(model.basis.map(), model.mesh.vertices, batch.frame(), {&force, 1}, batch.q(),
                                  batch.pose(), batch.force(), batch.wrench());
    }
    batch.step(options.step_length);
  }
  const Frame frame = session.frame();
  ASSERT_EQ(frame.poses.size(), 2U);
  expect_positions(frame, positions_of(batch));
  const auto kinetic = batch.kinetic_energy();
  EXPECT_NEAR(frame.kinetic, kinetic[0] + kinetic[1], 1e-9 * frame.kinetic);
  const auto elastic = batch.elastic_energy();
  EXPECT_NEAR(frame.elastic, elastic[0] + elastic[1], 1e-7 * frame.elastic) << "of small numbers";
  EXPECT_GT(frame.elastic, 0);
}

// Free fall is known: the mass centre is at c + v t + g t^2 / 2 (Newmark is exact for that), whatever turns and swings.
TEST(FlyingSession, TheMassCentreFalls) {
  SessionOptions options = flying_options();
  Session session(free_beam_model(), free_beam_surface(), options);
  for (int step = 0; step < 200; ++step) session.step();
  const Frame frame = session.frame();
  const Vector3d centre = Vector3d::Map(options.flight->frame.origin.data());
  for (std::size_t body = 0; body < 2; ++body) {
    const double scale = body == 0 ? 1 : 0.5, t = 0.2;
    const Vector3d expected =
        Vector3d(5, -3, 2) + t * Vector3d(1, -0.5, 2) + t * t / 2 * scale * Vector3d(0, 0.5, -9.81);
    EXPECT_LT((frame.poses[body] * centre - expected).norm(), 1e-11);
  }
}

// The vertex of the surface that is farthest along x, at an end of the beam.
std::uint32_t end_vertex() {
  Eigen::Index vertex = 0;
  Eigen::Map<const Eigen::Matrix3Xf>(free_beam_surface().rest.data(), 3, free_beam_surface().vertex_count())
      .row(0)
      .maxCoeff(&vertex);
  return static_cast<std::uint32_t>(vertex);
}

// With k of the spring and d of its damper, the force is k (target - x) - d x' in the world; x' by the difference of
// positions over two short steps.
TEST(FlyingSession, PullsInTheWorld) {
  SessionOptions options = flying_options();
  options.gravity = {};
  options.step_length = 1e-4;
  Session session(free_beam_model(), free_beam_surface(), options);
  const std::uint32_t vertex = end_vertex();
  for (int step = 0; step < 300; ++step) session.step();
  const Vector3d target(4, -2, 3);
  const auto position = [&] { return Vector3d(shown_positions(session.frame(), 1).col(vertex)); };
  const Vector3d before = position();
  session.step();
  session.set_pull(Pull{.body = 1, .vertex = vertex, .target = target});
  const PullReadout readout = session.frame().pull.value();
  EXPECT_LT((readout.from - position()).norm(), single);
  session.set_pull({});
  session.step();
  const Vector3d velocity = (position() - before) / 2e-4;
  const PullSpring spring = session.spring(vertex);
  EXPECT_GT(spring.damping, 0);
  const Vector3d force = spring.stiffness * (target - readout.from) - spring.damping * velocity;
  // The difference of single-precision positions is good to 3e-7 / 2e-4 m/s.
  EXPECT_LT((readout.force - force).norm(), spring.damping * 5e-3);
}

// F, torque R y x F and reduced force U^T R^T F, as the library has them for the mesh's own vertices.
TEST(FlyingSession, PullsAsForcesOnVerticesDo) {
  const ReducedModel& model = free_beam_model();
  const SessionOptions options = flying_options();
  Session session(model, free_beam_surface(), options);
  Batch<double> batch = batch_at_start(options);
  const std::uint32_t vertex = end_vertex();
  session.set_pull(Pull{.body = 1, .vertex = vertex, .target = Vector3d(5, -2, 2.5)});
  for (int step = 0; step < 40; ++step) {
    const Vector3d f = session.frame().pull.value().force;
    for (std::int64_t body = 0; body < 2; ++body) {
      for (int i = 0; i < model.rank(); ++i) batch.force()(i, body) = 0;
      for (int row = 0; row < 6; ++row) batch.wrench()(row, body) = 0;
      batch.wrench()(1, body) = 0.5 * batch.frame().mass * options.load_scales[static_cast<std::size_t>(body)];
      batch.wrench()(2, body) = -9.81 * batch.frame().mass * options.load_scales[static_cast<std::size_t>(body)];
    }
    const VertexForce force{1, free_beam_surface().embedding.volume_vertices[vertex], {f.x(), f.y(), f.z()}};
    add_vertex_forces<double>(model.basis.map(), model.mesh.vertices, batch.frame(), {&force, 1}, batch.q(),
                              batch.pose(), batch.force(), batch.wrench());
    batch.step(options.step_length);
    session.step();
  }
  expect_positions(session.frame(), positions_of(batch));
}

// Without gravity, a pulled body comes to hang at the mouse, and doesn't run far beyond it.
TEST(FlyingSession, PulledBodiesComeToTheMouse) {
  SessionOptions options = flying_options();
  options.gravity = {};
  options.flight->start.velocity.setZero();
  options.flight->start.spin.setZero();
  Session session(free_beam_model(), free_beam_surface(), options);
  const std::uint32_t vertex = end_vertex();
  const Vector3d from = shown_positions(session.frame(), 0).col(vertex);
  const Vector3d way(0.2, -0.4, 0.3);
  session.set_pull(Pull{.vertex = vertex, .target = from + way});
  double farthest = 0;
  for (int step = 0; step < 1500; ++step) {
    session.step();
    const Vector3d moved = session.frame().pull->from - from;
    farthest = std::max(farthest, moved.dot(way) / way.squaredNorm());
    // Without overshoot for a point mass; a beam swings around the vertex that is pulled.
    if (step == 249) {
      EXPECT_GT(moved.dot(way) / way.squaredNorm(), 0.8) << "within a quarter of a second";
    }
  }
  EXPECT_LT(farthest, 1.2);
  EXPECT_LT((session.frame().pull->from - from - way).norm(), 0.05 * way.norm());
}

// tr of the point's rows of the rigid body's inverse mass matrix, with masses and moments from the mesh's mass matrix.
TEST(FlyingSession, RigidMobilityIsThatOfTheMesh) {
  const ReducedModel& model = free_beam_model();
  const SparseMatrix mass = mass_matrix(model.mesh);
  const Eigen::Index n = model.mesh.vertex_count();
  Eigen::MatrixXd rigid = Eigen::MatrixXd::Zero(3 * n, 6);  // velocities of translations and of turns about the origin
  const auto skew = [](const Vector3d& x) {
    return (Eigen::Matrix3d() << 0, -x.z(), x.y(), x.z(), 0, -x.x(), -x.y(), x.x(), 0).finished();
  };
  const auto rest = [&](Eigen::Index v) { return Vector3d::Map(model.mesh.vertices.data() + 3 * v); };
  for (Eigen::Index v = 0; v < n; ++v) rigid.middleRows(3 * v, 3) << Eigen::Matrix3d::Identity(), -skew(rest(v));
  const Eigen::MatrixXd inertia = rigid.transpose() * (mass.map() * rigid);
  const FrameMoments frame = free_frame(model);
  for (const Eigen::Index v : {Eigen::Index{0}, n / 2, n - 1}) {
    const Eigen::MatrixXd rows = rigid.middleRows(3 * v, 3);
    const double expected = (rows * test::solve(inertia, rows.transpose())).trace();
    EXPECT_NEAR(rigid_mobility(frame, rest(v) - Vector3d::Map(frame.origin.data())), expected, 1e-9 * expected);
  }
}

TEST(FlyingSession, SpringsAreSoftEnoughForTheStep) {
  for (const double step : {1e-5, 1e-3, 1e-1}) {
    SessionOptions options = flying_options();
    options.step_length = step;
    const Session session(free_beam_model(), free_beam_surface(), options);
    const Vector3d centre = Vector3d::Map(options.flight->frame.origin.data());
    for (std::uint32_t vertex = 0; vertex < free_beam_surface().vertex_count(); vertex += 5) {
      const Vector3d rest = Vector3d::Map(free_beam_surface().embedding.vertices.data() + std::size_t{3} * vertex);
      const double mobility = rigid_mobility(options.flight->frame, rest - centre);
      const PullSpring spring = session.spring(vertex);
      EXPECT_LE(spring.stiffness * mobility * step * step, 0.25);
      EXPECT_LE(spring.damping * mobility * step, 0.25);
      EXPECT_GT(spring.stiffness, 0);
    }
  }
}

std::vector<Material> denser(double first, double second) {
  std::vector<Material> materials;
  for (const Region& region : free_beam_model().mesh.regions) materials.push_back(*region.material);
  materials.at(0).density *= first;
  materials.at(1).density *= second;
  return materials;
}

// The mass centre moves to another place in the body, and the body stays where it is.
TEST(FlyingSession, DensityEditsKeepPointsAndTheirVelocities) {
  SessionOptions options = flying_options();
  options.batch.rayleigh_stiffness = 0;
  Session session(free_beam_model(), free_beam_surface(), options);
  for (int step = 0; step < 100; ++step) session.step();
  const auto vertex = end_vertex();
  const auto velocity = [&] {  // by the damper, which is all that pulls at a vertex that is at the mouse
    session.set_pull(Pull{.body = 1, .vertex = vertex});
    session.set_pull(Pull{.body = 1, .vertex = vertex, .target = session.frame().pull->from});
    const Vector3d result = -session.frame().pull->force / session.spring(vertex).damping;
    session.set_pull({});
    return result;
  };
  const Frame before = session.frame();
  const Vector3d velocity_before = velocity();
  for (const auto& [first, second] : {std::pair(1.0, 4.0), {0.5, 2.0}, {3.0, 1.0}}) {
    session.set_materials(denser(first, second));
    const Frame after = session.frame();
    for (std::int64_t body = 0; body < 2; ++body)
      EXPECT_LT((shown_positions(after, body) - shown_positions(before, body)).cwiseAbs().maxCoeff(), single);
    EXPECT_LT((velocity() - velocity_before).norm(), 1e-10 * velocity_before.norm());
  }
}

TEST(FlyingSession, ResetGoesBackToTheStartWhateverWasEdited) {
  Session session(free_beam_model(), free_beam_surface(), flying_options());
  const Frame start = session.frame();
  for (int step = 0; step < 50; ++step) session.step();
  EXPECT_GT((shown_positions(session.frame(), 0) - shown_positions(start, 0)).norm(), 0.1);
  session.set_pull(Pull{});
  session.reset();
  const Frame again = session.frame();
  EXPECT_EQ(again.q, start.q);
  EXPECT_EQ(again.poses[1].matrix(), start.poses[1].matrix());
  EXPECT_EQ(again.time, 0);
  EXPECT_EQ(again.kinetic, start.kinetic);
  EXPECT_FALSE(again.pull);
  session.set_materials(denser(1, 5));
  for (int step = 0; step < 50; ++step) session.step();
  session.reset();
  for (std::int64_t body = 0; body < 2; ++body)
    EXPECT_LT((shown_positions(session.frame(), body) - shown_positions(start, body)).cwiseAbs().maxCoeff(), single);
}

TEST(FlyingSession, IntegratorsChangeInFlight) {
  Session session(free_beam_model(), free_beam_surface(), flying_options());
  for (int step = 0; step < 20; ++step) session.step();
  const Frame before = session.frame();
  session.set_integrator(Integrator::energy_conserving);
  const Frame after = session.frame();
  EXPECT_EQ(before.q, after.q);
  EXPECT_EQ(before.kinetic, after.kinetic);
  for (std::size_t body = 0; body < 2; ++body) EXPECT_EQ(before.poses[body].matrix(), after.poses[body].matrix());
  EXPECT_THROW(session.set_integrator(Integrator::central_differences), InputError);
  EXPECT_EQ(session.batch_options().integrator, Integrator::energy_conserving);
  session.step();
  EXPECT_EQ(session.frame().steps, 21);
}

// Of the denser body, by the mesh's mass matrix.
TEST(FlyingSession, CoordinatesArePlacedWithoutMovingTheMassCentre) {
  const ReducedModel& model = free_beam_model();
  const std::vector<Material> materials = denser(1, 3);
  VolumeMesh mesh = model.mesh;
  for (std::size_t region = 0; region < 2; ++region) mesh.regions[region].material = materials[region];
  const SparseMatrix mass = mass_matrix(mesh);
  const Vector3d origin = Vector3d::Map(free_beam_surface().origin.data());
  const auto mass_centre = [&](const Frame& frame) {
    const Eigen::VectorXd u =
        model.basis.map() * Eigen::Map<const Eigen::VectorXf>(frame.q.data(), model.rank()).cast<double>();
    Eigen::VectorXd x(u.size());
    for (Eigen::Index i = 0; i < u.size(); i += 3)
      x.segment<3>(i) = frame.poses[0] * Vector3d(Vector3d::Map(mesh.vertices.data() + i) - origin + u.segment<3>(i));
    const Eigen::VectorXd weighted = mass.map() * x, ones = mass.map() * Eigen::VectorXd::Ones(u.size());
    Vector3d sum = Vector3d::Zero();
    for (Eigen::Index i = 0; i < u.size(); i += 3) sum += weighted.segment<3>(i);
    return Vector3d(3 * sum / ones.sum());
  };
  Session session(model, free_beam_surface(), flying_options());
  session.set_materials(materials);
  const Frame before = session.frame();
  session.place(0, 2, 0.1);
  const Frame after = session.frame();
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(after.q[i], i == 2 ? 0.1F : 0.0F, 1e-6F);
  EXPECT_LT((mass_centre(after) - mass_centre(before)).norm(), single);
}

// A force deforms the body by what it is in its axes, however that is turned.
TEST(FlyingSession, RecordingsAreInTheBodysAxes) {
  SessionOptions options = flying_options();
  options.gravity = {};
  Session session(free_beam_model(), free_beam_surface(), options);
  session.set_recording(true);
  session.set_pull(Pull{.vertex = end_vertex(), .target = Vector3d(5, -2, 2.5)});
  const Frame start = session.frame();
  session.step();
  ASSERT_EQ(session.recording().size(), 1U);
  const std::vector<VertexForce>& forces = session.recording().front().forces;
  ASSERT_EQ(forces.size(), 1U);
  EXPECT_EQ(forces[0].vertex, free_beam_surface().embedding.volume_vertices[end_vertex()]);
  const Vector3d world = start.poses[0].linear() * Vector3d::Map(forces[0].force.data());
  EXPECT_LT((world - start.pull->force).norm(), 1e-12 * world.norm());
  EXPECT_GT((Vector3d::Map(forces[0].force.data()) - world).norm(), 0.1 * world.norm()) << "the body is turned";
}

TEST(FlyingSession, BadInputsAreRefused) {
  SessionOptions options = flying_options();
  options.precision = Precision::single_precision;
  options.flight->start.velocity.x() = 1e39;
  EXPECT_THROW(Session(free_beam_model(), free_beam_surface(), options), InputError);
  options = flying_options();
  options.flight->frame = {};
  EXPECT_THROW(Session(free_beam_model(), free_beam_surface(), options), InputError);
  options = flying_options();
  const VertexForce load{0, 1000000, {1, 0, 0}};
  options.flight->loads = [&](double, double) { return std::span(&load, 1); };
  Session session(free_beam_model(), free_beam_surface(), options);
  EXPECT_THROW(session.step(), InputError);
}

TEST(FlyingMotion, FramesShowBodiesWhereTheyFlew) {
  const SessionOptions options = flying_options();
  Batch<double> batch = batch_at_start(options);
  Trajectory motion{.bodies = 2, .rank = batch.rank()};
  std::vector<Eigen::Matrix3Xd> expected;
  for (int frame = 0; frame < 3; ++frame) {
    motion.time.push_back(0.1 * frame);
    for (std::int64_t body = 0; body < 2; ++body) {
      for (int i = 0; i < batch.rank(); ++i) motion.q.push_back(batch.q()(i, body));
      for (int row = 0; row < 7; ++row) motion.pose.push_back(batch.pose()(row, body));
    }
    expected.push_back(positions_of(batch));
    batch.wrench()(3, 1) = 0.05;  // they part
    batch.step(0.1, 100);
  }
  const MotionFrames frames(free_beam_model(), free_beam_surface(), motion);
  for (std::int64_t frame = 0; frame < 3; ++frame) {
    expect_positions(frames.at(frame), expected[static_cast<std::size_t>(frame)]);
    EXPECT_EQ(frames.at(frame).time, motion.time[static_cast<std::size_t>(frame)]);
  }
  motion.pose.clear();
  EXPECT_TRUE(MotionFrames(free_beam_model(), free_beam_surface(), motion).at(1).poses.empty());
}

TEST(FlyingMotion, HeldModelsHaveNone) {
  const ReducedModel& held = test::beam_model();
  const ViewSurface surface = view_surface(held);
  const Trajectory motion{.bodies = 1,
                          .rank = held.rank(),
                          .time = {0},
                          .q = std::vector<double>(static_cast<std::size_t>(held.rank())),
                          .pose = {0, 0, 0, 0, 0, 0, 1}};
  EXPECT_THROW(MotionFrames(held, surface, motion), InputError);
}

}  // namespace
}  // namespace quartic::view
