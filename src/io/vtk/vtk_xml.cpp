#include "io/vtk/vtk_xml.hpp"

#include <cstddef>
#include <cstdint>

namespace quartic::io {
namespace {

// Number of bytes of the character at the start of the text that XML allows, or 0 (RFC 3629, XML 1.0 section 2.2).
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7F ? 1 : 0;
  const std::size_t size = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC0 ? 2 : 0;
  if (size == 0) return 0;
  std::uint32_t code = byte(0) & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};  // of each size: shorter forms are the only ones
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < smallest[size] || code > 0x10FFFF || surrogate || code == 0xFFFE || code == 0xFFFF ? 0 : size;
}

}  // namespace

std::string xml_characters(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = character_bytes(text);
    result += size == 0 ? std::string_view("?") : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

std::string xml_attribute(std::string_view text) {
  std::string result;
  for (const char c : xml_characters(text)) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace quartic::io
