// Boxes that are held in directions, for the tests of supports.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "quartic/fem.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/supports.hpp"
#include "support/dense.hpp"

namespace quartic::test {

inline Eigen::Vector3d position(const VolumeMesh& mesh, std::int32_t vertex) {
  return Eigen::Vector3d::Map(mesh.vertices.data() + 3 * std::ptrdiff_t{vertex});
}

/// Vertices whose coordinate along an axis is `value`.
inline std::vector<std::int32_t> plane(const VolumeMesh& mesh, int axis, double value) {
  std::vector<std::int32_t> vertices;
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v)
    if (std::abs(position(mesh, v)[axis] - value) < 1e-9) vertices.push_back(v);
  return vertices;
}

inline void append(std::vector<Constraint>& list, std::vector<Constraint> more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

inline std::array<double, 3> array_of(const Eigen::Vector3d& x) {
  return {x[0], x[1], x[2]};
}

inline VolumeMesh moved(VolumeMesh mesh, const Eigen::Matrix3d& rotation, const Eigen::Vector3d& shift) {
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v)
    Eigen::Vector3d::Map(mesh.vertices.data() + 3 * std::ptrdiff_t{v}) = rotation * position(mesh, v) + shift;
  return mesh;
}

inline Eigen::Matrix3d some_rotation() {
  return Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();
}

/// Eigenvalues of T^T K T x = lambda T^T M T x, ascending, by dense algebra.
inline Eigen::VectorXd dense_eigenvalues(const VolumeMesh& mesh, const Supports& supports) {
  const Eigen::MatrixXd t = freedom_map(mesh, supports).map().toDense();
  const Eigen::MatrixXd k = stiffness_matrix(mesh).map().toDense(), m = mass_matrix(mesh).map().toDense();
  return eigenvalues(t.transpose() * k * t, t.transpose() * m * t);
}

}  // namespace quartic::test
