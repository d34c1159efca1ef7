#include "view/session/view_surface.hpp"

#include <algorithm>
#include <cmath>

#include "io/motion/render_surface.hpp"
#include "io/motion/single_precision_origin.hpp"
#include "quartic/error.hpp"

namespace quartic::view {
namespace {

// Vertices in no triangle may lie anywhere, and aren't drawn: they move with one that is, so that no box counts them.
void put_aside_unused(ViewSurface& surface) {
  std::vector<bool> used(static_cast<std::size_t>(surface.vertex_count()));
  for (const std::uint32_t v : surface.triangles) used[v] = true;
  const std::size_t shown = surface.triangles.front();
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (used[v]) continue;
    std::copy_n(surface.rest.begin() + std::ptrdiff_t(3 * shown), 3, surface.rest.begin() + std::ptrdiff_t(3 * v));
    for (std::int64_t i = 0; i < surface.basis.cols; ++i)
      for (std::size_t c = 0; c < 3; ++c)
        surface.basis(std::int64_t(3 * v + c), i) = surface.basis(std::int64_t(3 * shown + c), i);
  }
}

}  // namespace

ViewSurface view_surface(const ReducedModel& model) {
  if (model.rank() < 1)
    throw InputError("the model holds linear modes only, so nothing moves; make one with `quartic reduce`");
  if (model.basis.rows != 3 * model.mesh.vertex_count())
    throw InputError("the model's basis doesn't have three numbers per vertex");
  ViewSurface surface;
  surface.embedding = io::drawn_surface(model);
  if (surface.embedding.triangles.empty()) throw InputError("the model's mesh has no boundary surface to draw");
  surface.basis = surface_basis(surface.embedding, model.basis.map());
  surface.triangles.assign(surface.embedding.triangles.begin(), surface.embedding.triangles.end());
  surface.origin = io::single_precision_origin(surface.embedding);
  surface.rest.reserve(surface.embedding.vertices.size());
  for (const double coordinate : surface.embedding.vertices) {
    surface.rest.push_back(static_cast<float>(coordinate - surface.origin[surface.rest.size() % 3]));
    if (!std::isfinite(surface.rest.back()))
      throw InputError("vertex " + std::to_string((surface.rest.size() - 1) / 3) +
                       " of the surface is too far away for single precision, which is drawn in");
  }
  put_aside_unused(surface);
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
