// Voxelisation of a surface: the cubes that it meets, then all that can't be reached from outside and isn't a cavity.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/number_text.hpp"
#include "core/procedural/voxel_lattice.hpp"
#include "core/surface/box3.hpp"
#include "core/surface/surface_arrays.hpp"
#include "core/surface/surface_shells.hpp"
#include "core/surface/surface_solid.hpp"
#include "core/surface/triangle_cube.hpp"
#include "quartic/error.hpp"
#include "quartic/surface.hpp"

namespace quartic {
namespace {

constexpr int finest_resolution = 1024;

std::array<Point, 3> corners_of(const TriangleMesh& surface, std::int64_t triangle) {
  std::array<Point, 3> corners;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto vertex = static_cast<std::size_t>(surface.triangles[3 * static_cast<std::size_t>(triangle) + c]);
    for (std::size_t axis = 0; axis < 3; ++axis) corners[c][axis] = surface.vertices[3 * vertex + axis];
  }
  return corners;
}

/// The box around all triangles, which voxels can fill. @throws InputError as `voxelize`
Box3 usable_box(const TriangleMesh& surface, const VoxelOptions& options) {
  if (options.resolution < 1 || options.resolution > finest_resolution)
    throw InputError("a resolution of " + std::to_string(options.resolution) + " voxels isn't between 1 and " +
                     std::to_string(finest_resolution));
  require_sound_arrays(surface);
  if (surface.triangles.empty()) throw InputError("the surface has no triangles");
  const Box3 box = Box3::of_vertices(surface.vertices, surface.triangles);
  double farthest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    farthest = std::max({farthest, std::abs(box.low[axis]), std::abs(box.high[axis])});
  const double edge = voxel_size(box.low, box.high, options.resolution);
  constexpr double distinct = 1e-12;  // some thousand units of round-off of positions
  if (!std::isfinite(edge) || !(edge > distinct * farthest) || edge < std::numeric_limits<double>::min())
    throw InputError("the surface has no extent, or is so far from the origin that voxels of " + number_text(edge, 3) +
                     " m can't be distinguished");
  return box;
}

/// What meets a cube: also what touches its boundary, or only what goes inside.
enum class Meeting : std::uint8_t { touching, inside };

class SurfaceVoxels {
 public:
  SurfaceVoxels(const TriangleMesh& surface, int resolution, const Box3& box)
      : surface_(surface), lattice_(box.low, box.high, resolution) {}

  /// Fills the cells that the surface touches.
  void meet_surface() {
    meet_surface(Meeting::touching, [this](std::size_t cell) { lattice_.fill(cell); });
  }
  /// Empties those in cavities, and leaves them to these. Cells that the surface goes into stay filled.
  void leave_cavities(const SurfaceShells& shells);
  /// Fills those that can't be reached from the outermost layer, except in cavities.
  void fill_interior();
  VoxelLattice& lattice() { return lattice_; }
  [[nodiscard]] std::int64_t empty_in_cavities() const;

 private:
  template <class Use>
  void meet_surface(Meeting meeting, const Use& use) const {
    for (std::int64_t t = 0; t < surface_.triangle_count(); ++t) meet_triangle(corners_of(surface_, t), meeting, use);
  }
  template <class Use>
  void meet_triangle(std::array<Point, 3> corners, Meeting meeting, const Use& use) const;
  [[nodiscard]] std::int64_t cell_index(std::size_t axis, double coordinate) const {
    return std::clamp(static_cast<std::int64_t>(std::floor(coordinate)), std::int64_t{1}, lattice_.cells()[axis] - 2);
  }

  const TriangleMesh& surface_;
  VoxelLattice lattice_;
  std::vector<std::uint8_t> cavity_;  // cells to be left empty; without any: no elements
};

/// Calls use(cell) for every cell that the triangle meets.
template <class Use>
void SurfaceVoxels::meet_triangle(std::array<Point, 3> corners, Meeting meeting, const Use& use) const {
  for (Point& corner : corners)
    for (std::size_t axis = 0; axis < 3; ++axis) corner[axis] = lattice_.coordinate(axis, corner[axis]);
  Box3 box{corners[0], corners[0]};
  for (const Point& corner : corners) box.include({corner, corner});
  // A triangle in a plane between cells touches those on both sides, and goes into none of them.
  const double slack = meeting == Meeting::touching ? 1e-9 : -1e-7;
  std::array<std::int64_t, 3> first, last;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    first[axis] = cell_index(axis, box.low[axis] - slack);
    last[axis] = cell_index(axis, box.high[axis] + slack);
  }
  if (first == last) return use(lattice_.cell(first[0], first[1], first[2]));
  const TriangleCubeTest test(corners, meeting == Meeting::touching ? 1 : 1 + 2 * slack);
  const auto farthest = static_cast<double>(last[0]);  // before numbers that no integer can hold are rounded
  for (std::int64_t k = first[2]; k <= last[2]; ++k)
    for (std::int64_t j = first[1]; j <= last[1]; ++j) {
      const auto [from, to] = test.row(static_cast<double>(j) + 0.5, static_cast<double>(k) + 0.5);
      if (!(from <= to) || to < 0 || from - 0.5 > farthest) continue;
      const auto begin = std::max(first[0], static_cast<std::int64_t>(std::ceil(std::max(from - 0.5, 0.0))));
      const auto end = std::min(last[0], static_cast<std::int64_t>(std::floor(std::min(to - 0.5, farthest))));
      for (std::int64_t i = begin; i <= end; ++i) use(lattice_.cell(i, j, k));
    }
}

void SurfaceVoxels::leave_cavities(const SurfaceShells& shells) {
  if (!shells.has_cavities()) return;
  cavity_ = cells_in_cavities(surface_, shells, lattice_);
  meet_surface(Meeting::inside, [this](std::size_t cell) { cavity_[cell] = 0; });
  for (std::size_t cell = 0; cell < cavity_.size(); ++cell)
    if (cavity_[cell] != 0) lattice_.clear(cell);
}

std::int64_t SurfaceVoxels::empty_in_cavities() const {
  std::int64_t count = 0;
  for (std::size_t cell = 0; cell < cavity_.size(); ++cell) count += cavity_[cell] != 0 && !lattice_.filled(cell);
  return count;
}

void SurfaceVoxels::fill_interior() {
  // Row after row in memory, so that a run of cells may go on in the next row: through the sides of the lattice, which
  // are outside as well.
  const std::size_t size = lattice_.size();
  std::vector<std::uint8_t> closed(size);  // filled, or known to be outside
  for (std::size_t cell = 0; cell < size; ++cell) closed[cell] = static_cast<std::uint8_t>(lattice_.filled(cell));
  std::vector<std::size_t> starts = {0};
  const auto ask = [&](std::size_t begin, std::size_t end) {  // begins of the runs in there that are to be visited
    for (std::size_t cell = begin; cell < end; ++cell)
      if (closed[cell] == 0 && (cell == begin || closed[cell - 1] != 0)) starts.push_back(cell);
  };
  const auto [x, row, layer] = lattice_.strides();
  while (!starts.empty()) {
    std::size_t begin = starts.back(), end = begin;
    starts.pop_back();
    while (begin > 0 && closed[begin - 1] == 0) --begin;
    while (end < size && closed[end] == 0) ++end;
    if (begin >= end) continue;  // visited meanwhile
    std::fill(closed.begin() + std::ptrdiff_t(begin), closed.begin() + std::ptrdiff_t(end), 1);
    for (const std::size_t step : {row, layer}) {
      if (end > step) ask(begin > step ? begin - step : 0, end - step);
      if (begin + step < size) ask(begin + step, std::min(end + step, size));
    }
  }
  for (std::size_t cell = 0; cell < size; ++cell)
    if (closed[cell] == 0 && (cavity_.empty() || cavity_[cell] == 0)) lattice_.fill(cell);
}

/// All empty cubes are as good as others.
std::int64_t remove_hinges(VoxelLattice& lattice) {
  const std::int64_t before = lattice.filled_count();
  lattice.remove_hinges(
      [&](std::size_t cell) { return lattice.outermost(cell) ? -std::numeric_limits<float>::infinity() : 0.0F; });
  return lattice.filled_count() - before;
}

}  // namespace

Voxelization voxelize(const TriangleMesh& surface, const VoxelOptions& options) {
  SurfaceVoxels voxels(surface, options.resolution, usable_box(surface, options));
  const SurfaceShells shells = find_shells(surface);
  VoxelLattice& lattice = voxels.lattice();
  Voxelization result;
  result.edge = lattice.edge();
  result.enclosed_volume = shells.solid_volume();
  if (result.enclosed_volume) result.thickness = usual_thickness(surface, shells, lattice);
  voxels.meet_surface();
  voxels.leave_cavities(shells);
  if (lattice.filled_count() == 0)
    throw InputError("nothing of the surface's solid is left: its shells are wound against each other at one place");
  result.surface_voxels = lattice.filled_count();
  voxels.fill_interior();
  result.interior_voxels = lattice.filled_count() - result.surface_voxels;
  // What is added may close a passage, and what is behind it is inside then.
  while (remove_hinges(lattice) > 0) voxels.fill_interior();
  result.added_voxels = lattice.filled_count() - result.surface_voxels - result.interior_voxels;
  result.cavity_voxels = voxels.empty_in_cavities();
  result.volume = static_cast<double>(lattice.filled_count()) * std::pow(lattice.edge(), 3);
  const auto parts = lattice.parts();
  for (const auto& part : parts) result.parts.push_back(std::ssize(part));
  if (options.only_largest_part) lattice.keep_only(parts.front());
  result.mesh = lattice.mesh();
  result.mesh.element_region.assign(static_cast<std::size_t>(result.mesh.element_count()), 0);
  result.mesh.regions.push_back({options.region, options.material});
  return result;
}

}  // namespace quartic
