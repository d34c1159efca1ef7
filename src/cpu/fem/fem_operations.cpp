#include "core/fem/fem_operations.hpp"

#include "cpu/fem/cpu_fem.hpp"

namespace quartic {

constinit const FemOperations cpu_fem_operations = {
    .stiffness = cpu::stiffness, .mass = cpu::mass, .force_hessian = cpu::force_hessian};

}  // namespace quartic
