// Gmsh's mesh files (.msh), version 4.1, text and binary, writing. Gmsh reference manual, "MSH file format".
//
// Entities are made up: a volume per region, tagged by the region's number from 1, one more for elements without a
// region, and a point per vertex set, whose vertices are point elements. Elements keep their order: each run of
// elements of one type and region is a block.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/gmsh/gmsh_cells.hpp"
#include "io/gmsh/gmsh_format.hpp"
#include "io/mesh/writable_mesh.hpp"
#include "io/text/text.hpp"
#include "io/text/unique_names.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

static_assert(std::endian::native == std::endian::little, "binary numbers are written as they lie in memory");

constexpr int point_dimension = 0, volume_dimension = 3, point_cell = 15;

/// The three kinds of numbers of the format, as text or binary.
class GmshStream {
 public:
  GmshStream(const std::filesystem::path& path, bool binary) : file_(path), binary_(binary) {}

  void integer(std::int64_t value) { put(value, static_cast<std::int32_t>(value)); }
  void count(std::size_t value) { put(value, static_cast<std::uint64_t>(value)); }
  void number(double value) { put(value, value); }
  /// Ends a row of numbers, which only text shows.
  void end_row() {
    if (binary_) return;
    row_.back() = '\n';
    file_.write(row_);
    row_.clear();
  }
  /// A section's begin and end, and names: text in both kinds of file.
  void line(const std::string& text) { file_.write(text + "\n"); }
  void end_section(const std::string& name) { line((binary_ ? "\n$End" : "$End") + name); }
  void commit() { file_.commit(); }

 private:
  template <class Value, class Binary>
  void put(Value value, Binary binary) {
    if (binary_) {
      file_.write(std::as_bytes(std::span(&binary, 1)));
      return;
    }
    std::array<char, 32> digits{};
    row_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
    row_ += ' ';
  }

  io::AtomicFile file_;
  bool binary_;
  std::string row_;
};

// Names stand in quotation marks on a line of their own.
std::string fit_name(std::string name) {
  for (char& c : name) {
    if (c == '"') c = '\'';
    if ((c >= 0 && c < ' ') || c == 127) c = ' ';
  }
  return name;
}

// To readers that go by names, groups of one name are one group.
std::vector<std::string> region_names(const VolumeMesh& mesh) {
  std::vector<std::string> names;
  io::UniqueNames unique;
  for (const Region& region : mesh.regions)
    names.push_back(unique.add(region.name.empty() ? "region" : fit_name(region.name)));
  return names;
}

std::vector<std::string> set_names(const VolumeMesh& mesh) {
  std::vector<std::string> names;
  io::UniqueNames unique;
  for (const auto& entry : mesh.vertex_sets)
    names.push_back(unique.add(entry.first.empty() ? "set" : fit_name(entry.first)));
  return names;
}

/// Elements of one type and region that follow each other.
struct Run {
  const ElementBlock* block = nullptr;
  std::int64_t first = 0, count = 0;  // within the block
  std::int32_t region = -1;
};

std::vector<Run> runs_of(const VolumeMesh& mesh) {
  std::vector<Run> runs;
  std::size_t element = 0;
  for (const ElementBlock& block : mesh.blocks)
    for (std::int64_t e = 0; e < block.count(); ++e, ++element) {
      const std::int32_t region = mesh.element_region[element];
      if (e == 0 || runs.back().region != region) runs.push_back({&block, e, 0, region});
      ++runs.back().count;
    }
  return runs;
}

class GmshWriter {
 public:
  GmshWriter(const VolumeMesh& mesh, const std::filesystem::path& path, const MeshFileOptions& options)
      : mesh_(mesh), runs_(runs_of(mesh)), stream_(path, options.binary) {
    stream_.line("$MeshFormat");
    stream_.line(options.binary ? "4.1 1 8" : "4.1 0 8");
    if (options.binary) stream_.integer(1);  // tells the byte order
    stream_.end_section("MeshFormat");
  }

  void write() {
    write_names();
    write_entities();
    write_nodes();
    write_elements();
    stream_.commit();
  }

 private:
  [[nodiscard]] std::int64_t volume_of(std::int32_t region) const {
    return region < 0 ? std::ssize(mesh_.regions) + 1 : std::int64_t{region} + 1;
  }

  void write_names() {
    const auto regions = region_names(mesh_), sets = set_names(mesh_);
    if (regions.empty() && sets.empty()) return;
    stream_.line("$PhysicalNames");
    stream_.line(std::to_string(regions.size() + sets.size()));
    for (std::size_t s = 0; s < sets.size(); ++s) stream_.line("0 " + std::to_string(s + 1) + " \"" + sets[s] + "\"");
    for (std::size_t r = 0; r < regions.size(); ++r)
      stream_.line("3 " + std::to_string(r + 1) + " \"" + regions[r] + "\"");
    stream_.line("$EndPhysicalNames");
  }

  [[nodiscard]] const double* position(std::int32_t vertex) const {
    return mesh_.vertices.data() + 3 * static_cast<std::size_t>(vertex);
  }

  /// {x0, y0, z0, x1, y1, z1} of each volume; those without elements have x0 > x1.
  [[nodiscard]] std::vector<std::array<double, 6>> bounding_boxes() const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<std::array<double, 6>> boxes(mesh_.regions.size() + 1,
                                             {infinity, infinity, infinity, -infinity, -infinity, -infinity});
    for (const Run& run : runs_) {
      auto& box = boxes[static_cast<std::size_t>(volume_of(run.region) - 1)];
      for (std::int64_t e = run.first; e < run.first + run.count; ++e)
        for (const auto v : run.block->element(e))
          for (std::size_t c = 0; c < 3; ++c) {
            box[c] = std::min(box[c], position(v)[c]);
            box[c + 3] = std::max(box[c + 3], position(v)[c]);
          }
    }
    return boxes;
  }

  void write_entities() {
    const auto boxes = bounding_boxes();
    const auto is_used = [](const std::array<double, 6>& box) { return box[0] <= box[3]; };
    stream_.line("$Entities");
    stream_.count(sets_in_use());
    stream_.count(0);
    stream_.count(0);
    stream_.count(static_cast<std::size_t>(std::count_if(boxes.begin(), boxes.end(), is_used)));
    stream_.end_row();
    std::int64_t tag = 0;
    for (const auto& entry : mesh_.vertex_sets) {
      ++tag;
      if (!entry.second.empty()) write_entity(tag, {position(entry.second.front()), 3}, true);
    }
    for (std::size_t r = 0; r < boxes.size(); ++r)
      if (is_used(boxes[r])) {
        write_entity(static_cast<std::int64_t>(r) + 1, boxes[r], r < mesh_.regions.size());
      }
    stream_.end_section("Entities");
  }

  // A volume, whose place is a box, has a number of bounding surfaces too.
  void write_entity(std::int64_t tag, std::span<const double> place, bool has_group) {
    stream_.integer(tag);
    for (const double x : place) stream_.number(x);
    stream_.count(has_group ? 1 : 0);
    if (has_group) stream_.integer(tag);
    if (place.size() == 6) stream_.count(0);
    stream_.end_row();
  }

  void write_nodes() {
    const auto count = static_cast<std::size_t>(mesh_.vertex_count());
    stream_.line("$Nodes");
    for (const std::size_t number : {std::size_t{1}, count, std::size_t{1}, count}) stream_.count(number);
    stream_.end_row();
    stream_.integer(volume_dimension);  // all belong to the first volume: Gmsh needs no more
    stream_.integer(volume_of(runs_.front().region));
    stream_.integer(0);
    stream_.count(count);
    stream_.end_row();
    for (std::size_t v = 0; v < count; ++v) {
      stream_.count(v + 1);
      stream_.end_row();
    }
    for (std::size_t v = 0; v < count; ++v) {
      for (std::size_t c = 0; c < 3; ++c) stream_.number(mesh_.vertices[3 * v + c]);
      stream_.end_row();
    }
    stream_.end_section("Nodes");
  }

  [[nodiscard]] std::size_t sets_in_use() const {
    return static_cast<std::size_t>(std::count_if(mesh_.vertex_sets.begin(), mesh_.vertex_sets.end(),
                                                  [](const auto& entry) { return !entry.second.empty(); }));
  }

  void write_elements() {
    auto count = static_cast<std::size_t>(mesh_.element_count());
    for (const auto& entry : mesh_.vertex_sets) count += entry.second.size();
    stream_.line("$Elements");
    for (const std::size_t number : {runs_.size() + sets_in_use(), count, std::size_t{1}, count}) stream_.count(number);
    stream_.end_row();
    for (const Run& run : runs_) write_run(run);
    std::int64_t tag = 0;
    for (const auto& entry : mesh_.vertex_sets) {
      ++tag;
      if (!entry.second.empty()) write_set(tag, entry.second);
    }
    stream_.end_section("Elements");
  }

  void write_block_head(int dimension, std::int64_t tag, int cell, std::size_t count) {
    for (const std::int64_t number : {std::int64_t{dimension}, tag, std::int64_t{cell}}) stream_.integer(number);
    stream_.count(count);
    stream_.end_row();
  }

  void write_run(const Run& run) {
    const io::GmshCell& cell = io::gmsh_cell_of(run.block->type);
    write_block_head(volume_dimension, volume_of(run.region), cell.number, static_cast<std::size_t>(run.count));
    for (std::int64_t e = run.first; e < run.first + run.count; ++e) {
      const auto vertices = run.block->element(e);
      stream_.count(++elements_written_);
      for (std::size_t n = 0; n < vertices.size(); ++n)
        stream_.count(static_cast<std::size_t>(vertices[cell.vtk_place[n]]) + 1);
      stream_.end_row();
    }
  }

  void write_set(std::int64_t tag, const std::vector<std::int32_t>& vertices) {
    write_block_head(point_dimension, tag, point_cell, vertices.size());
    for (const auto v : vertices) {
      stream_.count(++elements_written_);
      stream_.count(static_cast<std::size_t>(v) + 1);
      stream_.end_row();
    }
  }

  const VolumeMesh& mesh_;
  std::vector<Run> runs_;
  GmshStream stream_;
  std::size_t elements_written_ = 0;
};

std::vector<std::string> losses(const VolumeMesh& mesh) {
  std::vector<std::string> sentences;
  const auto with_material = std::count_if(mesh.regions.begin(), mesh.regions.end(),
                                           [](const Region& region) { return region.material.has_value(); });
  if (with_material > 0)
    sentences.emplace_back("a .msh file can't hold materials: give them again where the file is used");
  const auto renamed = [&](const char* what, const std::string& old_name, const std::string& name) {
    if (name != old_name)
      sentences.push_back(std::string(what) + io::quote(old_name) + " is called " + io::quote(name) +
                          " in the .msh file");
  };
  std::vector<bool> used(mesh.regions.size());
  for (const auto region : mesh.element_region)
    if (region >= 0) used[static_cast<std::size_t>(region)] = true;
  const auto regions = region_names(mesh), sets = set_names(mesh);
  for (std::size_t r = 0; r < regions.size(); ++r) {
    renamed("region ", mesh.regions[r].name, regions[r]);
    if (!used[r]) sentences.push_back("region " + io::quote(regions[r]) + " has no elements: only its name is written");
  }
  auto name = sets.begin();
  for (const auto& [old_name, vertices] : mesh.vertex_sets) {
    renamed("vertex set ", old_name, *name);
    if (vertices.empty()) sentences.push_back("vertex set " + io::quote(*name) + " is empty: only its name is written");
    ++name;
  }
  return sentences;
}

}  // namespace

void write_gmsh(const VolumeMesh& mesh, const std::filesystem::path& path, const MeshFileOptions& options) {
  io::require_writable(mesh);
  GmshWriter(mesh, path, options).write();
}

namespace io {
const MeshWriter gmsh_writer = {".msh", write_gmsh, losses};
}  // namespace io

}  // namespace quartic
