// Neighbouring elements that lie against each other without sharing a face.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "quartic/mesh.hpp"

namespace quartic {

/// Counts boundary triangles that lie on an interface inside the body: a quadrilateral of four vertices that two sides
/// cut along different diagonals, or the same triangle from both sides.
/// @param triangles shape (t, 3), as from boundary_triangles
[[nodiscard]] std::int64_t interface_triangle_count(const VolumeMesh& mesh, std::span<const std::int32_t> triangles);

}  // namespace quartic
