// Coordinates by parity: what a body's mirror planes leave of its tensor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quartic/enclosed_volume.hpp"
#include "quartic/quartic_energy.hpp"

namespace quartic {

/// As many mirror planes as a body can have that are at right angles.
inline constexpr int most_parities = 3;

/// Parities of the coordinates (1, q): a bit each, 0 for even. An entry S_abcd is zero unless the number of odd ones
/// among its four indices is even, for each parity.
struct Parities {
  int count = 0;                      ///< 0 .. most_parities
  std::vector<std::uint8_t> of = {};  ///< of[0] = 0 is that of 1, shape (r + 1)

  /// Numbers of this kind: 2^count.
  [[nodiscard]] int classes() const { return 1 << count; }
  /// Of a product of two coordinates.
  [[nodiscard]] int of_pair(std::size_t a, std::size_t b) const { return of[a] ^ of[b]; }
};

/// The parities that exact zeros of the tensor allow, those of volumes likewise: pressures are even. Whatever the zeros
/// are due to, terms between coordinates of different parity needn't be computed. O(number of coefficients).
[[nodiscard]] Parities parities(const QuarticEnergy& energy, std::span<const EnclosedVolume> volumes = {});

/// Multiply-adds of one evaluation over those of a tensor without zeros, by entries of H and monomials.
[[nodiscard]] double work_share(const Parities& parities);

}  // namespace quartic
