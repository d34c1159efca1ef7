// The surface of a moving body, as render programs get it: the one that is embedded in the model, or else the boundary.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/frame/pose.hpp"
#include "core/surface/drawn_surface.hpp"
#include "io/motion/single_precision_origin.hpp"
#include "quartic/matrix.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"
#include "quartic/warping.hpp"

namespace quartic::io {

using quartic::drawn_surface;

/// What positions in a file count from: the mesh's origin, which for flying bodies is that of the world; or for files
/// that hold an offset `single_precision_origin`, of flying bodies the mass centre, in the body's axes.
enum class FileOrigin : std::uint8_t { of_mesh, near_surface };

/// Triangles on vertices of their own. An embedded surface is taken as it is. The boundary's triangles are wound
/// outwards; its vertices are those of the mesh that some triangle has, in the mesh's order.
struct RenderSurface {
  std::vector<std::uint32_t> triangles;  ///< shape (t, 3)
  std::array<double, 3> origin;          ///< [m]
  std::vector<double> rest;              ///< from the origin [m], shape (s, 3)
  double size;                           ///< longest edge of the box around all triangles [m]

  [[nodiscard]] std::int64_t vertex_count() const { return std::ssize(rest) / 3; }
};

/// @throws InputError unless the model has a basis and the trajectory q of its rank, and poses and twists, if any, of
/// all bodies; there may be no frames
void require_fitting(const ReducedModel& model, const Trajectory& trajectory);

/// A model's mass centre at rest [m], from which the pose of a flying body counts. Costs a mass matrix where the model
/// doesn't hold its moments.
[[nodiscard]] std::array<double, 3> mass_centre(const ReducedModel& model);

/// How many of the first bodies a scene shows.
[[nodiscard]] std::int64_t shown_bodies(const Trajectory& trajectory, SceneBodies bodies);

/// @throws InputError unless single precision can hold the number
[[nodiscard]] float to_single(double value);

/// Where the surfaces of a trajectory's first bodies are, frame by frame.
class SurfaceMotion {
 public:
  /// Both must outlive this object. @throws InputError as `require_fitting`
  SurfaceMotion(const ReducedModel& model, const Trajectory& trajectory, FileOrigin origin, std::int64_t bodies = 1);

  [[nodiscard]] const RenderSurface& surface() const { return surface_; }
  [[nodiscard]] std::int64_t vertex_count() const { return surface_.vertex_count(); }
  [[nodiscard]] std::int64_t frames() const { return trajectory_.frames(); }
  [[nodiscard]] std::int64_t bodies() const { return bodies_; }
  [[nodiscard]] bool flies() const { return trajectory_.flies(); }
  [[nodiscard]] const std::vector<double>& time() const { return trajectory_.time; }  ///< [s]
  [[nodiscard]] std::int64_t rank() const { return trajectory_.rank; }
  /// Whether displacements are the basis times q.
  [[nodiscard]] bool is_linear() const { return shape_->is_linear(); }
  /// Of linear motions, shape (3s, r).
  [[nodiscard]] const Matrix& basis() const { return *shape_->basis(); }
  /// Rest positions from the origin [m], shape (s, 3). @throws InputError as `to_single`
  [[nodiscard]] std::vector<float> rest() const;
  /// Reduced coordinates, shape (r).
  [[nodiscard]] std::span<const double> q(std::int64_t frame, std::int64_t body = 0) const;
  /// Where a flying body's mass centre and axes are, shape (frames), with quaternions' signs as in `pose_path`.
  [[nodiscard]] std::vector<frame::Pose<double>> poses(std::int64_t body) const;
  /// A flying body's twist as `Trajectory` has it, shape (6); empty: not recorded.
  [[nodiscard]] std::span<const double> twist(std::int64_t frame, std::int64_t body) const;
  /// From rest, of flying bodies in their own axes [m], shape (s, 3).
  void displacements(std::int64_t frame, std::int64_t body, std::span<double> displacements) const;
  /// Rest positions plus displacements from the origin [m], of flying bodies in a file without offset in the world,
  /// rounded once, shape (s, 3); valid until the next call.
  /// @throws InputError as `to_single`
  [[nodiscard]] std::span<const float> positions(std::int64_t frame, std::int64_t body = 0);
  /// What the positions that were asked for so far have lost by rounding, as a sentence that ends with `remedy`: where
  /// neighbouring numbers of single precision are more than a ten-thousandth of the surface's size apart, or more than
  /// a hundredth of its largest displacement. Empty: neither.
  [[nodiscard]] std::vector<std::string> lost_precision(const std::string& remedy) const;

 private:
  /// Of a flying body: takes what is about the mass centre to the world, and says how far that is from rest.
  [[nodiscard]] double move_to_world(std::int64_t frame, std::int64_t body, Eigen::VectorXd& positions) const;

  const Trajectory& trajectory_;
  bool in_world_;  // positions of flying bodies
  std::int64_t bodies_;
  RenderSurface surface_;
  std::unique_ptr<BodyShape> shape_;
  Eigen::VectorXd moved_;
  std::vector<float> positions_;
  double farthest_ = 0, largest_displacement_ = 0;  // single coordinates of the positions so far [m]
};

}  // namespace quartic::io
