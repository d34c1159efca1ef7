// Functions of cuBLAS and cuSOLVER, found at run time: what doesn't need the baseline runs without these libraries.
#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

namespace quartic::measure {

struct LibraryFunctions {
  /// @throws BackendUnavailable that names the library, or the function, that is missing
  LibraryFunctions();

  decltype(&cublasCreate_v2) create_cublas = nullptr;
  decltype(&cublasDestroy_v2) destroy_cublas = nullptr;
  decltype(&cublasSetStream_v2) set_cublas_stream = nullptr;
  decltype(&cublasSetWorkspace_v2) set_cublas_workspace = nullptr;
  decltype(&cublasSgemm_v2) gemm_float = nullptr;
  decltype(&cublasDgemm_v2) gemm_double = nullptr;
  decltype(&cusolverDnCreate) create_cusolver = nullptr;
  decltype(&cusolverDnDestroy) destroy_cusolver = nullptr;
  decltype(&cusolverDnSetStream) set_cusolver_stream = nullptr;
  decltype(&cusolverDnSpotrfBatched) factorize_float = nullptr;
  decltype(&cusolverDnDpotrfBatched) factorize_double = nullptr;
  decltype(&cusolverDnSpotrsBatched) solve_float = nullptr;
  decltype(&cusolverDnDpotrsBatched) solve_double = nullptr;
};

/// Opened at the first call.
[[nodiscard]] const LibraryFunctions& library_functions();

}  // namespace quartic::measure
