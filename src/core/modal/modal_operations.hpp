// What a backend does for ModalBatch: it makes the batches.
#pragma once

#include <memory>

#include "core/modal/modal_impl.hpp"
#include "quartic/backend.hpp"

namespace quartic {

/// Of a rank and options that have been checked.
struct ModalOperations {
  std::unique_ptr<ModalImpl<float>> (*make_float_batch)(std::int64_t rank, const ModalOptions& options);
  std::unique_ptr<ModalImpl<double>> (*make_double_batch)(std::int64_t rank, const ModalOptions& options);
};

extern const ModalOperations cpu_modal_operations;

/// @throws BackendUnavailable
[[nodiscard]] const ModalOperations& modal_operations(Backend backend);

}  // namespace quartic
