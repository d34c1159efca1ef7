// Shapes are made of hexahedra, which are split where tetrahedra are asked for.
#pragma once

#include <string>

#include "quartic/procedural.hpp"

namespace quartic {

/// @throws InputError unless the type is hex8, tet4 or tet10
void check_element_type(ElementType type, const std::string& shape);

/// A shape of hex8 made of elements of this type: hex8, tet4 or tet10.
[[nodiscard]] ProceduralMesh elements_of_type(ProceduralMesh shape, ElementType type);

}  // namespace quartic
