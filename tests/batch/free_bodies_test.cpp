// Free bodies: rigid motion coupled to deformation, against closed forms, a Runge-Kutta reference and the whole mesh.
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/error.hpp"
#include "quartic/procedural.hpp"
#include "quartic/unreduced.hpp"
#include "support/batch_states.hpp"
#include "support/dense.hpp"
#include "support/free_batches.hpp"
#include "support/free_body.hpp"

namespace quartic {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::flying;
using test::free_integrators;
using test::FreeBody;
using test::FreeState;
using test::get_state;
using test::set_rates;
using test::set_state;
using test::soft_block;
using test::three;
using test::tumbling;
using test::whole_energy;

// ---- conservation ---------------------------------------------------------------------------------------------

TEST(FreeBodiesTest, EnergyAndMomentaAreThoseOfTheMoments) {
  test::TestedBatch<double> batch({flying(soft_block())});
  const FreeBody body(free_frame(soft_block()), soft_block().energy);
  FreeState state = tumbling(soft_block());
  state.rate = test::random_vector(8, 3, 2);
  set_state(batch, 0, state);
  EXPECT_NEAR(whole_energy(batch), body.energy(state), 1e-12 * body.energy(state));
  const Vector3d angular = body.momentum(state);
  EXPECT_LT((three(batch.angular_momentum()) - angular).norm(), 1e-12 * angular.norm());
  EXPECT_LT((three(batch.linear_momentum()) - 180 * state.velocity).norm(), 1e-10);
}

// E, P and L in the world over thousands of steps, in which the inertia's trace varies by a tenth and more.
TEST(FreeBodiesTest, EnergyConservingStepsKeepEnergyAndMomenta) {
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency})
    for (const double h : {1e-3, 5e-3}) {
      test::TestedBatch<double> batch({flying(soft_block())},
                                      {.integrator = Integrator::energy_conserving, .evaluation = evaluation});
      set_state(batch, 0, tumbling(soft_block()));
      const double energy = whole_energy(batch);
      const Vector3d linear = three(batch.linear_momentum()), angular = three(batch.angular_momentum());
      double least = 1e300, largest = 0;
      const FreeBody body(free_frame(soft_block()), soft_block().energy);
      for (int frame = 0; frame < 100; ++frame) {
        batch.step(20 * h, 20);
        EXPECT_NEAR(whole_energy(batch), energy, 1e-11 * energy);
        EXPECT_LT((three(batch.angular_momentum()) - angular).norm(), 1e-11 * angular.norm());
        EXPECT_LT((three(batch.linear_momentum()) - linear).norm(), 1e-13 * linear.norm());
        const double trace = body.inertia(get_state(batch, 0, 8).q).trace();
        least = std::min(least, trace), largest = std::max(largest, trace);
      }
      EXPECT_GT(largest / least, 1.05) << "the deformation is large";
      EXPECT_EQ(batch.status()[0], BodyStatus::ok);
    }
}

TEST(FreeBodiesTest, SlowEnergyAndMomentaStayForAHundredThousandSteps) {
  const ReducedModel model = test::free_block(2e5, 3, 4);
  test::TestedBatch<double> batch({flying(model)},
                                  {.integrator = Integrator::energy_conserving, .evaluation = Evaluation::latency});
  FreeState state = tumbling(model);
  set_state(batch, 0, state);
  const double energy = whole_energy(batch);
  const Vector3d angular = three(batch.angular_momentum());
  batch.step(200, 100000);
  EXPECT_NEAR(whole_energy(batch), energy, 1e-11 * energy);
  EXPECT_LT((three(batch.angular_momentum()) - angular).norm(), 1e-11 * angular.norm());
}

// Whatever the number of iterations, and damped or not: damping acts on the deformation alone.
TEST(FreeBodiesTest, ImplicitStepsKeepMomentaExactly) {
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler})
    for (const int iterations : {1, 2, 5}) {
      SCOPED_TRACE(std::string(integrator_name(integrator)) + ' ' + std::to_string(iterations));
      test::TestedBatch<double> batch({flying(soft_block())}, {.integrator = integrator,
                                                               .rayleigh_mass = 0.1,
                                                               .rayleigh_stiffness = 1e-4,
                                                               .newton_iterations = iterations});
      set_state(batch, 0, tumbling(soft_block()));
      const Vector3d linear = three(batch.linear_momentum()), angular = three(batch.angular_momentum());
      for (int frame = 0; frame < 20; ++frame) {
        batch.step(0.1, 100);
        EXPECT_LT((three(batch.angular_momentum()) - angular).norm(), 1e-12 * angular.norm());
        EXPECT_LT((three(batch.linear_momentum()) - linear).norm(), 1e-13 * linear.norm());
      }
    }
}

// A tolerance that ends iterations early, at once even, leaves the momentum's equation solved.
TEST(FreeBodiesTest, AToleranceLeavesMomentaExact) {
  for (const double tolerance : {1e-6, 1e300}) {
    test::TestedBatch<double> batch({flying(soft_block())}, {.newton_iterations = 20, .newton_tolerance = tolerance});
    set_state(batch, 0, tumbling(soft_block()));
    const Vector3d angular = three(batch.angular_momentum());
    batch.step(0.1, 100);
    EXPECT_LT((three(batch.angular_momentum()) - angular).norm(), 1e-12 * angular.norm()) << tolerance;
  }
}

// Damping takes energy out and leaves angular momentum.
TEST(FreeBodiesTest, DampingLowersEnergyInEveryStep) {
  for (const Integrator integrator : {Integrator::backward_euler, Integrator::energy_conserving}) {
    test::TestedBatch<double> batch({flying(soft_block())},
                                    {.integrator = integrator, .rayleigh_stiffness = 2e-4, .newton_iterations = 2});
    set_state(batch, 0, tumbling(soft_block()));
    const Vector3d angular = three(batch.angular_momentum());
    double last = whole_energy(batch);
    const double first = last;
    for (int step = 0; step < 2000; ++step) {
      batch.step(1e-3);
      const double energy = whole_energy(batch);
      ASSERT_LT(energy, last + 1e-11 * first) << integrator_name(integrator) << ", step " << step;
      last = energy;
    }
    EXPECT_LT(last, 0.99 * first);
    EXPECT_LT((three(batch.angular_momentum()) - angular).norm(), 1e-12 * angular.norm());
  }
}

// Damped from within, a body keeps its angular momentum and comes to spin about the axis on which that takes the least
// energy, that of the largest moment of inertia: thousands of revolutions, the last of the way as 1 / time.
TEST(FreeBodiesTest, SlowDampingCarriesTheSpinToTheMajorAxis) {
  const ReducedModel model = test::free_block(3e4, 3, 4);
  const FreeBody body(free_frame(model), model.energy);
  test::TestedBatch<double> batch(
      {flying(model)},
      {.integrator = Integrator::energy_conserving, .rayleigh_stiffness = 0.03, .evaluation = Evaluation::latency});
  batch.twist()(3, 0) = 6, batch.twist()(4, 0) = 3, batch.twist()(5, 0) = 1;
  const Vector3d angular = three(batch.angular_momentum());
  const double start = whole_energy(batch);
  double last = start;
  for (int frame = 0; frame < 2400; ++frame) {
    batch.step(6, 400);
    EXPECT_LT(whole_energy(batch), last + 1e-11 * start);
    last = whole_energy(batch);
  }
  EXPECT_LT((three(batch.angular_momentum()) - angular).norm(), 1e-10 * angular.norm());
  const FreeState end = get_state(batch, 0, 4);
  const test::EigenPairs axes = test::eigen_pairs(body.inertia(end.q));
  const double least = angular.squaredNorm() / (2 * axes.values[2]) + batch.elastic_energy()[0];
  EXPECT_NEAR(last, least, 0.01 * least);
  EXPECT_GT(std::abs(axes.vectors.col(2).dot(end.spin.normalized())), 0.99);
  EXPECT_LT(last, 0.9 * start);
}

TEST(FreeBodiesTest, EnergyConservingStepsCanBeTurnedBack) {
  test::TestedBatch<double> batch({flying(soft_block())}, {.integrator = Integrator::energy_conserving});
  const FreeState start = tumbling(soft_block());
  set_state(batch, 0, start);
  batch.step(0.2, 200);
  const auto turn_back = [](StateView<double> view) {
    for (std::int64_t i = 0; i < view.rank; ++i) view(i, 0) *= -1;
  };
  turn_back(batch.velocity());
  turn_back(batch.twist());
  batch.step(0.2, 200);
  const FreeState end = get_state(batch, 0, 8);
  EXPECT_LT((end.q - start.q).norm(), 1e-10 * start.q.norm());
  EXPECT_LT((end.position - start.position).norm(), 1e-12);
  EXPECT_LT((end.rotation - start.rotation).norm(), 1e-10);
}

// ---- accuracy ------------------------------------------------------------------------------------------------

// Errors of q and of the rotation at 0.2 s against Runge-Kutta in short steps.
std::pair<double, double> errors_at(const BatchOptions& options, double h, const FreeState& exact) {
  const FreeBody body(free_frame(soft_block()), soft_block().energy);
  test::TestedBatch<double> batch({flying(soft_block())}, options);
  const FreeState start = tumbling(soft_block());
  set_state(batch, 0, start);
  set_rates(batch, 0, body.rates(start));
  batch.step(0.2, static_cast<int>(std::lround(0.2 / h)));
  const FreeState end = get_state(batch, 0, 8);
  EXPECT_LT((end.position - start.position - 0.2 * start.velocity).norm(), 1e-12);
  return {(end.q - exact.q).norm() / exact.q.norm(), (end.rotation - exact.rotation).norm()};
}

TEST(FreeBodiesTest, StepsConvergeToTheMotionWithTheirOrder) {
  const FreeBody body(free_frame(soft_block()), soft_block().energy);
  const FreeState exact = body.moved(tumbling(soft_block()), 0.2, 2000);  // to 1e-6
  struct Case {
    BatchOptions options;
    double h;             // the coarser step
    double ratio, error;  // of errors when h is halved; of q at that step
  };
  const Case cases[] = {{{.integrator = Integrator::newmark, .newton_iterations = 1}, 5e-4, 4, 0.02},
                        {{.integrator = Integrator::newmark, .newton_iterations = 3}, 5e-4, 4, 0.02},
                        {{.integrator = Integrator::energy_conserving}, 5e-4, 4, 0.02},
                        {{.integrator = Integrator::backward_euler, .newton_iterations = 3}, 1e-4, 2, 0.1}};
  for (const auto& [options, h, ratio, error] : cases) {
    SCOPED_TRACE(std::string(integrator_name(options.integrator)) + ' ' + std::to_string(options.newton_iterations));
    const auto coarse = errors_at(options, h, exact), fine = errors_at(options, h / 2, exact);
    EXPECT_LT(coarse.first, error);
    EXPECT_NEAR(coarse.first / fine.first, ratio, 0.15 * ratio);
    EXPECT_NEAR(coarse.second / fine.second, ratio, 0.15 * ratio);
  }
}

// A body that deformation doesn't change: one coordinate that moves no mass' moments at rest.
BodyGroup rigid(const Vector3d& inertia) {
  FrameMoments moments;
  moments.mass = 180;
  moments.unit_acceleration = Matrix(1, 3);
  moments.moment0 = Matrix(3, 3);
  for (std::int64_t c = 0; c < 3; ++c) moments.moment0(c, c) = inertia.sum() / 2 - inertia[c];
  moments.moment1 = Matrix(9, 1);
  moments.moment2 = Matrix(9, 1);
  moments.moment2.values = {1. / 3, 0, 0, 0, 1. / 3, 0, 0, 0, 1. / 3};
  return {.energy = {1, {0, 0, 1e4, 0, 0}}, .frame = moments};
}

// K(m), the complete elliptic integral, by the arithmetic-geometric mean.
double elliptic_k(double m) {
  double a = 1, b = std::sqrt(1 - m);
  for (int n = 0; n < 40 && std::abs(a - b) > 1e-17; ++n) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return std::acos(-1.0) / (2 * a);
}

// The mean time between flips about the middle axis.
double flip_interval(double h, const Vector3d& inertia, const Vector3d& spin, double time) {
  test::TestedBatch<double> batch({rigid(inertia)}, {.integrator = Integrator::energy_conserving});
  for (std::int64_t c = 0; c < 3; ++c) batch.twist()(3 + c, 0) = spin[c];
  std::vector<double> flips;
  double last = spin[1];
  for (int n = 1; n * h <= time; ++n) {
    batch.step(h);
    const double now = batch.twist()(4, 0);
    if (last * now < 0) flips.push_back((n - 1 + last / (last - now)) * h);
    last = now;
  }
  EXPECT_GE(flips.size(), 2U);
  return (flips.back() - flips.front()) / static_cast<double>(flips.size() - 1);
}

// Dzhanibekov's flips: Landau and Lifshitz, Mechanics, section 37. Values from the closed form.
TEST(FreeBodiesTest, FlipsTakeHalfAPeriodOfJacobisFunctions) {
  const Vector3d inertia(6.75, 16.35, 20.4), spin(1e-2, 6, 1e-3);
  const double energy = inertia.dot(spin.cwiseAbs2()) / 2, square = inertia.cwiseProduct(spin).squaredNorm();
  const bool about_least = square < 2 * energy * inertia[1];
  const double a = about_least ? inertia[2] : inertia[0], c = about_least ? inertia[0] : inertia[2], b = inertia[1];
  const double rate = std::sqrt((c - b) * (square - 2 * energy * a) / (a * b * c));
  const double half =
      2 * elliptic_k((b - a) * (2 * energy * c - square) / ((c - b) * (square - 2 * energy * a))) / rate;
  EXPECT_NEAR(half, 4.78290722, 1e-8);
  const double coarse = std::abs(flip_interval(2e-3, inertia, spin, 12) / half - 1);
  const double fine = std::abs(flip_interval(1e-3, inertia, spin, 12) / half - 1);
  EXPECT_LT(fine, 1e-6);
  EXPECT_NEAR(coarse / fine, 4, 0.3);
}

// When a body first turns over that spins about its middle axis.
double first_flip(const BodyGroup& group) {
  constexpr double h = 1e-3, most = 5;
  test::TestedBatch<double> batch({group}, {.integrator = Integrator::energy_conserving});
  batch.twist()(3, 0) = 1e-2, batch.twist()(4, 0) = 6, batch.twist()(5, 0) = 1e-3;
  double last = 6;
  for (int n = 1; n * h < most; ++n) {
    batch.step(h);
    const double now = batch.twist()(4, 0);
    if (now < 0) return (n - 1 + last / (last - now)) * h;
    last = now;
  }
  ADD_FAILURE() << "it never turns over";
  return most;
}

// What spin does to a body's shape is as large as 1/E, and so is what that does to the first flip: the error against
// the rigid body falls tenfold where E grows tenfold.
TEST(FreeBodiesTest, FlipsOfStiffBodiesConvergeToTheRigidOnesWithFirstOrder) {
  const double exact = first_flip(rigid(Vector3d(6.75, 16.35, 20.4)));
  EXPECT_NEAR(exact, 2.427022, 5e-6) << "by a Runge-Kutta method with steps of 1e-5 s";
  std::vector<double> errors;
  for (const double youngs_modulus : {2e7, 2e8, 2e9})
    errors.push_back(std::abs(first_flip(flying(test::free_block(youngs_modulus, 3, 4))) - exact));
  for (std::size_t n = 1; n < errors.size(); ++n) EXPECT_NEAR(std::log10(errors[n - 1] / errors[n]), 1, 0.1) << n;
  EXPECT_LT(errors.back(), 1e-4 * exact);
  EXPECT_GT(errors.back(), 1e-6) << "what steps of this length and zeros between them add is below";
}

// Euler's equations for the inertia at rest, and a body that swings as one that is held in its frame does.
TEST(FreeBodiesTest, WithoutCouplingRotationAndDeformationGoApart) {
  for (const Integrator integrator : test::free_integrators) {
    const ReducedModel& model = soft_block();
    const std::vector<BodyGroup> groups = {{.energy = model.energy, .frame = rest_moments(free_frame(model))},
                                           {.energy = model.energy},
                                           rigid(Vector3d(6.75, 16.35, 20.4))};
    test::TestedBatch<double> batch(groups, {.integrator = integrator, .newton_iterations = 3});
    test::FreeState start = tumbling(model);
    set_state(batch, 0, start);
    test::set_body(batch.q(), 1, start.q);
    start.q.setZero(1);
    start.rate.setZero(1);
    set_state(batch, 2, start);
    const double energy = whole_energy(batch);
    batch.step(0.4, 400);
    for (std::int64_t i = 0; i < 8; ++i)
      EXPECT_NEAR(batch.q()(i, 0), batch.q()(i, 1), 1e-10 * start.q.norm() + 1e-10) << integrator_name(integrator);
    for (std::int64_t i = 0; i < 6; ++i)
      EXPECT_NEAR(batch.twist()(i, 0), batch.twist()(i, 2), 1e-10) << integrator_name(integrator);
    EXPECT_GT(test::get_state(batch, 0, 8).q.norm(), 0.01) << "it swings";
    if (integrator == Integrator::energy_conserving) {
      EXPECT_NEAR(whole_energy(batch), energy, 1e-11 * energy);
    }
  }
}

// R(q) = 1/2 w^T D w about a principal axis that the deformed body keeps: nothing may move in its frame.
TEST(FreeBodiesTest, RelativeEquilibriaStay) {
  const FreeBody body(free_frame(soft_block()), soft_block().energy);
  const Vector3d spin(0, 0, 5);
  VectorXd q = VectorXd::Zero(8);
  for (int iteration = 0; iteration < 50; ++iteration) {
    const ReducedForces at = evaluate(soft_block().energy, {q.data(), 8});
    Eigen::MatrixXd tangent = at.stiffness.map();
    for (int i = 0; i < 8; ++i) {
      const double step = 1e-4;
      const VectorXd ahead = q + step * VectorXd::Unit(8, i), behind = q - step * VectorXd::Unit(8, i);
      tangent.col(i) -= (body.centrifugal(ahead, spin) - body.centrifugal(behind, spin)) / (2 * step);
    }
    const VectorXd residual = Eigen::Map<const VectorXd>(at.force.data(), 8) - body.centrifugal(q, spin);
    q -= test::solve(tangent, residual);
  }
  const Vector3d momentum = body.inertia(q) * spin;
  ASSERT_LT(momentum.head<2>().norm(), 1e-9 * momentum.norm()) << "bricks are symmetric about z";
  ASSERT_GT((soft_block().basis.map() * q).cwiseAbs().maxCoeff(), 1e-3);
  for (const Integrator integrator : free_integrators) {
    test::TestedBatch<double> batch({flying(soft_block())}, {.integrator = integrator, .newton_iterations = 3});
    FreeState state;
    state.q = q;
    state.rate = VectorXd::Zero(8);
    state.spin = spin;
    set_state(batch, 0, state);
    batch.step(1, 1000);
    const FreeState end = get_state(batch, 0, 8);
    EXPECT_LT((end.q - q).norm(), 1e-10 * q.norm()) << integrator_name(integrator);
    EXPECT_LT((end.spin - spin).norm(), 1e-10 * spin.norm()) << integrator_name(integrator);
  }
}

// The same motion of all vertices by UnreducedBody, which knows nothing of frames: the basis holds all displacements
// that aren't rigid at rest, so that nothing but the coupling is compared.
TEST(FreeBodiesTest, TheMeshItselfMovesAlike) {
  const ProceduralMesh box = make_box({.length = 1,
                                       .width = 0.6,
                                       .height = 0.3,
                                       .cells_x = 2,
                                       .cells_y = 1,
                                       .cells_z = 1,
                                       .material = {.youngs_modulus = 2e5, .poissons_ratio = 0.3, .density = 1000}});
  const auto n = box.mesh.vertex_count();
  const ReducedModel model = reduce(box.mesh, {}, {.modes = 30, .rank = 30, .derivatives = false});
  ASSERT_EQ(model.rank(), 3 * n - 6);
  test::TestedBatch<double> batch({flying(model)}, {.newton_iterations = 3});
  UnreducedBody mesh(box.mesh, {}, {.newton_iterations = 3});
  const Vector3d spin(1, 8, 0.5), centre(0.5, 0.3, 0.15);
  FreeState state;
  state.q = VectorXd::Zero(model.rank());
  state.rate = VectorXd::Zero(model.rank());
  state.spin = spin;
  set_state(batch, 0, state);
  set_rates(batch, 0, FreeBody(free_frame(model), model.energy).rates(state));
  for (std::int64_t v = 0; v < n; ++v) {
    const Vector3d x = Eigen::Map<const Vector3d>(&box.mesh.vertices[static_cast<std::size_t>(3 * v)]) - centre;
    Eigen::Map<Vector3d>(mesh.velocity().data() + 3 * v) = spin.cross(x);
    Eigen::Map<Vector3d>(mesh.acceleration().data() + 3 * v) = spin.cross(spin.cross(x));
  }
  // The mesh' acceleration at the start: rigid spin about no principal axis also turns, and strains are zero.
  const FreeState first = get_state(batch, 0, model.rank());
  const test::FreeRates rates = FreeBody(free_frame(model), model.energy).rates(first);
  const VectorXd second = model.basis.map() * rates.second;
  for (std::int64_t v = 0; v < n; ++v) {
    const Vector3d x = Eigen::Map<const Vector3d>(&box.mesh.vertices[static_cast<std::size_t>(3 * v)]) - centre;
    Eigen::Map<Vector3d>(mesh.acceleration().data() + 3 * v) += rates.spin_rate.cross(x) + second.segment<3>(3 * v);
  }
  const double time = 0.3;
  batch.step(time, 1500);
  mesh.step(time, 1500);
  const FreeState end = get_state(batch, 0, model.rank());
  const VectorXd u = model.basis.map() * end.q;
  double worst = 0, moved = 0;
  for (std::int64_t v = 0; v < n; ++v) {
    const Vector3d x = Eigen::Map<const Vector3d>(&box.mesh.vertices[static_cast<std::size_t>(3 * v)]) - centre;
    const Vector3d flown = end.rotation * (x + u.segment<3>(3 * v)),
                   exact = x + Eigen::Map<const Vector3d>(mesh.displacement().data() + 3 * v);
    worst = std::max(worst, (flown - exact).norm());
    moved = std::max(moved, (exact - x).norm());
  }
  EXPECT_GT(moved, 1) << "it turns by more than a radian";
  EXPECT_GT(u.cwiseAbs().maxCoeff(), 0.01) << "and bends";
  EXPECT_LT(worst, 2e-3);  // both schemes are of second order; h |w| is 1.6e-3
}

// ---- loads ---------------------------------------------------------------------------------------------------

TEST(FreeBodiesTest, WrenchesMoveAsTheyShould) {
  for (const Integrator integrator : free_integrators) {
    SCOPED_TRACE(integrator_name(integrator));
    test::TestedBatch<double> batch({flying(soft_block())}, {.integrator = integrator, .newton_iterations = 2});
    const FreeState start = tumbling(soft_block());
    set_state(batch, 0, start);
    const Vector3d force(90, -20, 35), torque(3, -8, 5);
    for (std::int64_t c = 0; c < 3; ++c) batch.wrench()(c, 0) = force[c], batch.wrench()(3 + c, 0) = torque[c];
    const Vector3d angular = three(batch.angular_momentum());
    batch.step(0.5, 500);
    const FreeState end = get_state(batch, 0, 8);
    EXPECT_LT((end.velocity - start.velocity - 0.5 / 180 * force).norm(), 1e-12);
    const double lag = integrator == Integrator::backward_euler ? 0.5 * 1e-3 * 0.5 : 0;  // h/2 t
    EXPECT_LT((end.position - start.position - 0.5 * start.velocity - (0.125 + lag) / 180 * force).norm(), 1e-12);
    EXPECT_LT((three(batch.angular_momentum()) - angular - 0.5 * torque).norm(), 1e-12 * angular.norm());
    EXPECT_LT((get_state(batch, 0, 8).rotation - start.rotation).norm(), 3);
    for (std::int64_t c = 0; c < 3; ++c) EXPECT_NEAR(batch.twist_rate()(c, 0), force[c] / 180, 1e-12);
  }
}

// Gravity, a force on the mass centre, does nothing to the coordinates.
TEST(FreeBodiesTest, GravityLeavesTheDeformationAlone) {
  for (const Integrator integrator : free_integrators) {
    test::TestedBatch<double> batch({flying(soft_block(), 2)}, {.integrator = integrator, .newton_iterations = 2});
    for (std::int64_t b = 0; b < 2; ++b) set_state(batch, b, tumbling(soft_block()));
    batch.wrench()(2, 1) = -9.81 * batch.frame().mass;
    batch.step(0.2, 100);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(batch.q()(i, 0), batch.q()(i, 1));
    for (int i = 3; i < 7; ++i) EXPECT_EQ(batch.pose()(i, 0), batch.pose()(i, 1));
    EXPECT_LT(batch.pose()(2, 1), batch.pose()(2, 0) - 0.15);
  }
}

TEST(FreeBodiesTest, LoadCurvesScaleWrenches) {
  test::TestedBatch<double> batch({flying(soft_block(), 2)});
  batch.set_load_curves(std::vector<LoadCurve>{{{0, 1}, {0, 2}}}, std::vector<std::int32_t>{0, -1});
  for (std::int64_t b = 0; b < 2; ++b) batch.wrench()(0, b) = 18, batch.wrench()(5, b) = 2;
  batch.step(1, 100);
  EXPECT_NEAR(batch.twist()(0, 0), 0.1, 1e-12) << "the mean of 0 and 2 is 1";
  EXPECT_NEAR(batch.twist()(0, 1), 0.1, 1e-12);
  EXPECT_NEAR(batch.angular_momentum()[2], 2, 1e-11);
  EXPECT_NEAR(batch.angular_momentum()[5], 2, 1e-11);
}

}  // namespace
}  // namespace quartic
