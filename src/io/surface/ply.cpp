// PLY, as text and binary in either byte order: vertices and faces. Turk, The PLY polygon file format, 1994.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/surface/polygons.hpp"
#include "io/surface/surface_formats.hpp"
#include "io/text/binary_values.hpp"
#include "io/text/text.hpp"
#include "io/text/text_rows.hpp"

namespace quartic::io {
namespace {

enum class NumberType : std::uint8_t { i8, u8, i16, u16, i32, u32, f32, f64 };

std::optional<NumberType> number_type(std::string_view name) {
  constexpr std::pair<std::string_view, NumberType> names[] = {
      {"char", NumberType::i8},    {"int8", NumberType::i8},     {"uchar", NumberType::u8},
      {"uint8", NumberType::u8},   {"short", NumberType::i16},   {"int16", NumberType::i16},
      {"ushort", NumberType::u16}, {"uint16", NumberType::u16},  {"int", NumberType::i32},
      {"int32", NumberType::i32},  {"uint", NumberType::u32},    {"uint32", NumberType::u32},
      {"float", NumberType::f32},  {"float32", NumberType::f32}, {"double", NumberType::f64},
      {"float64", NumberType::f64}};
  for (const auto& [known, type] : names)
    if (name == known) return type;
  return std::nullopt;
}

struct Property {
  std::string name;
  NumberType type;
  std::optional<NumberType> count_type;  // of lists
};

struct ElementKind {
  std::string name;
  std::int64_t count;
  std::vector<Property> properties;
};

enum class Encoding : std::uint8_t { text, little_endian, big_endian };

/// Numbers as the header announces them, from lines or from binary data.
class PlyValues {
 public:
  PlyValues(TextRows& rows, const MeshFile& file, Encoding encoding) : rows_(rows) {
    const bool swap = (encoding == Encoding::big_endian) != (std::endian::native == std::endian::big);
    if (encoding != Encoding::text) binary_.emplace(file.path.string(), file.content, rows.offset_behind_row(), swap);
  }

  void begin(const What& what) {
    if (!binary_ && !rows_.next_row()) fail("the file ends where " + what.string() + " should be (is it cut short?)");
  }
  /// A number of a list, or a count, must be whole.
  std::int64_t integer(NumberType type, const What& what) {
    if (!binary_) return rows_.integer(what);
    const double value = number(type, what);
    constexpr double largest = 0x1p53;
    if (value != std::floor(value) || !(std::abs(value) <= largest)) fail(what.string() + " should be a whole number");
    return static_cast<std::int64_t>(value);
  }
  double number(NumberType type, const What& what) {
    if (!binary_) return rows_.number(what);
    switch (type) {
      case NumberType::i8:
        return binary_->next<std::int8_t>(what.text);
      case NumberType::u8:
        return binary_->next<std::uint8_t>(what.text);
      case NumberType::i16:
        return binary_->next<std::int16_t>(what.text);
      case NumberType::u16:
        return binary_->next<std::uint16_t>(what.text);
      case NumberType::i32:
        return binary_->next<std::int32_t>(what.text);
      case NumberType::u32:
        return binary_->next<std::uint32_t>(what.text);
      case NumberType::f32:
        return binary_->next<float>(what.text);
      case NumberType::f64:
        return binary_->next<double>(what.text);
    }
    return 0;
  }
  /// Passes over a number that nobody needs, whatever it is.
  void skip(NumberType type, const What& what) {
    if (binary_) {
      (void)number(type, what);
    } else if (rows_.field().empty()) {
      rows_.fail("the line ends before " + what.string());
    }
  }
  [[noreturn]] void fail(const std::string& what) const {
    if (binary_) binary_->fail(what);
    rows_.fail(what);
  }

 private:
  TextRows& rows_;
  std::optional<BinaryValues> binary_;
};

class PlyReader {
 public:
  explicit PlyReader(const MeshFile& file) : file_(file), rows_(file) {}

  TriangleMesh read() {
    read_header();
    PlyValues values(rows_, file_, encoding_);
    bool has_faces = false;
    for (const ElementKind& kind : kinds_) {
      if (kind.name == "vertex") {
        read_vertices(values, kind);
      } else if (kind.name == "face") {
        has_faces = true;
        read_faces(values, kind);
      } else {
        if (kind.name == "tristrips") fail("triangle strips can't be read; save the mesh with faces");
        if (kind.properties.empty()) continue;  // nothing to pass over, however many there are
        for (std::int64_t n = 0; n < kind.count; ++n) pass(values, kind, {"an entry of an element", n});
      }
    }
    if (!has_faces) fail("the header has no element 'face': there are only points");
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { rows_.fail(what); }
  void read_header();
  void read_element();
  void read_property();
  void read_vertices(PlyValues& values, const ElementKind& kind);
  void read_faces(PlyValues& values, const ElementKind& kind);
  void read_face(PlyValues& values, const Property& list, std::int64_t number);
  static void pass(PlyValues& values, const ElementKind& kind, const What& what);
  static void pass(PlyValues& values, const Property& property, const What& what);

  const MeshFile& file_;
  TextRows rows_;
  Encoding encoding_ = Encoding::text;
  std::vector<ElementKind> kinds_;
  TriangleMesh mesh_;
  Polygons polygons_;
  std::vector<std::int32_t> face_;
};

void PlyReader::read_header() {
  (void)rows_.next_row();  // "ply"
  while (rows_.next_row()) {
    const std::string_view word = rows_.field();
    if (word == "end_header") return;
    if (word == "format") {
      const std::string_view format = rows_.field();
      if (format != "ascii" && format != "binary_little_endian" && format != "binary_big_endian")
        fail("the format should be ascii, binary_little_endian or binary_big_endian, not " + quote(format));
      encoding_ = format == "ascii"                  ? Encoding::text
                  : format == "binary_little_endian" ? Encoding::little_endian
                                                     : Encoding::big_endian;
    } else if (word == "element") {
      read_element();
    } else if (word == "property") {
      read_property();
    } else if (word != "comment" && word != "obj_info") {
      fail(quote(word) + " is no word of PLY headers");
    }
  }
  fail("the header has no end_header (is the file cut short?)");
}

void PlyReader::read_element() {
  const std::string name(rows_.field());
  kinds_.push_back({name, rows_.natural("an element's count"), {}});
}

void PlyReader::read_property() {
  if (kinds_.empty()) fail("a property comes before the first element");
  const auto type = [&](std::string_view name) {
    const auto found = number_type(name);
    if (!found) fail(quote(name) + " is no type of PLY files");
    return *found;
  };
  Property property{};
  const std::string_view first = rows_.field();
  if (first == "list") property.count_type = type(rows_.field());
  property.type = type(property.count_type ? rows_.field() : first);
  property.name = std::string(rows_.field());
  if (property.name.empty()) fail("a property has no name");
  kinds_.back().properties.push_back(std::move(property));
}

void PlyReader::pass(PlyValues& values, const Property& property, const What& what) {
  const std::int64_t count = property.count_type ? values.integer(*property.count_type, what) : 1;
  if (count < 0) values.fail(what.string() + " has a list of negative length");
  for (std::int64_t n = 0; n < count; ++n) values.skip(property.type, what);
}

void PlyReader::pass(PlyValues& values, const ElementKind& kind, const What& what) {
  values.begin(what);
  for (const Property& property : kind.properties) pass(values, property, what);
}

void PlyReader::read_vertices(PlyValues& values, const ElementKind& kind) {
  std::array<bool, 3> found{};
  for (const Property& property : kind.properties)
    for (std::size_t axis = 0; axis < 3; ++axis)
      found[axis] = found[axis] || (!property.count_type && property.name == std::string(1, "xyz"[axis]));
  if (!found[0] || !found[1] || !found[2]) fail("the header's vertices lack one of the properties x, y and z");
  if (kind.count > std::numeric_limits<std::int32_t>::max() - mesh_.vertex_count())
    fail("there are more vertices than can be numbered");
  for (std::int64_t n = 0; n < kind.count; ++n) {
    const What what{"a coordinate of vertex", n};
    values.begin(what);
    std::array<double, 3> x{};
    for (const Property& property : kind.properties) {
      const std::size_t axis = property.name.size() == 1 ? std::string_view("xyz").find(property.name) : 3;
      if (property.count_type || axis > 2) {
        pass(values, property, what);
      } else {
        x[axis] = values.number(property.type, what);
        if (!std::isfinite(x[axis])) values.fail(what.string() + " isn't a finite number");
      }
    }
    mesh_.vertices.insert(mesh_.vertices.end(), x.begin(), x.end());
  }
}

void PlyReader::read_faces(PlyValues& values, const ElementKind& kind) {
  const auto is_corner_list = [](const Property& property) {
    return property.count_type && (property.name == "vertex_indices" || property.name == "vertex_index");
  };
  bool found = false;
  for (const Property& property : kind.properties) found = found || is_corner_list(property);
  if (!found) fail("the header's faces lack the list vertex_indices");
  for (std::int64_t n = 0; n < kind.count; ++n) {
    const What what{"a number of face", n};
    values.begin(what);
    for (const Property& property : kind.properties) {
      if (is_corner_list(property)) {
        read_face(values, property, n);
      } else {
        pass(values, property, what);
      }
    }
  }
}

void PlyReader::read_face(PlyValues& values, const Property& list, std::int64_t number) {
  const std::int64_t count = values.integer(*list.count_type, {"the number of corners of face", number});
  if (count < 3 || count > static_cast<std::int64_t>(Polygons::most_corners))
    values.fail("face " + std::to_string(number) + " has " + std::to_string(count) + " corners; it should have 3 to " +
                std::to_string(Polygons::most_corners));
  face_.clear();
  for (std::int64_t c = 0; c < count; ++c) {
    const std::int64_t vertex = values.integer(list.type, {"a corner of face", number});
    if (vertex < 0 || vertex >= mesh_.vertex_count())
      values.fail("face " + std::to_string(number) + " has vertex " + std::to_string(vertex) + ", but there are only " +
                  std::to_string(mesh_.vertex_count()) + ", counted from 0");
    face_.push_back(static_cast<std::int32_t>(vertex));
  }
  polygons_.add(mesh_, face_);
}

bool recognises_ply(const MeshFile& file) {
  return file.content.starts_with("ply\n") || file.content.starts_with("ply\r");
}

TriangleMesh read_ply(const MeshFile& file) {
  return PlyReader(file).read();
}

}  // namespace

const SurfaceFormat ply_format = {"PLY", recognises_ply, read_ply};

}  // namespace quartic::io
