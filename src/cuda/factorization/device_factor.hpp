// The factor of a sparse matrix on the device: one class per library.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/factorization/factorization_impl.hpp"
#include "cuda/base/device_matrix.hpp"
#include "cuda/fem/elastic_matrices.hpp"
#include "quartic/factorization.hpp"

namespace quartic::cuda {

/// Made by the functions below. All work goes into the stream it was made with, which must outlive it.
class DeviceFactor {
 public:
  DeviceFactor() = default;
  DeviceFactor(const DeviceFactor&) = delete;
  DeviceFactor& operator=(const DeviceFactor&) = delete;
  virtual ~DeviceFactor() = default;

  /// The factor of another matrix of the same pattern, complete on return; only if made updatable.
  /// @throws NotPositiveDefinite
  virtual void update(const SparseMatrix& matrix) = 0;
  /// B <- A^-1 B.
  virtual void solve(DeviceMatrix& b) = 0;
  /// True if columns pass through the factor together, so that many cost little more than one.
  [[nodiscard]] virtual bool solves_together() const = 0;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::int64_t factor_nonzeros() const = 0;

  std::string fallback;  ///< as FactorizationImpl::fallback
};

/// Symmetric positive definite matrices, both triangles stored; synchronise. @throws NotPositiveDefinite,
/// BackendUnavailable if the library isn't there, DeviceError if there is too little memory
[[nodiscard]] std::unique_ptr<DeviceFactor> factorize_cudss(const SparseMatrix& matrix, bool updatable,
                                                            cudaStream_t stream);
[[nodiscard]] std::unique_ptr<DeviceFactor> factorize_cusolver(const SparseMatrix& matrix, bool updatable,
                                                               cudaStream_t stream);
/// Of a matrix that is on the device; not for updates. cuDSS gets the upper triangle, cuSOLVER all of it in an order
/// that the host finds from the pattern of vertices.
[[nodiscard]] std::unique_ptr<DeviceFactor> factorize_cudss(const SystemMatrix& matrix, cudaStream_t stream);
[[nodiscard]] std::unique_ptr<DeviceFactor> factorize_cusolver(const SystemMatrix& matrix, cudaStream_t stream);
/// A factor on the CPU, to which right-hand sides are copied.
[[nodiscard]] std::unique_ptr<DeviceFactor> factorize_on_host(const SparseMatrix& matrix,
                                                              const FactorizationOptions& options, cudaStream_t stream);

/// The one that `options.method` names, or the first of cuDSS, cuSOLVER and the CPU's that is there.
[[nodiscard]] std::unique_ptr<DeviceFactor> factorize(const SparseMatrix& matrix, const FactorizationOptions& options,
                                                      cudaStream_t stream);
/// The CPU's gets a copy of the matrix.
[[nodiscard]] std::unique_ptr<DeviceFactor> factorize(const SystemMatrix& matrix, const FactorizationOptions& options,
                                                      cudaStream_t stream);

/// What stands behind Factorization: a factor with a stream of its own, and copies of right-hand sides to and fro.
class CudaFactorization final : public FactorizationImpl {
 public:
  CudaFactorization(const SparseMatrix& matrix, const FactorizationOptions& options);
  /// Of K + shift M, in the matrices' stream.
  CudaFactorization(const CudaElasticMatrices& matrices, double shift, const FactorizationOptions& options);
  ~CudaFactorization() override;

  void update(const SparseMatrix& matrix) override;
  void solve(Eigen::Ref<Eigen::MatrixXd> b) override;
  [[nodiscard]] std::int64_t rows() const override { return rows_; }
  [[nodiscard]] std::string_view name() const override { return factor_->name(); }
  [[nodiscard]] std::int64_t factor_nonzeros() const override { return factor_->factor_nonzeros(); }
  [[nodiscard]] std::string_view fallback() const override { return factor_->fallback; }

  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] const std::shared_ptr<const Stream>& stream() const { return stream_; }
  [[nodiscard]] DeviceFactor& factor() { return *factor_; }

 private:
  int device_;
  std::unique_ptr<DeviceGuard> guard_;  // while the members are made and destroyed
  std::shared_ptr<const Stream> stream_;
  std::int64_t rows_;
  std::unique_ptr<DeviceFactor> factor_;
};

}  // namespace quartic::cuda
