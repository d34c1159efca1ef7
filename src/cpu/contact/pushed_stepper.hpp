// One body under impulses that others solve for: the equations of ImplicitStepper, whose derivatives are factorised
// once for many right-hand sides.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "core/contact/pushed_body.hpp"
#include "cpu/contact/implicit_stepper.hpp"
#include "cpu/contact/lu_factors.hpp"

namespace quartic::cpu {

class PushedStepper final : public ImplicitStepper, public PushedBody {
 public:
  explicit PushedStepper(std::shared_ptr<const StepperModel> model);

  using NewtonStepper::shared_model;
  [[nodiscard]] std::int64_t size() const override { return n_; }
  void start_step(const ContactStep& step, const BodyMotion& start) override;
  void place_rows(std::span<const std::int32_t> points, std::span<const double> weights, const ContactPoint& at,
                  double* rows) const override;
  bool check(const double* impulse) override;
  [[nodiscard]] bool is_finite() const override { return is_finite_; }
  void linearise(double* velocity) override;
  void respond(const double* rows, double* changes) override;
  [[nodiscard]] double left() const override { return last_left_ > 0 ? last_left_ / size_ : last_left_; }
  void set_velocity(const double* velocity) override;
  void end_step(BodyMotion& end, ContactOutcome& outcome) override;

 private:
  /// Three, and one for nothing: as many as go into vectors.
  static constexpr std::size_t sides = 4;

  /// They are given, and don't follow from the iterate.
  void touch(const ContactStep&) override {}

  const ContactStep* step_ = nullptr;
  LuFactors factors_;
  std::vector<double> right_side_, responses_;  // shapes (size), (size, sides)
  double last_left_ = std::numeric_limits<double>::infinity();
};

[[nodiscard]] std::unique_ptr<PushedBody> make_pushed_stepper(std::shared_ptr<const StepperModel> model);

}  // namespace quartic::cpu
