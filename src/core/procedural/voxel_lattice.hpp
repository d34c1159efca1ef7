// Cubes of one size on a lattice, some of them filled: what voxelisers fill, and the bricks they become.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic {

using Point = std::array<double, 3>;

/// Edge length [m] of a cube: `resolution` of them fill the longest edge of the box.
[[nodiscard]] double voxel_size(const Point& lower, const Point& upper, int resolution);

/// The lattice lies symmetrically in the box, so that symmetric bodies give symmetric meshes, and has one layer more
/// all around, which stays empty.
class VoxelLattice {
 public:
  /// @throws std::bad_alloc where there is no memory for all cells
  VoxelLattice(const Point& lower, const Point& upper, int resolution);

  [[nodiscard]] const std::array<std::int64_t, 3>& cells() const { return cells_; }  ///< the empty layer included
  [[nodiscard]] std::size_t size() const { return filled_.size(); }
  [[nodiscard]] std::size_t cell(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>(i + cells_[0] * (j + cells_[1] * k));
  }
  /// How far apart the numbers of neighbours along each axis are.
  [[nodiscard]] std::array<std::size_t, 3> strides() const {
    return {1, static_cast<std::size_t>(cells_[0]), static_cast<std::size_t>(cells_[0] * cells_[1])};
  }
  [[nodiscard]] double edge() const { return edge_; }
  /// Coordinate of the lattice's planes, antisymmetric about the middle of the box to the last bit but its own.
  [[nodiscard]] double plane(std::size_t axis, double index) const {
    return middle_[axis] + (index - 0.5 * static_cast<double>(cells_[axis])) * edge_;
  }
  /// The inverse of `plane`: where a coordinate lies in numbers of planes.
  [[nodiscard]] double coordinate(std::size_t axis, double position) const {
    return (position - middle_[axis]) / edge_ + 0.5 * static_cast<double>(cells_[axis]);
  }
  [[nodiscard]] Point centre(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return {plane(0, static_cast<double>(i) + 0.5), plane(1, static_cast<double>(j) + 0.5),
            plane(2, static_cast<double>(k) + 0.5)};
  }

  [[nodiscard]] bool filled(std::size_t cell) const { return filled_[cell] != 0; }
  /// Whether the cell is in the layer that stays empty.
  [[nodiscard]] bool outermost(std::size_t cell) const;
  /// Not for cells of the outermost layer.
  void fill(std::size_t cell) { filled_[cell] = 1; }
  void clear(std::size_t cell) { filled_[cell] = 0; }
  [[nodiscard]] std::int64_t filled_count() const;

  /// Cubes that touch along an edge or at a vertex only would turn about it like a hinge. Where the cubes around a
  /// lattice point aren't connected through faces, the empty ones of the largest depth are filled, until all are.
  /// @param depth of an empty cell, in cells; those that differ by less than 1e-6 are equal. Must be -infinity in the
  /// outermost layer
  void remove_hinges(const std::function<float(std::size_t cell)>& depth);

  /// The parts that are connected through faces, the largest first, of equal ones that with the first cell.
  [[nodiscard]] std::vector<std::vector<std::size_t>> parts() const;
  /// Empties all cells but these.
  void keep_only(const std::vector<std::size_t>& cells);

  /// The filled cells as one block of hex8 without a region.
  [[nodiscard]] VolumeMesh mesh() const;

 private:
  using Depth = std::function<float(std::size_t)>;
  /// The cells around lattice point (i, j, k) on the side of larger x, as the odd bits of a set.
  [[nodiscard]] unsigned cells_beyond(std::int64_t i, std::int64_t j, std::int64_t k) const;
  [[nodiscard]] std::vector<std::size_t> missing_around(std::int64_t i, std::int64_t j, std::int64_t k,
                                                        const Depth& depth) const;
  /// Whether the eight cells from i on in each of those four rows are filled, or empty, as those before them are.
  [[nodiscard]] bool eight_like(unsigned before, std::int64_t i, std::int64_t j, std::int64_t k) const;
  /// @param open filled cells that are in no part so far; loses those of this part
  [[nodiscard]] std::vector<std::size_t> part_of(std::size_t first, std::vector<std::uint8_t>& open) const;

  std::array<std::int64_t, 3> cells_{};
  Point middle_{};
  double edge_;
  std::vector<std::uint8_t> filled_;
};

}  // namespace quartic
