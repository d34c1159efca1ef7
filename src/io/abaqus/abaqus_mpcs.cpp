// Abaqus Keywords Reference Guide, *MPC; Analysis User's Guide, "General multi-point constraints".
#include "io/abaqus/abaqus_mpcs.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

using Eigen::Vector3d;
using Terms = std::vector<DisplacementTerm>;

class MpcReader {
 public:
  MpcReader(const PlacedDeck& deck, AbaqusSets& sets, const AbaqusLinks& links, VolumeMesh& mesh, LeftOut& left_out)
      : deck_(deck), sets_(sets), links_(links), mesh_(mesh), left_out_(left_out) {}

  // Sets stand for as many constraints as they have nodes, single nodes take part in all of them.
  void read(const AbaqusMpc& mpc) {
    const std::size_t wanted = mpc.type == "LINEAR" ? 3 : 2;
    const bool is_known = mpc.type == "TIE" || mpc.type == "PIN" || mpc.type == "LINEAR" || mpc.type == "LINK";
    if (!is_known) return leave_out(mpc, "its type isn't known here; BEAM, TIE, PIN, LINK and LINEAR are");
    if (mpc.targets.size() != wanted)
      deck_.deck.fail(mpc.place, "*MPC of type " + mpc.type + " takes " + std::to_string(wanted) +
                                     " nodes or sets, not " + std::to_string(mpc.targets.size()));
    std::vector<std::vector<std::int64_t>> nodes;
    std::size_t count = 1;
    for (const std::string& target : mpc.targets) {
      nodes.push_back(sets_.nodes(target, mpc.place, "*MPC"));
      count = std::max(count, nodes.back().size());
    }
    const std::string nothing_moves = "it names nodes outside of solids that nothing moves";
    if (std::ranges::any_of(nodes, [](const auto& list) { return list.empty(); })) return leave_out(mpc, nothing_moves);
    for (std::size_t t = 0; t < nodes.size(); ++t)
      if (nodes[t].size() != 1 && nodes[t].size() != count)
        deck_.deck.fail(mpc.place, "*MPC takes sets with as many nodes each, but " + quote(mpc.targets[t]) + " has " +
                                       std::to_string(nodes[t].size()) + " of " + std::to_string(count));
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<std::int64_t> row;
      for (const auto& list : nodes) row.push_back(list[list.size() == 1 ? 0 : i]);
      if (!join(mpc, row)) return leave_out(mpc, nothing_moves);
    }
  }

 private:
  void leave_out(const AbaqusMpc& mpc, const std::string& why) {
    left_out_.add(mpc.place, mpc.keyword + " of type " + mpc.type, "what it joins moves on its own, since " + why);
  }

  [[nodiscard]] Vector3d position(std::int64_t node) const { return Vector3d::Map(mesh_.vertices.data() + 3 * node); }

  // 1 of the first node, and shares of the others.
  bool join(const AbaqusMpc& mpc, const std::vector<std::int64_t>& nodes) {
    if (std::ranges::count(nodes, nodes[0]) > 1) {
      left_out_.add(mpc.place, mpc.keyword + " of type " + mpc.type, "it joins a node to itself, which says nothing");
      return true;
    }
    if (mpc.type == "LINK") {
      const Vector3d way = position(nodes[0]) - position(nodes[1]);
      if (way.norm() == 0) return true;  // nothing turns, to first order
      return add(mpc, {{nodes[0], 1}, {nodes[1], -1}}, way.normalized());
    }
    std::vector<std::pair<std::int64_t, double>> shares = {{nodes[0], 1}, {nodes[1], -1}};
    if (mpc.type == "LINEAR") {
      const Vector3d line = position(nodes[2]) - position(nodes[1]);
      const double s =
          line.squaredNorm() > 0 ? line.dot(position(nodes[0]) - position(nodes[1])) / line.squaredNorm() : 0;
      shares = {{nodes[0], 1}, {nodes[1], s - 1}, {nodes[2], -s}};
    }
    for (Eigen::Index c = 0; c < 3; ++c)
      if (!add(mpc, shares, Vector3d::Unit(c))) return false;
    if (mpc.type == "TIE" && links_.turns(nodes[0]) && links_.turns(nodes[1]))
      for (std::int64_t d = 4; d <= 6; ++d) {
        const auto a = links_.degree(nodes[0], d, true), b = links_.degree(nodes[1], d, true);
        if (a && b) push(mpc, {{*a, 1}, {*b, -1}});
      }
    return true;
  }

  bool add(const AbaqusMpc& mpc, const std::vector<std::pair<std::int64_t, double>>& shares, const Vector3d& way) {
    std::vector<std::pair<Terms, double>> sums;
    for (const auto& [node, factor] : shares) {
      auto terms = links_.displacement(node, {way[0], way[1], way[2]});
      if (!terms) return false;
      sums.emplace_back(std::move(*terms), factor);
    }
    push(mpc, sums);
    return true;
  }

  void push(const AbaqusMpc& mpc, const std::vector<std::pair<Terms, double>>& sums) {
    Constraint joint{{}, mpc.keyword + " at " + deck_.deck.text(mpc.place)};
    for (const auto& [terms, factor] : sums)
      if (factor != 0) AbaqusLinks::add_scaled(terms, factor, joint.terms);
    mesh_.joints.push_back(std::move(joint));
  }

  const PlacedDeck& deck_;
  AbaqusSets& sets_;
  const AbaqusLinks& links_;
  VolumeMesh& mesh_;
  LeftOut& left_out_;
};

}  // namespace

void join_abaqus_mpcs(const PlacedDeck& deck, AbaqusSets& sets, const AbaqusLinks& links, VolumeMesh& mesh,
                      LeftOut& left_out) {
  MpcReader reader(deck, sets, links, mesh, left_out);
  for (const AbaqusMpc& mpc : deck.model.mpcs) reader.read(mpc);
}

}  // namespace quartic::io
