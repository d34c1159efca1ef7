// Collects the polygons of a surface as triangles.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "quartic/surface.hpp"

namespace quartic::io {

class Polygons {
 public:
  /// Cutting takes cubic time.
  static constexpr std::size_t most_corners = 1000;

  /// Adds a polygon, cut into triangles.
  /// @param corners 3 to most_corners vertices of the mesh
  void add(TriangleMesh& mesh, std::span<const std::int32_t> corners);

 private:
  std::vector<std::array<double, 3>> positions_;
};

}  // namespace quartic::io
