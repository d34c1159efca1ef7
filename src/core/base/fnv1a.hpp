// FNV-1a, a hash that any program can repeat in three lines: it tells data apart, and is no protection from anyone.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace quartic {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as they lie in memory and in files");

inline constexpr std::uint64_t fnv1a_start = 14695981039346656037U;

/// The hash (64 bit) of all bytes so far: of `bytes` alone, or of them behind those that `hash` is of. About 1 ns per
/// byte. Fowler, Noll and Vo, 1991.
[[nodiscard]] inline std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t hash = fnv1a_start) {
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 1099511628211U;
  return hash;
}

/// 16 hexadecimal digits.
[[nodiscard]] inline std::string hash_text(std::uint64_t hash) {
  std::string text(16, '0');
  for (std::size_t digit = text.size(); digit-- > 0; hash >>= 4U) text[digit] = "0123456789abcdef"[hash & 15U];
  return text;
}

}  // namespace quartic
