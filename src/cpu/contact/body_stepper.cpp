#include "cpu/contact/body_stepper.hpp"

#include <utility>

#include "cpu/contact/newton_stepper.hpp"

namespace quartic::cpu {

std::unique_ptr<BodyStepper> make_body_stepper(Integrator integrator, const SharedModel& model,
                                               const SharedFrame& frame, std::shared_ptr<const BoundTree> tree) {
  auto shared = std::make_shared<StepperModel>();
  shared->evaluator = make_evaluator<BodySystem<double>>(model);
  shared->tree = std::move(tree);
  if (frame != nullptr) {
    shared->inertia.emplace(*frame);
    shared->origin = Vector(frame->origin.data());
  }
  return integrator == Integrator::energy_conserving ? make_conserving_stepper(std::move(shared))
                                                     : make_implicit_stepper(std::move(shared));
}

}  // namespace quartic::cpu
