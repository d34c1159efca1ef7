#include "io/motion/render_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/number_text.hpp"
#include "core/frame/posed_points.hpp"
#include "core/frame/recorded_poses.hpp"
#include "quartic/error.hpp"
#include "quartic/frame_moments.hpp"

namespace quartic::io {
namespace {

// What rest positions count from.
std::array<double, 3> origin_of(const ReducedModel& model, const Trajectory& trajectory,
                                const SurfaceEmbedding& surface, FileOrigin origin) {
  if (trajectory.flies()) return mass_centre(model);
  return origin == FileOrigin::near_surface ? single_precision_origin(surface) : std::array<double, 3>{};
}

RenderSurface render_surface(const ReducedModel& model, const Trajectory& trajectory, const SurfaceEmbedding& surface,
                             FileOrigin origin) {
  RenderSurface result{{surface.triangles.begin(), surface.triangles.end()},
                       origin_of(model, trajectory, surface, origin),
                       surface.vertices,
                       TriangleBox(surface).size()};
  for (std::size_t i = 0; i < result.rest.size(); ++i) result.rest[i] -= result.origin[i % 3];
  return result;
}

}  // namespace

void require_fitting(const ReducedModel& model, const Trajectory& trajectory) {
  if (trajectory.coordinates == Coordinates::linear_modes && model.basis.values != model.linear_modes.values)
    throw InputError("the trajectory's coordinates are those of linear modes; draw it with modal_model of its model");
  if (trajectory.warp != Warp::none && trajectory.coordinates != Coordinates::linear_modes)
    throw InputError("only motions in linear modes are warped, and this one is of another basis");
  if (model.rank() < 1) throw InputError("the model has no basis, so there is nothing that moves");
  if (model.rank() != trajectory.rank)
    throw InputError("the trajectory has " + std::to_string(trajectory.rank) + " reduced coordinates, but the model " +
                     std::to_string(model.rank()) + ": it is another model's motion");
  if (trajectory.bodies < 1 || std::ssize(trajectory.q) != trajectory.frames() * trajectory.bodies * trajectory.rank)
    throw InputError("the trajectory's q must have frames x bodies x rank numbers");
  if (model.basis.rows != 3 * model.mesh.vertex_count())
    throw InputError("the model's basis doesn't have three numbers per vertex");
  if (!trajectory.flies()) return;
  if (!model.supports().empty())
    throw InputError("the trajectory's bodies fly, but the model is held by supports: it is another model's motion");
  require_poses(trajectory.pose, trajectory.frames(), trajectory.bodies);
  if (!trajectory.twist.empty()) require_twists(trajectory.twist, trajectory.frames(), trajectory.bodies);
}

std::array<double, 3> mass_centre(const ReducedModel& model) {
  return frame_moments(model).origin;
}

std::int64_t shown_bodies(const Trajectory& trajectory, SceneBodies bodies) {
  const bool all = bodies == SceneBodies::all || (bodies == SceneBodies::automatic && trajectory.flies());
  return all ? trajectory.bodies : 1;
}

float to_single(double value) {
  const auto result = static_cast<float>(value);
  if (!std::isfinite(result))
    throw InputError(
        "the trajectory has positions, coordinates or times that aren't finite numbers in single precision, which "
        "files for rendering have");
  return result;
}

SurfaceMotion::SurfaceMotion(const ReducedModel& model, const Trajectory& trajectory, FileOrigin origin,
                             std::int64_t bodies)
    : trajectory_(trajectory), in_world_(trajectory.flies() && origin == FileOrigin::of_mesh), bodies_(bodies) {
  require_fitting(model, trajectory);
  const SurfaceEmbedding surface = drawn_surface(model);
  surface_ = render_surface(model, trajectory, surface, origin);
  shape_ = surface_shape(model, surface, trajectory.warp);
  moved_.resize(std::ssize(surface_.rest));
  positions_.resize(surface_.rest.size());
}

std::vector<float> SurfaceMotion::rest() const {
  std::vector<float> rest(surface_.rest.size());
  for (std::size_t i = 0; i < rest.size(); ++i)
    rest[i] = to_single(in_world_ ? surface_.rest[i] + surface_.origin[i % 3] : surface_.rest[i]);
  return rest;
}

std::span<const double> SurfaceMotion::q(std::int64_t frame, std::int64_t body) const {
  const double* first = trajectory_.q.data() + (frame * trajectory_.bodies + body) * trajectory_.rank;
  return {first, static_cast<std::size_t>(trajectory_.rank)};
}

std::vector<frame::Pose<double>> SurfaceMotion::poses(std::int64_t body) const {
  return pose_path(trajectory_.pose, trajectory_.bodies, body);
}

std::span<const double> SurfaceMotion::twist(std::int64_t frame, std::int64_t body) const {
  if (trajectory_.twist.empty()) return {};
  const double* first = trajectory_.twist.data() + (frame * trajectory_.bodies + body) * twist_size;
  return {first, static_cast<std::size_t>(twist_size)};
}

double SurfaceMotion::move_to_world(std::int64_t frame, std::int64_t body, Eigen::VectorXd& positions) const {
  const auto pose = pose_at(trajectory_.pose.data() + (frame * trajectory_.bodies + body) * pose_size);
  move_points(pose, {}, {positions.data(), static_cast<std::size_t>(positions.size())});  // they are about the centre
  double farthest = 0;
  for (std::size_t i = 0; i < surface_.rest.size(); ++i) {
    const double rest = surface_.rest[i] + surface_.origin[i % 3];
    farthest = std::max(farthest, std::abs(positions[static_cast<Eigen::Index>(i)] - rest));
  }
  return farthest;
}

void SurfaceMotion::displacements(std::int64_t frame, std::int64_t body, std::span<double> displacements) const {
  shape_->displacements(q(frame, body), displacements);
}

std::span<const float> SurfaceMotion::positions(std::int64_t frame, std::int64_t body) {
  const Eigen::Map<const Eigen::VectorXd> rest(surface_.rest.data(), std::ssize(surface_.rest));
  displacements(frame, body, {moved_.data(), static_cast<std::size_t>(moved_.size())});
  if (moved_.size() == 0) return positions_;
  const double displacement = moved_.cwiseAbs().maxCoeff();
  moved_ += rest;
  if (flies()) {  // whose motion is that of the whole body
    Eigen::VectorXd world = moved_;
    largest_displacement_ = std::max(largest_displacement_, move_to_world(frame, body, world));
    if (in_world_) moved_.swap(world);
  } else {
    largest_displacement_ = std::max(largest_displacement_, displacement);
  }
  farthest_ = std::max(farthest_, moved_.cwiseAbs().maxCoeff());
  std::transform(moved_.begin(), moved_.end(), positions_.begin(), to_single);
  return positions_;
}

std::vector<std::string> SurfaceMotion::lost_precision(const std::string& remedy) const {
  constexpr double of_size = 1e-4, of_displacement = 1e-2;
  const double spacing = single_precision_spacing(farthest_);
  const bool shape = surface_.size > 0 && spacing > of_size * surface_.size;
  const bool motion = largest_displacement_ > 0 && spacing > of_displacement * largest_displacement_;
  if (!shape && !motion) return {};
  return {"positions in single precision are " + number_text(spacing, 3) + " m apart at " + number_text(farthest_, 3) +
          " m from the origin, which loses " +
          (shape && motion ? "shape and motion"
           : shape         ? "shape"
                           : "the motion") +
          " of a body of " + number_text(surface_.size, 3) + " m that is displaced by up to " +
          number_text(largest_displacement_, 3) + " m; " + remedy};
}

}  // namespace quartic::io
