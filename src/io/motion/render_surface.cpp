#include "io/motion/render_surface.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "quartic/error.hpp"

namespace quartic::io {
namespace {

const ReducedModel& fitting(const ReducedModel& model, const Trajectory& trajectory) {
  require_fitting(model, trajectory);
  return model;
}

}  // namespace

RenderSurface render_surface(const ReducedModel& model) {
  const SurfaceEmbedding surface = drawn_surface(model);
  return {{surface.triangles.begin(), surface.triangles.end()},
          surface.vertices,
          surface_basis(surface, model.basis.map())};
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

SurfaceMotion::SurfaceMotion(const ReducedModel& model, const Trajectory& trajectory)
    : trajectory_(trajectory),
      surface_(render_surface(fitting(model, trajectory))),
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
  moved_ = Eigen::Map<const Eigen::VectorXd>(surface_.rest.data(), std::ssize(surface_.rest));
  moved_.noalias() += surface_.basis.map() * Eigen::Map<const Eigen::VectorXd>(q(frame).data(), trajectory_.rank);
  std::transform(moved_.begin(), moved_.end(), positions_.begin(), to_single);
  return positions_;
}

}  // namespace quartic::io
