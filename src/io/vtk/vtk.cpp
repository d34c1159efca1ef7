// VTK's legacy files (.vtk), versions 1.0 to 5.1: unstructured grids as text or binary. VTK File Formats, "Simple
// Legacy Formats".
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/text/text.hpp"
#include "io/text/words.hpp"
#include "io/vtk/vtk_arrays.hpp"
#include "io/vtk/vtk_attributes.hpp"
#include "io/vtk/vtk_data.hpp"
#include "io/vtk/vtk_formats.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

class VtkReader {
 public:
  explicit VtkReader(const MeshFile& file)
      : words_(file, '\0'), arrays_(words_), mesh_(file.path.string()), attributes_(words_, arrays_, mesh_, grid_) {}

  VolumeMesh read();

 private:
  void read_header();
  bool read_section(std::string_view keyword);
  void read_dataset();
  void read_points();
  void read_cells();
  void read_cells_of_text(std::int64_t count);
  void read_cells_of_bytes(std::int64_t count);
  void read_offsets(std::int64_t offset_count, std::int64_t node_count);
  VtkType read_list_head(std::string_view keyword);
  void read_cell_types();
  void complete_cell_types();

  Words words_;
  VtkArrays arrays_;
  VtkMesh mesh_;
  VtkGrid grid_;
  VtkAttributes attributes_;
  std::string_view pending_;  // a keyword that has been read already
  bool has_dataset_ = false, has_points_ = false, has_cells_ = false, has_types_ = false;
};

// ---- the file -----------------------------------------------------------------------------------------------------

void VtkReader::read_header() {
  constexpr std::string_view start = "# vtk DataFile Version ";
  std::string_view first = words_.rest_of_line();
  while (first.empty() && words_.remaining() > 0) {  // blank lines
    (void)words_.bytes(0, {});
    first = words_.rest_of_line();
  }
  if (!equal_ignoring_case(first.substr(0, start.size()), start))
    mesh_.warn("the first line should be '# vtk DataFile Version 3.0', for example; it is " + quote(first));
  if (const auto version = parse_number(cut_last_word(first)); version && *version >= 6)
    words_.fail("version " + format_number(*version) + " of VTK's legacy format can't be read; save the mesh as .vtu");
  (void)words_.bytes(0, {});
  const std::string_view title = words_.rest_of_line();
  const bool lacks_title = (equal_ignoring_case(title, "ASCII") || equal_ignoring_case(title, "BINARY")) &&
                           equal_ignoring_case(words_.peek(), "DATASET");
  if (lacks_title) mesh_.warn("the second line should be a title");
  const std::string_view kind = lacks_title ? title : words_.next();
  if (!equal_ignoring_case(kind, "ASCII") && !equal_ignoring_case(kind, "BINARY"))
    words_.fail("after the title, ASCII or BINARY is expected, not " + quote(kind));
  arrays_.set_binary(equal_ignoring_case(kind, "BINARY"));
}

VolumeMesh VtkReader::read() {
  read_header();
  while (true) {
    const std::string_view keyword = pending_.empty() ? words_.next() : std::exchange(pending_, {});
    if (keyword.empty()) break;
    if (read_section(keyword)) continue;
    if (!arrays_.is_binary() && parse_number(keyword))
      words_.fail("there are more numbers here than announced: " + quote(keyword) + " should be a keyword");
    if (!has_points_ || !has_cells_)
      words_.fail("a section (POINTS, CELLS, ...) should begin here, not " + quote(keyword));
    mesh_.warn("line " + std::to_string(words_.line()) + ": " + quote(keyword) +
               " isn't known; it and what follows are skipped");
    break;
  }
  if (!has_dataset_) words_.fail("the file has no DATASET (is it cut short?)");
  if (!has_points_) words_.fail("the file has no POINTS (is it cut short?)");
  if (!has_cells_) words_.fail("the file has no CELLS (is it cut short?)");
  complete_cell_types();
  mesh_.add(grid_);
  return mesh_.finish();
}

bool VtkReader::read_section(std::string_view keyword) {
  const auto is = [keyword](std::string_view word) { return equal_ignoring_case(keyword, word); };
  if (is("DATASET")) {
    read_dataset();
  } else if (is("POINTS")) {
    read_points();
  } else if (is("CELLS")) {
    read_cells();
  } else if (is("CELL_TYPES")) {
    read_cell_types();
  } else {
    return attributes_.read_section(keyword);
  }
  return true;
}

void VtkReader::read_dataset() {
  const std::string_view type = words_.next();
  if (has_dataset_) words_.fail("a second DATASET begins here; a file has one");
  has_dataset_ = true;
  if (equal_ignoring_case(type, "UNSTRUCTURED_GRID")) return;
  if (type.empty()) words_.fail("the file ends where the kind of data should be (is it cut short?)");
  if (equal_ignoring_case(type, "POLYDATA"))
    words_.fail("the file holds POLYDATA, a surface: make a volume mesh of it, with Gmsh or TetGen for example");
  words_.fail("the file holds " + quote(type) +
              ", not UNSTRUCTURED_GRID, which volume meshes are saved as (ParaView: Append Datasets makes one)");
}

// ---- points and cells -----------------------------------------------------------------------------------------

void VtkReader::read_points() {
  if (!has_dataset_) words_.fail("POINTS come before DATASET UNSTRUCTURED_GRID");
  if (has_points_) words_.fail("POINTS appears a second time");
  has_points_ = true;
  const std::int64_t count = words_.count("the number of points");
  grid_.line = words_.line();
  const std::string_view name = words_.next();
  const auto type = find_vtk_type(name);
  if (!type) words_.fail("points should be of the type float or double, not " + quote(name));
  if (static_cast<std::uint64_t>(count) > words_.remaining())
    words_.fail(std::to_string(count) + " points are more than the file can hold (is it cut short?)");
  grid_.points = arrays_.numbers(*type, 3 * count, "POINTS");
}

void VtkReader::read_cells() {
  if (!has_dataset_) words_.fail("CELLS come before DATASET UNSTRUCTURED_GRID");
  if (has_cells_) words_.fail("CELLS appears a second time");
  has_cells_ = true;
  const std::int64_t count = words_.count("the number of cells"), size = words_.count("the size of CELLS");
  if (equal_ignoring_case(words_.peek(), "OFFSETS")) return read_offsets(count, size);
  arrays_.is_binary() ? read_cells_of_bytes(count) : read_cells_of_text(count);
  if (const std::int64_t found = std::ssize(grid_.nodes) + count; found != size)
    mesh_.warn("CELLS announces " + std::to_string(size) + " numbers, but " + std::to_string(count) + " cells with " +
               std::to_string(found) + " follow");
}

void VtkReader::read_cells_of_text(std::int64_t count) {
  for (std::int64_t cell = 0; cell < count; ++cell) {
    const std::int64_t size = words_.count("a cell's number of points");
    grid_.lines.push_back(words_.line());
    for (std::int64_t n = 0; n < size; ++n) grid_.nodes.push_back(words_.integer("a cell's point"));
    grid_.ends.push_back(std::ssize(grid_.nodes));
  }
}

void VtkReader::read_cells_of_bytes(std::int64_t count) {
  const std::string_view data = arrays_.rest();
  std::size_t at = 0;
  for (std::int64_t cell = 0; cell < count; ++cell) {
    if (data.size() - at < 4)
      words_.fail("the file ends within cell " + std::to_string(cell) + " of " + std::to_string(count) +
                  " (is it cut short?)");
    const auto size = read_value<std::int32_t>(data.data() + at, swap_vtk_bytes);
    at += 4;
    if (size < 0 || static_cast<std::size_t>(size) > (data.size() - at) / 4)
      words_.fail("cell " + std::to_string(cell) + " should have " + std::to_string(size) +
                  " points, which the rest of the file can't hold (is it cut short?)");
    const std::size_t bytes = 4 * static_cast<std::size_t>(size);
    append_numbers(data.substr(at, bytes), VtkType::int32, swap_vtk_bytes, grid_.nodes);
    at += bytes;
    grid_.ends.push_back(std::ssize(grid_.nodes));
  }
  (void)words_.bytes(at, "CELLS");
}

// Version 5: where each cell begins, and the end; then the points of all.
void VtkReader::read_offsets(std::int64_t offset_count, std::int64_t node_count) {
  grid_.ends = arrays_.integers(read_list_head("OFFSETS"), offset_count, "OFFSETS");
  if (!grid_.ends.empty() && grid_.ends.front() != 0) words_.fail("OFFSETS should begin with 0");
  if (!grid_.ends.empty() && grid_.ends.back() != node_count)
    words_.fail("OFFSETS should end with " + std::to_string(node_count) + ", the size of CONNECTIVITY, not with " +
                std::to_string(grid_.ends.back()));
  std::vector<std::int64_t> lines;
  grid_.nodes = arrays_.integers(read_list_head("CONNECTIVITY"), node_count, "CONNECTIVITY", &lines);
  for (std::size_t cell = 0; cell + 1 < grid_.ends.size(); ++cell) {
    const std::int64_t begin = grid_.ends[cell];
    if (begin < 0 || begin >= std::ssize(lines)) break;
    grid_.lines.push_back(lines[static_cast<std::size_t>(begin)]);
  }
  if (!grid_.ends.empty()) grid_.ends.erase(grid_.ends.begin());
}

VtkType VtkReader::read_list_head(std::string_view keyword) {
  if (const auto word = words_.next(); !equal_ignoring_case(word, keyword))
    words_.fail(std::string(keyword) + " is expected here, not " + quote(word));
  const auto name = words_.next();
  const auto type = find_vtk_type(name);
  if (!type || !is_integer(*type)) words_.fail(std::string(keyword) + " should be integers, not " + quote(name));
  return *type;
}

void VtkReader::read_cell_types() {
  if (has_types_) words_.fail("CELL_TYPES appears a second time");
  has_types_ = true;
  const std::int64_t count = words_.count("the number of cell types");
  if (arrays_.is_binary()) {
    grid_.types = arrays_.integers(VtkType::int32, count, "CELL_TYPES");
    return;
  }
  // The types end where the next keyword is, which tells how many there are.
  while (true) {
    const auto word = words_.next();
    const auto type = parse_integer(word);
    if (type) grid_.types.push_back(*type);
    if (type) continue;
    pending_ = word;
    break;
  }
  if (std::ssize(grid_.types) != count)
    mesh_.warn("CELL_TYPES announces " + std::to_string(count) + " types, but " + std::to_string(grid_.types.size()) +
               " follow");
}

// Without its type, a cell of a volume mesh that has 4 points can only be a tetrahedron, one of 8 a hexahedron.
void VtkReader::complete_cell_types() {
  const std::size_t count = grid_.ends.size(), given = grid_.types.size();
  if (given > count)
    words_.fail("the file has " + std::to_string(count) + " cells, but " + std::to_string(given) + " CELL_TYPES");
  for (std::size_t cell = given; cell < count; ++cell) {
    const std::int64_t begin = cell == 0 ? 0 : grid_.ends[cell - 1];
    if (begin < 0 || grid_.ends[cell] < begin) words_.fail("the offsets of CELLS are damaged");
    const std::int64_t size = grid_.ends[cell] - begin;
    if (size != 4 && size != 8)
      words_.fail("the file has " + std::to_string(count) + " cells, but only " + std::to_string(given) +
                  " CELL_TYPES (is it cut short?)");
    grid_.types.push_back(size == 4 ? 10 : 12);
  }
  if (given < count)
    mesh_.warn("CELL_TYPES are missing for " + std::to_string(count - given) + " of " + std::to_string(count) +
               " cells; those of 4 points are read as tetrahedra, those of 8 as hexahedra");
}

// Some programs leave out a blank of the first line.
bool recognises_vtk(std::string_view content) {
  Lines lines(content.substr(0, 1024), false);
  std::string_view line;
  if (!lines.next(line)) return false;
  std::string letters;
  for (const char c : line)
    if (c != ' ' && c != '\t' && c != '#') letters += c;
  constexpr std::string_view start = "vtkDataFile";
  return line.size() > start.size() && equal_ignoring_case(std::string_view(letters).substr(0, start.size()), start);
}

VolumeMesh read_vtk(const MeshFile& file) {
  return VtkReader(file).read();
}

}  // namespace

const MeshFormat vtk_format = {"VTK legacy (.vtk)", recognises_vtk, read_vtk};

}  // namespace quartic::io
