#include "procedural/voxelize.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "quartic/error.hpp"

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
constexpr double tie = 1e-6;

class Voxels {
 public:
  Voxels(const Solid& solid, int resolution);

  /// Adds cells until those around each lattice point are connected through faces.
  void remove_hinges();
  /// Keeps the largest part that is connected through faces; of equal ones that with the first cell.
  void keep_largest_part();
  [[nodiscard]] VolumeMesh mesh() const;

 private:
  [[nodiscard]] std::size_t cell(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>(i + cells_[0] * (j + cells_[1] * k));
  }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(cells_[0] * cells_[1] * cells_[2]); }
  /// Coordinate of the lattice's planes, antisymmetric about the middle of the box to the last bit but its own.
  [[nodiscard]] double plane(std::size_t axis, double index) const {
    return middle_[axis] + (index - 0.5 * static_cast<double>(cells_[axis])) * edge_;
  }
  [[nodiscard]] std::vector<std::size_t> missing_around(std::int64_t i, std::int64_t j, std::int64_t k) const;
  [[nodiscard]] std::vector<std::size_t> part_of(std::size_t first, std::vector<bool>& seen) const;

  std::array<std::int64_t, 3> cells_{};  // one empty layer all around included
  Point middle_{};
  double edge_;
  std::vector<float> depth_;  // in cells
  std::vector<bool> inside_;
};

Voxels::Voxels(const Solid& solid, int resolution) : edge_(voxel_size(solid.lower, solid.upper, resolution)) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    middle_[axis] = (solid.lower[axis] + solid.upper[axis]) / 2;
    const double extent = (solid.upper[axis] - solid.lower[axis]) / edge_;
    cells_[axis] = static_cast<std::int64_t>(std::ceil(extent - 1e-9)) + 2;
  }
  depth_.assign(size(), -std::numeric_limits<float>::infinity());
  inside_.assign(size(), false);
  for (std::int64_t k = 1; k < cells_[2] - 1; ++k)
    for (std::int64_t j = 1; j < cells_[1] - 1; ++j)
      for (std::int64_t i = 1; i < cells_[0] - 1; ++i) {
        const Point centre = {plane(0, static_cast<double>(i) + 0.5), plane(1, static_cast<double>(j) + 0.5),
                              plane(2, static_cast<double>(k) + 0.5)};
        const double depth = solid.depth(centre);
        depth_[cell(i, j, k)] = static_cast<float>(depth / edge_);
        inside_[cell(i, j, k)] = depth > 0;
      }
}

/// Whether the cells of a set around a lattice point (bit c: cell c) are connected through faces.
bool connected_through_faces(unsigned set) {
  unsigned reached = set & (~set + 1);  // the lowest cell
  for (unsigned before = 0; before != reached;) {
    before = reached;
    for (unsigned c = 0; c < around; ++c)
      if ((reached >> c & 1U) != 0)
        for (unsigned axis = 0; axis < 3; ++axis) reached |= (1U << (c ^ (1U << axis))) & set;
  }
  return reached == set;
}

/// The cells that are missing by least around lattice point (i, j, k); none if those inside are connected.
std::vector<std::size_t> Voxels::missing_around(std::int64_t i, std::int64_t j, std::int64_t k) const {
  std::array<std::size_t, around> cells{};
  unsigned set = 0;
  for (unsigned c = 0; c < around; ++c) {
    cells[c] = cell(i - 1 + (c & 1U), j - 1 + (c >> 1 & 1U), k - 1 + (c >> 2 & 1U));
    set |= static_cast<unsigned>(inside_[cells[c]]) << c;
  }
  std::vector<std::size_t> missing;
  if (connected_through_faces(set)) return missing;
  float best = -std::numeric_limits<float>::infinity();
  for (const std::size_t c : cells)
    if (!inside_[c]) best = std::max(best, depth_[c]);
  for (const std::size_t c : cells)
    if (!inside_[c] && depth_[c] >= best - static_cast<float>(tie) * (1 + std::abs(best))) missing.push_back(c);
  return missing;
}

void Voxels::remove_hinges() {
  for (std::vector<std::size_t> added;; added.clear()) {
    for (std::int64_t k = 1; k < cells_[2]; ++k)
      for (std::int64_t j = 1; j < cells_[1]; ++j)
        for (std::int64_t i = 1; i < cells_[0]; ++i) {
          const auto missing = missing_around(i, j, k);
          added.insert(added.end(), missing.begin(), missing.end());
        }
    if (added.empty()) return;
    for (const std::size_t c : added) inside_[c] = true;
  }
}

std::vector<std::size_t> Voxels::part_of(std::size_t first, std::vector<bool>& seen) const {
  const std::array<std::size_t, 3> stride = {1, static_cast<std::size_t>(cells_[0]),
                                             static_cast<std::size_t>(cells_[0] * cells_[1])};
  std::vector<std::size_t> part = {first};
  seen[first] = true;
  for (std::size_t p = 0; p < part.size(); ++p)
    for (const std::size_t step : stride)
      for (const std::size_t neighbour : {part[p] - step, part[p] + step})  // exists: the outermost layer is empty
        if (inside_[neighbour] && !seen[neighbour]) {
          seen[neighbour] = true;
          part.push_back(neighbour);
        }
  return part;
}

void Voxels::keep_largest_part() {
  std::vector<bool> seen(size());
  std::vector<std::size_t> largest;
  for (std::size_t c = 0; c < size(); ++c)
    if (inside_[c] && !seen[c]) {
      auto part = part_of(c, seen);
      if (part.size() > largest.size()) largest = std::move(part);
    }
  inside_.assign(size(), false);
  for (const std::size_t c : largest) inside_[c] = true;
}

VolumeMesh Voxels::mesh() const {
  VolumeMesh mesh;
  ElementBlock& block = mesh.blocks.emplace_back();
  block.type = ElementType::hex8;
  // A lattice point has the number of the cell that begins there; the last layer of cells is empty.
  std::vector<std::int32_t> number(size(), -1);
  // VTK order: around the bottom counter-clockwise seen from above, then around the top.
  constexpr std::array<std::array<std::int64_t, 3>, 8> corners = {
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
  for (std::int64_t k = 1; k < cells_[2] - 1; ++k)
    for (std::int64_t j = 1; j < cells_[1] - 1; ++j)
      for (std::int64_t i = 1; i < cells_[0] - 1; ++i) {
        if (!inside_[cell(i, j, k)]) continue;
        for (const auto& [di, dj, dk] : corners) {
          std::int32_t& vertex = number[cell(i + di, j + dj, k + dk)];
          if (vertex < 0) {
            vertex = static_cast<std::int32_t>(mesh.vertex_count());
            mesh.vertices.push_back(plane(0, static_cast<double>(i + di)));
            mesh.vertices.push_back(plane(1, static_cast<double>(j + dj)));
            mesh.vertices.push_back(plane(2, static_cast<double>(k + dk)));
          }
          block.vertices.push_back(vertex);
        }
      }
  return mesh;
}

}  // namespace

VolumeMesh voxelize(const Solid& solid, int resolution, const std::string& region, const Material& material) {
  Voxels voxels(solid, resolution);
  voxels.remove_hinges();
  voxels.keep_largest_part();
  VolumeMesh mesh = voxels.mesh();
  if (mesh.element_count() == 0)
    throw InputError(region + ": no voxel lies inside at resolution " + std::to_string(resolution));
  mesh.element_region.assign(static_cast<std::size_t>(mesh.element_count()), 0);
  mesh.regions.push_back({region, material});
  return mesh;
}

}  // namespace quartic
