#include "cpu/contact/pushed_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace quartic::cpu {

PushedStepper::PushedStepper(std::shared_ptr<const StepperModel> model)
    : ImplicitStepper(std::move(model)),
      right_side_(static_cast<std::size_t>(n_)),
      responses_(sides * right_side_.size()) {}

void PushedStepper::start_step(const ContactStep& step, const BodyMotion& start) {
  step_ = &step;
  last_left_ = std::numeric_limits<double>::infinity();
  begin(step, start, {});
  sums_.clear();
}

// R0 U q' + R0 (w x y) + v, y = R0^T (x - c0).
void PushedStepper::place_rows(std::span<const std::int32_t> points, std::span<const double> weights,
                               const ContactPoint& at, double* rows) const {
  const Matrix3 rotation = start_.matrix();
  const ContactPoints& all = model().tree->points;
  for (Index j = 0; j < r_; ++j) {
    Vector u = Vector::Zero();
    for (std::size_t p = 0; p < points.size(); ++p)
      for (Index k = 0; k < 3; ++k) u[k] += weights[p] * all.basis(3 * std::int64_t{points[p]} + k, j);
    for (Index k = 0; k < 3; ++k)
      rows[k * n_ + j] = rotation(k, 0) * u[0] + rotation(k, 1) * u[1] + rotation(k, 2) * u[2];
  }
  if (!is_free()) return;
  const Vector arm = to_eigen(at) - start_.position;
  const Matrix3 turning = -hat(arm) * rotation;
  for (Index k = 0; k < 3; ++k)
    for (Index j = 0; j < 3; ++j) rows[k * n_ + r_ + j] = turning(k, j), rows[k * n_ + r_ + 3 + j] = k == j ? 1 : 0;
}

bool PushedStepper::check(const double* impulse) {
  const ContactStep& s = *step_;
  const double per_time = 1 / s.settings.dt;
  for (Index j = 0; j < r_; ++j) sums_.on_q[j] = per_time * impulse[j];
  if (is_free()) {
    sums_.torque = start_.matrix() * (per_time * Vector(impulse + r_));
    sums_.force = per_time * Vector(impulse + r_ + 3);
  }
  const double left = evaluate(s), last = std::exchange(last_left_, left);
  is_finite_ = std::isfinite(left);
  return is_solved(tolerance(s), left, last);
}

void PushedStepper::linearise(double* velocity) {
  const ContactStep& s = *step_;
  std::fill_n(matrix_.data(), matrix_.size(), 0.0);
  form_matrix(s);
  factors_.factorise(n_, ContactBlocks::pitch(n_), matrix_.data());
  for (Index i = 0; i < n_; ++i) right_side_[static_cast<std::size_t>(i)] = residual_[i];
  factors_.solve(right_side_.data());
  for (Index j = 0; j < r_; ++j) velocity[j] = rate1_[j] - s.settings.a4 * right_side_[static_cast<std::size_t>(j)];
  if (!is_free()) return;
  for (Index k = 0; k < 3; ++k) {
    velocity[r_ + k] = end_.spin[k] - right_side_[static_cast<std::size_t>(r_ + k)];
    velocity[r_ + 3 + k] = end_.velocity[k] - right_side_[static_cast<std::size_t>(r_ + 3 + k)];
  }
}

// The momentum that follows a torque turns with the body: h/2 u x.
void PushedStepper::respond(const double* rows, double* changes) {
  const ContactStep& s = *step_;
  const double per_time = 1 / s.settings.dt;
  const Map<const Rows> from(rows, 3, n_);
  Map<Rows> to(changes, 3, n_), all(responses_.data(), n_, sides);
  to.leftCols(r_) = per_time * from.leftCols(r_);
  if (is_free()) {
    const Vector u = start_.spin + share(s) * (end_.spin - start_.spin);
    for (Index k = 0; k < 3; ++k) {
      const Vector torque = from.row(k).segment<3>(r_);
      to.row(k).segment<3>(r_) = torque - 0.5 * s.settings.dt * u.cross(torque);
    }
    to.rightCols<3>() = from.rightCols<3>();
  }
  all.leftCols<3>() = to.transpose();
  factors_.solve<sides>(responses_.data());
  to = all.leftCols<3>().transpose();
  to.leftCols(r_) *= s.settings.a4;
}

void PushedStepper::set_velocity(const double* velocity) {
  d_ += (Map<const VectorXd>(velocity, r_) - rate1_) / step_->settings.a4;
  if (!is_free()) return;
  end_.spin = Vector(velocity + r_);
  end_.velocity = Vector(velocity + r_ + 3);
}

void PushedStepper::end_step(BodyMotion& end, ContactOutcome& outcome) {
  end = *motion_;
  finish(*step_, end, outcome);
  read_out(*step_, {}, outcome);
}

std::unique_ptr<PushedBody> make_pushed_stepper(std::shared_ptr<const StepperModel> model) {
  return std::make_unique<PushedStepper>(std::move(model));
}

}  // namespace quartic::cpu
