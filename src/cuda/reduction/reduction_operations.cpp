#include "cuda/reduction/reduction_operations.hpp"

#include "cuda/reduction/reduce_energy.hpp"

namespace quartic::cuda {

constinit const ReductionOperations reduction_operations = {.reduce_energies = reduce_energies,
                                                            .triangularize_strains = nullptr};

}  // namespace quartic::cuda
