// Static modal derivatives on the device: right-hand sides are made where they are solved for.
#include <algorithm>
#include <string_view>

#include "cuda/algebra/block_algebra.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/base/kept_memory.hpp"
#include "cuda/base/matrix_copies.hpp"
#include "cuda/fem/force_hessian.hpp"
#include "cuda/modes/device_fields.hpp"
#include "cuda/modes/elastic_system.hpp"
#include "cuda/modes/reduction_memory.hpp"

namespace quartic::cuda {
namespace {

// As many columns as the kernels and the factor take together.
constexpr std::size_t block_size = 64;

// Rows on the free degrees of freedom into columns that are zero elsewhere.
void scatter(const MatrixRef& free, std::span<const std::int32_t> free_dofs, double* to, std::int64_t rows) {
  for (Eigen::Index j = 0; j < free.cols(); ++j, to += rows)
    for (std::size_t i = 0; i < free_dofs.size(); ++i) to[free_dofs[i]] = free(static_cast<Eigen::Index>(i), j);
}

// Block after block: take(derivatives, first pair), on the device.
template <class Take>
void solve_blocks(CudaElasticSystem& system, ForceHessian& hessian, std::span<const std::array<int, 2>> pairs,
                  const Progress& progress, const Take& take) {
  for (std::size_t first = 0; first < pairs.size(); first += block_size) {
    if (progress) progress("modal derivatives", static_cast<double>(first) / static_cast<double>(pairs.size()));
    const auto part = pairs.subspan(first, std::min(block_size, pairs.size() - first));
    DeviceMatrix block(hessian.rows(), std::ssize(part), system.stream());
    hessian.fill(part, -1, block.data());
    system.solve_static(block);
    take(block, static_cast<std::int64_t>(first));
  }
  if (progress) progress("modal derivatives", 1);
}

}  // namespace

Matrix CudaElasticSystem::static_derivatives(const PreparedMesh& mesh, const MatrixRef& modes,
                                             std::span<const std::array<int, 2>> pairs, const Progress& progress) {
  const DeviceGuard guard(device());
  const KeptMemory kept;
  const DeviceMatrix fields = to_device(modes, stream());
  ForceHessian hessian(mesh, fields.data(), static_cast<int>(modes.cols()), host_.map.free_dofs(), stream());
  Eigen::MatrixXd free(hessian.rows(), static_cast<Eigen::Index>(std::min(block_size, pairs.size())));
  Matrix derivatives(modes.rows(), std::ssize(pairs));
  solve_blocks(*this, hessian, pairs, progress, [&](const DeviceMatrix& block, std::int64_t first) {
    block.copy_to({free.data(), static_cast<std::size_t>(block.size())}, stream());
    scatter(free.leftCols(block.cols()), host_.map.free_dofs(), derivatives.col(first).data(), derivatives.rows);
  });
  return derivatives;
}

std::unique_ptr<DeviceFields> CudaElasticSystem::derivative_fields(const PreparedMesh& mesh, const MatrixRef& modes,
                                                                   std::span<const std::array<int, 2>> pairs,
                                                                   const Progress& progress) {
  const DeviceGuard guard(device());
  const KeptMemory kept;
  const std::int64_t rows = host_.free_count(), count = modes.cols();
  require_device_memory(basis_bytes(rows, count + std::ssize(pairs)), "the fields of a basis");
  DeviceMatrix fields(rows, count + std::ssize(pairs), stream());
  const auto copy = [&](const DeviceMatrix& from, std::int64_t first) {
    check(cudaMemcpyAsync(fields.col(first), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream()),
          "copy on the device");
  };
  DeviceMatrix whole(modes.rows(), count, stream());
  whole.fill_zero(stream());
  {
    const DeviceMatrix free = to_device(host_.restrict_displacements(modes), stream());
    const DeviceArray<std::int32_t> free_dofs(std::span<const std::int32_t>(host_.map.free_dofs()), stream());
    copy(free, 0);
    for (std::int64_t j = 0; j < count; ++j)
      scatter_rows({free.col(j), rows, 1}, free_dofs.data(), whole.col(j), stream());
  }
  ForceHessian hessian(mesh, whole.data(), static_cast<int>(count), host_.map.free_dofs(), stream());
  solve_blocks(*this, hessian, pairs, progress,
               [&](const DeviceMatrix& block, std::int64_t first) { copy(block, count + first); });
  return std::make_unique<CudaFields>(*this, std::move(fields));
}

}  // namespace quartic::cuda
