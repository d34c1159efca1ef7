// A list of vertices as a set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace quartic {

/// In ascending order, each once.
[[nodiscard]] inline std::vector<std::int32_t> distinct_vertices(std::span<const std::int32_t> vertices) {
  std::vector<std::int32_t> set(vertices.begin(), vertices.end());
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

}  // namespace quartic
