#include "io/mesh/require_elements.hpp"

#include "quartic/error.hpp"

namespace quartic::io {

void require_elements(const VolumeMesh& mesh, const std::string& file) {
  if (mesh.element_count() > 0) return;
  if (mesh.skipped.empty()) throw ParseError(file, 0, "the file has no elements");
  std::string cells;
  for (const auto& [name, count] : mesh.skipped)
    cells += (cells.empty() ? "" : ", ") + std::to_string(count) + " of type " + name;
  throw ParseError(file, 0,
                   "the file has no volume elements, only cells of lower dimension (" + cells +
                       "); fill the surface with tetrahedra first, with Gmsh, TetGen or fTetWild");
}

}  // namespace quartic::io
