#include "core/contact/contact_operations.hpp"

#include "cpu/contact/body_stepper.hpp"
#include "cpu/contact/refit_kernels.hpp"

namespace quartic {

constinit const ContactOperations cpu_contact_operations = {.refit_floats = cpu::refit<float>,
                                                            .refit_doubles = cpu::refit<double>,
                                                            .make_stepper = cpu::make_body_stepper,
                                                            .make_pushed_body = cpu::make_pushed_body};

}  // namespace quartic
