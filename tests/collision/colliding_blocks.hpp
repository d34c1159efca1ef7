// Worlds of blocks that meet each other.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "collision/pair_scene.hpp"
#include "quartic/frame_motion.hpp"
#include "quartic/world.hpp"

namespace quartic::test {

/// A model with a point in each vertex of its surface.
struct CollidingModel {
  const ReducedModel& model;
  SharedSurface surface;
};
inline const CollidingModel& soft_blocks() {
  static const CollidingModel all = {soft_block(), surface_of(soft_block(), std::numeric_limits<double>::infinity())};
  return all;
}
inline const CollidingModel& blocks() {
  static const CollidingModel all = {flying_block(),
                                     surface_of(flying_block(), std::numeric_limits<double>::infinity())};
  return all;
}

/// So many bodies of each model.
template <class T>
World<T> colliding_world(const std::vector<std::pair<const CollidingModel*, std::int64_t>>& groups,
                         const BatchOptions& batch_options, const ContactOptions& contact,
                         const CollisionOptions& options = {}) {
  std::vector<BodyGroup> all;
  std::vector<std::shared_ptr<const BoundTree>> trees;
  std::vector<SharedSurface> surfaces;
  for (const auto& [of, bodies] : groups) {
    all.push_back(flying(of->model, bodies));
    trees.push_back(of->surface->tree());
    surfaces.push_back(of->surface);
  }
  World<T> world(Batch<T>(std::move(all), batch_options), trees, contact);
  let_collide(world, surfaces, options);
  return world;
}

template <class T>
void place(World<T>& world, std::int64_t body, const Eigen::Vector3d& at,
           const Eigen::Quaterniond& turn = Eigen::Quaterniond::Identity()) {
  for (Eigen::Index k = 0; k < 3; ++k) world.batch().pose()(k, body) = static_cast<T>(at[k]);
  for (Eigen::Index k = 0; k < 4; ++k) world.batch().pose()(3 + k, body) = static_cast<T>(turn.coeffs()[k]);
}
inline Eigen::Quaterniond quarter_turn() {
  return Eigen::Quaterniond(Eigen::AngleAxisd(std::numbers::pi / 2, Eigen::Vector3d::UnitZ()));
}

/// The fastest of all bodies' mass centres [m/s].
template <class T>
double fastest(const World<T>& world) {
  double speed = 0;
  const auto& batch = world.batch();
  for (std::int64_t b = 0; b < batch.bodies(); ++b)
    speed = std::max(speed,
                     std::hypot(double{batch.twist()(0, b)}, double{batch.twist()(1, b)}, double{batch.twist()(2, b)}));
  return speed;
}

/// Of all bodies, and the sums of their sizes; angular momentum about the world's origin.
struct Momenta {
  Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero();
  double linear_size = 0, angular_size = 0;
};
inline Momenta momenta_of(const Batch<double>& batch) {
  Momenta sum;
  const auto linear = batch.linear_momentum(), angular = batch.angular_momentum();
  for (std::int64_t b = 0; b < batch.bodies(); ++b) {
    const Eigen::Vector3d p = three(linear, b), c(batch.pose()(0, b), batch.pose()(1, b), batch.pose()(2, b));
    const Eigen::Vector3d l = three(angular, b) + c.cross(p);
    sum.linear += p, sum.angular += l;
    sum.linear_size += p.norm(), sum.angular_size += l.norm();
  }
  return sum;
}

}  // namespace quartic::test
