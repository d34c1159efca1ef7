#include "cuda/base/cublas.hpp"

#include <dlfcn.h>

#include <string>
#include <type_traits>

#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

constexpr const char* library_name = "libcublas.so.13";

void check_cublas(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(std::string("cuBLAS couldn't ") + call + ": status " + std::to_string(status));
}

}  // namespace

Cublas::Cublas(const std::string& purpose, const std::string& otherwise) {
  void* library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw BackendUnavailable(purpose + " needs " + library_name + ", which can't be opened; install cuBLAS, or use " +
                             otherwise);
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) throw BackendUnavailable(std::string(library_name) + " has no " + name);
  };
  find(create_, "cublasCreate_v2");
  find(destroy_, "cublasDestroy_v2");
  find(set_stream_, "cublasSetStream_v2");
  find(set_workspace_, "cublasSetWorkspace_v2");
  find(float_batched_, "cublasSgemmStridedBatched");
  find(double_batched_, "cublasDgemmStridedBatched");
  find(gemm_, "cublasDgemm_v2");
  find(gemv_, "cublasDgemv_v2");
  find(syrk_, "cublasDsyrk_v2");
  find(trsm_, "cublasDtrsm_v2");
  check_cublas(create_(&handle_), "start");
}

Cublas::~Cublas() {
  destroy_(handle_);
}

// In this order: a new stream forgets the workspace.
void Cublas::use(cudaStream_t stream, const DeviceArray<unsigned char>& workspace) {
  check_cublas(set_stream_(handle_, stream), "use a stream");
  check_cublas(set_workspace_(handle_, workspace.data(), workspace.bytes()), "use a workspace");
}

void Cublas::multiply(cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, double alpha,
                      ColumnsView<const double> a, ColumnsView<const double> b, double beta, ColumnsView<double> c) {
  if (n == 1 && op_b == CUBLAS_OP_N) {  // made for long columns, as a product of matrices isn't
    const bool plain = op_a == CUBLAS_OP_N;
    return check_cublas(
        gemv_(handle_, op_a, plain ? m : k, plain ? k : m, &alpha, a.data, a.stride, b.data, 1, &beta, c.data, 1),
        "multiply");
  }
  check_cublas(gemm_(handle_, op_a, op_b, m, n, k, &alpha, a.data, a.stride, b.data, b.stride, &beta, c.data, c.stride),
               "multiply");
}

void Cublas::multiply_batched(int m, int n, int k, const Batched<float>& matrices, int count) {
  const float one = 1, zero = 0;
  const auto& [a, b, c, stride_a, stride_b, stride_c] = matrices;
  check_cublas(float_batched_(handle_, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &one, a.data, a.stride, stride_a, b.data,
                              b.stride, stride_b, &zero, c.data, c.stride, stride_c, count),
               "multiply");
}

void Cublas::multiply_batched(int m, int n, int k, const Batched<double>& matrices, int count) {
  const double one = 1, zero = 0;
  const auto& [a, b, c, stride_a, stride_b, stride_c] = matrices;
  check_cublas(double_batched_(handle_, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &one, a.data, a.stride, stride_a, b.data,
                               b.stride, stride_b, &zero, c.data, c.stride, stride_c, count),
               "multiply");
}

void Cublas::add_transposed_batched(int m, int n, int k, const Batched<double>& matrices, int count) {
  const double one = 1;
  const auto& [a, b, c, stride_a, stride_b, stride_c] = matrices;
  check_cublas(double_batched_(handle_, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &one, a.data, a.stride, stride_a, b.data,
                               b.stride, stride_b, &one, c.data, c.stride, stride_c, count),
               "add products");
}

void Cublas::rank_k_update(cublasOperation_t op, int n, int k, double alpha, ColumnsView<const double> a, double beta,
                           ColumnsView<double> c) {
  check_cublas(syrk_(handle_, CUBLAS_FILL_MODE_LOWER, op, n, k, &alpha, a.data, a.stride, &beta, c.data, c.stride),
               "make a Gram matrix");
}

void Cublas::solve_triangle_from_right(cublasOperation_t op, int m, int n, ColumnsView<const double> triangle,
                                       ColumnsView<double> b) {
  const double one = 1;
  check_cublas(trsm_(handle_, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, op, CUBLAS_DIAG_NON_UNIT, m, n, &one,
                     triangle.data, triangle.stride, b.data, b.stride),
               "solve with a triangle");
}

}  // namespace quartic::cuda
