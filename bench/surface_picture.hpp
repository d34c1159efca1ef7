// Shaded pictures of deformed bodies as SVG: triangles, the farthest first.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "quartic/mesh.hpp"

namespace quartic::bench {

/// Where a body stands in the picture, as seen from the direction (1, -1.2, 0.7).
struct Placement {
  double x = 0, y = 0;     ///< [pixels] of the origin
  double pixels = 500;     ///< per metre
  std::string label = {};  ///< below it
};

/// The boundary surface of a mesh at displacement `u` (3n) as SVG elements.
[[nodiscard]] std::string surface_picture(const VolumeMesh& mesh, std::span<const double> u,
                                          const Placement& placement);

/// Wraps SVG elements to a document of a white page.
[[nodiscard]] std::string svg_page(double width, double height, const std::string& elements);

}  // namespace quartic::bench
