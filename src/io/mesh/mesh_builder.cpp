#include "io/mesh/mesh_builder.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "io/files/huge_pages.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

std::size_t index(ElementType type) {
  return static_cast<std::size_t>(type);
}

template <class Value>
void reserve_more(std::vector<Value>& values, std::size_t count) {
  if (values.size() + count <= values.capacity()) return;
  values.reserve(std::max(values.size() + count, 2 * values.capacity()));  // many small blocks must not copy each time
  prefer_huge_pages(values.data() + values.size(), (values.capacity() - values.size()) * sizeof(Value));
}

void sort_unique(std::vector<std::int32_t>& set) {
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
}

/// Rows of equal width in one vector.
struct Rows {
  std::vector<std::int32_t>& values;
  std::size_t width;

  [[nodiscard]] auto begin(std::size_t row) const { return values.begin() + static_cast<std::ptrdiff_t>(row * width); }
  [[nodiscard]] auto end(std::size_t row) const { return begin(row + 1); }
  [[nodiscard]] bool less(std::size_t a, std::size_t b) const {
    return std::lexicographical_compare(begin(a), end(a), begin(b), end(b));
  }
};

// Marks rows that repeat an earlier one of another region; returns how many different ones are repeated so.
std::int64_t mark_repeats(const Rows& rows, const std::vector<std::int32_t>& regions, std::vector<bool>& repeated) {
  std::vector<std::size_t> order(regions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rows.less(a, b); });
  std::int64_t count = 0;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    bool differ = false;
    for (end = begin + 1; end < order.size() && !rows.less(order[begin], order[end]); ++end)
      differ = differ || regions[order[end]] != regions[order[begin]];
    if (!differ) continue;  // elements that are simply there twice are the mesh's own affair
    ++count;
    for (std::size_t i = begin + 1; i < end; ++i) repeated[order[i]] = true;
  }
  return count;
}

}  // namespace

bool MeshBuilder::add_vertex(std::int64_t id, const std::array<double, 3>& position) {
  if (!ids_.add(id)) return false;
  mesh_.vertices.insert(mesh_.vertices.end(), position.begin(), position.end());
  return true;
}

void MeshBuilder::reserve_vertices(std::size_t count) {
  reserve_more(mesh_.vertices, 3 * count);
}

std::int32_t MeshBuilder::region(std::string_view name) {
  const auto found = regions_.find(name);
  return found == regions_.end() ? add_region(name) : found->second;
}

std::int32_t MeshBuilder::add_region(std::string_view name) {
  const auto number = static_cast<std::int32_t>(mesh_.regions.size());
  mesh_.regions.push_back({std::string(name), std::nullopt});
  regions_.emplace(name, number);
  return number;
}

void MeshBuilder::set_material(std::int32_t region, const Material& material) {
  mesh_.regions[static_cast<std::size_t>(region)].material = material;
}

void MeshBuilder::reserve_elements(ElementType type, std::size_t count) {
  Block& block = blocks_[index(type)];
  reserve_more(block.vertices, count * static_cast<std::size_t>(element_vertex_count(type)));
  reserve_more(block.regions, count);
}

std::vector<std::int32_t> MeshBuilder::room_for_vertices(ElementType type, std::size_t count) {
  std::vector<std::int32_t> vertices;
  reserve_more(vertices, count * static_cast<std::size_t>(element_vertex_count(type)));
  vertices.resize(count * static_cast<std::size_t>(element_vertex_count(type)));
  return vertices;
}

void MeshBuilder::add_elements(ElementType type, std::vector<std::int32_t> vertices, std::int32_t region) {
  Block& block = blocks_[index(type)];
  const std::size_t count = vertices.size() / static_cast<std::size_t>(element_vertex_count(type));
  reserve_more(block.regions, count);
  block.regions.insert(block.regions.end(), count, region);
  if (block.vertices.empty())
    block.vertices = std::move(vertices);
  else
    block.vertices.insert(block.vertices.end(), vertices.begin(), vertices.end());
}

std::int32_t MeshBuilder::region_of(ElementPlace place) const {
  return blocks_[index(place.type)].regions[static_cast<std::size_t>(place.row)];
}

void MeshBuilder::set_region(ElementPlace place, std::int32_t region) {
  blocks_[index(place.type)].regions[static_cast<std::size_t>(place.row)] = region;
}

std::int64_t MeshBuilder::element_count() const {
  return std::accumulate(blocks_.begin(), blocks_.end(), std::int64_t{0},
                         [](std::int64_t sum, const Block& block) { return sum + std::ssize(block.regions); });
}

void MeshBuilder::skip_cell(std::string_view name) {
  ++mesh_.skipped[std::string(name)];
}

void MeshBuilder::add_to_set(const std::string& name, std::span<const std::int32_t> vertices) {
  auto& set = mesh_.vertex_sets[name];
  set.insert(set.end(), vertices.begin(), vertices.end());
  // Faces name each vertex several times, and damaged files as often as they like.
  constexpr std::size_t small = 1000;
  if (set.size() > small + 8 * static_cast<std::size_t>(vertex_count())) sort_unique(set);
}

void MeshBuilder::warn(std::string warning) {
  mesh_.warnings.push_back(std::move(warning));
}

std::int64_t MeshBuilder::drop_repeats_in_other_regions() {
  std::int64_t count = 0;
  if (mesh_.regions.empty()) return count;
  for (std::size_t type = 0; type < blocks_.size(); ++type) {
    Block& block = blocks_[type];
    const auto other = std::find_if(block.regions.begin(), block.regions.end(),
                                    [&](std::int32_t region) { return region != block.regions.front(); });
    if (other == block.regions.end()) continue;
    const Rows rows{block.vertices, static_cast<std::size_t>(element_vertex_count(static_cast<ElementType>(type)))};
    std::vector<bool> repeated(block.regions.size());
    count += mark_repeats(rows, block.regions, repeated);
    std::size_t kept = 0;
    for (std::size_t row = 0; row < repeated.size(); ++row) {
      if (repeated[row]) continue;
      std::copy(rows.begin(row), rows.end(row), rows.begin(kept));
      block.regions[kept++] = block.regions[row];
    }
    block.vertices.resize(kept * rows.width);
    block.regions.resize(kept);
  }
  return count;
}

VolumeMesh MeshBuilder::finish() {
  if (vertex_count() > std::numeric_limits<std::int32_t>::max())
    throw InputError("the mesh has " + std::to_string(vertex_count()) + " vertices, more than can be numbered");
  for (std::size_t type = 0; type < blocks_.size(); ++type) {
    Block& block = blocks_[type];
    if (block.regions.empty()) continue;
    ElementBlock& added = mesh_.blocks.emplace_back();
    added.type = static_cast<ElementType>(type);
    added.vertices = std::move(block.vertices);
    if (mesh_.element_region.empty())
      mesh_.element_region = std::move(block.regions);
    else
      mesh_.element_region.insert(mesh_.element_region.end(), block.regions.begin(), block.regions.end());
  }
  for (auto& [name, set] : mesh_.vertex_sets) sort_unique(set);
  VolumeMesh mesh = std::move(mesh_);
  *this = MeshBuilder();
  return mesh;
}

}  // namespace quartic::io
