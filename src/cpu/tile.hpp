// A tile of bodies on its way through a time step, one body per lane: values are stored as [mode][lane].
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/aligned_array.hpp"
#include "cpu/tile_kernels.hpp"
#include "quartic/batch.hpp"

namespace quartic::cpu {

/// A set of lanes, bit by bit.
using LaneSet = std::uint32_t;

template <class T>
inline constexpr LaneSet all_lanes = (LaneSet{1} << lanes<T>)-1;

template <class T>
using LaneValues = std::array<T, static_cast<std::size_t>(lanes<T>)>;

[[nodiscard]] constexpr bool contains(LaneSet set, int lane) {
  return ((set >> lane) & 1U) != 0;
}

/// The arrays of a batch, mode-major with a common pitch.
template <class T>
struct BatchArrays {
  AlignedArray<T> q, velocity, acceleration, force;  // shape (r, pitch)
  std::int64_t pitch = 0;
};

/// Workspace for one tile at a time. Integrators read `q`, `velocity`, `acceleration`, `force` and leave the new state
/// in the `next_` arrays; `finish_step` makes it the current one. Lanes that aren't live (beyond the last body, or
/// frozen) hold zeros at first; what becomes of them is of no interest to anyone.
template <class T>
class Tile {
 public:
  explicit Tile(const PackedCoefficients<T>& coefficients);

  [[nodiscard]] int rank() const { return coefficients_->rank; }
  /// Number of values in an array of r rows.
  [[nodiscard]] std::int64_t size() const { return std::int64_t{rank()} * lanes<T>; }
  [[nodiscard]] LaneSet live() const { return live_; }

  /// Takes bodies `first ..` out of the arrays; `status` has an entry for each of them that exists.
  void load(const BatchArrays<T>& arrays, std::int64_t first, std::span<BodyStatus> status);
  /// Puts the live bodies back.
  void store(const BatchArrays<T>& arrays) const;
  /// Accepts the new state. Bodies whose new state isn't finite, or whose system couldn't be solved, are put back into
  /// the arrays as they were before the step and leave the tile.
  void finish_step(const BatchArrays<T>& arrays);

  /// H at the coordinates `at`: K as packed pairs, then H_i0.
  void evaluate(const T* at, T* result) { kernels_->evaluate(*coefficients_, at, monomials_, result); }
  /// y = K x.
  void multiply(const T* k, const T* x, T* y) const { kernels_->multiply(rank(), k, x, y); }
  /// H_i0, the rows behind K in H.
  [[nodiscard]] const T* linear_part(const T* rows) const { return rows + size() * (rank() + 1) / 2; }

  /// x <- (scale K + diagonal I)^-1 x in `bodies`, with a shifted diagonal for those whose matrix isn't positive
  /// definite.
  void solve(LaneSet bodies, T scale, T diagonal, const T* k, T* x);
  /// Increment <- increment - delta in `bodies`.
  void correct(LaneSet bodies, const T* delta);

  T *q, *velocity, *acceleration, *force;         // shape (r, lanes)
  T *next_q, *next_velocity, *next_acceleration;  // shape (r, lanes)
  T *increment, *residual, *argument, *product;   // shape (r, lanes)
  T *h, *second_h;                                // shape (rows of the coefficient matrix, lanes)

 private:
  void factorize(LaneSet bodies, T scale, T diagonal, const T* k);

  const PackedCoefficients<T>* coefficients_;
  const TileKernels<T>* kernels_;
  AlignedArray<T> storage_;
  T *monomials_, *factor_;
  T *shift_, *failed_;  // shape (lanes)
  std::int64_t first_ = 0;
  std::span<BodyStatus> status_;
  LaneSet live_ = 0;
  LaneSet unsolvable_ = 0;
};

/// The sum of squares of each lane, row by row.
template <class T>
[[nodiscard]] LaneValues<T> squared_norms(int rank, const T* rows) {
  LaneValues<T> sums = {};
  for (int i = 0; i < rank; ++i)
    for (int l = 0; l < lanes<T>; ++l)
      sums[static_cast<std::size_t>(l)] += rows[i * lanes<T> + l] * rows[i * lanes<T> + l];
  return sums;
}

}  // namespace quartic::cpu
