// Lists of fixed vertices (.bou): 1-based indices and ranges `a:b`, parted by commas, blanks and line ends.
#include <algorithm>
#include <string>

#include "io/files/atomic_file.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace {

/// Reads entries one after the other and remembers where it is, for messages.
class FixedVertexReader {
 public:
  FixedVertexReader(std::string name, std::int64_t vertex_count)
      : name_(std::move(name)), vertex_count_(vertex_count) {}

  std::vector<std::int32_t> read(std::string_view content) {
    io::Lines lines(content);
    std::string_view line;
    while (lines.next(line)) {
      line_ = lines.number();
      io::Fields fields(line);
      for (auto field = fields.next(); !field.empty(); field = fields.next()) add(field);
    }
    std::sort(vertices_.begin(), vertices_.end());
    vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
    return std::move(vertices_);
  }

 private:
  void add(std::string_view field) {
    ++entry_;
    const auto colon = field.find(':');
    const auto first = index(field.substr(0, colon), field);
    const auto last = colon == std::string_view::npos ? first : index(field.substr(colon + 1), field);
    if (last < first) fail("is the range " + io::quote(field) + ", which runs backwards");
    added_ += last - first + 1;
    // Overlapping ranges could name every vertex again and again; what is known already is dropped in between.
    if (added_ > 2 * vertex_count_ + 1024) {
      std::sort(vertices_.begin(), vertices_.end());
      vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
      added_ = last - first + 1;
    }
    for (auto v = first; v <= last; ++v) vertices_.push_back(static_cast<std::int32_t>(v - 1));
  }

  [[nodiscard]] std::int64_t index(std::string_view text, std::string_view field) const {
    const auto value = io::parse_integer(text);
    if (!value) fail(io::quote(field) + " is not an integer");
    const std::string range = "1.." + std::to_string(vertex_count_);
    if (*value < 1)
      fail("is " + std::to_string(*value) + ", but fixed vertices are " + range + " (the list is 1-based)");
    if (*value > vertex_count_)
      fail("is " + std::to_string(*value) + ", but the mesh has " + std::to_string(vertex_count_) + " vertices");
    return *value;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ParseError(name_, line_, "entry " + std::to_string(entry_) + " " + what);
  }

  std::string name_;
  std::int64_t vertex_count_;
  std::int64_t line_ = 0;
  std::int64_t entry_ = 0;
  std::int64_t added_ = 0;  // since duplicates were last dropped
  std::vector<std::int32_t> vertices_;
};

}  // namespace

std::vector<std::int32_t> read_fixed_vertices(const std::filesystem::path& path, std::int64_t vertex_count) {
  return FixedVertexReader(path.string(), vertex_count).read(io::read_file(path));
}

void write_fixed_vertices(std::span<const std::int32_t> vertices, const std::filesystem::path& path) {
  std::string text;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (vertices[i] < 0) throw InputError("fixed vertex " + std::to_string(vertices[i]) + " is negative");
    text += std::to_string(std::int64_t{vertices[i]} + 1);
    text += i % 8 == 7 || i + 1 == vertices.size() ? ",\n" : ",";
  }
  io::AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace quartic
