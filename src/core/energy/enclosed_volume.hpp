// The layout of EnclosedVolume, and its checks.
#pragma once

#include <cstddef>
#include <span>

#include "core/energy/symmetric_tensor.hpp"
#include "quartic/enclosed_volume.hpp"

namespace quartic {

/// The most chambers of one model: each pressure is one more coordinate to kernels, whose numbers fit 8 bits.
inline constexpr int chamber_limit = 32;

/// Checks that 1 <= rank <= rank_limit and that there are C(rank + 3, 3) coefficients, all finite.
/// @throws InputError that says which of these fails
void check(const EnclosedVolume& volume);

/// V alone. @param q as many as the rank
[[nodiscard]] double volume_at(const EnclosedVolume& volume, std::span<const double> q);

/// T_abc for indices in 0..rank in any order.
[[nodiscard]] double coefficient(const EnclosedVolume& volume, std::size_t a, std::size_t b, std::size_t c);

}  // namespace quartic
