// What a backend does for Factorization.
#pragma once

#include <memory>

#include "core/factorization/factorization_impl.hpp"
#include "quartic/backend.hpp"
#include "quartic/factorization.hpp"

namespace quartic {

class DeviceMatrices;

struct FactorizationOperations {
  /// Of a matrix that has been checked. @throws as Factorization's constructor
  std::unique_ptr<FactorizationImpl> (*factorize)(const SparseMatrix& matrix, const FactorizationOptions& options);
  /// Of K + shift M on the device that assembled them; null on the CPU, whose matrices are the host's.
  std::unique_ptr<FactorizationImpl> (*factorize_assembled)(const DeviceMatrices& matrices, double shift,
                                                            const FactorizationOptions& options);
};

extern const FactorizationOperations cpu_factorization_operations;

/// @throws BackendUnavailable
[[nodiscard]] const FactorizationOperations& factorization_operations(Backend backend);

}  // namespace quartic
