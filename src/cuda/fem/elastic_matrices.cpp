#include "cuda/fem/elastic_matrices.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "cuda/algebra/block_algebra.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/fem/assembly.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

template <class T>
DeviceArray<T> copy_of(const std::vector<T>& values, cudaStream_t stream) {
  return DeviceArray<T>(std::span<const T>(values), stream);
}

// Vertices numbered among the free ones, rows of the others left out.
void renumber(const MeshPattern& pattern, std::vector<std::int32_t>& row_offsets, std::vector<std::int32_t>& columns) {
  const VertexGraph& graph = pattern.free;
  std::vector<std::int32_t> place(graph.offsets.size() - 1, -1);
  row_offsets = {0};
  for (const std::int32_t v : pattern.free_vertices) {
    place[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(row_offsets.size()) - 1;
    row_offsets.push_back(static_cast<std::int32_t>(graph.offsets[static_cast<std::size_t>(v) + 1]));
  }
  columns.resize(graph.neighbours.size());
  std::transform(graph.neighbours.begin(), graph.neighbours.end(), columns.begin(),
                 [&](std::int32_t v) { return place[static_cast<std::size_t>(v)]; });
}

std::vector<double> copy_to_host(const DeviceArray<double>& values, cudaStream_t stream) {
  std::vector<double> copy(static_cast<std::size_t>(values.size()));
  check(cudaMemcpyAsync(copy.data(), values.data(), values.bytes(), cudaMemcpyDeviceToHost, stream),
        "copy to the host");
  check(cudaStreamSynchronize(stream), "copy to the host");
  return copy;
}

// Of an isotropic matrix, a number per block row.
std::vector<double> row_sums(const SparseView& a, cudaStream_t stream) {
  const std::vector<double> ones(static_cast<std::size_t>(3 * a.block_rows), 1);
  const DeviceMatrix x(std::ssize(ones), 1, std::span<const double>(ones), stream);
  DeviceMatrix y(std::ssize(ones), 1, stream);
  multiply(a, x, y, stream);
  std::vector<double> sums(ones.size());
  y.copy_to(sums, stream);
  for (std::size_t v = 0; 3 * v < sums.size(); ++v) sums[v] = sums[3 * v];
  sums.resize(sums.size() / 3);
  return sums;
}

std::vector<std::int32_t> numbers_below(std::size_t count) {
  std::vector<std::int32_t> numbers(count);
  for (std::size_t n = 0; n < count; ++n) numbers[n] = static_cast<std::int32_t>(n);
  return numbers;
}

}  // namespace

std::int64_t expanded_entries(const SystemMatrix& matrix) {
  const std::int64_t entries = 9 * std::ssize(matrix.columns);
  if (entries > std::numeric_limits<std::int32_t>::max())
    throw InputError("the mesh's matrix would have " + std::to_string(entries) +
                     " entries, more than 32-bit indices can count; use a coarser mesh");
  return entries;
}

// K is assembled on the pattern of the free vertices alone, so that nothing is cut out of a larger matrix.
CudaElasticMatrices::CudaElasticMatrices(const PreparedMesh& mesh, MeshPattern mesh_pattern, MassMatrix kind)
    : DeviceMatrices(std::move(mesh_pattern), kind),
      device_(checked_device(-1)),
      stream_(std::make_shared<const Stream>()) {
  const MeshPattern& pattern = this->pattern();
  const cudaStream_t stream = stream_->get();
  renumber(pattern, row_offsets_, columns_);
  const bool all_free = std::ssize(pattern.free_vertices) == std::ssize(pattern.whole.offsets) - 1;
  const DeviceGraph graph(pattern.free, stream);
  Assembly assembly(mesh, stream);
  const auto on_device =
      std::make_shared<const DevicePattern>(DevicePattern{copy_of(row_offsets_, stream), copy_of(columns_, stream)});
  stiffness_ = std::make_unique<DeviceSparseMatrix>(on_device, assembly.stiffness(graph.view(), block_stride));
  DeviceArray<double> mass = assembly.mass(graph.view(), kind);
  if (!lumped()) {
    mass_ = std::make_unique<DeviceSparseMatrix>(on_device, std::move(mass));
    if (all_free) {
      vertex_masses_ = row_sums(mass_->view(), stream);
    } else {
      const DeviceGraph whole(pattern.whole, stream);
      whole_mass_ = assembly.mass(whole.view(), kind);
      vertex_masses_ = row_sums({.block_rows = whole.view().vertices,
                                 .row_offsets = whole.view().row_offsets,
                                 .columns = whole.view().columns,
                                 .values = whole_mass_.data(),
                                 .isotropic = true},
                                stream);
    }
  } else {
    vertex_masses_ = copy_to_host(mass, stream);
    const auto count = std::ssize(pattern.free_vertices);
    if (!all_free) {
      whole_mass_ = std::move(mass);
      mass = DeviceArray<double>(count, stream);
      const DeviceArray<std::int32_t> order(std::span<const std::int32_t>(pattern.free_vertices), stream);
      gather_rows({whole_mass_.data(), count, 1}, order.data(), mass.data(), stream);
    }
    const std::vector<std::int32_t> diagonal = numbers_below(pattern.free_vertices.size() + 1);
    mass_ = std::make_unique<DeviceSparseMatrix>(
        std::make_shared<const DevicePattern>(
            DevicePattern{copy_of(diagonal, stream),
                          DeviceArray<std::int32_t>(std::span(diagonal).first(diagonal.size() - 1), stream)}),
        std::move(mass));
  }
  stream_->synchronize();
}

MatrixSizes CudaElasticMatrices::sizes(const DeviceSparseMatrix& matrix) const {
  const DeviceGuard guard(device_);
  const SparseView a = matrix.view();
  const std::int64_t parts = (a.block_rows + measured_rows - 1) / measured_rows;
  const DeviceMatrix on_device(2, parts, stream_->get());
  measure_rows(a, on_device.data(), stream_->get());
  std::vector<double> values(static_cast<std::size_t>(2 * parts));
  on_device.copy_to(values, stream_->get());
  MatrixSizes sizes;
  for (std::size_t n = 0; n < values.size(); n += 2) {
    sizes.trace += values[n];
    sizes.norm = std::max(sizes.norm, values[n + 1]);
  }
  return sizes;
}

std::vector<double> CudaElasticMatrices::stiffness_blocks() const {
  const DeviceGuard guard(device_);
  constexpr std::size_t width = 9 * sizeof(double);
  std::vector<double> values(9 * columns_.size());
  check(cudaMemcpy2DAsync(values.data(), width, stiffness_->view().values, block_stride * sizeof(double), width,
                          columns_.size(), cudaMemcpyDeviceToHost, stream_->get()),
        "copy to the host");
  stream_->synchronize();
  return values;
}

std::vector<double> CudaElasticMatrices::masses() const {
  const DeviceGuard guard(device_);
  const bool all_free = whole_mass_.size() == 0;
  const double* from = all_free ? mass_->view().values : whole_mass_.data();
  const std::int64_t count = !all_free  ? whole_mass_.size()
                             : lumped() ? mass_->view().block_rows
                                        : std::ssize(columns_);
  std::vector<double> values(static_cast<std::size_t>(count));
  check(cudaMemcpyAsync(values.data(), from, values.size() * sizeof(double), cudaMemcpyDeviceToHost, stream_->get()),
        "copy to the host");
  stream_->synchronize();
  return values;
}

Eigen::MatrixXd CudaElasticMatrices::times(const DeviceSparseMatrix& a, const Eigen::MatrixXd& x) const {
  const DeviceGuard guard(device_);
  const cudaStream_t stream = stream_->get();
  const DeviceMatrix from(x.rows(), x.cols(), std::span(x.data(), static_cast<std::size_t>(x.size())), stream);
  DeviceMatrix to(x.rows(), x.cols(), stream);
  multiply(a.view(), from, to, stream);
  Eigen::MatrixXd y(x.rows(), x.cols());
  to.copy_to({y.data(), static_cast<std::size_t>(y.size())}, stream);
  return y;
}

Eigen::MatrixXd CudaElasticMatrices::stiffness_times(const Eigen::MatrixXd& x) const {
  return times(*stiffness_, x);
}

Eigen::MatrixXd CudaElasticMatrices::mass_times(const Eigen::MatrixXd& x) const {
  return times(*mass_, x);
}

SystemMatrix CudaElasticMatrices::shifted(double shift) const {
  return {.row_offsets = row_offsets_,
          .columns = columns_,
          .stiffness = stiffness_->view(),
          .blocks = {.stiffness = stiffness_->view().values,
                     .masses = shift == 0 ? nullptr : mass_->view().values,
                     .lumped = lumped(),
                     .shift = shift}};
}

}  // namespace quartic::cuda
