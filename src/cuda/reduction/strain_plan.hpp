// How many quadrature points the device takes at once, and in how many slices.
#pragma once

#include <cstdint>

namespace quartic::cuda {

/// Gram matrices are small for a device: at rank 30, ten squares of 128 numbers, where there are over a hundred
/// multiprocessors. So the points of a tile are cut in slices, each of which adds to a Gram matrix of its own.
struct StrainPlan {
  int pairs = 0;           ///< (r+1)(r+2)/2 - 1
  int strains = 0;         ///< per pair and point
  int slices = 0;          ///< as many Gram matrices
  int slice_points = 0;    ///< of one slice of a tile
  std::int64_t bytes = 0;  ///< of tile and Gram matrices, and what is kept of each point

  [[nodiscard]] int tile_points() const { return slices * slice_points; }
};

/// @param most_points of a block; corners: most vertices of an element
/// @param workspace_bytes limit for a tile's strains and all Gram matrices but one
/// @throws InputError if a single point doesn't fit
[[nodiscard]] StrainPlan plan_strains(int rank, int strains, std::int64_t most_points, int corners,
                                      std::int64_t workspace_bytes);

}  // namespace quartic::cuda
