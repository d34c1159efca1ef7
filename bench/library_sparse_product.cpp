#include "library_sparse_product.hpp"

#include <dlfcn.h>

#include <string>

#include "quartic/error.hpp"

namespace quartic::measure {

struct SparseFunctions {
  SparseFunctions() {
    constexpr const char* name = "libcusparse.so.12";
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw BackendUnavailable(std::string("the comparison needs ") + name + ", which can't be opened");
    const auto find = [&](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
      if (function == nullptr) throw BackendUnavailable(std::string(name) + " has no " + symbol);
    };
    find(create, "cusparseCreate");
    find(destroy, "cusparseDestroy");
    find(set_stream, "cusparseSetStream");
    find(create_rows, "cusparseCreateCsr");
    find(create_blocks, "cusparseCreateBsr");
    find(create_dense, "cusparseCreateDnMat");
    find(destroy_sparse, "cusparseDestroySpMat");
    find(destroy_dense, "cusparseDestroyDnMat");
    find(workspace_bytes, "cusparseSpMM_bufferSize");
    find(prepare, "cusparseSpMM_preprocess");
    find(multiply, "cusparseSpMM");
  }

  decltype(&cusparseCreate) create = nullptr;
  decltype(&cusparseDestroy) destroy = nullptr;
  decltype(&cusparseSetStream) set_stream = nullptr;
  decltype(&cusparseCreateCsr) create_rows = nullptr;
  decltype(&cusparseCreateBsr) create_blocks = nullptr;
  decltype(&cusparseCreateDnMat) create_dense = nullptr;
  decltype(&cusparseDestroySpMat) destroy_sparse = nullptr;
  decltype(&cusparseDestroyDnMat) destroy_dense = nullptr;
  decltype(&cusparseSpMM_bufferSize) workspace_bytes = nullptr;
  decltype(&cusparseSpMM_preprocess) prepare = nullptr;
  decltype(&cusparseSpMM) multiply = nullptr;
};

namespace {

constexpr double one = 1, zero = 0;
constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

const SparseFunctions& sparse_functions() {
  static const SparseFunctions functions;
  return functions;
}

void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw DeviceError(std::string("cuSPARSE couldn't ") + call + ": status " + std::to_string(status));
}

template <class T>
cuda::DeviceArray<T> copy_of(const T* values, std::int64_t count, cudaStream_t stream) {
  cuda::DeviceArray<T> copy(count, stream);
  cuda::check(cudaMemcpyAsync(copy.data(), values, copy.bytes(), cudaMemcpyDefault, stream), "copy");
  return copy;
}

}  // namespace

LibrarySparseProduct::LibrarySparseProduct(cusparseSpMMAlg_t algorithm, const cuda::DeviceMatrix& x,
                                           cuda::DeviceMatrix& y, cudaStream_t stream)
    : functions_(sparse_functions()), algorithm_(algorithm), stream_(stream) {
  check(functions_.create(&handle_), "start");
  check(functions_.set_stream(handle_, stream), "use a stream");
  check(functions_.create_dense(&x_, x.rows(), x.cols(), x.rows(), x.data(), CUDA_R_64F, CUSPARSE_ORDER_COL),
        "describe columns");
  check(functions_.create_dense(&y_, y.rows(), y.cols(), y.rows(), y.data(), CUDA_R_64F, CUSPARSE_ORDER_COL),
        "describe columns");
}

LibrarySparseProduct::LibrarySparseProduct(const SparseMatrix& matrix, const cuda::DeviceMatrix& x,
                                           cuda::DeviceMatrix& y, cudaStream_t stream)
    : LibrarySparseProduct(CUSPARSE_SPMM_CSR_ALG2, x, y, stream) {
  row_offsets_ = copy_of(matrix.row_offsets.data(), matrix.rows + 1, stream);
  columns_ = copy_of(matrix.columns.data(), matrix.nonzeros(), stream);
  values_ = copy_of(matrix.values.data(), matrix.nonzeros(), stream);
  check(functions_.create_rows(&a_, matrix.rows, matrix.cols, matrix.nonzeros(), row_offsets_.data(), columns_.data(),
                               values_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                               CUDA_R_64F),
        "describe a matrix");
  prepare();
}

LibrarySparseProduct::LibrarySparseProduct(const cuda::SparseView& blocks, const cuda::DeviceMatrix& x,
                                           cuda::DeviceMatrix& y, cudaStream_t stream)
    : LibrarySparseProduct(CUSPARSE_SPMM_BSR_ALG1, x, y, stream) {
  row_offsets_ = copy_of(blocks.row_offsets, blocks.block_rows + 1, stream);
  std::int32_t count = 0;
  cuda::check(
      cudaMemcpyAsync(&count, blocks.row_offsets + blocks.block_rows, sizeof(count), cudaMemcpyDeviceToHost, stream),
      "copy to the host");
  cuda::check(cudaStreamSynchronize(stream), "copy to the host");
  columns_ = copy_of(blocks.columns, count, stream);
  values_ = cuda::DeviceArray<double>(std::int64_t{9} * count, stream);
  constexpr std::size_t width = 9 * sizeof(double);
  cuda::check(cudaMemcpy2DAsync(values_.data(), width, blocks.values, cuda::block_stride * sizeof(double), width,
                                static_cast<std::size_t>(count), cudaMemcpyDeviceToDevice, stream),
              "copy on the device");
  check(functions_.create_blocks(&a_, blocks.block_rows, blocks.block_rows, count, 3, 3, row_offsets_.data(),
                                 columns_.data(), values_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F, CUSPARSE_ORDER_ROW),
        "describe a matrix");
  prepare();
}

LibrarySparseProduct::~LibrarySparseProduct() {
  functions_.destroy_dense(y_);
  functions_.destroy_dense(x_);
  if (a_ != nullptr) functions_.destroy_sparse(a_);
  functions_.destroy(handle_);
}

void LibrarySparseProduct::prepare() {
  std::size_t bytes = 0;
  check(functions_.workspace_bytes(handle_, plain, plain, &one, a_, x_, &zero, y_, CUDA_R_64F, algorithm_, &bytes),
        "tell its workspace");
  workspace_ = cuda::DeviceArray<unsigned char>(static_cast<std::int64_t>(bytes), stream_);
  check(functions_.prepare(handle_, plain, plain, &one, a_, x_, &zero, y_, CUDA_R_64F, algorithm_, workspace_.data()),
        "prepare a product");
}

void LibrarySparseProduct::multiply() const {
  check(functions_.multiply(handle_, plain, plain, &one, a_, x_, &zero, y_, CUDA_R_64F, algorithm_, workspace_.data()),
        "multiply");
}

}  // namespace quartic::measure
