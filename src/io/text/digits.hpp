// Natural numbers as plain digits, which nearly all fields of large text files are, eight digits at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace quartic::io {

namespace detail {

/// The value of up to eight digits, which `bytes` starts with in the order of memory; -1 unless something else follows
/// them within the eight bytes. Where two numbers stand side by side below, the pairs are summed at once.
inline std::int64_t short_natural(std::uint64_t bytes, int& digits) {
  constexpr std::uint64_t each = 0x0101010101010101;
  std::uint64_t values = bytes ^ (each * '0');  // 0 to 9 for digits
  const std::uint64_t others = (((values & (each * 0x7F)) + each * (0x80 - 10)) | values) & (each * 0x80);
  if (others == 0) return -1;
  digits = std::countr_zero(others) / 8;
  if (digits == 0) return -1;
  values <<= 64 - 8 * digits;  // the digit of ones becomes the last byte, zeros lead
  values = values * 10 + (values >> 8);
  constexpr std::uint64_t pair = 0x000000FF000000FF;
  values = (values & pair) * ((std::uint64_t{1000000} << 32) + 100) +
           ((values >> 16) & pair) * ((std::uint64_t{10000} << 32) + 1);
  return static_cast<std::int64_t>(values >> 32);
}

}  // namespace detail

/// Takes blanks and tabs and then up to 18 digits, if there are such and no further digit follows.
/// @param end readable and no digit: the end of a string has a zero
inline bool take_digits(const char*& position, const char* end, std::int64_t& value) {
  const char* p = position;
  while (*p == ' ' || *p == '\t') ++p;
  if constexpr (std::endian::native == std::endian::little) {
    std::uint64_t bytes = 0;
    if (end - p >= std::ptrdiff_t{sizeof(bytes)}) {
      std::memcpy(&bytes, p, sizeof(bytes));
      int digits = 0;
      if (const std::int64_t sum = detail::short_natural(bytes, digits); sum >= 0) {
        position = p + digits;
        value = sum;
        return true;
      }
    }
  }
  const char* const begin = p;
  std::uint64_t sum = 0;
  for (unsigned digit = 0; (digit = static_cast<unsigned>(*p - '0')) < 10; ++p) sum = 10 * sum + digit;
  constexpr std::ptrdiff_t safe_digits = 18;
  if (p == begin || p - begin > safe_digits) return false;
  position = p;
  value = static_cast<std::int64_t>(sum);
  return true;
}

}  // namespace quartic::io
