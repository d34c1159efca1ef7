// Modal batches as Python's objects hold them.
#pragma once

#include <memory>
#include <mutex>
#include <variant>

#include "python/shared.hpp"
#include "quartic/modal_batch.hpp"

namespace quartic::python {

using AnyModal = std::variant<ModalBatch<float>, ModalBatch<double>>;

struct LockedModal {
  AnyModal batch;
  std::mutex mutex = {};
};

/// Python's `quartic.ModalBatch`. Calls from several threads take turns.
struct ModalObject {
  std::shared_ptr<LockedModal> shared;

  /// f(batch) without the GIL, alone.
  template <class F>
  auto alone(F f) const {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(shared->mutex);
    return std::visit(f, shared->batch);
  }
  /// f(batch) for what never changes.
  template <class F>
  auto inspect(F f) const {
    return std::visit([&](const auto& batch) { return f(batch); }, shared->batch);
  }
  [[nodiscard]] bool on_cpu() const {
    return inspect([](const auto& batch) { return batch.options().backend == Backend::cpu; });
  }
};

}  // namespace quartic::python
