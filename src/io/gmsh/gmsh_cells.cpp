#include "io/gmsh/gmsh_cells.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace quartic::io {
namespace {

using Places = std::array<std::uint8_t, 20>;

constexpr Places same = {0, 1, 2, 3, 4, 5, 6, 7};

// Gmsh puts the middle nodes of a second-order cell on these edges, and VTK on the edges 0-1, 1-2, 2-0, 0-3, 1-3, 2-3
// of a tetrahedron; 0-1, 1-2, 2-3, 3-0, then those of the top, then the upright ones of a hexahedron; 0-1, 1-2, 2-0,
// then top, then upright ones of a wedge. Tetrahedron: 0-1, 1-2, 2-0, 3-0, 3-2, 3-1.
constexpr Places tet10 = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
// Hexahedron: 0-1, 0-3, 0-4, 1-2, 1-5, 2-3, 2-6, 3-7, 4-5, 4-7, 5-6, 6-7.
constexpr Places hex20 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 9, 17, 10, 18, 19, 12, 15, 13, 14};
// Wedge: 0-1, 0-2, 0-3, 1-2, 1-4, 2-5, 3-4, 3-5, 4-5.
constexpr Places wedge15 = {0, 1, 2, 3, 4, 5, 6, 8, 12, 7, 13, 14, 9, 11, 10};

constexpr GmshCell cells[] = {
    {1, "line", 1, 2},
    {2, "tri", 2, 3},
    {3, "quad", 2, 4},
    {4, "tet4", 3, 4, ElementType::tet4, same},
    {5, "hex8", 3, 8, ElementType::hex8, same},
    {6, "wedge6", 3, 6, ElementType::wedge6, same},
    {7, "pyramid5", 3, 5, ElementType::pyramid5, same},
    {8, "line3", 1, 3},
    {9, "tri6", 2, 6},
    {10, "quad9", 2, 9},
    {11, "tet10", 3, 10, ElementType::tet10, tet10},
    {12, "27-node hexahedron", 3, 27},
    {13, "18-node wedge", 3, 18},
    {14, "14-node pyramid", 3, 14},
    {15, "vertex", 0, 1},
    {16, "quad8", 2, 8},
    {17, "hex20", 3, 20, ElementType::hex20, hex20},
    {18, "wedge15", 3, 15, ElementType::wedge15, wedge15},
    {19, "13-node pyramid", 3, 13},
    {20, "tri9", 2, 9},
    {21, "tri10", 2, 10},
    {22, "tri12", 2, 12},
    {23, "tri15", 2, 15},
    {24, "incomplete tri15", 2, 15},
    {25, "tri21", 2, 21},
    {26, "line4", 1, 4},
    {27, "line5", 1, 5},
    {28, "line6", 1, 6},
    {29, "20-node tetrahedron", 3, 20},
    {30, "35-node tetrahedron", 3, 35},
    {31, "56-node tetrahedron", 3, 56},
    {36, "quad16", 2, 16},
    {37, "quad25", 2, 25},
    {38, "quad36", 2, 36},
    {39, "quad12", 2, 12},
    {40, "incomplete quad16", 2, 16},
    {41, "quad20", 2, 20},
    {92, "64-node hexahedron", 3, 64},
    {93, "125-node hexahedron", 3, 125},
};

constexpr std::size_t number_end = 94;

// Places in `cells` by number; elements of large files are looked up one by one.
constexpr auto places = [] {
  std::array<std::int8_t, number_end> by_number{};
  by_number.fill(-1);
  for (std::size_t place = 0; place < std::size(cells); ++place)
    by_number[static_cast<std::size_t>(cells[place].number)] = static_cast<std::int8_t>(place);
  return by_number;
}();

}  // namespace

const GmshCell* find_gmsh_cell(std::int64_t number) {
  if (number < 0 || number >= std::int64_t{number_end}) return nullptr;
  const auto place = places[static_cast<std::size_t>(number)];
  return place < 0 ? nullptr : &cells[place];
}

const GmshCell& gmsh_cell_of(ElementType type) {
  return *std::find_if(std::begin(cells), std::end(cells), [type](const GmshCell& cell) { return cell.type == type; });
}

}  // namespace quartic::io
