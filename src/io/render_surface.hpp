// The boundary surface of a moving body, as render programs get it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quartic/matrix.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"

namespace quartic::io {

/// The boundary's triangles, wound outwards, on vertices of their own: those of the mesh that some triangle has, in the
/// mesh's order.
struct RenderSurface {
  std::vector<std::uint32_t> triangles;     ///< indices into mesh_vertices, three each
  std::vector<std::int32_t> mesh_vertices;  ///< shape (s)
};

[[nodiscard]] RenderSurface render_surface(const VolumeMesh& mesh);

/// Rows of the surface's vertices out of those of all, shape (3n, columns): shape (3s, columns).
[[nodiscard]] Matrix surface_rows(const RenderSurface& surface, MatrixRef fields);

/// @throws InputError unless the model has a basis and the trajectory q of its rank; there may be no frames
void require_fitting(const ReducedModel& model, const Trajectory& trajectory);

/// @throws InputError unless single precision can hold the number
[[nodiscard]] float to_single(double value);

/// Where the surface of a trajectory's body 0 is, frame by frame.
class SurfaceMotion {
 public:
  /// Both must outlive this object. @throws InputError as `require_fitting`
  SurfaceMotion(const ReducedModel& model, const Trajectory& trajectory);

  [[nodiscard]] const RenderSurface& surface() const { return surface_; }
  [[nodiscard]] std::int64_t vertex_count() const { return std::ssize(surface_.mesh_vertices); }
  [[nodiscard]] std::int64_t frames() const { return trajectory_.frames(); }
  [[nodiscard]] const std::vector<double>& time() const { return trajectory_.time; }  ///< [s]
  [[nodiscard]] const Matrix& basis() const { return basis_; }                        ///< shape (3s, r)
  /// Rest positions [m], shape (s, 3). @throws InputError as `to_single`
  [[nodiscard]] std::vector<float> rest() const;
  /// Reduced coordinates, shape (r).
  [[nodiscard]] std::span<const double> q(std::int64_t frame) const;
  /// Rest positions plus U q [m], rounded once, shape (s, 3); valid until the next call. @throws InputError as
  /// `to_single`
  [[nodiscard]] std::span<const float> positions(std::int64_t frame);

 private:
  const Trajectory& trajectory_;
  RenderSurface surface_;
  Matrix basis_, rest_;
  Eigen::VectorXd moved_;
  std::vector<float> positions_;
};

}  // namespace quartic::io
