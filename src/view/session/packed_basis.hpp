// The surface's rows of a basis as the graphics card reads them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "view/session/scene_options.hpp"
#include "view/session/view_surface.hpp"

namespace quartic::view {

/// U in words of 32 bits, mode by mode and axis by axis: shape (words, 3, s). In half precision, a word holds two
/// modes, and each mode is divided by a power of two that takes its largest entry to 2^14 .. 2^15, where half precision
/// has its full range below it: the error is 2^-11 of each entry, or 2^-40 of the mode's largest one.
struct PackedBasis {
  std::vector<std::uint32_t> words;
  std::vector<float> scales;  ///< what each coordinate is multiplied by, shape (modes); 0 for one that fills up a word
  int word_count = 0;         ///< words per row

  [[nodiscard]] int modes() const { return static_cast<int>(scales.size()); }
};
[[nodiscard]] PackedBasis pack_basis(const ViewSurface& surface, BasisPrecision precision);

/// Coordinates as shaders read them: times the scales, bodies filled up with zeros to a multiple of 4.
/// @param q shape (B, r), C order
/// @return shape (bodies, modes)
[[nodiscard]] std::vector<float> pack_coordinates(const PackedBasis& basis, std::span<const float> q, int rank);

}  // namespace quartic::view
