#include "cpu/contact/body_stepper.hpp"

#include <utility>

#include "cpu/contact/newton_stepper.hpp"
#include "cpu/contact/pushed_stepper.hpp"

namespace quartic::cpu {

namespace {

std::shared_ptr<const StepperModel> make_model(const SharedModel& model, const SharedFrame& frame,
                                               std::shared_ptr<const BoundTree> tree) {
  auto shared = std::make_shared<StepperModel>();
  shared->evaluator = make_evaluator<BodySystem<double>>(model);
  shared->tree = std::move(tree);
  if (frame != nullptr) {
    shared->inertia.emplace(*frame);
    shared->origin = Vector(frame->origin.data());
  }
  return shared;
}

}  // namespace

std::unique_ptr<BodyStepper> make_body_stepper(Integrator integrator, const SharedModel& model,
                                               const SharedFrame& frame, std::shared_ptr<const BoundTree> tree) {
  auto shared = make_model(model, frame, std::move(tree));
  return integrator == Integrator::energy_conserving ? make_conserving_stepper(std::move(shared))
                                                     : make_implicit_stepper(std::move(shared));
}

std::unique_ptr<PushedBody> make_pushed_body(const SharedModel& model, const SharedFrame& frame,
                                             std::shared_ptr<const BoundTree> tree, const PushedBody* alike) {
  if (alike != nullptr) return make_pushed_stepper(static_cast<const PushedStepper&>(*alike).shared_model());
  return make_pushed_stepper(make_model(model, frame, std::move(tree)));
}

}  // namespace quartic::cpu
