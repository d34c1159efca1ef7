// Abaqus Keywords Reference Guide, *COUPLING, *KINEMATIC, *DISTRIBUTING, *KINEMATIC COUPLING, *RIGID BODY, *MPC;
// CalculiX CrunchiX User's Manual, the same.
#include "io/abaqus/abaqus_link_rows.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

constexpr unsigned displacements = 7, all_directions = 63;

AbaqusLink start_link(const Deck& deck, const Keyword& keyword, const char* reference) {
  AbaqusLink link;
  link.keyword = link.origin = keyword.shown;
  link.reference = deck.required(keyword, reference);
  link.place = keyword.place;
  return link;
}

// The directions `first, last` of what is left of a line: all where there is none.
unsigned read_range(const Deck& deck, const Keyword& keyword, DataFields& fields) {
  std::string_view first, last;
  if (!fields.next(first) || first.empty()) return all_directions;
  const auto begin = parse_integer(first);
  const auto end = fields.next(last) && !last.empty() ? parse_integer(last) : begin;
  if (!begin || !end || *begin < 1 || *end > 6 || *end < *begin)
    deck.fail(keyword.shown + " takes a first direction and a last one, from 1 to 6");
  unsigned directions = 0;
  for (auto d = *begin; d <= *end; ++d) directions |= 1U << (d - 1);
  return directions;
}

void set_trouble(AbaqusLink& link, const std::string& why) {
  if (link.trouble.empty()) link.trouble = why;
}

}  // namespace

void read_abaqus_coupling(const Deck& deck, const Keyword& keyword, AbaqusModel& model) {
  AbaqusLink link = start_link(deck, keyword, "REFNODE");
  if (const auto* const name = keyword.find("CONSTRAINTNAME")) link.origin += " " + *name;
  link.members.push_back({LinkedKind::surface, deck.required(keyword, "SURFACE"), displacements});
  if (keyword.find("INFLUENCERADIUS") != nullptr) set_trouble(link, "INFLUENCE RADIUS isn't known here");
  // Turned axes make no difference to all directions together: the kind says which.
  if (keyword.find("ORIENTATION") != nullptr) link.members.front().directions = 0;
  model.links.push_back(std::move(link));
}

void read_abaqus_coupling_kind(Deck& deck, const Keyword& keyword, AbaqusLink& link) {
  const bool has_orientation = link.members.front().directions == 0;
  link.is_mean = keyword.name == "DISTRIBUTING";
  unsigned directions = 0;
  bool has_lines = false;
  std::string_view line;
  while (deck.next_data(line)) {
    DataFields fields(line);
    directions |= read_range(deck, keyword, fields);
    has_lines = true;
  }
  if (!has_lines) directions = all_directions;
  const bool has_all = (directions & displacements) == displacements;
  if (has_orientation && !has_all) set_trouble(link, "it is about single directions of an ORIENTATION");
  link.members.front().directions = directions & displacements;
  if (!*link.is_mean) return;
  const auto* const weights = keyword.find("WEIGHTINGMETHOD");
  if (weights != nullptr && abaqus_keyword(*weights) != "UNIFORM")
    set_trouble(link, "only the WEIGHTING METHOD of UNIFORM is known here");
  const auto* const coupling = keyword.find("COUPLING");
  if (coupling != nullptr && abaqus_keyword(*coupling) != "CONTINUUM")
    set_trouble(link, "only COUPLING=CONTINUUM is known here");
  if (!has_all) set_trouble(link, "a mean motion in single directions isn't known here");
  link.has_rotations = directions == all_directions;
}

void read_abaqus_kinematic_coupling(Deck& deck, const Keyword& keyword, AbaqusModel& model) {
  AbaqusLink link = start_link(deck, keyword, "REFNODE");
  link.is_mean = false;
  if (keyword.find("ORIENTATION") != nullptr) set_trouble(link, "it has an ORIENTATION");
  std::string_view line, target;
  while (deck.next_data(line)) {
    DataFields fields(line);
    fields.next(target);
    const unsigned directions = read_range(deck, keyword, fields) & displacements;
    link.members.push_back({LinkedKind::nodes, std::string(unquoted(target)), directions});
  }
  model.links.push_back(std::move(link));
}

void read_abaqus_rigid_body(const Deck& deck, const Keyword& keyword, AbaqusModel& model) {
  AbaqusLink link = start_link(deck, keyword, "REFNODE");
  link.is_mean = false;
  for (const auto& [name, value] : keyword.parameters) {
    if (name == "ELSET") link.members.push_back({LinkedKind::elements, value, displacements});
    if (name == "NSET" || name == "PINNSET" || name == "TIENSET")
      link.members.push_back({LinkedKind::nodes, value, displacements});
    if (name == "ROTNODE") link.rotation_node = value;
    if (name == "ANALYTICALSURFACE") set_trouble(link, "an ANALYTICAL SURFACE isn't known here");
    if (name == "POSITION" && abaqus_keyword(value) != "INPUT")
      set_trouble(link, "its reference node is to go to the mass centre: give its position");
  }
  model.links.push_back(std::move(link));
}

// A first field of 0 would go on with the line before, which no type that can be read here is long enough for.
void read_abaqus_mpcs(Deck& deck, const Keyword& keyword, AbaqusModel& model) {
  if (keyword.find("INPUT") != nullptr || keyword.find("USER") != nullptr) {
    model.left_out.add(keyword.place, keyword.shown, "it stands in another file: what it joins moves on its own");
    return;
  }
  std::string_view line, field;
  while (deck.next_data(line)) {
    DataFields fields(line);
    fields.next(field);
    AbaqusMpc mpc{keyword.shown, abaqus_key(field), {}, deck.place()};
    while (fields.next(field))
      if (!field.empty()) mpc.targets.emplace_back(unquoted(field));
    if (mpc.type == "BEAM" && mpc.targets.size() < 2)
      deck.fail(keyword.shown + " of type BEAM takes nodes or sets, and then the node that they follow, not " +
                std::to_string(mpc.targets.size()) + (mpc.targets.size() == 1 ? " of them" : " nodes"));
    if (mpc.type != "BEAM") {
      model.mpcs.push_back(std::move(mpc));
      continue;
    }
    AbaqusLink link;
    link.keyword = link.origin = keyword.shown + " of type BEAM";
    link.reference = mpc.targets.back();
    link.is_mean = false;
    link.place = mpc.place;
    for (std::size_t i = 0; i + 1 < mpc.targets.size(); ++i)
      link.members.push_back({LinkedKind::nodes, mpc.targets[i], displacements});
    model.links.push_back(std::move(link));
  }
}

}  // namespace quartic::io
