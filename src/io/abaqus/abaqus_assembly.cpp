#include "io/abaqus/abaqus_assembly.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "io/abaqus/abaqus_attached.hpp"
#include "io/abaqus/abaqus_frames.hpp"
#include "io/abaqus/abaqus_links.hpp"
#include "io/abaqus/abaqus_loads.hpp"
#include "io/abaqus/abaqus_motion.hpp"
#include "io/abaqus/abaqus_mpcs.hpp"
#include "io/abaqus/abaqus_regions.hpp"
#include "io/abaqus/abaqus_sets.hpp"
#include "io/abaqus/abaqus_supports.hpp"
#include "io/mesh/mesh_builder.hpp"
#include "io/text/text.hpp"

namespace quartic::io {
namespace {

std::string counted_nodes(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " node" : " nodes");
}

class Assembler {
 public:
  Assembler(const Deck& deck, AbaqusModel& model) : deck_(deck), model_(model) {}

  VolumeMesh assemble();

 private:
  void find_parts();
  void place_parts();
  void place(const AbaqusPart& part, const std::string& name);
  void add_nodes(const PlacedPart& placed, const AbaqusInstance* instance);
  void add_elements(const PlacedPart& placed);
  [[noreturn]] void fail_unknown_node(const PlacedPart& placed, const ElementRows& rows, std::size_t row,
                                      std::int64_t node) const;
  void add_vertex_sets(AbaqusSets& sets);
  void leave_out_elements(const std::map<std::string, std::int64_t>& attached);
  void warn_of_types();
  [[noreturn]] void fail_without_solids() const;

  const Deck& deck_;
  AbaqusModel& model_;
  MeshBuilder builder_;
  std::vector<PlacedPart> placed_;            // the first is what stands outside of parts, the others are instances
  std::vector<ElementPlace> element_places_;  // of all elements of placed parts; row -1 of those that are left out
  std::vector<bool> is_in_solid_;             // by vertex
  /// Elements of one type that aren't in the mesh.
  struct OtherElements {
    std::int64_t count = 0;
    Place place;  // of the first
  };
  std::map<std::string, OtherElements> others_;                     // by their types' names
  std::map<std::string, std::int64_t> not_plain_, not_mechanical_;  // elements by their types' names
};

// ---- parts in their places ----------------------------------------------------------------------------------------

void Assembler::find_parts() {
  std::map<std::string, const AbaqusPart*> by_key;
  for (const auto& part : model_.parts) by_key.emplace(abaqus_key(part->name), part.get());
  if (model_.instances.empty() && !model_.parts.empty()) {
    for (const auto& part : model_.parts) {
      AbaqusInstance& instance = model_.instances.emplace_back();
      instance.name = instance.part_name = part->name;
      instance.place = part->place;
    }
    builder_.warn("there is no *INSTANCE of a part: every *PART is used once, in place");
  }
  std::set<std::string> names;
  std::set<const AbaqusPart*> used;
  for (AbaqusInstance& instance : model_.instances) {
    if (!names.insert(abaqus_key(instance.name)).second)
      deck_.fail(instance.place, "a second instance named " + quote(instance.name));
    if (instance.part == nullptr) {
      const auto found = by_key.find(abaqus_key(instance.part_name));
      if (found == by_key.end())
        deck_.fail(instance.place, "instance " + quote(instance.name) + " is of part " + quote(instance.part_name) +
                                       ", which the deck doesn't define");
      instance.part = found->second;
    }
    used.insert(instance.part);
  }
  for (const auto& part : model_.parts)
    if (used.count(part.get()) == 0)
      builder_.warn(deck_.text(part->place) + ": part " + quote(part->name) + " with " +
                    counted_nodes(part->nodes.count()) + " has no *INSTANCE and is left out");
}

void Assembler::place(const AbaqusPart& part, const std::string& name) {
  PlacedPart placed{&part, name};
  if (!placed_.empty()) {
    const PlacedPart& last = placed_.back();
    placed.first_node = std::max<std::int64_t>(last.first_node, 0);
    if (last.first_node >= 0) placed.first_node += last.part->nodes.count();
    placed.first_element = last.first_element + last.part->elements.count();
  }
  // Parts that stand in many places could make much of a small file.
  constexpr std::int64_t always_allowed = 10'000'000, copies_allowed = 100;
  const std::int64_t limit = std::min<std::int64_t>(
      std::numeric_limits<std::int32_t>::max(),
      std::max(always_allowed, copies_allowed * static_cast<std::int64_t>(deck_.possible_rows(1))));
  if (placed.first_node + part.nodes.count() > limit || placed.first_element + part.elements.count() > limit)
    deck_.fail_whole_file("the instances have more nodes or elements together than a deck of this size can mean");
  placed_.push_back(placed);
}

void Assembler::place_parts() {
  const AbaqusPart& root = model_.root;
  const bool has_solids =
      std::any_of(root.rows.begin(), root.rows.end(), [](const ElementRows& rows) { return rows.type.is_solid; });
  place(root, "");
  const bool are_points = !model_.instances.empty() && !has_solids, are_linked = !model_.links.empty();
  if (are_points) {
    placed_.front().first_node = -1;
    if (root.nodes.count() > 0 && !are_linked)
      builder_.warn(counted_nodes(root.nodes.count()) +
                    " outside of parts (reference points?) can't be in a volume element and won't be in the mesh");
  }
  for (const AbaqusInstance& instance : model_.instances) place(*instance.part, instance.name);
  if (!are_points) add_nodes(placed_.front(), nullptr);
  for (std::size_t i = 1; i < placed_.size(); ++i) add_nodes(placed_[i], &model_.instances[i - 1]);
  if (are_points && are_linked) {  // reference nodes, behind all others
    placed_.front().first_node = builder_.vertex_count();
    add_nodes(placed_.front(), nullptr);
  }
  for (const PlacedPart& placed : placed_) add_elements(placed);
}

void Assembler::add_nodes(const PlacedPart& placed, const AbaqusInstance* instance) {
  const auto& positions = placed.part->positions;
  const bool moves = instance != nullptr && (instance->rotation || instance->translation != std::array<double, 3>{});
  const AbaqusMotion motion = moves ? abaqus_motion(deck_, *instance) : AbaqusMotion{};
  for (std::size_t i = 0; i < positions.size(); i += 3) {
    const std::array<double, 3> x = {positions[i], positions[i + 1], positions[i + 2]};
    builder_.add_vertex(builder_.vertex_count(), moves ? motion(x) : x);
  }
}

void Assembler::add_elements(const PlacedPart& placed) {
  is_in_solid_.resize(static_cast<std::size_t>(builder_.vertex_count()));
  std::array<std::int32_t, 20> vertices{};
  for (const ElementRows& rows : placed.part->rows) {
    const auto count = rows.elements.end - rows.elements.begin;
    if (!rows.type.shape) {
      if (count == 0) continue;
      OtherElements& others = others_.try_emplace(rows.type_name, OtherElements{0, rows.places.front()}).first->second;
      others.count += count;
      for (std::int64_t r = 0; r < count; ++r) builder_.skip_cell(rows.type_name);
      element_places_.insert(element_places_.end(), static_cast<std::size_t>(count), ElementPlace{{}, -1});
      continue;
    }
    if (!rows.type.is_plain) not_plain_[rows.type_name] += count;
    if (!rows.type.is_mechanical) not_mechanical_[rows.type_name] += count;
    for (std::size_t r = 0; r < static_cast<std::size_t>(count); ++r) {
      const auto [begin, end] = rows.row(r);
      for (std::size_t i = begin; i < end; ++i) {
        const auto node = placed.part->nodes.find(rows.nodes[i]);
        if (node < 0) fail_unknown_node(placed, rows, r, rows.nodes[i]);
        vertices[i - begin] = static_cast<std::int32_t>(placed.first_node + node);
        is_in_solid_[static_cast<std::size_t>(placed.first_node + node)] = true;
      }
      element_places_.push_back(builder_.add_element(*rows.type.shape, std::span(vertices.data(), end - begin)));
    }
  }
}

void Assembler::fail_unknown_node(const PlacedPart& placed, const ElementRows& rows, std::size_t row,
                                  std::int64_t node) const {
  const AbaqusPart& part = *placed.part;
  const auto element = part.element_ids[static_cast<std::size_t>(rows.elements.begin) + row];
  std::string what = "element " + std::to_string(element) + " has node " + std::to_string(node) + ", but " +
                     (part.name.empty() ? std::string("the deck") : "part " + quote(part.name)) + " has " +
                     std::to_string(part.nodes.count()) + " nodes and none of that number";
  deck_.fail(rows.places[row], what);
}

// ---- sets -----------------------------------------------------------------------------------------------------------

std::vector<std::int32_t> as_vertices(const std::vector<std::int64_t>& nodes) {
  std::vector<std::int32_t> vertices(nodes.size());
  std::transform(nodes.begin(), nodes.end(), vertices.begin(), [](auto v) { return static_cast<std::int32_t>(v); });
  return vertices;
}

// Sets of surface elements are what programs without node sets hold bodies by.
void Assembler::add_vertex_sets(AbaqusSets& sets) {
  std::set<std::string> node_set_keys;
  for (const PlacedPart& placed : placed_)
    for (const AbaqusSet& set : placed.part->node_sets) {
      const auto name = placed_name(placed, set.name);
      node_set_keys.insert(abaqus_key(name));
      if (const auto nodes = sets.members(placed, SetKind::nodes, set, SetKind::nodes); !nodes.empty())
        builder_.add_to_set(name, as_vertices(nodes));
    }
  const auto is_solid = [&](std::int64_t e) { return element_places_[static_cast<std::size_t>(e)].row >= 0; };
  for (const PlacedPart& placed : placed_)
    for (const AbaqusSet& set : placed.part->element_sets) {
      const auto name = placed_name(placed, set.name);
      if (node_set_keys.count(abaqus_key(name)) > 0) continue;
      const auto elements = sets.members(placed, SetKind::elements, set, SetKind::elements);
      if (std::any_of(elements.begin(), elements.end(), is_solid)) continue;
      if (const auto nodes = sets.members(placed, SetKind::elements, set, SetKind::nodes); !nodes.empty())
        builder_.add_to_set(name, as_vertices(nodes));
    }
}

// ---- the mesh -------------------------------------------------------------------------------------------------------

std::string list(const std::map<std::string, std::int64_t>& types) {
  std::string text;
  for (const auto& [name, count] : types) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  return text;
}

void Assembler::leave_out_elements(const std::map<std::string, std::int64_t>& attached) {
  for (const auto& [type, others] : others_) {
    const auto found = attached.find(type);
    const std::int64_t count = others.count - (found == attached.end() ? 0 : found->second);
    if (count > 0)
      model_.left_out.add(others.place, "*ELEMENT of " + std::to_string(count) + " " + type,
                          left_out_consequence(type));
  }
}

void Assembler::warn_of_types() {
  if (!not_plain_.empty())
    builder_.warn(
        "reduced integration, incompatible modes, hybrid and modified formulations aren't known here; these elements "
        "are fully integrated: " +
        list(not_plain_));
  if (!not_mechanical_.empty())
    builder_.warn("elements of heat transfer, acoustics or flow are taken as solids: " + list(not_mechanical_));
}

void Assembler::fail_without_solids() const {
  if (others_.empty()) deck_.fail_whole_file("the deck has no elements");
  std::map<std::string, std::int64_t> counts;
  for (const auto& [type, others] : others_) counts[type] = others.count;
  deck_.fail_whole_file("the deck has no volume elements, only " + list(counts) +
                        "; make a volume mesh of the surface first, for example with Gmsh or TetGen");
}

VolumeMesh Assembler::assemble() {
  for (std::string& warning : model_.warnings) builder_.warn(std::move(warning));
  find_parts();
  place_parts();
  if (builder_.element_count() == 0) fail_without_solids();
  AbaqusSets sets(deck_, placed_, model_.assembly);
  const PlacedDeck placed{deck_, model_, placed_, element_places_};
  assign_abaqus_regions(placed, sets, builder_);
  add_vertex_sets(sets);
  warn_of_types();
  VolumeMesh mesh = builder_.finish();
  const AbaqusFrames frames(deck_, model_.transforms, sets, mesh);
  AbaqusLinks links(placed, sets, frames, is_in_solid_, mesh, model_.left_out);
  attach_abaqus_supports(placed, sets, links, mesh, model_.left_out);
  join_abaqus_mpcs(placed, sets, links, mesh, model_.left_out);
  if (model_.wants_loads) attach_abaqus_loads(placed, sets, links, mesh, model_);
  leave_out_elements(attach_abaqus_elements(placed, sets, links, mesh, model_.left_out));
  mesh.warnings.insert(mesh.warnings.end(), sets.warnings().begin(), sets.warnings().end());
  if (!model_.left_out.empty()) mesh.warnings.push_back(model_.left_out.warning(deck_));
  mesh.names_ignore_case = true;
  return mesh;
}

}  // namespace

VolumeMesh assemble_abaqus(const Deck& deck, AbaqusModel& model) {
  return Assembler(deck, model).assemble();
}

}  // namespace quartic::io
