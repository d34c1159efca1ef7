#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/procedural/elements_of_type.hpp"
#include "quartic/error.hpp"
#include "quartic/procedural.hpp"

namespace quartic {

namespace {

void check(const BoxOptions& options) {
  for (const double extent : {options.length, options.width, options.height})
    if (!(extent > 0) || !std::isfinite(extent)) throw InputError("a box needs positive, finite extents");
  double vertices = 1;
  for (const int cells : {options.cells_x, options.cells_y, options.cells_z}) {
    if (cells < 1) throw InputError("a box needs at least one cell along each axis");
    vertices *= cells + 1.0;
  }
  if (vertices > std::numeric_limits<std::int32_t>::max())
    throw InputError("a box of so many cells has more vertices than an index can hold (2147483647)");
  check_element_type(options.type, "box");
  check_material(options.material, "box");
}

/// Vertex numbers of a lattice, x fastest.
struct Lattice {
  int cells_x, cells_y;
  [[nodiscard]] std::int32_t vertex(int i, int j, int k) const { return i + (cells_x + 1) * (j + (cells_y + 1) * k); }
  /// The cell's corners in VTK order.
  [[nodiscard]] std::array<std::int32_t, 8> corners(int i, int j, int k) const {
    return {vertex(i, j, k),     vertex(i + 1, j, k),     vertex(i + 1, j + 1, k),     vertex(i, j + 1, k),
            vertex(i, j, k + 1), vertex(i + 1, j, k + 1), vertex(i + 1, j + 1, k + 1), vertex(i, j + 1, k + 1)};
  }
};

}  // namespace

ProceduralMesh make_box(const BoxOptions& options) {
  check(options);
  const Lattice lattice{options.cells_x, options.cells_y};
  ProceduralMesh result;
  VolumeMesh& mesh = result.mesh;
  for (int k = 0; k <= options.cells_z; ++k)
    for (int j = 0; j <= options.cells_y; ++j)
      for (int i = 0; i <= options.cells_x; ++i) {
        if (i == 0) result.fixed_vertices.push_back(lattice.vertex(i, j, k));
        mesh.vertices.push_back(options.length * i / options.cells_x);
        mesh.vertices.push_back(options.width * j / options.cells_y);
        mesh.vertices.push_back(options.height * k / options.cells_z);
      }

  ElementBlock& block = mesh.blocks.emplace_back();
  block.type = ElementType::hex8;
  for (int k = 0; k < options.cells_z; ++k)
    for (int j = 0; j < options.cells_y; ++j)
      for (int i = 0; i < options.cells_x; ++i) {
        const auto corners = lattice.corners(i, j, k);
        block.vertices.insert(block.vertices.end(), corners.begin(), corners.end());
      }
  mesh.element_region.assign(static_cast<std::size_t>(mesh.element_count()), 0);
  mesh.regions.push_back({"box", options.material});
  return elements_of_type(std::move(result), options.type);
}

ProceduralMesh make_beam(int resolution, ElementType type) {
  check_element_type(type, "beam");
  if (resolution < 1) throw InputError("a beam needs at least one cell along its length");
  const int across = std::max(2, resolution / 10);  // nearly cubes from resolution 20 on
  ProceduralMesh beam =
      make_box({.height = 0.08, .cells_x = resolution, .cells_y = across, .cells_z = across, .type = type});
  beam.mesh.regions.front().name = "beam";
  return beam;
}

}  // namespace quartic
