// A step of one body with contacts by Newton's method, for the increment d of q and the velocities w1 and v1 at the
// step's end. What schemes share: the equations of what is rigid (core/batch/free_scheme.hpp),
//   pi1 - pi0 + h/2 u x (pi0 + pi1) = 0       pi0 = the start's momentum + h R0^T (torque + contacts' torque)
//   m (v1 - v0) - h (force + contacts' force) = 0
// the way to their solution, and what is read out. Schemes have the equations of q and the forces of contacts.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "core/contact/body_stepper.hpp"
#include "cpu/contact/anderson_mixing.hpp"
#include "cpu/contact/contact_rows.hpp"
#include "cpu/contact/inertia.hpp"
#include "cpu/contact/stepper_model.hpp"

namespace quartic::cpu {

class NewtonStepper : public BodyStepper {
 public:
  explicit NewtonStepper(std::shared_ptr<const StepperModel> model);
  void reserve(std::size_t contacts) final;
  ContactOutcome step(const ContactStep& step, const BodyMotion& start, BodyMotion& end,
                      std::span<Contact> contacts) final;

 protected:
  /// Forces of contacts: on q, and on what is rigid, where the torque's arms count from `arm_origin_`.
  struct ContactSums {
    VectorXd on_q;
    Vector force = Vector::Zero(), torque = Vector::Zero();

    void clear();
  };

  // ---- Schemes
  virtual void reserve_touches(std::size_t contacts) = 0;
  virtual void begin_contacts(const ContactStep& s) = 0;
  /// The state of q after the increment.
  virtual void move_coordinates(const ContactStep& s) = 0;
  /// Where contacts are at the iterate, and their sums.
  virtual void touch(const ContactStep& s) = 0;
  /// Their derivatives, by the slope of friction that is asked for.
  virtual void respond(FrictionSlope slope) = 0;
  /// What is left of the equations of q at the iterate, into residual_; adds the sizes of its terms to size_.
  virtual void form_residual(const ContactStep& s) = 0;
  /// Its derivatives by d and, of free bodies, by w1, into matrix_.
  virtual void form_matrix(const ContactStep& s) = 0;
  /// left^T right of every contact that touches, of the rows' derivatives: blocks_.
  virtual void form_blocks(const ContactStep& s) = 0;
  /// Forces on what is rigid in the step: at its end, or the mean of both ends.
  virtual ContactSums& rigid_sums() = 0;
  virtual void read_out(const ContactStep& s, std::span<Contact> contacts, ContactOutcome& outcome) const = 0;
  /// Of a contact at the iterate.
  [[nodiscard]] virtual double normal_force(std::size_t contact) const = 0;
  /// Newton's tolerance.
  [[nodiscard]] virtual double tolerance(const ContactStep& s) const { return s.tolerance; }

  [[nodiscard]] bool is_free() const { return model_->inertia.has_value(); }
  [[nodiscard]] const StepperModel& model() const { return *model_; }
  [[nodiscard]] const std::shared_ptr<const StepperModel>& shared_model() const { return model_; }
  /// The share of the step that what is rigid moves by with its velocities at the end.
  [[nodiscard]] static double share(const ContactStep& s) { return s.spin.middle; }
  [[nodiscard]] Map<Rows, 0, Eigen::OuterStride<>> matrix() {
    return {matrix_.data(), n_, n_, Eigen::OuterStride<>(ContactBlocks::pitch(n_))};
  }
  /// What contact_response takes for a contact.
  [[nodiscard]] double pressing(std::size_t contact) const { return is_lagged_ ? pressing_[contact] : -1; }
  /// H at q, and R + K x into `result`, all times the body's stiffness scale but H.
  void evaluate_elastic(const ContactStep& s, const VectorXd& q, double* h, double weight, const VectorXd& x,
                        VectorXd& result);
  /// How w1 acts on the momentum equation: rows of matrix_ below those of q, for dq'1 = a4 dd.
  void form_rigid_matrix(const ContactStep& s, double a4);
  /// q'_p A_pi, shape (3), of the coordinate i.
  [[nodiscard]] Vector turned(const VectorXd& rate, Index i) const;

  Index r_, n_;
  VectorXd d_, q1_, rate1_, second1_, residual_, correction_;
  const BodyMotion* motion_ = nullptr;
  std::span<const Contact> contacts_;
  Place start_, end_;
  Inertia start_inertia_, inertia_;
  ContactRows rows_;
  ContactBlocks blocks_;
  AlignedArray<double> matrix_;
  Vector arm_origin_ = Vector::Zero();
  ContactLaw law_{};
  double size_ = 0;  // of the equations' terms
  bool is_finite_ = true;

  // ---- One way to the solution, as others may go it
  void begin(const ContactStep& s, const BodyMotion& motion, std::span<const Contact> contacts);
  double evaluate(const ContactStep& s);
  [[nodiscard]] bool is_solved(double enough, double left, double last) const;
  void finish(const ContactStep& s, BodyMotion& motion, ContactOutcome& outcome);

 private:
  struct Unknowns {
    VectorXd d;
    Vector spin, velocity;
  };

  bool solve(const ContactStep& s);
  bool solve_by_pressures(const ContactStep& s);
  bool iterate(const ContactStep& s);
  bool polish(const ContactStep& s, double left);
  void correct(const ContactStep& s, FrictionSlope slope);
  void move(const ContactStep& s);
  void form_rigid_residual(const ContactStep& s);
  void keep(Unknowns& place) const;
  void go(const Unknowns& from, double part);
  double go_downhill(const ContactStep& s);
  double go_to_least(const ContactStep& s);
  double go_to_less(const ContactStep& s, double left, int tries);
  [[nodiscard]] double along_correction(const ContactStep& s) const;

  std::shared_ptr<const StepperModel> model_;
  AlignedArray<double> padded_, argument_, product_, workspace_;  // as the evaluator wants them, zeros behind
  Unknowns before_, start_guess_;
  std::vector<double> pressing_, pressed_;  // normal forces that friction follows, and what they lead to
  AndersonMixing mixing_;
  double lagged_tolerance_ = 0;
  int corrections_ = 0;
  bool is_lagged_ = false;  // friction follows pressing_, not the normal forces of the iterate
  Vector start_momentum_ = Vector::Zero(), free_momentum_ = Vector::Zero();
};

[[nodiscard]] std::unique_ptr<BodyStepper> make_implicit_stepper(std::shared_ptr<const StepperModel> model);
[[nodiscard]] std::unique_ptr<BodyStepper> make_conserving_stepper(std::shared_ptr<const StepperModel> model);

}  // namespace quartic::cpu
