#include "core/surface/nearest_in_triangle.hpp"

#include "core/surface/triangle_weights.hpp"

namespace quartic {

Point3 nearest_in_triangle(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  const auto vector = [](const Eigen::Vector3d& x) { return frame::Vector3<double>{x[0], x[1], x[2]}; };
  const TriangleWeights weights = nearest_weights(vector(a), vector(b), vector(c));
  return {weights.of[0], weights.of[1], weights.of[2]};
}

}  // namespace quartic
