// The kinds of numbers in VTK's files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/text/binary_values.hpp"

namespace quartic::io {

enum class VtkType : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

[[nodiscard]] inline bool is_integer(VtkType type) {
  return type < VtkType::float32;
}

[[nodiscard]] inline std::size_t size_of(VtkType type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

namespace detail {

template <class In, class Out>
void append_numbers(std::string_view bytes, bool swap_bytes, std::vector<Out>& numbers) {
  if (numbers.empty()) numbers.reserve(bytes.size() / sizeof(In));  // else the vector knows best how to grow
  for (std::size_t at = 0; at + sizeof(In) <= bytes.size(); at += sizeof(In))
    numbers.push_back(static_cast<Out>(read_value<In>(bytes.data() + at, swap_bytes)));
}

}  // namespace detail

/// Appends numbers of `type` that lie in `bytes`. For integers out of those, `type` must be one; unsigned ones beyond
/// their range become negative.
template <class Out>
void append_numbers(std::string_view bytes, VtkType type, bool swap_bytes, std::vector<Out>& numbers) {
  using detail::append_numbers;
  switch (type) {
    case VtkType::int8:
      return append_numbers<std::int8_t>(bytes, swap_bytes, numbers);
    case VtkType::uint8:
      return append_numbers<std::uint8_t>(bytes, swap_bytes, numbers);
    case VtkType::int16:
      return append_numbers<std::int16_t>(bytes, swap_bytes, numbers);
    case VtkType::uint16:
      return append_numbers<std::uint16_t>(bytes, swap_bytes, numbers);
    case VtkType::int32:
      return append_numbers<std::int32_t>(bytes, swap_bytes, numbers);
    case VtkType::uint32:
      return append_numbers<std::uint32_t>(bytes, swap_bytes, numbers);
    case VtkType::int64:
      return append_numbers<std::int64_t>(bytes, swap_bytes, numbers);
    case VtkType::uint64:
      return append_numbers<std::uint64_t>(bytes, swap_bytes, numbers);
    case VtkType::float32:
    case VtkType::float64:
      break;
  }
  if constexpr (std::is_floating_point_v<Out>)
    type == VtkType::float32 ? append_numbers<float>(bytes, swap_bytes, numbers)
                             : append_numbers<double>(bytes, swap_bytes, numbers);
}

}  // namespace quartic::io
