#include "io/abaqus_deck/abaqus_types.hpp"

#include <algorithm>
#include <iterator>

namespace quartic::io {
namespace {

struct Family {
  std::string_view start;
  bool is_mechanical;
};

// Solids by the start of their names; the number of nodes follows. SC and CSS are continuum shells.
constexpr Family families[] = {{"C3D", true},   {"Q3D", true},     {"EC3D", true}, {"DC3D", false}, {"DCC3D", false},
                               {"AC3D", false}, {"ACIN3D", false}, {"F3D", false}, {"SC", true},    {"CSS", true}};

struct Shape {
  std::string_view nodes;
  ElementType type;
};

// Corners run round the bottom and then the top; middle nodes stand on the bottom's edges, the top's, the upright ones,
// and those of a tetrahedron on 1-2, 2-3, 3-1, 1-4, 2-4, 3-4: VTK's order, too.
constexpr Shape shapes[] = {{"4", ElementType::tet4},  {"5", ElementType::pyramid5}, {"6", ElementType::wedge6},
                            {"8", ElementType::hex8},  {"10", ElementType::tet10},   {"15", ElementType::wedge15},
                            {"20", ElementType::hex20}};

struct OtherFamily {
  std::string_view start, consequence;
};

// What isn't here has both: shells, membranes, beams, trusses, user elements.
constexpr std::string_view they_join = "what they join moves on its own";
constexpr OtherFamily other_families[] = {{"SPRING", "their stiffness is missing"},
                                          {"DASHPOT", "their damping is missing"},
                                          {"MASS", "their mass is missing"},
                                          {"ROTARYI", "their inertia is missing"},
                                          {"CONN", they_join},
                                          {"JOINT", they_join},
                                          {"DCOUP", they_join},
                                          {"R3D", they_join},
                                          {"RB3D", they_join},
                                          {"GAP", "contact by them is missing"},
                                          {"SFM3D", "surfaces alone, without stiffness"}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

AbaqusType abaqus_type(std::string_view name) {
  AbaqusType type;
  const auto* const family = std::find_if(std::begin(families), std::end(families), [&](const Family& f) {
    return name.size() > f.start.size() && name.starts_with(f.start) && is_digit(name[f.start.size()]);
  });
  if (family == std::end(families)) return type;
  type.is_solid = true;
  type.is_mechanical = family->is_mechanical;
  name.remove_prefix(family->start.size());
  const auto nodes = name.substr(0, name.find_first_not_of("0123456789"));
  const auto variant = name.substr(nodes.size());
  // V has a variable number of nodes. A continuum shell's layers have their own stiffness across the thickness.
  const bool is_shell = family->start == "SC" || family->start == "CSS";
  if (is_shell || family->start == "ACIN3D" || variant.find_first_not_of("RIHMSTPED") != std::string_view::npos)
    return type;
  type.is_plain = !type.is_mechanical || variant.find_first_of("RIHMS") == std::string_view::npos;
  const auto* const shape =
      std::find_if(std::begin(shapes), std::end(shapes), [&](const Shape& s) { return s.nodes == nodes; });
  if (shape != std::end(shapes)) type.shape = shape->type;
  return type;
}

std::string_view left_out_consequence(std::string_view name) {
  const auto* const family = std::find_if(std::begin(other_families), std::end(other_families),
                                          [&](const OtherFamily& f) { return name.starts_with(f.start); });
  return family == std::end(other_families) ? "their stiffness and mass are missing" : family->consequence;
}

}  // namespace quartic::io
