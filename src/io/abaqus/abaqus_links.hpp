// Nodes outside of solids that move with others: reference nodes of couplings and rigid bodies.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/supports/set_motion.hpp"
#include "io/abaqus/abaqus_frames.hpp"
#include "io/abaqus/abaqus_regions.hpp"
#include "io/abaqus/abaqus_sets.hpp"
#include "io/abaqus_deck/abaqus_left_out.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

/// Finds what moves each reference node, and joins what moves rigidly. Links that share a node outside of solids are
/// one, since such a node has one motion.
class AbaqusLinks {
 public:
  using Terms = std::vector<DisplacementTerm>;

  /// All must outlive this object. Adds joints to the mesh; links that can't be made are told.
  /// @param is_in_solid of each vertex
  AbaqusLinks(const PlacedDeck& deck, AbaqusSets& sets, const AbaqusFrames& frames,
              const std::vector<bool>& is_in_solid, VolumeMesh& mesh, LeftOut& left_out);

  [[nodiscard]] bool is_in_solid(std::int64_t node) const {
    return node >= 0 && is_in_solid_[static_cast<std::size_t>(node)];
  }
  /// True for a node outside of solids that takes part in a motion, or stands for the rotations of one that does.
  [[nodiscard]] bool is_linked(std::int64_t node) const {
    return movers_.contains(node) || rotation_of_.contains(node);
  }
  /// The motion that a node outside of solids takes part in; null if there is none.
  [[nodiscard]] const SetMotion* motion(std::int64_t node) const;
  /// True where a node has a motion, and rotations with it.
  [[nodiscard]] bool turns(std::int64_t node) const;

  /// A node's displacement along its own direction 1 to 3, or its rotation about 4 to 6, as a sum over vertices of
  /// solids; nothing if it has none. Directions are those of *TRANSFORM, or else global ones.
  [[nodiscard]] std::optional<Terms> degree(std::int64_t node, std::int64_t direction, bool is_global = false) const;
  /// Its displacement along a direction in global axes.
  [[nodiscard]] std::optional<Terms> displacement(std::int64_t node, const std::array<double, 3>& direction) const;

  /// sum += factor times terms
  static void add_scaled(const Terms& terms, double factor, Terms& sum);

  /// Makes a vertex outside of solids follow its motion; false if it has none.
  bool lead(std::int64_t node);
  /// Adds a vertex that moves with a node which has a motion. @return its number
  std::int32_t add_point(std::int64_t node, const std::array<double, 3>& x);

 private:
  struct Resolved;
  struct Cluster;

  std::optional<Resolved> resolve(const AbaqusLink& link);
  [[nodiscard]] bool is_amid(const Resolved& link) const;
  void make(const Cluster& cluster, const std::vector<Resolved>& links);
  void equate(const SetMotion& first, const SetMotion& second, const Resolved& link);
  void tell_of_far_references(const std::vector<Resolved>& links);
  void follow(std::int32_t vertex, const SetMotion& motion, const std::string& origin);
  void leave_out(const AbaqusLink& link, const std::string& why);
  [[nodiscard]] std::array<double, 3> position(std::int64_t node) const;

  const PlacedDeck& deck_;
  AbaqusSets& sets_;
  const AbaqusFrames& frames_;
  const std::vector<bool>& is_in_solid_;
  VolumeMesh& mesh_;
  LeftOut& left_out_;
  struct Mover {
    std::size_t motion = 0;  // in motions_
    std::string origin;
    bool turns = true;
    bool leads = false;  // its vertex follows already
  };
  std::vector<SetMotion> motions_;
  std::map<std::int64_t, Mover> movers_;              // by node
  std::map<std::int64_t, std::int64_t> rotation_of_;  // reference nodes, by the nodes that have their rotations
};

}  // namespace quartic::io
