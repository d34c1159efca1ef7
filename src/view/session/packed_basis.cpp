#include "view/session/packed_basis.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "io/text/half.hpp"

namespace quartic::view {
namespace {

// The exponent that takes the largest entry to 2^14 .. 2^15.
int scale_exponent(std::span<const double> mode) {
  double largest = 0;
  for (const double x : mode) largest = std::max(largest, std::abs(x));
  if (largest == 0) return 0;
  return std::clamp(15 - (std::ilogb(largest) + 1), -120, 120);  // so that the inverse is a normal number, too
}

}  // namespace

PackedBasis pack_basis(const ViewSurface& surface, BasisPrecision precision) {
  const auto vertices = static_cast<std::size_t>(surface.vertex_count());
  const int rank = surface.rank();
  const bool half = precision == BasisPrecision::half;
  PackedBasis packed;
  packed.word_count = half ? (rank + 1) / 2 : rank;
  packed.scales.assign(static_cast<std::size_t>(half ? 2 * packed.word_count : rank), 0.0F);
  packed.words.assign(3 * vertices * static_cast<std::size_t>(packed.word_count), 0);
  for (int mode = 0; mode < rank; ++mode) {
    const auto column = surface.basis.col(mode);
    const int exponent = half ? scale_exponent(column) : 0;
    packed.scales[static_cast<std::size_t>(mode)] = std::ldexp(1.0F, -exponent);
    const auto word = static_cast<std::size_t>(half ? mode / 2 : mode);
    for (std::size_t v = 0; v < vertices; ++v)
      for (std::size_t c = 0; c < 3; ++c) {
        const auto value = static_cast<float>(std::ldexp(column[3 * v + c], exponent));
        std::uint32_t& target = packed.words[(3 * word + c) * vertices + v];
        if (half)
          target |= std::uint32_t{io::to_half(value).bits} << (mode % 2 == 0 ? 0U : 16U);
        else
          target = std::bit_cast<std::uint32_t>(value);
      }
  }
  return packed;
}

std::vector<float> pack_coordinates(const PackedBasis& basis, std::span<const float> q, int rank) {
  const std::size_t modes = basis.scales.size(), used = static_cast<std::size_t>(rank), bodies = q.size() / used;
  std::vector<float> packed((bodies + 3) / 4 * 4 * modes);
  for (std::size_t body = 0; body < bodies; ++body)
    for (std::size_t mode = 0; mode < used; ++mode)
      packed[body * modes + mode] = q[body * used + mode] * basis.scales[mode];
  return packed;
}

}  // namespace quartic::view
