// Gmsh's mesh files (.msh), versions 2.0 to 2.2 and 4.1 as text. Gmsh reference manual, "MSH file format".
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/gmsh_cells.hpp"
#include "io/gmsh_mesh.hpp"
#include "io/mesh_format.hpp"
#include "io/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

class GmshReader {
 public:
  explicit GmshReader(const MeshFile& file) : name_(file.path.string()), lines_(file.content, false) {}

  VolumeMesh read();

 private:
  void read_format();
  void read_names();
  void read_entities();
  void read_nodes_2();
  void read_elements_2();
  void read_nodes_4();
  void read_elements_4();
  void read_cell(const GmshCell& cell, Fields& fields, std::int64_t id, std::span<const std::int64_t> groups);
  const GmshCell& cell_type(std::int64_t number, std::int64_t id) const;
  void skip_section(std::string_view section);

  /// The next line of a section that should have `what` there.
  void next_line(const std::string& what);
  /// The section's end, which must come now.
  void end_section(std::string_view section, const std::string& rows);
  [[nodiscard]] std::int64_t integer(Fields& fields, const std::string& what) const;
  [[nodiscard]] std::int64_t natural(Fields& fields, const std::string& what) const;
  [[nodiscard]] std::int64_t group_tag(Fields& fields) const;
  [[nodiscard]] double number(Fields& fields, const std::string& what) const;
  [[nodiscard]] std::array<double, 3> position(Fields& fields, std::int64_t id) const;
  void add_node(std::int64_t id, const std::array<double, 3>& position);
  [[noreturn]] void fail(const std::string& what) const { throw ParseError(name_, lines_.number(), what); }

  std::string name_;
  Lines lines_;
  std::string_view line_;
  int version_ = 0;  // 2 or 4
  bool has_nodes_ = false;
  GmshMesh mesh_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> groups_;  // of entities, by dimension, tag
  std::vector<std::int32_t> cell_nodes_;
};

// ---- pieces of lines --------------------------------------------------------------------------------------------

void GmshReader::next_line(const std::string& what) {
  if (!lines_.next(line_)) fail("the file ends where " + what + " should be (is it cut short?)");
  if (line_.front() == '$') fail(quote(line_) + " comes where " + what + " should be: lines are missing");
}

void GmshReader::end_section(std::string_view section, const std::string& rows) {
  const std::string end = "$End" + std::string(section.substr(1));
  if (!lines_.next(line_)) fail("the file ends without " + end + " (is it cut short?)");
  if (line_ != end) fail("there are more " + rows + " than announced: " + end + " should be here, not " + quote(line_));
}

std::int64_t GmshReader::integer(Fields& fields, const std::string& what) const {
  const auto field = fields.next();
  if (field.empty()) fail("the line ends before " + what);
  const auto value = parse_integer(field);
  if (!value) fail(what + " should be an integer, not " + quote(field));
  return *value;
}

std::int64_t GmshReader::natural(Fields& fields, const std::string& what) const {
  const auto value = integer(fields, what);
  if (value < 0) fail(what + " should not be negative");
  return value;
}

// Negative where the orientation is turned round.
std::int64_t GmshReader::group_tag(Fields& fields) const {
  const auto tag = integer(fields, "a physical group's tag");
  if (tag == std::numeric_limits<std::int64_t>::min()) fail("a physical group's tag is out of range");
  return std::abs(tag);
}

double GmshReader::number(Fields& fields, const std::string& what) const {
  const auto field = fields.next();
  if (field.empty()) fail("the line ends before " + what);
  const auto value = parse_number(field);
  if (!value) fail(what + " should be a number, not " + quote(field));
  return *value;
}

std::array<double, 3> GmshReader::position(Fields& fields, std::int64_t id) const {
  std::array<double, 3> x{};
  for (double& coordinate : x) coordinate = number(fields, "a coordinate of node " + std::to_string(id));
  return x;
}

void GmshReader::add_node(std::int64_t id, const std::array<double, 3>& position) {
  if (!mesh_.add_node(id, position)) fail("node " + std::to_string(id) + " is defined a second time");
}

const GmshCell& GmshReader::cell_type(std::int64_t number, std::int64_t id) const {
  const GmshCell* cell = find_gmsh_cell(number);
  if (cell == nullptr)
    fail("element " + std::to_string(id) + " is of Gmsh's type " + std::to_string(number) +
         ", which this version doesn't know");
  if (cell->dimension == 3 && !cell->type)
    fail("element " + std::to_string(id) + " is a " + std::string(cell->name) +
         ", which can't be used; make the mesh of first or second order (Gmsh: Mesh.ElementOrder, "
         "Mesh.SecondOrderIncomplete = 1 for hexahedra and wedges)");
  return *cell;
}

void GmshReader::read_cell(const GmshCell& cell, Fields& fields, std::int64_t id,
                           std::span<const std::int64_t> groups) {
  cell_nodes_.clear();
  for (int n = 0; n < cell.nodes; ++n) {
    const std::int64_t node = integer(fields, "a node of element " + std::to_string(id));
    const std::int64_t place = mesh_.find_node(node);
    if (place < 0)
      fail("element " + std::to_string(id) + " has node " + std::to_string(node) + ", which is not among the " +
           std::to_string(mesh_.node_count()) + " nodes of the file");
    cell_nodes_.push_back(static_cast<std::int32_t>(place));
  }
  if (const auto more = fields.next(); !more.empty())
    fail("element " + std::to_string(id) + " (" + std::string(cell.name) + ") has more than " +
         std::to_string(cell.nodes) + " nodes: " + quote(more));
  mesh_.add_cell(cell, cell_nodes_, groups);
}

// ---- sections of both versions ------------------------------------------------------------------------------------

void GmshReader::read_format() {
  next_line("the version");
  Fields fields(line_);
  const std::string version(fields.next());
  const std::int64_t is_binary = integer(fields, "the file type");
  const bool is_2 = version == "2" || version.starts_with("2.");
  if (!is_2 && version != "4.1")
    fail("version " + quote(version) + " of Gmsh's format can't be read; versions 2.0 to 2.2 and 4.1 can: " +
         "`gmsh MESH.msh -save -format msh41 -o NEW.msh` converts");
  if (is_binary != 0)
    fail("binary Gmsh files can't be read; save the mesh as text: `gmsh MESH.msh -save -bin 0 -o NEW.msh`");
  version_ = is_2 ? 2 : 4;
  end_section("$MeshFormat", "lines");
}

void GmshReader::read_names() {
  next_line("the number of physical groups");
  Fields header(line_);
  const std::int64_t count = natural(header, "the number of physical groups");
  for (std::int64_t n = 0; n < count; ++n) {
    next_line("a physical group's name");
    Fields fields(line_);
    const std::int64_t dimension = integer(fields, "a physical group's dimension");
    const std::int64_t tag = integer(fields, "a physical group's tag");
    const auto begin = line_.find('"'), end = line_.rfind('"');
    if (begin == std::string_view::npos || end == begin)
      fail("a physical group's name should stand in quotation marks");
    if (dimension < 0 || dimension > 3) fail("a physical group's dimension should be 0 to 3");
    mesh_.name_group(dimension, tag, std::string(line_.substr(begin + 1, end - begin - 1)));
  }
  end_section("$PhysicalNames", "names");
}

void GmshReader::skip_section(std::string_view section) {
  const std::string end = "$End" + std::string(section.substr(1));
  while (lines_.next(line_))
    if (line_ == end) return;
  fail("the file ends without " + end + " (is it cut short?)");
}

// ---- version 2 ----------------------------------------------------------------------------------------------------

void GmshReader::read_nodes_2() {
  next_line("the number of nodes");
  Fields header(line_);
  const std::int64_t count = natural(header, "the number of nodes");
  for (std::int64_t n = 0; n < count; ++n) {
    next_line("node " + std::to_string(n + 1) + " of " + std::to_string(count));
    Fields fields(line_);
    const std::int64_t id = integer(fields, "a node's number");
    add_node(id, position(fields, id));  // behind it, there may be places on curves and surfaces
  }
}

void GmshReader::read_elements_2() {
  next_line("the number of elements");
  Fields header(line_);
  const std::int64_t count = natural(header, "the number of elements");
  for (std::int64_t n = 0; n < count; ++n) {
    next_line("element " + std::to_string(n + 1) + " of " + std::to_string(count));
    Fields fields(line_);
    const std::int64_t id = integer(fields, "an element's number");
    const GmshCell& cell = cell_type(integer(fields, "the type of element " + std::to_string(id)), id);
    const std::int64_t tags = natural(fields, "the number of tags of element " + std::to_string(id));
    std::optional<std::int64_t> group;  // the first tag; 0 is none
    for (std::int64_t t = 0; t < tags; ++t) {
      const std::int64_t tag = t == 0 ? group_tag(fields) : integer(fields, "a tag of element " + std::to_string(id));
      if (t == 0 && tag != 0) group = tag;
    }
    read_cell(cell, fields, id, group ? std::span(&*group, 1) : std::span<const std::int64_t>());
  }
}

// ---- version 4.1 --------------------------------------------------------------------------------------------------

void GmshReader::read_entities() {
  next_line("the numbers of points, curves, surfaces and volumes");
  Fields header(line_);
  std::array<std::int64_t, 4> counts{};
  for (std::int64_t& count : counts) count = natural(header, "a number of entities");
  for (std::size_t dimension = 0; dimension < 4; ++dimension)
    for (std::int64_t n = 0; n < counts[dimension]; ++n) {
      next_line("an entity of dimension " + std::to_string(dimension));
      Fields fields(line_);
      const std::int64_t tag = integer(fields, "an entity's tag");
      for (int c = 0; c < (dimension == 0 ? 3 : 6); ++c) (void)number(fields, "an entity's bounding box");
      const std::int64_t groups = natural(fields, "an entity's number of physical groups");
      for (std::int64_t g = 0; g < groups; ++g)
        groups_[{static_cast<std::int64_t>(dimension), tag}].push_back(group_tag(fields));
    }
}

void GmshReader::read_nodes_4() {
  next_line("the numbers of blocks and of nodes");
  Fields header(line_);
  const std::int64_t blocks = natural(header, "the number of blocks"), count = natural(header, "the number of nodes");
  std::vector<std::int64_t> ids;
  for (std::int64_t b = 0; b < blocks; ++b) {
    next_line("the head of block " + std::to_string(b + 1) + " of " + std::to_string(blocks));
    Fields head(line_);
    (void)integer(head, "an entity's dimension");
    (void)integer(head, "an entity's tag");
    (void)integer(head, "whether nodes have parameters");
    const std::int64_t nodes = natural(head, "the number of nodes in a block");
    ids.clear();
    for (std::int64_t n = 0; n < nodes; ++n) {
      next_line("a node's number");
      Fields fields(line_);
      ids.push_back(integer(fields, "a node's number"));
    }
    for (const std::int64_t id : ids) {
      next_line("the position of node " + std::to_string(id));
      Fields fields(line_);
      add_node(id, position(fields, id));
    }
  }
  if (mesh_.node_count() != count)
    fail("the header announces " + std::to_string(count) + " nodes, but the blocks have " +
         std::to_string(mesh_.node_count()));
}

void GmshReader::read_elements_4() {
  next_line("the numbers of blocks and of elements");
  Fields header(line_);
  const std::int64_t blocks = natural(header, "the number of blocks");
  const std::int64_t count = natural(header, "the number of elements");
  std::int64_t seen = 0;
  for (std::int64_t b = 0; b < blocks; ++b) {
    next_line("the head of block " + std::to_string(b + 1) + " of " + std::to_string(blocks));
    Fields head(line_);
    const std::int64_t dimension = integer(head, "an entity's dimension"), tag = integer(head, "an entity's tag");
    const GmshCell& cell = cell_type(integer(head, "the type of a block's elements"), seen + 1);
    if (dimension != cell.dimension)
      fail("a block of an entity of dimension " + std::to_string(dimension) + " can't hold elements of type " +
           std::string(cell.name));
    const std::int64_t elements = natural(head, "the number of elements in a block");
    const auto groups = groups_.find({dimension, tag});
    for (std::int64_t e = 0; e < elements; ++e, ++seen) {
      next_line("an element of a block of " + std::to_string(elements));
      Fields fields(line_);
      const std::int64_t id = integer(fields, "an element's number");
      read_cell(cell, fields, id,
                groups == groups_.end() ? std::span<const std::int64_t>() : std::span(std::as_const(groups->second)));
    }
  }
  if (seen != count)
    fail("the header announces " + std::to_string(count) + " elements, but the blocks have " + std::to_string(seen));
}

// ---- the file -----------------------------------------------------------------------------------------------------

VolumeMesh GmshReader::read() {
  while (lines_.next(line_)) {
    if (line_.front() != '$') fail("a section ($Nodes, ...) should begin here, not " + quote(line_));
    const std::string section(line_);
    if (section == "$MeshFormat") {
      read_format();
      continue;
    }
    const bool is_nodes = section == "$Nodes" || section == "$ParametricNodes", is_elements = section == "$Elements";
    if (version_ == 0 && (is_nodes || is_elements)) fail(section + " comes before $MeshFormat");
    if (is_elements && !has_nodes_) fail("$Elements comes before $Nodes");
    if (section == "$PartitionedEntities")
      fail("the mesh is partitioned; save it in one piece (Gmsh: Mesh > Unpartition)");
    if (section == "$PhysicalNames") {
      read_names();
    } else if (is_nodes) {
      has_nodes_ = true;
      version_ == 2 ? read_nodes_2() : read_nodes_4();
      end_section(section, "nodes");
    } else if (is_elements) {
      version_ == 2 ? read_elements_2() : read_elements_4();
      end_section(section, "elements");
    } else if (section == "$Entities" && version_ == 4) {
      read_entities();
      end_section(section, "entities");
    } else {
      skip_section(section);
    }
  }
  if (!has_nodes_) fail("the file has no $Nodes");
  return mesh_.finish();
}

// Other programs write comments in a section of their own before the format.
bool recognises_gmsh(std::string_view content) {
  Lines lines(content, false);
  std::string_view line;
  if (!lines.next(line) || line.front() != '$') return false;
  return line == "$MeshFormat" || content.find("$MeshFormat") != std::string_view::npos;
}

VolumeMesh read_gmsh(const MeshFile& file) {
  return GmshReader(file).read();
}

}  // namespace

extern const MeshFormat gmsh_format = {"Gmsh (.msh)", recognises_gmsh, read_gmsh};

}  // namespace quartic::io
