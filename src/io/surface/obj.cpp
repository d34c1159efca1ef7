// Wavefront OBJ: positions and polygons. (An own reader: libraries for this format part or reorder vertices, or take
// damaged numbers for zero.) Wavefront, Advanced Visualizer manual, appendix B1, object files.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "io/surface/polygons.hpp"
#include "io/surface/surface_formats.hpp"
#include "io/text/text.hpp"
#include "io/text/text_rows.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view statements[] = {"v", "vt", "vn", "vp", "f", "g", "o", "s", "l", "p", "mtllib", "usemtl"};

bool is_statement(std::string_view word) {
  for (const std::string_view statement : statements)
    if (word == statement) return true;
  return false;
}

class ObjReader {
 public:
  explicit ObjReader(const MeshFile& file) : rows_(file), content_(file.content) {}

  TriangleMesh read() {
    while (rows_.next_row()) {
      if (rows_.first_character() == '#') continue;
      const std::string_view keyword = rows_.field();
      if (keyword == "v") read_vertex();
      if (keyword == "f") read_face();
      if (keyword == "surf" || keyword == "curv") ++free_forms_;
      pass_continued_lines(keyword);
    }
    if (ends_within_line(content_)) mesh_.warnings.emplace_back(unfinished_line_warning);
    if (free_forms_ > 0)
      mesh_.warnings.push_back(std::to_string(free_forms_) +
                               " free-form curves and surfaces were skipped; only polygons are read");
    return std::move(mesh_);
  }

 private:
  /// The next field, also on the line after one that ends with a backslash; empty at the end.
  std::string_view field() {
    std::string_view text = rows_.field();
    while (text == "\\" && rows_.next_row()) text = rows_.field();
    return text;
  }
  // Statements that aren't read may go over several lines, too.
  void pass_continued_lines(std::string_view keyword) {
    if (keyword != "v" && keyword != "f")
      while (rows_.row().ends_with('\\') && rows_.next_row()) continue;
  }

  void read_vertex();
  void read_face();
  /// The vertex of a corner "7", "7/1", "7/1/3" or "7//3"; negative numbers count back from the newest vertex.
  std::int32_t vertex_of(std::string_view corner) const;

  TextRows rows_;
  std::string_view content_;
  TriangleMesh mesh_;
  std::vector<std::int32_t> face_;
  Polygons polygons_;
  std::int64_t free_forms_ = 0;
};

void ObjReader::read_vertex() {
  const std::int64_t number = mesh_.vertex_count() + 1;
  if (number > std::numeric_limits<std::int32_t>::max()) rows_.fail("there are more vertices than can be numbered");
  std::array<double, 3> x{};
  for (double& coordinate : x) {
    const std::string_view text = field();
    if (text.empty()) rows_.fail("vertex " + std::to_string(number) + " should have three coordinates");
    const auto value = parse_number(text);
    if (!value)
      rows_.fail("a coordinate of vertex " + std::to_string(number) + " should be a number, not " + quote(text));
    coordinate = *value;
  }
  mesh_.vertices.insert(mesh_.vertices.end(), x.begin(), x.end());
}

std::int32_t ObjReader::vertex_of(std::string_view corner) const {
  const std::string_view text = corner.substr(0, corner.find('/'));
  const auto number = parse_integer(text);
  const std::int64_t count = mesh_.vertex_count();
  if (!number || *number == 0)
    rows_.fail("a corner of a face should be a vertex number from 1 on, or -1 for the newest, not " + quote(corner));
  if (*number > count || *number < -count)
    rows_.fail("a face has vertex " + std::to_string(*number) + ", but there are only " + std::to_string(count) +
               " before it");
  return static_cast<std::int32_t>(*number > 0 ? *number - 1 : count + *number);
}

void ObjReader::read_face() {
  face_.clear();
  for (std::string_view corner = field(); !corner.empty(); corner = field()) {
    if (corner.starts_with('#')) break;
    face_.push_back(vertex_of(corner));
  }
  if (face_.size() < 3) rows_.fail("a face should have three corners or more");
  if (face_.size() > Polygons::most_corners)
    rows_.fail("a face has " + std::to_string(face_.size()) + " corners; cut it into smaller ones");
  polygons_.add(mesh_, face_);
}

// Words that begin statements, up to the first face. Isaac Gym's files have vertices like these, but tetrahedra (t).
bool recognises_obj(const MeshFile& file) {
  Lines lines(file.content);
  std::string_view line;
  for (bool first = true; lines.next(line); first = false) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    if (word == "f" && word != line) return true;
    if (word == "t" || (first && !is_statement(word))) return false;
  }
  return false;
}

TriangleMesh read_obj(const MeshFile& file) {
  return ObjReader(file).read();
}

}  // namespace

const SurfaceFormat obj_format = {"Wavefront OBJ", recognises_obj, read_obj};

}  // namespace quartic::io
