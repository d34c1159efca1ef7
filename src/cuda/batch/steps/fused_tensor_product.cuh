// H of a fused block's bodies on tensor cores, as tensor_evaluate.cu makes it.
#pragma once

#include <type_traits>

#include "cuda/batch/steps/fused_bodies.cuh"
#include "cuda/energy/tensor_tile.cuh"

namespace quartic::cuda {

/// H at the block's points, into the rows of its bodies.
/// @tparam adds to what is there
template <class T, int width, bool adds = false>
class FusedTensorProduct {
 public:
  using Memory = FusedMemory<T, width>;
  static constexpr bool on_tensor_cores = true;

  __device__ FusedTensorProduct(const BatchView<T>& batch, const FusedLayout& layout)
      : image_(batch.tensor_images[fused_lane_bodies<T, width>(batch).tile.model]),
        rank_(fused_lane_bodies<T, width>(batch).model.rank),
        memory_(rank_, layout),
        row_tiles_(layout.pass_blocks) {}

  /// K into the matrix and H_i0 into `solution`. Begins and ends with a barrier.
  __device__ void evaluate() const {
    for (int first = 0; first < image_.row_tiles; first += row_tiles_) {
      __syncthreads();  // points are complete, and nobody reads a slab any more
      multiply_on_tensor_cores<T, Memory::bodies>(
          image_, memory_.points, first, min(row_tiles_, image_.row_tiles - first),
          reinterpret_cast<unsigned char*>(memory_.slabs), [&](unsigned row) { return writer(row); });
    }
    fill_padding(rank_, memory_);
    __syncthreads();
  }

 private:
  // Puts two bodies' values of a row of H where they belong.
  [[nodiscard]] __device__ auto writer(unsigned row) const {
    const bool is_padding = row >= static_cast<unsigned>(stiffness_rows(rank_) + rank_);
    const RowPlace place = is_padding ? RowPlace{0, 0} : memory_.places[row];
    return [this, is_padding, place](unsigned body, const auto& pair) {
      if (is_padding) return;
      using Pair = std::remove_cvref_t<decltype(pair)>;
      T* rows = memory_.rows_of(static_cast<int>(body));
      put(pair, reinterpret_cast<Pair*>(rows + place.entry * warp_size));
      if (place.mirrored != place.entry) put(pair, reinterpret_cast<Pair*>(rows + place.mirrored * warp_size));
    };
  }

  template <class Pair>
  __device__ static void put(const Pair& pair, Pair* to) {
    if constexpr (adds)
      to->x += pair.x, to->y += pair.y;
    else
      *to = pair;
  }

  const TensorImage<T>& image_;
  int rank_;
  Memory memory_;
  int row_tiles_;
};

}  // namespace quartic::cuda
