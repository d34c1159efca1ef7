// VegaFEM text meshes (.veg), reading.
//
// Sections start with a directive: *VERTICES, *ELEMENTS (several, of different types), *MATERIAL, *SET (of elements),
// *REGION (set, material), in any order; *INCLUDE puts another file's lines in its place. Ids are the file's own.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/text/including_lines.hpp"
#include "io/text/numbering.hpp"
#include "io/text/text.hpp"
#include "io/vega/vega_formats.hpp"
#include "io/vega/vega_materials.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view all_elements = "allElements";

/// One *ELEMENTS section: ids as in the file.
struct ElementSection {
  ElementType type{};
  Numbering elements;
  std::vector<std::int64_t> vertex_ids;  // shape (count, vertices per element)
  std::vector<std::int64_t> element_ids;
  std::vector<Place> places;
};

struct MaterialSection {
  std::string kind;
  std::optional<Material> material;  // of the kinds ENU and MOONEYRIVLIN
  Place place;
};

struct SetSection {
  std::vector<std::int64_t> element_ids;
  std::vector<Place> places;
};

struct RegionLine {
  std::string set;
  std::string material;
  Place place;
};

struct ElementKind {
  std::string_view keyword;
  ElementType type;
};
constexpr ElementKind element_kinds[] = {
    {"TET", ElementType::tet4}, {"TETS", ElementType::tet4}, {"CUBIC", ElementType::hex8}, {"CUBE", ElementType::hex8}};

std::string_view element_noun(ElementType type) {
  return type == ElementType::tet4 ? "tetrahedron" : "hexahedron";
}

/// Lines with those of *INCLUDEs in their places, parted into sections.
class VegLines : public IncludingLines {
 public:
  using IncludingLines::IncludingLines;

  /// The next line, or false at the end.
  bool next(std::string_view& line) {
    if (std::exchange(pending_, false)) {
      line = last_;
      return true;
    }
    while (IncludingLines::next(line)) {
      last_ = line;
      if (!equal_ignoring_case(Fields(line).next(), directive)) return true;
      include(trimmed(line.substr(directive.size())));
    }
    return false;
  }

  /// The next line if it belongs to the section, that is unless a directive starts there.
  bool next_in_section(std::string_view& line) {
    if (!next(line)) return false;
    pending_ = line.front() == '*';
    return !pending_;
  }

 private:
  static constexpr std::string_view directive = "*INCLUDE";

  std::string_view last_;
  bool pending_ = false;
};

class VegReader {
 public:
  explicit VegReader(const MeshFile& file) : lines_(file) {}

  VolumeMesh read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (line.front() != '*') lines_.fail("expected a directive such as *VERTICES, found " + quote(line));
      const std::string_view keyword = Fields(line).next();
      const std::string_view argument = trimmed(line.substr(keyword.size()));
      if (equal_ignoring_case(keyword, "*VERTICES")) {
        read_vertices();
      } else if (equal_ignoring_case(keyword, "*ELEMENTS")) {
        read_elements();
      } else if (equal_ignoring_case(keyword, "*MATERIAL")) {
        read_material(argument);
      } else if (equal_ignoring_case(keyword, "*SET")) {
        read_set(argument);
      } else if (equal_ignoring_case(keyword, "*REGION")) {
        read_regions();
      } else {
        mesh_.warnings.push_back("line " + std::to_string(lines_.place().line) + ": the section " + quote(keyword) +
                                 " isn't known and was skipped");
        while (lines_.next_in_section(line)) {
        }
      }
    }
    if (!vertices_read_) lines_.fail_whole_file("there is no *VERTICES section");
    if (sections_.empty()) lines_.fail_whole_file("there is no *ELEMENTS section");
    collect_elements();
    assign_regions();
    mesh_.source_files = lines_.included_files();
    return std::move(mesh_);
  }

 private:
  std::int64_t integer(std::string_view field, const char* what) const {
    const auto value = parse_integer(field);
    if (!value || *value < 0) lines_.fail(std::string(what) + " should be a number from 0 on, found " + quote(field));
    return *value;
  }

  /// The line `count numbers-per-row attributes markers` that opens the rows of a section.
  struct Header {
    std::int64_t count = 0;
    std::int64_t further_fields = 0;  // attributes and markers, which nothing here needs
  };

  Header read_header(const char* rows, int numbers_per_row) {
    std::string_view line;
    if (!lines_.next_in_section(line)) lines_.fail(std::string("the file ends before the number of ") + rows);
    Fields fields(line);
    Header header{integer(fields.next(), rows)};
    if (const auto width = fields.next(); !width.empty() && integer(width, "the second number") != numbers_per_row)
      lines_.fail(std::string(rows) + " should have " + std::to_string(numbers_per_row) +
                  " numbers each, but the header says " + std::string(width));
    for (auto field = fields.next(); !field.empty(); field = fields.next())
      header.further_fields += std::min(integer(field, "a count"), std::int64_t{1000});
    return header;
  }

  // A row with more fields than announced is no row of this section, or its numbers have decimal commas.
  void check_row_end(Fields& fields, const Header& header, std::string_view entity, std::int64_t id) const {
    std::int64_t further = 0;
    while (!fields.next().empty()) ++further;
    if (further > header.further_fields)
      lines_.fail(std::string(entity) + " " + std::to_string(id) + " has more numbers than the header announces");
  }

  void read_vertices() {
    if (std::exchange(vertices_read_, true)) lines_.fail("a second *VERTICES section");
    const Header header = read_header("vertices", 3);
    const auto count = header.count;
    mesh_.vertices.reserve(3 * std::min(static_cast<std::size_t>(count), lines_.possible_rows(8)));
    std::string_view line;
    while (lines_.next_in_section(line)) {
      Fields fields(line);
      const auto id = integer(fields.next(), "a vertex's index");
      if (vertices_.count() == count) fail_too_many("vertices", count);
      if (!vertices_.add(id)) lines_.fail("vertex " + std::to_string(id) + " is defined a second time");
      for (int c = 0; c < 3; ++c) {
        const auto field = fields.next();
        const auto value = parse_number(field);
        if (!value) fail_number("vertex", id, field, "coordinates", c, 3);
        mesh_.vertices.push_back(*value);
      }
      check_row_end(fields, header, "vertex", id);
    }
    if (vertices_.count() != count) fail_too_few("vertices", count, vertices_.count());
  }

  void read_elements() {
    std::string_view line;
    if (!lines_.next_in_section(line)) lines_.fail("*ELEMENTS: the type (TET or CUBIC) is missing");
    const auto* kind = std::find_if(std::begin(element_kinds), std::end(element_kinds),
                                    [&](const auto& k) { return equal_ignoring_case(line, k.keyword); });
    if (kind == std::end(element_kinds))
      lines_.fail("elements of type " + quote(line) + " can't be read; TET and CUBIC can");
    ElementSection& section = sections_.emplace_back();
    section.type = kind->type;
    const int width = element_vertex_count(section.type);
    const Header header = read_header("elements", width);
    const auto count = header.count;
    const auto expected = std::min(static_cast<std::size_t>(count), lines_.possible_rows(8));
    section.vertex_ids.reserve(expected * static_cast<std::size_t>(width));
    section.element_ids.reserve(expected);
    section.places.reserve(expected);
    while (lines_.next_in_section(line)) {
      Fields fields(line);
      const auto id = integer(fields.next(), "an element's index");
      if (section.elements.count() == count) fail_too_many("elements", count);
      if (!section.elements.add(id)) lines_.fail("element " + std::to_string(id) + " is defined a second time");
      for (int a = 0; a < width; ++a) {
        const auto field = fields.next();
        const auto vertex = parse_integer(field);
        if (!vertex) fail_number(element_noun(section.type), id, field, "vertices", a, width);
        section.vertex_ids.push_back(*vertex);
      }
      check_row_end(fields, header, element_noun(section.type), id);
      section.element_ids.push_back(id);
      section.places.push_back(lines_.place());
    }
    if (section.elements.count() != count) fail_too_few("elements", count, section.elements.count());
  }

  [[noreturn]] void fail_number(std::string_view entity, std::int64_t id, std::string_view field, const char* numbers,
                                int found, int wanted) const {
    const std::string subject = std::string(entity) + " " + std::to_string(id);
    if (field.empty())
      lines_.fail(subject + " has " + std::to_string(found) + " " + numbers + " instead of " + std::to_string(wanted));
    lines_.fail(subject + ": " + quote(field) + " is not a number");
  }

  [[noreturn]] void fail_too_many(const char* rows, std::int64_t count) const {
    lines_.fail("there are more rows than the " + std::to_string(count) + " " + rows + " that the header announces");
  }
  [[noreturn]] void fail_too_few(const char* rows, std::int64_t count, std::int64_t found) const {
    lines_.fail("the header announces " + std::to_string(count) + " " + rows + ", but there are only " +
                std::to_string(found) + " (is the file cut short?)");
  }

  void read_material(std::string_view name) {
    if (name.empty()) lines_.fail("*MATERIAL needs a name");
    MaterialSection section;
    section.place = lines_.place();
    std::vector<double> numbers;
    std::string_view line;
    while (lines_.next_in_section(line)) {
      Fields fields(line);
      if (section.kind.empty()) {
        section.kind = fields.next();
        section.place = lines_.place();
      }
      if (!equal_ignoring_case(section.kind, "ENU") && !equal_ignoring_case(section.kind, "MOONEYRIVLIN"))
        continue;  // refused if a region uses it
      for (auto field = fields.next(); !field.empty(); field = fields.next()) {
        const auto value = parse_number(field);
        if (!value) lines_.fail("material " + quote(name) + ": " + quote(field) + " is not a number");
        numbers.push_back(*value);
      }
    }
    if (section.kind.empty()) lines_.fail(section.place, "material " + quote(name) + " has no values");
    if (equal_ignoring_case(section.kind, "ENU")) {
      if (numbers.size() != 3)
        lines_.fail(section.place, "material " + quote(name) + " has " + std::to_string(numbers.size()) +
                                       " numbers; ENU takes density, Young's modulus and Poisson's ratio");
      section.material = Material{.youngs_modulus = numbers[1], .poissons_ratio = numbers[2], .density = numbers[0]};
    } else if (equal_ignoring_case(section.kind, "MOONEYRIVLIN")) {
      if (numbers.size() != 4)
        lines_.fail(section.place, "material " + quote(name) + " has " + std::to_string(numbers.size()) +
                                       " numbers; MOONEYRIVLIN takes density, mu01, mu10 and v1");
      section.material = vega_mooney_rivlin(numbers, "material " + quote(name));
    }
    if (!materials_.emplace(name, section).second) lines_.fail(section.place, "a second material named " + quote(name));
  }

  void read_set(std::string_view name) {
    if (name.empty()) lines_.fail("*SET needs a name");
    const auto [set, is_new] = sets_.try_emplace(std::string(name));
    if (!is_new) lines_.fail("a second set named " + quote(name));
    std::string_view line;
    while (lines_.next_in_section(line)) {
      Fields fields(line);
      for (auto field = fields.next(); !field.empty(); field = fields.next()) {
        const auto id = parse_integer(field);
        if (!id) lines_.fail("set " + quote(name) + ": " + quote(field) + " is not an element's index");
        set->second.element_ids.push_back(*id);
        set->second.places.push_back(lines_.place());
      }
    }
  }

  void read_regions() {
    const Place start = lines_.place();
    std::string_view line;
    bool found = false;
    while (lines_.next_in_section(line)) {
      auto split = line.find(',');  // names may hold blanks where a comma parts them
      if (split == std::string_view::npos) split = line.find_first_of(" \t");
      if (split == std::string_view::npos) lines_.fail("*REGION needs a set and a material, found " + quote(line));
      const auto set = trimmed(line.substr(0, split));
      auto material = trimmed(line.substr(split + 1));
      while (material.ends_with(',')) material = trimmed(material.substr(0, material.size() - 1));
      regions_.push_back({std::string(set), std::string(material), lines_.place()});
      found = true;
    }
    if (!found) lines_.fail(start, "*REGION needs a line with a set and a material");
  }

  // Blocks in the order of types; `element_of_row` remembers where each of the file's rows went.
  void collect_elements() {
    std::array<std::int64_t, element_type_count> counts{};
    for (const ElementSection& section : sections_)
      counts[static_cast<std::size_t>(section.type)] += section.elements.count();
    std::array<std::int64_t, element_type_count> next{};
    std::int64_t total = 0;
    for (std::size_t t = 0; t < counts.size(); ++t) {
      next[t] = total;
      total += counts[t];
      if (counts[t] == 0) continue;
      ElementBlock& block = mesh_.blocks.emplace_back();
      block.type = static_cast<ElementType>(t);
      block.vertices.reserve(static_cast<std::size_t>(counts[t] * element_vertex_count(block.type)));
      for (const ElementSection& section : sections_)
        if (section.type == block.type) append_elements(section, block);
    }
    mesh_.element_region.assign(static_cast<std::size_t>(total), -1);
    element_of_row_.reserve(static_cast<std::size_t>(total));
    for (const ElementSection& section : sections_)
      for (std::int64_t e = 0; e < section.elements.count(); ++e)
        element_of_row_.push_back(next[static_cast<std::size_t>(section.type)]++);
    number_elements();
  }

  void append_elements(const ElementSection& section, ElementBlock& block) const {
    const auto width = static_cast<std::size_t>(element_vertex_count(section.type));
    for (std::size_t i = 0; i < section.vertex_ids.size(); ++i) {
      const auto vertex = vertices_.find(section.vertex_ids[i]);
      if (vertex < 0) {
        const std::size_t e = i / width;
        std::string what = std::string(element_noun(section.type)) + " " + std::to_string(section.element_ids[e]) +
                           " has vertex " + std::to_string(section.vertex_ids[i]) + ", but the file has " +
                           std::to_string(vertices_.count()) + " vertices";
        if (!vertices_.consecutive()) what += " and none of that number";
        if (vertices_.consecutive() && vertices_.first() != 1)
          what += ", counted from " + std::to_string(vertices_.first());
        lines_.fail(section.places[e], what);
      }
      block.vertices.push_back(static_cast<std::int32_t>(vertex));
    }
  }

  // What the ids in sets mean: the ids of the rows or, where sections start to count anew, a count through all of them.
  void number_elements() {
    for (const ElementSection& section : sections_)
      for (const auto id : section.element_ids)
        if (!elements_.add(id)) {
          elements_ = Numbering();
          const auto first = sections_.front().elements.first();
          for (std::int64_t row = 0; row < std::ssize(element_of_row_); ++row) elements_.add(first + row);
          return;
        }
  }

  void assign_regions() {
    std::int64_t overridden = 0;
    std::string example;
    for (const RegionLine& line : regions_) {
      const auto index = static_cast<std::int32_t>(mesh_.regions.size());
      mesh_.regions.push_back({line.set, region_material(line)});
      for (const auto element : set_elements(line)) {
        auto& region = mesh_.element_region[static_cast<std::size_t>(element)];
        if (region >= 0 && region != index) {
          if (++overridden == 1) example = mesh_.regions[static_cast<std::size_t>(region)].name + ", then " + line.set;
        }
        region = index;
      }
    }
    if (overridden > 0)
      mesh_.warnings.push_back(std::to_string(overridden) + (overridden == 1 ? " element is" : " elements are") +
                               " in more than one region; the last one in the file counts (for example " + example +
                               ")");
  }

  void warn(Place place, const std::string& what) { mesh_.warnings.push_back(lines_.text(place) + ": " + what); }

  // A material that can't be used leaves the region without one: others can be given for the whole mesh.
  std::optional<Material> region_material(const RegionLine& line) {
    const auto found = materials_.find(line.material);
    if (found == materials_.end()) {
      warn(line.place,
           "region " + quote(line.set) + " has material " + quote(line.material) + ", which the file doesn't define");
      return std::nullopt;
    }
    if (!found->second.material)
      warn(found->second.place,
           "material " + quote(line.material) + " is of kind " + quote(found->second.kind) + vega_usable_kinds);
    else if (found->second.material->law == MaterialLaw::mooney_rivlin)
      warn(found->second.place, "material " + quote(line.material) + vega_mooney_rivlin_note);
    return found->second.material;
  }

  std::vector<std::int64_t> set_elements(const RegionLine& line) const {
    std::vector<std::int64_t> elements;
    const auto found = sets_.find(line.set);
    if (found == sets_.end()) {
      if (!equal_ignoring_case(line.set, all_elements))
        lines_.fail(line.place, "region names set " + quote(line.set) + ", which the file doesn't define");
      return element_of_row_;
    }
    const SetSection& set = found->second;
    elements.reserve(set.element_ids.size());
    for (std::size_t i = 0; i < set.element_ids.size(); ++i) {
      const auto row = elements_.find(set.element_ids[i]);
      if (row < 0)
        lines_.fail(set.places[i], "set " + quote(line.set) + " has element " + std::to_string(set.element_ids[i]) +
                                       ", but the file has " + std::to_string(elements_.count()) + " elements");
      elements.push_back(element_of_row_[static_cast<std::size_t>(row)]);
    }
    return elements;
  }

  VegLines lines_;
  VolumeMesh mesh_;
  bool vertices_read_ = false;
  Numbering vertices_;
  Numbering elements_;
  std::vector<std::int64_t> element_of_row_;
  std::vector<ElementSection> sections_;
  std::map<std::string, MaterialSection, std::less<>> materials_;
  std::map<std::string, SetSection, std::less<>> sets_;
  std::vector<RegionLine> regions_;
};

// Abaqus decks start with `*` too, but have none of these directives alone on their lines.
bool recognises_veg(std::string_view content) {
  constexpr std::string_view own[] = {"*VERTICES", "*ELEMENTS", "*REGION", "*SET", "*INCLUDE"};
  for (auto star = content.find('*'); star != std::string_view::npos; star = content.find('*', star + 1)) {
    // Back to the line's start over blanks alone: binary data may have many stars and no line.
    const auto blank = content.find_last_not_of(" \t\v\f", star == 0 ? 0 : star - 1);
    const bool starts_line = star == 0 || blank == std::string_view::npos || content[blank] == '\n' ||
                             content[blank] == '\r' || (blank == 2 && content.starts_with("\xEF\xBB\xBF"));
    if (!starts_line) continue;
    const auto line = content.substr(star, content.find_first_of("\r\n", star) - star);
    const auto keyword = line.substr(0, line.find_first_of(" \t,"));
    if (trimmed(line.substr(keyword.size())).starts_with(',')) continue;
    for (const auto directive : own)
      if (equal_ignoring_case(keyword, directive)) return true;
  }
  return false;
}

VolumeMesh read_veg(const MeshFile& file) {
  return VegReader(file).read();
}

}  // namespace

const MeshFormat veg_format = {"VegaFEM (.veg)", recognises_veg, read_veg};

}  // namespace quartic::io
