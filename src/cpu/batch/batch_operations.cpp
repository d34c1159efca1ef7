#include "core/batch/batch_operations.hpp"

#include "cpu/batch/batch.hpp"

namespace quartic {

constinit const BatchOperations cpu_batch_operations = {.make_float_batch = cpu::make_batch<float>,
                                                        .make_double_batch = cpu::make_batch<double>};

}  // namespace quartic
