// Gmsh's mesh files (.msh): versions 1, 2.0 to 2.2, 4.0 and 4.1, as text and binary in either byte order. Gmsh
// reference manual, "MSH file format" and "Legacy formats".
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/gmsh/gmsh_cells.hpp"
#include "io/gmsh/gmsh_entities.hpp"
#include "io/gmsh/gmsh_format.hpp"
#include "io/gmsh/gmsh_input.hpp"
#include "io/gmsh/gmsh_mesh.hpp"
#include "io/text/text.hpp"
#include "io/text/text_rows.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

enum class Version : std::uint8_t { none, v1, v2, v4_0, v4_1 };

class GmshReader {
 public:
  explicit GmshReader(const MeshFile& file) : name_(file.path.string()), content_(file.content), rows_(file) {}

  VolumeMesh read();

 private:
  void read_format();
  void read_names();
  void read_section(std::string_view section);
  void skip_section(std::string_view section);
  /// The section's end, which must come now.
  void end_section(std::string_view section, const char* rows);
  /// Calls `read` with the section's numbers. Binary ones start behind the present row.
  template <class Read>
  void with_input(const Read& read);

  // Each function reads the part of a section that its name says, from text or from binary data.
  template <class Input>
  void read_nodes_1_2(Input& input, std::int64_t count, bool parametric);
  void read_elements_1();
  void read_elements_2_text(std::int64_t count);
  void read_elements_2_binary(GmshBinary& input, std::int64_t count);
  template <class Input>
  void read_nodes_4(Input& input);
  template <class Input>
  void read_elements_4(Input& input);

  // A part of a large block in text at once, if it is as it should be; else nothing is taken.
  template <class Input>
  bool take_node_numbers(Input& input, std::int64_t count, std::vector<std::int64_t>& ids);
  template <class Input>
  bool take_positions(Input& input, std::span<const std::int64_t> ids, std::int64_t parameters);
  template <class Input>
  bool take_elements(Input& input, const GmshCell& cell, std::int64_t count, std::span<const std::int64_t> groups);

  /// Places of a cell's nodes.
  struct CellNodes {
    std::array<std::int32_t, GmshCell::most_nodes> places;

    [[nodiscard]] std::span<const std::int32_t> all(const GmshCell& cell) const {
      return {places.data(), static_cast<std::size_t>(cell.nodes)};
    }
  };
  template <class Input>
  CellNodes read_nodes_of(Input& input, const GmshCell& cell, std::int64_t id);
  template <class Input>
  void read_cell(Input& input, const GmshCell& cell, std::int64_t id, std::span<const std::int64_t> groups);
  template <class Input>
  const GmshCell& cell_type(Input& input, std::int64_t number, const What& what) const;
  template <class Input>
  void add_node(Input& input, std::int64_t id);
  [[nodiscard]] GmshEntities& entities() {
    if (!entities_) entities_.emplace(version_ == Version::v4_0, binary_);
    return *entities_;
  }
  [[noreturn]] void fail(const std::string& what) const { rows_.fail(what); }

  std::string name_;
  std::string_view content_;
  TextRows rows_;
  Version version_ = Version::none;
  bool binary_ = false, swap_bytes_ = false;
  bool has_nodes_ = false, has_elements_ = false;
  GmshMesh mesh_;
  std::optional<GmshEntities> entities_;  // of version 4
};

// ---- what all versions share ------------------------------------------------------------------------------------

std::string second_node(std::int64_t id) {
  return "node " + std::to_string(id) + " is defined a second time";
}

template <class Input>
void GmshReader::add_node(Input& input, std::int64_t id) {
  std::array<double, 3> x{};
  for (double& coordinate : x) coordinate = input.number({"a coordinate of node", id});
  if (!std::isfinite(x[0]) || !std::isfinite(x[1]) || !std::isfinite(x[2]))
    input.fail("a coordinate of node " + std::to_string(id) + " isn't a finite number");
  if (!mesh_.add_node(id, x)) input.fail(second_node(id));
}

template <class Input>
const GmshCell& GmshReader::cell_type(Input& input, std::int64_t number, const What& what) const {
  const GmshCell* cell = find_gmsh_cell(number);
  if (cell == nullptr)
    input.fail(what.string() + " is of Gmsh's type " + std::to_string(number) + ", which this version doesn't know");
  if (cell->dimension == 3 && !cell->type)
    input.fail(what.string() + " is a " + std::string(cell->name) +
               ", which can't be used; make the mesh of first or second order (Gmsh: Mesh.ElementOrder, "
               "Mesh.SecondOrderIncomplete = 1 for hexahedra and wedges)");
  return *cell;
}

template <class Input>
GmshReader::CellNodes GmshReader::read_nodes_of(Input& input, const GmshCell& cell, std::int64_t id) {
  std::array<std::int64_t, GmshCell::most_nodes> numbers;
  CellNodes nodes;
  const auto count = static_cast<std::size_t>(cell.nodes);
  input.integers({numbers.data(), count}, version_ == Version::v4_1, {"a node of element", id});
  for (std::size_t n = 0; n < count; ++n) {
    const std::int64_t place = mesh_.find_node(numbers[n]);
    if (place < 0)
      input.fail("element " + std::to_string(id) + " has node " + std::to_string(numbers[n]) +
                 ", which is not among the " + std::to_string(mesh_.node_count()) + " nodes of the file");
    nodes.places[n] = static_cast<std::int32_t>(place);
  }
  input.end_cell(id, cell.name, cell.nodes);
  return nodes;
}

template <class Input>
void GmshReader::read_cell(Input& input, const GmshCell& cell, std::int64_t id, std::span<const std::int64_t> groups) {
  const CellNodes nodes = read_nodes_of(input, cell, id);
  mesh_.add_cell(cell, nodes.all(cell), groups);
}

template <class Read>
void GmshReader::with_input(const Read& read) {
  if (binary_) {
    GmshBinary input(rows_, BinaryValues(name_, content_, rows_.offset_behind_row(), swap_bytes_));
    read(input);
  } else {
    GmshText input(rows_);
    read(input);
  }
}

void GmshReader::end_section(std::string_view section, const char* rows) {
  const std::string end = "$End" + std::string(section.substr(1));
  if (!rows_.next_row()) fail("the file ends without " + end + " (is it cut short?)");
  if (!equal_ignoring_case(rows_.row(), end))  // version 1 has $ENDNOD
    fail("there are more " + std::string(rows) + " than announced: " + end + " should be here, not " +
         quote(rows_.row()));
}

// ---- sections of both versions ------------------------------------------------------------------------------------

void GmshReader::read_format() {
  GmshText text(rows_);
  text.begin_row("the version");
  const std::string version(rows_.field());
  binary_ = rows_.integer("the file type") != 0;
  if (version == "2" || version.starts_with("2."))
    version_ = Version::v2;
  else if (version == "4" || version == "4.0")
    version_ = Version::v4_0;
  else if (version == "4.1")
    version_ = Version::v4_1;
  else
    fail("version " + quote(version) + " of Gmsh's format can't be read; versions 1, 2.0 to 2.2, 4.0 and 4.1 can: " +
         "`gmsh MESH.msh -save -format msh41 -o NEW.msh` converts");
  if (binary_) {
    constexpr std::int64_t known_size = 8;
    if (const auto size = rows_.integer("the size of numbers"); size != known_size)
      fail("numbers of " + std::to_string(size) + " bytes can't be read; those of 8 can");
    BinaryValues mark(name_, content_, rows_.offset_behind_row(), false);
    const auto one = mark.next<std::uint32_t>("the mark of byte order");
    constexpr std::uint32_t swapped_one = 0x01000000;
    if (one != 1 && one != swapped_one) mark.fail("the number that shows the byte order should be 1");
    swap_bytes_ = one != 1;
    rows_.go_to(mark.offset());
  }
  end_section("$MeshFormat", "lines");
}

void GmshReader::read_names() {
  GmshText text(rows_);
  text.begin_row("the number of physical groups");
  const std::int64_t count = rows_.natural("the number of physical groups");
  for (std::int64_t n = 0; n < count; ++n) {
    text.begin_row("a physical group's name");
    const std::int64_t dimension = rows_.integer("a physical group's dimension");
    const std::int64_t tag = rows_.integer("a physical group's tag");
    const auto line = rows_.row();
    const auto begin = line.find('"'), end = line.rfind('"');
    if (begin == std::string_view::npos || end == begin) fail("a physical group's name should be in quotation marks");
    if (dimension < 0 || dimension > 3) fail("a physical group's dimension should be 0 to 3");
    mesh_.name_group(dimension, tag, std::string(line.substr(begin + 1, end - begin - 1)));
  }
  end_section("$PhysicalNames", "names");
}

void GmshReader::skip_section(std::string_view section) {
  const std::string end = "$End" + std::string(section.substr(1));
  if (binary_) {  // what lies between may look like anything
    const auto at = content_.find(end, rows_.offset_behind_row());
    if (at == std::string_view::npos) fail("the file ends without " + end + " (is it cut short?)");
    rows_.go_to(at + end.size());
    return;
  }
  while (rows_.next_row())
    if (rows_.row() == end) return;
  fail("the file ends without " + end + " (is it cut short?)");
}

// ---- versions 1 and 2 ---------------------------------------------------------------------------------------------

// $ParametricNodes have dimension and tag of their entity and their place on it behind the position: the rest of the
// line in text.
template <class Input>
void GmshReader::read_nodes_1_2(Input& input, std::int64_t count, bool parametric) {
  mesh_.reserve_nodes(input.possible(count, sizeof(std::int32_t) + 3 * sizeof(double), "nodes"));
  for (std::int64_t n = 0; n < count; ++n) {
    input.begin_row({"node", n + 1});
    add_node(input, input.integer("a node's number"));
    if (!parametric || !binary_) continue;
    const std::int64_t dimension = input.integer("an entity's dimension");
    if (dimension < 0 || dimension > 3) input.fail("an entity's dimension should be 0 to 3");
    (void)input.integer("an entity's tag");
    input.skip_numbers(dimension == 3 ? 0 : dimension);
  }
}

void GmshReader::read_elements_1() {
  GmshText text(rows_);
  text.begin_row("the number of elements");
  const std::int64_t count = rows_.natural("the number of elements");
  for (std::int64_t n = 0; n < count; ++n) {
    text.begin_row({"element", n + 1});
    const std::int64_t id = rows_.integer("an element's number");
    const GmshCell& cell = cell_type(text, rows_.integer({"the type of element", id}), {"element", id});
    const std::int64_t group = gmsh_group_tag(text);
    (void)rows_.integer({"the entity of element", id});
    if (const auto nodes = rows_.integer({"the number of nodes of element", id}); nodes != cell.nodes)
      fail("element " + std::to_string(id) + " (" + std::string(cell.name) + ") has " + std::to_string(nodes) +
           " nodes instead of " + std::to_string(cell.nodes));
    read_cell(text, cell, id, {&group, group == 0 ? 0U : 1U});
  }
}

void GmshReader::read_elements_2_text(std::int64_t count) {
  GmshText text(rows_);
  for (std::int64_t n = 0; n < count; ++n) {
    text.begin_row({"element", n + 1});
    const std::int64_t id = rows_.integer("an element's number");
    const GmshCell& cell = cell_type(text, rows_.integer({"the type of element", id}), {"element", id});
    const std::int64_t tags = rows_.natural({"the number of tags of element", id});
    const std::int64_t group = tags > 0 ? gmsh_group_tag(text) : 0;  // the first tag; 0 is none
    for (std::int64_t t = 1; t < tags; ++t) (void)rows_.integer({"a tag of element", id});
    read_cell(text, cell, id, {&group, group == 0 ? 0U : 1U});
  }
}

// In blocks of one type: type, number of elements, number of tags; then the elements.
void GmshReader::read_elements_2_binary(GmshBinary& input, std::int64_t count) {
  for (std::int64_t seen = 0; seen < count;) {
    const GmshCell& cell = cell_type(input, input.integer("the type of a block's elements"), {"element", seen + 1});
    const std::int64_t elements =
        gmsh_natural(input, input.integer("a block's size"), "the number of elements in a block");
    const std::int64_t tags = gmsh_natural(input, input.integer("a number of tags"), "the number of an element's tags");
    if (elements > count - seen)
      input.fail("the blocks have more elements than the " + std::to_string(count) + " that are announced");
    if (elements == 0) input.fail("a block has no elements");
    for (std::int64_t e = 0; e < elements; ++e, ++seen) {
      const std::int64_t id = input.integer("an element's number");
      const std::int64_t group = tags > 0 ? gmsh_group_tag(input) : 0;
      if (tags > 1) input.skip_integers(tags - 1);
      read_cell(input, cell, id, {&group, group == 0 ? 0U : 1U});
    }
  }
}

// ---- version 4 ----------------------------------------------------------------------------------------------------

template <class Input>
bool GmshReader::take_node_numbers(Input& input, std::int64_t count, std::vector<std::int64_t>& ids) {
  if (!input.may_take_lines(count, 1)) return false;
  ids.resize(static_cast<std::size_t>(count));
  return input.template take_lines<std::int64_t>(count, 1, [&](std::int64_t line, const std::int64_t* id) {
    ids[static_cast<std::size_t>(line)] = *id;
    return true;
  });
}

template <class Input>
bool GmshReader::take_positions(Input& input, std::span<const std::int64_t> ids, std::int64_t parameters) {
  const auto count = std::ssize(ids);
  const auto width = static_cast<std::size_t>(3 + parameters);
  if (!input.may_take_lines(count, width)) return false;
  std::vector<std::array<double, 3>> positions(ids.size());
  if (!input.template take_lines<double>(count, width, [&](std::int64_t line, const double* x) {
        positions[static_cast<std::size_t>(line)] = {x[0], x[1], x[2]};
        return true;
      }))
    return false;
  mesh_.reserve_nodes(ids.size());
  for (std::size_t n = 0; n < ids.size(); ++n)
    if (!mesh_.add_node(ids[n], positions[n]))
      input.fail_lines_back(count - static_cast<std::int64_t>(n), second_node(ids[n]));
  return true;
}

template <class Input>
void GmshReader::read_nodes_4(Input& input) {
  const bool tags_first = version_ == Version::v4_1;  // all of a block's tags before its positions
  input.begin_row("the numbers of blocks and of nodes");
  const std::int64_t blocks = gmsh_count(input, "the number of blocks");
  const std::int64_t count = gmsh_count(input, "the number of nodes");
  if (tags_first && binary_) {  // the smallest and the largest tag
    (void)input.wide_integer("the smallest tag");
    (void)input.wide_integer("the largest tag");
  }
  std::vector<std::int64_t> ids;
  for (std::int64_t b = 0; b < blocks; ++b) {
    input.begin_row({"the head of block", b + 1});
    std::int64_t dimension = input.integer("an entity's dimension"), other = input.integer("an entity's tag");
    if (!tags_first) std::swap(dimension, other);
    const bool parametric = input.integer("whether nodes have parameters") != 0;
    const std::int64_t nodes =
        gmsh_natural(input, input.wide_integer("a block's size"), "the number of nodes in a block");
    if (dimension < 0 || dimension > 3) input.fail("an entity's dimension should be 0 to 3");
    const std::int64_t parameters = parametric ? dimension : 0;
    const std::size_t possible = input.possible(nodes, 3 * sizeof(double), "nodes");
    if (tags_first && !take_node_numbers(input, nodes, ids)) {
      ids.clear();
      for (std::int64_t n = 0; n < nodes; ++n) {
        input.begin_row("a node's number");
        ids.push_back(input.wide_integer("a node's number"));
      }
    }
    if (tags_first && take_positions(input, ids, parameters)) continue;
    mesh_.reserve_nodes(possible);
    for (std::int64_t n = 0; n < nodes; ++n) {
      if (tags_first) {
        input.begin_row({"the position of node", ids[static_cast<std::size_t>(n)]});
        add_node(input, ids[static_cast<std::size_t>(n)]);
      } else {
        input.begin_row("a node");
        add_node(input, input.integer("a node's number"));
      }
      input.skip_numbers(parameters);
    }
  }
  if (mesh_.node_count() != count)
    input.fail("the header announces " + std::to_string(count) + " nodes, but the blocks have " +
               std::to_string(mesh_.node_count()));
}

template <class Input>
bool GmshReader::take_elements(Input& input, const GmshCell& cell, std::int64_t count,
                               std::span<const std::int64_t> groups) {
  const auto nodes = static_cast<std::size_t>(cell.nodes);
  if (!cell.type || !input.may_take_lines(count, 1 + nodes)) return false;
  std::vector<std::int32_t> vertices = MeshBuilder::room_for_vertices(*cell.type, static_cast<std::size_t>(count));
  const auto use = [&](std::int64_t line, const std::int64_t* numbers) {  // the element's and its nodes'
    std::int32_t* of_element = vertices.data() + static_cast<std::size_t>(line) * nodes;
    for (std::size_t n = 0; n < nodes; ++n) {
      const std::int64_t place = mesh_.find_node(numbers[1 + n]);
      if (place < 0) return false;
      of_element[cell.vtk_place[n]] = static_cast<std::int32_t>(place);
    }
    return true;
  };
  if (!input.template take_lines<std::int64_t>(count, 1 + nodes, use)) return false;
  mesh_.add_cells(*cell.type, std::move(vertices), groups);
  return true;
}

template <class Input>
void GmshReader::read_elements_4(Input& input) {
  input.begin_row("the numbers of blocks and of elements");
  const std::int64_t blocks = gmsh_count(input, "the number of blocks");
  const std::int64_t count = gmsh_count(input, "the number of elements");
  if (version_ == Version::v4_1 && binary_) {
    (void)input.wide_integer("the smallest tag");
    (void)input.wide_integer("the largest tag");
  }
  std::int64_t seen = 0;
  for (std::int64_t b = 0; b < blocks; ++b) {
    input.begin_row({"the head of block", b + 1});
    std::int64_t dimension = input.integer("an entity's dimension"), tag_of_entity = input.integer("an entity's tag");
    if (version_ == Version::v4_0) std::swap(dimension, tag_of_entity);
    const GmshCell& cell = cell_type(input, input.integer("the type of a block's elements"), {"element", seen + 1});
    if (dimension != cell.dimension)
      input.fail("a block of an entity of dimension " + std::to_string(dimension) + " can't hold elements of type " +
                 std::string(cell.name));
    const std::int64_t elements =
        gmsh_natural(input, input.wide_integer("a block's size"), "the number of elements in a block");
    const std::size_t possible =
        input.possible(elements, (1 + static_cast<std::size_t>(cell.nodes)) * sizeof(std::int32_t), "elements");
    const auto groups = entities().groups(dimension, tag_of_entity);
    const bool are_ghosts = entities().are_ghosts(dimension, tag_of_entity);
    if (!are_ghosts && elements > 0) entities().note_elements(dimension, tag_of_entity);
    if (!are_ghosts && take_elements(input, cell, elements, groups)) {
      seen += elements;
      continue;
    }
    if (!are_ghosts) mesh_.reserve_cells(cell, possible);
    for (std::int64_t e = 0; e < elements; ++e, ++seen) {
      input.begin_row({"an element of a block of", elements});
      const std::int64_t id =
          version_ == Version::v4_1 ? input.wide_integer("an element's number") : input.integer("an element's number");
      const CellNodes nodes = read_nodes_of(input, cell, id);
      if (!are_ghosts) mesh_.add_cell(cell, nodes.all(cell), groups);
    }
  }
  if (seen != count)
    input.fail("the header announces " + std::to_string(count) + " elements, but the blocks have " +
               std::to_string(seen));
}

// ---- the file -----------------------------------------------------------------------------------------------------

void GmshReader::read_section(std::string_view section) {
  const bool is_nodes = section == "$Nodes" || section == "$ParametricNodes" || section == "$NOD";
  const bool is_elements = section == "$Elements" || section == "$ELM";
  const bool is_4 = version_ == Version::v4_0 || version_ == Version::v4_1;
  if (version_ == Version::none && (section == "$NOD" || section == "$ELM")) version_ = Version::v1;
  if (version_ == Version::none && (is_nodes || is_elements)) fail(std::string(section) + " comes before $MeshFormat");
  if (is_elements && !has_nodes_) fail(std::string(section) + " comes before the nodes");
  if (section == "$PhysicalNames") {
    read_names();
  } else if (is_nodes) {
    has_nodes_ = true;
    if (is_4) {
      with_input([&](auto& input) { read_nodes_4(input); });
    } else {
      GmshText(rows_).begin_row("the number of nodes");
      const std::int64_t count = rows_.natural("the number of nodes");
      with_input([&](auto& input) { read_nodes_1_2(input, count, section == "$ParametricNodes"); });
    }
    end_section(section, "nodes");
  } else if (is_elements) {
    has_elements_ = true;
    if (is_4) {
      with_input([&](auto& input) { read_elements_4(input); });
    } else if (version_ == Version::v1) {
      read_elements_1();
    } else {
      GmshText(rows_).begin_row("the number of elements");
      const std::int64_t count = rows_.natural("the number of elements");
      if (binary_) {
        GmshBinary input(rows_, BinaryValues(name_, content_, rows_.offset_behind_row(), swap_bytes_));
        read_elements_2_binary(input, count);
      } else {
        read_elements_2_text(count);
      }
    }
    end_section(section, "elements");
  } else if (section == "$Entities" && is_4) {
    with_input([&](auto& input) { entities().read(input); });
    end_section(section, "entities");
  } else if (section == "$PartitionedEntities" && is_4) {
    with_input([&](auto& input) { entities().read_partitioned(input); });
    end_section(section, "entities");
  } else {
    skip_section(section);
  }
}

VolumeMesh GmshReader::read() {
  while (rows_.next_row()) {
    const std::string section(rows_.row());
    if (section.front() != '$') fail("a section ($Nodes, ...) should begin here, not " + quote(section));
    if (section == "$MeshFormat")
      read_format();
    else
      read_section(section);
  }
  if (!has_nodes_) fail("the file has no $Nodes");
  if (!has_elements_) fail("the file has no $Elements (is it cut short?)");
  return mesh_.finish(entities_ ? entities_->missing_partitions() : "");
}

// Other programs write comments in a section of their own before the format.
bool recognises_gmsh(std::string_view content) {
  Lines lines(content, false);
  std::string_view line;
  if (!lines.next(line) || line.front() != '$') return false;
  return line == "$MeshFormat" || line == "$NOD" || content.find("$MeshFormat") != std::string_view::npos;
}

VolumeMesh read_gmsh(const MeshFile& file) {
  return GmshReader(file).read();
}

}  // namespace

const MeshFormat gmsh_format = {"Gmsh (.msh)", recognises_gmsh, read_gmsh};

}  // namespace quartic::io
