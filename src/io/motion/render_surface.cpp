#include "io/motion/render_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/number_text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

const ReducedModel& fitting(const ReducedModel& model, const Trajectory& trajectory) {
  require_fitting(model, trajectory);
  return model;
}

/// To the next number of single precision.
double spacing_at(double position) {
  const auto single = static_cast<float>(position);
  return static_cast<double>(std::nextafter(single, std::numeric_limits<float>::infinity()) - single);
}

}  // namespace

RenderSurface render_surface(const ReducedModel& model, FileOrigin origin) {
  const SurfaceEmbedding surface = drawn_surface(model);
  RenderSurface result{{surface.triangles.begin(), surface.triangles.end()},
                       origin == FileOrigin::near_surface ? single_precision_origin(surface) : std::array<double, 3>{},
                       surface.vertices,
                       TriangleBox(surface).size(),
                       surface_basis(surface, model.basis.map())};
  for (std::size_t i = 0; i < result.rest.size(); ++i) result.rest[i] -= result.origin[i % 3];
  return result;
}

void require_fitting(const ReducedModel& model, const Trajectory& trajectory) {
  if (model.rank() < 1) throw InputError("the model has no basis, so there is nothing that moves");
  if (model.rank() != trajectory.rank)
    throw InputError("the trajectory has " + std::to_string(trajectory.rank) + " reduced coordinates, but the model " +
                     std::to_string(model.rank()) + ": it is another model's motion");
  if (trajectory.bodies < 1 || std::ssize(trajectory.q) != trajectory.frames() * trajectory.bodies * trajectory.rank)
    throw InputError("the trajectory's q must have frames x bodies x rank numbers");
  if (model.basis.rows != 3 * model.mesh.vertex_count())
    throw InputError("the model's basis doesn't have three numbers per vertex");
}

float to_single(double value) {
  const auto result = static_cast<float>(value);
  if (!std::isfinite(result))
    throw InputError(
        "the trajectory has positions, coordinates or times that aren't finite numbers in single precision, which "
        "files for rendering have");
  return result;
}

SurfaceMotion::SurfaceMotion(const ReducedModel& model, const Trajectory& trajectory, FileOrigin origin)
    : trajectory_(trajectory),
      surface_(render_surface(fitting(model, trajectory), origin)),
      moved_(surface_.basis.rows),
      positions_(surface_.rest.size()) {}

std::vector<float> SurfaceMotion::rest() const {
  std::vector<float> rest(surface_.rest.size());
  std::transform(surface_.rest.begin(), surface_.rest.end(), rest.begin(), to_single);
  return rest;
}

std::span<const double> SurfaceMotion::q(std::int64_t frame) const {
  const double* first_body = trajectory_.q.data() + frame * trajectory_.bodies * trajectory_.rank;
  return {first_body, static_cast<std::size_t>(trajectory_.rank)};
}

std::span<const float> SurfaceMotion::positions(std::int64_t frame) {
  const Eigen::Map<const Eigen::VectorXd> rest(surface_.rest.data(), std::ssize(surface_.rest));
  moved_.noalias() = surface_.basis.map() * Eigen::Map<const Eigen::VectorXd>(q(frame).data(), trajectory_.rank);
  if (moved_.size() > 0) largest_displacement_ = std::max(largest_displacement_, moved_.cwiseAbs().maxCoeff());
  moved_ += rest;
  if (moved_.size() > 0) farthest_ = std::max(farthest_, moved_.cwiseAbs().maxCoeff());
  std::transform(moved_.begin(), moved_.end(), positions_.begin(), to_single);
  return positions_;
}

std::vector<std::string> SurfaceMotion::lost_precision(const std::string& remedy) const {
  constexpr double of_size = 1e-4, of_displacement = 1e-2;
  const double spacing = spacing_at(farthest_);
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
