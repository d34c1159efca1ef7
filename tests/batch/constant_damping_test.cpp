// A constant damping of a group: closed decays of natural modes, Rayleigh's as a special case, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/error.hpp"
#include "quartic/matrix.hpp"
#include "quartic/participation.hpp"
#include "support/batch_states.hpp"
#include "support/dense.hpp"
#include "support/files.hpp"
#include "support/free_batches.hpp"
#include "support/moving_base.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::all_integrators;
using test::expect_refused;
using test::random_squares;
using test::set_body;
using test::set_random_body;

constexpr int rank = 5;
const std::vector<double> ratios = {0.02, 0.3, 0, 1.5};  // the last one of two modes, overdamped

// Natural modes, as columns, and their frequencies: from the stiffness at rest.
struct Natural {
  MatrixXd shapes;
  VectorXd omega;

  explicit Natural(const QuarticEnergy& energy) {
    const ReducedForces rest = evaluate(energy, std::vector<double>(static_cast<std::size_t>(energy.rank)));
    const test::EigenPairs pairs = test::eigen_pairs(rest.stiffness.map());
    shapes = pairs.vectors;
    omega = pairs.values.cwiseSqrt();
  }
};

// q'' + 2 zeta omega q' + omega^2 q = 0 from q(0) = 1 at rest.
double decayed(double zeta, double omega, double t) {
  const double rate = zeta * omega;
  if (zeta < 1) {
    const double damped = omega * std::sqrt(1 - zeta * zeta);
    return std::exp(-rate * t) * (std::cos(damped * t) + rate / damped * std::sin(damped * t));
  }
  const double root = omega * std::sqrt(zeta * zeta - 1), slow = rate - root, fast = rate + root;
  return (fast * std::exp(-slow * t) - slow * std::exp(-fast * t)) / (fast - slow);
}

double ratio_of(std::size_t mode) {
  return ratios[std::min(mode, ratios.size() - 1)];
}

// An energy without linear terms, with a stiffness that is positive definite and not diagonal.
QuarticEnergy sample_energy() {
  return random_squares(rank, 3).energy();
}

std::vector<BodyGroup> damped_group(const QuarticEnergy& energy, Matrix damping, std::int64_t bodies = 1) {
  std::vector<BodyGroup> groups(1);
  groups[0].energy = energy;
  groups[0].bodies = bodies;
  groups[0].damping = std::move(damping);
  return groups;
}

// Each body swings in one mode, too little to leave the linear range; modes don't excite each other.
void expect_closed_decay(Integrator integrator, Evaluation evaluation, double tolerance) {
  SCOPED_TRACE(std::string(integrator_name(integrator)) + " " + std::string(evaluation_name(evaluation)));
  const QuarticEnergy energy = sample_energy();
  const Natural natural(energy);
  Batch<double> batch(damped_group(energy, modal_damping(energy, ratios), rank),
                      {.integrator = integrator, .newton_iterations = 2, .evaluation = evaluation});
  constexpr double amplitude = 1e-7;
  for (int mode = 0; mode < rank; ++mode) {
    set_body(batch.q(), mode, amplitude * natural.shapes.col(mode));
    set_body(batch.acceleration(), mode,
             -amplitude * natural.omega[mode] * natural.omega[mode] * natural.shapes.col(mode));
  }
  constexpr int steps = 4000;
  const double time = 1.3 * 2 * M_PI / natural.omega[0];
  batch.step(time, steps);
  for (int mode = 0; mode < rank; ++mode) {
    const VectorXd expected = amplitude * decayed(ratio_of(static_cast<std::size_t>(mode)), natural.omega[mode], time) *
                              natural.shapes.col(mode);
    EXPECT_LE((test::get_body<double>(std::as_const(batch).q(), mode) - expected).norm(), tolerance * amplitude)
        << mode;
  }
}

TEST(ConstantDamping, LetsEachModeDecayByItsRatio) {
  const Natural natural(sample_energy());
  // Errors of a period: of second order (omega h)^2 / 12 a radian, of first order omega h / 2. The stiffest decides.
  const double step = 1.3 * 2 * M_PI / natural.omega[0] / 4000,
               angle = 1.3 * 2 * M_PI * natural.omega[rank - 1] / natural.omega[0];
  const double phase = natural.omega[rank - 1] * step;
  const double second = angle * phase * phase, first = angle * phase;
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
    expect_closed_decay(Integrator::newmark, evaluation, second);
    expect_closed_decay(Integrator::energy_conserving, evaluation, second);
    expect_closed_decay(Integrator::central_differences, evaluation, first);  // its damping is of first order
    expect_closed_decay(Integrator::backward_euler, evaluation, first);
  }
}

TEST(ConstantDamping, OfModesIsSymmetricAndHasTheRatiosAsEigenvalues) {
  const QuarticEnergy energy = sample_energy();
  const Natural natural(energy);
  const Matrix d = modal_damping(energy, ratios);
  const MatrixXd projected = natural.shapes.transpose() * d.map() * natural.shapes;
  for (int i = 0; i < rank; ++i)
    for (int j = 0; j < rank; ++j) {
      const double expected = i == j ? 2 * ratio_of(static_cast<std::size_t>(i)) * natural.omega[i] : 0;
      EXPECT_NEAR(projected(i, j), expected, 1e-12 * natural.omega[rank - 1]);
    }
  const Matrix part = modal_damping(energy, ratios, 2);  // two coordinates at rest
  EXPECT_EQ(part.map().rightCols(2).cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ(part.map().bottomRows(2).cwiseAbs().maxCoeff(), 0);
}

template <class T>
void expect_rayleigh(std::vector<BodyGroup> group, BatchOptions options) {
  SCOPED_TRACE(std::string(integrator_name(options.integrator)) + " " +
               std::string(evaluation_name(options.evaluation)) + (group[0].frame ? " with a frame" : ""));
  constexpr double alpha = 3;
  std::vector<BodyGroup> same = group;
  same[0].damping = to_matrix(alpha * MatrixXd::Identity(group[0].energy.rank, group[0].energy.rank));
  options.newton_iterations = 3;
  options.rayleigh_stiffness = 0.001;
  Batch<T> batch(same, options);
  options.rayleigh_mass = alpha;
  Batch<T> rayleigh(group, options);
  for (Batch<T>* each : {&batch, &rayleigh})
    for (unsigned body = 0; body < 3; ++body) set_random_body(*each, body, body);
  batch.step(0.05, 5);
  rayleigh.step(0.05, 5);
  for (int body = 0; body < 3; ++body) {
    const VectorXd a = test::get_body<T>(std::as_const(batch).q(), body),
                   b = test::get_body<T>(std::as_const(rayleigh).q(), body);
    EXPECT_LE((a - b).norm(), 200 * std::numeric_limits<T>::epsilon() * b.norm());
  }
}

TEST(ConstantDamping, ThatIsAMultipleOfOneIsRayleighs) {
  for (const Integrator integrator : all_integrators)
    for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
      std::vector<BodyGroup> held(1);
      held[0].energy = sample_energy();
      held[0].bodies = 3;
      const BatchOptions options{.integrator = integrator, .evaluation = evaluation};
      expect_rayleigh<double>(held, options);
      expect_rayleigh<float>(held, options);
      if (integrator == Integrator::central_differences) continue;
      expect_rayleigh<double>({test::flying(test::soft_block(), 3)}, options);
      if (integrator == Integrator::energy_conserving) continue;
      const ReducedModel model = test::held_block(4e5, 4, 6);
      std::vector<BodyGroup> mounted(1);
      mounted[0].energy = model.energy;
      mounted[0].bodies = 3;
      mounted[0].frame = base_frame(model);
      mounted[0].motion = FrameMotion::prescribed;
      expect_rayleigh<double>(mounted, options);
    }
}

// Bits don't depend on the batch, and another damping counts from the next step on.
TEST(ConstantDamping, IsThatOfTheGroup) {
  const QuarticEnergy energy = sample_energy();
  const Matrix damping = modal_damping(energy, ratios), other = modal_damping(energy, std::vector{0.5});
  Batch<float> many(damped_group(energy, damping, 19)), one(damped_group(energy, damping));
  for (unsigned body = 0; body < 19; ++body) set_random_body(many, body, body);
  set_random_body(one, 0, 17);
  for (Batch<float>* batch : {&many, &one}) {
    batch->step(0.02, 2);
    batch->set_damping(other);
    EXPECT_EQ(batch->damping().values, other.values);
    batch->step(0.02, 2);
  }
  EXPECT_EQ(test::get_body<float>(std::as_const(many).q(), 17), test::get_body<float>(std::as_const(one).q(), 0));
  Batch<float> from_there(damped_group(energy, other));
  set_random_body(from_there, 0, 17);
  from_there.step(0.04, 4);
  EXPECT_NE(test::get_body<float>(std::as_const(from_there).q(), 0), test::get_body<float>(std::as_const(one).q(), 0));
}

TEST(ConstantDamping, RefusesWhatIsntADamping) {
  const QuarticEnergy energy = sample_energy();
  const auto refuse = [&](const MatrixXd& damping, const std::string& part) {
    expect_refused([&] { Batch<double> batch(damped_group(energy, to_matrix(damping))); }, part);
  };
  const MatrixXd one = MatrixXd::Identity(rank, rank);
  refuse(MatrixXd::Identity(3, 3), "shape (3, 3)");
  MatrixXd skew = one;
  skew(0, 1) = 0.5;
  refuse(skew, "symmetric");
  refuse(-one, "no negative eigenvalue");
  MatrixXd saddle = one;  // all principal minors of order 1 and 2 are positive
  saddle.topLeftCorner(3, 3) << 1, 0.9, 0.1, 0.9, 1, 0.9, 0.1, 0.9, 1;
  refuse(saddle, "no negative eigenvalue");
  MatrixXd bare = MatrixXd::Zero(rank, rank);
  bare(0, 1) = bare(1, 0) = 1;
  refuse(bare, "no negative eigenvalue");
  refuse(std::numeric_limits<double>::infinity() * one, "finite");
  EXPECT_THROW(static_cast<void>(modal_damping(energy, {})), InputError);
  EXPECT_THROW(static_cast<void>(modal_damping(energy, std::vector{-0.1})), InputError);
  EXPECT_THROW(static_cast<void>(modal_damping(energy, ratios, rank)), InputError);
  Batch<double> batch(energy);
  EXPECT_THROW(batch.set_damping(to_matrix(skew)), InputError);
  EXPECT_EQ(batch.damping().rows, 0);
}

TEST(ConstantDamping, BelongsToACheckpoint) {
  const test::TemporaryFolder folder;
  const QuarticEnergy energy = sample_energy();
  const Matrix damping = modal_damping(energy, ratios);
  Batch<double> batch(damped_group(energy, damping)), again(damped_group(energy, damping)), plain(energy);
  set_random_body(batch, 0, 4);
  batch.step(0.02, 2);
  save_checkpoint(batch, folder / "damped.qstate");
  save_checkpoint(plain, folder / "plain.qstate");
  static_cast<void>(load_checkpoint(again, folder / "damped.qstate"));
  batch.step(0.02, 2);
  again.step(0.02, 2);
  EXPECT_EQ(test::get_body<double>(std::as_const(batch).q(), 0), test::get_body<double>(std::as_const(again).q(), 0));
  expect_refused([&] { static_cast<void>(load_checkpoint(plain, folder / "damped.qstate")); }, "BodyGroup::damping");
  expect_refused([&] { static_cast<void>(load_checkpoint(batch, folder / "plain.qstate")); }, "BodyGroup::damping");
}

}  // namespace
}  // namespace quartic
