#include "cuda/mass_qr.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cuda/block_algebra.hpp"
#include "cuda/kept_memory.hpp"
#include "cuda/matrix_copies.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The CPU's numbers.
constexpr int panel_size = 24;
constexpr double dependence = 1e-12;
constexpr double second_loss = 0.5;

ColumnsView<const double> read_only(ColumnsView<double> view) {
  return {view.data, view.stride};
}

void copy(const double* from, std::int64_t size, double* to, cudaStream_t stream) {
  if (size == 0) return;
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(size) * sizeof(double), cudaMemcpyDeviceToDevice, stream),
        "copy on the device");
}

MatrixXd to_host(const double* from, Index rows, Index cols, cudaStream_t stream) {
  MatrixXd result(rows, cols);
  if (result.size() == 0) return result;
  check(cudaMemcpyAsync(result.data(), from, static_cast<std::size_t>(result.size()) * sizeof(double),
                        cudaMemcpyDeviceToHost, stream),
        "copy to the host");
  check(cudaStreamSynchronize(stream), "copy to the host");
  return result;
}

}  // namespace

MassQrOnDevice::MassQrOnDevice(CudaElasticSystem& system)
    : system_(system),
      rows_(static_cast<int>(system.host().free_count())),
      x_(rows_, panel_size, system.stream()),
      mass_x_(rows_, panel_size, system.stream()),
      kept_(rows_, panel_size, system.stream()),
      mass_kept_(rows_, panel_size, system.stream()) {}

void MassQrOnDevice::multiply_mass(const DeviceMatrix& x, DeviceMatrix& mass_x) {
  multiply(system_.mass(), x, mass_x, system_.stream());
}

// X -= Q C.
void MassQrOnDevice::project(Columns q, int rank, const double* coefficients, Columns x, int count) {
  system_.cublas().multiply(CUBLAS_OP_N, CUBLAS_OP_N, rows_, count, rank, -1, read_only(q), {coefficients, rank}, 1, x);
}

MatrixXd MassQrOnDevice::remove_projection(const DeviceMatrix& q, int rank, DeviceMatrix& panel, int passes) {
  const auto count = static_cast<int>(panel.cols());
  MatrixXd sum = MatrixXd::Zero(rank, count);
  if (rank == 0 || count == 0) return sum;
  DeviceMatrix mass_panel(rows_, count, system_.stream());
  for (int pass = 0; pass < passes; ++pass) {
    multiply_mass(panel, mass_panel);
    system_.cublas().multiply(CUBLAS_OP_T, CUBLAS_OP_N, rank, count, rows_, 1, q.const_view(), mass_panel.const_view(),
                              0, {small_.data(), rank});
    project(columns(q), rank, small_.data(), columns(panel), count);
    sum += to_host(small_.data(), rank, count, system_.stream());
  }
  return sum;
}

VectorXd MassQrOnDevice::norms(const DeviceMatrix& x) {
  DeviceMatrix mass_x(rows_, x.cols(), system_.stream());
  multiply_mass(x, mass_x);
  const std::int64_t segments = (x.rows() + segment_rows - 1) / segment_rows;
  sum_products(x, mass_x, small_.data(), system_.stream());
  return to_host(small_.data(), segments, x.cols(), system_.stream()).colwise().sum().cwiseMax(0).cwiseSqrt();
}

// Takes the panel's kept columns out of one, twice, and adds the coefficients up. @return what is left of its length
double MassQrOnDevice::orthogonalize_column(std::int64_t column, std::int64_t kept, VectorXd& coefficients) {
  const Columns x = columns(x_, column), mass_x = columns(mass_x_, column);
  const auto rank = static_cast<int>(kept);
  Cublas& cublas = system_.cublas();
  double* c = small_.data();  // of the first pass, of the second, and the product
  for (int pass = 0; pass < 2 && kept > 0; ++pass, c += panel_size) {
    cublas.multiply(CUBLAS_OP_T, CUBLAS_OP_N, rank, 1, rows_, 1, kept_.const_view(), read_only(mass_x), 0, {c, rank});
    project(columns(kept_), rank, c, x, 1);
    project(columns(mass_kept_), rank, c, mass_x, 1);
  }
  c = small_.data() + std::ptrdiff_t{2} * panel_size;
  cublas.multiply(CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, rows_, 1, read_only(x), read_only(mass_x), 0, {c, 1});
  const MatrixXd found = to_host(small_.data(), panel_size, 3, system_.stream());
  if (kept > 0) coefficients.head(kept) = (found.col(0) + found.col(1)).head(kept);
  return std::sqrt(std::max(0.0, found(0, 2)));
}

// Gram-Schmidt inside a panel: its kept columns become orthonormal, the others are dropped. Returns T (kept x columns),
// panel = Q T. Columns that end up no longer than `shortest` are dropped.
MatrixXd MassQrOnDevice::orthonormalize(DeviceMatrix& panel, const VectorXd& shortest) {
  const cudaStream_t stream = system_.stream();
  const std::int64_t count = panel.cols();
  MatrixXd t = MatrixXd::Zero(count, count);
  if (count == 0) return t;
  DeviceMatrix mass_panel(rows_, count, stream);
  multiply_mass(panel, mass_panel);
  copy(panel.data(), panel.size(), x_.data(), stream);
  copy(mass_panel.data(), panel.size(), mass_x_.data(), stream);
  check(cudaMemsetAsync(small_.data(), 0, 3 * panel_size * sizeof(double), stream), "fill device memory");
  std::int64_t kept = 0;
  const DeviceArray<double> one(std::span<const double>(std::vector<double>{1}), stream);
  for (std::int64_t j = 0; j < count; ++j) {
    VectorXd above = VectorXd::Zero(count);
    const double length = orthogonalize_column(j, kept, above);
    if (!(length > shortest[j])) continue;
    t.col(j) = above;
    t(kept, j) = length;
    for (const auto& [from, to] : {std::pair{&x_, &kept_}, std::pair{&mass_x_, &mass_kept_}})
      system_.cublas().multiply(CUBLAS_OP_N, CUBLAS_OP_N, rows_, 1, 1, 1 / length, read_only(columns(*from, j)),
                                {one.data(), 1}, 0, columns(*to, kept));
    ++kept;
  }
  panel = DeviceMatrix(rows_, kept, stream);
  copy(kept_.data(), panel.size(), panel.data(), stream);
  return t.topRows(kept);
}

MatrixXd MassQrOnDevice::factorize(DeviceMatrix& fields) {
  const cudaStream_t stream = system_.stream();
  const std::int64_t count = fields.cols();
  const std::int64_t segments = (fields.rows() + segment_rows - 1) / segment_rows;
  small_ = DeviceArray<double>(panel_size * std::max<std::int64_t>({3, count, segments}), stream);
  MatrixXd r = MatrixXd::Zero(count, count);
  int rank = 0;
  for (std::int64_t first = 0; first < count; first += panel_size) {
    const std::int64_t width = std::min<std::int64_t>(panel_size, count - first);
    DeviceMatrix panel(rows_, width, stream);
    copy(fields.col(first), panel.size(), panel.data(), stream);
    const VectorXd scale = norms(panel);
    MatrixXd above = remove_projection(fields, rank, panel, 1);
    MatrixXd t = orthonormalize(panel, dependence * scale);
    // Once more, and twice: normalising small remainders amplified what was left of Q in them.
    const MatrixXd above_again = remove_projection(fields, rank, panel, 2);
    const MatrixXd t_again = orthonormalize(panel, VectorXd::Constant(t.rows(), second_loss));
    above += above_again * t;
    t = t_again * t;
    copy(panel.data(), panel.size(), fields.col(rank), stream);
    r.block(0, first, rank, width) = above;
    r.block(rank, first, t.rows(), width) = t;
    rank += static_cast<int>(t.rows());
  }
  return r.topRows(rank);
}

MassQr CudaElasticSystem::mass_qr(Eigen::MatrixXd fields) {
  const DeviceGuard guard(device());
  const KeptMemory kept;
  require_device_memory(static_cast<std::size_t>(fields.rows() * (fields.cols() + 8 * panel_size)) * sizeof(double),
                        "the orthogonalisation of fields");
  DeviceMatrix on_device = to_device(fields, stream());
  MassQr qr;
  qr.r = MassQrOnDevice(*this).factorize(on_device);
  qr.q = Matrix(fields.rows(), qr.r.rows());
  check(cudaMemcpyAsync(qr.q.values.data(), on_device.data(), qr.q.values.size() * sizeof(double),
                        cudaMemcpyDeviceToHost, stream()),
        "copy to the host");
  check(cudaStreamSynchronize(stream()), "copy to the host");
  return qr;
}

}  // namespace quartic::cuda
