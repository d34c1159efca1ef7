// The product of a sparse matrix with columns by cuSPARSE, to compare ours with.
#pragma once

#include <cusparse.h>

#include "cuda/algebra/sparse_matrix.hpp"
#include "quartic/matrix.hpp"

namespace quartic::measure {

struct SparseFunctions;

/// Y = A X by cusparseSpMM, opened at run time. One matrix and one shape of X; work goes into the stream it was made
/// with.
class LibrarySparseProduct {
 public:
  /// In compressed rows of numbers. @throws BackendUnavailable without cuSPARSE
  LibrarySparseProduct(const SparseMatrix& matrix, const cuda::DeviceMatrix& x, cuda::DeviceMatrix& y,
                       cudaStream_t stream);
  /// In 3 x 3 blocks, copied from those of `blocks`, which aren't isotropic.
  LibrarySparseProduct(const cuda::SparseView& blocks, const cuda::DeviceMatrix& x, cuda::DeviceMatrix& y,
                       cudaStream_t stream);
  ~LibrarySparseProduct();
  LibrarySparseProduct(const LibrarySparseProduct&) = delete;
  LibrarySparseProduct& operator=(const LibrarySparseProduct&) = delete;

  /// Doesn't synchronise.
  void multiply() const;

 private:
  LibrarySparseProduct(cusparseSpMMAlg_t algorithm, const cuda::DeviceMatrix& x, cuda::DeviceMatrix& y,
                       cudaStream_t stream);
  void prepare();

  const SparseFunctions& functions_;
  cusparseSpMMAlg_t algorithm_;
  cudaStream_t stream_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t a_ = nullptr;
  cusparseDnMatDescr_t x_ = nullptr, y_ = nullptr;
  cuda::DeviceArray<std::int32_t> row_offsets_, columns_;
  cuda::DeviceArray<double> values_;
  cuda::DeviceArray<unsigned char> workspace_;
};

}  // namespace quartic::measure
