#include "cuda/batch/batch_memory.hpp"

#include <algorithm>
#include <string>

#include "cuda/base/devices.hpp"
#include "cuda/energy/cublas_evaluator.hpp"
#include "cuda/energy/device_models.hpp"
#include "cuda/energy/tensor_image.hpp"
#include "cuda/frame/device_frames.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

std::string megabytes(std::size_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

// What evaluates H in place of evaluate.cu. cuBLAS: monomials are about as many as rows of H, and coefficients are
// there once more.
template <class T>
std::size_t product_bytes(const std::vector<GroupRange>& groups, const TilePlan& plan, Evaluation evaluation) {
  std::size_t bytes = 0;
  if (evaluation == Evaluation::tensor)
    for (const GroupRange& group : groups) bytes += tensor_bytes<T>(static_cast<int>(group.rank));
  if (evaluation == Evaluation::cublas)
    bytes = CublasEvaluator<T>::library_bytes + static_cast<std::size_t>(2 * plan.rows.h * tile_bodies) * sizeof(T);
  return bytes;
}

}  // namespace

template <class T>
std::size_t bytes_of_bodies(StateLayout layout, const std::vector<GroupRange>& groups,
                            const std::vector<bool>& has_strain_form, const std::vector<int>& chambers) {
  const bool has_frames = layout.size() > std::size(reduced_state);
  std::size_t bytes = 0, bodies = 0;
  std::int64_t rank = 0, rows = has_frames ? DeviceFrames<T>::body_values : 0;
  int pressures = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const GroupRange& group = groups[g];
    bytes += DeviceModels<T>::bytes(static_cast<int>(group.rank), has_strain_form[g], chambers[g]);
    if (has_frames) bytes += DeviceFrames<T>::bytes(static_cast<int>(group.rank));
    rank = std::max<std::int64_t>(rank, group.rank);
    bodies += static_cast<std::size_t>(group.bodies);
    pressures = std::max(pressures, chambers[g]);
  }
  for (const StateBlock& block : layout) rows += block.rows(rank);
  rows += pressures;
  constexpr std::size_t parameters = 5;  // damping, scales of forces, the last residual
  constexpr std::size_t words = 3;       // status, flags, flags of the last check
  return bytes + bodies * ((static_cast<std::size_t>(rows) + parameters) * sizeof(T) + words * sizeof(std::int32_t) +
                           sizeof(std::uint8_t) + sizeof(double));
}

template <class T>
std::size_t bytes_of_steps(const std::vector<GroupRange>& groups, const TilePlan& plan, const BatchOptions& options) {
  return product_bytes<T>(groups, plan, options.evaluation) + plan.tiles.size() * sizeof(Tile) +
         workspace_bytes<T>(plan.rows, options.integrator);
}

void require_batch_memory(std::size_t bytes, std::int64_t bodies) {
  const auto [available, total] = device_memory();
  if (bytes > available)
    throw InputError("a batch of " + std::to_string(bodies) + " bodies needs " + megabytes(bytes) +
                     " of device memory, but " + megabytes(available) + " of " + megabytes(total) +
                     " are free; make smaller batches");
}

template std::size_t bytes_of_bodies<float>(StateLayout, const std::vector<GroupRange>&, const std::vector<bool>&,
                                            const std::vector<int>&);
template std::size_t bytes_of_bodies<double>(StateLayout, const std::vector<GroupRange>&, const std::vector<bool>&,
                                             const std::vector<int>&);
template std::size_t bytes_of_steps<float>(const std::vector<GroupRange>&, const TilePlan&, const BatchOptions&);
template std::size_t bytes_of_steps<double>(const std::vector<GroupRange>&, const TilePlan&, const BatchOptions&);

}  // namespace quartic::cuda
