// Random scenes of bodies that meet each other, and what brute force finds in them.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "contact/contact_models.hpp"
#include "quartic/collision.hpp"
#include "quartic/frame_moments.hpp"
#include "support/free_batches.hpp"

namespace quartic::test {

using SharedSurface = std::shared_ptr<const CollisionSurface>;

inline SharedSurface surface_of(const ReducedModel& model, double spacing) {
  return std::make_shared<CollisionSurface>(model,
                                            std::make_shared<BoundTree>(bound_tree(model, {.spacing = spacing})));
}
inline const std::array<SharedSurface, 2>& scene_surfaces() {
  static const std::array<SharedSurface, 2> both = {surface_of(flying_block(), 0.15), surface_of(soft_block(), 0.2)};
  return both;
}
inline const ReducedModel& scene_model(std::size_t group) {
  return group == 0 ? flying_block() : soft_block();
}

/// Two bodies of each of two models, near each other.
template <class T>
struct PairScene {
  static constexpr std::int64_t each = 2;
  std::array<std::vector<T>, 2> q, pose;
  std::vector<double> margins;
  std::vector<std::int32_t> ids, environments;
  std::vector<CollidingBodies<T>> groups;

  [[nodiscard]] CollisionLabels labels() const { return {ids, environments}; }
};

template <class T>
PairScene<T> pair_scene(unsigned seed) {
  PairScene<T> scene;
  const std::vector<double> numbers = random_numbers(100, seed + 1);
  std::size_t next = 0;
  for (std::size_t g = 0; g < 2; ++g) {
    const BoundTree& tree = *scene_surfaces()[g]->tree();
    for (std::int64_t b = 0; b < scene.each; ++b) {
      const double displacement = 0.3 * std::abs(numbers[next++]);
      const auto q =
          displaced_state(scene_model(g), tree.points, displacement, 40 * seed + static_cast<unsigned>(next));
      for (const double x : q) scene.q[g].push_back(static_cast<T>(x));
      for (int k = 0; k < 3; ++k) scene.pose[g].push_back(static_cast<T>(0.8 * numbers[next++]));
      const Eigen::Quaterniond turn(1e-3 + numbers[next], numbers[next + 1], numbers[next + 2], numbers[next + 3]);
      next += 4;
      const Eigen::Quaterniond unit = turn.normalized();
      for (int k = 0; k < 4; ++k) scene.pose[g].push_back(static_cast<T>(unit.coeffs()[k]));
      const double margin = 0.03 * std::abs(numbers[next++]);
      scene.margins.push_back(seed % 3 == 0 ? 0 : margin);
      scene.ids.push_back((7 * static_cast<std::int32_t>(scene.ids.size()) + static_cast<std::int32_t>(seed)) % 10);
      scene.environments.push_back(seed % 5 == 0 && numbers[next++] > 0 ? 1 : 0);
    }
    scene.groups.push_back({scene_surfaces()[g],
                            {.q = {scene.q[g].data(), tree.rank, scene.each, 1, tree.rank},
                             .pose = {scene.pose[g].data(), 7, scene.each, 1, 7},
                             .origin = free_frame(scene_model(g)).origin}});
  }
  return scene;
}

/// Points of a body's tree in the world.
template <class T>
Eigen::Matrix3Xd world_points(const PairScene<T>& scene, std::int64_t body) {
  const auto g = static_cast<std::size_t>(body / scene.each);
  const CollidingBodies<T>& group = scene.groups[g];
  const std::int64_t b = body % scene.each;
  Eigen::VectorXd q(group.places.q.rank);
  for (Eigen::Index i = 0; i < q.size(); ++i) q[i] = double{group.places.q(i, b)};
  const T* pose = scene.pose[g].data() + 7 * b;
  const Eigen::Matrix3d turn = Eigen::Quaterniond(pose[6], pose[3], pose[4], pose[5]).normalized().toRotationMatrix();
  const Eigen::Matrix3Xd x = moved_points(group.surface->tree()->points, q);
  return (turn * (x.colwise() - Eigen::Vector3d(group.places.origin.data()))).colwise() +
         Eigen::Vector3d(pose[0], pose[1], pose[2]);
}

using Corners = std::array<Eigen::Vector3d, 3>;

/// By the nearest of plane, edges and corners, each by itself.
inline double distance_to_triangle(const Eigen::Vector3d& x, const Corners& v) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < 3; ++c) {
    const Eigen::Vector3d edge = v[(c + 1) % 3] - v[c];
    const double t = std::clamp(edge.dot(x - v[c]) / edge.squaredNorm(), 0.0, 1.0);
    nearest = std::min(nearest, (x - v[c] - t * edge).norm());
  }
  const Eigen::Vector3d normal = (v[1] - v[0]).cross(v[2] - v[0]).normalized();
  bool over = true;
  for (std::size_t c = 0; c < 3; ++c) over &= normal.cross(v[(c + 1) % 3] - v[c]).dot(x - v[c]) >= 0;
  return over ? std::min(nearest, std::abs(normal.dot(x - v[0]))) : nearest;
}

/// Of a triangle as seen from a point (Van Oosterom & Strackee 1983).
inline double solid_angle(const Eigen::Vector3d& x, const Corners& v) {
  const Eigen::Vector3d a = v[0] - x, b = v[1] - x, c = v[2] - x;
  return 2 * std::atan2(a.dot(b.cross(c)), a.norm() * b.norm() * c.norm() + a.dot(b) * c.norm() + b.dot(c) * a.norm() +
                                               c.dot(a) * b.norm());
}

/// With the sign of the winding number.
inline double signed_distance(const Eigen::Vector3d& x, const Eigen::Matrix3Xd& points,
                              std::span<const std::int32_t> triangles) {
  double nearest = std::numeric_limits<double>::infinity(), angle = 0;
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    const Corners v = {points.col(triangles[t]), points.col(triangles[t + 1]), points.col(triangles[t + 2])};
    nearest = std::min(nearest, distance_to_triangle(x, v));
    angle += solid_angle(x, v);
  }
  return angle > 2 * std::numbers::pi ? -nearest : nearest;
}

struct FoundByForce {
  std::int64_t body, other;
  std::int32_t point;
  double gap;
};

/// All points of all bodies against all triangles of all others. @param closest_call of a gap to its margin
template <class T>
std::vector<FoundByForce> contacts_by_force(const PairScene<T>& scene, double& closest_call) {
  std::vector<std::int64_t> order = {0, 1, 2, 3};
  std::ranges::sort(order, {}, [&](std::int64_t b) { return scene.ids[static_cast<std::size_t>(b)]; });
  std::vector<Eigen::Matrix3Xd> points;
  for (std::int64_t b = 0; b < 4; ++b) points.push_back(world_points(scene, b));
  std::vector<FoundByForce> found;
  const auto test = [&](std::int64_t body, std::int64_t other) {
    const auto b = static_cast<std::size_t>(body), o = static_cast<std::size_t>(other);
    const double margin = scene.margins[b] + scene.margins[o];
    const Eigen::Vector3d low = points[o].rowwise().minCoeff(), high = points[o].rowwise().maxCoeff();
    for (Eigen::Index p = 0; p < points[b].cols(); ++p) {
      const Eigen::Vector3d x = points[b].col(p);
      if (((x - high).array() > margin).any() || ((low - x).array() > margin).any()) continue;
      const double gap = signed_distance(x, points[o], scene.groups[o / 2].surface->triangles());
      closest_call = std::min(closest_call, std::abs(gap - margin));
      if (gap < margin) found.push_back({body, other, static_cast<std::int32_t>(p), gap});
    }
  };
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j) {
      if (scene.environments[static_cast<std::size_t>(order[i])] !=
          scene.environments[static_cast<std::size_t>(order[j])])
        continue;
      test(order[i], order[j]);
      test(order[j], order[i]);
    }
  return found;
}

}  // namespace quartic::test
