#include "cpu/contact/newton_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/batch/free_scheme.hpp"
#include "cpu/contact/linear_solve.hpp"

namespace quartic::cpu {

using System = BodySystem<double>;

NewtonStepper::NewtonStepper(std::shared_ptr<const StepperModel> model)
    : r_(model->rank()), n_(r_ + (model->inertia ? 6 : 0)), model_(std::move(model)) {
  for (AlignedArray<double>* array : {&padded_, &argument_, &product_})
    *array = AlignedArray<double>(System::array_rows(r_));
  workspace_ = AlignedArray<double>(model_->evaluator->workspace_rows());
  matrix_ = AlignedArray<double>(n_ * ContactBlocks::pitch(n_));
  for (VectorXd* array : {&d_, &q1_, &rate1_, &second1_}) *array = VectorXd::Zero(r_);
  residual_ = correction_ = VectorXd::Zero(n_);
}

void NewtonStepper::ContactSums::clear() {
  on_q.setZero();
  force.setZero();
  torque.setZero();
}

void NewtonStepper::reserve(std::size_t contacts) {
  rows_.reserve(r_, contacts);
  blocks_.clear(n_, contacts);
  if (pressing_.size() < contacts) pressing_.resize(contacts), pressed_.resize(contacts);
  mixing_.reserve(contacts);
  reserve_touches(contacts);
}

ContactOutcome NewtonStepper::step(const ContactStep& s, const BodyMotion& start, BodyMotion& end,
                                   std::span<Contact> contacts) {
  begin(s, start, contacts);
  ContactOutcome outcome;
  outcome.converged = solve(s);
  end = start;
  finish(s, end, outcome);
  read_out(s, contacts, outcome);
  return outcome;
}

void NewtonStepper::begin(const ContactStep& s, const BodyMotion& motion, std::span<const Contact> contacts) {
  motion_ = &motion;
  contacts_ = contacts;
  law_ = s.law;
  start_ = {to_eigen(motion.pose.position), to_eigen(motion.linear_velocity), to_eigen(motion.spin),
            frame::normalised(motion.pose.rotation)};
  end_ = start_;
  reserve(contacts.size());
  rows_.gather(*model_, contacts);
  const Map<const VectorXd> q(motion.q.data(), r_), v(motion.velocity.data(), r_), a(motion.acceleration.data(), r_);
  const double h = s.settings.dt;
  d_ = h * v;  // bodies go on as they did
  if (s.integrator == Integrator::newmark) d_ += 0.5 * h * h * a;
  arm_origin_ = start_.position;
  if (s.integrator != Integrator::backward_euler) arm_origin_ += 0.5 * h * start_.velocity;
  if (is_free()) {
    q1_ = q;
    rate1_ = v;
    start_inertia_.evaluate(*model_->inertia, q1_);
    start_momentum_ =
        start_inertia_.j() * start_.spin + h * to_eigen(rotate(conjugate(start_.rotation), s.external_torque));
    for (Index k = 0; k < 3; ++k) start_momentum_[k] += start_inertia_.b().row(k).dot(v);
  }
  begin_contacts(s);
}

// The state after the increment.
void NewtonStepper::move(const ContactStep& s) {
  move_coordinates(s);
  if (!is_free()) return;
  const Vector mean = start_.velocity + share(s) * (end_.velocity - start_.velocity),
               turn = start_.spin + share(s) * (end_.spin - start_.spin);
  end_.position = start_.position + s.settings.dt * mean;
  end_.rotation = frame::normalised(start_.rotation * frame::cayley(s.settings.dt * from_eigen(turn)));
}

void NewtonStepper::evaluate_elastic(const ContactStep& s, const VectorXd& q, double* h, double weight,
                                     const VectorXd& x, VectorXd& result) {
  std::copy_n(q.data(), r_, padded_.data());
  model_->evaluator->evaluate(padded_.data(), s.pressure.data(), workspace_.data(), h);
  std::fill_n(argument_.data(), argument_.size(), 0.0);
  std::copy_n(x.data(), r_, argument_.data());
  model_->evaluator->apply(weight, padded_.data(), s.pressure.data(), workspace_.data(), h, argument_.data(),
                           product_.data());
  result = s.stiffness_scale * Map<const VectorXd>(product_.data(), r_);
}

Vector NewtonStepper::turned(const VectorXd& rate, Index i) const {
  const auto affine = model_->inertia->affine.map();
  Vector sum = Vector::Zero();
  for (Index p = 0; p < r_; ++p) sum += rate[p] * affine.block<3, 1>(symmetric_entries * r_ + 3 * i, p + 1);
  return sum;
}

void NewtonStepper::form_rigid_residual(const ContactStep& s) {
  const double h = s.settings.dt, mass = model_->inertia->mass;
  const ContactSums& sums = rigid_sums();
  free_momentum_ = start_momentum_ + h * to_eigen(rotate(conjugate(start_.rotation), from_eigen(sums.torque)));
  Vector momentum = inertia_.j() * end_.spin;
  for (Index k = 0; k < 3; ++k) momentum[k] += inertia_.b().row(k).dot(rate1_);
  const Vector u = start_.spin + share(s) * (end_.spin - start_.spin), change = end_.velocity - start_.velocity;
  residual_.segment<3>(r_) = momentum - free_momentum_ + 0.5 * h * u.cross(free_momentum_ + momentum);
  residual_.segment<3>(r_ + 3) = mass * change - h * (to_eigen(s.external_force) + sums.force);
  size_ += (momentum.norm() + free_momentum_.norm()) / (h * std::sqrt(inertia_.j().trace() / 3)) +
           (mass * change.norm() / h + to_eigen(s.external_force).norm() + sums.force.norm()) / std::sqrt(mass);
}

void NewtonStepper::form_rigid_matrix(const ContactStep& s, double a4) {
  const double h = s.settings.dt;
  const Vector &w = end_.spin, u = start_.spin + share(s) * (w - start_.spin);
  Vector momentum = inertia_.j() * w;
  for (Index k = 0; k < 3; ++k) momentum[k] += inertia_.b().row(k).dot(rate1_);
  const Matrix3 turn = Matrix3::Identity() + 0.5 * h * hat(u);
  auto a = matrix();
  for (Index i = 0; i < r_; ++i)
    a.block<3, 1>(r_, i) = turn * (inertia_.d_times(i, w) + a4 * inertia_.b().col(i) - turned(rate1_, i));
  a.block<3, 3>(r_, r_) = turn * inertia_.j() - 0.5 * h * share(s) * hat(free_momentum_ + momentum);
  a.block<3, 3>(r_ + 3, r_ + 3).diagonal().setConstant(model_->inertia->mass);
}

// What is left of the equations at the iterate.
double NewtonStepper::evaluate(const ContactStep& s) {
  move(s);
  if (is_free()) inertia_.evaluate(*model_->inertia, q1_);
  touch(s);
  size_ = 0;
  form_residual(s);
  double square = residual_.head(r_).squaredNorm();
  if (is_free()) {
    form_rigid_residual(s);
    const double h = s.settings.dt, mass = model_->inertia->mass, inertia = inertia_.j().trace() / 3;
    square += residual_.segment<3>(r_).squaredNorm() / (h * h * inertia) +
              residual_.segment<3>(r_ + 3).squaredNorm() / (h * h * mass);
  }
  return std::sqrt(square);
}

// The work of the residual on the correction: for contacts without friction, whose potential is convex, how fast the
// step's potential changes along it.
double NewtonStepper::along_correction(const ContactStep& s) const {
  return residual_.head(r_).dot(correction_.head(r_)) +
         share(s) * residual_.tail(n_ - r_).dot(correction_.tail(n_ - r_));
}

void NewtonStepper::go(const Unknowns& from, double part) {
  d_ = from.d - part * correction_.head(r_);
  if (!is_free()) return;
  end_.spin = from.spin - part * correction_.segment<3>(r_);
  end_.velocity = from.velocity - part * correction_.segment<3>(r_ + 3);
}

// A share of the correction: all of it, or less where its end lies so far beyond the least potential on the way that
// other points touch there. @return what is left then
double NewtonStepper::go_downhill(const ContactStep& s) {
  constexpr int tries = 10;
  const double slope = along_correction(s);
  keep(before_);
  double part = 1, left = 0;
  for (int n = 0; n < tries; ++n) {
    go(before_, part);
    left = evaluate(s);
    const double there = along_correction(s);
    if (there >= -0.5 * slope || !(slope > 0)) break;
    part *= std::clamp(slope / (slope - there), 0.1, 0.7);
  }
  return left;
}

// About the place on the way along the correction where the potential is least: friction's kinks may lie anywhere.
// @return what is left there
double NewtonStepper::go_to_least(const ContactStep& s) {
  constexpr int tries = 12;
  const double slope = along_correction(s);
  keep(before_);
  double low = 0, high = 1, low_slope = slope, high_slope = 0, part = 1, left = 0;
  for (int n = 0; n < tries; ++n) {
    go(before_, part);
    left = evaluate(s);
    const double there = along_correction(s);
    if (!(slope > 0) || (there >= -0.1 * slope && (part == 1 || there <= 0.5 * slope))) break;
    (there < 0 ? high : low) = part;
    (there < 0 ? high_slope : low_slope) = there;
    part = low + (high - low) * std::clamp(low_slope / (low_slope - high_slope), 0.1, 0.9);
  }
  return left;
}

// The first of the correction's shares 1, 1/2, .. that leaves less, if there is one: friction has no potential.
// @return what is left then
double NewtonStepper::go_to_less(const ContactStep& s, double left, int tries) {
  keep(before_);
  double part = 1, now = left;
  for (int n = 0; n < tries; ++n, part *= 0.5) {
    go(before_, part);
    now = evaluate(s);
    if (now < (1 - 0.1 * part) * left) return now;
  }
  return now;
}

void NewtonStepper::keep(Unknowns& place) const {
  place.d = d_;
  place.spin = end_.spin;
  place.velocity = end_.velocity;
}

// Newton's method from where bodies would go by themselves. Where friction keeps it from the solution, by pressures.
bool NewtonStepper::solve(const ContactStep& s) {
  is_lagged_ = false;
  keep(start_guess_);
  if (iterate(s)) return true;
  if (!is_finite_ || s.law.friction == 0) return false;
  correction_.setZero();
  go(start_guess_, 0);
  return solve_by_pressures(s);
}

// Friction that follows the normal forces of the solution before has a potential, of which Newton's method finds the
// least from everywhere. That is repeated with the new normal forces, and near the solution Newton's method for all at
// once leads on. Without friction at first.
bool NewtonStepper::solve_by_pressures(const ContactStep& s) {
  constexpr int most_times = 10;  // ContactOptions::iterations
  constexpr double roughly = 1e-6;
  const std::span<double> pressing(pressing_.data(), contacts_.size());
  std::ranges::fill(pressing, 0.0);
  mixing_.begin(contacts_.size());
  lagged_tolerance_ = roughly;
  for (corrections_ = 0; corrections_ < most_times * s.iterations;) {
    is_lagged_ = true;
    static_cast<void>(iterate(s));
    is_lagged_ = false;
    if (!is_finite_) break;
    keep(start_guess_);
    for (std::size_t c = 0; c < contacts_.size(); ++c) pressed_[c] = std::max(normal_force(c), 0.0);
    const double left = evaluate(s);
    lagged_tolerance_ = std::clamp(0.01 * left / size_, std::min(tolerance(s), roughly), roughly);
    if (polish(s, left)) return true;
    correction_.setZero();
    go(start_guess_, 0);
    mixing_.next(pressing, {pressed_.data(), contacts_.size()});
    for (double& pressure : pressing) pressure = std::max(pressure, 0.0);
  }
  is_finite_ = std::isfinite(evaluate(s));
  return false;
}

// What the equations' derivatives at the iterate say it is off by.
void NewtonStepper::correct(const ContactStep& s, FrictionSlope slope) {
  respond(slope);
  std::fill_n(matrix_.data(), matrix_.size(), 0.0);
  form_matrix(s);
  form_blocks(s);
  blocks_.add_to(matrix_.data());
  correction_ = residual_;
  solve_in_place(n_, ContactBlocks::pitch(n_), matrix_.data(), correction_.data());
  ++corrections_;
}

// By what is left, and was before. Round-off, if it doesn't fall any more: ContactOptions::tolerance.
bool NewtonStepper::is_solved(double enough, double left, double last) const {
  const double nearly = std::min(1e3 * enough, 1e-6);
  return left <= enough * size_ || (left <= nearly * size_ && left > 0.5 * last);
}

// Secants of friction first, which lead near the solution from everywhere; then tangents, as long as these lead on.
bool NewtonStepper::iterate(const ContactStep& s) {
  constexpr int at_first = 2, few_tries = 6;
  int secants = is_lagged_ ? 0 : at_first;
  const double enough = is_lagged_ ? lagged_tolerance_ : tolerance(s);
  double last = std::numeric_limits<double>::infinity(), left = evaluate(s);
  for (int iteration = 0;; ++iteration) {
    is_finite_ = std::isfinite(left);
    if (!is_finite_) return false;
    if (is_solved(enough, left, last)) return true;
    if (iteration == s.iterations) return false;
    const bool by_tangent = secants-- <= 0;
    correct(s, by_tangent ? FrictionSlope::tangent : FrictionSlope::secant);
    last = left;
    if (is_lagged_)
      left = go_to_least(s);
    else
      left = by_tangent && law_.friction > 0 ? go_to_less(s, left, few_tries) : go_downhill(s);
    if (by_tangent && !is_lagged_ && !(left < last)) secants = at_first;
  }
}

// Tangents alone, as long as they lead on.
bool NewtonStepper::polish(const ContactStep& s, double left) {
  constexpr int many_tries = 14;
  constexpr double worth_it = 0.9;
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0;; ++iteration) {
    is_finite_ = std::isfinite(left);
    if (!is_finite_) return false;
    if (is_solved(tolerance(s), left, last)) return true;
    if (iteration == s.iterations || !(left < worth_it * last)) return false;
    correct(s, FrictionSlope::tangent);
    last = left;
    left = go_to_less(s, left, many_tries);
  }
}

// The velocities that the forces found give exactly.
void NewtonStepper::finish(const ContactStep& s, BodyMotion& motion, ContactOutcome& outcome) {
  const double h = s.settings.dt;
  if (is_free()) {
    const ContactSums& sums = rigid_sums();
    const Vector acceleration = (to_eigen(s.external_force) + sums.force) / model_->inertia->mass;
    const Matrix3& j = inertia_.j();
    Vector rest;
    for (Index k = 0; k < 3; ++k) rest[k] = inertia_.b().row(k).dot(rate1_);
    outcome.impulse = from_eigen(h * sums.force);
    outcome.angular_impulse = from_eigen(h * (sums.torque + arm_origin_.cross(sums.force)));
    end_.velocity = start_.velocity + h * acceleration;
    end_.spin = to_eigen(solve_spin(s.spin, {j(0, 0), j(1, 1), j(2, 2), j(1, 2), j(0, 2), j(0, 1)}, from_eigen(rest),
                                    from_eigen(start_.spin), from_eigen(free_momentum_), from_eigen(end_.spin)));
    move(s);
    motion.pose = {from_eigen(end_.position), end_.rotation};
    motion.spin_rate = spin_rate(s.spin, motion.spin, from_eigen(end_.spin), motion.spin_rate);
    motion.linear_acceleration = from_eigen(acceleration);
    motion.linear_velocity = from_eigen(end_.velocity);
    motion.spin = from_eigen(end_.spin);
    outcome.finite = std::isfinite(end_.position.sum() + end_.velocity.sum() + end_.spin.sum()) &&
                     std::isfinite(end_.rotation.w + dot(end_.rotation.vector, end_.rotation.vector));
  }
  outcome.finite = is_finite_ && outcome.finite && std::isfinite(q1_.sum() + rate1_.sum() + second1_.sum());
  std::copy_n(q1_.data(), r_, motion.q.begin());
  std::copy_n(rate1_.data(), r_, motion.velocity.begin());
  std::copy_n(second1_.data(), r_, motion.acceleration.begin());
}

}  // namespace quartic::cpu
