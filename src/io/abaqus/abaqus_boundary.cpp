#include "io/abaqus/abaqus_boundary.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

struct NamedBoundary {
  std::string_view name;
  unsigned directions;
};
constexpr unsigned ux = 1, uy = 2, uz = 4, turns_x = 8, turns_y = 16, turns_z = 32;
// XSYMM is symmetric about a plane with normal x, XASYMM antisymmetric.
constexpr NamedBoundary named_boundaries[] = {{"ENCASTRE", ux | uy | uz | turns_x | turns_y | turns_z},
                                              {"PINNED", ux | uy | uz},
                                              {"XSYMM", ux | turns_y | turns_z},
                                              {"YSYMM", uy | turns_x | turns_z},
                                              {"ZSYMM", uz | turns_x | turns_y},
                                              {"XASYMM", uy | uz | turns_x},
                                              {"YASYMM", ux | uz | turns_y},
                                              {"ZASYMM", ux | uy | turns_z},
                                              {"NOWARP", 0},
                                              {"NOOVAL", 0},
                                              {"NODEFORM", 0}};

}  // namespace

// Directions 1 to 3 are displacements, 4 to 6 rotations, which reference nodes have. Others are of another physics: 0
// and 11 are temperatures in CalculiX, 8 is a pressure in Abaqus, and so on.
FixedDirections read_fixed_directions(const Deck& deck, DataFields& fields) {
  std::string_view field, last;
  if (!fields.next(field)) deck.fail("*BOUNDARY needs a direction after the node or the set");
  const std::string name = abaqus_key(field);
  for (const auto& known : named_boundaries)
    if (known.name == name) return {known.directions, false};
  const auto first = parse_integer(field);
  if (!first || *first < 0) deck.fail("*BOUNDARY: " + quote(field) + " is neither a direction nor a known name");
  auto end = first;
  if (fields.next(last) && !last.empty()) end = parse_integer(last);
  if (!end) deck.fail("*BOUNDARY: " + quote(last) + " is not a direction");
  if (*end < *first)
    deck.fail("*BOUNDARY: the last direction, " + std::to_string(*end) + ", comes before the first, " +
              std::to_string(*first));
  FixedDirections fixed;
  for (std::int64_t d = std::max<std::int64_t>(*first, 1); d <= std::min<std::int64_t>(*end, 6); ++d)
    fixed.directions |= 1U << (d - 1);
  if (fixed.directions == 0 || !fields.next(field)) return fixed;
  const auto value = field.empty() ? 0 : parse_number(field);
  if (!value) deck.fail("*BOUNDARY: " + quote(field) + " is not a number");
  return *value == 0 ? fixed : FixedDirections{0, true};
}

bool is_of_elsewhere(const Keyword& boundary) {
  return boundary.find("USER") != nullptr || boundary.find("SUBMODEL") != nullptr ||
         boundary.find("MASSFLOW") != nullptr;
}

}  // namespace quartic::io
