#include "io/abaqus/abaqus_links.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/disjoint_sets.hpp"
#include "core/base/number_text.hpp"
#include "core/elements/element_geometry.hpp"
#include "core/supports/boundary_areas.hpp"
#include "core/supports/vertex_set.hpp"
#include "io/abaqus/abaqus_surfaces.hpp"
#include "io/text/text.hpp"

namespace quartic::io {
namespace {

constexpr std::array<std::array<double, 3>, 3> axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// Of whole vertices.
std::vector<std::int32_t> vertices_of(const std::vector<std::int32_t>& dofs) {
  std::vector<std::int32_t> vertices;
  for (const std::int32_t dof : dofs)
    if (dof % 3 == 0) vertices.push_back(dof / 3);
  return vertices;
}

}  // namespace

/// A link with its nodes.
struct AbaqusLinks::Resolved {
  const AbaqusLink* link = nullptr;
  std::int64_t reference = 0;
  std::vector<std::int32_t> dofs;    // displacements of solids that take part
  std::vector<std::int64_t> others;  // nodes outside of solids
};

/// Links that move as one.
struct AbaqusLinks::Cluster {
  std::vector<std::int32_t> dofs;  // of rigid links
  std::vector<std::size_t> links, means;
  std::vector<std::int64_t> others;
};

AbaqusLinks::AbaqusLinks(const PlacedDeck& deck, AbaqusSets& sets, const AbaqusFrames& frames,
                         const std::vector<bool>& is_in_solid, VolumeMesh& mesh, LeftOut& left_out)
    : deck_(deck), sets_(sets), frames_(frames), is_in_solid_(is_in_solid), mesh_(mesh), left_out_(left_out) {
  std::vector<Resolved> links;
  for (const AbaqusLink& link : deck.model.links)
    if (auto resolved = resolve(link)) links.push_back(std::move(*resolved));
  // Rigid links that share a node outside of solids, and the means that move such a node, are one cluster.
  DisjointSets joined(links.size());
  std::map<std::int64_t, std::int32_t> first_with;
  const auto nodes_of = [&](const Resolved& link) {
    std::vector<std::int64_t> nodes;
    if (!*link.link->is_mean) nodes = link.others;
    if (!this->is_in_solid(link.reference)) nodes.push_back(link.reference);
    return nodes;
  };
  for (std::size_t i = 0; i < links.size(); ++i)
    for (const std::int64_t node : nodes_of(links[i]))
      joined.join(first_with.try_emplace(node, static_cast<std::int32_t>(i)).first->second,
                  static_cast<std::int32_t>(i));
  std::map<std::int32_t, Cluster> clusters;
  for (std::size_t i = 0; i < links.size(); ++i) {
    Cluster& cluster = clusters[joined.root(static_cast<std::int32_t>(i))];
    cluster.links.push_back(i);
    const auto nodes = nodes_of(links[i]);
    cluster.others.insert(cluster.others.end(), nodes.begin(), nodes.end());
    if (*links[i].link->is_mean)
      cluster.means.push_back(i);
    else
      cluster.dofs.insert(cluster.dofs.end(), links[i].dofs.begin(), links[i].dofs.end());
  }
  for (const auto& [number, cluster] : clusters) make(cluster, links);
  tell_of_far_references(links);
}

// A lever of many bodies' lengths is right for few, and what coordinates in mixed units look like.
void AbaqusLinks::tell_of_far_references(const std::vector<Resolved>& links) {
  constexpr double far_off = 10;  // times the body's diagonal
  const std::array<double, 6> box = element_box(mesh_);
  const auto low = Eigen::Vector3d::Map(box.data()), high = Eigen::Vector3d::Map(box.data() + 3);
  const double diagonal = (high - low).norm();
  std::set<std::int64_t> told;
  for (const Resolved& resolved : links) {
    if (is_in_solid(resolved.reference) || !is_linked(resolved.reference)) continue;
    const auto x = Eigen::Vector3d::Map(mesh_.vertices.data() + 3 * resolved.reference);
    const double distance = (x - x.cwiseMax(low).cwiseMin(high)).norm();
    if (!(distance > far_off * diagonal) || !told.insert(resolved.reference).second) continue;
    constexpr int digits = 3;
    const AbaqusLink& link = *resolved.link;
    mesh_.warnings.push_back(
        deck_.deck.text(link.place) + ": the reference node of " + link.keyword + ", " + quote(link.reference) +
        ", is " + number_text(distance, digits) + " m away from the body, whose diagonal is " +
        number_text(diagonal, digits) +
        " m. If its coordinates are in other units than the mesh's, scale them; else forces and masses there have this "
        "lever");
  }
}

std::optional<AbaqusLinks::Resolved> AbaqusLinks::resolve(const AbaqusLink& link) {
  const auto give_up = [&](const std::string& why) {
    leave_out(link, why);
    return std::nullopt;
  };
  if (!link.trouble.empty()) return give_up(link.trouble);
  if (!link.is_mean) return give_up("neither *KINEMATIC nor *DISTRIBUTING follows");
  const auto references = sets_.nodes(link.reference, link.place, link.keyword);
  if (references.size() != 1)
    return give_up("its reference, " + quote(link.reference) + ", has " + std::to_string(references.size()) +
                   " nodes of the mesh instead of one");
  Resolved resolved{&link, references.front(), {}, {}};
  const auto add = [&](std::int64_t node, unsigned directions) {
    if (node < 0) return;
    if (!is_in_solid(node)) {
      if (directions == 7) resolved.others.push_back(node);
      return;
    }
    for (std::int32_t c = 0; c < 3; ++c)
      if (((directions >> c) & 1U) != 0) resolved.dofs.push_back(3 * static_cast<std::int32_t>(node) + c);
  };
  for (const AbaqusLink::Members& members : link.members) {
    if (members.kind == LinkedKind::surface)
      for (const auto v : surface_vertices(deck_, sets_, members.target)) add(v, members.directions);
    if (members.kind == LinkedKind::nodes)
      for (const auto node : sets_.nodes(members.target, link.place, link.keyword)) add(node, members.directions);
    if (members.kind == LinkedKind::elements)
      for (const auto element : sets_.elements(deck_.parts.front(), members.target, link.place))
        for (const auto node : sets_.nodes_of(element)) add(node, members.directions);
  }
  if (!*link.is_mean) add(resolved.reference, 7);
  resolved.dofs = distinct_vertices(resolved.dofs);
  if (resolved.dofs.empty() && (*link.is_mean || resolved.others.size() < 2))
    return give_up("what it names is in a part, or of no solid");
  if (*link.is_mean && !link.has_rotations && !is_amid(resolved))
    return give_up("it leaves the rotations of a reference node free that isn't amid its nodes");
  if (!link.rotation_node.empty()) {
    const auto nodes = sets_.nodes(link.rotation_node, link.place, link.keyword);
    if (nodes.size() == 1) rotation_of_[nodes.front()] = resolved.reference;
  }
  return resolved;
}

// Where the mean rotation doesn't move the reference node.
bool AbaqusLinks::is_amid(const Resolved& link) const {
  constexpr double tolerance = 1e-6;  // of the nodes' distances: of coordinates in files
  const std::vector<std::int32_t> vertices = vertices_of(link.dofs);
  const std::vector<double> shares = area_shares(mesh_, vertices);
  const auto at = [&](std::int64_t node) { return Eigen::Vector3d::Map(mesh_.vertices.data() + 3 * node); };
  Eigen::Vector3d away = -at(link.reference);
  double size = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    away += shares[i] * at(vertices[i]);
    size = std::max(size, (at(vertices[i]) - at(link.reference)).norm());
  }
  return away.norm() <= tolerance * size;
}

void AbaqusLinks::make(const Cluster& cluster, const std::vector<Resolved>& links) {
  const auto mean_of = [&](std::size_t link) { return mean_motion(mesh_, vertices_of(links[link].dofs)); };
  const Resolved& first = links[cluster.links.front()];
  const std::string& origin = first.link->origin;
  auto means = cluster.means.begin();
  if (!cluster.dofs.empty()) {
    motions_.push_back(SetMotion::of_rigid(mesh_, distinct_vertices(cluster.dofs)));
    std::vector<Constraint> joints = motions_.back().equations(origin);
    mesh_.joints.insert(mesh_.joints.end(), joints.begin(), joints.end());
  } else if (means != cluster.means.end()) {
    motions_.push_back(mean_of(*means++));
  } else {
    return leave_out(*first.link, "it joins nodes outside of solids alone");
  }
  const SetMotion motion = motions_.back();
  for (; means != cluster.means.end(); ++means) equate(motion, mean_of(*means), links[*means]);
  const bool turns = std::ranges::all_of(cluster.means, [&](std::size_t i) { return links[i].link->has_rotations; });
  for (const std::int64_t node : cluster.others) movers_.try_emplace(node, Mover{motions_.size() - 1, origin, turns});
  for (const std::size_t i : cluster.links) {
    const AbaqusLink& link = *links[i].link;
    const std::int64_t reference = links[i].reference;
    if (is_in_solid(reference)) {
      if (*link.is_mean) follow(static_cast<std::int32_t>(reference), motion, link.origin);
      continue;
    }
    const bool is_whole =
        std::ranges::all_of(link.members, [](const AbaqusLink::Members& m) { return m.directions == 7; });
    if (!lead(reference) && is_whole) {
      left_out_.add(link.place, link.keyword,
                    "its nodes are on a line or at one place, and don't say how its reference node turns: what is at "
                    "that node is left out");
      movers_.erase(reference);
    }
  }
}

// Both motions are one, as far as each says.
void AbaqusLinks::equate(const SetMotion& first, const SetMotion& second, const Resolved& link) {
  const auto add = [&](std::optional<Terms> a, const std::optional<Terms>& b) {
    if (!a || !b) return;
    add_scaled(*b, -1, *a);
    mesh_.joints.push_back({std::move(*a), link.link->origin});
  };
  for (const auto& axis : axes) {
    add(first.displacement(position(link.reference), axis), second.displacement(position(link.reference), axis));
    add(first.rotation(axis), second.rotation(axis));
  }
}

void AbaqusLinks::follow(std::int32_t vertex, const SetMotion& motion, const std::string& origin) {
  for (const auto& axis : axes) {
    const auto leaders = motion.displacement(position(vertex), axis);
    if (!leaders) continue;
    Constraint joint{{{vertex, axis}}, origin};
    add_scaled(*leaders, -1, joint.terms);
    mesh_.joints.push_back(std::move(joint));
  }
}

void AbaqusLinks::leave_out(const AbaqusLink& link, const std::string& why) {
  left_out_.add(link.place, link.keyword, "what it joins moves on its own, since " + why);
}

std::array<double, 3> AbaqusLinks::position(std::int64_t node) const {
  const double* x = mesh_.vertices.data() + 3 * node;
  return {x[0], x[1], x[2]};
}

const SetMotion* AbaqusLinks::motion(std::int64_t node) const {
  const auto found = movers_.find(node);
  return found == movers_.end() ? nullptr : &motions_[found->second.motion];
}

bool AbaqusLinks::turns(std::int64_t node) const {
  const auto found = movers_.find(node);
  return found != movers_.end() && found->second.turns;
}

std::optional<AbaqusLinks::Terms> AbaqusLinks::displacement(std::int64_t node,
                                                            const std::array<double, 3>& direction) const {
  if (is_in_solid(node)) return Terms{{static_cast<std::int32_t>(node), direction}};
  const SetMotion* const moved = motion(node);
  return moved == nullptr ? std::nullopt : moved->displacement(position(node), direction);
}

std::optional<AbaqusLinks::Terms> AbaqusLinks::degree(std::int64_t node, std::int64_t direction, bool is_global) const {
  if (direction < 1 || direction > 6) return std::nullopt;
  const auto axis = static_cast<std::size_t>((direction - 1) % 3);
  const auto way = is_global ? axes[axis] : frames_.direction(node, axis);
  const auto turning = rotation_of_.find(node);
  if (turning == rotation_of_.end() && direction <= 3) return displacement(node, way);
  if (turning != rotation_of_.end() && direction > 3) return std::nullopt;
  const std::int64_t turned = turning == rotation_of_.end() ? node : turning->second;
  if (!turns(turned)) return std::nullopt;
  return motion(turned)->rotation(way);
}

void AbaqusLinks::add_scaled(const Terms& terms, double factor, Terms& sum) {
  for (DisplacementTerm term : terms) {
    for (double& number : term.factors) number *= factor;
    sum.push_back(term);
  }
}

bool AbaqusLinks::lead(std::int64_t node) {
  const auto found = movers_.find(node);
  if (found == movers_.end()) return false;
  const SetMotion& motion = motions_[found->second.motion];
  if (!std::ranges::all_of(axes,
                           [&](const auto& axis) { return motion.displacement(position(node), axis).has_value(); }))
    return false;
  if (!found->second.leads) follow(static_cast<std::int32_t>(node), motion, found->second.origin);
  return found->second.leads = true;
}

std::int32_t AbaqusLinks::add_point(std::int64_t node, const std::array<double, 3>& x) {
  const auto vertex = static_cast<std::int32_t>(mesh_.vertex_count());
  mesh_.vertices.insert(mesh_.vertices.end(), x.begin(), x.end());
  const Mover& mover = movers_.at(node);
  follow(vertex, motions_[mover.motion], mover.origin);
  return vertex;
}

}  // namespace quartic::io
