// TetGen's pairs of files: .node (vertices, with boundary markers) and .ele (tetrahedra, with region attributes).
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "io/mesh/mesh_formats.hpp"
#include "io/text/numbering.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

// TetGen puts a ten-node tetrahedron's middle nodes on the edges 2-3, 0-3, 0-1, 1-2, 1-3, 0-2 (seen in its output for
// option -o2); this is each one's place in VTK's order 0-1, 1-2, 0-2, 0-3, 1-3, 2-3.
constexpr std::array<std::size_t, 10> vtk_place = {0, 1, 2, 3, 9, 7, 4, 5, 8, 6};

/// Rows of one file: a header of integers, then `count` rows that start with an id.
class FileRows {
 public:
  explicit FileRows(const MeshFile& file)
      : name_(file.path.string()), bytes_(file.content.size()), lines_(file.content) {
    if (!lines_.next(line_)) fail("the file holds no numbers");
    Fields fields(line_);
    for (std::size_t i = 0; i < header_.size(); ++i) {
      const auto field = fields.next();
      if (field.empty()) break;
      const auto value = parse_integer(field);
      if (!value || *value < 0) fail("the header should be numbers from 0 on, found " + quote(field));
      header_[i] = *value;
    }
  }

  /// Entry of the header; 0 where it is left out.
  [[nodiscard]] std::int64_t header(std::size_t i) const { return header_[i]; }
  [[nodiscard]] std::size_t expected_rows() const {
    return std::min(static_cast<std::size_t>(header_[0]), bytes_ / 8 + 1);
  }

  /// Calls `row(id, fields)` for every row. Rows beyond the header's count are an error, and so are missing ones.
  template <class Row>
  void for_each(const char* rows, Numbering& numbering, const Row& row) {
    const auto count = header_[0];
    while (lines_.next(line_)) {
      if (numbering.count() == count)
        fail("there are more rows than the " + std::to_string(count) + " " + rows + " that the header announces");
      Fields fields(line_);
      const auto field = fields.next();
      const auto id = parse_integer(field);
      if (!id || *id < 0) fail("a row should start with an index from 0 on, found " + quote(field));
      if (!numbering.add(*id)) fail("the index " + std::to_string(*id) + " appears a second time");
      row(*id, fields);
    }
    if (numbering.count() != count)
      fail("the header announces " + std::to_string(count) + " " + rows + ", but there are only " +
           std::to_string(numbering.count()) + " (is the file cut short?)");
  }

  [[nodiscard]] double number(Fields& fields, const char* entity, std::int64_t id) const {
    const auto field = fields.next();
    const auto value = parse_number(field);
    if (!value) fail_field(field, entity, id);
    return *value;
  }
  [[nodiscard]] std::int64_t integer(Fields& fields, const char* entity, std::int64_t id) const {
    const auto field = fields.next();
    const auto value = parse_integer(field);
    if (!value) fail_field(field, entity, id);
    return *value;
  }

  /// A row with more fields than announced has decimal commas, or belongs to another kind of file.
  void check_end(Fields& fields, std::int64_t further_allowed, const char* entity, std::int64_t id) const {
    std::int64_t further = 0;
    while (!fields.next().empty()) ++further;
    if (further > further_allowed)
      fail(std::string(entity) + " " + std::to_string(id) + " has more numbers than the header announces");
  }

  [[noreturn]] void fail(const std::string& what) const { throw ParseError(name_, lines_.number(), what); }

 private:
  [[noreturn]] void fail_field(std::string_view field, const char* entity, std::int64_t id) const {
    const std::string subject = std::string(entity) + " " + std::to_string(id);
    if (field.empty()) fail(subject + ": the row ends too early");
    fail(subject + ": " + quote(field) + " is not a number");
  }

  std::string name_;
  std::size_t bytes_;
  Lines lines_;
  std::string_view line_;
  std::array<std::int64_t, 4> header_{};
};

void read_nodes(const MeshFile& file, VolumeMesh& mesh, Numbering& numbering) {
  FileRows rows(file);  // header: count, dimension, attributes, boundary markers (0 or 1)
  if (rows.header(1) != 3)
    rows.fail("nodes have " + std::to_string(rows.header(1)) + " coordinates; a volume mesh needs 3");
  mesh.vertices.reserve(3 * rows.expected_rows());
  const bool has_markers = rows.header(3) > 0;
  std::int32_t vertex = 0;
  rows.for_each("nodes", numbering, [&](std::int64_t id, Fields& fields) {
    for (int c = 0; c < 3; ++c) mesh.vertices.push_back(rows.number(fields, "node", id));
    if (has_markers) {
      for (std::int64_t i = 0; i < rows.header(2); ++i) (void)rows.number(fields, "node", id);
      const auto marker = rows.integer(fields, "node", id);
      if (marker != 0) mesh.vertex_sets[std::to_string(marker)].push_back(vertex);
    }
    rows.check_end(fields, rows.header(2) + 1, "node", id);
    ++vertex;
  });
}

void read_tetrahedra(const MeshFile& file, VolumeMesh& mesh, const Numbering& nodes) {
  FileRows rows(file);  // header: count, nodes per tetrahedron, attributes
  const auto width = static_cast<std::size_t>(rows.header(1));
  if (width != 4 && width != 10)
    rows.fail("tetrahedra have " + std::to_string(width) + " nodes each; 4 and 10 can be read");
  ElementBlock& block = mesh.blocks.emplace_back();
  block.type = width == 4 ? ElementType::tet4 : ElementType::tet10;
  block.vertices.reserve(width * rows.expected_rows());
  mesh.element_region.reserve(rows.expected_rows());
  const bool has_regions = rows.header(2) > 0;
  std::map<double, std::int32_t> region_of_attribute;
  Numbering numbering;
  rows.for_each("tetrahedra", numbering, [&](std::int64_t id, Fields& fields) {
    std::array<std::int32_t, 10> vertices{};
    for (std::size_t a = 0; a < width; ++a) {
      const auto node = rows.integer(fields, "tetrahedron", id);
      const auto vertex = nodes.find(node);
      if (vertex < 0)
        rows.fail("tetrahedron " + std::to_string(id) + " has vertex " + std::to_string(node) +
                  ", but the .node file has " + std::to_string(nodes.count()) + " vertices, counted from " +
                  std::to_string(nodes.first()));
      vertices[vtk_place[a]] = static_cast<std::int32_t>(vertex);
    }
    block.vertices.insert(block.vertices.end(), vertices.begin(),
                          vertices.begin() + static_cast<std::ptrdiff_t>(width));
    std::int32_t region = -1;
    if (has_regions) {
      const double attribute = rows.number(fields, "tetrahedron", id);
      const auto [entry, is_new] =
          region_of_attribute.try_emplace(attribute, static_cast<std::int32_t>(mesh.regions.size()));
      if (is_new) mesh.regions.push_back({format_number(attribute), std::nullopt});
      region = entry->second;
    }
    rows.check_end(fields, rows.header(2), "tetrahedron", id);
    mesh.element_region.push_back(region);
  });
  if (block.vertices.empty()) mesh.blocks.clear();  // other readers leave no empty blocks either
}

// The second number of the header tells the files apart: 3 coordinates, or 4 or 10 nodes.
std::int64_t second_header_number(std::string_view content) {
  Lines lines(content);
  std::string_view line;
  if (!lines.next(line)) return -1;
  Fields fields(line);
  std::int64_t second = -1;
  int count = 0;
  for (auto field = fields.next(); !field.empty(); field = fields.next(), ++count) {
    const auto value = parse_integer(field);
    if (!value || *value < 0 || count == 4) return -1;
    if (count == 1) second = *value;
  }
  return second;
}

bool is_node_file(std::string_view content) {
  const auto second = second_header_number(content);
  return second == 2 || second == 3;
}

bool is_ele_file(std::string_view content) {
  const auto second = second_header_number(content);
  return second == 4 || second == 10;
}

bool recognises_tetgen(std::string_view content) {
  return is_node_file(content) || is_ele_file(content);
}

VolumeMesh read_tetgen(const MeshFile& file) {
  const bool given_nodes = is_node_file(file.content);
  MeshFile partner{file.path, {}};
  partner.path.replace_extension(given_nodes ? ".ele" : ".node");
  const char* const missing = given_nodes ? "its tetrahedra (.ele)" : "its nodes (.node)";
  try {
    partner.content = read_file(partner.path);
  } catch (const FileError& error) {
    throw FileError(file.path.string() + ": a TetGen mesh needs the file with " + missing +
                    " beside it: " + error.what());
  }
  const bool fits = given_nodes ? is_ele_file(partner.content) : is_node_file(partner.content);
  if (!fits)
    throw ParseError(partner.path.string(), 0,
                     std::string("this should be the file with ") + missing + " of " + file.path.string() +
                         ", but it doesn't look like one");
  VolumeMesh mesh;
  mesh.source_files.push_back(partner.path);
  Numbering nodes;
  read_nodes(given_nodes ? file : partner, mesh, nodes);
  read_tetrahedra(given_nodes ? partner : file, mesh, nodes);
  return mesh;
}

std::filesystem::path ele_file_of_stem(const std::filesystem::path& stem) {
  const std::filesystem::path file = stem.string() + ".ele";
  std::error_code ignored;
  return std::filesystem::exists(file, ignored) ? file : std::filesystem::path();
}

}  // namespace

const MeshFormat tetgen_format = {"TetGen (.node and .ele)", recognises_tetgen, read_tetgen, ele_file_of_stem};

}  // namespace quartic::io
