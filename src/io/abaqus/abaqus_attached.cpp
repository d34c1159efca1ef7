#include "io/abaqus/abaqus_attached.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/number_text.hpp"
#include "core/elements/solid_mass.hpp"
#include "core/supports/set_motion.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

std::string kilograms(double mass) {
  constexpr int digits = 4;
  return number_text(mass, digits) + " kg";
}

class Attacher {
 public:
  Attacher(const PlacedDeck& deck, AbaqusSets& sets, AbaqusLinks& links, VolumeMesh& mesh, LeftOut& left_out)
      : deck_(deck), sets_(sets), links_(links), mesh_(mesh), left_out_(left_out) {}

  void attach_masses() {
    Owners<AbaqusMass> masses;
    Owners<AbaqusInertia> inertias;
    for (const PlacedPart& placed : deck_.parts) find_owners(placed, placed.part->masses, "MASS", masses);
    find_owners(deck_.parts.front(), deck_.model.root.inertias, "ROTARYI", inertias);
    for (const PlacedPart& placed : deck_.parts)
      for (const AbaqusMass& mass : placed.part->masses) attach(placed, mass, masses);
    for (const auto& [element, inertia] : inertias) attach(*inertia, element);
    for (const auto& [node, body] : bodies_) attach(node, body);
    if (first_missing_ == nullptr) return;
    const std::optional<double> own = solid_mass(mesh_);
    left_out_.add(first_missing_->place, first_missing_->keyword,
                  kilograms(missing_) +
                      (missing_points_ > 0 ? " at " + std::to_string(missing_points_) +
                                                 (missing_points_ == 1 ? " node" : " nodes") + " outside of solids"
                                           : "") +
                      (own ? " are missing beside the mesh's " + kilograms(*own)
                           : " are missing beside a mesh whose mass isn't known"));
  }

  void attach_springs() {
    Owners<AbaqusSpring> springs;
    for (const PlacedPart& placed : deck_.parts) find_owners(placed, placed.part->springs, "SPRING", springs);
    for (const auto& [element, spring] : springs) attach(*spring, element);
  }

  [[nodiscard]] const std::map<std::string, std::int64_t>& counts() const { return counts_; }

 private:
  // What each element has, by element.
  template <class Property>
  using Owners = std::map<std::int64_t, const Property*>;

  // Of elements whose type begins so. An element has one mass, inertia or stiffness: the last that it is given.
  template <class Property>
  void find_owners(const PlacedPart& placed, const std::vector<Property>& properties, std::string_view type,
                   Owners<Property>& owners) {
    for (const Property& property : properties) {
      if (property.elset.empty()) continue;
      for (const auto e : sets_.elements(placed, property.elset, property.place)) {
        if (!sets_.type_of(e).starts_with(type)) continue;
        const Property* const before = std::exchange(owners[e], &property);
        if (before != nullptr && before != &property)
          left_out_.add(before->place, before->keyword,
                        "elements that it names are given another one further down, "
                        "which counts");
      }
    }
  }

  // A rigid body at a reference node.
  struct Body {
    RigidMass mass;
    const AbaqusInertia* inertia = nullptr;  // one of those that it has
  };

  void attach(const PlacedPart& placed, const AbaqusMass& mass, const Owners<AbaqusMass>& owners) {
    if (mass.elset.empty()) {
      miss(mass, 0);
      return;
    }
    bool is_used = false;
    for (const auto e : sets_.elements(placed, mass.elset, mass.place)) {
      if (sets_.type_of(e) != "MASS") continue;
      is_used = true;
      if (owners.at(e) != &mass) continue;
      ++counts_["MASS"];
      const auto nodes = sets_.nodes_of(e);
      if (nodes.size() == 1 && links_.is_in_solid(nodes.front()))
        mesh_.masses.push_back({static_cast<std::int32_t>(nodes.front()), mass.mass});
      else if (nodes.size() == 1 && links_.lead(nodes.front()))
        bodies_[nodes.front()].mass.mass += mass.mass;
      else
        miss(mass, 1);
    }
    if (!is_used) left_out_.add(mass.place, mass.keyword, "no MASS element has it, so that its mass is nowhere");
  }

  // Nodes of solids have no rotations; neither have those that a mean leaves free.
  void attach(const AbaqusInertia& inertia, std::int64_t element) {
    const auto nodes = sets_.nodes_of(element);
    if (nodes.size() != 1 || !links_.turns(nodes.front()) || !links_.lead(nodes.front()))
      return;  // told as any other element
    ++counts_["ROTARYI"];
    Body& body = bodies_[nodes.front()];
    for (std::size_t i = 0; i < body.mass.inertia.size(); ++i) body.mass.inertia[i] += inertia.tensor[i];
    body.inertia = &inertia;
  }

  // A mass alone is one at the node, with moments of inertia it is four that move with it.
  void attach(std::int64_t node, Body body) {
    for (std::size_t c = 0; c < 3; ++c) body.mass.centre[c] = mesh_.vertices[3 * static_cast<std::size_t>(node) + c];
    try {
      const auto points = equimomental_points(body.mass, "*ROTARY INERTIA");
      for (const auto& [mass, x] : points)
        mesh_.masses.push_back(
            {points.size() == 1 ? static_cast<std::int32_t>(node) : links_.add_point(node, x), mass});
    } catch (const ParseError&) {
      throw;
    } catch (const InputError& error) {
      left_out_.add(body.inertia->place, body.inertia->keyword,
                    std::string("its inertia is missing, since ") + error.what());
      if (body.mass.mass > 0) mesh_.masses.push_back({static_cast<std::int32_t>(node), body.mass.mass});
    }
  }

  void miss(const AbaqusMass& mass, std::int64_t points) {
    if (first_missing_ == nullptr) first_missing_ = &mass;
    missing_ += mass.mass;
    missing_points_ += points;
  }

  // SPRING1: a direction of a node, to the ground; SPRING2: of two nodes; SPRINGA: along the line between them at rest.
  void attach(const AbaqusSpring& spring, std::int64_t element) {
    const std::string& type = sets_.type_of(element);
    const auto nodes = sets_.nodes_of(element);
    const std::size_t ends = type == "SPRING1" ? 1 : type == "SPRING2" || type == "SPRINGA" ? 2 : 0;
    if (ends == 0 || nodes.size() != ends) return;  // told as any other element
    const auto leave_out = [&](const char* consequence) {
      left_out_.add(spring.place, spring.keyword + " of " + type, consequence);
      ++counts_[type];
    };
    constexpr const char* outside =
        "a node is outside of solids, and nothing moves it; the spring's stiffness is missing";
    if (std::ranges::any_of(nodes, [&](auto node) { return !links_.is_in_solid(node) && !links_.is_linked(node); }))
      return leave_out(outside);
    std::vector<DisplacementTerm> terms;
    const auto add = [&](const std::optional<AbaqusLinks::Terms>& end, double sign) {
      if (!end) return false;
      AbaqusLinks::add_scaled(*end, sign, terms);
      return true;
    };
    if (type == "SPRINGA") {
      if (!spring.directions.empty())
        return leave_out("it acts along its own line, but has directions or a table; its stiffness is missing");
      const auto away = unit_way(nodes[0], nodes[1]);
      if (!away) return leave_out("its nodes are at one place; its stiffness is missing");
      if (!add(links_.displacement(nodes[1], *away), 1) || !add(links_.displacement(nodes[0], *away), -1))
        return leave_out(outside);
    } else {
      if (spring.directions.size() < ends) return leave_out("it needs a direction per node; its stiffness is missing");
      for (std::size_t i = 0; i < ends; ++i)
        if (!add(links_.degree(nodes[i], spring.directions[i], true), i == 0 ? 1 : -1))
          return leave_out("it is about rotations or other fields, which nodes of solids don't have");
    }
    mesh_.springs.push_back({std::move(terms), spring.stiffness});
    ++counts_[type];
  }

  [[nodiscard]] std::optional<std::array<double, 3>> unit_way(std::int64_t from, std::int64_t to) const {
    std::array<double, 3> way{};
    for (std::size_t c = 0; c < 3; ++c)
      way[c] =
          mesh_.vertices[3 * static_cast<std::size_t>(to) + c] - mesh_.vertices[3 * static_cast<std::size_t>(from) + c];
    const double length = std::hypot(way[0], way[1], way[2]);
    if (!(length > 0)) return std::nullopt;
    for (double& number : way) number /= length;
    return way;
  }

  const PlacedDeck& deck_;
  AbaqusSets& sets_;
  AbaqusLinks& links_;
  VolumeMesh& mesh_;
  LeftOut& left_out_;
  std::map<std::string, std::int64_t> counts_;
  std::map<std::int64_t, Body> bodies_;  // by reference node
  const AbaqusMass* first_missing_ = nullptr;
  double missing_ = 0;  // [kg]
  std::int64_t missing_points_ = 0;
};

}  // namespace

std::map<std::string, std::int64_t> attach_abaqus_elements(const PlacedDeck& deck, AbaqusSets& sets, AbaqusLinks& links,
                                                           VolumeMesh& mesh, LeftOut& left_out) {
  Attacher attacher(deck, sets, links, mesh, left_out);
  attacher.attach_masses();
  attacher.attach_springs();
  return attacher.counts();
}

}  // namespace quartic::io
