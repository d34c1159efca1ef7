// The vertex whose displacement is plotted and compared.
#pragma once

#include <array>
#include <cstdint>

#include "quartic/snapshots.hpp"

namespace quartic::cli {

/// The vertex that is displaced farthest in any snapshot, and the direction of that displacement.
struct WatchedVertex {
  std::int32_t vertex = 0;
  std::array<double, 3> direction{};  ///< unit vector; zero if nothing moves
};
[[nodiscard]] WatchedVertex most_displaced(const Snapshots& snapshots);
/// The direction in which a given vertex is displaced farthest.
[[nodiscard]] WatchedVertex watch(const Snapshots& snapshots, std::int32_t vertex);

}  // namespace quartic::cli
