#include "view/view_surface.hpp"

#include <cmath>

#include "io/render_surface.hpp"
#include "quartic/error.hpp"

namespace quartic::view {

ViewSurface view_surface(const ReducedModel& model) {
  if (model.rank() < 1)
    throw InputError("the model holds linear modes only, so nothing moves; make one with `quartic reduce`");
  if (model.basis.rows != 3 * model.mesh.vertex_count())
    throw InputError("the model's basis doesn't have three numbers per vertex");
  io::RenderSurface boundary = io::render_surface(model.mesh);
  ViewSurface surface;
  surface.basis = io::surface_rows(boundary, model.basis.map());
  surface.triangles = std::move(boundary.triangles);
  surface.mesh_vertices = std::move(boundary.mesh_vertices);
  surface.rest.reserve(3 * surface.mesh_vertices.size());
  for (const std::int32_t v : surface.mesh_vertices)
    for (std::size_t c = 0; c < 3; ++c) {
      const auto x = static_cast<float>(model.mesh.vertices[3 * static_cast<std::size_t>(v) + c]);
      if (!std::isfinite(x))
        throw InputError("vertex " + std::to_string(v) + " is too far away for single precision, which is drawn in");
      surface.rest.push_back(x);
    }
  if (surface.triangles.empty()) throw InputError("the model's mesh has no boundary surface to draw");
  return surface;
}

std::vector<float> surface_positions(const ViewSurface& surface, std::span<const float> q) {
  const Eigen::Map<const Eigen::VectorXf> rest(surface.rest.data(), surface.basis.rows),
      coordinates(q.data(), surface.basis.cols);
  const Eigen::VectorXd moved = rest.cast<double>() + surface.basis.map() * coordinates.cast<double>();
  std::vector<float> positions(surface.rest.size());
  Eigen::Map<Eigen::VectorXf>(positions.data(), surface.basis.rows) = moved.cast<float>();
  return positions;
}

Box box_of(std::span<const float> points) {
  const Eigen::Map<const Eigen::Matrix3Xf> columns(points.data(), 3, std::ssize(points) / 3);
  return {columns.rowwise().minCoeff().cast<double>(), columns.rowwise().maxCoeff().cast<double>()};
}

}  // namespace quartic::view
