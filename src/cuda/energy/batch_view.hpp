// What the kernels of a batch see: bodies in tiles of 128 of one model, and the workspace of the tiles.
//
// State arrays are [mode][pitch] over the whole batch. Workspace arrays are [row][128] within a tile, tile after tile,
// so that a warp's 32 bodies lie side by side and every row starts at a whole cache line.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/energy/tuning.hpp"
#include "cuda/frame/frame_view.hpp"

namespace quartic::cuda {

/// K's entry (i, j), i >= j, in H; behind them come the entries H_i0.
[[nodiscard]] __host__ __device__ constexpr int stiffness_row(int i, int j) {
  return i * (i + 1) / 2 + j;
}
[[nodiscard]] __host__ __device__ constexpr int stiffness_rows(int rank) {
  return rank * (rank + 1) / 2;
}

/// A monomial q^_first q^_second of q^ = (1, q).
struct alignas(2) MonomialPair {
  std::uint8_t first, second;
};

/// A model's coefficients on the device, with rows padded to whole blocks and monomials to whole slabs, by zeros.
template <class T>
struct ModelView {
  const T* coefficients;      // [row block][monomial][row of the block]
  const MonomialPair* pairs;  // shape (monomials)
  int rank;
  int h_rows;      // r(r+1)/2 + r
  int row_blocks;  // of block_rows each; where forces come from strains, those of K alone
  int monomials;   // a multiple of slab_monomials
  // L and L^T of a strain form, null without one: [row block][column][row of the block], without the slabs of
  // columns before or behind the triangle.
  const T *strain_factor, *strain_transposed;
  int strain_blocks;  // of block_rows rows each
  // Of each chamber one behind the other (chamber_image.hpp), null without chambers.
  const T* volumes;
  int chambers;
};

/// Slabs of L before row block `block`, which has the slabs `block` to `slabs` - 1 of the monomials.
[[nodiscard]] __host__ __device__ constexpr std::int64_t factor_slabs(int block, int slabs) {
  return std::int64_t{block} * slabs - std::int64_t{block} * (block - 1) / 2;
}
/// Slabs of L^T before row block `block`, which has the slabs 0 to `block` of the strains.
[[nodiscard]] __host__ __device__ constexpr std::int64_t transposed_slabs(int block) {
  return std::int64_t{block} * (block + 1) / 2;
}

/// Bodies of one group side by side.
struct Tile {
  std::int32_t model;
  std::int32_t bodies;      // 1 .. tile_bodies
  std::int64_t first_body;  // in the batch
  std::int64_t point_row;   // where the tile's rows start in each workspace array
  std::int64_t vector_row;
  std::int64_t h_row;
  std::int64_t system_row;
  std::int64_t strain_row;
  std::int64_t frame_row;
};

template <class T>
class Evaluator;
template <class T>
struct TensorImage;

/// Damping by strain rates: D(q) / tau, a matrix of the monomials that K is made of.
template <class T>
struct StrainDampingView {
  const T* time;               // tau [s] of each body, shape (B); null where no body is damped
  const ModelView<T>* models;  // of each group, with D's coefficients in place of H's; no rows where none are damped
  // Workspace of the tiles at work: D at the point where it damps, placed as `h`, and that point if it is another one.
  T *d, *middle_points;
  T* single_d;  // D of bodies one by one, shape (B, single_rows)
  std::int64_t single_rows;
};

template <class T>
struct BatchView {
  const ModelView<T>* models;
  const Tile* tiles;

  T *q, *velocity, *acceleration;  // shape (r, pitch)
  const T* force;
  std::int64_t pitch;
  const T *rayleigh_mass, *rayleigh_stiffness;  // shape (B)
  const T* stiffness_scale;                     // of R and K, shape (B)
  const T *start_scale, *end_scale;             // of forces, shape (B), or null for 1
  std::int32_t* status;                         // BodyStatus, shape (B)
  std::uint32_t* flags;                         // BodyFlags, shape (B)
  std::uint8_t* progress;                       // of each body's step, shape (B)
  T* last_squares;                              // of the residual before, shape (B); energy-conserving only

  // Workspace of the tiles at work; the second ones for the energy-conserving scheme only.
  T *points, *second_points;            // (1, coordinates) to evaluate at, r + 1 rows per tile
  T *h, *second_h;                      // h_rows rows; where forces come from strains, R instead of H_i0
  T* increment;                         // r rows
  const TensorImage<T>* tensor_images;  // of each model, or null: coefficients for tensor cores
  const Evaluator<T>* evaluator;        // on the host: who evaluates H
  T* system;                            // 16 rows for each block of the system matrix, where shared memory is too small
  T* strains;  // strains and their products with L^T, for each point; null without strain forms

  FrameArrays<T> frame;
  StrainDampingView<T> strain_damping;
  const T* pressure;    // in each chamber of each body, shape (chambers, bodies); null without chambers
  std::int64_t bodies;  // of the batch
};

}  // namespace quartic::cuda
