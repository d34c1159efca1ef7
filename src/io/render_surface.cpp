#include "io/render_surface.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "quartic/error.hpp"

namespace quartic::io {
namespace {

/// Rows of some of the mesh's vertices out of those of all, shape (3n, columns).
Matrix rows_of(const std::vector<std::int32_t>& vertices, MatrixRef fields) {
  Matrix rows(3 * std::ssize(vertices), fields.cols());
  for (std::int64_t j = 0; j < rows.cols; ++j)
    for (std::size_t s = 0; s < vertices.size(); ++s)
      for (std::int64_t c = 0; c < 3; ++c)
        rows(3 * static_cast<std::int64_t>(s) + c, j) = fields(3 * std::int64_t{vertices[s]} + c, j);
  return rows;
}

RenderSurface boundary_surface(const ReducedModel& model) {
  const VolumeMesh& mesh = model.mesh;
  RenderSurface surface;
  const auto triangles = boundary_triangles(mesh);
  std::vector<std::int64_t> index(static_cast<std::size_t>(mesh.vertex_count()), -1);
  std::vector<std::int32_t> mesh_vertices;
  for (const auto v : triangles) index[static_cast<std::size_t>(v)] = 0;
  for (std::size_t v = 0; v < index.size(); ++v) {
    if (index[v] < 0) continue;
    index[v] = std::ssize(mesh_vertices);
    mesh_vertices.push_back(static_cast<std::int32_t>(v));
  }
  surface.triangles.reserve(triangles.size());
  for (const auto v : triangles)
    surface.triangles.push_back(static_cast<std::uint32_t>(index[static_cast<std::size_t>(v)]));
  const Eigen::Map<const Eigen::VectorXd> rest(mesh.vertices.data(), std::ssize(mesh.vertices));
  surface.rest = rows_of(mesh_vertices, rest).values;
  surface.basis = rows_of(mesh_vertices, model.basis.map());
  return surface;
}

const ReducedModel& fitting(const ReducedModel& model, const Trajectory& trajectory) {
  require_fitting(model, trajectory);
  return model;
}

}  // namespace

RenderSurface render_surface(const ReducedModel& model) {
  if (!model.surface) return boundary_surface(model);
  const SurfaceEmbedding& embedded = *model.surface;
  return {{embedded.triangles.begin(), embedded.triangles.end()},
          embedded.vertices,
          surface_basis(embedded, model.basis.map())};
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
