// What is to be known of a body besides its status: a word of flags.
#pragma once

#include <cstdint>

namespace quartic {

/// One bit each, combined by `|`. The values stand in files. A bit stays set until flags are reset: it tells what has
/// happened, not what holds now. Bits that this version doesn't name come from files of a newer one, and are kept.
enum class BodyFlags : std::uint32_t {
  none = 0,
  inverted = 1,       ///< was turned inside out somewhere: det F <= 0 at a point of its ModelRange
  strained = 2,       ///< a principal stretch at a point of its ModelRange was outside of 1/sqrt(3) .. sqrt(3)
  not_converged = 4,  ///< a step with contacts or of Integrator::energy_conserving hadn't converged at the end
  contacts_lost = 8,  ///< in a step in a stream, its contact points were left out: there was no room for all of them
  too_fast = 16       ///< went so far in a step that it may have gone through a shape: World
};

/// The flags that tell that a body was outside of its model's range, where the motion means nothing.
inline constexpr BodyFlags out_of_range = BodyFlags{3};

[[nodiscard]] constexpr BodyFlags operator|(BodyFlags a, BodyFlags b) {
  return static_cast<BodyFlags>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
[[nodiscard]] constexpr BodyFlags operator&(BodyFlags a, BodyFlags b) {
  return static_cast<BodyFlags>(static_cast<std::uint32_t>(a) & static_cast<std::uint32_t>(b));
}
constexpr BodyFlags& operator|=(BodyFlags& a, BodyFlags b) {
  return a = a | b;
}

/// Whether one of `some` is set.
[[nodiscard]] constexpr bool has_any(BodyFlags flags, BodyFlags some) {
  return (flags & some) != BodyFlags::none;
}

}  // namespace quartic
