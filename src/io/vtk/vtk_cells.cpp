#include "io/vtk/vtk_cells.hpp"

namespace quartic::io {
namespace {

// vtkCellType.h. Lagrange cells have VTK's own order of points up to the second order of a tetrahedron, and up to the
// first of the others. A type's row without a fixed number of points comes behind those with one.
constexpr VtkCell cells[] = {
    {0, "empty cell", 0, 0},
    {1, "vertex", 0, 1},
    {2, "vertices", 0, 0},
    {3, "line", 1, 2},
    {4, "polyline", 1, 0},
    {5, "tri", 2, 3},
    {6, "triangle strip", 2, 0},
    {7, "polygon", 2, 0},
    {8, "pixel", 2, 4},
    {9, "quad", 2, 4},
    {10, "tet4", 3, 4, ElementType::tet4},
    {vtk_voxel, "voxel", 3, 8, ElementType::hex8},
    {12, "hex8", 3, 8, ElementType::hex8},
    {13, "wedge6", 3, 6, ElementType::wedge6},
    {14, "pyramid5", 3, 5, ElementType::pyramid5},
    {15, "pentagonal prism", 3, 10},
    {16, "hexagonal prism", 3, 12},
    {21, "line3", 1, 3},
    {22, "tri6", 2, 6},
    {23, "quad8", 2, 8},
    {24, "tet10", 3, 10, ElementType::tet10},
    {25, "hex20", 3, 20, ElementType::hex20},
    {26, "wedge15", 3, 15, ElementType::wedge15},
    {27, "13-node pyramid", 3, 13},
    {28, "quad9", 2, 9},
    {29, "27-node hexahedron", 3, 27},
    {30, "quad6", 2, 6},
    {31, "12-node wedge", 3, 12},
    {32, "18-node wedge", 3, 18},
    {33, "24-node hexahedron", 3, 24},
    {34, "tri7", 2, 7},
    {35, "line4", 1, 4},
    {36, "quadratic polygon", 2, 0},
    {37, "19-node pyramid", 3, 19},
    {41, "convex point set", 3, 0},
    {42, "polyhedron", 3, 0},
    {68, "line", 1, 2},
    {68, "line3", 1, 3},
    {68, "Lagrange curve", 1, 0},
    {69, "tri", 2, 3},
    {69, "tri6", 2, 6},
    {69, "Lagrange triangle", 2, 0},
    {70, "quad", 2, 4},
    {70, "quad9", 2, 9},
    {70, "Lagrange quadrilateral", 2, 0},
    {71, "tet4", 3, 4, ElementType::tet4},
    {71, "tet10", 3, 10, ElementType::tet10},
    {71, "Lagrange tetrahedron", 3, 0},
    {72, "hex8", 3, 8, ElementType::hex8},
    {72, "Lagrange hexahedron", 3, 0},
    {73, "wedge6", 3, 6, ElementType::wedge6},
    {73, "Lagrange wedge", 3, 0},
    {74, "pyramid5", 3, 5, ElementType::pyramid5},
    {74, "Lagrange pyramid", 3, 0},
    {75, "Bezier curve", 1, 0},
    {76, "Bezier triangle", 2, 0},
    {77, "Bezier quadrilateral", 2, 0},
    {78, "Bezier tetrahedron", 3, 0},
    {79, "Bezier hexahedron", 3, 0},
    {80, "Bezier wedge", 3, 0},
    {81, "Bezier pyramid", 3, 0},
};

}  // namespace

const VtkCell* find_vtk_cell(std::int64_t number, std::int64_t points) {
  const VtkCell* first = nullptr;
  for (const VtkCell& cell : cells) {
    if (cell.number != number) continue;
    if (cell.points == 0 || cell.points == points) return &cell;
    if (first == nullptr) first = &cell;
  }
  return first;
}

}  // namespace quartic::io
