// A slender bar of five tetrahedra per cell, the split of the course notes' bars, and how it bends and twists.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/model.hpp"
#include "quartic/modes.hpp"
#include "quartic/warping.hpp"

namespace quartic::test {

/// 1 m x 0.1 m x 0.1 m along x about the x axis, of nx x ny x ny cells, alternating.
inline VolumeMesh five_split_bar(int nx, int ny) {
  VolumeMesh mesh;
  for (int i = 0; i <= nx; ++i)
    for (int j = 0; j <= ny; ++j)
      for (int k = 0; k <= ny; ++k)
        for (const double x : {1.0 * i / nx, 0.1 * j / ny - 0.05, 0.1 * k / ny - 0.05}) mesh.vertices.push_back(x);
  ElementBlock tets{ElementType::tet4, {}};
  constexpr std::array<std::array<std::array<int, 3>, 4>, 5> split{{{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                                                    {{{1, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}}},
                                                                    {{{1, 0, 1}, {1, 0, 0}, {0, 0, 1}, {1, 1, 1}}},
                                                                    {{{0, 1, 1}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}},
                                                                    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}}}};
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < ny; ++k)
        for (const auto& tet : split)
          for (const auto& corner : tet) {
            const int mirrored = (i + j + k) % 2 == 0 ? corner[0] : 1 - corner[0];
            tets.vertices.push_back(((i + mirrored) * (ny + 1) + j + corner[1]) * (ny + 1) + k + corner[2]);
          }
  mesh.blocks.push_back(std::move(tets));
  mesh.element_region.assign(static_cast<std::size_t>(mesh.blocks[0].count()), 0);
  mesh.regions.push_back({"bar", Material{1e6, 0.33, 1000}});
  std::vector<std::string> warnings;
  (void)prepare_mesh(mesh, {}, warnings);  // turns tetrahedra round
  return mesh;
}

/// The bar, held at x = 0, and its modes.
struct BentBar {
  VolumeMesh mesh;
  std::vector<std::int32_t> fixed, tip;
  LinearModes modes;
  Matrix rotations;

  explicit BentBar(int count = 12, int nx = 40, int ny = 4) : mesh(five_split_bar(nx, ny)) {
    for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {
      const double x = mesh.vertices[3 * static_cast<std::size_t>(v)];
      if (x < 1e-9) fixed.push_back(v);
      if (x > 1 - 1e-9) tip.push_back(v);
    }
    modes = linear_modes(ElasticSystem(mesh, fixed), {.count = count});
    rotations = modal_rotation(mesh, modes.vectors.map());
  }

  /// The tip's mean of a field's column.
  [[nodiscard]] Eigen::Vector3d tip_mean(const Matrix& field, std::int64_t mode) const {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (const std::int32_t v : tip) sum += field.map().col(mode).segment<3>(3 * v);
    return sum / static_cast<double>(tip.size());
  }
  /// The two lowest modes bend along any two directions: coordinates of a bend in the plane y = 0, by which the tip
  /// turns by an angle [rad].
  [[nodiscard]] std::vector<double> bend(double angle) const {
    const double y0 = tip_mean(modes.vectors, 0).y(), y1 = tip_mean(modes.vectors, 1).y();
    Eigen::VectorXd q = Eigen::VectorXd::Zero(modes.vectors.cols);
    q[0] = y1;
    q[1] = -y0;
    const double turned = (tip_mean(rotations, 0) * q[0] + tip_mean(rotations, 1) * q[1]).norm();
    q *= angle / turned;
    return {q.begin(), q.end()};
  }
  /// Of the first mode that twists.
  [[nodiscard]] std::vector<double> twist(double angle) const {
    std::int64_t mode = 0;
    for (std::int64_t i = 0; i < 8; ++i)
      if (std::abs(tip_mean(rotations, i).x()) > std::abs(tip_mean(rotations, mode).x())) mode = i;
    std::vector<double> q(static_cast<std::size_t>(modes.vectors.cols));
    q[static_cast<std::size_t>(mode)] = angle / std::abs(tip_mean(rotations, mode).x());
    return q;
  }
  [[nodiscard]] std::vector<double> linear(std::span<const double> q) const {
    const Eigen::VectorXd u = modes.vectors.map() * Eigen::VectorXd::Map(q.data(), std::ssize(q));
    return {u.begin(), u.end()};
  }
  /// Change of volume in per cent.
  [[nodiscard]] double swelling(std::span<const double> u) const {
    double before = 0, after = 0;
    for (std::int64_t e = 0; e < mesh.blocks[0].count(); ++e) {
      Eigen::Matrix<double, 3, 4> rest, moved;
      for (int a = 0; a < 4; ++a) {
        const std::int64_t v = mesh.blocks[0].element(e)[static_cast<std::size_t>(a)];
        rest.col(a) = Eigen::Vector3d::Map(mesh.vertices.data() + 3 * v);
        moved.col(a) = rest.col(a) + Eigen::Vector3d::Map(u.data() + 3 * v);
      }
      before += (rest.rightCols<3>().colwise() - rest.col(0)).determinant();
      after += (moved.rightCols<3>().colwise() - moved.col(0)).determinant();
    }
    return 100 * (after / before - 1);
  }
};

inline constexpr double degree = std::numbers::pi / 180;

/// theta x (X - centre) at each vertex, and its finite rotation.
inline std::vector<double> turned_slightly(const VolumeMesh& mesh, const Eigen::Vector3d& theta,
                                           const Eigen::Vector3d& centre) {
  std::vector<double> u(mesh.vertices.size());
  for (std::int64_t v = 0; v < mesh.vertex_count(); ++v)
    Eigen::Vector3d::Map(u.data() + 3 * v) = theta.cross(Eigen::Vector3d::Map(mesh.vertices.data() + 3 * v) - centre);
  return u;
}
inline std::vector<double> turned(const VolumeMesh& mesh, const Eigen::Vector3d& theta, const Eigen::Vector3d& centre) {
  const Eigen::AngleAxisd rotation(theta.norm(), theta.normalized());
  std::vector<double> u(mesh.vertices.size());
  for (std::int64_t v = 0; v < mesh.vertex_count(); ++v) {
    const Eigen::Vector3d arm = Eigen::Vector3d::Map(mesh.vertices.data() + 3 * v) - centre;
    Eigen::Vector3d::Map(u.data() + 3 * v) = rotation * arm - arm;
  }
  return u;
}

inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= largest)) largest = std::abs(a[i] - b[i]);
  return largest;
}

}  // namespace quartic::test
