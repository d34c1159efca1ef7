// Batches on the CPU.
#pragma once

#include <memory>
#include <vector>

#include "core/batch/batch_impl.hpp"

namespace quartic::cpu {

template <class T>
[[nodiscard]] std::unique_ptr<BatchImpl<T>> make_batch(std::vector<BodyGroup> groups, const BatchOptions& options);

}  // namespace quartic::cpu
