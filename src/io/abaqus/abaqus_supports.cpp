#include "io/abaqus/abaqus_supports.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "io/abaqus/abaqus_surfaces.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

/// The vertices that *BOUNDARY fixes, and its supports in single directions.
const std::string boundary_set = "boundary";

class SupportReader {
 public:
  SupportReader(const PlacedDeck& deck, AbaqusSets& sets, const AbaqusLinks& links, VolumeMesh& mesh, LeftOut& left_out)
      : deck_(deck), sets_(sets), links_(links), mesh_(mesh), left_out_(left_out) {}

  // Abaqus/CAE fixes each direction by a line of its own.
  void read_boundary() {
    constexpr unsigned all_directions = 7;
    std::vector<std::uint8_t> directions(static_cast<std::size_t>(mesh_.vertex_count()));
    for (const BoundaryLine& line : deck_.model.boundary)
      for (const auto node : sets_.nodes(line.target, line.place, "*BOUNDARY")) {
        auto& held = directions[static_cast<std::size_t>(node)];
        held = static_cast<std::uint8_t>(held | line.directions);
      }
    std::vector<std::int32_t> vertices;
    std::vector<Constraint> constraints;
    for (std::size_t v = 0; v < directions.size(); ++v) {
      const auto node = static_cast<std::int64_t>(v);
      const bool moves_with_others = !links_.is_in_solid(node) && links_.is_linked(node);
      const bool is_whole = (directions[v] & all_directions) == all_directions;
      if (is_whole && !moves_with_others) vertices.push_back(static_cast<std::int32_t>(v));
      if ((is_whole || !links_.is_in_solid(node)) && !moves_with_others) continue;
      for (std::int64_t d = 1; d <= (moves_with_others ? 6 : 3); ++d)
        if (((directions[v] >> (d - 1)) & 1U) != 0)
          if (auto held = links_.degree(node, d)) constraints.push_back({std::move(*held), "*BOUNDARY"});
    }
    if (vertices.empty() && constraints.empty()) return tell_of_nothing_held();
    if (mesh_.vertex_sets.contains(boundary_set)) {
      mesh_.warnings.emplace_back("the deck has a set 'boundary' of its own; what *BOUNDARY holds isn't put into it");
      return;
    }
    if (!vertices.empty()) mesh_.vertex_sets[boundary_set] = std::move(vertices);
    if (!constraints.empty()) mesh_.support_sets[boundary_set] = std::move(constraints);
  }

  void read_equations() {
    for (const AbaqusEquation& equation : deck_.model.equations) read(equation);
  }

  void read_ties() {
    for (const AbaqusTie& tie : deck_.model.ties) read(tie);
  }

 private:
  void tell_of_nothing_held() {
    const auto held =
        std::ranges::find_if(deck_.model.boundary, [](const BoundaryLine& l) { return (l.directions & 7U) != 0; });
    if (held != deck_.model.boundary.end())
      left_out_.add(held->place, "*BOUNDARY",
                    "it holds nodes outside of solids that nothing moves, and no displacement of the body");
  }

  // Nodes within a twentieth of an edge are tied where the deck doesn't say how near they must be, as in Abaqus.
  void read(const AbaqusTie& tie) {
    const auto followers = surface_vertices(deck_, sets_, tie.follower);
    const auto leaders = surface_vertices(deck_, sets_, tie.leader);
    const auto leave_out = [&](const std::string& why) {
      left_out_.add(tie.place, tie.keyword, "what it joins moves on its own, since " + why);
    };
    if (followers.empty() || leaders.empty()) return leave_out("one of its surfaces is in a part, or of no solid");
    constexpr double edge_share = 0.05;
    try {
      std::vector<Constraint> joints = tie_vertices(
          mesh_, followers, leaders, tie.tolerance.value_or(edge_share * mean_spacing(leaders)), tie.origin);
      mesh_.joints.insert(mesh_.joints.end(), std::make_move_iterator(joints.begin()),
                          std::make_move_iterator(joints.end()));
    } catch (const ParseError&) {
      throw;
    } catch (const InputError& error) {
      leave_out(error.what());
    }
  }

  // What a square has that each vertex has for itself in the box around all of them, along its two longer sides.
  [[nodiscard]] double mean_spacing(const std::vector<std::int32_t>& vertices) const {
    std::array<double, 3> extent{};
    for (std::size_t c = 0; c < 3; ++c) {
      const auto at = [&](std::int32_t v) { return mesh_.vertices[3 * static_cast<std::size_t>(v) + c]; };
      const auto [low, high] = std::ranges::minmax(vertices, {}, at);
      extent[c] = at(high) - at(low);
    }
    std::ranges::sort(extent);
    return std::sqrt(extent[1] * extent[2] / static_cast<double>(vertices.size()));
  }

  // Sets stand for as many equations as they have nodes, single nodes take part in all of them.
  void read(const AbaqusEquation& equation) {
    std::vector<std::vector<std::int64_t>> nodes;
    std::size_t count = 1;
    for (const EquationTerm& term : equation.terms) {
      nodes.push_back(sets_.nodes(term.target, equation.place, "*EQUATION"));
      count = std::max(count, nodes.back().size());
    }
    const auto leave_out = [&](const char* why) { left_out_.add(equation.place, "*EQUATION", why); };
    constexpr const char* outside = "it names nodes outside of solids; what it joins moves on its own";
    if (std::ranges::any_of(nodes, [](const auto& list) { return list.empty(); })) return leave_out(outside);
    for (std::size_t t = 0; t < nodes.size(); ++t)
      if (nodes[t].size() != 1 && nodes[t].size() != count)
        deck_.deck.fail(equation.place, "*EQUATION takes sets with as many nodes each, but " +
                                            quote(equation.terms[t].target) + " has " +
                                            std::to_string(nodes[t].size()) + " of " + std::to_string(count));
    std::vector<Constraint> joints(count, Constraint{{}, "*EQUATION at " + deck_.deck.text(equation.place)});
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t t = 0; t < nodes.size(); ++t) {
        const EquationTerm& term = equation.terms[t];
        const auto degree = links_.degree(nodes[t][nodes[t].size() == 1 ? 0 : i], term.direction);
        if (!degree)
          return leave_out(
              term.direction > 3 ? "it is about rotations or other fields, which nodes of solids don't have" : outside);
        AbaqusLinks::add_scaled(*degree, term.factor, joints[i].terms);
      }
    mesh_.joints.insert(mesh_.joints.end(), joints.begin(), joints.end());
  }

  const PlacedDeck& deck_;
  AbaqusSets& sets_;
  const AbaqusLinks& links_;
  VolumeMesh& mesh_;
  LeftOut& left_out_;
};

}  // namespace

void attach_abaqus_supports(const PlacedDeck& deck, AbaqusSets& sets, const AbaqusLinks& links, VolumeMesh& mesh,
                            LeftOut& left_out) {
  SupportReader reader(deck, sets, links, mesh, left_out);
  reader.read_boundary();
  reader.read_equations();
  reader.read_ties();
}

}  // namespace quartic::io
