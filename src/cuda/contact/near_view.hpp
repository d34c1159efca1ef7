// Bodies that have candidates, side by side: what the kernels see that step them.
//
// Each has a seat in a tile of 128 of its group, in the order of bodies, so that products of a model's coefficients
// with what depends on each body's iterate take a tile at a time: H, and the forms of its inertia
// (core/frame/inertia_forms.hpp), which are affine in q. Between these products a body's step lies in memory.
#pragma once

#include <cstdint>

#include "cuda/energy/tensor_view.hpp"

namespace quartic::cuda {

/// Of coefficients with products of rows of points.
enum NearProduct : int {
  near_h,        // K's lower triangle row by row, then H_i0, by the monomials of (1, q)
  near_forms,    // D_i and B_i, nine numbers each, by (1, q)
  near_turned,   // q'_p A_pi, three numbers each, by (1, q')
  near_inertia,  // w . A_pi weights - 1/2 w^T dD_i/dq_p w, shape (r, r), by (1, inertia_factors of w)
  near_product_count
};
/// Rows of points: of three kinds.
enum NearPoints : int { near_q, near_rates, near_spins, near_point_kinds };
[[nodiscard]] __host__ __device__ constexpr int points_of(int product) {
  return product <= near_forms ? near_q : product == near_turned ? near_rates : near_spins;
}

/// What `near_inertia` is multiplied with: weights of B's derivative, and those of D's.
inline constexpr int inertia_factors = 9;
/// Of D_i and B_i: xx, yy, zz, yz, xz, xy; x, y, z.
inline constexpr int form_entries = 9;

/// Where a body's products lie, in doubles, each at a whole sector of memory.
struct NearProducts {
  int first[near_product_count + 1];

  __host__ __device__ constexpr NearProducts(int rank, bool flies) : first{} {
    const int rows[near_product_count] = {stiffness_rows(rank) + rank, flies ? form_entries * rank : 0,
                                          flies ? 3 * rank : 0, flies ? rank * rank : 0};
    for (int p = 0; p < near_product_count; ++p) first[p + 1] = first[p] + (rows[p] + 7) / 8 * 8;
  }
  [[nodiscard]] __host__ __device__ constexpr int size() const { return first[near_product_count]; }
};
/// Rows of a kind of points.
[[nodiscard]] __host__ __device__ constexpr int near_point_rows(int kind, int rank) {
  return 1 + (kind == near_spins ? inertia_factors : rank);
}

/// A group's seats.
struct NearGroup {
  std::int64_t first_body, bodies, first_seat;
};

struct NearView {
  std::int64_t* has_candidates;  // 1 where a body has, else 0; shape (B)
  std::int64_t* before;          // how many such bodies come before; shape (B)
  const NearGroup* groups;
  const std::int32_t* group_of_tile;
  const std::int64_t* first_places;  // of each tile: where its seats' products and what they keep lie
  const std::int32_t* ranks;         // of each group; 0 of those without a tree
  int tiles = 0;
  std::int64_t* taken;                // seats that are, of each group
  std::int32_t* bodies;               // of each seat
  std::uint8_t* open;                 // whether its step is at work; of each seat
  const TensorImage<double>* images;  // of each group, near_product_count
  double* points[near_point_kinds];   // [tile][row][128], as many rows as the largest rank takes
  int point_rows[near_point_kinds];
  double* products;  // NearProducts of each place
  int products_size;
  double* kept;  // of each place, what of NearMemory is kept
  int kept_size;
  int rank;  // the largest

  /// Seats of a tile that are taken.
  [[nodiscard]] __device__ int taken_in(int tile) const {
    const int group = group_of_tile[tile];
    const std::int64_t left = taken[group] - (std::int64_t{tile} * tile_bodies - groups[group].first_seat);
    return left < 0 ? 0 : left > tile_bodies ? tile_bodies : static_cast<int>(left);
  }
  [[nodiscard]] __device__ bool is_open(std::int64_t seat) const {
    return seat % tile_bodies < taken_in(static_cast<int>(seat / tile_bodies)) && open[seat] != 0;
  }
  [[nodiscard]] __device__ std::int64_t place_of(std::int64_t seat) const {
    return first_places[seat / tile_bodies] + seat % tile_bodies;
  }
  /// Row 0 of a seat's points; the others lie tile_bodies apart.
  [[nodiscard]] __device__ double* point(int kind, std::int64_t seat) const {
    return points[kind] + seat / tile_bodies * point_rows[kind] * tile_bodies + seat % tile_bodies;
  }
};

}  // namespace quartic::cuda
