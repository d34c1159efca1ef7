#include "cuda/modes/mass_qr.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "cuda/algebra/block_algebra.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/base/kept_memory.hpp"
#include "cuda/base/matrix_copies.hpp"
#include "cuda/modes/reduction_memory.hpp"

namespace quartic::cuda {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr auto panel_size = static_cast<int>(qr_panel_size);

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

DevicePanels::DevicePanels(CudaElasticSystem& system, DeviceMatrix& fields)
    : system_(system),
      fields_(fields),
      rows_(static_cast<int>(fields.rows())),
      x_(rows_, panel_size, system.stream()),
      mass_x_(rows_, panel_size, system.stream()),
      kept_(rows_, panel_size, system.stream()),
      mass_kept_(rows_, panel_size, system.stream()) {
  const std::int64_t segments = (fields.rows() + segment_rows - 1) / segment_rows;
  small_ = DeviceArray<double>(panel_size * std::max<std::int64_t>({3, fields.cols(), segments}), system.stream());
  const std::vector<double> one = {1};
  one_ = DeviceArray<double>(std::span<const double>(one), system.stream());
}

DeviceMatrix DevicePanels::mass_times(const DeviceMatrix& x) const {
  DeviceMatrix product(x.rows(), x.cols(), system_.stream());
  multiply(system_.mass(), x, product, system_.stream());
  return product;
}

void DevicePanels::load(Index first, Index width) {
  panel_ = DeviceMatrix(rows_, width, system_.stream());
  copy(fields_.col(first), panel_.size(), panel_.data(), system_.stream());
}

void DevicePanels::store(Index first) {
  copy(panel_.data(), panel_.size(), fields_.col(first), system_.stream());
}

VectorXd DevicePanels::norms() {
  const std::int64_t segments = (panel_.rows() + segment_rows - 1) / segment_rows;
  sum_products(panel_, mass_times(panel_), small_.data(), system_.stream());
  return to_host(small_.data(), segments, panel_.cols(), system_.stream()).colwise().sum().cwiseMax(0).cwiseSqrt();
}

// X -= Q C.
void DevicePanels::subtract_product(Columns q, int rank, const double* coefficients, Columns x, int count) {
  system_.cublas().multiply(CUBLAS_OP_N, CUBLAS_OP_N, rows_, count, rank, -1, read_only(q), {coefficients, rank}, 1, x);
}

MatrixXd DevicePanels::remove_projection(Index columns_before, int passes) {
  const auto rank = static_cast<int>(columns_before), count = static_cast<int>(panel_.cols());
  MatrixXd sum = MatrixXd::Zero(rank, count);
  if (rank == 0 || count == 0) return sum;
  for (int pass = 0; pass < passes; ++pass) {
    system_.cublas().multiply(CUBLAS_OP_T, CUBLAS_OP_N, rank, count, rows_, 1, fields_.const_view(),
                              mass_times(panel_).const_view(), 0, {small_.data(), rank});
    subtract_product(columns(fields_), rank, small_.data(), columns(panel_), count);
    sum += to_host(small_.data(), rank, count, system_.stream());
  }
  return sum;
}

// Takes the kept columns out of one, twice, and adds the coefficients up. @return what is left of its length
double DevicePanels::orthogonalize_column(std::int64_t column, std::int64_t kept, VectorXd& coefficients) {
  const Columns x = columns(x_, column), mass_x = columns(mass_x_, column);
  const auto rank = static_cast<int>(kept);
  Cublas& cublas = system_.cublas();
  double* c = small_.data();  // of the first pass, of the second, and the product
  for (int pass = 0; pass < 2 && kept > 0; ++pass, c += panel_size) {
    cublas.multiply(CUBLAS_OP_T, CUBLAS_OP_N, rank, 1, rows_, 1, kept_.const_view(), read_only(mass_x), 0, {c, rank});
    subtract_product(columns(kept_), rank, c, x, 1);
    subtract_product(columns(mass_kept_), rank, c, mass_x, 1);
  }
  c = small_.data() + std::ptrdiff_t{2} * panel_size;
  cublas.multiply(CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, rows_, 1, read_only(x), read_only(mass_x), 0, {c, 1});
  const MatrixXd found = to_host(small_.data(), panel_size, 3, system_.stream());
  if (kept > 0) coefficients.head(kept) = (found.col(0) + found.col(1)).head(kept);
  return std::sqrt(std::max(0.0, found(0, 2)));
}

MatrixXd DevicePanels::orthonormalize(const VectorXd& shortest) {
  const cudaStream_t stream = system_.stream();
  const std::int64_t count = panel_.cols();
  MatrixXd t = MatrixXd::Zero(count, count);
  if (count == 0) return t;
  copy(panel_.data(), panel_.size(), x_.data(), stream);
  copy(mass_times(panel_).data(), panel_.size(), mass_x_.data(), stream);
  check(cudaMemsetAsync(small_.data(), 0, sizeof(double) * 3 * panel_size, stream), "fill device memory");
  std::int64_t kept = 0;
  for (std::int64_t j = 0; j < count; ++j) {
    VectorXd above = VectorXd::Zero(count);
    const double length = orthogonalize_column(j, kept, above);
    if (!(length > shortest[j])) continue;
    t.col(j) = above;
    t(kept, j) = length;
    for (const auto& [from, to] : {std::pair{&x_, &kept_}, std::pair{&mass_x_, &mass_kept_}})
      system_.cublas().multiply(CUBLAS_OP_N, CUBLAS_OP_N, rows_, 1, 1, 1 / length, read_only(columns(*from, j)),
                                {one_.data(), 1}, 0, columns(*to, kept));
    ++kept;
  }
  panel_ = DeviceMatrix(rows_, kept, stream);
  copy(kept_.data(), panel_.size(), panel_.data(), stream);
  return t.topRows(kept);
}

MassQr CudaElasticSystem::mass_qr(Matrix fields) {
  const DeviceGuard guard(device());
  const KeptMemory kept;
  const Index rows = host_.free_count();
  require_device_memory(basis_bytes(rows, fields.cols), "the orthogonalisation of fields");
  DeviceMatrix on_device = to_device(host_.restrict_displacements(fields.map()), stream());
  DevicePanels panels(*this, on_device);
  MassQr qr;
  qr.r = mass_qr_by_panels(panels, fields.cols);
  const MatrixXd q = to_host(on_device.data(), rows, qr.r.rows(), stream());
  fields = Matrix(fields.rows, qr.r.rows());
  host_.scatter_from_free(q, fields.map());
  qr.q = std::move(fields);
  return qr;
}

}  // namespace quartic::cuda
