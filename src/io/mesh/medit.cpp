// Medit's mesh files (.mesh) as text. Frey, "MEDIT: an interactive mesh visualization software", INRIA technical report
// 253 (2001), and the list of keywords of libMeshb, which the programs around it share.
//
// The file is a sequence of keywords with numbers behind them, most of them a count and as many rows. Sections may come
// in any order, so they are looked up first and read then. Vertices are numbered from 1.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
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

struct MeditCell {
  std::string_view keyword;
  std::string_view noun;  // for messages
  std::string_view name;  // of cells that are only counted
  int dimension = 0;
  int vertices = 0;
  std::optional<ElementType> type = {};
};

// Their vertices are in VTK's order; those of TetrahedraP2 are so where the file doesn't say otherwise, as Gmsh and
// Vizir write them: behind the corners the middles of 0-1, 1-2, 2-0, 0-3, 1-3, 2-3.
constexpr MeditCell cells[] = {
    {"Tetrahedra", "tetrahedron", "", 3, 4, ElementType::tet4},
    {"TetrahedraP2", "tetrahedron", "", 3, 10, ElementType::tet10},
    {"Hexahedra", "hexahedron", "", 3, 8, ElementType::hex8},
    {"Prisms", "prism", "", 3, 6, ElementType::wedge6},
    {"Pentahedra", "prism", "", 3, 6, ElementType::wedge6},
    {"Pyramids", "pyramid", "", 3, 5, ElementType::pyramid5},
    {"Triangles", "triangle", "tri", 2, 3},
    {"TrianglesP2", "triangle", "tri6", 2, 6},
    {"Quadrilaterals", "quadrilateral", "quad", 2, 4},
    {"QuadrilateralsQ2", "quadrilateral", "quad9", 2, 9},
    {"Edges", "edge", "line", 1, 2},
    {"EdgesP2", "edge", "line3", 1, 3},
};

// What says something about elements that is of no use here: no warning is due.
constexpr std::string_view passed_over[] = {
    "MeshVersionFormatted", "Dimension", "Corners", "Ridges", "Required", "Normal", "Tangent", "Angle", "Bounding"};

const MeditCell* find_cell(std::string_view keyword) {
  const auto* const found = std::find_if(std::begin(cells), std::end(cells), [&](const MeditCell& cell) {
    return equal_ignoring_case(keyword, cell.keyword);
  });
  return found == std::end(cells) ? nullptr : found;
}

// TetrahedraP3, HexahedraQ2, ...: elements that a VolumeMesh can't hold.
bool is_higher_order(std::string_view keyword) {
  for (const std::string_view kind : {"Tetrahedra", "Hexahedra", "Prisms", "Pyramids"})
    if (starts_with_ignoring_case(keyword, kind) && keyword.size() == kind.size() + 2)
      return std::string_view("PQ").find(keyword[kind.size()]) != std::string_view::npos;
  return false;
}

bool is_keyword(std::string_view word) {
  return (word.front() >= 'A' && word.front() <= 'Z') || (word.front() >= 'a' && word.front() <= 'z');
}

/// A keyword and where its numbers are.
struct Section {
  std::string_view keyword;
  Words numbers;
  std::int64_t number_count = 0;
  std::string_view next_keyword;  // empty at the end of the file
};

/// Region or vertex set that a reference stands for; neighbours often have the same one.
template <class Value>
class ByReference {
 public:
  template <class Make>
  Value& find(std::int64_t reference, const Make& make) {
    if (last_ == values_.end() || last_->first != reference) {
      last_ = values_.find(reference);
      if (last_ == values_.end()) last_ = values_.emplace(reference, make()).first;
    }
    return last_->second;
  }
  [[nodiscard]] const std::map<std::int64_t, Value>& values() const { return values_; }

 private:
  std::map<std::int64_t, Value> values_;
  typename std::map<std::int64_t, Value>::iterator last_ = values_.end();
};

class MeditReader {
 public:
  explicit MeditReader(const MeshFile& file) : name_(file.path.string()), words_(file, '#') {}
  MeditReader(const MeditReader&) = delete;
  MeditReader& operator=(const MeditReader&) = delete;

  VolumeMesh read();

 private:
  void find_sections();
  const Section* find_section(std::string_view keyword) const;
  void check_dimension();
  void read_vertices();
  void read_order();
  void read_cells(const MeditCell& cell, const Section& section);
  void pass_over(const Section& section);
  void add_cell(const MeditCell& cell, std::int64_t reference);
  void make_sets();
  [[nodiscard]] static bool has_references(const Section& section, std::int64_t rows, std::int64_t width);

  using VertexSets = ByReference<std::vector<std::int32_t>>;

  std::string name_;
  Words words_;
  std::vector<Section> sections_;
  MeshBuilder builder_;
  std::array<std::int32_t, 10> row_{};                                   // a cell's vertices
  std::array<std::uint8_t, 10> order_ = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};  // VTK's place of TetrahedraP2's vertices
  ByReference<std::int32_t> regions_;
  std::array<VertexSets, 3> sets_;  // of cells of dimension 0, 1, 2
  std::set<std::string> unknown_;
};

// ---- sections ---------------------------------------------------------------------------------------------------

void MeditReader::find_sections() {
  for (auto word = words_.next(); !word.empty(); word = words_.next()) {
    if (word.front() == '"') {  // a title or a file's name
      (void)words_.rest_of_line();
    } else if (is_keyword(word)) {
      if (!sections_.empty()) sections_.back().next_keyword = word;
      if (equal_ignoring_case(word, "End")) return;
      constexpr std::size_t most_sections = 1000;
      if (sections_.size() == most_sections) words_.fail("the file has more than 1000 keywords");
      sections_.push_back({word, words_, 0, {}});
    } else if (!sections_.empty()) {
      ++sections_.back().number_count;
    }
  }
}

const Section* MeditReader::find_section(std::string_view keyword) const {
  const Section* found = nullptr;
  for (const Section& section : sections_) {
    if (!equal_ignoring_case(section.keyword, keyword)) continue;
    if (found != nullptr) section.numbers.fail("a second section " + std::string(keyword));
    found = &section;
  }
  return found;
}

// Rows carry a reference behind their numbers, but some programs leave it out.
bool MeditReader::has_references(const Section& section, std::int64_t rows, std::int64_t width) {
  const std::int64_t numbers = section.number_count - 1;  // one is the count
  if (rows <= numbers && numbers == rows * (width + 1)) return true;
  if (rows <= numbers && numbers == rows * width) return false;
  std::string what = std::string(section.keyword) + ": " + std::to_string(rows) + " rows of " + std::to_string(width) +
                     " numbers and a reference are announced, but " + std::to_string(numbers) + " numbers follow";
  what += section.next_keyword.empty() ? " to the end of the file (is it cut short?)"
                                       : " up to " + quote(section.next_keyword);
  section.numbers.fail(what);
}

void MeditReader::check_dimension() {
  const Section* section = find_section("Dimension");
  if (section == nullptr) {
    builder_.warn("the file has no Dimension; 3 is taken");
    return;
  }
  Words numbers = section->numbers;
  const auto dimension = numbers.integer("the dimension");
  if (dimension != 3)
    numbers.fail("the mesh has " + std::to_string(dimension) + " dimensions; only meshes with 3 can be read");
}

void MeditReader::pass_over(const Section& section) {
  if (is_higher_order(section.keyword) && section.number_count > 1)
    section.numbers.fail("elements " + std::string(section.keyword) +
                         " can't be used; make the mesh of first order, or of tetrahedra of second order");
  for (const auto known : passed_over)
    if (starts_with_ignoring_case(section.keyword, known)) return;
  for (const auto read : {"Vertices", "TetrahedraP2Ordering"})
    if (equal_ignoring_case(section.keyword, read)) return;
  if (!unknown_.emplace(section.keyword).second) return;
  builder_.warn("line " + std::to_string(section.numbers.line()) + ": the section " + quote(section.keyword) +
                " isn't known and was skipped");
}

// ---- what is in them --------------------------------------------------------------------------------------------

void MeditReader::read_vertices() {
  const Section* section = find_section("Vertices");
  if (section == nullptr) throw ParseError(name_, 0, "the file has no Vertices");
  Words numbers = section->numbers;
  const std::int64_t count = numbers.count("the number of vertices");
  const bool referenced = has_references(*section, count, 3);
  for (std::int64_t v = 0; v < count; ++v) {
    std::array<double, 3> position{};
    for (double& coordinate : position) coordinate = numbers.number("a vertex's coordinate");
    builder_.add_vertex(v + 1, position);
    const std::int64_t reference = referenced ? numbers.integer("a vertex's reference") : 0;
    sets_[0].find(reference, [] { return std::vector<std::int32_t>(); }).push_back(static_cast<std::int32_t>(v));
  }
}

// Each row has twice the barycentric coordinates of a vertex: 2 at a corner, 1 and 1 in the middle of an edge.
void MeditReader::read_order() {
  const Section* section = find_section("TetrahedraP2Ordering");
  if (section == nullptr) return;
  constexpr std::array<std::array<int, 2>, 10> ends = {
      {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}};
  Words numbers = section->numbers;
  const std::string what = "TetrahedraP2Ordering should have 10 rows, each with one corner twice or two corners";
  if (numbers.count("the number of rows") != 10 || section->number_count != 41) numbers.fail(what);
  std::set<std::uint8_t> places;
  for (auto& place : order_) {
    std::array<std::int64_t, 4> weights{};
    for (auto& weight : weights) weight = numbers.integer("a barycentric coordinate");
    const auto* const found = std::find_if(ends.begin(), ends.end(), [&](const auto& pair) {
      std::array<std::int64_t, 4> expected{};
      for (const int corner : pair) ++expected[static_cast<std::size_t>(corner)];
      return expected == weights;
    });
    if (found == ends.end()) numbers.fail(what);
    place = static_cast<std::uint8_t>(found - ends.begin());
    if (!places.insert(place).second) numbers.fail(what);
  }
}

void MeditReader::read_cells(const MeditCell& cell, const Section& section) {
  Words numbers = section.numbers;
  const std::int64_t count = numbers.count("the number of rows");
  const bool referenced = has_references(section, count, cell.vertices);
  const auto fail = [&](std::int64_t row, const std::string& what) {
    numbers.fail(std::string(cell.noun) + " " + std::to_string(row + 1) + what);
  };
  for (std::int64_t row = 0; row < count; ++row) {
    for (int v = 0; v < cell.vertices; ++v) {
      const auto word = numbers.next();
      const auto id = parse_integer(word);
      if (!id) fail(row, " has " + quote(word) + " where a vertex's number should be");
      if (*id < 1 || *id > builder_.vertex_count())
        fail(row, " has vertex " + std::to_string(*id) + ", but the file has " +
                      std::to_string(builder_.vertex_count()) + " vertices, counted from 1");
      const auto place = cell.type == ElementType::tet10 ? order_[static_cast<std::size_t>(v)] : v;
      row_[static_cast<std::size_t>(place)] = static_cast<std::int32_t>(*id - 1);
    }
    std::int64_t reference = 0;
    if (referenced) {
      const auto word = numbers.next();
      const auto value = parse_integer(word);
      if (!value) fail(row, " has " + quote(word) + " where its reference should be");
      reference = *value;
    }
    add_cell(cell, reference);
  }
}

void MeditReader::add_cell(const MeditCell& cell, std::int64_t reference) {
  const std::span<const std::int32_t> vertices(row_.data(), static_cast<std::size_t>(cell.vertices));
  if (cell.type) {
    const std::int32_t region =
        reference == 0 ? -1 : regions_.find(reference, [&] { return builder_.region(std::to_string(reference)); });
    builder_.add_element(*cell.type, vertices, region);
    return;
  }
  builder_.skip_cell(cell.name);
  if (reference == 0) return;
  auto& set =
      sets_[static_cast<std::size_t>(cell.dimension)].find(reference, [] { return std::vector<std::int32_t>(); });
  set.insert(set.end(), vertices.begin(), vertices.end());
}

// One reference for all vertices, as many programs write it, tells nothing.
void MeditReader::make_sets() {
  constexpr std::array<const char*, 3> kinds = {"point ", "curve ", "surface "};
  for (std::size_t dimension = 0; dimension < 3; ++dimension) {
    const auto& sets = sets_[dimension].values();
    if (dimension == 0 && sets.size() == 1) continue;
    for (const auto& [reference, vertices] : sets)
      if (reference != 0) builder_.add_to_set(kinds[dimension] + std::to_string(reference), vertices);
  }
}

VolumeMesh MeditReader::read() {
  find_sections();
  check_dimension();
  read_vertices();
  read_order();
  for (const Section& section : sections_) {
    if (const MeditCell* cell = find_cell(section.keyword); cell != nullptr) {
      read_cells(*cell, section);
    } else {
      pass_over(section);
    }
  }
  make_sets();
  VolumeMesh mesh = builder_.finish();
  require_elements(mesh, name_);
  return mesh;
}

bool recognises_medit(std::string_view content) {
  Lines lines(content);
  std::string_view line;
  return lines.next(line) && starts_with_ignoring_case(line, "MeshVersionFormatted");
}

VolumeMesh read_medit(const MeshFile& file) {
  return MeditReader(file).read();
}

}  // namespace

const MeshFormat medit_format = {"Medit (.mesh)", recognises_medit, read_medit};

}  // namespace quartic::io
