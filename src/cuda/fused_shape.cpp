#include "cuda/fused_shape.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "cuda/model_image.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

// Tile sizes by rank. Wide blocks read coefficients from L2 and from shared memory for more bodies at once; narrow ones
// leave shared memory for a second block on the multiprocessor, whose product runs beside the factorisation of the
// first, or fit at all.
struct Tuning {
  int largest_rank;
  int width;
};
template <class T>
constexpr Tuning tunings[] = {
    {12, 4},                  // two blocks per multiprocessor, of 87 kB at rank 12
    {32, 2},                  // two of 101 kB at rank 20, one of 213 kB at rank 30
    {largest_fused_rank, 1},  // one of 162 kB at rank 40
};
template <>
constexpr Tuning tunings<double>[] = {
    {12, 2},  // two blocks of 93 kB at rank 12
    {20, 2},  // one block of 185 kB at rank 20
    {32, 1},  // one block of 196 kB at rank 32
};

// Below this rank a step is so short that the launches saved count for more than idle multiprocessors.
constexpr int short_rank = 24;

std::int64_t block_count(std::span<const std::int64_t> bodies, int width) {
  std::int64_t blocks = 0;
  for (const std::int64_t count : bodies) blocks += (count + warp_size * width - 1) / (warp_size * width);
  return blocks;
}

// As many warps as rows need, shared out evenly where that takes several passes; one per 32 bodies at least.
template <class T>
int warp_count(int rank, int width) {
  const int most_warps = fused_threads<T>(width) / warp_size;
  const int parts = (row_block_count<T>(rank) + fused_row_blocks<T>(width) - 1) / fused_row_blocks<T>(width);
  const int passes = (parts + most_warps - 1) / most_warps;
  return std::max((parts + passes - 1) / passes, width);
}

}  // namespace

template <class T>
std::size_t fused_shared_bytes(int rank, int width, int warps, bool iterates) {
  const int bodies = warp_size * width;
  const int slabs = 2 * fused_slab * (bodies + warps * fused_row_blocks<T>(width) * block_rows<T>);
  const int values = slabs + (rank + 1) * bodies + fused_group_rows(rank, iterates) * bodies;
  return static_cast<std::size_t>(values) * sizeof(T) + static_cast<std::size_t>(bodies) * sizeof(int) +
         static_cast<std::size_t>(fused_places<T>(rank, width)) * sizeof(RowPlace);
}

template <class T>
std::optional<FusedShape> fused_shape(int rank, std::span<const std::int64_t> bodies, bool iterates,
                                      const FusedLimits& limits) {
  std::optional<FusedShape> result;
  for (const Tuning& tuning : tunings<T>) {
    if (rank > tuning.largest_rank) continue;
    // Narrower where shared memory is short or multiprocessors would be idle.
    for (int width = tuning.width; width > 0; width /= 2) {
      const int warps = warp_count<T>(rank, width);
      const std::size_t bytes = fused_shared_bytes<T>(rank, width, warps, iterates);
      if (bytes > limits.shared_bytes) continue;
      result = FusedShape{width, warps, bytes};
      if (block_count(bodies, width) >= limits.multiprocessors) break;
    }
    break;
  }
  const bool mostly_idle = 2 * block_count(bodies, 1) < limits.multiprocessors;
  if (rank > short_rank && mostly_idle && !limits.whenever_possible) return std::nullopt;
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

template std::size_t fused_shared_bytes<float>(int, int, int, bool);
template std::size_t fused_shared_bytes<double>(int, int, int, bool);
template std::optional<FusedShape> fused_shape<float>(int, std::span<const std::int64_t>, bool, const FusedLimits&);
template std::optional<FusedShape> fused_shape<double>(int, std::span<const std::int64_t>, bool, const FusedLimits&);

}  // namespace quartic::cuda
