// Where USD's prims stand in the world.
#pragma once

#include <array>
#include <string>

#include "io/usd/usda_parser.hpp"

namespace quartic::io {

/// x -> linear x + offset.
struct UsdTransform {
  std::array<std::array<double, 3>, 3> linear = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  // rows
  std::array<double, 3> offset{};

  [[nodiscard]] std::array<double, 3> apply(const std::array<double, 3>& x) const;
  /// True if it turns right hands into left ones.
  [[nodiscard]] bool mirrors() const;
};

/// From a prim's own space to the world: its xformOps in the order of xformOpOrder, then those of what it stands in.
/// @param path of the prim, and `file`, for messages
/// @throws ParseError for operations that USD doesn't have, or that lack their value
[[nodiscard]] UsdTransform usd_transform(const UsdPrim& prim, const std::string& path, const UsdTransform& parent,
                                         const std::string& file);

}  // namespace quartic::io
