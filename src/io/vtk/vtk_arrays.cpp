#include "io/vtk/vtk_arrays.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

// VTK writes its vtkIdType as 32-bit integers, and `long` as its own: with 64 bits nearly everywhere.
constexpr std::pair<std::string_view, VtkType> legacy_types[] = {{"double", VtkType::float64},
                                                                 {"float", VtkType::float32},
                                                                 {"int", VtkType::int32},
                                                                 {"vtkidtype", VtkType::int32},
                                                                 {"unsigned_char", VtkType::uint8},
                                                                 {"char", VtkType::int8},
                                                                 {"signed_char", VtkType::int8},
                                                                 {"short", VtkType::int16},
                                                                 {"unsigned_short", VtkType::uint16},
                                                                 {"unsigned_int", VtkType::uint32},
                                                                 {"long", VtkType::int64},
                                                                 {"unsigned_long", VtkType::uint64},
                                                                 {"long_long", VtkType::int64},
                                                                 {"unsigned_long_long", VtkType::uint64},
                                                                 {"vtktypeint8", VtkType::int8},
                                                                 {"vtktypeuint8", VtkType::uint8},
                                                                 {"vtktypeint16", VtkType::int16},
                                                                 {"vtktypeuint16", VtkType::uint16},
                                                                 {"vtktypeint32", VtkType::int32},
                                                                 {"vtktypeuint32", VtkType::uint32},
                                                                 {"vtktypeint64", VtkType::int64},
                                                                 {"vtktypeuint64", VtkType::uint64}};

std::optional<int> hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// Tells numbers, `nan` and `inf` from the next section's keyword.
bool may_be_number(std::string_view word) {
  const char c = word.front();
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return !is_letter || ((c == 'n' || c == 'N' || c == 'i' || c == 'I') && word.size() <= 8);
}

}  // namespace

std::optional<VtkType> find_vtk_type(std::string_view name) {
  for (const auto& [known, type] : legacy_types)
    if (equal_ignoring_case(known, name)) return type;
  return std::nullopt;
}

std::string without_percents(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto high = text[i] == '%' && i + 2 < text.size() ? hexadecimal(text[i + 1]) : std::nullopt;
    const auto low = high ? hexadecimal(text[i + 2]) : std::nullopt;
    if (low) i += 2;
    result += low ? static_cast<char>(*high * 16 + *low) : text[i];
  }
  return result;
}

std::string_view cut_last_word(std::string_view& line) {
  line = trimmed(line);
  const auto blank = line.find_last_of(" \t");
  const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  const std::string_view word = line.substr(begin);
  line = trimmed(line.substr(0, begin));
  return word;
}

std::string_view VtkArrays::rest() const {
  Words copy = words_;
  (void)copy.bytes(0, {});
  return copy.bytes(copy.remaining(), {});
}

// A number takes two bytes with the white space behind it.
void VtkArrays::require(std::int64_t count, std::string_view what) const {
  if (count > 0 && static_cast<std::uint64_t>(count) > words_.remaining() / 2 + 1)
    words_.fail(std::string(what) + " should have " + std::to_string(count) +
                " values, more than the file can hold (is it cut short?)");
}

std::string_view VtkArrays::binary(VtkType type, std::int64_t count, std::string_view what) {
  if (count < 0 || static_cast<std::uint64_t>(count) > std::numeric_limits<std::size_t>::max() / size_of(type))
    words_.fail(std::string(what) + " can't have " + std::to_string(count) + " values");
  return words_.bytes(static_cast<std::size_t>(count) * size_of(type), what);
}

std::vector<double> VtkArrays::numbers(VtkType type, std::int64_t count, std::string_view what) {
  std::vector<double> values;
  if (is_binary_) {
    append_numbers(binary(type, count, what), type, swap_vtk_bytes, values);
    return values;
  }
  require(count, what);
  values.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto word = words_.next();
    if (word.empty()) words_.fail("the file ends within " + std::string(what) + " (is it cut short?)");
    const auto value = parse_number(word);
    if (!value && !may_be_number(word))
      words_.fail(std::string(what) + " should have " + std::to_string(count) + " numbers; here is " + quote(word));
    values.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return values;
}

std::vector<std::int64_t> VtkArrays::integers(VtkType type, std::int64_t count, std::string_view what,
                                              std::vector<std::int64_t>* lines) {
  std::vector<std::int64_t> values;
  if (is_binary_) {
    append_numbers(binary(type, count, what), type, swap_vtk_bytes, values);
    return values;
  }
  require(count, what);
  values.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(words_.integer(what));
    if (lines != nullptr) lines->push_back(words_.line());
  }
  return values;
}

void VtkArrays::skip(const VtkArrayHead& head) {
  const std::string what = "array " + quote(head.name);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / std::max<std::int64_t>(head.components, 1);
  if (head.components < 0 || head.tuples < 0 || head.tuples > most) words_.fail(what + " can't have such a size");
  const std::int64_t count = head.components * head.tuples;
  if (equal_ignoring_case(head.type, "string") || equal_ignoring_case(head.type, "utf8_string"))
    return skip_strings(head, count);
  const bool is_bits = equal_ignoring_case(head.type, "bit");
  const auto type = is_bits ? VtkType::uint8 : find_vtk_type(head.type);
  if (!type) words_.fail(what + " is of the type " + quote(head.type) + ", which isn't known");
  if (is_binary_) {
    (void)binary(*type, is_bits ? count / 8 + (count % 8 != 0) : count, what);
    return;
  }
  require(count, what);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto word = words_.next();
    if (word.empty()) words_.fail("the file ends within " + what + " (is it cut short?)");
    if (!may_be_number(word))
      words_.fail(what + " should have " + std::to_string(count) + " numbers; here is " + quote(word));
  }
}

// As text, a string is a line; binary, its length stands before it in 1, 2, 4 or 8 bytes, whose first two bits say
// which.
void VtkArrays::skip_strings(const VtkArrayHead& head, std::int64_t count) {
  const std::string what = "array " + quote(head.name);
  if (!is_binary_) {
    require(count, what);
    (void)words_.rest_of_line();
    for (std::int64_t i = 0; i < count; ++i) {
      (void)words_.bytes(0, what);
      (void)words_.rest_of_line();
    }
    return;
  }
  const std::string_view data = rest();
  std::size_t at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    constexpr std::size_t sizes[] = {8, 4, 2, 1};
    const std::size_t bytes = at < data.size() ? sizes[static_cast<unsigned char>(data[at]) >> 6U] : 1;
    if (bytes > data.size() - at) words_.fail("the file ends within " + what + " (is it cut short?)");
    std::uint64_t length = static_cast<unsigned char>(data[at]) & 0x3FU;
    for (std::size_t b = 1; b < bytes; ++b) length = length << 8U | static_cast<unsigned char>(data[at + b]);
    at += bytes;
    if (length > data.size() - at) words_.fail("the file ends within " + what + " (is it cut short?)");
    at += static_cast<std::size_t>(length);
  }
  (void)words_.bytes(at, what);
}

}  // namespace quartic::io
