// MFEM's mesh files (.mesh), versions 1.0 to 1.3. mfem.org, "Mesh formats".
//
// Sections dimension, elements, boundary, vertices and, where the coordinates are a finite element function, nodes;
// version 1.3 adds names for sets of attributes. Vertices are numbered from 0.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/mesh/mesh_builder.hpp"
#include "io/mesh/mesh_formats.hpp"
#include "io/mesh/require_elements.hpp"
#include "io/text/text.hpp"
#include "io/text/words.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

/// A geometry by MFEM's number for it; vertices are in VTK's order.
struct Geometry {
  std::string_view noun;  // for messages
  std::string_view name;  // of cells that are only counted
  std::size_t vertices = 0;
  std::optional<ElementType> type = {};
};
constexpr Geometry geometries[] = {
    {"point", "vertex", 1},
    {"segment", "line", 2},
    {"triangle", "tri", 3},
    {"quadrilateral", "quad", 4},
    {"tetrahedron", "", 4, ElementType::tet4},
    {"hexahedron", "", 8, ElementType::hex8},
    {"prism", "", 6, ElementType::wedge6},
    {"pyramid", "", 5, ElementType::pyramid5},
};

/// Names of sets of attributes, in the order of the file.
using AttributeSets = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

class MfemReader {
 public:
  explicit MfemReader(const MeshFile& file) : name_(file.path.string()), words_(file, '#') {}

  VolumeMesh read();

 private:
  struct Cell {
    const Geometry* geometry = nullptr;
    std::int64_t attribute = 0;
    std::int64_t line = 0;
    std::size_t first = 0;  // place of its vertices
  };
  struct Cells {
    std::string_view noun;
    std::vector<Cell> cells;
    std::vector<std::int64_t> vertices;
  };

  void read_header();
  bool read_section();
  void read_dimension();
  void read_cells(Cells& cells);
  void read_sets(AttributeSets& sets);
  void read_vertices();
  void read_nodes();
  void read_function_space();
  void read_rest();
  void add_elements();
  void add_boundary();
  std::span<const std::int32_t> vertices_of(const Cells& cells, std::size_t number);
  std::map<std::int64_t, std::string> region_names();

  std::string name_;
  Words words_;
  MeshBuilder builder_;
  Cells elements_{"element", {}, {}}, boundary_{"boundary element", {}, {}};
  AttributeSets attribute_sets_, boundary_sets_;
  std::int64_t vertex_count_ = -1;  // as the file announces it
  bool has_coordinates_ = false;
  std::int64_t ordering_ = 0;
  std::array<std::int32_t, 8> row_{};
  bool in_several_sets_ = false;
};

// ---- head -------------------------------------------------------------------------------------------------------

void MfemReader::read_header() {
  (void)words_.next();
  const auto kind = words_.next();
  if (equal_ignoring_case(kind, "NC"))
    words_.fail("a non-conforming MFEM mesh (refined in places) can't be read; save one that is conforming");
  if (equal_ignoring_case(kind, "NURBS"))
    words_.fail("an MFEM NURBS mesh can't be read; save it with straight elements: Mesh::SetCurvature(1), Mesh::Save");
  if (equal_ignoring_case(kind, "INLINE"))
    words_.fail("an MFEM INLINE mesh is only a description; save the mesh that MFEM makes of it");
  const auto version = words_.next();
  for (const std::string_view known : {"v1.0", "v1.1", "v1.2", "v1.3"})
    if (version == known) return;
  words_.fail("version " + quote(version) + " of MFEM's mesh format can't be read; v1.0 to v1.3 can");
}

void MfemReader::read_dimension() {
  const auto dimension = words_.integer("the dimension");
  if (dimension != 3)
    words_.fail("the mesh has " + std::to_string(dimension) + " dimensions; only meshes with 3 can be read");
}

// ---- elements and sets ------------------------------------------------------------------------------------------

void MfemReader::read_cells(Cells& cells) {
  const auto fail = [&](std::size_t number, const std::string& what) {
    words_.fail(std::string(cells.noun) + " " + std::to_string(number) + " " + what);
  };
  const auto count = static_cast<std::size_t>(words_.count("the number of elements"));
  if (count > words_.remaining())
    words_.fail(std::to_string(count) + " elements are announced, more than the file has room for (is it cut short?)");
  cells.cells.reserve(std::min(count, words_.remaining() / 12));
  for (std::size_t number = 0; number < count; ++number) {
    const std::int64_t attribute = words_.integer("an element's attribute");
    const std::int64_t line = words_.line(), kind = words_.integer("an element's geometry");
    if (kind < 0 || kind >= std::ssize(geometries))
      fail(number, "is of geometry " + std::to_string(kind) + ", but MFEM's are 0 to 7");
    const Geometry& geometry = geometries[kind];
    cells.cells.push_back({&geometry, attribute, line, cells.vertices.size()});
    for (std::size_t v = 0; v < geometry.vertices; ++v) {
      const auto word = words_.next();
      const auto id = parse_integer(word);
      if (word.empty()) fail(number, "is not complete: the file ends (is it cut short?)");
      if (!id) fail(number, "(" + std::string(geometry.noun) + ") has " + quote(word) + " where a vertex should be");
      cells.vertices.push_back(*id);
    }
  }
}

void MfemReader::read_sets(AttributeSets& sets) {
  const std::int64_t count = words_.count("the number of sets");
  for (std::int64_t s = 0; s < count; ++s) {
    auto& [name, attributes] =
        sets.emplace_back(std::string(words_.quoted("a set's name")), std::vector<std::int64_t>());
    const std::int64_t size = words_.count("the number of attributes in set " + quote(name));
    for (std::int64_t a = 0; a < size; ++a) attributes.push_back(words_.integer("an attribute in a set"));
  }
}

// ---- vertices ---------------------------------------------------------------------------------------------------

void MfemReader::read_vertices() {
  vertex_count_ = words_.count("the number of vertices");
  const auto width = parse_integer(words_.peek());
  if (!width) return;  // `nodes` has the coordinates
  if (words_.integer("the number of coordinates") != 3)
    words_.fail("vertices have " + std::to_string(*width) + " coordinates instead of 3");
  for (std::int64_t v = 0; v < vertex_count_; ++v) {
    std::array<double, 3> position{};
    for (double& coordinate : position) coordinate = words_.number("a vertex's coordinate");
    builder_.add_vertex(v, position);
  }
  has_coordinates_ = true;
}

// Of all spaces only the one whose values are those of the vertices themselves can be used.
void MfemReader::read_function_space() {
  if (words_.next() != "FiniteElementSpace") words_.fail("the nodes should begin with FiniteElementSpace");
  std::string collection;
  for (auto word = words_.peek(); word.ends_with(':'); word = words_.peek()) {
    (void)words_.next();
    if (word == "FiniteElementCollection:") {
      collection = words_.next();
    } else if (word == "VDim:") {
      if (words_.integer("VDim") != 3) words_.fail("nodes have another number of coordinates than 3");
    } else if (word == "Ordering:") {
      ordering_ = words_.integer("Ordering");
      if (ordering_ != 0 && ordering_ != 1) words_.fail("Ordering should be 0 or 1");
    } else {
      words_.fail("the nodes' space has " + quote(word) + ", which isn't known");
    }
  }
  const bool linear = collection == "Linear" || (collection.starts_with("H1") && collection.ends_with("_3D_P1"));
  if (linear) return;
  std::string what =
      "the mesh is curved: its nodes are of the space " + quote(collection) + ", but only H1_3D_P1 can be read";
  if (collection.starts_with("L2") || collection.find("Discont") != std::string::npos)
    what = "the mesh is periodic or torn: its nodes are of the space " + quote(collection) +
           ", but only H1_3D_P1 can be read";
  words_.fail(what + "; save it with straight elements: Mesh::SetCurvature(1, false), then Mesh::Save");
}

void MfemReader::read_nodes() {
  if (vertex_count_ < 0) words_.fail("nodes come before vertices");
  if (has_coordinates_) words_.fail("the file has coordinates twice, in vertices and in nodes");
  read_function_space();
  const auto count = static_cast<std::size_t>(vertex_count_);
  if (count > words_.remaining() / 6)
    words_.fail(std::to_string(count) +
                " vertices are announced, more than the file has coordinates for (is it cut short?)");
  std::vector<double> values(3 * count);
  for (double& value : values) value = words_.number("a node's coordinate");
  const std::size_t step = ordering_ == 0 ? 1 : 3, component_step = ordering_ == 0 ? count : 1;
  for (std::size_t v = 0; v < count; ++v)
    builder_.add_vertex(static_cast<std::int64_t>(v),
                        {values[v * step], values[v * step + component_step], values[v * step + 2 * component_step]});
  has_coordinates_ = true;
}

// ---- the mesh ---------------------------------------------------------------------------------------------------

std::span<const std::int32_t> MfemReader::vertices_of(const Cells& cells, std::size_t number) {
  const Cell& cell = cells.cells[number];
  for (std::size_t v = 0; v < cell.geometry->vertices; ++v) {
    const std::int64_t id = cells.vertices[cell.first + v];
    if (id < 0 || id >= builder_.vertex_count())
      throw ParseError(name_, cell.line,
                       std::string(cells.noun) + " " + std::to_string(number) + " (" +
                           std::string(cell.geometry->noun) + ") has vertex " + std::to_string(id) +
                           ", but the file has " + std::to_string(builder_.vertex_count()) +
                           " vertices, counted from 0");
    row_[v] = static_cast<std::int32_t>(id);
  }
  return {row_.data(), cell.geometry->vertices};
}

// A set of one attribute names it. Sets of several don't: their attributes may well be of different materials.
std::map<std::int64_t, std::string> MfemReader::region_names() {
  std::map<std::int64_t, std::string> names;
  for (const auto& [set, attributes] : attribute_sets_)
    if (attributes.size() == 1) in_several_sets_ = !names.emplace(attributes.front(), set).second || in_several_sets_;
  return names;
}

void MfemReader::add_elements() {
  std::map<std::int64_t, std::int32_t> regions;
  const std::map<std::int64_t, std::string> names = region_names();
  for (std::size_t e = 0; e < elements_.cells.size(); ++e) {
    const Cell& cell = elements_.cells[e];
    const auto vertices = vertices_of(elements_, e);
    if (!cell.geometry->type) {
      builder_.skip_cell(cell.geometry->name);
      continue;
    }
    const auto [region, is_new] = regions.try_emplace(cell.attribute, -1);
    if (is_new) {
      const auto name = names.find(cell.attribute);
      region->second = builder_.add_region(name == names.end() ? std::to_string(cell.attribute) : name->second);
    }
    builder_.add_element(*cell.geometry->type, vertices, region->second);
  }
  if (in_several_sets_)
    builder_.warn("attributes have several names (sets of one attribute); the first in the file names the region");
}

// Each attribute is a vertex set, and so is each set of attributes.
void MfemReader::add_boundary() {
  std::map<std::int64_t, std::vector<std::int32_t>> by_attribute;
  for (std::size_t b = 0; b < boundary_.cells.size(); ++b) {
    const Cell& cell = boundary_.cells[b];
    const auto vertices = vertices_of(boundary_, b);
    if (cell.geometry->type)
      throw ParseError(
          name_, cell.line,
          "boundary element " + std::to_string(b) + " is a " + std::string(cell.geometry->noun) + ", which is no face");
    builder_.skip_cell(cell.geometry->name);
    auto& set = by_attribute[cell.attribute];
    set.insert(set.end(), vertices.begin(), vertices.end());
  }
  std::set<std::int64_t> named;
  for (const auto& [name, attributes] : boundary_sets_)
    for (const std::int64_t attribute : std::set<std::int64_t>(attributes.begin(), attributes.end())) {
      if (const auto found = by_attribute.find(attribute); found != by_attribute.end())
        builder_.add_to_set(name, found->second);
      named.insert(attribute);
    }
  for (const auto& [attribute, vertices] : by_attribute)
    if (!named.contains(attribute)) builder_.add_to_set("surface " + std::to_string(attribute), vertices);
}

// Behind the mesh's end mark, a process's part of a mesh says what it shares with others.
void MfemReader::read_rest() {
  for (auto word = words_.next(); !word.empty(); word = words_.next())
    if (word == "communication_groups")
      words_.fail("the file is one process's part of a parallel mesh; save the whole: ParMesh::SaveAsOne");
}

bool MfemReader::read_section() {
  const auto section = words_.next();
  if (section.empty()) return false;
  if (section == "dimension") {
    read_dimension();
  } else if (section == "elements") {
    read_cells(elements_);
  } else if (section == "boundary") {
    read_cells(boundary_);
  } else if (section == "attribute_sets") {
    read_sets(attribute_sets_);
  } else if (section == "bdr_attribute_sets") {
    read_sets(boundary_sets_);
  } else if (section == "vertices") {
    if (vertex_count_ >= 0) words_.fail("a second section vertices");
    read_vertices();
  } else if (section == "nodes") {
    read_nodes();
  } else if (section == "mfem_mesh_end") {
    read_rest();
    return false;
  } else if (section == "vertex_parents" || section == "coarse_elements") {
    words_.fail("the mesh is refined in places and not conforming (" + std::string(section) +
                "); save one that is conforming");
  } else {
    words_.fail("a section (elements, vertices, ...) should begin here, not " + quote(section));
  }
  return true;
}

VolumeMesh MfemReader::read() {
  read_header();
  while (read_section()) {
  }
  if (vertex_count_ < 0) throw ParseError(name_, 0, "the file has no vertices (is it cut short?)");
  if (!has_coordinates_) throw ParseError(name_, 0, "the vertices have no coordinates (is the file cut short?)");
  add_elements();
  add_boundary();
  VolumeMesh mesh = builder_.finish();
  require_elements(mesh, name_);
  return mesh;
}

bool recognises_mfem(std::string_view content) {
  Lines lines(content);
  std::string_view line;
  return lines.next(line) && line.starts_with("MFEM ") && line.find("mesh v") != std::string_view::npos;
}

VolumeMesh read_mfem(const MeshFile& file) {
  return MfemReader(file).read();
}

}  // namespace

const MeshFormat mfem_format = {"MFEM (.mesh)", recognises_mfem, read_mfem};

}  // namespace quartic::io
