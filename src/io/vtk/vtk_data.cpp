#include "io/vtk/vtk_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

std::string surface_sentence(const VolumeMesh& mesh) {
  std::string cells;
  for (const auto& [name, count] : mesh.skipped)
    cells += (cells.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  if (cells.empty()) return "the file has no cells";
  return "the file has no volume cells, only " + cells +
         ": make a volume mesh of the surface first, with Gmsh or TetGen for example";
}

// Bits of vtkDataSetAttributes::CellGhostTypes: cells that another piece has, and cells that are hidden.
bool is_ghost(double bits) {
  constexpr unsigned duplicate = 1, hidden = 32;
  return bits > 0 && bits < 256 && (static_cast<unsigned>(bits) & (duplicate | hidden)) != 0;
}

const VtkArray* ghosts_of(const VtkGrid& piece) {
  for (const VtkArray& array : piece.cell_arrays)
    if (array.name == ghost_array && array.values.size() == piece.types.size()) return &array;
  return nullptr;
}

// True if the normal of a wedge's first triangle points away from the second one.
bool faces_away(const VolumeMesh& mesh, std::span<const std::int32_t> wedge) {
  std::array<std::array<double, 3>, 3> edge{};  // from corner 0 to 1, 2, 3
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < 3; ++i)
      edge[i][c] = mesh.vertices[3 * static_cast<std::size_t>(wedge[i + 1]) + c] -
                   mesh.vertices[3 * static_cast<std::size_t>(wedge[0]) + c];
  double volume = 0;
  for (std::size_t c = 0; c < 3; ++c)
    volume += edge[2][c] * (edge[0][(c + 1) % 3] * edge[1][(c + 2) % 3] - edge[0][(c + 2) % 3] * edge[1][(c + 1) % 3]);
  return volume < 0;
}

// VTK's documents have a wedge's first triangle face away from the second one, but many programs write it the other way
// round, as quartic has it. Where all wedges of a file are of the first kind, that is no defect to be told.
void turn_wedges(VolumeMesh& mesh) {
  constexpr std::array<std::array<std::size_t, 2>, 5> swaps = {{{1, 2}, {4, 5}, {6, 8}, {9, 11}, {13, 14}}};
  for (ElementBlock& block : mesh.blocks) {
    if (block.type != ElementType::wedge6 && block.type != ElementType::wedge15) continue;
    const auto width = static_cast<std::size_t>(element_vertex_count(block.type));
    bool all_turned = true;
    for (std::int64_t e = 0; e < block.count() && all_turned; ++e) all_turned = faces_away(mesh, block.element(e));
    if (!all_turned) continue;
    for (std::size_t first = 0; first < block.vertices.size(); first += width)
      for (const auto& [a, b] : swaps)
        if (b < width) std::swap(block.vertices[first + a], block.vertices[first + b]);
  }
}

}  // namespace

void VtkMesh::fail(const VtkGrid& piece, std::size_t cell, const std::string& what) const {
  throw ParseError(file_, cell < piece.lines.size() ? piece.lines[cell] : piece.line,
                   "cell " + std::to_string(cell) + " " + what);
}

void VtkMesh::add(const VtkGrid& piece) {
  const std::int64_t first_point = builder_.vertex_count();
  add_points(piece);
  add_sets(piece, first_point);
  add_cells(piece, first_point);
}

void VtkMesh::add_points(const VtkGrid& piece) {
  const std::size_t count = piece.points.size() / 3;
  std::int64_t id = builder_.vertex_count();
  if (count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max() - id))
    throw ParseError(file_, piece.line, "the file has more points than 32-bit numbers can name");
  for (std::size_t p = 0; p < count; ++p) {
    const std::array<double, 3> x = {piece.points[3 * p], piece.points[3 * p + 1], piece.points[3 * p + 2]};
    if (!std::isfinite(x[0]) || !std::isfinite(x[1]) || !std::isfinite(x[2]))
      throw ParseError(file_, piece.line, "point " + std::to_string(p) + " has a coordinate that is no finite number");
    builder_.add_vertex(id++, x);
  }
}

// Arrays of bytes that are 0 or 1 tell which points belong to something; VTK's own of this kind begin with "vtk".
void VtkMesh::add_sets(const VtkGrid& piece, std::int64_t first_point) {
  std::vector<std::int32_t> set;
  for (const VtkArray& array : piece.point_arrays) {
    if (array.values.size() != piece.points.size() / 3 || array.name.empty() || array.name.starts_with("vtk")) continue;
    if (!std::all_of(array.values.begin(), array.values.end(), [](double value) { return value == 0 || value == 1; }))
      continue;
    set.clear();
    for (std::size_t p = 0; p < array.values.size(); ++p)
      if (array.values[p] == 1) set.push_back(static_cast<std::int32_t>(first_point + static_cast<std::int64_t>(p)));
    builder_.add_to_set(array.name, set);
  }
}

// The type of a cell with as many points as it has, which a mesh can hold or pass over.
const VtkCell& VtkMesh::cell_type(const VtkGrid& piece, std::size_t cell, std::int64_t points) const {
  const VtkCell* type = find_vtk_cell(piece.types[cell], points);
  if (type == nullptr)
    fail(piece, cell, "is of VTK's type " + std::to_string(piece.types[cell]) + ", which this version doesn't know");
  if (type->points != 0 && type->points != points)
    fail(piece, cell,
         "(" + std::string(type->name) + ") should have " + std::to_string(type->points) + " points, but has " +
             std::to_string(points));
  if (type->dimension == 3 && !type->type)
    fail(piece, cell,
         "is a " + std::string(type->name) +
             ", which can't be used; make the mesh of tetrahedra (4 or 10 points), hexahedra (8, 20), wedges (6, 15) "
             "or pyramids (5)");
  return *type;
}

void VtkMesh::take_nodes(const VtkGrid& piece, std::size_t cell, std::int64_t begin, std::int64_t first_point) {
  const auto point_count = static_cast<std::int64_t>(piece.points.size() / 3);
  nodes_.clear();
  for (std::int64_t n = begin; n < piece.ends[cell]; ++n) {
    const std::int64_t point = piece.nodes[static_cast<std::size_t>(n)];
    if (point < 0 || point >= point_count)
      fail(piece, cell,
           "refers to point " + std::to_string(point) + ", but there are " + std::to_string(point_count) +
               " points, numbered from 0");
    nodes_.push_back(static_cast<std::int32_t>(first_point + point));
  }
}

void VtkMesh::add_cells(const VtkGrid& piece, std::int64_t first_point) {
  constexpr const char* kinds[] = {"point ", "curve ", "surface "};
  pieces_with_cells_ += !piece.types.empty();
  regions_.begin_piece(piece.cell_arrays, piece.types.size(), builder_);
  const VtkArray* ghosts = ghosts_of(piece);
  const VtkCell* type = nullptr;
  std::int64_t begin = 0;
  for (std::size_t cell = 0; cell < piece.types.size(); begin = piece.ends[cell++]) {
    if (piece.ends[cell] < begin || piece.ends[cell] > std::ssize(piece.nodes))
      fail(piece, cell,
           "ends at " + std::to_string(piece.ends[cell]) + " in the list of " + std::to_string(piece.nodes.size()) +
               " points of cells, where it begins at " + std::to_string(begin) + ": the offsets are damaged");
    const std::int64_t size = piece.ends[cell] - begin;
    if (type == nullptr || type->number != piece.types[cell] || type->points != size)
      type = &cell_type(piece, cell, size);
    take_nodes(piece, cell, begin, first_point);
    if (ghosts != nullptr && is_ghost(ghosts->values[cell])) {
      builder_.skip_cell("ghost cell");
    } else if (type->type) {
      if (type->number == vtk_voxel) std::swap(nodes_[2], nodes_[3]), std::swap(nodes_[6], nodes_[7]);
      builder_.add_element(*type->type, nodes_, regions_.region_of(cell, builder_));
    } else {
      builder_.skip_cell(type->name);
      if (const auto number = regions_.number_of(cell); number != 0)
        builder_.add_to_set(kinds[type->dimension] + std::to_string(number), nodes_);
    }
  }
}

VolumeMesh VtkMesh::finish() {
  regions_.finish(builder_);
  if (pieces_with_cells_ > 1)
    builder_.warn("the file has " + std::to_string(pieces_with_cells_) +
                  " pieces, kept separate: coincident points are not joined");
  const bool has_elements = builder_.element_count() > 0;
  VolumeMesh mesh = builder_.finish();
  turn_wedges(mesh);
  if (!has_elements) throw ParseError(file_, 0, surface_sentence(mesh));
  return mesh;
}

}  // namespace quartic::io
