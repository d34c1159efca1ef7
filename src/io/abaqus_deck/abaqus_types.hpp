// The names of element types in Abaqus and CalculiX decks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quartic/mesh.hpp"

namespace quartic::io {

struct AbaqusType {
  bool is_solid = false;             ///< a volume element, whether it can be held or not
  std::optional<ElementType> shape;  ///< of solids that a VolumeMesh can hold; their nodes are in VTK's order
  bool is_plain = true;       ///< false for reduced integration, incompatible modes, hybrid and modified elements
  bool is_mechanical = true;  ///< false for heat transfer, acoustics and flow alone
};

/// What the type of this name in upper case is: "C3D8R". Names that aren't known count as no solids, since structural
/// elements have hundreds of them, and users add their own.
[[nodiscard]] AbaqusType abaqus_type(std::string_view name);

/// What a body lacks without elements of this type, which is no solid: "their stiffness is missing".
[[nodiscard]] std::string_view left_out_consequence(std::string_view name);

}  // namespace quartic::io
