// Tells moments of mass apart, no more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/fnv1a.hpp"
#include "quartic/frame_moments.hpp"

namespace quartic {

/// FNV-1a of the mass and of the moments that a free body has.
[[nodiscard]] inline std::uint64_t moments_fingerprint(const FrameMoments& moments) {
  std::uint64_t hash = fnv1a(std::as_bytes(std::span(&moments.mass, 1)));
  for (const Matrix* matrix : {&moments.moment0, &moments.moment1, &moments.moment2})
    hash = fnv1a(std::as_bytes(std::span(matrix->values)), hash);
  return hash;
}

/// In 32 bits, never 0.
[[nodiscard]] inline std::uint32_t short_fingerprint(const FrameMoments& moments) {
  const std::uint64_t hash = moments_fingerprint(moments);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32U)) | 1U;
}

/// 0 for none.
[[nodiscard]] inline std::uint32_t short_fingerprint(const std::optional<FrameMoments>& moments) {
  return moments ? short_fingerprint(*moments) : 0;
}

}  // namespace quartic
