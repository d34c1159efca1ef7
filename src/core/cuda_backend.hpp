// What libquartic_cuda offers. It is a library of its own, opened on first use, so that everything else works where
// CUDA's libraries aren't installed.
#pragma once

#include <memory>
#include <vector>

#include "core/batch_impl.hpp"
#include "core/device_system.hpp"
#include "core/factorization_impl.hpp"
#include "quartic/modes.hpp"

namespace quartic {

struct CudaBackend {
  const char* version;       // of quartic: both libraries must come from the same build
  void (*require_device)();  // throws BackendUnavailable that says what is missing
  std::unique_ptr<BatchImpl<float>> (*make_float_batch)(std::vector<BodyGroup> groups, const BatchOptions& options);
  std::unique_ptr<BatchImpl<double>> (*make_double_batch)(std::vector<BodyGroup> groups, const BatchOptions& options);
  std::unique_ptr<FactorizationImpl> (*factorize)(const SparseMatrix& matrix, const FactorizationOptions& options);
  /// Of a system whose factor is one of the backend's. The system must outlive it.
  std::unique_ptr<DeviceSystem> (*make_system)(const ElasticSystem::Impl& system);
};

/// Opens the library, once, and looks for a device, each time. @throws BackendUnavailable that says what is missing
[[nodiscard]] const CudaBackend& cuda_backend();

}  // namespace quartic
