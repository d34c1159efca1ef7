// Modal batches on the backend that tests run on.
#pragma once

#include <span>
#include <utility>

#include "quartic/modal_batch.hpp"
#include "support/batch_states.hpp"

namespace quartic::test {

template <class T>
class TestedModalBatch : public ModalBatch<T> {
 public:
  explicit TestedModalBatch(std::span<const double> eigenvalues, ModalOptions options = {})
      : ModalBatch<T>(eigenvalues, on_tested_backend(std::move(options))) {}

 private:
  static ModalOptions on_tested_backend(ModalOptions options) {
    options.backend = tested_backend();
    return options;
  }
};

/// Round-offs of a precision.
template <class T>
inline constexpr double epsilon = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;

}  // namespace quartic::test
