#include "io/abaqus_deck/abaqus_joint_rows.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

// Node, direction and factor; false at the end of the line, or for a comma there.
bool read_term(const Deck& deck, DataFields& fields, AbaqusEquation& equation) {
  std::string_view target, direction, factor;
  if (!fields.next(target) || unquoted(target).empty()) return false;
  const bool has_both = fields.next(direction) && fields.next(factor);
  const auto parsed = parse_integer(direction);
  if (!has_both || !parsed || *parsed < 1)
    deck.fail("*EQUATION: a term is a node or a set, a direction from 1 on, and a factor");
  equation.terms.push_back({std::string(unquoted(target)), *parsed, deck.number(factor, "*EQUATION")});
  return true;
}

}  // namespace

void read_abaqus_transform(Deck& deck, const Keyword& keyword, AbaqusModel& model) {
  AbaqusTransform transform{deck.required(keyword, "NSET"), 'R', {}, keyword.place};
  if (const auto* const type = keyword.find("TYPE")) transform.kind = abaqus_key(*type).substr(0, 1)[0];
  if (std::string_view("RCS").find(transform.kind) == std::string_view::npos)
    deck.fail(keyword.place, "*TRANSFORM: TYPE is R, C or S");
  std::string_view line, field;
  if (!deck.next_data(line)) deck.fail(keyword.place, "*TRANSFORM needs a line of six numbers, two points");
  DataFields fields(line);
  for (double& value : transform.points)
    if (fields.next(field)) value = deck.number(field, "*TRANSFORM");
  model.transforms.push_back(std::move(transform));
}

// The number of terms, then the terms, on as many lines as they take.
void read_abaqus_equations(Deck& deck, const Keyword& keyword, AbaqusModel& model) {
  if (keyword.find("INPUT") != nullptr)
    return model.left_out.add(keyword.place, keyword.shown,
                              "it stands in a part or another file: what it joins moves on its own");
  std::string_view line, field;
  while (deck.next_data(line)) {
    AbaqusEquation equation{{}, deck.place()};
    DataFields head(line);
    head.next(field);
    const auto count = parse_integer(field);
    constexpr std::int64_t most_terms = 1'000'000;
    if (!count || *count < 1 || *count > most_terms) deck.fail("*EQUATION: " + quote(field) + " is no number of terms");
    while (std::ssize(equation.terms) < *count) {
      if (!deck.next_data(line)) deck.fail(equation.place, "*EQUATION has fewer terms than its first line says");
      DataFields fields(line);
      while (std::ssize(equation.terms) < *count && read_term(deck, fields, equation)) {
      }
    }
    model.equations.push_back(std::move(equation));
  }
}

void read_abaqus_surface(Deck& deck, const Keyword& keyword, AbaqusModel& model) {
  const auto* const type = keyword.find("TYPE");
  const std::string kind = type == nullptr ? "ELEMENT" : abaqus_key(*type);
  if (kind != "ELEMENT" && kind != "NODE") return;
  AbaqusSurface& surface = model.surfaces.get(deck.required(keyword, "NAME"));
  surface.is_of_nodes = kind == "NODE";
  std::string_view line, field;
  while (deck.next_data(line)) {
    DataFields fields(line);
    fields.next(field);
    SurfacePiece piece{std::string(unquoted(field)), {}, deck.place()};
    if (!surface.is_of_nodes && fields.next(field)) piece.face = abaqus_key(field);
    surface.pieces.push_back(std::move(piece));
  }
}

void read_abaqus_ties(Deck& deck, const Keyword& keyword, AbaqusModel& model) {
  std::optional<double> tolerance;
  if (const auto* const text = keyword.find("POSITIONTOLERANCE")) tolerance = deck.number(*text, "*TIE");
  const auto* const given = keyword.find("NAME");
  const std::string origin = keyword.shown + (given == nullptr ? "" : " " + *given);
  std::string_view line, follower, leader;
  while (deck.next_data(line)) {
    DataFields fields(line);
    if (!fields.next(follower) || !fields.next(leader)) deck.fail("*TIE needs two surfaces");
    model.ties.push_back({keyword.shown, origin, std::string(unquoted(follower)), std::string(unquoted(leader)),
                          tolerance, keyword.place});
  }
}

}  // namespace quartic::io
