// The energy-conserving step (cpu/batch/free_energy_conserving_step.cpp) of one body with contacts. With u = (w0 + w1)
// / 2, Rm = (R0 + R1) / 2, qm and ym the means of both ends, and d0, d1 a point's gaps there,
//   (p1 - p0) / h - 1/2 w0^T D(qm) w1 - 1/2 (A(w0) q'1 + A(w1) q'0) + mean R + C d / h - mean f - S U_a^T Rm^T f_a = 0
//   contacts' torque S Rm (ym x Rm^T f_a)
// A point moves by x1 - x0 = h (v0 + v1)/2 + Rm (U d + h u x ym), as R1 - R0 = Rm h u^ for Cayley's rotation, so that
// f_a does the work f_a . (x1 - x0). With the potential phi(d) = k A/2 d^2 below 0 and a normal n for which n . (x1 -
// x0) = d1 - d0,
//   f_a = -(phi(d1) - phi(d0)) / (d1 - d0) n
// takes from the body just what the potential gains (Gonzalez 1996). The normal is the gap's gradient between both ends
// and what is missing along x1 - x0: nothing for a plane. Damping and friction are those of contact_law.hpp for the
// step's mean velocity (x1 - x0) / h; they only dissipate.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/batch/scheme.hpp"
#include "cpu/contact/newton_stepper.hpp"

namespace quartic::cpu {
namespace {

/// (phi(d1) - phi(d0)) / (d1 - d0) / (k A), and its derivative by d1, without cancellation.
struct MeanGap {
  double value = 0, slope = 0;

  MeanGap(double d0, double d1) {
    if (d0 < 0 && d1 < 0) {
      value = 0.5 * (d0 + d1);
      slope = 0.5;
    } else if (d1 < 0) {
      const double share = d1 / (d1 - d0);
      value = 0.5 * share * d1;
      slope = share - 0.5 * share * share;
    } else if (d0 < 0) {
      const double share = d0 / (d0 - d1);
      value = 0.5 * share * d0;
      slope = 0.5 * share * share;
    }
  }
};

class ConservingStepper final : public NewtonStepper {
 public:
  explicit ConservingStepper(std::shared_ptr<const StepperModel> model) : NewtonStepper(std::move(model)) {
    h_[0] = AlignedArray<double>(this->model().evaluator->h_rows());
    h_[1] = AlignedArray<double>(this->model().evaluator->h_rows());
    for (VectorXd* array :
         {&middle_, &damped_, &elastic_, &rigid_, &start_rate_, &start_q_, &start_axial_, &sums_.on_q})
      *array = VectorXd::Zero(r_);
  }
  [[nodiscard]] std::unique_ptr<BodyStepper> twin() const override { return make_conserving_stepper(shared_model()); }

 private:
  struct Touch {
    ContactPoint start_in_shape;  // where the point was at the start
    double start_gap = 0;
    ContactPoint place;            // at the end, in the world
    double gap = 0, outwards = 0;  // there, and the way along the normal there
    MeanGap mean = {1, 1};
    ContactPoint normal, unit;  // n above, and of unit length
    ContactPoint velocity;      // mean, relative to the shape's
    Vector y = Vector::Zero();  // in the frame at the end
    Vector middle_y = Vector::Zero();
    ContactResponse response = {};
  };

  void reserve_touches(std::size_t contacts) override {
    if (touches_.size() < contacts) touches_.resize(contacts);
  }
  void begin_contacts(const ContactStep& s) override;
  void move_coordinates(const ContactStep& s) override;
  void touch(const ContactStep& s) override;
  void respond(FrictionSlope slope) override;
  void form_residual(const ContactStep& s) override;
  void form_matrix(const ContactStep& s) override;
  void form_blocks(const ContactStep& s) override;
  ContactSums& rigid_sums() override { return sums_; }
  [[nodiscard]] double normal_force(std::size_t contact) const override {
    return dot(touches_[contact].response.force, touches_[contact].unit) / norm(touches_[contact].normal);
  }
  void read_out(const ContactStep& s, std::span<Contact> contacts, ContactOutcome& outcome) const override;
  // Energy is as exact as the equations are solved: to round-off.
  [[nodiscard]] double tolerance(const ContactStep& s) const override { return std::min(s.tolerance, 1e-13); }

  [[nodiscard]] ContactPoint place_of(const Place& place, const Vector& y) const {
    return from_eigen(place.position) + rotate(place.rotation, from_eigen(y));
  }
  [[nodiscard]] Matrix3 mean_rotation() const { return 0.5 * (start_.matrix() + end_.matrix()); }
  void touch_one(const ContactStep& s, std::size_t contact);
  void add_inertia_residual(const ContactStep& s);
  void add_inertia_matrix(const ContactStep& s);

  AlignedArray<double> h_[2];                                                        // at both Gauss points
  VectorXd middle_, damped_, elastic_, rigid_, start_q_, start_rate_, start_axial_;  // the last: B0^T w0
  Inertia middle_inertia_;
  std::vector<Touch> touches_;
  ContactSums sums_;
};

void ConservingStepper::begin_contacts(const ContactStep& s) {
  start_q_ = Map<const VectorXd>(motion_->q.data(), r_);
  start_rate_ = Map<const VectorXd>(motion_->velocity.data(), r_);
  if (is_free())
    for (Index i = 0; i < r_; ++i) start_axial_[i] = start_inertia_.b().col(i).dot(start_.spin);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Collider& collider = s.start[static_cast<std::size_t>(contacts_[c].shape)];
    Touch& touch = touches_[c];
    touch.start_in_shape =
        apply(inverse(quartic::pose_of(collider.pose)), place_of(start_, rows_.deformed(c, start_q_)));
    touch.start_gap = collider.shape.solid().at(touch.start_in_shape).gap;
  }
}

void ConservingStepper::move_coordinates(const ContactStep& s) {
  for (Index i = 0; i < r_; ++i) {
    const RowState<double> next = conserving_state(s.settings, start_q_[i], start_rate_[i], d_[i]);
    q1_[i] = next.q, rate1_[i] = next.velocity, second1_[i] = next.acceleration;
  }
  middle_ = 0.5 * (start_q_ + q1_);
}

// A point's way as its shape sees it, and the normal along which the way is the gap's change.
void ConservingStepper::touch_one(const ContactStep& s, std::size_t contact) {
  const auto shape = static_cast<std::size_t>(contacts_[contact].shape);
  const Shape::Solid& solid = s.end[shape].shape.solid();
  const ContactPose before = quartic::pose_of(s.start[shape].pose), after = quartic::pose_of(s.end[shape].pose);
  Touch& touch = touches_[contact];
  touch.y = rows_.deformed(contact, q1_);
  touch.middle_y = rows_.deformed(contact, middle_);
  touch.place = place_of(end_, touch.y);
  const ContactPoint end = apply(inverse(after), touch.place);
  const Shape::Solid::Nearest nearest = solid.at(end);
  touch.gap = nearest.gap;
  touch.mean = {touch.start_gap, touch.gap};
  const double same = dot(before.rotation.vector, after.rotation.vector) + before.rotation.w * after.rotation.w;
  const double sign = same < 0 ? -1 : 1;  // of quaternions, which stand for one rotation
  const frame::Quaternion<double> between = frame::normalised(frame::Quaternion<double>{
      before.rotation.vector + sign * after.rotation.vector, before.rotation.w + sign * after.rotation.w});
  const ContactPoint way = end - touch.start_in_shape;
  touch.outwards = dot(nearest.normal, way);
  ContactPoint normal = solid.at(0.5 * (touch.start_in_shape + end)).normal;
  const double square = dot(way, way);
  if (square > 0) normal = normal + ((touch.gap - touch.start_gap - dot(normal, way)) / square) * way;
  touch.normal = rotate(between, normal);
  touch.unit = (1 / norm(touch.normal)) * touch.normal;
  touch.velocity = (1 / s.settings.dt) * rotate(between, way);
}

void ConservingStepper::touch(const ContactStep& s) {
  for (std::size_t c = 0; c < contacts_.size(); ++c) touch_one(s, c);
  respond(FrictionSlope::secant);
  const Matrix3 mean = mean_rotation();
  sums_.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Touch& touch = touches_[c];
    if (!touch.response.touches) continue;
    const Vector f = to_eigen(touch.response.force), in_body = mean.transpose() * f;
    rows_.add_transposed(c, in_body, sums_.on_q);
    sums_.force += f;
    sums_.torque += mean * touch.middle_y.cross(in_body);
  }
}

void ConservingStepper::respond(FrictionSlope slope) {
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    Touch& touch = touches_[c];
    ContactResponse& response = touch.response;
    response =
        contact_response(law_, contacts_[c].area, touch.mean.value, touch.unit, touch.velocity, slope, pressing(c));
    if (!response.touches) continue;
    // The pressure acts along n, whose length isn't quite 1; the potential's slope changes by less than the gap.
    response.force = response.force + dot(response.force, touch.unit) * (touch.normal - touch.unit);
    response.by_place = touch.mean.slope * response.by_place;
  }
}

void ConservingStepper::form_residual(const ContactStep& s) {
  const Map<const VectorXd> force(s.force.data(), r_);
  double terms = 0;
  for (Index i = 0; i < r_; ++i) {
    residual_[i] = conserving_inertia(s.settings, d_[i], start_rate_[i], s.rayleigh_mass, force[i]);
    const double term = conserving_term(s.settings, d_[i], start_rate_[i], force[i]);
    terms += term * term;
  }
  damped_ = gauss_damping(s.settings, s.rayleigh_stiffness) * d_;
  for (const bool second : {false, true}) {
    for (Index i = 0; i < r_; ++i) q1_[i] = gauss_point(gauss_share<double>(second), start_q_[i], d_[i]);
    evaluate_elastic(s, q1_, h_[second ? 1 : 0].data(), 0.5, damped_, elastic_);
    residual_.head(r_) += elastic_;
    size_ += elastic_.norm();
  }
  q1_ = start_q_ + d_;
  residual_.head(r_) -= sums_.on_q;
  size_ += std::sqrt(terms) + sums_.on_q.norm();
  if (is_free()) add_inertia_residual(s);
}

void ConservingStepper::add_inertia_residual(const ContactStep& s) {
  const double h = s.settings.dt;
  const Vector &w0 = start_.spin, &w1 = end_.spin;
  middle_inertia_.evaluate(*model().inertia, middle_);
  for (Index i = 0; i < r_; ++i)
    rigid_[i] = (inertia_.b().col(i).dot(w1) - start_axial_[i]) / h - 0.5 * w0.dot(middle_inertia_.d_times(i, w1)) +
                0.5 * (w0.dot(turned(rate1_, i)) + w1.dot(turned(start_rate_, i)));
  residual_.head(r_) += rigid_;
  size_ += rigid_.norm();
}

void ConservingStepper::form_matrix(const ContactStep& s) {
  const double damping = gauss_damping(s.settings, s.rayleigh_stiffness);
  const double first = gauss_stiffness(gauss_share<double>(false), damping, s.stiffness_scale),
               second = gauss_stiffness(gauss_share<double>(true), damping, s.stiffness_scale);
  const SystemScales<double> scales = conserving_system(s.settings, s.rayleigh_mass);
  const std::int64_t pitch = BodySystem<double>::array_rows(r_);
  auto a = matrix();
  for (Index i = 0; i < r_; ++i) {
    for (Index j = 0; j <= i; ++j)
      a(i, j) = a(j, i) =
          scales.stiffness * (first * h_[0].data()[i * pitch + j] + second * h_[1].data()[i * pitch + j]);
    a(i, i) += scales.diagonal;
  }
  if (is_free()) add_inertia_matrix(s);
}

// The derivatives of what add_inertia_residual adds.
void ConservingStepper::add_inertia_matrix(const ContactStep& s) {
  const auto affine = model().inertia->affine.map();
  const double h = s.settings.dt;
  const Vector &w0 = start_.spin, &w1 = end_.spin;
  const Vector weights = (w0 + w1) / h;
  auto a = matrix();
  for (Index i = 0; i < r_; ++i) {
    for (Index p = 0; p < r_; ++p)
      a(i, p) += affine.block<3, 1>(symmetric_entries * r_ + 3 * i, p + 1).dot(weights) -
                 0.25 * w0.dot(Inertia::symmetric_times(affine.col(p + 1).data(), i, w1));
    a.block<1, 3>(i, r_) =
        (inertia_.b().col(i) / h - 0.5 * middle_inertia_.d_times(i, w0) + 0.5 * turned(start_rate_, i)).transpose();
  }
  form_rigid_matrix(s, 2 / h);
}

// With the rows of a contact, dx = R1 (U dd + h/2 dw x y) + h/2 dv.
void ConservingStepper::form_blocks(const ContactStep& s) {
  const double h = s.settings.dt;
  const Matrix3 rotation = end_.matrix(), mean = mean_rotation(), start = start_.matrix();
  blocks_.clear(n_, contacts_.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Touch& touch = touches_[c];
    if (!touch.response.touches) continue;
    const Matrix3 by_end = to_eigen(touch.response.by_place) + to_eigen(touch.response.by_velocity) / h;
    const Matrix3 by_d = by_end * rotation;
    const ContactRows::Field field = rows_.field(c);
    auto [left, right] = blocks_.append();
    left.leftCols(r_) = mean.lazyProduct(field);
    right.leftCols(r_) = by_d.lazyProduct(field);
    if (!is_free()) continue;
    const Matrix3 arm = mean * hat(touch.middle_y) * mean.transpose();
    left.middleCols<3>(r_) = h * arm.transpose() * start;
    left.middleCols<3>(r_ + 3) = h * Matrix3::Identity();
    right.middleCols<3>(r_) = -0.5 * h * by_d * hat(touch.y);
    right.middleCols<3>(r_ + 3) = 0.5 * h * by_end;
  }
}

void ConservingStepper::read_out(const ContactStep& s, std::span<Contact> contacts, ContactOutcome& outcome) const {
  outcome.force = from_eigen(sums_.force);
  outcome.torque = from_eigen(sums_.torque);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    contacts[c].position = array_of(touches_[c].place);
    contacts[c].normal = array_of(touches_[c].unit);
    contacts[c].gap = touches_[c].gap;
    contacts[c].force = array_of(touches_[c].response.force);
    const double depth = s.end[static_cast<std::size_t>(contacts[c].shape)].shape.solid().depth();
    outcome.too_fast |= went_through(touches_[c].gap, touches_[c].outwards, depth);
  }
}

}  // namespace

std::unique_ptr<BodyStepper> make_conserving_stepper(std::shared_ptr<const StepperModel> model) {
  return std::make_unique<ConservingStepper>(std::move(model));
}

}  // namespace quartic::cpu
