// Newmark's step, or backward Euler's, of one body with contacts: Newton's method on the equations of held and free
// bodies (core/batch/scheme.hpp, free_scheme.hpp) with the forces f_a of contact_law.hpp at the step's end,
//   a1 d - a2 v - a3 a + C v1 + R(q1) + B^T w' + 2 w . (q'_p A_p) - 1/2 w^T D w - f - S U_a^T R1^T f_a = 0
//   pi1 - pi0 + h/2 u x (pi0 + pi1) = 0       pi0 = the start's momentum + h R0^T (torque + S arm_a x f_a)
//   m (v1 - v0) - h (force + S f_a) = 0
// for the increment d of q and the velocities w1 and v1. For what is rigid, Newmark takes the mean of f_a at both ends.
// Arms count from c0 (backward Euler), or c0 + h/2 v0 (Newmark), so that angular momentum about the world's origin
// changes by S x_a x h f_a exactly, whatever the position c1 is that follows from v1.
#include "cpu/contact/body_stepper.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "core/batch/scheme.hpp"
#include "core/frame/inertia_forms.hpp"
#include "cpu/contact/linear_solve.hpp"
#include "cpu/energy/evaluator.hpp"
#include "cpu/energy/system.hpp"
#include "quartic/matrix.hpp"

namespace quartic::cpu {
namespace {

using System = BodySystem<double>;
using Eigen::Index;
using Eigen::Map;
using Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix3 = Eigen::Matrix3d;
using Vector = Eigen::Vector3d;

Vector to_eigen(const ContactPoint& x) {
  return {x.x, x.y, x.z};
}
ContactPoint from_eigen(const Vector& x) {
  return {x[0], x[1], x[2]};
}
Matrix3 to_eigen(const frame::Matrix3<double>& a) {
  Matrix3 result;
  for (int i = 0; i < 3; ++i) result.row(i) = to_eigen(a.row[i]).transpose();
  return result;
}
Matrix3 to_eigen(const frame::Symmetric3<double>& s) {
  Matrix3 result;
  result << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
  return result;
}
// x^ y = x cross y.
Matrix3 hat(const Vector& x) {
  Matrix3 result;
  result << 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0;
  return result;
}

// Coefficients that threads share.
struct Model {
  std::unique_ptr<Evaluator<System>> evaluator;
  std::optional<InertiaForms> inertia;  // of free bodies
  std::shared_ptr<const BoundTree> tree;
  Vector origin = Vector::Zero();  // of the frame, in the mesh's coordinates
};

// Where and how fast a body is.
struct Place {
  Vector position, velocity, spin;
  frame::Quaternion<double> rotation;
};

// D, B and J at q.
struct Inertia {
  VectorXd forms;
  Matrix3 j;

  void evaluate(const InertiaForms& of, const VectorXd& q) {
    forms = of.affine.map().col(0) + of.affine.map().rightCols(of.rank) * q;
    std::array<double, symmetric_entries> sum;
    std::copy_n(of.rest, symmetric_entries, sum.begin());
    for (Index i = 0; i < of.rank; ++i)
      for (std::size_t e = 0; e < sum.size(); ++e) {
        const Index row = symmetric_entries * i + static_cast<Index>(e);
        sum[e] += 0.5 * q[i] * (of.affine(row, 0) + forms[row]);
      }
    j = to_eigen(frame::Symmetric3<double>{sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]});
  }
  [[nodiscard]] Vector d_times(Index i, const Vector& w) const { return symmetric_times(forms.data(), i, w); }
  [[nodiscard]] auto b() const {  // shape (3, r)
    const Index r = forms.size() / 9;
    return Map<const Eigen::Matrix3Xd>(forms.data() + symmetric_entries * r, 3, r);
  }
  static Vector symmetric_times(const double* rows, Index i, const Vector& w) {
    const double* s = rows + symmetric_entries * i;
    return to_eigen(frame::Symmetric3<double>{s[0], s[1], s[2], s[3], s[4], s[5]} * from_eigen(w));
  }
};

class ImplicitStepper final : public BodyStepper {
 public:
  explicit ImplicitStepper(std::shared_ptr<const Model> model)
      : model_(std::move(model)), r_(model_->evaluator->rank()), n_(r_ + (is_free() ? 6 : 0)) {
    for (AlignedArray<double>* array : {&padded_, &argument_, &product_})
      *array = AlignedArray<double>(System::array_rows(r_));
    workspace_ = AlignedArray<double>(model_->evaluator->workspace_rows());
    h_ = AlignedArray<double>(model_->evaluator->h_rows());
    for (VectorXd* array : {&d_, &q1_, &rate1_, &second1_, &contact_q_}) *array = VectorXd::Zero(r_);
    residual_ = VectorXd::Zero(n_);
    matrix_ = Rows::Zero(n_, n_);
  }

  [[nodiscard]] std::unique_ptr<BodyStepper> twin() const override { return std::make_unique<ImplicitStepper>(model_); }

  ContactOutcome step(const ContactStep& s, const BodyMotion& start, BodyMotion& end,
                      std::span<Contact> contacts) override {
    begin(s, start, contacts);
    ContactOutcome outcome;
    outcome.converged = iterate(s);
    end = start;
    finish(s, end, outcome);
    return outcome;
  }

 private:
  struct Touch {
    ContactPoint place;  // in the world
    double gap;
    ContactPoint normal;
    ContactPoint velocity;  // relative to the shape's
    ContactResponse response;
  };

  [[nodiscard]] bool is_free() const { return model_->inertia.has_value(); }
  // The share of the step that what is rigid moves by with its velocities at the end.
  [[nodiscard]] static double share(const ContactStep& s) { return s.spin.middle; }

  void begin(const ContactStep& s, const BodyMotion& motion, std::span<Contact> contacts);
  bool iterate(const ContactStep& s);
  double evaluate(const ContactStep& s);
  double correct(const ContactStep& s);
  [[nodiscard]] double along_correction(const ContactStep& s) const;
  void finish(const ContactStep& s, BodyMotion& motion, ContactOutcome& outcome);

  void gather_fields();
  void touch_all(const ContactStep& s, std::span<const Collider> colliders, const Place& place, const VectorXd& q,
                 const VectorXd& rate);
  void respond(const ContactStep& s, FrictionSlope slope);
  void sum_contacts(const ContactStep& s);
  void move(const ContactStep& s);
  void evaluate_energy(const ContactStep& s);
  void form_residual(const ContactStep& s);
  void add_inertia_residual(const ContactStep& s);
  void form_matrix(const ContactStep& s);
  void add_inertia_matrix(const ContactStep& s);
  void add_contact_matrix(const ContactStep& s);
  [[nodiscard]] Vector arm_origin(const ContactStep& s) const {
    return s.takes_mean ? (start_.position + 0.5 * s.settings.dt * start_.velocity).eval() : start_.position;
  }

  std::shared_ptr<const Model> model_;
  Index r_, n_;
  AlignedArray<double> padded_, argument_, product_, workspace_, h_;  // as the evaluator wants them, zeros behind
  VectorXd d_, q1_, rate1_, second1_, contact_q_, residual_, correction_, elastic_;
  Rows matrix_;
  Eigen::MatrixXd fields_, turned_, left_, right_;  // per contact three rows, or columns
  Eigen::Matrix3Xd rest_;                           // X - origin of the contacts' points
  std::vector<Touch> touches_;
  std::span<Contact> contacts_;
  const BodyMotion* motion_ = nullptr;
  Place start_, end_;
  Inertia inertia_;
  Vector start_momentum_ = Vector::Zero(), free_momentum_ = Vector::Zero(), spin_rate_ = Vector::Zero();
  Vector start_force_ = Vector::Zero(),
         start_torque_ = Vector::Zero();                     // of contacts, the latter about the arms' origin
  Vector force_ = Vector::Zero(), torque_ = Vector::Zero();  // likewise at the iterate
  bool is_finite_ = true;
  double size_ = 0;  // of the equations' terms
};

void ImplicitStepper::gather_fields() {
  const auto count = static_cast<Index>(contacts_.size());
  fields_.resize(3 * count, r_);
  rest_.resize(3, count);
  const ContactPoints& points = model_->tree->points;
  for (Index c = 0; c < count; ++c) {
    const Index row = 3 * Index{contacts_[static_cast<std::size_t>(c)].point};
    for (Index j = 0; j < r_; ++j)
      for (Index k = 0; k < 3; ++k) fields_(3 * c + k, j) = points.basis(row + k, j);
    rest_.col(c) = Vector(points.positions.data() + row) - model_->origin;
  }
  touches_.resize(contacts_.size());
}

void ImplicitStepper::touch_all(const ContactStep& s, std::span<const Collider> colliders, const Place& place,
                                const VectorXd& q, const VectorXd& rate) {
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const auto column = static_cast<Index>(c);
    const auto field = fields_.middleRows<3>(3 * column);
    const Vector y = rest_.col(column) + field * q;
    const Vector turning = is_free() ? (place.spin.cross(y) + field * rate).eval() : (field * rate).eval();
    const ContactPoint x = from_eigen(place.position) + rotate(place.rotation, from_eigen(y));
    const ContactPoint velocity = from_eigen(place.velocity) + rotate(place.rotation, from_eigen(turning));
    const Collider& collider = colliders[static_cast<std::size_t>(contacts_[c].shape)];
    const ContactPose pose = pose_of(collider.pose);
    const Shape::Solid::Nearest nearest = collider.shape.solid().at(apply(inverse(pose), x));
    const ContactPoint normal = rotate(pose.rotation, nearest.normal);
    const ContactPoint carried =
        point_of(collider.twist.data()) + cross(point_of(collider.twist.data() + 3), x - pose.position);
    touches_[c] = {x, nearest.gap, normal, velocity - carried, {}};
  }
  respond(s, FrictionSlope::secant);
}

void ImplicitStepper::respond(const ContactStep& s, FrictionSlope slope) {
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    Touch& touch = touches_[c];
    touch.response = contact_response(s.law, contacts_[c].area, touch.gap, touch.normal, touch.velocity, slope);
  }
}

// Forces on q, and force and torque about the arms' origin.
void ImplicitStepper::sum_contacts(const ContactStep& s) {
  const frame::Quaternion<double> back = conjugate(end_.rotation);
  const Vector origin = arm_origin(s);
  contact_q_.setZero();
  force_.setZero();
  torque_.setZero();
  for (std::size_t c = 0; c < touches_.size(); ++c) {
    if (!touches_[c].response.touches) continue;
    const ContactPoint& f = touches_[c].response.force;
    contact_q_ += fields_.middleRows<3>(3 * static_cast<Index>(c)).transpose() * to_eigen(rotate(back, f));
    force_ += to_eigen(f);
    torque_ += (to_eigen(touches_[c].place) - origin).cross(to_eigen(f));
  }
}

void ImplicitStepper::begin(const ContactStep& s, const BodyMotion& motion, std::span<Contact> contacts) {
  motion_ = &motion;
  contacts_ = contacts;
  start_ = {to_eigen(motion.pose.position), to_eigen(motion.linear_velocity), to_eigen(motion.spin),
            frame::normalised(motion.pose.rotation)};
  end_ = start_;
  gather_fields();
  const Map<const VectorXd> q(motion.q.data(), r_), v(motion.velocity.data(), r_), a(motion.acceleration.data(), r_);
  const double h = s.settings.dt;
  d_ = s.takes_mean ? (h * v + 0.5 * h * h * a).eval() : (h * v).eval();  // bodies go on as they did
  if (!is_free()) return;
  inertia_.evaluate(*model_->inertia, q);
  start_momentum_ =
      inertia_.j * start_.spin + inertia_.b() * v + h * to_eigen(rotate(conjugate(start_.rotation), s.external_torque));
  start_force_.setZero();
  start_torque_.setZero();
  if (!s.takes_mean) return;
  touch_all(s, s.start, start_, q, v);
  sum_contacts(s);
  start_force_ = force_;
  start_torque_ = torque_;
}

// The state after the increment.
void ImplicitStepper::move(const ContactStep& s) {
  for (Index i = 0; i < r_; ++i) {
    const auto n = static_cast<std::size_t>(i);
    const RowState<double> next =
        implicit_state(s.settings, {motion_->q[n], motion_->velocity[n], motion_->acceleration[n]}, d_[i]);
    q1_[i] = next.q, rate1_[i] = next.velocity, second1_[i] = next.acceleration;
  }
  if (!is_free()) return;
  const Vector mean = start_.velocity + share(s) * (end_.velocity - start_.velocity),
               turn = start_.spin + share(s) * (end_.spin - start_.spin);
  end_.position = start_.position + s.settings.dt * mean;
  end_.rotation = frame::normalised(start_.rotation * frame::cayley(s.settings.dt * from_eigen(turn)));
}

// K into h_, and R + C q' into elastic_, the latter's mass part left out.
void ImplicitStepper::evaluate_energy(const ContactStep& s) {
  std::copy_n(q1_.data(), r_, padded_.data());
  model_->evaluator->evaluate(padded_.data(), s.pressure.data(), workspace_.data(), h_.data());
  std::fill_n(argument_.data(), argument_.size(), 0.0);
  for (Index i = 0; i < r_; ++i) argument_.data()[i] = s.rayleigh_stiffness * rate1_[i];
  model_->evaluator->apply(1, padded_.data(), s.pressure.data(), workspace_.data(), h_.data(), argument_.data(),
                           product_.data());
  elastic_ = s.stiffness_scale * Map<const VectorXd>(product_.data(), r_);
}

void ImplicitStepper::form_residual(const ContactStep& s) {
  const Map<const VectorXd> force(s.force.data(), r_);
  residual_.head(r_) = second1_ + s.rayleigh_mass * rate1_ + elastic_ - force - contact_q_;
  size_ = second1_.norm() + elastic_.norm() + force.norm() + contact_q_.norm();
  if (is_free()) add_inertia_residual(s);
}

void ImplicitStepper::add_inertia_residual(const ContactStep& s) {
  const InertiaForms& forms = *model_->inertia;
  const double h = s.settings.dt, weight = s.takes_mean ? 0.5 : 1;
  inertia_.evaluate(forms, q1_);
  const auto b = inertia_.b();
  spin_rate_ = s.spin.rate * (end_.spin - start_.spin) - s.spin.memory * to_eigen(motion_->spin_rate);
  const VectorXd turned = forms.affine.map().bottomRightCorner(3 * r_, r_) * rate1_;  // q'_p A_p
  VectorXd rigid = b.transpose() * spin_rate_;
  for (Index i = 0; i < r_; ++i)
    rigid[i] += 2 * end_.spin.dot(turned.segment<3>(3 * i)) - 0.5 * end_.spin.dot(inertia_.d_times(i, end_.spin));
  residual_.head(r_) += rigid;

  const Vector torque = s.takes_mean ? (0.5 * (start_torque_ + torque_)).eval() : torque_;
  const Vector force = to_eigen(s.external_force) + (s.takes_mean ? (0.5 * (start_force_ + force_)).eval() : force_);
  free_momentum_ = start_momentum_ + h * to_eigen(rotate(conjugate(start_.rotation), from_eigen(torque)));
  const Vector momentum = inertia_.j * end_.spin + b * rate1_;
  const Vector u = start_.spin + share(s) * (end_.spin - start_.spin);
  residual_.segment<3>(r_) = momentum - free_momentum_ + 0.5 * h * u.cross(free_momentum_ + momentum);
  residual_.segment<3>(r_ + 3) = forms.mass * (end_.velocity - start_.velocity) - h * force;
  const double inertia = inertia_.j.trace() / 3;
  size_ += rigid.norm() + (momentum.norm() + free_momentum_.norm()) / (h * std::sqrt(inertia)) +
           (forms.mass * (end_.velocity - start_.velocity).norm() / h + to_eigen(s.external_force).norm() +
            weight * (start_force_.norm() + force_.norm())) /
               std::sqrt(forms.mass);
}

void ImplicitStepper::form_matrix(const ContactStep& s) {
  const SystemScales<double> scales =
      implicit_system(s.settings, s.rayleigh_mass, s.rayleigh_stiffness, s.stiffness_scale);
  matrix_.setZero();
  const std::int64_t pitch = System::array_rows(r_);
  for (Index i = 0; i < r_; ++i) {
    for (Index j = 0; j <= i; ++j) matrix_(i, j) = matrix_(j, i) = scales.stiffness * h_.data()[i * pitch + j];
    matrix_(i, i) += scales.diagonal;
  }
  if (is_free()) add_inertia_matrix(s);
  add_contact_matrix(s);
}

// The derivatives of what add_inertia_residual adds.
void ImplicitStepper::add_inertia_matrix(const ContactStep& s) {
  const InertiaForms& forms = *model_->inertia;
  const auto affine = forms.affine.map();
  const double h = s.settings.dt, a4 = s.settings.a4;
  const Vector &w = end_.spin, u = start_.spin + share(s) * (w - start_.spin);
  const Vector momentum = inertia_.j * w + inertia_.b() * rate1_;
  const Matrix3 turn = Matrix3::Identity() + 0.5 * h * hat(u);
  const Vector weights = spin_rate_ + 2 * a4 * w;
  for (Index i = 0; i < r_; ++i) {
    Vector turned = Vector::Zero();
    for (Index p = 0; p < r_; ++p) {
      const auto coupling = affine.block<3, 1>(symmetric_entries * r_ + 3 * i, p + 1);
      matrix_(i, p) += coupling.dot(weights) - 0.5 * w.dot(Inertia::symmetric_times(affine.col(p + 1).data(), i, w));
      turned += rate1_[p] * coupling;
    }
    const Vector d = inertia_.d_times(i, w), b = inertia_.b().col(i);
    matrix_.block<1, 3>(i, r_) = (s.spin.rate * b + 2 * turned - d).transpose();
    matrix_.block<3, 1>(r_, i) = turn * (d + a4 * b - turned);
  }
  matrix_.block<3, 3>(r_, r_) = turn * inertia_.j - 0.5 * h * share(s) * hat(free_momentum_ + momentum);
  matrix_.block<3, 3>(r_ + 3, r_ + 3).diagonal().setConstant(forms.mass);
}

// With the rows of a contact, dx = R1 (U dd + h m dw x y) + h m dv and dv_a = R1 (a4 U dd + dw x y) + dv.
void ImplicitStepper::add_contact_matrix(const ContactStep& s) {
  const double h = s.settings.dt, m = h * share(s), weight = h * (s.takes_mean ? 0.5 : 1);
  const Matrix3 rotation = to_eigen(frame::matrix(end_.rotation)), start = to_eigen(frame::matrix(start_.rotation));
  const Vector origin = arm_origin(s);
  const auto active =
      std::count_if(touches_.begin(), touches_.end(), [](const Touch& t) { return t.response.touches; });
  left_.resize(3 * active, n_);
  right_.resize(3 * active, n_);
  Index row = 0;
  for (std::size_t c = 0; c < touches_.size(); ++c) {
    const Touch& touch = touches_[c];
    if (!touch.response.touches) continue;
    const auto field = fields_.middleRows<3>(3 * static_cast<Index>(c));
    const Matrix3 by_place = to_eigen(touch.response.by_place), by_velocity = to_eigen(touch.response.by_velocity);
    auto left = left_.middleRows<3>(row), right = right_.middleRows<3>(row);
    row += 3;
    left.leftCols(r_).noalias() = rotation * field;
    right.leftCols(r_).noalias() = (by_place + s.settings.a4 * by_velocity) * left.leftCols(r_);
    if (!is_free()) continue;
    const Matrix3 rigid = m * by_place + by_velocity;
    const Vector y = rest_.col(static_cast<Index>(c)) + field * q1_;
    left.middleCols<3>(r_) = -weight * hat(to_eigen(touch.place) - origin) * start;
    left.middleCols<3>(r_ + 3) = weight * Matrix3::Identity();
    right.middleCols<3>(r_) = -rigid * rotation * hat(y);
    right.middleCols<3>(r_ + 3) = rigid;
  }
  if (active > 0) matrix_.noalias() += left_.transpose() * right_;
}

// What is left of the equations at the iterate.
double ImplicitStepper::evaluate(const ContactStep& s) {
  move(s);
  touch_all(s, s.end, end_, q1_, rate1_);
  sum_contacts(s);
  evaluate_energy(s);
  form_residual(s);
  double square = residual_.head(r_).squaredNorm();
  if (is_free()) {
    const double h = s.settings.dt, mass = model_->inertia->mass, inertia = inertia_.j.trace() / 3;
    square += residual_.segment<3>(r_).squaredNorm() / (h * h * inertia) +
              residual_.segment<3>(r_ + 3).squaredNorm() / (h * h * mass);
  }
  return std::sqrt(square);
}

// The work of the residual on the correction: for contacts without friction, whose potential is convex, how fast the
// step's potential changes along it.
double ImplicitStepper::along_correction(const ContactStep& s) const {
  return residual_.head(r_).dot(correction_.head(r_)) +
         share(s) * residual_.tail(n_ - r_).dot(correction_.tail(n_ - r_));
}

// A share of the correction: all of it, or less where its end lies so far beyond the least potential on the way that
// other points touch there. @return what is left then
double ImplicitStepper::correct(const ContactStep& s) {
  constexpr int tries = 10;
  const double slope = along_correction(s);
  const VectorXd d = d_;
  const Vector spin = end_.spin, velocity = end_.velocity;
  double part = 1, left = 0;
  for (int n = 0; n < tries; ++n) {
    d_ = d - part * correction_.head(r_);
    if (is_free()) {
      end_.spin = spin - part * correction_.segment<3>(r_);
      end_.velocity = velocity - part * correction_.segment<3>(r_ + 3);
    }
    left = evaluate(s);
    const double there = along_correction(s);
    if (there >= -0.5 * slope || !(slope > 0)) break;
    part *= std::clamp(slope / (slope - there), 0.1, 0.7);
  }
  return left;
}

// Newton's method. Secants of friction first, which lead near the solution from everywhere; then tangents. Where these
// have led away, as many secants again, and twice as many the next time.
bool ImplicitStepper::iterate(const ContactStep& s) {
  int secants = 2, left_secants = secants;
  bool by_tangent = false;  // the last correction
  // Round-off, if it doesn't fall any more: ContactOptions::tolerance.
  const double nearly = std::min(1e3 * s.tolerance, 1e-6);
  double last = std::numeric_limits<double>::infinity(), left = evaluate(s);
  for (int iteration = 0;; ++iteration) {
    is_finite_ = std::isfinite(left);
    if (!is_finite_) return false;
    if (left <= s.tolerance * size_ || (left <= nearly * size_ && left > 0.5 * last)) return true;
    if (iteration == s.iterations) return false;
    if (by_tangent && left > last) left_secants = secants *= 2;
    by_tangent = left_secants-- <= 0;
    if (by_tangent) respond(s, FrictionSlope::tangent);
    form_matrix(s);
    correction_ = residual_;
    solve_in_place(n_, matrix_.data(), correction_.data());
    last = left;
    left = correct(s);
  }
}

// The velocities that the forces found give exactly, and what was found.
void ImplicitStepper::finish(const ContactStep& s, BodyMotion& motion, ContactOutcome& outcome) {
  const double h = s.settings.dt;
  outcome.force = from_eigen(force_);
  if (is_free()) {
    const Vector force = s.takes_mean ? (0.5 * (start_force_ + force_)).eval() : force_,
                 torque = s.takes_mean ? (0.5 * (start_torque_ + torque_)).eval() : torque_;
    const Vector acceleration = (to_eigen(s.external_force) + force) / model_->inertia->mass;
    const frame::Symmetric3<double> j = {inertia_.j(0, 0), inertia_.j(1, 1), inertia_.j(2, 2),
                                         inertia_.j(1, 2), inertia_.j(0, 2), inertia_.j(0, 1)};
    const Vector origin = arm_origin(s);
    outcome.torque = from_eigen(torque_ + (origin - end_.position).cross(force_));
    outcome.impulse = from_eigen(h * force);
    outcome.angular_impulse = from_eigen(h * (torque + origin.cross(force)));
    end_.velocity = start_.velocity + h * acceleration;
    end_.spin = to_eigen(solve_spin(s.spin, j, from_eigen(inertia_.b() * rate1_), from_eigen(start_.spin),
                                    from_eigen(free_momentum_), from_eigen(end_.spin)));
    move(s);
    motion.pose = {from_eigen(end_.position), end_.rotation};
    motion.spin_rate = spin_rate(s.spin, motion.spin, from_eigen(end_.spin), motion.spin_rate);
    motion.linear_acceleration = from_eigen(acceleration);
    motion.linear_velocity = from_eigen(end_.velocity);
    motion.spin = from_eigen(end_.spin);
    outcome.finite = std::isfinite(end_.position.sum() + end_.velocity.sum() + end_.spin.sum()) &&
                     std::isfinite(end_.rotation.w + dot(end_.rotation.vector, end_.rotation.vector));
  } else {
    outcome.torque = from_eigen(torque_);
  }
  outcome.finite = is_finite_ && outcome.finite && std::isfinite(q1_.sum() + rate1_.sum() + second1_.sum());
  std::copy_n(q1_.data(), r_, motion.q.begin());
  std::copy_n(rate1_.data(), r_, motion.velocity.begin());
  std::copy_n(second1_.data(), r_, motion.acceleration.begin());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    contacts_[c].position = array_of(touches_[c].place);
    contacts_[c].normal = array_of(touches_[c].normal);
    contacts_[c].gap = touches_[c].gap;
    contacts_[c].force = array_of(touches_[c].response.force);
  }
}

}  // namespace

std::unique_ptr<BodyStepper> make_body_stepper(const SharedModel& model, const SharedFrame& frame,
                                               std::shared_ptr<const BoundTree> tree) {
  auto shared = std::make_shared<Model>();
  shared->evaluator = make_evaluator<System>(model);
  shared->tree = std::move(tree);
  if (frame != nullptr) {
    shared->inertia.emplace(*frame);
    shared->origin = Vector(frame->origin.data());
  }
  return std::make_unique<ImplicitStepper>(std::move(shared));
}

}  // namespace quartic::cpu
