// The functions of cuBLAS that we call, found at run time: who doesn't ask for cuBLAS needn't have it.
#pragma once

#include <cublas_v2.h>

#include <string>

#include "cuda/base/runtime.hpp"

namespace quartic::cuda {

/// Where a column-major matrix on the device begins, and how far apart its columns are.
template <class T>
struct ColumnsView {
  T* data;
  int stride;
};

/// One handle. Not for several threads at once. All work goes into the stream of the last `use`; nothing synchronises.
class Cublas {
 public:
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // what cuBLAS recommends for its kernels

  /// Opens the library. @param purpose, otherwise for the message: what needs it, and what can be done without it
  /// @throws BackendUnavailable if it isn't there
  Cublas(const std::string& purpose, const std::string& otherwise);
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// The workspace must stay until the work is done.
  void use(cudaStream_t stream, const DeviceArray<unsigned char>& workspace);

  /// C = alpha op(A) op(B) + beta C, where C is (m, n) and op(A) is (m, k).
  void multiply(cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, double alpha,
                ColumnsView<const double> a, ColumnsView<const double> b, double beta, ColumnsView<double> c);

  /// `count` products of matrices `stride` apart: C = A B^T each, with B of (n, k); a stride of 0 uses one for all.
  template <class T>
  struct Batched {
    ColumnsView<const T> a, b;
    ColumnsView<T> c;
    long long stride_a, stride_b, stride_c;
  };
  void multiply_batched(int m, int n, int k, const Batched<float>& matrices, int count);
  void multiply_batched(int m, int n, int k, const Batched<double>& matrices, int count);
  /// `count` times C += A^T B, with A of (k, m) and B of (k, n).
  void add_transposed_batched(int m, int n, int k, const Batched<double>& matrices, int count);

  /// Lower triangle of C = alpha op(A) op(A)^T + beta C, where C is (n, n) and op(A) is (n, k).
  void rank_k_update(cublasOperation_t op, int n, int k, double alpha, ColumnsView<const double> a, double beta,
                     ColumnsView<double> c);

  /// B = B op(L)^-1 for a lower triangle L of (n, n) and a B of (m, n).
  void solve_triangle_from_right(cublasOperation_t op, int m, int n, ColumnsView<const double> triangle,
                                 ColumnsView<double> b);

 private:
  decltype(&cublasCreate_v2) create_ = nullptr;
  decltype(&cublasDestroy_v2) destroy_ = nullptr;
  decltype(&cublasSetStream_v2) set_stream_ = nullptr;
  decltype(&cublasSetWorkspace_v2) set_workspace_ = nullptr;
  decltype(&cublasSgemmStridedBatched) float_batched_ = nullptr;
  decltype(&cublasDgemmStridedBatched) double_batched_ = nullptr;
  decltype(&cublasDgemm_v2) gemm_ = nullptr;
  decltype(&cublasDgemv_v2) gemv_ = nullptr;
  decltype(&cublasDsyrk_v2) syrk_ = nullptr;
  decltype(&cublasDtrsm_v2) trsm_ = nullptr;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace quartic::cuda
