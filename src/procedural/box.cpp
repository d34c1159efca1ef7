#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

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
  if (options.type != ElementType::hex8 && options.type != ElementType::tet4 && options.type != ElementType::tet10)
    throw InputError("a box is made of hex8, tet4 or tet10, not of " + std::string(element_type_name(options.type)));
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

// Kuhn's six tetrahedra around the diagonal 0-6: the same in every cell, so that neighbours' faces match.
constexpr std::array<std::array<std::size_t, 4>, 6> kuhn_tetrahedra = {
    {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}};

// A middle between two fixed vertices is fixed, too.
void make_quadratic(ProceduralMesh& box) {
  box.mesh.vertex_sets["fixed"] = std::move(box.fixed_vertices);
  box.mesh = quartic::make_quadratic(std::move(box.mesh));
  box.fixed_vertices = std::move(box.mesh.vertex_sets["fixed"]);
  box.mesh.vertex_sets.clear();
}

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
  block.type = options.type == ElementType::hex8 ? ElementType::hex8 : ElementType::tet4;
  for (int k = 0; k < options.cells_z; ++k)
    for (int j = 0; j < options.cells_y; ++j)
      for (int i = 0; i < options.cells_x; ++i) {
        const auto corners = lattice.corners(i, j, k);
        if (options.type == ElementType::hex8) {
          block.vertices.insert(block.vertices.end(), corners.begin(), corners.end());
        } else {
          for (const auto& tetrahedron : kuhn_tetrahedra)
            for (const std::size_t corner : tetrahedron) block.vertices.push_back(corners[corner]);
        }
      }
  mesh.element_region.assign(static_cast<std::size_t>(mesh.element_count()), 0);
  mesh.regions.push_back({"box", options.material});
  if (options.type == ElementType::tet10) make_quadratic(result);
  return result;
}

ProceduralMesh make_beam(int resolution) {
  if (resolution < 1) throw InputError("a beam needs at least one cell along its length");
  const int across = std::max(2, resolution / 10);  // nearly cubes from resolution 20 on
  ProceduralMesh beam = make_box({.height = 0.08, .cells_x = resolution, .cells_y = across, .cells_z = across});
  beam.mesh.regions.front().name = "beam";
  return beam;
}

}  // namespace quartic
