// What a surface is like: open, oriented, a manifold, in how many parts.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/base/disjoint_sets.hpp"
#include "core/base/number_text.hpp"
#include "core/surface/surface_arrays.hpp"
#include "core/surface/surface_shells.hpp"
#include "quartic/surface.hpp"

namespace quartic {
namespace {

using Vector = std::array<double, 3>;

class SurfaceCheck {
 public:
  explicit SurfaceCheck(const TriangleMesh& surface) : surface_(surface) { report_.warnings = surface.warnings; }

  SurfaceReport run() {
    require_sound_arrays(surface_);
    join_positions();
    measure();
    count_repeated();
    count_components();
    check_edges();
    write_warnings();
    return report_;
  }

 private:
  [[nodiscard]] Vector corner(std::size_t triangle, std::size_t c) const {
    const double* x = surface_.vertices.data() + 3 * static_cast<std::size_t>(joined_[3 * triangle + c]);
    return {x[0], x[1], x[2]};
  }
  [[nodiscard]] std::size_t triangle_count() const { return joined_.size() / 3; }

  void join_positions();
  void measure();
  void count_repeated();
  void count_components();
  void check_edges();
  void write_warnings();
  void warn(std::string text) { report_.warnings.push_back(std::move(text)); }

  const TriangleMesh& surface_;
  std::vector<std::int32_t> joined_;  // triangles whose corners are the lowest vertices at their positions
  double signed_volume_ = 0;
  SurfaceReport report_;
};

void SurfaceCheck::join_positions() {
  const std::vector<std::int32_t> lowest = lowest_at_position(surface_.vertices);
  std::vector<bool> used(lowest.size());
  joined_.reserve(surface_.triangles.size());
  for (const std::int32_t v : surface_.triangles) {
    used[static_cast<std::size_t>(v)] = true;
    joined_.push_back(lowest[static_cast<std::size_t>(v)]);
  }
  std::vector<bool> place_used(lowest.size());
  for (std::size_t v = 0; v < lowest.size(); ++v) {
    if (!used[v]) {
      ++report_.unreferenced_vertices;
      continue;
    }
    const auto place = static_cast<std::size_t>(lowest[v]);
    if (place_used[place]) ++report_.coincident_vertices;
    place_used[place] = true;
  }
}

void SurfaceCheck::measure() {
  constexpr double flat = 1e-12;  // area over the square of the longest side, where round-off begins
  const Vector origin = triangle_count() > 0 ? corner(0, 0) : Vector{};  // keeps far bodies' digits
  std::array<double, 6> box = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
  for (std::size_t t = 0; t < triangle_count(); ++t) {
    std::array<Vector, 3> x{};
    for (std::size_t c = 0; c < 3; ++c) {
      x[c] = corner(t, c);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        box[axis] = std::min(box[axis], x[c][axis]);
        box[axis + 3] = std::max(box[axis + 3], x[c][axis]);
        x[c][axis] -= origin[axis];
      }
    }
    Vector a{}, b{};
    double longest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      a[axis] = x[1][axis] - x[0][axis];
      b[axis] = x[2][axis] - x[0][axis];
    }
    for (std::size_t c = 0; c < 3; ++c)
      longest = std::max(
          longest, std::hypot(x[c][0] - x[(c + 1) % 3][0], x[c][1] - x[(c + 1) % 3][1], x[c][2] - x[(c + 1) % 3][2]));
    const Vector n = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    const double area = std::hypot(n[0], n[1], n[2]) / 2;
    report_.area += area;
    signed_volume_ += (x[0][0] * n[0] + x[0][1] * n[1] + x[0][2] * n[2]) / 6;
    if (area <= flat * longest * longest) ++report_.degenerate_triangles;
  }
  report_.bounding_box = triangle_count() > 0 ? box : std::array<double, 6>{};
}

void SurfaceCheck::count_repeated() {
  std::vector<std::array<std::int32_t, 3>> sets(triangle_count());
  for (std::size_t t = 0; t < sets.size(); ++t) {
    std::copy_n(joined_.begin() + static_cast<std::ptrdiff_t>(3 * t), 3, sets[t].begin());
    std::sort(sets[t].begin(), sets[t].end());
  }
  std::sort(sets.begin(), sets.end());
  report_.repeated_triangles = sets.end() - std::unique(sets.begin(), sets.end());
}

void SurfaceCheck::count_components() {
  DisjointSets sets(static_cast<std::size_t>(surface_.vertex_count()));
  for (std::size_t t = 0; t < triangle_count(); ++t)
    for (std::size_t c = 1; c < 3; ++c) sets.join(joined_[3 * t], joined_[3 * t + c]);
  std::vector<bool> used(static_cast<std::size_t>(surface_.vertex_count()));
  for (const std::int32_t v : joined_) used[static_cast<std::size_t>(v)] = true;
  for (std::int32_t v = 0; v < std::ssize(used); ++v)
    report_.components += used[static_cast<std::size_t>(v)] && sets.root(v) == v;
}

void SurfaceCheck::check_edges() {
  const std::vector<TriangleSide> sides = sides_by_edge(joined_);
  bool balanced = true;  // as many triangles on either side of every edge: then the volume doesn't depend on the origin
  for (std::size_t first = 0, last = 0; first < sides.size(); first = last) {
    std::int64_t reversed = 0;
    for (last = first; last < sides.size() && sides[last].ends == sides[first].ends; ++last)
      reversed += sides[last].reversed;
    const auto count = static_cast<std::int64_t>(last - first);
    if (count == 1 && report_.boundary_edges++ == 0) report_.first_boundary_edge = sides[first].ends;
    if (count > 2 && report_.nonmanifold_edges++ == 0) report_.first_nonmanifold_edge = sides[first].ends;
    report_.misoriented_edges += count == 2 && reversed != 1;
    balanced = balanced && 2 * reversed == count;
  }
  if (balanced && !sides.empty()) report_.enclosed_volume = signed_volume_;
}

std::string edge_text(const std::optional<std::array<std::int32_t, 2>>& edge) {
  return " (first: between vertices " + std::to_string((*edge)[0]) + " and " + std::to_string((*edge)[1]) +
         ", counted from 0)";
}

void SurfaceCheck::write_warnings() {
  if (triangle_count() == 0) warn("the surface has no triangles");
  if (report_.degenerate_triangles > 0)
    warn(counted(report_.degenerate_triangles, "triangle", "has", "have") + " no area");
  if (report_.repeated_triangles > 0)
    warn(counted(report_.repeated_triangles, "triangle", "repeats", "repeat") + " an earlier one");
  if (report_.boundary_edges > 0)
    warn(counted(report_.boundary_edges, "edge", "belongs", "belong") + " to one triangle only: the surface is open" +
         edge_text(report_.first_boundary_edge));
  if (report_.nonmanifold_edges > 0)
    warn(counted(report_.nonmanifold_edges, "edge", "belongs", "belong") + " to more than two triangles" +
         edge_text(report_.first_nonmanifold_edge));
  if (report_.misoriented_edges > 0)
    warn(counted(report_.misoriented_edges, "edge", "lies", "lie") + " between triangles of opposite windings");
  if (report_.enclosed_volume && *report_.enclosed_volume < 0)
    warn("the surface is wound inwards: its triangles should be counter-clockwise seen from outside");
  if (report_.components > 1) warn("the surface has " + std::to_string(report_.components) + " parts");
  if (report_.unreferenced_vertices > 0)
    warn(std::to_string(report_.unreferenced_vertices) +
         (report_.unreferenced_vertices == 1 ? " vertex belongs" : " vertices belong") + " to no triangle");
}

}  // namespace

SurfaceReport check_surface(const TriangleMesh& surface) {
  return SurfaceCheck(surface).run();
}

}  // namespace quartic
