#include "core/relaxation/relaxation_operations.hpp"

#include "cpu/fem/cpu_fem.hpp"
#include "cpu/relaxation/geometric_products.hpp"
#include "cpu/relaxation/strain_products.hpp"

namespace quartic {

constinit const RelaxationOperations cpu_relaxation_operations = {.quadratic_forces = cpu::quadratic_forces,
                                                                  .geometric_products = cpu::geometric_products,
                                                                  .strain_products = cpu::strain_products};

}  // namespace quartic
