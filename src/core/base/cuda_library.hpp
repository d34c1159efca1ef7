// libquartic_cuda: a library of its own, opened on first use, so that everything else works where CUDA's libraries
// aren't installed. What it does is in tables, one per capability, that core/<capability>/<capability>_operations.hpp
// declares.
#pragma once

#include "quartic/backend.hpp"

namespace quartic {

struct BatchOperations;
struct DeviceOperations;
struct DeviceWorldOperations;
struct FactorizationOperations;
struct FemOperations;
struct ModalOperations;
struct ModesOperations;
struct ReductionOperations;
struct RelaxationOperations;

/// What the library shows. Tables hold pointers to functions without any type of CUDA's (a stream would be a void*), so
/// that no caller needs its headers. A capability more is a pointer more.
struct CudaLibrary {
  const char* version;       // of quartic: both libraries must come from the same build
  void (*require_device)();  // throws BackendUnavailable that says what is missing
  const FemOperations* fem;
  const FactorizationOperations* factorization;
  const ModesOperations* modes;
  const ReductionOperations* reduction;
  const RelaxationOperations* relaxation;
  const BatchOperations* batch;
  const ModalOperations* modal;
  const DeviceOperations* device;
  const DeviceWorldOperations* worlds;
};

/// Opens the library, once, and looks for a device, each time. @throws BackendUnavailable that says what is missing
[[nodiscard]] const CudaLibrary& cuda_library();

/// A capability's table on a backend: the CPU's, or the one that the library shows. Nothing else asks for the backend.
/// @throws BackendUnavailable
template <class Operations>
[[nodiscard]] const Operations& operations_on(Backend backend, const Operations& on_cpu,
                                              const Operations* CudaLibrary::*on_cuda) {
  return backend == Backend::cpu ? on_cpu : *(cuda_library().*on_cuda);
}

}  // namespace quartic
