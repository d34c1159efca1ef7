// The bytes of arrays in VTK's XML files: raw or as base64, as they are or in blocks that zlib deflated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quartic::io {

/// How a file keeps its arrays.
struct VtuEncoding {
  bool swap_bytes = false;   ///< the file's byte order isn't this machine's
  bool wide_header = false;  ///< sizes are UInt64, otherwise UInt32
  bool deflated = false;
};

/// What is wrong with an array's bytes; the caller knows its name and place.
struct VtuDamage {
  std::string what;
};

/// Takes bytes one after the other out of a text.
class EncodedBytes {
 public:
  /// @param text must outlive this object
  EncodedBytes(std::string_view text, bool is_base64) : text_(text), is_base64_(is_base64) {}

  /// Appends `size` bytes. @throws VtuDamage if there are fewer, before anything is allocated
  void take(std::size_t size, std::string& bytes);
  /// Not less than the bytes that are left.
  [[nodiscard]] std::size_t remaining() const;

 private:
  std::size_t decode_full_groups(char* bytes, std::size_t most);
  bool decode_group();

  std::string_view text_;
  bool is_base64_;
  std::size_t position_ = 0;
  std::array<char, 3> group_{};  // decoded; the last `carried_` of the `decoded_` bytes haven't been taken
  std::size_t decoded_ = 0;
  std::size_t carried_ = 0;
};

/// The bytes of one array, which begins with its size.
/// @param size that the array should have; absent if any will do
/// @throws VtuDamage
[[nodiscard]] std::string array_bytes(EncodedBytes& source, const VtuEncoding& encoding,
                                      std::optional<std::uint64_t> size);

}  // namespace quartic::io
