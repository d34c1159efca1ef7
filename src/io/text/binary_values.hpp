// Numbers in binary data that is in memory, in either byte order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "quartic/error.hpp"

namespace quartic::io {

/// The number at the start of `bytes`, which has enough of them.
template <class Number>
[[nodiscard]] Number read_value(const char* bytes, bool swap_bytes) {
  std::array<char, sizeof(Number)> buffer;
  std::memcpy(buffer.data(), bytes, buffer.size());
  if (swap_bytes) std::reverse(buffer.begin(), buffer.end());
  return std::bit_cast<Number>(buffer);
}

/// Takes numbers one after the other and never reads beyond the end.
class BinaryValues {
 public:
  /// @param name of the file, for messages
  /// @param content of the whole file, which must outlive this object
  /// @param offset where reading starts
  BinaryValues(std::string name, std::string_view content, std::size_t offset, bool swap_bytes)
      : name_(std::move(name)), content_(content), offset_(offset), swap_bytes_(swap_bytes) {}

  /// The next number. @throws ParseError with the byte offset if the data end before; `what` names it
  template <class Number>
  Number next(std::string_view what) {
    return read_value<Number>(skip(sizeof(Number), what).data(), swap_bytes_);
  }

  /// Passes over `size` bytes and returns them. @throws ParseError as `next`
  std::string_view skip(std::uint64_t size, std::string_view what) {
    if (size > remaining())
      fail(std::string(what) + " needs " + std::to_string(size) + " bytes, but only " + std::to_string(remaining()) +
           " remain (is the file cut short?)");
    const auto bytes = content_.substr(offset_, static_cast<std::size_t>(size));
    offset_ += bytes.size();
    return bytes;
  }

  /// Refuses a count that the rest of the data can't hold, before anything is allocated for it.
  /// @param count of things that take at least `bytes_each`
  /// @throws ParseError
  void require(std::int64_t count, std::uint64_t bytes_each, std::string_view what) const {
    if (count < 0) fail(std::string(what) + " have the negative count " + std::to_string(count));
    if (static_cast<std::uint64_t>(count) > remaining() / std::max<std::uint64_t>(bytes_each, 1))
      fail(std::to_string(count) + " " + std::string(what) + " need at least " + std::to_string(bytes_each) +
           " bytes each, but only " + std::to_string(remaining()) + " remain (is the file cut short?)");
  }

  [[nodiscard]] std::size_t remaining() const { return content_.size() - offset_; }
  [[nodiscard]] std::size_t offset() const { return offset_; }
  void set_swap_bytes(bool swap_bytes) { swap_bytes_ = swap_bytes; }

  /// @throws ParseError with file and byte offset
  [[noreturn]] void fail(const std::string& what) const {
    throw ParseError(name_, 0, "byte " + std::to_string(offset_) + ": " + what);
  }

 private:
  std::string name_;
  std::string_view content_;
  std::size_t offset_;
  bool swap_bytes_;
};

}  // namespace quartic::io
