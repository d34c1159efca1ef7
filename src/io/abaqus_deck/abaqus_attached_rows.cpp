#include "io/abaqus_deck/abaqus_attached_rows.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

// The first number below the keyword, or nothing.
std::optional<double> mass_below(Deck& deck) {
  std::string_view line, field;
  if (!deck.next_data(line)) return std::nullopt;
  DataFields fields(line);
  fields.next(field);
  return parse_number(field);
}

bool are_directions(const std::vector<std::string>& row) {
  constexpr std::size_t most_ends = 2;
  return row.size() <= most_ends && std::ranges::all_of(row, [](const std::string& text) {
           const auto direction = parse_integer(text);
           return direction && *direction >= 1 && *direction <= 6;
         });
}

// Without lines that are empty.
std::vector<std::vector<std::string>> rows_below(Deck& deck) {
  std::vector<std::vector<std::string>> rows;
  std::string_view line, field;
  while (deck.next_data(line)) {
    DataFields fields(line);
    auto& row = rows.emplace_back();
    while (fields.next(field)) row.emplace_back(field);
  }
  std::erase_if(rows, [](const auto& row) {
    return std::ranges::all_of(row, [](const std::string& text) { return text.empty(); });
  });
  return rows;
}

}  // namespace

void read_abaqus_mass(Deck& deck, const Keyword& keyword, AbaqusPart& part, const std::string& prefix, LeftOut& left) {
  const auto* const elset = keyword.find("ELSET");
  const std::optional<double> mass = mass_below(deck);
  if (elset == nullptr || !mass) return left.add(keyword.place, keyword.shown, "its mass is missing");
  part.masses.push_back({keyword.shown, prefix + *elset, *mass, keyword.place});
}

void read_abaqus_nonstructural_mass(Deck& deck, const Keyword& keyword, AbaqusPart& part, LeftOut& left) {
  const auto* const units = keyword.find("UNITS");
  const std::optional<double> mass = mass_below(deck);
  if (units == nullptr || abaqus_keyword(*units) != "TOTALMASS" || !mass)
    return left.add(keyword.place, keyword.shown, "its mass is missing");
  part.masses.push_back({keyword.shown, "", *mass, keyword.place});
}

void read_abaqus_rotary_inertia(Deck& deck, const Keyword& keyword, AbaqusPart& part, LeftOut& left) {
  const auto* const elset = keyword.find("ELSET");
  AbaqusInertia inertia{keyword.shown, elset == nullptr ? "" : *elset, {}, keyword.place};
  std::string_view line, field;
  const bool has_line = deck.next_data(line);
  DataFields fields(line);
  for (double& value : inertia.tensor)
    if (has_line && fields.next(field)) value = deck.number(field, keyword.shown);
  if (elset == nullptr || !has_line || keyword.find("ORIENTATION") != nullptr)
    return left.add(keyword.place, keyword.shown,
                    "its inertia is missing: moments along global axes, outside of parts, can be read");
  part.inertias.push_back(std::move(inertia));
}

// A line of directions, which CalculiX and Abaqus want empty or not at all along the element, then one that begins with
// the stiffness. Two such lines are a table over temperature or frequency.
void read_abaqus_spring(Deck& deck, const Keyword& keyword, AbaqusPart& part, const std::string& prefix,
                        LeftOut& left) {
  const auto* const elset = keyword.find("ELSET");
  const bool is_plain =
      std::ranges::all_of(keyword.parameters, [](const auto& parameter) { return parameter.first == "ELSET"; });
  const std::vector<std::vector<std::string>> lines = rows_below(deck);
  const auto stiffness = lines.empty() ? std::nullopt : parse_number(lines.back().front());
  const bool is_one = lines.size() == 1 || (lines.size() == 2 && are_directions(lines.front()));
  if (elset == nullptr || !stiffness || !is_one || !is_plain)
    return left.add(keyword.place, keyword.shown,
                    "its stiffness is missing: one stiffness of a set, along global directions, can be read");
  if (!(*stiffness >= 0)) deck.fail(keyword.place, "*SPRING has a stiffness below 0");
  AbaqusSpring spring{keyword.shown, prefix + *elset, {}, *stiffness, keyword.place};
  if (lines.size() == 2)
    for (const std::string& text : lines.front()) spring.directions.push_back(parse_integer(text).value_or(0));
  part.springs.push_back(std::move(spring));
}

}  // namespace quartic::io
