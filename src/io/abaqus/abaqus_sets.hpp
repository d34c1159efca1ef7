// Node sets and element sets of an Abaqus deck: what is in them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/abaqus_deck/abaqus_deck.hpp"
#include "io/abaqus_deck/abaqus_model.hpp"

namespace quartic::io {

/// A part as it stands in the mesh. Positions count the nodes and the elements of all placed parts.
struct PlacedPart {
  const AbaqusPart* part = nullptr;
  std::string name;             ///< of the instance; empty for what stands outside of parts
  std::int64_t first_node = 0;  ///< position of its first node; -1 if its nodes are left out
  std::int64_t first_element = 0;
};

enum class SetKind : std::uint8_t { nodes, elements };

/// Looks up what belongs to sets. The deck and the parts must outlive it.
class AbaqusSets {
 public:
  /// @param parts the first is what stands outside of parts
  /// @param assembly its name, which sets that aren't a part's may be named with
  AbaqusSets(const Deck& deck, const std::vector<PlacedPart>& parts, std::string assembly);

  /// The members of a set of this part, ascending, each once.
  /// @param wanted nodes of an element set are those of its elements
  /// @throws ParseError if it names another set that isn't there
  std::vector<std::int64_t> members(const PlacedPart& where, SetKind kind, const AbaqusSet& set, SetKind wanted);
  /// The nodes that a keyword outside of parts names: by number or set, or either behind an instance's name and a
  /// point. @throws ParseError that begins with the keyword
  std::vector<std::int64_t> nodes(const std::string& target, Place place, const std::string& keyword);
  /// The nodes of an element in the order in which it has them; -1 for one that isn't in the mesh.
  [[nodiscard]] std::vector<std::int64_t> nodes_of(std::int64_t element) const;
  /// Its type as the deck has it, in upper case.
  [[nodiscard]] const std::string& type_of(std::int64_t element) const;
  /// The elements of a set of this part; none if the deck doesn't define it.
  std::vector<std::int64_t> elements(const PlacedPart& where, const std::string& set, Place place);

  /// About numbers in sets that the deck doesn't have.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Task;
  struct Work;

  void add_piece(const Task& task, const SetPiece& piece, Work& work) const;
  bool add_name(const PlacedPart& where, SetKind kind, std::string_view name, Place place, Work& work) const;
  static bool add_own_name(const PlacedPart& where, SetKind kind, std::string_view name, Place place, Work& work);
  bool add_name_of_instance(SetKind kind, std::string_view name, Place place, Work& work) const;
  void add_all(Work& work);
  [[nodiscard]] const PlacedPart* find_part(std::string_view name) const;
  [[nodiscard]] const PlacedPart& part_of(std::int64_t element) const;

  const Deck& deck_;
  const std::vector<PlacedPart>& parts_;
  std::string assembly_;
  std::map<std::string, const PlacedPart*, std::less<>> by_key_;
  std::int64_t looks_ = 0;  // into sets, for all sets together
  std::set<const AbaqusSet*> warned_;
  std::vector<std::string> warnings_;
};

}  // namespace quartic::io
