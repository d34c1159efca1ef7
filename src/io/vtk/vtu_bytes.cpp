#include "io/vtk/vtu_bytes.hpp"

#include <zlib.h>

#include <algorithm>
#include <vector>

#include "io/text/binary_values.hpp"
#include "io/text/text.hpp"

namespace quartic::io {
namespace {

constexpr std::uint8_t no_digit = 255;

constexpr std::array<std::uint8_t, 256> base64_digits() {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(no_digit);
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    digits[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  return digits;
}

constexpr auto digit_values = base64_digits();

// What deflate makes of a byte at most: zlib's technical details give 1032.
constexpr std::uint64_t largest_ratio = 1032;

[[noreturn]] void fail(std::string what) {
  throw VtuDamage{std::move(what)};
}

[[noreturn]] void fail_short(std::uint64_t needed, std::uint64_t left) {
  fail("needs " + std::to_string(needed) + " bytes, but only " + std::to_string(left) +
       " remain (is the file cut short?)");
}

void require_size(std::uint64_t size, std::optional<std::uint64_t> expected) {
  if (expected && size != *expected)
    fail("has " + std::to_string(size) + " bytes by its own header, but should have " + std::to_string(*expected));
}

/// Numbers of an array's header.
class Header {
 public:
  Header(EncodedBytes& source, const VtuEncoding& encoding) : source_(source), encoding_(encoding) {}

  [[nodiscard]] std::size_t number_size() const { return encoding_.wide_header ? 8 : 4; }
  std::uint64_t next() {
    bytes_.clear();
    source_.take(number_size(), bytes_);
    return encoding_.wide_header ? read_value<std::uint64_t>(bytes_.data(), encoding_.swap_bytes)
                                 : read_value<std::uint32_t>(bytes_.data(), encoding_.swap_bytes);
  }

 private:
  EncodedBytes& source_;
  const VtuEncoding& encoding_;
  std::string bytes_;
};

std::string plain_bytes(EncodedBytes& source, const VtuEncoding& encoding, std::optional<std::uint64_t> size) {
  const std::uint64_t announced = Header(source, encoding).next();
  require_size(announced, size);
  if (announced > source.remaining()) fail_short(announced, source.remaining());
  std::string bytes;
  source.take(static_cast<std::size_t>(announced), bytes);
  return bytes;
}

/// Blocks of `block_size` bytes each; the last one has `last_size` unless that is 0.
struct Blocks {
  std::vector<std::uint64_t> deflated_sizes;
  std::uint64_t block_size = 0;
  std::uint64_t last_size = 0;

  [[nodiscard]] std::uint64_t size_of(std::size_t block) const {
    return block + 1 == deflated_sizes.size() && last_size != 0 ? last_size : block_size;
  }
};

Blocks read_blocks(EncodedBytes& source, const VtuEncoding& encoding) {
  Header header(source, encoding);
  Blocks blocks;
  const std::uint64_t count = header.next();
  blocks.block_size = header.next();
  blocks.last_size = header.next();
  if (count > source.remaining() / header.number_size())
    fail("announces " + std::to_string(count) + " blocks, but only " + std::to_string(source.remaining()) +
         " bytes remain (is the file cut short?)");
  blocks.deflated_sizes.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t b = 0; b < count; ++b) blocks.deflated_sizes.push_back(header.next());
  return blocks;
}

// Sum of what the blocks announce, which their deflated bytes must be able to hold.
std::uint64_t announced_size(const Blocks& blocks, std::uint64_t remaining) {
  std::uint64_t size = 0, deflated = 0;
  for (std::size_t b = 0; b < blocks.deflated_sizes.size(); ++b) {
    if (blocks.deflated_sizes[b] > remaining - deflated) fail_short(blocks.deflated_sizes[b], remaining - deflated);
    deflated += blocks.deflated_sizes[b];
    if (blocks.size_of(b) / largest_ratio > blocks.deflated_sizes[b])
      fail("has a block of " + std::to_string(blocks.deflated_sizes[b]) + " bytes that should inflate to " +
           std::to_string(blocks.size_of(b)) + ", more than is possible");
    size += blocks.size_of(b);  // at most 1033 times the file's size: no overflow
  }
  return size;
}

std::string inflated_bytes(EncodedBytes& source, const VtuEncoding& encoding, std::optional<std::uint64_t> size) {
  const Blocks blocks = read_blocks(source, encoding);
  const std::uint64_t announced = announced_size(blocks, source.remaining());
  require_size(announced, size);
  std::string bytes(static_cast<std::size_t>(announced), '\0'), deflated;
  std::size_t begin = 0;
  for (std::size_t b = 0; b < blocks.deflated_sizes.size(); ++b) {
    deflated.clear();
    source.take(static_cast<std::size_t>(blocks.deflated_sizes[b]), deflated);
    auto got = static_cast<uLongf>(blocks.size_of(b));
    const int status = uncompress(reinterpret_cast<Bytef*>(bytes.data() + begin), &got,
                                  reinterpret_cast<const Bytef*>(deflated.data()), static_cast<uLong>(deflated.size()));
    if (status != Z_OK || got != blocks.size_of(b))
      fail("can't be inflated: block " + std::to_string(b) + " is damaged");
    begin += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace

std::size_t EncodedBytes::remaining() const {
  const std::size_t left = text_.size() - position_;
  return is_base64_ ? carried_ + left / 4 * 3 : left;
}

// Decodes groups that have four digits in a row, as nearly all do; returns the number of bytes.
std::size_t EncodedBytes::decode_full_groups(char* bytes, std::size_t most) {
  std::size_t count = 0;
  for (; count < most && text_.size() - position_ >= 4; ++count, position_ += 4) {
    std::uint32_t bits = 0, all = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint32_t digit = digit_values[static_cast<unsigned char>(text_[position_ + i])];
      all |= digit;
      bits = bits << 6U | digit;
    }
    if (all >= 64) break;
    bytes[3 * count] = static_cast<char>(bits >> 16U & 0xFFU);
    bytes[3 * count + 1] = static_cast<char>(bits >> 8U & 0xFFU);
    bytes[3 * count + 2] = static_cast<char>(bits & 0xFFU);
  }
  return 3 * count;
}

// Decodes the next four digits; false at the end of the text.
bool EncodedBytes::decode_group() {
  std::uint32_t bits = 0;
  std::size_t digits = 0, padding = 0;
  for (; digits + padding < 4; ++position_) {
    if (position_ == text_.size()) {
      if (digits + padding != 0) fail("ends within a group of four base64 digits (is the file cut short?)");
      return false;
    }
    const char c = text_[position_];
    const std::uint8_t digit = digit_values[static_cast<unsigned char>(c)];
    if (digit != no_digit && padding == 0) {
      bits = bits << 6U | digit;
      ++digits;
    } else if (c == '=' && digits >= 2) {
      bits <<= 6U;
      ++padding;
    } else if (!is_white(c)) {
      if (digits + padding == 0) return false;  // another array, or the end of the section
      fail("has a byte that is no base64 digit");
    }
  }
  group_ = {static_cast<char>(bits >> 16U & 0xFFU), static_cast<char>(bits >> 8U & 0xFFU),
            static_cast<char>(bits & 0xFFU)};
  decoded_ = carried_ = 3 - padding;
  return true;
}

void EncodedBytes::take(std::size_t size, std::string& bytes) {
  if (size > remaining()) fail_short(size, remaining());
  if (!is_base64_) {
    bytes.append(text_.substr(position_, size));
    position_ += size;
    return;
  }
  const std::size_t begin = bytes.size(), end = begin + size;
  bytes.resize(end);
  for (std::size_t at = begin; at < end;) {
    if (carried_ == 0 && end - at >= 3) at += decode_full_groups(bytes.data() + at, (end - at) / 3);
    if (at == end) break;
    if (carried_ == 0 && !decode_group()) fail_short(size, at - begin);
    const std::size_t now = std::min(end - at, carried_);
    std::copy_n(group_.data() + (decoded_ - carried_), now, bytes.data() + at);
    carried_ -= now;
    at += now;
  }
}

std::string array_bytes(EncodedBytes& source, const VtuEncoding& encoding, std::optional<std::uint64_t> size) {
  return encoding.deflated ? inflated_bytes(source, encoding, size) : plain_bytes(source, encoding, size);
}

}  // namespace quartic::io
