// Corners of equal smaller triangles. A point on an edge is known by the edge and its place there, so that triangles
// side by side share it.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/base/memory.hpp"
#include "core/base/number_text.hpp"
#include "core/contact/place_points.hpp"
#include "core/surface/drawn_surface.hpp"
#include "core/surface/embedding_check.hpp"
#include "quartic/bound_tree.hpp"
#include "quartic/error.hpp"
#include "quartic/matrix.hpp"

namespace quartic {
namespace {

using Eigen::Vector3d;

Vector3d corner_of(const SurfaceEmbedding& surface, std::size_t triangle, std::size_t corner) {
  const auto vertex = static_cast<std::size_t>(surface.triangles[3 * triangle + corner]);
  return Vector3d(surface.vertices.data() + 3 * vertex);
}

// How many parts the edges of a triangle are cut into.
double part_count(const SurfaceEmbedding& surface, std::size_t triangle, double spacing) {
  double longest = 0;
  for (std::size_t c = 0; c < 3; ++c)
    longest = std::max(longest, (corner_of(surface, triangle, (c + 1) % 3) - corner_of(surface, triangle, c)).norm());
  return std::max(1.0, std::ceil(longest / spacing));
}

std::vector<int> part_counts(const SurfaceEmbedding& surface, double spacing, std::int64_t fields) {
  const std::string what = "contact points of a spacing of " + number_text(spacing, 6) + " m";
  std::vector<int> counts;
  double points = 0;
  for (std::size_t t = 0; t < surface.triangles.size() / 3; ++t) {
    const double parts = part_count(surface, t, spacing);
    points += (parts + 1) * (parts + 2) / 2;
    if (!(points < 2e9)) throw InputError(what + " are more than 2e9; take a larger spacing");
    counts.push_back(static_cast<int>(parts));
  }
  const double numbers = 3 + 1 + 3 + 3 * static_cast<double>(fields);  // weights, area, position and basis of each
  require_memory(points * (numbers * sizeof(double) + sizeof(std::int32_t)), what, "take a larger spacing");
  return counts;
}

// Vertex a, and of a point on an edge also vertex b > a and the reduced fraction of the way from a to b.
using SimplexPoint = std::array<std::int32_t, 4>;

class PointList {
 public:
  explicit PointList(const SurfaceEmbedding& surface) : surface_(surface) {}

  // The vertices first, in their order.
  void add_vertices() {
    std::map<std::int32_t, std::pair<std::size_t, std::size_t>> first;  // triangle and corner of each
    for (std::size_t t = 0; t < surface_.triangles.size() / 3; ++t)
      for (std::size_t c = 0; c < 3; ++c) first.try_emplace(surface_.triangles[3 * t + c], t, c);
    for (const auto& [vertex, at] : first) {
      std::array<int, 3> steps = {};
      steps[at.second] = 1;
      numbers_[{vertex, -1, 0, 1}] = append(at.first, steps, 1);
    }
  }
  void add(std::size_t triangle, int parts) {
    const Vector3d a = corner_of(surface_, triangle, 0);
    const double area = (corner_of(surface_, triangle, 1) - a).cross(corner_of(surface_, triangle, 2) - a).norm() / 2;
    const double third = area / (3.0 * parts * parts);  // of a small triangle
    for (int i = parts; i >= 0; --i)
      for (int j = parts - i; j >= 0; --j) {
        const std::array<int, 3> steps = {i, j, parts - i - j};
        const auto zeros = std::count(steps.begin(), steps.end(), 0);
        const int small_triangles = zeros == 2 ? 1 : zeros == 1 ? 3 : 6;  // that have the corner
        points_.areas[number_of(triangle, steps, parts)] += small_triangles * third;
      }
  }
  [[nodiscard]] ContactPoints take() { return std::move(points_); }

 private:
  std::size_t append(std::size_t triangle, const std::array<int, 3>& steps, int parts) {
    points_.triangles.push_back(static_cast<std::int32_t>(triangle));
    for (const int step : steps) points_.weights.push_back(static_cast<double>(step) / parts);
    points_.areas.push_back(0);
    return points_.areas.size() - 1;
  }
  std::size_t number_of(std::size_t triangle, const std::array<int, 3>& steps, int parts) {
    std::array<std::pair<std::int32_t, int>, 3> on;  // vertex and steps, those that the point isn't away from
    std::size_t count = 0;
    for (std::size_t c = 0; c < 3; ++c)
      if (steps[c] > 0) on[count++] = {surface_.triangles[3 * triangle + c], steps[c]};
    if (count == 1) return numbers_.at({on[0].first, -1, 0, 1});
    if (count == 3) return append(triangle, steps, parts);
    if (on[0].first > on[1].first) std::swap(on[0], on[1]);
    const int divisor = std::gcd(on[1].second, parts);
    const SimplexPoint place = {on[0].first, on[1].first, on[1].second / divisor, parts / divisor};
    if (const auto found = numbers_.find(place); found != numbers_.end()) return found->second;
    return numbers_[place] = append(triangle, steps, parts);
  }

  const SurfaceEmbedding& surface_;
  ContactPoints points_;
  std::map<SimplexPoint, std::size_t> numbers_;  // of points on vertices and edges
};

}  // namespace

void place_points(const SurfaceEmbedding& surface, const ReducedModel& model, ContactPoints& points) {
  if (model.rank() < 1) throw InputError("a model without a basis has no contact points; it holds linear modes only");
  if (points.weights.size() != 3 * points.triangles.size())
    throw InputError("contact points must have three weights each");
  for (const std::int32_t triangle : points.triangles)
    if (triangle < 0 || triangle >= surface.triangle_count())
      throw InputError("a contact point lies on triangle " + std::to_string(triangle) + ", but the surface has only " +
                       std::to_string(surface.triangle_count()));
  const Matrix fields = surface_basis(surface, model.basis.map());
  const std::size_t count = points.triangles.size();
  points.positions.assign(3 * count, 0);
  points.basis = Matrix(static_cast<std::int64_t>(3 * count), model.basis.cols);
  for (std::size_t p = 0; p < count; ++p)
    for (std::size_t c = 0; c < 3; ++c) {
      const double weight = points.weights[3 * p + c];
      const auto vertex =
          static_cast<std::size_t>(surface.triangles[3 * static_cast<std::size_t>(points.triangles[p]) + c]);
      for (std::size_t k = 0; k < 3; ++k) {
        points.positions[3 * p + k] += weight * surface.vertices[3 * vertex + k];
        for (std::int64_t j = 0; j < fields.cols; ++j)
          points.basis(static_cast<std::int64_t>(3 * p + k), j) +=
              weight * fields(static_cast<std::int64_t>(3 * vertex + k), j);
      }
    }
}

ContactPoints contact_points(const ReducedModel& model, const ContactPointOptions& options) {
  if (!(options.spacing > 0)) throw InputError("ContactPointOptions::spacing must be above 0");
  if (model.rank() < 1) throw InputError("a model without a basis has no contact points; it holds linear modes only");
  const SurfaceEmbedding surface = drawn_surface(model);
  require_sound_embedding(surface, model.mesh.vertex_count());
  const std::vector<int> parts = part_counts(surface, options.spacing, model.basis.cols);
  PointList list(surface);
  list.add_vertices();
  for (std::size_t t = 0; t < parts.size(); ++t) list.add(t, parts[t]);
  ContactPoints points = list.take();
  place_points(surface, model, points);
  return points;
}

}  // namespace quartic
