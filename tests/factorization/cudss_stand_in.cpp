// A stand-in for libcudss: the functions that we call, over Eigen's sparse Cholesky, strict about the order of calls
// and the form of the matrices. It tests how we use the library where the real one finds no device. Arrays are taken
// from the device by copies, so that it works on emulated and real ones. Functions are those of version 1.
#include <cudss.h>

#include <Eigen/SparseCholesky>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

struct cudssContext {
  cudaStream_t stream = nullptr;
};
struct cudssConfig {};
struct cudssMatrix {
  bool sparse;
  std::int64_t rows, cols, nonzeros;
  const void *row_offsets, *columns;
  void* values;
};
struct cudssData {
  std::vector<std::int32_t> row_offsets, columns;  // of the analysis
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Lower> factor;
  bool factorised = false;
  int info = 0;  // stays until cudssDataSet clears it
};

namespace {

template <class T>
std::vector<T> fetch(const void* data, std::int64_t size, cudaStream_t stream) {
  std::vector<T> values(static_cast<std::size_t>(size));
  cudaMemcpyAsync(values.data(), data, values.size() * sizeof(T), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return values;
}

// The upper triangle's rows are the lower one's columns.
Eigen::SparseMatrix<double> lower_triangle(const cudssMatrix& a, cudaStream_t stream) {
  const auto row_offsets = fetch<std::int32_t>(a.row_offsets, a.rows + 1, stream);
  const auto columns = fetch<std::int32_t>(a.columns, a.nonzeros, stream);
  const auto values = fetch<double>(a.values, a.nonzeros, stream);
  return Eigen::Map<const Eigen::SparseMatrix<double>>(a.rows, a.rows, a.nonzeros, row_offsets.data(), columns.data(),
                                                       values.data());
}

cudssStatus_t analyse(cudssContext& handle, cudssData& data, const cudssMatrix& a) {
  data.row_offsets = fetch<std::int32_t>(a.row_offsets, a.rows + 1, handle.stream);
  data.columns = fetch<std::int32_t>(a.columns, a.nonzeros, handle.stream);
  for (std::size_t row = 0; row + 1 < data.row_offsets.size(); ++row)
    for (auto n = data.row_offsets[row]; n < data.row_offsets[row + 1]; ++n)
      if (data.columns[static_cast<std::size_t>(n)] < static_cast<std::int32_t>(row)) return CUDSS_STATUS_INVALID_VALUE;
  data.factor.analyzePattern(lower_triangle(a, handle.stream));
  data.factorised = false;
  return CUDSS_STATUS_SUCCESS;
}

cudssStatus_t factorise(cudssContext& handle, cudssData& data, const cudssMatrix& a) {
  if (data.row_offsets != fetch<std::int32_t>(a.row_offsets, a.rows + 1, handle.stream) ||
      data.columns != fetch<std::int32_t>(a.columns, a.nonzeros, handle.stream))
    return CUDSS_STATUS_INVALID_VALUE;
  data.factor.factorize(lower_triangle(a, handle.stream));
  data.factorised = data.factor.info() == Eigen::Success;
  if (!data.factorised) data.info = 1;
  return CUDSS_STATUS_SUCCESS;
}

cudssStatus_t solve(cudssContext& handle, cudssData& data, const cudssMatrix& x, const cudssMatrix& b) {
  if (!data.factorised || x.rows != b.rows || x.cols != b.cols || x.values == b.values)
    return CUDSS_STATUS_INVALID_VALUE;
  const auto right = fetch<double>(b.values, b.rows * b.cols, handle.stream);
  const Eigen::MatrixXd result = data.factor.solve(Eigen::MatrixXd::Map(right.data(), b.rows, b.cols));
  cudaMemcpyAsync(x.values, result.data(), right.size() * sizeof(double), cudaMemcpyHostToDevice, handle.stream);
  cudaStreamSynchronize(handle.stream);
  return CUDSS_STATUS_SUCCESS;
}

template <class T>
cudssStatus_t give(const T& answer, void* value, std::size_t bytes, std::size_t* written) {
  if (bytes < sizeof(T)) return CUDSS_STATUS_INVALID_VALUE;
  std::memcpy(value, &answer, sizeof(T));
  *written = sizeof(T);
  return CUDSS_STATUS_SUCCESS;
}

}  // namespace

cudssStatus_t cudssGetProperty(libraryPropertyType type, int* value) {
  *value = type == MAJOR_VERSION   ? CUDSS_VERSION_MAJOR
           : type == MINOR_VERSION ? CUDSS_VERSION_MINOR
                                   : CUDSS_VERSION_PATCH;
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssCreate(cudssHandle_t* handle) {
  *handle = new cudssContext;
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssDestroy(cudssHandle_t handle) {
  delete handle;
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssSetStream(cudssHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssConfigCreate(cudssConfig_t* config) {
  *config = new cudssConfig;
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssConfigDestroy(cudssConfig_t config) {
  delete config;
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssConfigSet(cudssConfig_t, cudssConfigParam_t, const void* value, std::size_t bytes) {
  int flag = 0;
  if (bytes != sizeof(flag)) return CUDSS_STATUS_INVALID_VALUE;
  std::memcpy(&flag, value, sizeof(flag));
  return flag == 1 ? CUDSS_STATUS_SUCCESS : CUDSS_STATUS_NOT_SUPPORTED;
}
cudssStatus_t cudssDataCreate(const cudssHandle_t, cudssData_t* data) {
  *data = new cudssData;
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssDataDestroy(cudssHandle_t, cudssData_t data) {
  delete data;
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssDataGet(const cudssHandle_t, const cudssData_t data, cudssDataParam_t what, void* value,
                           std::size_t bytes, std::size_t* written) {
  switch (what) {
    case CUDSS_DATA_INFO:
      return give(data->info, value, bytes, written);
    case CUDSS_DATA_LU_NNZ:
      return give(static_cast<std::int64_t>(data->factor.matrixL().nestedExpression().nonZeros()), value, bytes,
                  written);
    case CUDSS_DATA_MEMORY_ESTIMATES:
      return give(std::array<std::int64_t, 16>{1 << 20, 1 << 20, 0, 0}, value, bytes, written);
    default:
      return CUDSS_STATUS_NOT_SUPPORTED;
  }
}
cudssStatus_t cudssDataSet(const cudssHandle_t, cudssData_t data, cudssDataParam_t what, const void* value,
                           std::size_t bytes) {
  if (what != CUDSS_DATA_INFO) return CUDSS_STATUS_NOT_SUPPORTED;
  if (bytes != sizeof(data->info)) return CUDSS_STATUS_INVALID_VALUE;
  std::memcpy(&data->info, value, sizeof(data->info));
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssMatrixCreateDn(cudssMatrix_t* matrix, std::int64_t rows, std::int64_t cols, std::int64_t ld,
                                  const void* values, cudaDataType_t type, cudssLayout_t layout) {
  if (ld != rows || type != CUDA_R_64F || layout != CUDSS_LAYOUT_COL_MAJOR) return CUDSS_STATUS_NOT_SUPPORTED;
  *matrix = new cudssMatrix{false, rows, cols, 0, nullptr, nullptr, const_cast<void*>(values)};
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssMatrixCreateCsr(cudssMatrix_t* matrix, std::int64_t rows, std::int64_t cols, std::int64_t nonzeros,
                                   const void* row_starts, const void* row_ends, const void* columns,
                                   const void* values, cudaDataType_t offsets, cudaDataType_t indices,
                                   cudaDataType_t type, cudssMatrixType_t kind, cudssMatrixViewType_t view,
                                   cudssIndexBase_t base) {
  if (rows != cols || row_ends != nullptr || offsets != CUDA_R_32I || indices != CUDA_R_32I || type != CUDA_R_64F ||
      kind != CUDSS_MTYPE_SPD || view != CUDSS_MVIEW_UPPER || base != CUDSS_BASE_ZERO)
    return CUDSS_STATUS_NOT_SUPPORTED;
  *matrix = new cudssMatrix{true, rows, cols, nonzeros, row_starts, columns, const_cast<void*>(values)};
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssMatrixDestroy(cudssMatrix_t matrix) {
  delete matrix;
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssExecute(cudssHandle_t handle, int phase, const cudssConfig_t config, cudssData_t data,
                           const cudssMatrix_t a, cudssMatrix_t x, const cudssMatrix_t b) {
  if (config == nullptr || !a->sparse || x->sparse || b->sparse || a->rows != b->rows)
    return CUDSS_STATUS_INVALID_VALUE;
  if (phase == CUDSS_PHASE_ANALYSIS) return analyse(*handle, *data, *a);
  if (phase == CUDSS_PHASE_FACTORIZATION) return factorise(*handle, *data, *a);
  return phase == CUDSS_PHASE_SOLVE ? solve(*handle, *data, *x, *b) : CUDSS_STATUS_NOT_SUPPORTED;
}
