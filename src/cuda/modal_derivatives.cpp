// Static modal derivatives on the device: right-hand sides are made where they are solved for.
#include <algorithm>
#include <string_view>

#include "cuda/elastic_system.hpp"
#include "cuda/force_hessian.hpp"
#include "cuda/kept_memory.hpp"
#include "cuda/matrix_copies.hpp"

namespace quartic::cuda {
namespace {

// As many columns as the kernels and the factor take together.
constexpr std::size_t block_size = 64;

// Rows on the free degrees of freedom into columns that are zero elsewhere.
void scatter(const MatrixRef& free, std::span<const std::int32_t> free_dofs, double* to, std::int64_t rows) {
  for (Eigen::Index j = 0; j < free.cols(); ++j, to += rows)
    for (std::size_t i = 0; i < free_dofs.size(); ++i) to[free_dofs[i]] = free(static_cast<Eigen::Index>(i), j);
}

}  // namespace

Matrix CudaElasticSystem::static_derivatives(const MeshImage& mesh, std::span<const Incidence> incidences,
                                             const MatrixRef& modes, std::span<const std::array<int, 2>> pairs,
                                             const Progress& progress) {
  const DeviceGuard guard(device());
  const KeptMemory kept;
  const DeviceMatrix fields = to_device(modes, stream());
  ForceHessian hessian(mesh, incidences, fields.data(), static_cast<int>(modes.cols()), host_.free_dofs, stream());
  Eigen::MatrixXd free(hessian.rows(), static_cast<Eigen::Index>(std::min(block_size, pairs.size())));
  Matrix derivatives(modes.rows(), std::ssize(pairs));
  for (std::size_t first = 0; first < pairs.size(); first += block_size) {
    if (progress) progress("modal derivatives", static_cast<double>(first) / static_cast<double>(pairs.size()));
    const auto part = pairs.subspan(first, std::min(block_size, pairs.size() - first));
    const auto columns = std::ssize(part);
    DeviceMatrix block(hessian.rows(), columns, stream());
    hessian.fill(part, -1, block.data());
    solve_static(block);
    block.copy_to({free.data(), static_cast<std::size_t>(block.size())}, stream());
    scatter(free.leftCols(columns), host_.free_dofs, derivatives.col(static_cast<std::int64_t>(first)).data(),
            derivatives.rows);
  }
  if (progress) progress("modal derivatives", 1);
  return derivatives;
}

}  // namespace quartic::cuda
