// What an Abaqus deck says about its mesh, as it stands there: numbers are the deck's own, names aren't looked up yet,
// since keywords may come in any order.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/abaqus_deck/abaqus_deck.hpp"
#include "io/abaqus_deck/abaqus_left_out.hpp"
#include "io/abaqus_deck/abaqus_types.hpp"
#include "io/text/including_lines.hpp"
#include "io/text/numbering.hpp"
#include "quartic/loads.hpp"
#include "quartic/material.hpp"

namespace quartic::io {

/// Things with names, in the order of the deck, found whatever the names' case.
template <class T>
class NamedList {
 public:
  /// The one of this name, which is made where there is none.
  T& get(std::string_view name) {
    const auto [entry, is_new] = by_key_.try_emplace(abaqus_key(name), items_.size());
    if (is_new) items_.emplace_back().name = name;
    return items_[entry->second];
  }
  [[nodiscard]] const T* find(std::string_view name) const {
    const auto found = by_key_.find(abaqus_key(name));
    return found == by_key_.end() ? nullptr : &items_[found->second];
  }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] auto begin() const { return items_.begin(); }
  [[nodiscard]] auto end() const { return items_.end(); }

 private:
  std::deque<T> items_;  // so that they stay where they are
  std::map<std::string, std::size_t, std::less<>> by_key_;
};

/// Positions from `begin` up to before `end`.
struct IndexRange {
  std::int64_t begin = 0, end = 0;
};

/// A line of a set with GENERATE.
struct GeneratedIds {
  std::int64_t first = 0, last = 0, step = 1;
};

/// What one *NSET or *ELSET adds to a set.
struct SetPiece {
  Place place;
  std::string instance;  ///< whose numbers are meant; empty for those of the set's own part
  std::vector<std::int64_t> ids;
  std::vector<GeneratedIds> generated;
  std::vector<std::string> names;  ///< other sets, or `INSTANCE.NUMBER`
  std::string nodes_of;            ///< an element set whose nodes belong to this node set; may be empty
};

struct AbaqusSet {
  std::string name;              ///< as first written
  std::vector<IndexRange> rows;  ///< nodes or elements that were named on their own keyword's line
  std::vector<SetPiece> pieces;
};

/// Elements of one type, in the order of the deck.
struct ElementRows {
  std::string type_name;  ///< in upper case
  AbaqusType type;
  IndexRange elements;              ///< their positions among all of the part
  std::vector<std::int64_t> nodes;  ///< the deck's numbers, row by row
  std::vector<std::size_t> ends;    ///< where each row ends, if they aren't all equally long
  std::vector<Place> places;

  /// Where row `r`'s nodes begin and end.
  [[nodiscard]] std::pair<std::size_t, std::size_t> row(std::size_t r) const {
    if (type.shape) {
      const auto width = static_cast<std::size_t>(element_vertex_count(*type.shape));
      return {r * width, (r + 1) * width};
    }
    return {r == 0 ? 0 : ends[r - 1], ends[r]};
  }
};

struct SolidSection {
  std::string elset, material;  ///< the material's name may be missing
  Place place;
};

/// A *SPRING, which each element of a set has.
struct AbaqusSpring {
  std::string keyword, elset;
  std::vector<std::int64_t> directions;  ///< of one node or of two; empty: along the element
  double stiffness = 0;
  Place place;
};

/// A *ROTARY INERTIA, which each element of a set has.
struct AbaqusInertia {
  std::string keyword, elset;
  std::array<double, 6> tensor{};  ///< xx, yy, zz, xy, xz, yz
  Place place;
};

/// A *MASS or *NONSTRUCTURAL MASS.
struct AbaqusMass {
  std::string keyword;  ///< as written
  std::string elset;    ///< of point masses, each of which has the mass; empty if all have it together
  double mass = 0;
  Place place;
};

/// Nodes and elements that are numbered together: a part, or what is in none.
struct AbaqusPart {
  std::string name;
  Place place;
  Numbering nodes, elements;
  std::vector<std::int64_t> node_ids, element_ids;
  std::vector<double> positions;  ///< shape (nodes, 3)
  std::vector<ElementRows> rows;
  NamedList<AbaqusSet> node_sets, element_sets;
  std::vector<SolidSection> sections;
  std::vector<AbaqusMass> masses;
  std::vector<AbaqusInertia> inertias;
  std::vector<AbaqusSpring> springs;
};

/// A part with its place in space.
struct AbaqusInstance {
  std::string name;
  const AbaqusPart* part = nullptr;  ///< null until the part is looked up
  std::string part_name;
  Place place;
  std::array<double, 3> translation{};
  std::optional<std::array<double, 7>> rotation;  ///< two points of the axis, and the angle in degrees, after the shift
};

struct AbaqusMaterial {
  std::string name;
  Place place;
  std::optional<std::array<double, 2>> elastic;        ///< Young's modulus and Poisson's ratio
  std::optional<std::array<double, 3>> mooney_rivlin;  ///< of *HYPERELASTIC: C10, C01 and the bulk modulus
  std::optional<double> density;
  std::optional<double> expansion;  ///< [1/K]
};

/// A data line of *BOUNDARY.
struct BoundaryLine {
  std::string target;       ///< a node's number or a node set's name
  unsigned directions = 0;  ///< as of FixedDirections
  Place place;
  bool is_in_step = false;
};

/// A *TRANSFORM: local directions of a node set.
struct AbaqusTransform {
  std::string target;
  char kind = 'R';  ///< R: axes through two points, C: cylindrical, S: spherical
  std::array<double, 6> points{};
  Place place;
};

struct EquationTerm {
  std::string target;          ///< as in BoundaryLine
  std::int64_t direction = 0;  ///< from 1
  double factor = 0;
};

/// One equation of an *EQUATION.
struct AbaqusEquation {
  std::vector<EquationTerm> terms;
  Place place;
};

/// A data line of *SURFACE.
struct SurfacePiece {
  std::string target, face;  ///< an element, a set of elements or of nodes; S1, S2, ... in upper case, or empty
  Place place;
};

struct AbaqusSurface {
  std::string name;
  bool is_of_nodes = false;
  std::vector<SurfacePiece> pieces;
};

/// A data line of *TIE.
struct AbaqusTie {
  std::string keyword, origin;      ///< as written, and with its name
  std::string follower, leader;     ///< surfaces
  std::optional<double> tolerance;  ///< the farthest that a tied node may be from the other surface [m]
  Place place;
};

enum class LinkedKind : std::uint8_t { surface, nodes, elements };

/// What moves with a reference node, rigidly or in the mean: of *COUPLING, *KINEMATIC COUPLING, *RIGID BODY and *MPC of
/// type BEAM.
struct AbaqusLink {
  struct Members {
    LinkedKind kind{};
    std::string target;
    unsigned directions = 7;  ///< bit d: they follow along axis d
  };
  std::string keyword, origin;  ///< as written, and with its name
  std::string reference;
  std::string rotation_node;  ///< whose displacements are the reference's rotations, as in CalculiX; may be empty
  std::vector<Members> members;
  std::optional<bool> is_mean;  ///< nothing: the deck doesn't say
  bool has_rotations = true;    ///< of a mean: the reference turns with it
  std::string trouble;          ///< why it can't be done; empty if it can
  Place place;
};

/// A line of *MPC but BEAM.
struct AbaqusMpc {
  std::string keyword, type;  ///< the type in upper case
  std::vector<std::string> targets;
  Place place;
};

/// A data line of *CLOAD, *DLOAD or *DSLOAD of the first step.
struct AbaqusLoad {
  std::string name, keyword;  ///< in upper case, and as written
  std::string target, label;  ///< label in upper case: a direction, P1, GRAV, ...
  std::vector<double> numbers = {};
  Place place;
  bool is_refused = false;  ///< it can't be read, or isn't a constant load
};

/// A data line of *TEMPERATURE of the first step, or of *INITIAL CONDITIONS of this type.
struct AbaqusTemperature {
  std::string keyword, target;  ///< as written
  double temperature = 0;
  bool is_initial = false;
  Place place;
};

struct AbaqusModel {
  AbaqusPart root;  ///< what stands outside of parts, in the assembly as well
  std::vector<std::unique_ptr<AbaqusPart>> parts;
  std::deque<AbaqusInstance> instances;
  NamedList<AbaqusMaterial> materials;
  std::vector<BoundaryLine> boundary;
  std::vector<AbaqusTransform> transforms;
  std::vector<AbaqusEquation> equations;
  NamedList<AbaqusSurface> surfaces;  ///< that stand outside of parts
  std::vector<AbaqusTie> ties;
  std::vector<AbaqusLink> links;
  std::vector<AbaqusMpc> mpcs;
  std::vector<AbaqusLoad> loads;
  std::vector<AbaqusTemperature> temperatures;
  bool wants_loads = false;  ///< else nobody asks what they come to
  Loads attached_loads;      ///< what they come to
  LeftOut loads_left_out;
  std::string assembly;  ///< its name; may be empty
  LeftOut left_out;
  std::vector<std::string> warnings;
};

}  // namespace quartic::io
