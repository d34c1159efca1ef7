// The tables that elements.cpp lists, a file per family.
#pragma once

#include "core/elements/elements.hpp"

namespace quartic {

[[nodiscard]] ElementTable tet4_table();
[[nodiscard]] ElementTable tet10_table();
[[nodiscard]] ElementTable hex8_table();
[[nodiscard]] ElementTable hex20_table();
[[nodiscard]] ElementTable wedge6_table();
[[nodiscard]] ElementTable wedge15_table();

/// The table of the quadratic type on the corners of a linear one: middles of the edges are put behind the corners, in
/// positions, faces and swaps. Shape functions and rules are left to the caller.
[[nodiscard]] ElementTable with_middles(const ElementTable& linear, ElementType type);

}  // namespace quartic
