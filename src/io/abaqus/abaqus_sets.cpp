#include "io/abaqus/abaqus_sets.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "io/text/text.hpp"

namespace quartic::io {

/// A set whose members are still to be added.
struct AbaqusSets::Task {
  const PlacedPart* where;
  SetKind kind;
  const AbaqusSet* set;
};

/// How far a search is. Sets may name each other in circles, and many times over: each is looked at once.
struct AbaqusSets::Work {
  SetKind wanted{};
  std::vector<Task> pending;
  std::set<std::pair<const PlacedPart*, const AbaqusSet*>> seen;
  std::vector<std::int64_t> found;
  std::int64_t unknown_count = 0;
  std::int64_t unknown = 0;  // one of the numbers that the deck doesn't have
  Place unknown_place;

  void push(const PlacedPart& where, SetKind kind, const AbaqusSet& set) {
    if (seen.emplace(&where, &set).second) pending.push_back({&where, kind, &set});
  }
  /// @param position among the part's own
  void add_position(const PlacedPart& where, SetKind kind, std::int64_t position);
  void add_id(const PlacedPart& where, SetKind kind, std::int64_t id, Place place);
  void add_generated(const PlacedPart& where, SetKind kind, const GeneratedIds& ids);
};

namespace {

const Numbering& numbering(const AbaqusPart& part, SetKind kind) {
  return kind == SetKind::nodes ? part.nodes : part.elements;
}

const NamedList<AbaqusSet>& sets(const AbaqusPart& part, SetKind kind) {
  return kind == SetKind::nodes ? part.node_sets : part.element_sets;
}

const char* noun(SetKind kind) {
  return kind == SetKind::nodes ? "node" : "element";
}

// @param element its position in the part
const ElementRows& rows_of(const PlacedPart& where, std::int64_t element) {
  const auto& blocks = where.part->rows;
  const auto after = std::upper_bound(blocks.begin(), blocks.end(), element,
                                      [](std::int64_t e, const ElementRows& rows) { return e < rows.elements.begin; });
  return *std::prev(after);
}

void add_nodes_of(const PlacedPart& where, std::int64_t element, std::vector<std::int64_t>& found) {
  const ElementRows& rows = rows_of(where, element);
  const auto [begin, end] = rows.row(static_cast<std::size_t>(element - rows.elements.begin));
  for (std::size_t i = begin; i < end; ++i)
    if (const auto node = where.part->nodes.find(rows.nodes[i]); node >= 0) found.push_back(where.first_node + node);
}

/// Parts a name at its first point; the second half is empty if there is none.
std::pair<std::string_view, std::string_view> split_at_point(std::string_view name) {
  const auto point = name.find('.');
  if (point == std::string_view::npos) return {name, {}};
  return {name.substr(0, point), name.substr(point + 1)};
}

bool contains(const GeneratedIds& ids, std::int64_t id) {
  if (id < ids.first || id > ids.last) return false;
  return (static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(ids.first)) %
             static_cast<std::uint64_t>(ids.step) ==
         0;
}

}  // namespace

void AbaqusSets::Work::add_position(const PlacedPart& where, SetKind kind, std::int64_t position) {
  const bool are_nodes_left_out = wanted == SetKind::nodes && where.first_node < 0;
  if (are_nodes_left_out) return;
  if (kind != wanted) return add_nodes_of(where, position, found);
  found.push_back(position + (kind == SetKind::nodes ? where.first_node : where.first_element));
}

void AbaqusSets::Work::add_id(const PlacedPart& where, SetKind kind, std::int64_t id, Place place) {
  const auto position = numbering(*where.part, kind).find(id);
  if (position >= 0) return add_position(where, kind, position);
  if (unknown_count++ > 0) return;
  unknown = id;
  unknown_place = place;
}

// Numbers that the deck doesn't have are no mistake here. There may be far more of them than nodes.
void AbaqusSets::Work::add_generated(const PlacedPart& where, SetKind kind, const GeneratedIds& ids) {
  const auto& all = kind == SetKind::nodes ? where.part->node_ids : where.part->element_ids;
  const auto span = (static_cast<std::uint64_t>(ids.last) - static_cast<std::uint64_t>(ids.first)) /
                    static_cast<std::uint64_t>(ids.step);
  if (span >= all.size()) {
    for (std::size_t position = 0; position < all.size(); ++position)
      if (contains(ids, all[position])) add_position(where, kind, static_cast<std::int64_t>(position));
    return;
  }
  for (std::uint64_t i = 0; i <= span; ++i) {
    const auto id =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(ids.first) + i * static_cast<std::uint64_t>(ids.step));
    if (const auto position = numbering(*where.part, kind).find(id); position >= 0) add_position(where, kind, position);
  }
}

AbaqusSets::AbaqusSets(const Deck& deck, const std::vector<PlacedPart>& parts, std::string assembly)
    : deck_(deck), parts_(parts), assembly_(std::move(assembly)) {
  for (const PlacedPart& part : parts) by_key_.emplace(abaqus_key(part.name), &part);
}

const PlacedPart* AbaqusSets::find_part(std::string_view name) const {
  const auto found = by_key_.find(abaqus_key(name));
  return found == by_key_.end() ? nullptr : found->second;
}

bool AbaqusSets::add_own_name(const PlacedPart& where, SetKind kind, std::string_view name, Place place, Work& work) {
  if (const auto id = parse_integer(name)) {
    work.add_id(where, kind, *id, place);
    return true;
  }
  const AbaqusSet* const set = sets(*where.part, kind).find(name);
  if (set == nullptr) return false;
  work.push(where, kind, *set);
  return true;
}

bool AbaqusSets::add_name_of_instance(SetKind kind, std::string_view name, Place place, Work& work) const {
  const auto [instance, rest] = split_at_point(name);
  const PlacedPart* const part = rest.empty() ? nullptr : find_part(instance);
  return part != nullptr && part != parts_.data() && add_own_name(*part, kind, rest, place, work);
}

// What stands outside of parts may be named with the assembly's name: `SET`, `INSTANCE.SET`, `ASSEMBLY.SET`,
// `ASSEMBLY.INSTANCE.SET`.
bool AbaqusSets::add_name(const PlacedPart& where, SetKind kind, std::string_view name, Place place, Work& work) const {
  if (add_own_name(where, kind, name, place, work)) return true;
  if (&where != parts_.data()) return false;
  if (add_name_of_instance(kind, name, place, work)) return true;
  const auto [assembly, rest] = split_at_point(name);
  if (rest.empty() || !equal_ignoring_case(assembly, assembly_)) return false;
  return add_own_name(where, kind, rest, place, work) || add_name_of_instance(kind, rest, place, work);
}

void AbaqusSets::add_piece(const Task& task, const SetPiece& piece, Work& work) const {
  const PlacedPart* const instance = piece.instance.empty() ? task.where : find_part(piece.instance);
  if (instance == nullptr)
    deck_.fail(piece.place, "set " + quote(task.set->name) + " is of instance " + quote(piece.instance) +
                                ", which the deck doesn't define");
  const PlacedPart& where = *instance;
  for (const auto id : piece.ids) work.add_id(where, task.kind, id, piece.place);
  for (const auto& ids : piece.generated) work.add_generated(where, task.kind, ids);
  const auto add_set = [&](SetKind kind, const std::string& name) {
    // Names in a set of the assembly may also be the assembly's.
    if (add_name(where, kind, name, piece.place, work) || add_name(*task.where, kind, name, piece.place, work)) return;
    deck_.fail(piece.place, "set " + quote(task.set->name) + " names the " + noun(kind) + " set " + quote(name) +
                                ", which the deck doesn't define");
  };
  for (const auto& name : piece.names) add_set(task.kind, name);
  if (!piece.nodes_of.empty()) add_set(SetKind::elements, piece.nodes_of);
}

// Sets that name each other in long chains are looked through once for each set of the chain.
void AbaqusSets::add_all(Work& work) {
  constexpr std::int64_t most_looks = 2'000'000;
  while (!work.pending.empty()) {
    const Task task = work.pending.back();
    work.pending.pop_back();
    if (++looks_ > most_looks)
      deck_.fail(task.set->pieces.empty() ? Place() : task.set->pieces.front().place,
                 "sets name each other more often than " + std::to_string(most_looks) +
                     " times in all; list what is in them instead");
    for (const auto& rows : task.set->rows)
      for (auto position = rows.begin; position < rows.end; ++position)
        work.add_position(*task.where, task.kind, position);
    for (const auto& piece : task.set->pieces) add_piece(task, piece, work);
  }
  std::sort(work.found.begin(), work.found.end());
  work.found.erase(std::unique(work.found.begin(), work.found.end()), work.found.end());
}

std::vector<std::int64_t> AbaqusSets::members(const PlacedPart& where, SetKind kind, const AbaqusSet& set,
                                              SetKind wanted) {
  Work work;
  work.wanted = wanted;
  work.push(where, kind, set);
  add_all(work);
  if (work.unknown_count > 0 && warned_.insert(&set).second)
    warnings_.push_back(deck_.text(work.unknown_place) + ": set " + quote(set.name) + " names " +
                        std::to_string(work.unknown_count) + " numbers that no " + noun(kind) + " has (" +
                        std::to_string(work.unknown) + "); they are left out");
  return std::move(work.found);
}

std::vector<std::int64_t> AbaqusSets::nodes(const std::string& target, Place place, const std::string& keyword) {
  Work work;
  work.wanted = SetKind::nodes;
  if (!add_name(parts_.front(), SetKind::nodes, target, place, work))
    deck_.fail(place, keyword + " names the node set " + quote(target) + ", which the deck doesn't define");
  if (work.unknown_count > 0)
    deck_.fail(place, keyword + " names node " + std::to_string(work.unknown) + ", which the deck doesn't define");
  add_all(work);
  return std::move(work.found);
}

const PlacedPart& AbaqusSets::part_of(std::int64_t element) const {
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), element,
                                      [](std::int64_t e, const PlacedPart& part) { return e < part.first_element; });
  return *std::prev(after);
}

std::vector<std::int64_t> AbaqusSets::nodes_of(std::int64_t element) const {
  const PlacedPart& where = part_of(element);
  const ElementRows& rows = rows_of(where, element - where.first_element);
  const auto [begin, end] = rows.row(static_cast<std::size_t>(element - where.first_element - rows.elements.begin));
  std::vector<std::int64_t> nodes;
  for (std::size_t i = begin; i < end; ++i) {
    const auto node = where.part->nodes.find(rows.nodes[i]);
    nodes.push_back(node < 0 || where.first_node < 0 ? -1 : where.first_node + node);
  }
  return nodes;
}

const std::string& AbaqusSets::type_of(std::int64_t element) const {
  const PlacedPart& where = part_of(element);
  return rows_of(where, element - where.first_element).type_name;
}

std::vector<std::int64_t> AbaqusSets::elements(const PlacedPart& where, const std::string& set, Place place) {
  Work work;
  work.wanted = SetKind::elements;
  if (add_name(where, SetKind::elements, set, place, work)) add_all(work);
  return std::move(work.found);
}

}  // namespace quartic::io
