// What chambers add to H of a fused block's bodies, where the product puts H: `begin_chambers` of chambers.cuh, bit for
// bit, but a warp works for two groups of 32 bodies at once, so that each coefficient that it reads serves twice as
// many; of blocks on the diagonal it sums one triangle, and the rows' linear part in the same pass.
#pragma once

#include "cuda/batch/steps/chambers.cuh"
#include "cuda/batch/steps/fused_bodies.cuh"

namespace quartic::cuda {

template <class T, int width>
class FusedChambers {
 public:
  __device__ FusedChambers(const BatchView<T>& batch, const FusedLayout& layout)
      : batch_(batch),
        layout_(layout),
        first_(fused_lane_bodies<T, width>(batch)),
        memory_(first_.model.rank, layout),
        rank_(first_.model.rank) {}

  /// K_p into the matrices, and what is added to H_i0 into `solution`. Begins with a barrier; needs one behind.
  __device__ void begin() const {
    const int warp = static_cast<int>(threadIdx.x) / warp_size, warps = static_cast<int>(blockDim.x) / warp_size;
    const int blocks = block_count(rank_);
    __syncthreads();  // the matrices, `solution` and the points are no one else's any more
    for (int part = 0, item = 0; part < width / at_once; ++part) {
      const int body = part * at_once * warp_size + static_cast<int>(threadIdx.x) % warp_size;
      for (int i = 0, block = 0; i < blocks; ++i)
        for (int j = 0; j <= i; ++j, ++block, ++item)
          if (item % warps == warp) i == j ? make<true>(block, i, body) : make<false>(block, i, body);
    }
    __syncthreads();
    const FusedRows<T, width> rows(batch_, layout_);
    rows.system().multiply_add(rows.argument, rows.solution);
  }

 private:
  static constexpr int at_once = width > 1 ? 2 : 1, bodies = warp_size * width;

  // A block of K_p, of the body's number `body` in the fused block, and of the one 32 behind; where it is on the
  // diagonal, also what belongs to its rows of H_i0.
  template <bool on_diagonal>
  __device__ void make(int block, int row, int body) const {
    const ModelView<T>& model = first_.model;
    T sum[at_once][block_entries] = {}, linear[at_once][on_diagonal ? block_size : 1] = {};
    for (int chamber = 0; chamber < model.chambers; ++chamber) {
      T p[at_once];
#pragma unroll
      for (int a = 0; a < at_once; ++a) {
        const std::int64_t number = number_of(body + a * warp_size);
        p[a] = batch_.pressure[chamber * batch_.bodies + number] / batch_.stiffness_scale[number];
      }
      const T* image = model.volumes + chamber * chamber_image_size(rank_);
      const T* from = image + std::int64_t{block} * (rank_ + 1) * block_entries;
      const T* rows = image + chamber_blocks_size(rank_) + std::int64_t{row} * (rank_ + 1) * block_size;
#pragma unroll 2
      for (int k = 0; k <= rank_; ++k) {
        T c[block_entries], l[block_size];
        load(from + k * block_entries, c);
        if constexpr (on_diagonal) load(rows + k * block_size, l);
#pragma unroll
        for (int a = 0; a < at_once; ++a) {
          const T x = p[a] * point(body + a * warp_size, k);
#pragma unroll
          for (int e = 0; e < block_entries; ++e)
            if (!on_diagonal || e % block_size <= e / block_size) sum[a][e] = fma(c[e], x, sum[a][e]);
          if constexpr (on_diagonal)
#pragma unroll
            for (int m = 0; m < block_size; ++m) linear[a][m] = fma(l[m], x, linear[a][m]);
        }
      }
    }
#pragma unroll
    for (int a = 0; a < at_once; ++a) {
      T* to = memory_.rows_of(body + a * warp_size) + block * block_entries * warp_size;
#pragma unroll
      for (int e = 0; e < block_entries; ++e) {
        const int m = e / block_size, n = e % block_size;
        to[e * warp_size] = sum[a][on_diagonal && n > m ? n * block_size + m : e];
      }
      if constexpr (on_diagonal) begin_rows(row, body + a * warp_size, linear[a]);
    }
  }
  template <int size>
  __device__ static void load(const T* from, T (&to)[size]) {
#pragma unroll
    for (int e = 0; e < size; e += pack_size<T>) load_vector<pack_size<T>>(from + e, to + e);
  }
  __device__ void begin_rows(int block, int body, const T (&linear)[block_size]) const {
    const int padded = block_count(rank_) * block_size;
    T* argument = memory_.rows_of(body) + (system_rows(rank_) + padded) * warp_size;
    T* solution = argument + padded * warp_size;
#pragma unroll
    for (int m = 0; m < block_size; ++m) {
      const int row = block * block_size + m;
      solution[row * warp_size] = T{1.5} * linear[m];
      argument[row * warp_size] = row < rank_ ? T{0.5} * point(body, row + 1) : T{0};
    }
  }

  [[nodiscard]] __device__ T point(int body, int k) const {
    return memory_.points[k * bodies + body];
  }
  // In the batch; another one's where there is no such body.
  [[nodiscard]] __device__ std::int64_t number_of(int body) const {
    return first_.body + (first_.lane + body < first_.tile.bodies ? body : 0);
  }

  const BatchView<T>& batch_;
  const FusedLayout& layout_;
  LaneBodies<T> first_;
  FusedMemory<T, width> memory_;
  int rank_;
};

}  // namespace quartic::cuda
