// Newmark's step, or backward Euler's, of one body with the forces f_a of contact_law.hpp at the step's end,
//   a1 d - a2 v - a3 a + C v1 + R(q1) + B^T w' + 2 w . (q'_p A_p) - 1/2 w^T D w - f - S U_a^T R1^T f_a = 0
// For what is rigid, Newmark takes the mean of f_a at both ends. Arms count from c0 (backward Euler), or c0 + h/2 v0
// (Newmark), so that angular momentum about the world's origin changes by S x_a x h f_a exactly, whatever the position
// c1 is that follows from v1.
#include "cpu/contact/implicit_stepper.hpp"

#include <utility>

#include "core/batch/free_scheme.hpp"
#include "core/batch/scheme.hpp"

namespace quartic::cpu {

ImplicitStepper::ImplicitStepper(std::shared_ptr<const StepperModel> model) : NewtonStepper(std::move(model)) {
  h_ = AlignedArray<double>(this->model().evaluator->h_rows());
  for (VectorXd* array : {&elastic_, &rigid_, &damped_, &start_sums_.on_q, &sums_.on_q, &mean_.on_q})
    *array = VectorXd::Zero(r_);
}

void ImplicitStepper::touch_all(std::span<const Collider> colliders, const Place& place, ContactSums& sums) {
  const frame::Quaternion<double> back = conjugate(place.rotation);
  sums.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Vector y = rows_.deformed(c, q1_), moved = rows_.moved(c, rate1_);
    const Vector turning = is_free() ? (place.spin.cross(y) + moved).eval() : moved;
    const ContactPoint x = from_eigen(place.position) + rotate(place.rotation, from_eigen(y));
    const ContactPoint velocity = from_eigen(place.velocity) + rotate(place.rotation, from_eigen(turning));
    const Collider& collider = colliders[static_cast<std::size_t>(contacts_[c].shape)];
    const ContactPose pose = quartic::pose_of(collider.pose);
    const Shape::Solid::Nearest nearest = collider.shape.solid().at(apply(inverse(pose), x));
    const ContactPoint normal = rotate(pose.rotation, nearest.normal);
    const ContactPoint carried =
        point_of(collider.twist.data()) + cross(point_of(collider.twist.data() + 3), x - pose.position);
    Touch& touch = touches_[c] = {x, nearest.gap, normal, velocity - carried, {}};
    touch.response = contact_response(law_, contacts_[c].area, touch.gap, normal, touch.velocity, FrictionSlope::secant,
                                      pressing(c));
    if (!touch.response.touches) continue;
    const Vector f = to_eigen(touch.response.force);
    rows_.add_transposed(c, to_eigen(rotate(back, touch.response.force)), sums.on_q);
    sums.force += f;
    sums.torque += (to_eigen(x) - arm_origin_).cross(f);
  }
}

void ImplicitStepper::respond(FrictionSlope slope) {
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    Touch& touch = touches_[c];
    if (touch.response.touches)
      touch.response =
          contact_response(law_, contacts_[c].area, touch.gap, touch.normal, touch.velocity, slope, pressing(c));
  }
}

void ImplicitStepper::begin_contacts(const ContactStep& s) {
  rigid_sums_ = takes_mean(s) ? &mean_ : &sums_;
  if (is_free() && takes_mean(s)) touch_all(s.start, start_, start_sums_);  // q1 and its rate are the start's yet
}

void ImplicitStepper::move_coordinates(const ContactStep& s) {
  for (Index i = 0; i < r_; ++i) {
    const auto n = static_cast<std::size_t>(i);
    const RowState<double> next =
        implicit_state(s.settings, {motion_->q[n], motion_->velocity[n], motion_->acceleration[n]}, d_[i]);
    q1_[i] = next.q, rate1_[i] = next.velocity, second1_[i] = next.acceleration;
  }
}

void ImplicitStepper::touch(const ContactStep& s) {
  touch_all(s.end, end_, sums_);
  if (!takes_mean(s)) return;
  mean_.force = 0.5 * (start_sums_.force + sums_.force);
  mean_.torque = 0.5 * (start_sums_.torque + sums_.torque);
}

void ImplicitStepper::form_residual(const ContactStep& s) {
  const Map<const VectorXd> force(s.force.data(), r_);
  damped_ = s.rayleigh_stiffness * rate1_;
  evaluate_elastic(s, q1_, h_.data(), 1, damped_, elastic_);
  residual_.head(r_) = second1_ + s.rayleigh_mass * rate1_ + elastic_ - force - sums_.on_q;
  size_ += second1_.norm() + elastic_.norm() + force.norm() + sums_.on_q.norm();
  if (is_free()) add_inertia_residual(s);
}

void ImplicitStepper::add_inertia_residual(const ContactStep& s) {
  const Vector& w = end_.spin;
  spin_rate_ = s.spin.rate * (w - start_.spin) - s.spin.memory * to_eigen(motion_->spin_rate);
  for (Index i = 0; i < r_; ++i)
    rigid_[i] =
        inertia_.b().col(i).dot(spin_rate_) + 2 * w.dot(turned(rate1_, i)) - 0.5 * w.dot(inertia_.d_times(i, w));
  residual_.head(r_) += rigid_;
  size_ += rigid_.norm();
}

void ImplicitStepper::form_matrix(const ContactStep& s) {
  const SystemScales<double> scales =
      implicit_system(s.settings, s.rayleigh_mass, s.rayleigh_stiffness, s.stiffness_scale);
  const std::int64_t pitch = BodySystem<double>::array_rows(r_);
  auto a = matrix();
  for (Index i = 0; i < r_; ++i) {
    for (Index j = 0; j <= i; ++j) a(i, j) = a(j, i) = scales.stiffness * h_.data()[i * pitch + j];
    a(i, i) += scales.diagonal;
  }
  if (is_free()) add_inertia_matrix(s);
}

// The derivatives of what add_inertia_residual adds.
void ImplicitStepper::add_inertia_matrix(const ContactStep& s) {
  const auto affine = model().inertia->affine.map();
  const double a4 = s.settings.a4;
  const Vector& w = end_.spin;
  const Vector weights = spin_rate_ + 2 * a4 * w;
  auto a = matrix();
  for (Index i = 0; i < r_; ++i) {
    for (Index p = 0; p < r_; ++p)
      a(i, p) += affine.block<3, 1>(symmetric_entries * r_ + 3 * i, p + 1).dot(weights) -
                 0.5 * w.dot(Inertia::symmetric_times(affine.col(p + 1).data(), i, w));
    a.block<1, 3>(i, r_) =
        (s.spin.rate * inertia_.b().col(i) + 2 * turned(rate1_, i) - inertia_.d_times(i, w)).transpose();
  }
  form_rigid_matrix(s, a4);
}

// With the rows of a contact, dx = R1 (U dd + h m dw x y) + h m dv and dv_a = R1 (a4 U dd + dw x y) + dv.
void ImplicitStepper::form_blocks(const ContactStep& s) {
  const double h = s.settings.dt, m = h * share(s), weight = h * (takes_mean(s) ? 0.5 : 1);
  const Matrix3 rotation = end_.matrix(), start = start_.matrix();
  blocks_.clear(n_, contacts_.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Touch& touch = touches_[c];
    if (!touch.response.touches) continue;
    const Matrix3 by_place = to_eigen(touch.response.by_place), by_velocity = to_eigen(touch.response.by_velocity);
    const Matrix3 by_d = (by_place + s.settings.a4 * by_velocity) * rotation;
    const ContactRows::Field field = rows_.field(c);
    auto [left, right] = blocks_.append();
    left.leftCols(r_) = rotation.lazyProduct(field);
    right.leftCols(r_) = by_d.lazyProduct(field);
    if (!is_free()) continue;
    const Matrix3 rigid = m * by_place + by_velocity;
    left.middleCols<3>(r_) = -weight * hat(to_eigen(touch.place) - arm_origin_) * start;
    left.middleCols<3>(r_ + 3) = weight * Matrix3::Identity();
    right.middleCols<3>(r_) = -rigid * rotation * hat(rows_.deformed(c, q1_));
    right.middleCols<3>(r_ + 3) = rigid;
  }
}

void ImplicitStepper::read_out(const ContactStep& s, std::span<Contact> contacts, ContactOutcome& outcome) const {
  outcome.force = from_eigen(sums_.force);
  outcome.torque = from_eigen(sums_.torque + (arm_origin_ - end_.position).cross(sums_.force));
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Touch& touch = touches_[c];
    contacts[c].position = array_of(touch.place);
    contacts[c].normal = array_of(touch.normal);
    contacts[c].gap = touch.gap;
    contacts[c].force = array_of(touch.response.force);
    const double depth = s.end[static_cast<std::size_t>(contacts[c].shape)].shape.solid().depth();
    outcome.too_fast |= went_through(touch.gap, s.settings.dt * dot(touch.normal, touch.velocity), depth);
  }
}

std::unique_ptr<BodyStepper> make_implicit_stepper(std::shared_ptr<const StepperModel> model) {
  return std::make_unique<ImplicitStepper>(std::move(model));
}

}  // namespace quartic::cpu
