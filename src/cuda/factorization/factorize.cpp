// Picks the library for a factor on the device, and brings right-hand sides of the host to it.
#include <algorithm>
#include <string>
#include <utility>

#include "cuda/base/devices.hpp"
#include "cuda/factorization/device_factor.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

// Right-hand sides that are on the device together.
constexpr std::int64_t columns_at_once = 64;

class HostFactor final : public DeviceFactor {
 public:
  HostFactor(const SparseMatrix& matrix, const FactorizationOptions& options, cudaStream_t stream)
      : stream_(stream), factor_(matrix, options), name_(std::string(factor_.name()) + " (CPU)") {}

  void update(const SparseMatrix& matrix) override { factor_.update(matrix); }
  void solve(DeviceMatrix& b) override {
    Matrix copy(b.rows(), b.cols());
    b.copy_to(copy.values, stream_);
    factor_.solve(copy.map());
    b.copy_from(copy.values, stream_);
  }
  [[nodiscard]] bool solves_together() const override { return false; }  // the CPU's time grows with the columns
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::int64_t factor_nonzeros() const override { return factor_.factor_nonzeros(); }

 private:
  cudaStream_t stream_;
  Factorization factor_;
  std::string name_;
};

}  // namespace

std::unique_ptr<DeviceFactor> factorize_on_host(const SparseMatrix& matrix, const FactorizationOptions& options,
                                                cudaStream_t stream) {
  FactorizationOptions on_host = options;
  on_host.backend = Backend::cpu;
  return std::make_unique<HostFactor>(matrix, on_host, stream);
}

namespace {

// Of cudss(), cusolver() and on_host(), the one that the method names, or the first that is there.
template <class Cudss, class Cusolver, class OnHost>
std::unique_ptr<DeviceFactor> factorize_by(FactorizationMethod method, const Cudss& cudss, const Cusolver& cusolver,
                                           const OnHost& on_host) {
  switch (method) {
    case FactorizationMethod::cudss:
      return cudss();
    case FactorizationMethod::cusolver:
      return cusolver();
    case FactorizationMethod::mumps:
    case FactorizationMethod::eigen:
      return on_host();
    case FactorizationMethod::automatic:
      break;
  }
  std::string missing;
  try {
    return cudss();
  } catch (const BackendUnavailable& error) {  // that library isn't there
    missing = error.what();
  }
  try {
    return cusolver();
  } catch (const BackendUnavailable& error) {
    missing += std::string("; ") + error.what();
  }
  std::unique_ptr<DeviceFactor> factor = on_host();
  factor->fallback = missing;
  return factor;
}

// All of the matrix, for the CPU's factor alone.
SparseMatrix copy_to_host(const SystemMatrix& system, cudaStream_t stream) {
  const std::int64_t rows = system.rows(), entries = expanded_entries(system);
  const DeviceArray<std::int32_t> row_offsets(rows + 1, stream), columns(entries, stream);
  const DeviceArray<double> values(entries, stream);
  expand_all(system.pattern(), system.blocks, {row_offsets.data(), columns.data(), values.data()}, stream);
  SparseMatrix matrix;
  matrix.rows = matrix.cols = rows;
  const auto fetch = [&](const auto& from, auto& to) {
    to.resize(static_cast<std::size_t>(from.size()));
    check(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost, stream), "copy to the host");
  };
  fetch(row_offsets, matrix.row_offsets);
  fetch(columns, matrix.columns);
  fetch(values, matrix.values);
  check(cudaStreamSynchronize(stream), "copy to the host");
  return matrix;
}

}  // namespace

std::unique_ptr<DeviceFactor> factorize(const SparseMatrix& matrix, const FactorizationOptions& options,
                                        cudaStream_t stream) {
  return factorize_by(
      options.method, [&] { return factorize_cudss(matrix, options.updatable, stream); },
      [&] { return factorize_cusolver(matrix, options.updatable, stream); },
      [&] { return factorize_on_host(matrix, options, stream); });
}

std::unique_ptr<DeviceFactor> factorize(const SystemMatrix& matrix, const FactorizationOptions& options,
                                        cudaStream_t stream) {
  return factorize_by(
      options.method, [&] { return factorize_cudss(matrix, stream); },
      [&] { return factorize_cusolver(matrix, stream); },
      [&] { return factorize_on_host(copy_to_host(matrix, stream), options, stream); });
}

CudaFactorization::CudaFactorization(const SparseMatrix& matrix, const FactorizationOptions& options)
    : device_(checked_device(-1)),
      stream_(std::make_shared<const Stream>()),
      rows_(matrix.rows),
      factor_(cuda::factorize(matrix, options, stream_->get())) {}

CudaFactorization::CudaFactorization(const CudaElasticMatrices& matrices, double shift,
                                     const FactorizationOptions& options)
    : device_(matrices.device()),
      guard_(std::make_unique<DeviceGuard>(device_)),
      stream_(matrices.stream()),
      rows_(matrices.device_stiffness().rows()),
      factor_(cuda::factorize(matrices.shifted(shift), options, stream_->get())) {
  guard_.reset();
}

CudaFactorization::~CudaFactorization() {
  guard_ = try_device(device_);
}

void CudaFactorization::update(const SparseMatrix& matrix) {
  const DeviceGuard guard(device_);
  factor_->update(matrix);
}

void CudaFactorization::solve(Eigen::Ref<Eigen::MatrixXd> b) {
  const DeviceGuard guard(device_);
  for (Eigen::Index first = 0; first < b.cols(); first += columns_at_once) {
    const Eigen::Index count = std::min<Eigen::Index>(columns_at_once, b.cols() - first);
    Matrix block = to_matrix(b.middleCols(first, count));
    DeviceMatrix on_device(rows_, count, block.values, stream_->get());
    factor_->solve(on_device);
    on_device.copy_to(block.values, stream_->get());
    b.middleCols(first, count) = block.map();
  }
}

}  // namespace quartic::cuda
