// What is attached to a mesh, when its vertices get other numbers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic {

/// Of each vertex, whether an element has it.
[[nodiscard]] std::vector<bool> vertices_of_elements(const VolumeMesh& mesh);

/// Of each vertex, whether it belongs to no element, but follows others: it is the first one of a joint. Reference
/// points of rigid links and means are such vertices. @throws InputError for a joint's vertex out of range
[[nodiscard]] std::vector<bool> following_points(const VolumeMesh& mesh);

/// @param numbers the new number of each vertex; -1: dropped. What held such a vertex alone is left out
/// @throws InputError for an equation between vertices of which one is dropped, or a vertex out of range
void renumber(std::vector<Constraint>& constraints, std::span<const std::int32_t> numbers);

/// Supports by name, joints, masses and springs of a mesh.
/// @throws InputError also for a mass or a spring at a vertex that is dropped
void renumber_attachments(VolumeMesh& mesh, std::span<const std::int32_t> numbers);

/// Gives new vertices in the middle of edges what holds both ends along one direction, set by set.
/// @param ends of each new vertex's edge, in the order of their numbers, from `first` on
/// @throws InputError for a mesh with joints, which can't be carried over
void extend_supports(VolumeMesh& mesh, std::span<const std::array<std::int32_t, 2>> ends, std::int32_t first);

}  // namespace quartic
