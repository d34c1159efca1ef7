// The baseline of steps on a GPU: what can be built from NVIDIA's libraries.
#pragma once

#include <cstdint>
#include <memory>

#include "cuda/base/runtime.hpp"
#include "library_functions.hpp"
#include "pipeline_kernels.hpp"
#include "quartic/batch.hpp"
#include "quartic/energy.hpp"

namespace quartic::measure {

/// Bodies of one model that are stepped by implicit Newmark as Batch does with its default options: one Newton
/// iteration on (K + a1 I) d = -residual, undamped. Each step starts, over all bodies,
///   1. a kernel for the monomials q^_c q^_d,
///   2. a product by cuBLAS (`cublasSgemm`, in `double` `cublasDgemm`) for K and H_i0,
///   3. a kernel that unpacks the matrices A = K + a1 I and makes the residuals,
///   4. a factorisation and a solution by cuSOLVER (`cusolverDnSpotrfBatched`, `potrsBatched`, or D),
///   5. a kernel for the new state.
/// The libraries stay in their default, IEEE arithmetic. T = float or double.
template <class T>
class LibraryPipeline {
 public:
  /// State starts at zero. The stream must outlive the object.
  /// @throws InputError for an energy of the wrong size, or whose K doesn't fit into 48 kB; DeviceError;
  /// BackendUnavailable without the libraries
  LibraryPipeline(const QuarticEnergy& energy, std::int64_t bodies, cudaStream_t stream);

  /// Starts a step of dt [s]. May be captured, as far as the libraries' calls may.
  void step(double dt, cudaStream_t stream);

  /// In device memory, body after body.
  [[nodiscard]] StateView<T> q() { return state(0); }
  [[nodiscard]] StateView<T> velocity() { return state(1); }
  [[nodiscard]] StateView<T> acceleration() { return state(2); }
  [[nodiscard]] StateView<T> force() { return state(3); }

 private:
  struct DestroyCublas {
    void operator()(cublasHandle_t handle) const { library_functions().destroy_cublas(handle); }
  };
  struct DestroyCusolver {
    void operator()(cusolverDnHandle_t handle) const { library_functions().destroy_cusolver(handle); }
  };

  [[nodiscard]] StateView<T> state(int array);
  void make_addresses(cudaStream_t stream);

  PipelineView<T> view_ = {};
  cuda::DeviceArray<IndexPair> pairs_;
  cuda::DeviceArray<T> coefficients_;  // shape (rows of H, monomials), as coefficient_matrix() but for padding
  cuda::DeviceArray<T> states_, products_, h_, matrices_, solutions_;
  cuda::DeviceArray<T*> matrix_addresses_, solution_addresses_;
  cuda::DeviceArray<int> infos_;
  cuda::DeviceArray<unsigned char> workspace_;
  std::unique_ptr<cublasContext, DestroyCublas> cublas_;
  std::unique_ptr<cusolverDnContext, DestroyCusolver> cusolver_;
};

}  // namespace quartic::measure
