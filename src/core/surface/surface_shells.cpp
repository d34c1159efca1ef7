#include "core/surface/surface_shells.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/disjoint_sets.hpp"
#include "core/surface/surface_arrays.hpp"

namespace quartic {
namespace {

Point3 position(const TriangleMesh& surface, std::int32_t vertex) {
  const double* x = surface.vertices.data() + 3 * static_cast<std::size_t>(vertex);
  return {x[0], x[1], x[2]};
}

/// Of the tetrahedron between a triangle and a point that keeps far bodies' digits [m^3].
double signed_volume(const std::array<Point3, 3>& corners, const Point3& point) {
  std::array<Point3, 3> x = corners;
  for (Point3& corner : x)
    for (std::size_t axis = 0; axis < 3; ++axis) corner[axis] -= point[axis];
  return (x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) + x[0][1] * (x[1][2] * x[2][0] - x[1][0] * x[2][2]) +
          x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0])) /
         6;
}

void mark_cavities(std::vector<Shell>& shells) {
  double sum = 0;
  for (const Shell& shell : shells) sum += shell.volume.value_or(0);
  const auto against = [sum](const Shell& shell) { return (sum < 0 ? -1 : 1) * *shell.volume < 0; };
  for (Shell& shell : shells) {
    if (!shell.volume || !against(shell)) continue;
    shell.cavity = std::any_of(shells.begin(), shells.end(), [&](const Shell& other) {
      return other.volume && !against(other) && other.box.holds(shell.box.low) && other.box.holds(shell.box.high);
    });
  }
}

}  // namespace

std::vector<TriangleSide> sides_by_edge(const std::vector<std::int32_t>& triangles) {
  std::vector<TriangleSide> sides;
  sides.reserve(triangles.size());
  for (std::size_t t = 0; 3 * t < triangles.size(); ++t) {
    const std::int32_t* corners = triangles.data() + 3 * t;
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) continue;  // a line
    for (std::size_t c = 0; c < 3; ++c) {
      const std::int32_t from = corners[c], to = corners[(c + 1) % 3];
      sides.push_back({{std::min(from, to), std::max(from, to)}, static_cast<std::int32_t>(t), from > to});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const TriangleSide& a, const TriangleSide& b) { return a.ends < b.ends; });
  return sides;
}

SurfaceShells find_shells(const TriangleMesh& surface) {
  SurfaceShells result;
  result.triangles = joined_triangles(surface);
  const std::size_t count = result.triangles.size() / 3;
  DisjointSets sets(count);
  std::vector<bool> unbalanced(count);
  const std::vector<TriangleSide> sides = sides_by_edge(result.triangles);
  for (std::size_t first = 0, last = 0; first < sides.size(); first = last) {
    std::ptrdiff_t balance = 0;
    for (last = first; last < sides.size() && sides[last].ends == sides[first].ends; ++last) {
      sets.join(sides[first].triangle, sides[last].triangle);
      balance += sides[last].reversed ? -1 : 1;
    }
    if (balance != 0) unbalanced[static_cast<std::size_t>(sides[first].triangle)] = true;
  }
  result.shell_of.resize(count);
  for (std::size_t t = 0; t < count; ++t) {  // the root is the lowest triangle of a shell
    const auto root = static_cast<std::size_t>(sets.root(static_cast<std::int32_t>(t)));
    if (root == t) {
      const Point3 corner = position(surface, result.triangles[3 * t]);
      result.shell_of[t] = static_cast<std::int32_t>(result.shells.size());
      result.shells.push_back({{corner, corner}, 0});
    }
    result.shell_of[t] = result.shell_of[root];
    Shell& shell = result.shells[static_cast<std::size_t>(result.shell_of[t])];
    if (unbalanced[t]) shell.volume.reset();
    std::array<Point3, 3> corners;
    for (std::size_t c = 0; c < 3; ++c) {
      corners[c] = position(surface, result.triangles[3 * t + c]);
      shell.box.include({corners[c], corners[c]});
    }
    if (shell.volume) *shell.volume += signed_volume(corners, position(surface, result.triangles[3 * root]));
  }
  mark_cavities(result.shells);
  return result;
}

bool SurfaceShells::has_cavities() const {
  return std::any_of(shells.begin(), shells.end(), [](const Shell& shell) { return shell.cavity; });
}

std::optional<double> SurfaceShells::solid_volume() const {
  double solid = 0;
  for (const Shell& shell : shells) {
    if (!shell.volume) return std::nullopt;
    solid += (shell.cavity ? -1 : 1) * std::abs(*shell.volume);
  }
  return solid;
}

}  // namespace quartic
