// STL, as text and binary: triangles without shared vertices. 3D Systems, StereoLithography interface specification.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "io/surface/surface_formats.hpp"
#include "io/text/binary_values.hpp"
#include "io/text/text.hpp"
#include "io/text/text_rows.hpp"

namespace quartic::io {
namespace {

constexpr std::size_t header_size = 84, triangle_size = 50;

std::size_t announced_count(std::string_view content) {
  return read_value<std::uint32_t>(content.data() + header_size - sizeof(std::uint32_t),
                                   std::endian::native == std::endian::big);
}

bool has_announced_size(std::string_view content) {
  return content.size() >= header_size && content.size() == header_size + triangle_size * announced_count(content);
}

// Binary files may begin with "solid", too.
bool is_text(std::string_view content) {
  constexpr std::size_t head = 1024;
  const std::string_view start = trimmed(content.substr(0, head));
  return starts_with_ignoring_case(start, "solid") && start.find('\0') == std::string_view::npos &&
         (start.find("facet") != std::string_view::npos || start.find("FACET") != std::string_view::npos ||
          start.find("endsolid") != std::string_view::npos || start.find("ENDSOLID") != std::string_view::npos);
}

// What a binary file is shows by its size, and if that is wrong by nothing but its name.
bool recognises_stl(const MeshFile& file) {
  return has_announced_size(file.content) || is_text(file.content) ||
         (equal_ignoring_case(file.path.extension().string(), ".stl") && file.content.size() >= header_size &&
          file.content.find('\0') != std::string::npos);
}

/// Equal positions are one vertex, numbered by their first use.
class JoinedVertices {
 public:
  /// @return the number, or -1 if there are more than can be numbered
  std::int32_t add(TriangleMesh& mesh, const std::array<double, 3>& position) {
    const std::array<double, 3> key = {position[0] + 0.0, position[1] + 0.0, position[2] + 0.0};  // -0 is 0
    const auto next = mesh.vertex_count();
    if (next > std::numeric_limits<std::int32_t>::max()) return -1;
    const auto [entry, is_new] = numbers_.try_emplace(key, static_cast<std::int32_t>(next));
    if (is_new) mesh.vertices.insert(mesh.vertices.end(), key.begin(), key.end());
    return entry->second;
  }

 private:
  struct Hash {
    std::size_t operator()(const std::array<double, 3>& x) const {
      std::size_t hash = 0;
      constexpr std::size_t odd = 0x9E3779B97F4A7C15;
      for (const double c : x) hash = (hash ^ std::hash<double>()(c)) * odd;
      return hash ^ hash >> 32;
    }
  };
  std::unordered_map<std::array<double, 3>, std::int32_t, Hash> numbers_;
};

constexpr const char* too_many = "there are more vertices than can be numbered";

TriangleMesh read_binary(const MeshFile& file) {
  BinaryValues values(file.path.string(), file.content, header_size, std::endian::native == std::endian::big);
  const std::size_t count = announced_count(file.content);
  if (file.content.size() < header_size + triangle_size * count)
    values.fail("the header says " + std::to_string(count) + " triangles, which take " +
                std::to_string(header_size + triangle_size * count) + " bytes, but the file has " +
                std::to_string(file.content.size()) + " (is it cut short?)");
  TriangleMesh mesh;
  mesh.triangles.reserve(3 * count);
  JoinedVertices vertices;
  for (std::size_t t = 0; t < count; ++t) {
    (void)values.skip(3 * sizeof(float), "a normal");
    for (int c = 0; c < 3; ++c) {
      std::array<double, 3> x{};
      for (double& coordinate : x) coordinate = values.next<float>("a coordinate");
      if (!std::isfinite(x[0]) || !std::isfinite(x[1]) || !std::isfinite(x[2]))
        values.fail("a coordinate of triangle " + std::to_string(t) + ", counted from 0, isn't a finite number");
      mesh.triangles.push_back(vertices.add(mesh, x));
      if (mesh.triangles.back() < 0) values.fail(too_many);
    }
    (void)values.skip(sizeof(std::uint16_t), "an attribute");
  }
  if (values.remaining() > 0)
    mesh.warnings.push_back(std::to_string(values.remaining()) + " bytes follow the triangles; they were skipped");
  return mesh;
}

class TextReader {
 public:
  explicit TextReader(const MeshFile& file) : rows_(file) {}

  TriangleMesh read() {
    while (rows_.next_row()) read_row(rows_.field());
    if (in_solid_) rows_.fail("the file ends without endsolid (is it cut short?)");
    return std::move(mesh_);
  }

 private:
  [[nodiscard]] static bool is(std::string_view word, std::string_view keyword) {
    return equal_ignoring_case(word, keyword);
  }
  void read_row(std::string_view word);
  void read_corner();

  TextRows rows_;
  TriangleMesh mesh_;
  JoinedVertices vertices_;
  bool in_solid_ = false;
  int corners_ = 0;  // of the present loop
};

void TextReader::read_row(std::string_view word) {
  if (is(word, "vertex")) return read_corner();
  if (is(word, "endloop")) {
    if (corners_ != 3) rows_.fail("a triangle has " + std::to_string(corners_) + " vertices instead of 3");
    corners_ = 0;
  } else if (is(word, "solid")) {
    if (in_solid_) rows_.fail("a solid begins inside another one: endsolid is missing");
    in_solid_ = true;
  } else if (is(word, "endsolid")) {
    if (corners_ != 0) rows_.fail("the solid ends inside a triangle");
    in_solid_ = false;
  } else if (!is(word, "facet") && !is(word, "outer") && !is(word, "endfacet") && !is(word, "color")) {
    rows_.fail(quote(word) + " is no word of STL files");
  }
}

void TextReader::read_corner() {
  if (!in_solid_) rows_.fail("a vertex comes before 'solid'");
  std::array<double, 3> x{};
  for (double& coordinate : x) coordinate = rows_.number("a coordinate");
  ++corners_;
  mesh_.triangles.push_back(vertices_.add(mesh_, x));
  if (mesh_.triangles.back() < 0) rows_.fail(too_many);
}

TriangleMesh read_stl(const MeshFile& file) {
  return is_text(file.content) && !has_announced_size(file.content) ? TextReader(file).read() : read_binary(file);
}

}  // namespace

const SurfaceFormat stl_format = {"STL", recognises_stl, read_stl};

}  // namespace quartic::io
