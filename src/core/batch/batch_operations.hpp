// What a backend does for Batch: it makes the batches.
#pragma once

#include <memory>
#include <vector>

#include "core/batch/batch_impl.hpp"
#include "quartic/backend.hpp"
#include "quartic/batch.hpp"

namespace quartic {

/// Of groups and options that have been checked; `bodies` of the options is the sum of all groups.
struct BatchOperations {
  std::unique_ptr<BatchImpl<float>> (*make_float_batch)(std::vector<BodyGroup> groups, const BatchOptions& options);
  std::unique_ptr<BatchImpl<double>> (*make_double_batch)(std::vector<BodyGroup> groups, const BatchOptions& options);
};

extern const BatchOperations cpu_batch_operations;

/// @throws BackendUnavailable
[[nodiscard]] const BatchOperations& batch_operations(Backend backend);

}  // namespace quartic
