// What is drawn of a model: its own surface or the boundary of its mesh, and the basis that moves it.
//
// The one place that knows where this surface comes from; all else of the viewer takes it as it is.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "quartic/matrix.hpp"
#include "quartic/model.hpp"
#include "quartic/surface_embedding.hpp"

namespace quartic::view {

struct ViewSurface {
  std::vector<std::uint32_t> triangles;  ///< indices of surface vertices, wound outwards, shape (t, 3)
  std::array<double, 3> origin;          ///< of all positions in the viewer: near a surface that is far away [m]
  std::vector<float> rest;               ///< rest positions from the origin [m], shape (s, 3)
  Matrix basis;                          ///< of the surface, shape (3s, r)
  SurfaceEmbedding embedding;            ///< what its vertices hang on

  [[nodiscard]] std::int64_t vertex_count() const { return static_cast<std::int64_t>(rest.size()) / 3; }
  [[nodiscard]] std::int64_t triangle_count() const { return static_cast<std::int64_t>(triangles.size()) / 3; }
  [[nodiscard]] int rank() const { return static_cast<int>(basis.cols); }
};

/// Vertices in no triangle stand where one of the first triangle does.
/// @throws InputError if the model has no basis or single precision can't hold its positions
[[nodiscard]] ViewSurface view_surface(const ReducedModel& model);

/// Rest positions plus U q from the origin [m], shape (s, 3). @param q shape (r)
[[nodiscard]] std::vector<float> surface_positions(const ViewSurface& surface, std::span<const float> q);

/// Corners of the smallest box with axes along x, y, z that holds the points.
struct Box {
  Eigen::Vector3d low, high;

  [[nodiscard]] Eigen::Vector3d size() const { return high - low; }
  [[nodiscard]] Eigen::Vector3d centre() const { return (low + high) / 2; }
  [[nodiscard]] double diagonal() const { return size().norm(); }
};
/// @param points at least one, shape (n, 3)
[[nodiscard]] Box box_of(std::span<const float> points);

}  // namespace quartic::view
