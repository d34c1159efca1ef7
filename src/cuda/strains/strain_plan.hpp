// How many quadrature points the device takes at once, and in how many slices.
#pragma once

#include <cstdint>

namespace quartic::cuda {

/// What stands in a tile for each point, and what of it is summed.
struct StrainShape {
  int rank = 0;      ///< fields that are paired with the constant and with each other
  int linear = 0;    ///< further ones, of which linear strains are wanted
  int strains = 0;   ///< numbers per column and point
  int sum_rows = 0;  ///< columns that products with all are summed of; 0: a Gram matrix, whose lower triangle will do

  [[nodiscard]] int pairs() const { return (rank + 1) * (rank + 2) / 2 - 1; }
  [[nodiscard]] int columns() const { return pairs() + linear; }  ///< the pairs, then the others
  [[nodiscard]] std::int64_t sum_size() const { return std::int64_t{sum_rows == 0 ? columns() : sum_rows} * columns(); }
};

/// Sums of products are small for a device: at rank 30, ten squares of 128 numbers, where there are over a hundred
/// multiprocessors. So the points of a tile are cut in slices, each of which adds to sums of its own.
struct StrainPlan {
  StrainShape shape;
  int slices = 0;          ///< as many sums
  int slice_points = 0;    ///< of one slice of a tile
  std::int64_t bytes = 0;  ///< of tile and sums, and what is kept of each point

  [[nodiscard]] int tile_points() const { return slices * slice_points; }
};

/// @param most_points of a block; corners: most vertices of an element
/// @param workspace_bytes limit for a tile's strains and all sums but one
/// @throws InputError if a single point doesn't fit
[[nodiscard]] StrainPlan plan_strains(const StrainShape& shape, std::int64_t most_points, int corners,
                                      std::int64_t workspace_bytes);

}  // namespace quartic::cuda
