#include "core/procedural/voxel_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace quartic {

double voxel_size(const Point& lower, const Point& upper, int resolution) {
  double longest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) longest = std::max(longest, upper[axis] - lower[axis]);
  return longest / resolution;
}

namespace {

// The eight cells around a lattice point, bit b of a cell's number being its offset along axis b.
constexpr std::size_t around = 8;

// Depths closer than this, relative to a cell, are equal: mirror images must be added together in spite of round-off.
constexpr float tie = 1e-6F;

/// Whether the cells of a set around a lattice point (bit c: cell c) are connected through faces.
constexpr bool connected_through_faces(unsigned set) {
  unsigned reached = set & (~set + 1);  // the lowest cell
  for (unsigned before = 0; before != reached;) {
    before = reached;
    for (unsigned c = 0; c < around; ++c)
      if ((reached >> c & 1U) != 0)
        for (unsigned axis = 0; axis < 3; ++axis) reached |= (1U << (c ^ (1U << axis))) & set;
  }
  return reached == set;
}

constexpr auto is_connected = [] {
  std::array<bool, 256> table{};
  for (unsigned set = 0; set < table.size(); ++set) table[set] = connected_through_faces(set);
  return table;
}();

}  // namespace

VoxelLattice::VoxelLattice(const Point& lower, const Point& upper, int resolution)
    : edge_(voxel_size(lower, upper, resolution)) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    middle_[axis] = lower[axis] + (upper[axis] - lower[axis]) / 2;
    const double extent = (upper[axis] - lower[axis]) / edge_;
    cells_[axis] = std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(extent - 1e-9)), 1) + 2;
  }
  filled_.resize(static_cast<std::size_t>(cells_[0] * cells_[1] * cells_[2]));
}

bool VoxelLattice::outermost(std::size_t cell) const {
  auto number = static_cast<std::int64_t>(cell);
  return std::any_of(cells_.begin(), cells_.end(), [&](std::int64_t count) {
    const std::int64_t along = number % count;
    number /= count;
    return along == 0 || along == count - 1;
  });
}

std::int64_t VoxelLattice::filled_count() const {
  return std::count(filled_.begin(), filled_.end(), 1);
}

/// The empty cells of the largest depth around lattice point (i, j, k).
std::vector<std::size_t> VoxelLattice::missing_around(std::int64_t i, std::int64_t j, std::int64_t k,
                                                      const Depth& depth) const {
  std::array<std::size_t, around> cells{};
  for (unsigned c = 0; c < around; ++c) cells[c] = cell(i - 1 + (c & 1U), j - 1 + (c >> 1 & 1U), k - 1 + (c >> 2 & 1U));
  std::vector<std::size_t> missing;
  float best = -std::numeric_limits<float>::infinity();
  for (const std::size_t c : cells)
    if (!filled(c)) best = std::max(best, depth(c));
  for (const std::size_t c : cells)
    if (!filled(c) && depth(c) >= best - tie * (1 + std::abs(best))) missing.push_back(c);
  return missing;
}

unsigned VoxelLattice::cells_beyond(std::int64_t i, std::int64_t j, std::int64_t k) const {
  const std::size_t at = cell(i, j - 1, k - 1);
  const auto [x, y, z] = strides();
  return filled_[at] * 2U + filled_[at + y] * 8U + filled_[at + z] * 32U + filled_[at + y + z] * 128U;
}

bool VoxelLattice::eight_like(unsigned before, std::int64_t i, std::int64_t j, std::int64_t k) const {
  if (before != 0 && before != 0xAA) return false;
  const std::uint64_t wanted = before == 0 ? 0 : 0x0101010101010101;
  const std::size_t at = cell(i, j - 1, k - 1);
  const auto [x, y, z] = strides();
  const std::array<std::size_t, 4> rows = {at, at + y, at + z, at + y + z};
  return std::all_of(rows.begin(), rows.end(), [&](std::size_t row) {
    std::uint64_t cells = 0;
    std::memcpy(&cells, filled_.data() + row, sizeof(cells));
    return cells == wanted;
  });
}

void VoxelLattice::remove_hinges(const Depth& depth) {
  for (std::vector<std::size_t> added;; added.clear()) {
    for (std::int64_t k = 1; k < cells_[2]; ++k)
      for (std::int64_t j = 1; j < cells_[1]; ++j) {
        unsigned set = 0;  // of the cells around the point, those of lower x being the even bits
        for (std::int64_t i = 1; i < cells_[0]; ++i) {
          if (i + 8 <= cells_[0] && eight_like(set & 0xAAU, i, j, k)) {  // as most are, inside and outside
            i += 7;
            continue;
          }
          set = (set >> 1 & 0x55U) | cells_beyond(i, j, k);
          if (is_connected[set]) continue;
          const auto missing = missing_around(i, j, k, depth);
          added.insert(added.end(), missing.begin(), missing.end());
        }
      }
    if (added.empty()) return;
    for (const std::size_t c : added) fill(c);
  }
}

std::vector<std::size_t> VoxelLattice::part_of(std::size_t first, std::vector<std::uint8_t>& open) const {
  std::vector<std::size_t> part, starts = {first};
  const auto [x, row, layer] = strides();
  while (!starts.empty()) {
    // A run along x, and then the beginnings of runs beside it. All exist: the outermost layer is empty.
    std::size_t begin = starts.back(), end = begin;
    starts.pop_back();
    if (open[begin] == 0) continue;  // visited meanwhile
    while (open[begin - 1] != 0) --begin;
    while (open[end] != 0) ++end;
    for (std::size_t c = begin; c < end; ++c) {
      open[c] = 0;
      part.push_back(c);
    }
    for (const std::size_t beside : {begin - row, begin + row, begin - layer, begin + layer})
      for (std::size_t c = beside; c < beside + (end - begin); ++c)
        if (open[c] != 0 && (c == beside || open[c - 1] == 0)) starts.push_back(c);
  }
  return part;
}

std::vector<std::vector<std::size_t>> VoxelLattice::parts() const {
  std::vector<std::uint8_t> open = filled_;  // in no part so far
  std::vector<std::vector<std::size_t>> parts;
  for (std::size_t c = 0; c < size(); ++c)
    if (open[c] != 0) parts.push_back(part_of(c, open));
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return parts;
}

void VoxelLattice::keep_only(const std::vector<std::size_t>& cells) {
  std::fill(filled_.begin(), filled_.end(), 0);
  for (const std::size_t c : cells) fill(c);
}

VolumeMesh VoxelLattice::mesh() const {
  VolumeMesh mesh;
  ElementBlock& block = mesh.blocks.emplace_back();
  block.type = ElementType::hex8;
  block.vertices.reserve(8 * static_cast<std::size_t>(filled_count()));
  // Vertices of the lattice points below and above a layer of cells, -1 where there is none.
  const auto layer = static_cast<std::size_t>(cells_[0] * cells_[1]);
  std::array<std::vector<std::int32_t>, 2> numbers = {std::vector(layer, -1), std::vector(layer, -1)};
  // VTK order: around the bottom counter-clockwise seen from above, then around the top.
  constexpr std::array<std::array<std::int64_t, 3>, 8> corners = {
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
  for (std::int64_t k = 1; k < cells_[2] - 1; ++k) {
    for (std::int64_t j = 1; j < cells_[1] - 1; ++j)
      for (std::int64_t i = 1; i < cells_[0] - 1; ++i) {
        if (!filled(cell(i, j, k))) continue;
        for (const auto& [di, dj, dk] : corners) {
          std::int32_t& vertex = numbers[static_cast<std::size_t>(dk)][cell(i + di, j + dj, 0)];
          if (vertex < 0) {
            vertex = static_cast<std::int32_t>(mesh.vertex_count());
            mesh.vertices.push_back(plane(0, static_cast<double>(i + di)));
            mesh.vertices.push_back(plane(1, static_cast<double>(j + dj)));
            mesh.vertices.push_back(plane(2, static_cast<double>(k + dk)));
          }
          block.vertices.push_back(vertex);
        }
      }
    numbers[0].swap(numbers[1]);
    std::fill(numbers[1].begin(), numbers[1].end(), -1);
  }
  mesh.element_region.assign(static_cast<std::size_t>(mesh.element_count()), -1);
  return mesh;
}

}  // namespace quartic
