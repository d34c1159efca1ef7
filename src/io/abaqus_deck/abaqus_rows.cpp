#include "io/abaqus_deck/abaqus_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

[[noreturn]] void fail_field(const Deck& deck, const std::string& subject, int field, std::string_view text,
                             const char* wanted) {
  deck.fail(subject + ", field " + std::to_string(field) + ": " +
            (text.empty() ? std::string("a field without text") : quote(text)) + " is not " + wanted);
}

std::int64_t read_id(const Deck& deck, DataFields& fields, const char* noun) {
  std::string_view field;
  fields.next(field);
  const auto id = parse_integer(field);
  if (!id || *id < 1) fail_field(deck, std::string("a ") + noun + "'s row", 1, field, "a number from 1 on");
  return *id;
}

void add_range(std::vector<IndexRange>& ranges, std::int64_t begin, std::int64_t end) {
  if (begin == end) return;
  if (!ranges.empty() && ranges.back().end == begin) {
    ranges.back().end = end;
  } else {
    ranges.push_back({begin, end});
  }
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

// Behind the coordinates, a node may have a normal for shells, which a decimal comma also looks like.
std::array<double, 3> read_position(const Deck& deck, DataFields& fields, std::int64_t id) {
  std::array<double, 6> numbers{};
  std::string_view field;
  while (fields.next(field)) {
    const auto i = static_cast<std::size_t>(fields.count()) - 2;
    if (i >= numbers.size()) deck.fail("node " + std::to_string(id) + " has more than three coordinates and a normal");
    if (field.empty()) continue;
    const auto value = parse_number(field);
    if (!value) fail_field(deck, "node " + std::to_string(id), fields.count(), field, "a number");
    if (i > 2 && !(std::abs(*value) <= 1))
      deck.fail("node " + std::to_string(id) + " has more than three coordinates (are there decimal commas?)");
    numbers[i] = *value;
  }
  return {numbers[0], numbers[1], numbers[2]};
}

void add_node(const Deck& deck, AbaqusPart& part, std::int64_t id, const std::array<double, 3>& position) {
  if (part.nodes.add(id)) {
    part.node_ids.push_back(id);
    part.positions.insert(part.positions.end(), position.begin(), position.end());
    return;
  }
  const auto* const before = part.positions.data() + 3 * part.nodes.find(id);
  if (!std::equal(position.begin(), position.end(), before))
    deck.fail("node " + std::to_string(id) + " is defined a second time, elsewhere");
}

// ---- elements -------------------------------------------------------------------------------------------------------

ElementRows& rows_of_type(AbaqusPart& part, const std::string& name) {
  if (!part.rows.empty() && part.rows.back().type_name == name) return part.rows.back();
  ElementRows& rows = part.rows.emplace_back();
  rows.type_name = name;
  rows.type = abaqus_type(name);
  rows.elements = {part.elements.count(), part.elements.count()};
  return rows;
}

std::int64_t begin_element(const Deck& deck, DataFields& fields, AbaqusPart& part, ElementRows& rows) {
  const auto id = read_id(deck, fields, "element");
  if (!part.elements.add(id)) deck.fail("element " + std::to_string(id) + " is defined a second time");
  part.element_ids.push_back(id);
  rows.places.push_back(deck.place());
  ++rows.elements.end;
  return id;
}

// A row ends with its last node; one that goes on has a comma at the line's end, but not all programs write it where
// no line could hold all nodes.
void read_solid(Deck& deck, DataFields& fields, std::int64_t id, ElementRows& rows) {
  const int width = element_vertex_count(*rows.type.shape);
  constexpr int width_of_several_lines = 15;
  const auto subject = [&] { return "element " + std::to_string(id) + " (" + rows.type_name + ")"; };
  std::string_view field, line;
  for (int n = 0; n < width;) {
    if (!fields.next(field)) {
      const bool goes_on = fields.ended_with_comma() || width >= width_of_several_lines;
      if (!goes_on || !deck.next_data(line))
        deck.fail(rows.places.back(),
                  subject() + " has " + std::to_string(n) + " nodes instead of " + std::to_string(width));
      fields = DataFields(line);
      continue;
    }
    const auto node = parse_integer(field);
    if (!node) fail_field(deck, subject(), fields.count(), field, "a node's number");
    rows.nodes.push_back(*node);
    ++n;
  }
  while (fields.next(field))
    if (!field.empty()) deck.fail(subject() + " has more than " + std::to_string(width) + " nodes: " + quote(field));
}

// Of elements that aren't in the mesh, the nodes are for sets. They may be those of several instances, or missing.
void read_other(Deck& deck, DataFields& fields, ElementRows& rows) {
  std::string_view field, line;
  constexpr int short_row = 8;  // fields; not all programs end rows without a comma
  while (true) {
    while (fields.next(field))
      if (const auto node = parse_integer(field)) rows.nodes.push_back(*node);
    if (!fields.ended_with_comma() || fields.count() < short_row || !deck.next_data(line)) break;
    fields = DataFields(line);
  }
  rows.ends.push_back(rows.nodes.size());
}

// ---- sets -----------------------------------------------------------------------------------------------------------

void read_generated(const Deck& deck, DataFields& fields, SetPiece& piece) {
  std::array<std::int64_t, 3> numbers{};
  std::string_view field;
  int count = 0;
  while (fields.next(field)) {
    if (field.empty()) continue;
    const auto value = parse_integer(field);
    if (!value || count == 3) fail_field(deck, "GENERATE", fields.count(), field, "one of: first, last, step");
    numbers[static_cast<std::size_t>(count++)] = *value;
  }
  if (count == 0) return;
  GeneratedIds ids{numbers[0], count > 1 ? numbers[1] : numbers[0], count > 2 ? numbers[2] : 1};
  if (ids.step < 1 || ids.last < ids.first) deck.fail("GENERATE takes a first number, a last one and a step from 1 on");
  piece.generated.push_back(ids);
}

}  // namespace

void read_abaqus_nodes(Deck& deck, const Keyword& keyword, AbaqusPart& part) {
  if (const auto* const system = keyword.find("SYSTEM"); system != nullptr && abaqus_key(*system) != "R")
    deck.fail(keyword.place, "*NODE with SYSTEM=" + *system + " can't be read; write rectangular coordinates");
  if (const auto* const file = keyword.find("INPUT")) deck.include(*file);
  std::vector<std::int64_t> repeated;
  const auto begin = part.nodes.count();
  std::string_view line;
  while (deck.next_data(line)) {
    DataFields fields(line);
    const auto id = read_id(deck, fields, "node");
    const auto before = part.nodes.count();
    add_node(deck, part, id, read_position(deck, fields, id));
    if (part.nodes.count() == before) repeated.push_back(id);
  }
  if (const auto* const name = keyword.find("NSET")) {
    AbaqusSet& set = part.node_sets.get(*name);
    add_range(set.rows, begin, part.nodes.count());
    for (const auto id : repeated) add_range(set.rows, part.nodes.find(id), part.nodes.find(id) + 1);
  }
}

void read_abaqus_elements(Deck& deck, const Keyword& keyword, AbaqusPart& part) {
  const std::string name = abaqus_keyword(deck.required(keyword, "TYPE"));
  ElementRows& rows = rows_of_type(part, name);
  if (rows.type.is_solid && !rows.type.shape)
    deck.fail(keyword.place,
              "elements of type " + quote(name) +
                  " can't be read; solids of 4, 5, 6, 8, 10, 15 and 20 nodes can (C3D4, C3D5, ..., C3D20)");
  if (const auto* const file = keyword.find("INPUT")) deck.include(*file);
  const auto begin = part.elements.count();
  std::string_view line;
  while (deck.next_data(line)) {
    DataFields fields(line);
    const auto id = begin_element(deck, fields, part, rows);
    rows.type.shape ? read_solid(deck, fields, id, rows) : read_other(deck, fields, rows);
  }
  if (const auto* const set = keyword.find("ELSET"))
    add_range(part.element_sets.get(*set).rows, begin, part.elements.count());
}

void read_abaqus_set(Deck& deck, const Keyword& keyword, SetPiece& piece) {
  piece.place = keyword.place;
  if (const auto* const set = keyword.find("ELSET"); set != nullptr && keyword.name == "NSET") piece.nodes_of = *set;
  const bool is_generated = keyword.find("GENERATE") != nullptr;
  std::string_view line, field;
  while (deck.next_data(line)) {
    DataFields fields(line);
    if (is_generated) {
      read_generated(deck, fields, piece);
      continue;
    }
    while (fields.next(field)) {
      if (field.empty()) continue;
      if (const auto id = parse_integer(field)) {
        piece.ids.push_back(*id);
      } else {
        piece.names.emplace_back(unquoted(field));
      }
    }
  }
}

}  // namespace quartic::io
