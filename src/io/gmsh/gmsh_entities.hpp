// The entities of a Gmsh file of version 4: their physical groups, and the partitions that the mesh is cut into.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace quartic::io {

/// A tag is negative where the orientation is turned round. @throws ParseError
template <class Input>
std::int64_t gmsh_group_tag(Input& input) {
  const auto tag = input.integer("a physical group's tag");
  if (tag == std::numeric_limits<std::int64_t>::min()) input.fail("a physical group's tag is out of range");
  return std::abs(tag);
}

/// @throws ParseError if the value, a number of something, is negative
template <class Input>
std::int64_t gmsh_natural(Input& input, std::int64_t value, const char* what) {
  if (value < 0) input.fail(std::string(what) + " should not be negative");
  return value;
}

/// The same of the number that comes next.
template <class Input>
std::int64_t gmsh_count(Input& input, const char* what) {
  return gmsh_natural(input, input.wide_integer(what), what);
}

class GmshEntities {
 public:
  /// @param is_4_0 version 4.0, whose points have boxes
  /// @param binary whether what bounds an entity must be passed over
  GmshEntities(bool is_4_0, bool binary) : is_4_0_(is_4_0), binary_(binary) {}

  /// The content of $Entities.
  template <class Input>
  void read(Input& input) {
    read_all(input, false);
  }
  /// The content of $PartitionedEntities: entities that each are part of one in $Entities.
  template <class Input>
  void read_partitioned(Input& input);

  /// Tags of the physical groups that an entity is in.
  [[nodiscard]] std::span<const std::int64_t> groups(std::int64_t dimension, std::int64_t tag) const {
    const auto found = groups_.find({dimension, tag});
    return found == groups_.end() ? std::span<const std::int64_t>() : std::span(found->second);
  }
  /// True for copies of elements that belong to another partition.
  [[nodiscard]] bool are_ghosts(std::int64_t dimension, std::int64_t tag) const {
    return dimension == 3 && ghosts_.contains(tag);
  }
  /// The file has elements of this entity.
  void note_elements(std::int64_t dimension, std::int64_t tag) {
    if (const auto found = partitions_.find(tag); dimension == 3 && found != partitions_.end())
      present_.insert(found->second.begin(), found->second.end());
  }
  /// A sentence about partitions without volume elements in the file, or nothing.
  [[nodiscard]] std::string missing_partitions() const {
    const auto present = std::ssize(present_);
    if (present == 0 || present >= partition_count_) return {};
    return "the file has the elements of " + std::to_string(present) + " of the mesh's " +
           std::to_string(partition_count_) + " partitions; the others are in files of their own (Gmsh writes one " +
           "file with Mesh.PartitionSplitMeshFiles = 0)";
  }

 private:
  using Entity = std::pair<std::int64_t, std::int64_t>;  // dimension and tag

  template <class Input>
  void read_all(Input& input, bool are_partitioned);
  template <class Input>
  void read_partitions(Input& input, const Entity& entity);

  bool is_4_0_, binary_;
  std::map<Entity, std::vector<std::int64_t>> groups_;
  std::set<std::int64_t> ghosts_;                                 // tags of volumes
  std::map<std::int64_t, std::vector<std::int64_t>> partitions_;  // by tags of volumes
  std::set<std::int64_t> present_;                                // partitions of volumes with elements
  std::int64_t partition_count_ = 0;
};

template <class Input>
void GmshEntities::read_partitioned(Input& input) {
  input.begin_row("the number of partitions");
  partition_count_ = gmsh_count(input, "the number of partitions");
  input.begin_row("the number of ghost entities");
  const std::int64_t ghosts = gmsh_count(input, "the number of ghost entities");
  for (std::int64_t n = 0; n < ghosts; ++n) {
    input.begin_row("a ghost entity");
    ghosts_.insert(input.integer("a ghost entity's tag"));
    (void)input.integer("a ghost entity's partition");
  }
  read_all(input, true);
}

template <class Input>
void GmshEntities::read_partitions(Input& input, const Entity& entity) {
  (void)input.integer("a parent entity's dimension");
  (void)input.integer("a parent entity's tag");
  const std::int64_t count = gmsh_count(input, "an entity's number of partitions");
  for (std::int64_t p = 0; p < count; ++p) {
    const std::int64_t partition = input.integer("an entity's partition");
    if (entity.first == 3) partitions_[entity.second].push_back(partition);
  }
}

template <class Input>
void GmshEntities::read_all(Input& input, bool are_partitioned) {
  input.begin_row("the numbers of points, curves, surfaces and volumes");
  std::int64_t counts[4] = {};
  for (std::int64_t& count : counts) count = gmsh_count(input, "a number of entities");
  for (std::int64_t dimension = 0; dimension < 4; ++dimension)
    for (std::int64_t n = 0; n < counts[dimension]; ++n) {
      input.begin_row({"an entity of dimension", dimension});
      const Entity entity{dimension, input.integer("an entity's tag")};
      if (are_partitioned) read_partitions(input, entity);
      const int box = dimension == 0 && !is_4_0_ ? 3 : 6;
      for (int c = 0; c < box; ++c) (void)input.number("an entity's bounding box");
      const std::int64_t groups = gmsh_count(input, "an entity's number of physical groups");
      auto& of_entity = groups_[entity];
      std::set<std::int64_t> known(of_entity.begin(), of_entity.end());
      for (std::int64_t g = 0; g < groups; ++g)
        if (const std::int64_t group = gmsh_group_tag(input); known.insert(group).second) of_entity.push_back(group);
      if (dimension > 0 && binary_)  // what bounds it; in text, the rest of the line
        input.skip_integers(gmsh_count(input, "an entity's number of boundary entities"));
    }
}

}  // namespace quartic::io
