#include "view/view_surface.hpp"

#include <cmath>

#include "quartic/error.hpp"

namespace quartic::view {

ViewSurface view_surface(const ReducedModel& model) {
  if (model.rank() < 1)
    throw InputError("the model holds linear modes only, so nothing moves; make one with `quartic reduce`");
  if (model.basis.rows != 3 * model.mesh.vertex_count())
    throw InputError("the model's basis doesn't have three numbers per vertex");
  ViewSurface surface;
  surface.embedding = model.surface ? *model.surface : boundary_surface(model.mesh);
  if (surface.embedding.triangles.empty()) throw InputError("the model's mesh has no boundary surface to draw");
  surface.basis = surface_basis(surface.embedding, model.basis.map());
  surface.triangles.assign(surface.embedding.triangles.begin(), surface.embedding.triangles.end());
  surface.rest.reserve(surface.embedding.vertices.size());
  for (const double coordinate : surface.embedding.vertices) {
    surface.rest.push_back(static_cast<float>(coordinate));
    if (!std::isfinite(surface.rest.back()))
      throw InputError("vertex " + std::to_string((surface.rest.size() - 1) / 3) +
                       " of the surface is too far away for single precision, which is drawn in");
  }
  const Box box = box_of(surface.rest);
  if (!(box.diagonal() > 0))
    throw InputError("the model's surface has no extent in single precision, which is drawn in");
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
