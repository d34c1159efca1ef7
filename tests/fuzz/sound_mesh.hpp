// What holds for every mesh that a reader returns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "quartic/mesh.hpp"

namespace quartic::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

inline void require_sound(const VolumeMesh& mesh) {
  const auto in_range = [&](std::int32_t v) { return v >= 0 && v < mesh.vertex_count(); };
  require(mesh.vertices.size() % 3 == 0);
  require(std::all_of(mesh.vertices.begin(), mesh.vertices.end(), [](double x) { return std::isfinite(x); }));
  for (const ElementBlock& block : mesh.blocks) {
    require(block.count() > 0);
    require(block.vertices.size() % static_cast<std::size_t>(element_vertex_count(block.type)) == 0);
    require(std::all_of(block.vertices.begin(), block.vertices.end(), in_range));
  }
  require(std::ssize(mesh.element_region) == mesh.element_count());
  for (const std::int32_t region : mesh.element_region) require(region >= -1 && region < std::ssize(mesh.regions));
  for (const auto& [name, set] : mesh.vertex_sets) {
    require(std::all_of(set.begin(), set.end(), in_range));
    require(std::is_sorted(set.begin(), set.end()));
  }
}

}  // namespace quartic::fuzz
