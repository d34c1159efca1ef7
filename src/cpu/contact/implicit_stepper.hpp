// Newmark's step, or backward Euler's, of one body in contact: see implicit_stepper.cpp.
#pragma once

#include "cpu/contact/newton_stepper.hpp"

namespace quartic::cpu {

class ImplicitStepper : public NewtonStepper {
 public:
  explicit ImplicitStepper(std::shared_ptr<const StepperModel> model);
  [[nodiscard]] std::unique_ptr<BodyStepper> twin() const override { return make_implicit_stepper(shared_model()); }

 protected:
  void touch(const ContactStep& s) override;
  void form_matrix(const ContactStep& s) override;
  void read_out(const ContactStep& s, std::span<Contact> contacts, ContactOutcome& outcome) const override;

  ContactSums sums_;  // at the step's end

 private:
  struct Touch {
    ContactPoint place;  // in the world
    double gap;
    ContactPoint normal;
    ContactPoint velocity;  // relative to the shape's
    ContactResponse response;
  };
  static bool takes_mean(const ContactStep& s) { return s.integrator == Integrator::newmark; }

  void reserve_touches(std::size_t contacts) override {
    if (touches_.size() < contacts) touches_.resize(contacts);
  }
  void begin_contacts(const ContactStep& s) override;
  void move_coordinates(const ContactStep& s) override;
  void respond(FrictionSlope slope) override;
  void form_residual(const ContactStep& s) override;
  void form_blocks(const ContactStep& s) override;
  ContactSums& rigid_sums() override { return *rigid_sums_; }
  [[nodiscard]] double normal_force(std::size_t contact) const override {
    return dot(touches_[contact].response.force, touches_[contact].normal);
  }

  void touch_all(std::span<const Collider> colliders, const Place& place, ContactSums& sums);
  void add_inertia_residual(const ContactStep& s);
  void add_inertia_matrix(const ContactStep& s);

  AlignedArray<double> h_;
  VectorXd elastic_, rigid_, damped_;
  std::vector<Touch> touches_;
  ContactSums start_sums_, mean_;
  ContactSums* rigid_sums_ = &sums_;
  Vector spin_rate_ = Vector::Zero();
};

}  // namespace quartic::cpu
