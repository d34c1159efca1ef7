#include "io/vtk/vtk_attributes.hpp"

#include <algorithm>
#include <iterator>

#include "io/text/text.hpp"
#include "io/vtk/vtk_regions.hpp"

namespace quartic::io {
namespace {

/// Attributes that are named in the file by what they are for.
struct Attribute {
  std::string_view keyword;
  std::int64_t components;  // 0: the line says it
};
constexpr Attribute attributes[] = {{"SCALARS", 0},    {"VECTORS", 3},      {"NORMALS", 3},
                                    {"TENSORS", 9},    {"TENSORS6", 6},     {"TEXTURE_COORDINATES", 0},
                                    {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}, {"EDGE_FLAGS", 1}};
constexpr std::string_view sections[] = {"DATASET",   "POINTS",     "CELLS", "CELL_TYPES",
                                         "CELL_DATA", "POINT_DATA", "FIELD"};

const Attribute* find_attribute(std::string_view keyword) {
  const auto* const found = std::find_if(std::begin(attributes), std::end(attributes), [keyword](const Attribute& a) {
    return equal_ignoring_case(a.keyword, keyword);
  });
  return found == std::end(attributes) ? nullptr : found;
}

}  // namespace

bool VtkAttributes::read_section(std::string_view keyword) {
  if (equal_ignoring_case(keyword, "POINT_DATA")) {
    read_data(Of::points);
  } else if (equal_ignoring_case(keyword, "CELL_DATA")) {
    read_data(Of::cells);
  } else if (equal_ignoring_case(keyword, "FIELD")) {
    read_fields();
  } else if (equal_ignoring_case(keyword, "METADATA")) {
    skip_metadata();
  } else {
    return owner_ != Of::file && (read_colours(keyword) || read_attribute(keyword));
  }
  return true;
}

void VtkAttributes::read_data(Of owner) {
  owner_ = owner;
  tuples_ = words_.count("the number of points or cells with data");
  const std::int64_t expected = owner == Of::points ? std::ssize(grid_.points) / 3 : std::ssize(grid_.ends);
  if (tuples_ != expected)
    mesh_.warn(std::string(owner == Of::points ? "POINT_DATA" : "CELL_DATA") + " are for " + std::to_string(tuples_) +
               ", but the file has " + std::to_string(expected) + ": they are skipped");
}

std::int64_t VtkAttributes::number(std::string_view text, std::string_view what) const {
  const auto value = parse_integer(text);
  if (!value || *value < 0) words_.fail(std::string(what) + " should be a whole number, not " + quote(text));
  return *value;
}

// Colours: as text from 0 to 1, in binary as bytes.
bool VtkAttributes::read_colours(std::string_view keyword) {
  const bool is_table = equal_ignoring_case(keyword, "LOOKUP_TABLE");
  if (!is_table && !equal_ignoring_case(keyword, "COLOR_SCALARS")) return false;
  VtkArrayHead head{.name = {}, .type = arrays_.is_binary() ? "unsigned_char" : "float", .components = 4};
  std::string_view line = words_.rest_of_line();
  const std::int64_t last = number(cut_last_word(line), is_table ? "a table's size" : "a colour's size");
  head.tuples = is_table ? last : tuples_;
  if (!is_table) head.components = last;
  head.name = without_percents(line);
  arrays_.skip(head);
  return true;
}

bool VtkAttributes::read_attribute(std::string_view keyword) {
  const Attribute* attribute = find_attribute(keyword);
  if (attribute == nullptr) return false;
  VtkArrayHead head{.name = {}, .type = {}, .components = attribute->components, .tuples = tuples_};
  std::string_view line = words_.rest_of_line();
  if (equal_ignoring_case(keyword, "SCALARS")) {  // name, type and perhaps the number of components
    std::string_view rest = line;
    const auto components = parse_integer(cut_last_word(rest));
    head.components = components.value_or(1);
    if (components) line = rest;
  }
  head.type = cut_last_word(line);
  if (head.components == 0) head.components = number(cut_last_word(line), "the dimension of texture coordinates");
  head.name = without_percents(line);
  if (equal_ignoring_case(keyword, "SCALARS") && equal_ignoring_case(words_.peek(), "LOOKUP_TABLE")) {
    (void)words_.next();
    (void)words_.rest_of_line();
  }
  read_array(head);
  return true;
}

void VtkAttributes::read_fields() {
  std::string_view line = words_.rest_of_line();
  const std::int64_t count = number(cut_last_word(line), "the number of arrays of FIELD");
  for (std::int64_t i = 0; i < count; ++i) {
    while (equal_ignoring_case(words_.peek(), "METADATA")) {
      (void)words_.next();
      skip_metadata();
    }
    const std::string_view first = words_.next();
    if (first.empty()) words_.fail("the file ends within FIELD (is it cut short?)");
    if (first == "NULL_ARRAY") continue;
    const std::string_view rest = words_.rest_of_line();
    line = {first.data(),
            rest.empty() ? first.size() : static_cast<std::size_t>(rest.data() + rest.size() - first.data())};
    VtkArrayHead head;
    head.type = cut_last_word(line);
    head.tuples = number(cut_last_word(line), "an array's number of rows");
    head.components = number(cut_last_word(line), "an array's number of columns");
    head.name = without_percents(line);
    read_array(head);
  }
}

// Keeps what the mesh has a use for.
void VtkAttributes::read_array(const VtkArrayHead& head) {
  const auto type = find_vtk_type(head.type);
  const bool is_byte = type == VtkType::int8 || type == VtkType::uint8;
  if (owner_ == Of::file) mesh_.add_field_data(head.name);
  if (type && head.components == 1 && owner_ == Of::cells && is_kept_cell_array(head.name)) {
    grid_.cell_arrays.push_back({head.name, arrays_.numbers(*type, head.tuples, "array " + quote(head.name))});
  } else if (type && head.components == 1 && owner_ == Of::points && is_byte) {
    grid_.point_arrays.push_back({head.name, arrays_.numbers(*type, head.tuples, "array " + quote(head.name))});
  } else {
    arrays_.skip(head);
  }
}

// Lines up to a blank one; where that is missing, up to the next section.
void VtkAttributes::skip_metadata() {
  (void)words_.rest_of_line();
  while (true) {
    const Words before = words_;
    (void)words_.bytes(0, {});
    std::string_view line = words_.rest_of_line();
    if (line.empty()) return;
    const std::string_view first = Fields(line).next();
    const bool is_section = std::any_of(std::begin(sections), std::end(sections), [first](std::string_view section) {
      return equal_ignoring_case(section, first);
    });
    if (!is_section || !parse_integer(line.substr(line.find_last_of(" \t") + 1))) continue;
    words_ = before;
    return;
  }
}

}  // namespace quartic::io
