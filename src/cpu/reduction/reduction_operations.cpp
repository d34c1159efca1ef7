#include "core/reduction/reduction_operations.hpp"

#include "cpu/reduction/strain_products.hpp"

namespace quartic {

constinit const ReductionOperations cpu_reduction_operations = {.reduce_energies = cpu::reduce_energies,
                                                                .triangularize_strains = cpu::triangularize_strains};

}  // namespace quartic
