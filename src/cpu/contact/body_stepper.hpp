// Steps of bodies that touch something, one at a time.
#pragma once

#include "core/contact/contact_operations.hpp"

namespace quartic::cpu {

[[nodiscard]] std::unique_ptr<BodyStepper> make_body_stepper(Integrator integrator, const SharedModel& model,
                                                             const SharedFrame& frame,
                                                             std::shared_ptr<const BoundTree> tree);
[[nodiscard]] std::unique_ptr<PushedBody> make_pushed_body(const SharedModel& model, const SharedFrame& frame,
                                                           std::shared_ptr<const BoundTree> tree,
                                                           const PushedBody* alike);

}  // namespace quartic::cpu
