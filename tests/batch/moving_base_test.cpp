// Bodies on bases of prescribed motion: against the whole mesh, a Runge-Kutta reference, a free body's flight and
// closed forms.
#include "support/moving_base.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/frame_motion.hpp"
#include "quartic/matrix.hpp"
#include "support/batch_states.hpp"
#include "support/free_batches.hpp"

namespace quartic {
namespace {

using Eigen::Matrix3Xd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::FreeState;
using test::held_block;
using test::set_base;
using test::shaken;
using test::three;

const Vector3d gravity(1.5, -0.5, -9.81), base_origin(-0.2, 0.3, 0.1);

const ReducedModel& held() {
  static const ReducedModel model = held_block(4e5, 4, 8);
  return model;
}

BodyGroup mounted(const ReducedModel& model, std::int64_t bodies = 1) {
  return {.energy = model.energy,
          .bodies = bodies,
          .frame = base_frame(model, {base_origin[0], base_origin[1], base_origin[2]}),
          .motion = FrameMotion::prescribed};
}

VectorXd rows_of(StateView<const double> view, std::int64_t body, std::int64_t rows) {
  VectorXd values(rows);
  for (std::int64_t i = 0; i < rows; ++i) values[i] = view(i, body);
  return values;
}

// Bent by about a tenth of a metre, and moving.
template <class T>
void bend(Batch<T>& batch, std::int64_t body, int rank, unsigned seed) {
  for (int i = 0; i < rank; ++i) {
    batch.q()(i, body) = static_cast<T>(test::random_vector(rank, seed, 1)[i]);
    batch.velocity()(i, body) = static_cast<T>(test::random_vector(rank, seed + 1, 10)[i]);
    batch.acceleration()(i, body) = static_cast<T>(test::random_vector(rank, seed + 2, 100)[i]);
  }
}

// The first row of the moments isn't zero and they aren't symmetric: what free bodies never have.
TEST(MovingBaseTest, MomentsAreAboutTheBase) {
  const FrameMoments frame = *mounted(held()).frame;
  EXPECT_GT(Eigen::Map<const Vector3d>(frame.first_moment.data()).norm(), 10);
  EXPECT_GT(frame.unit_acceleration.map().norm(), 1);
  EXPECT_EQ(frame.origin, (std::array<double, 3>{base_origin[0], base_origin[1], base_origin[2]}));
  EXPECT_NEAR(frame.mass, 180, 1e-10);
}

// ---- d'Alembert against the whole mesh ------------------------------------------------------------------------

// Backward Euler solved to round-off: at the end of a step the mesh' inertia and the elastic forces balance.
TEST(MovingBaseTest, StepsBalanceTheWholeMesh) {
  for (const int rank : {1, 2, 5, 8, 13})
    for (const Integrator integrator : {Integrator::backward_euler, Integrator::newmark})
      for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
        SCOPED_TRACE(std::to_string(rank) + ' ' + std::string(integrator_name(integrator)));
        const ReducedModel model = held_block(4e5, 6, rank);
        const test::MeshOnBase mesh(model, base_origin);
        test::TestedBatch<double> batch({mounted(model)},
                                        {.integrator = integrator, .newton_iterations = 60, .evaluation = evaluation});
        bend(batch, 0, rank, 5);
        const VectorXd force = test::random_vector(rank, 9, 20);
        for (int i = 0; i < rank; ++i) batch.force()(i, 0) = force[i];
        set_base(batch, 0, 0.37, gravity);
        batch.step(2e-3);
        const VectorXd q = rows_of(batch.q(), 0, rank), rate = rows_of(batch.velocity(), 0, rank),
                       second = rows_of(batch.acceleration(), 0, rank);
        const std::vector<double> internal =
            evaluate(model.energy, {q.data(), static_cast<std::size_t>(q.size())}).force;
        const VectorXd inertia = mesh.project(mesh.inertia_forces(shaken(0.37), gravity, q, rate, second));
        const VectorXd left = inertia + Eigen::Map<const VectorXd>(internal.data(), rank) - force;
        EXPECT_LT(left.norm(), 1e-11 * (inertia.norm() + second.norm()));
        EXPECT_GT(inertia.norm(), 10);
      }
}

TEST(MovingBaseTest, BaseWrenchIsThatOfTheWholeMesh) {
  const test::MeshOnBase mesh(held(), base_origin);
  test::TestedBatch<double> batch({mounted(held(), 3), test::flying(test::soft_block()), {.energy = held().energy}});
  batch.set_load_curves(std::vector<LoadCurve>{{{0, 1}, {0, 4}}}, std::vector<std::int32_t>{-1, 0, -1, -1, -1});
  batch.set_time(0.5);
  Matrix sums(5, 6);
  const StateView<double> result = {sums.values.data(), 6, 5, 5, 1};
  for (std::int64_t b = 0; b < 3; ++b) {
    bend(batch, b, 8, static_cast<unsigned>(10 * b));
    set_base(batch, b, 0.2 + static_cast<double>(b), gravity);
    for (std::int64_t row = 0; row < 6; ++row) batch.wrench()(row, b) = 10 * static_cast<double>(row - b);
  }
  for (int i = 3; i < 7; ++i) batch.pose()(i, 2) *= 3;  // a quaternion of any length
  for (std::int64_t row = 0; row < 6; ++row) result(row, 3) = result(row, 4) = 77;
  base_wrench(batch, result);
  for (std::int64_t b = 0; b < 3; ++b) {
    const test::BaseMotion base = shaken(0.2 + static_cast<double>(b));
    const VectorXd q = rows_of(batch.q(), b, 8), rate = rows_of(batch.velocity(), b, 8),
                   second = rows_of(batch.acceleration(), b, 8), given = rows_of(batch.wrench(), b, 6);
    const Matrix3Xd forces = mesh.inertia_forces(base, gravity, q, rate, second), points = mesh.points(q);
    Vector3d torque = Vector3d::Zero();
    for (Eigen::Index v = 0; v < points.cols(); ++v) torque += points.col(v).cross(forces.col(v));
    const double scale = b == 1 ? 2 : 1;
    VectorXd expected(6);
    expected << base.rotation * forces.rowwise().sum(), base.rotation * torque;
    expected -= scale * given;
    for (Eigen::Index row = 0; row < 6; ++row) EXPECT_NEAR(result(row, b), expected[row], 1e-12 * expected.norm());
  }
  for (std::int64_t row = 0; row < 6; ++row) {
    EXPECT_EQ(result(row, 3), 77) << "of a free body";
    EXPECT_EQ(result(row, 4), 77) << "of one without a frame";
  }
}

// q, its rates and the base by formula: forces are the momenta's rates. About the moving origin dL/dt = N - o' x P.
TEST(MovingBaseTest, BaseWrenchIsTheRateOfMomenta) {
  test::TestedBatch<double> batch({mounted(held())});
  const VectorXd size = test::random_vector(8, 4, 1);
  const auto set = [&](double t) {
    set_base(batch, 0, t, Vector3d::Zero());
    for (int i = 0; i < 8; ++i) {
      const double frequency = 3 + i, at = frequency * t;
      batch.q()(i, 0) = size[i] * std::sin(at);
      batch.velocity()(i, 0) = size[i] * frequency * std::cos(at);
      batch.acceleration()(i, 0) = -size[i] * frequency * frequency * std::sin(at);
    }
  };
  const auto momenta = [&](double t) {
    set(t);
    VectorXd both(6);
    both << three(batch.linear_momentum()), three(batch.angular_momentum());
    return both;
  };
  const double t = 0.4, h = 1e-3;
  VectorXd rate = (8 * (momenta(t + h) - momenta(t - h)) - momenta(t + 2 * h) + momenta(t - 2 * h)) / (12 * h);
  const Vector3d linear = momenta(t).head<3>();
  rate.tail<3>() += shaken(t).velocity.cross(linear);
  VectorXd wrench(6);
  base_wrench(batch, StateView<double>{wrench.data(), 6, 1, 1, 1});
  EXPECT_LT((wrench - rate).norm(), 1e-9 * rate.norm());  // h^4 times the fifth derivative
  // Power: the kinetic energy's rate is that of the base's force, torque and of the forces on q.
  const auto energy = [&](double at) {
    set(at);
    return batch.kinetic_energy()[0];
  };
  const double power = (8 * (energy(t + h) - energy(t - h)) - energy(t + 2 * h) + energy(t - 2 * h)) / (12 * h);
  set(t);
  const VectorXd q = rows_of(batch.q(), 0, 8), q_rate = rows_of(batch.velocity(), 0, 8),
                 second = rows_of(batch.acceleration(), 0, 8);
  const test::MeshOnBase mesh(held(), base_origin);
  const test::BaseMotion base = shaken(t);
  const double of_q = q_rate.dot(mesh.project(mesh.inertia_forces(base, Vector3d::Zero(), q, q_rate, second)));
  const double of_base = base.velocity.dot(wrench.head<3>()) + (base.rotation * base.spin).dot(wrench.tail<3>());
  EXPECT_NEAR(power, of_base + of_q, 1e-9 * (std::abs(power) + std::abs(of_q)));
}

// ---- accuracy ------------------------------------------------------------------------------------------------

double error_at(const BatchOptions& options, double h, double time, const FreeState& start, const VectorXd& exact) {
  test::TestedBatch<double> batch({mounted(held())}, options);
  const VectorXd second = test::acceleration_on(batch.frame(), held().energy, shaken(0), gravity, start.q, start.rate);
  test::set_body(batch.q(), 0, start.q);
  test::set_body(batch.velocity(), 0, start.rate);
  test::set_body(batch.acceleration(), 0, second);
  const int steps = static_cast<int>(std::lround(time / h));
  for (int n = 1; n <= steps; ++n) {
    set_base(batch, 0, n * h, gravity);
    batch.step(h);
  }
  return (rows_of(batch.q(), 0, 8) - exact).norm() / exact.norm();
}

TEST(MovingBaseTest, StepsConvergeToTheMotionWithTheirOrder) {
  FreeState start;
  start.q = test::random_vector(8, 1, 1);
  start.q.tail(4).setZero();
  start.rate = VectorXd::Zero(8);
  const VectorXd exact = test::moved_on_base(*mounted(held()).frame, held().energy, gravity, start, 0.2, 4000).q;
  struct Case {
    BatchOptions options;
    double h;             // the coarser step
    double ratio, error;  // of errors when h is halved; at that step
  };
  const Case cases[] = {{{.integrator = Integrator::newmark, .newton_iterations = 1}, 5e-4, 4, 0.02},
                        {{.integrator = Integrator::newmark, .newton_iterations = 3}, 5e-4, 4, 0.02},
                        {{.integrator = Integrator::backward_euler, .newton_iterations = 1}, 1e-4, 2, 0.1},
                        {{.integrator = Integrator::backward_euler, .newton_iterations = 3}, 1e-4, 2, 0.1}};
  for (const auto& [options, h, ratio, error] : cases) {
    SCOPED_TRACE(std::string(integrator_name(options.integrator)) + ' ' + std::to_string(options.newton_iterations));
    const double coarse = error_at(options, h, 0.2, start, exact), fine = error_at(options, h / 2, 0.2, start, exact);
    EXPECT_LT(coarse, error);
    EXPECT_NEAR(coarse / fine, ratio, 0.15 * ratio);
  }
}

// A base that moves as a free body's frame does deforms the body as its flight does: two ways of stepping, one motion.
TEST(MovingBaseTest, ABaseThatFollowsAFlightDeformsAlike) {
  const ReducedModel& model = test::soft_block();
  const FrameMoments centred = free_frame(model);
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler}) {
    const BatchOptions options{.integrator = integrator, .newton_iterations = 20};
    test::TestedBatch<double> flying({test::flying(model)}, options);
    test::TestedBatch<double> following(
        {{.energy = model.energy, .frame = base_frame(model, centred.origin), .motion = FrameMotion::prescribed}},
        options);
    const FreeState start = test::tumbling(model);
    test::set_state(flying, 0, start);
    test::set_state(following, 0, start);
    const std::pair<StateView<double>, StateView<double>> views[] = {{flying.pose(), following.pose()},
                                                                     {flying.twist(), following.twist()},
                                                                     {flying.twist_rate(), following.twist_rate()}};
    for (int n = 0; n < 200; ++n) {
      flying.step(1e-3);
      for (const auto& [from, to] : views) copy_state<double>(from, to);
      following.step(1e-3);
    }
    const VectorXd q = rows_of(flying.q(), 0, 8);
    EXPECT_LT((rows_of(following.q(), 0, 8) - q).norm(), 1e-9 * q.norm()) << integrator_name(integrator);
  }
}

// A base that is accelerated by -g is gravity, for which held bodies have a reduced force.
TEST(MovingBaseTest, AccelerationIsGravity) {
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler}) {
    test::TestedBatch<double> still({{.energy = held().energy}}, {.integrator = integrator, .newton_iterations = 2});
    test::TestedBatch<double> moved({mounted(held(), 2)}, {.integrator = integrator, .newton_iterations = 2});
    const VectorXd force = held().unit_acceleration.map() * gravity;
    for (int i = 0; i < 8; ++i) still.force()(i, 0) = force[i];
    add_gravity(moved, {gravity[0], gravity[1], gravity[2]});
    // The second base is turned by a right angle about z: gravity as well.
    const double half = std::sqrt(0.5);
    moved.pose()(5, 1) = moved.pose()(6, 1) = half;
    for (int c = 0; c < 3; ++c) moved.twist_rate()(c, 1) = Vector3d(gravity[1], -gravity[0], -gravity[2])[c];
    still.step(0.2, 200);
    moved.step(0.2, 200);
    const VectorXd expected = rows_of(still.q(), 0, 8);
    EXPECT_GT(expected.norm(), 0.1);
    for (const std::int64_t body : {0, 1})
      EXPECT_LT((rows_of(moved.q(), body, 8) - expected).norm(), 1e-12 * expected.norm()) << body;
    EXPECT_EQ(moved.pose()(5, 1), half) << "steps leave the base's motion alone";
    EXPECT_EQ(moved.twist_rate()(2, 0), -gravity[2]);
  }
}

// At rest the base carries the weight, and holds the lever.
TEST(MovingBaseTest, ABodyAtRestWeighsWhatItWeighs) {
  test::TestedBatch<double> batch(
      {mounted(held())}, {.integrator = Integrator::backward_euler, .rayleigh_mass = 10, .newton_iterations = 3});
  add_gravity(batch, {0, 0, -9.81});
  batch.step(20, 2000);  // damped: at rest to 1e-12
  VectorXd wrench(6);
  base_wrench(batch, StateView<double>{wrench.data(), 6, 1, 1, 1});
  EXPECT_LT((wrench.head<3>() - Vector3d(0, 0, 180 * 9.81)).norm(), 1e-9);
  const Vector3d sagging = Eigen::Map<const Vector3d>(batch.frame().first_moment.data()) +
                           held().unit_acceleration.map().transpose() * rows_of(batch.q(), 0, 8);
  EXPECT_LT((wrench.tail<3>() - sagging.cross(Vector3d(0, 0, 9.81))).norm(), 1e-9);
  EXPECT_GT(rows_of(batch.q(), 0, 8).norm(), 0.1);
}

}  // namespace
}  // namespace quartic
