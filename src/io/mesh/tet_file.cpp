// Tetrahedral meshes of NVIDIA Flex and Isaac Gym (.tet): lines `v x y z` and `t a b c d`, vertices counted from 0 in
// the order of their lines. `#` starts a comment.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/mesh/mesh_builder.hpp"
#include "io/mesh/mesh_formats.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

class TetReader {
 public:
  explicit TetReader(const MeshFile& file) : name_(file.path.string()), content_(file.content) {}

  VolumeMesh read();

 private:
  void read_vertex(Fields& fields, const Lines& lines);
  void read_tetrahedron(Fields& fields, const Lines& lines);
  [[nodiscard]] std::int64_t first_number();
  void add_tetrahedra();
  [[noreturn]] void fail_tetrahedron(std::size_t number, std::int64_t id, std::int64_t first) const;

  std::string name_;
  std::string_view content_;
  MeshBuilder builder_;
  std::vector<std::int64_t> ids_;  // four of each tetrahedron: it may stand before its vertices
};

void TetReader::read_vertex(Fields& fields, const Lines& lines) {
  const auto subject = [&] { return "vertex " + std::to_string(builder_.vertex_count()); };
  std::array<double, 3> position{};
  for (double& coordinate : position) {
    const auto field = fields.next();
    const auto value = parse_number(field);
    if (!value && field.empty()) throw ParseError(name_, lines.number(), subject() + " has fewer than 3 coordinates");
    if (!value) throw ParseError(name_, lines.number(), subject() + ": " + quote(field) + " is not a number");
    coordinate = *value;
  }
  if (!fields.next().empty()) throw ParseError(name_, lines.number(), subject() + " has more than 3 coordinates");
  builder_.add_vertex(builder_.vertex_count(), position);
}

void TetReader::read_tetrahedron(Fields& fields, const Lines& lines) {
  const auto subject = [&, number = ids_.size() / 4] { return "tetrahedron " + std::to_string(number); };
  for (int v = 0; v < 4; ++v) {
    const auto field = fields.next();
    const auto id = parse_integer(field);
    if (!id && field.empty()) throw ParseError(name_, lines.number(), subject() + " has fewer than 4 vertices");
    if (!id) throw ParseError(name_, lines.number(), subject() + ": " + quote(field) + " is not a vertex's number");
    ids_.push_back(*id);
  }
  if (!fields.next().empty()) throw ParseError(name_, lines.number(), subject() + " has more than 4 vertices");
}

// 0, unless the numbers make sense only when counted from 1.
std::int64_t TetReader::first_number() {
  const auto [least, greatest] = std::minmax_element(ids_.begin(), ids_.end());
  if (*least != 1 || *greatest != builder_.vertex_count()) return 0;
  builder_.warn("tetrahedra name vertices 1 to " + std::to_string(*greatest) +
                ", though the format counts from 0; they are taken as counted from 1");
  return 1;
}

void TetReader::add_tetrahedra() {
  const std::int64_t first = first_number();
  std::array<std::int32_t, 4> vertices{};
  for (std::size_t i = 0; i < ids_.size(); i += 4) {
    for (std::size_t v = 0; v < 4; ++v) {
      const std::int64_t id = ids_[i + v];
      if (id < first || id - first >= builder_.vertex_count()) fail_tetrahedron(i / 4, id, first);
      vertices[v] = static_cast<std::int32_t>(id - first);
    }
    builder_.add_element(ElementType::tet4, vertices);
  }
}

void TetReader::fail_tetrahedron(std::size_t number, std::int64_t id, std::int64_t first) const {
  Lines lines(content_);
  std::string_view line;
  for (std::size_t before = 0; lines.next(line);)
    if (Fields(line).next() == "t" && before++ == number) break;
  throw ParseError(name_, lines.number(),
                   "tetrahedron " + std::to_string(number) + " has vertex " + std::to_string(id) +
                       ", but the file has " + std::to_string(builder_.vertex_count()) + " vertices, counted from " +
                       std::to_string(first));
}

VolumeMesh TetReader::read() {
  Lines lines(content_);
  std::string_view line;
  while (lines.next(line)) {
    Fields fields(line);
    const auto kind = fields.next();
    if (kind == "v") {
      read_vertex(fields, lines);
    } else if (kind == "t") {
      read_tetrahedron(fields, lines);
    } else {
      throw ParseError(name_, lines.number(),
                       "a line should start with v (vertex) or t (tetrahedron), not " + quote(line));
    }
  }
  add_tetrahedra();
  if (ends_within_line(content_)) builder_.warn(unfinished_line_warning);
  return builder_.finish();
}

// A Wavefront OBJ file starts with `v` too, but has faces, and `t` is none of its words.
bool recognises_tet_file(std::string_view content) {
  Lines lines(content);
  std::string_view line;
  bool has_tetrahedra = false;
  for (bool first = true; lines.next(line); first = false) {
    const auto kind = Fields(line).next();
    if (first && kind != "v" && kind != "t") return false;
    if (kind == "f") return false;
    has_tetrahedra = has_tetrahedra || kind == "t";
  }
  return has_tetrahedra;
}

VolumeMesh read_tet_file(const MeshFile& file) {
  return TetReader(file).read();
}

}  // namespace

const MeshFormat tet_file_format = {"Isaac Gym (.tet)", recognises_tet_file, read_tet_file};

}  // namespace quartic::io
