#include "cuda/batch/steps/fused_shape.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "cuda/energy/model_image.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

template <class T>
std::span<const FusedWidth> widths_of(bool on_tensor_cores) {
  if (on_tensor_cores) return tensor_widths<T>;
  return fused_widths<T>;
}

std::int64_t block_count(std::span<const std::int64_t> bodies, int width) {
  const std::int64_t of_a_block = std::int64_t{warp_size} * width;
  std::int64_t blocks = 0;
  for (const std::int64_t count : bodies) blocks += (count + of_a_block - 1) / of_a_block;
  return blocks;
}

// As many warps as have two units of rows each, or as many as there may be.
template <class T>
int warp_count(int rank, int width) {
  const int unit = unit_rows<T>(warp_size * width), units = (fused_rows(rank) + unit - 1) / unit;
  const int needed = ((units + 1) / 2 + schedulers - 1) / schedulers * schedulers;
  return std::min(needed, fused_threads<T> / warp_size);
}
template <class T>
int tensor_warp_count(int rank, int width) {
  const int at_once = fused_row_tiles<T>(width, fused_tensor_threads<T> / warp_size);
  const int tiles = (h_row_count(rank) + tensor_rows - 1) / tensor_rows, passes = (tiles + at_once - 1) / at_once;
  int warps = fused_tensor_threads<T> / warp_size;  // fewer, as long as they take no more passes
  while (warps / 2 >= width && passes * fused_row_tiles<T>(width, warps / 2) >= tiles) warps /= 2;
  return warps;
}

}  // namespace

template <class T>
std::size_t fused_shared_bytes(int rank, const FusedShape& shape, bool iterates) {
  const int bodies = warp_size * shape.width;
  const int values = fused_layout<T>(rank, shape, iterates).slab_values + (rank + 1) * bodies +
                     fused_group_rows(rank, iterates) * bodies;
  return static_cast<std::size_t>(values) * sizeof(T) + static_cast<std::size_t>(bodies) * sizeof(int) +
         static_cast<std::size_t>(fused_rows(rank)) * sizeof(RowPlace) +
         static_cast<std::size_t>(fused_pairs(rank, shape.on_tensor_cores)) * sizeof(MonomialPair);
}

template <class T>
std::optional<FusedShape> fused_shape(int rank, std::span<const std::int64_t> bodies, bool iterates,
                                      const FusedLimits& limits) {
  std::optional<FusedShape> result;
  for (const FusedWidth& wish : widths_of<T>(limits.on_tensor_cores)) {
    if (rank > wish.largest_rank) continue;
    // Narrower where shared memory is short or multiprocessors would be idle.
    for (int width = wish.width; width > 0; width /= 2) {
      const int warps = limits.on_tensor_cores ? tensor_warp_count<T>(rank, width) : warp_count<T>(rank, width);
      FusedShape shape{width, warps, 0, limits.on_tensor_cores, limits.has_frame};
      shape.shared_bytes = fused_shared_bytes<T>(rank, shape, iterates);
      if (shape.shared_bytes > limits.shared_bytes) continue;
      result = shape;
      if (limits.whenever_possible || block_count(bodies, width) >= limits.multiprocessors) break;
    }
    break;
  }
  const bool mostly_idle = 2 * block_count(bodies, 1) < limits.multiprocessors;
  if (rank > short_fused_rank && mostly_idle && !limits.whenever_possible) return std::nullopt;
  return result;
}

Fusing fusing() {
  const char* wish = std::getenv("QUARTIC_CUDA_FUSED");
  if (wish == nullptr || *wish == '\0') return Fusing::by_rule;
  const std::string value = wish;
  if (value != "0" && value != "1")
    throw InputError("QUARTIC_CUDA_FUSED is \"" + value + "\"; it must be \"0\" or \"1\", or not be set");
  return value == "1" ? Fusing::whenever_possible : Fusing::never;
}

template std::size_t fused_shared_bytes<float>(int, const FusedShape&, bool);
template std::size_t fused_shared_bytes<double>(int, const FusedShape&, bool);
template std::optional<FusedShape> fused_shape<float>(int, std::span<const std::int64_t>, bool, const FusedLimits&);
template std::optional<FusedShape> fused_shape<double>(int, std::span<const std::int64_t>, bool, const FusedLimits&);

}  // namespace quartic::cuda
