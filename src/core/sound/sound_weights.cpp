#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "core/base/number_text.hpp"
#include "core/surface/embedding_check.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/sound.hpp"

namespace quartic {
namespace {

using Vector = std::array<double, 3>;

void require_modes(const ReducedModel& model) {
  if (model.linear_modes.cols == 0)
    throw InputError("the model has no linear modes, so it makes no sound; if its materials were edited, reduce again");
}

Vector vertex_of(const std::vector<double>& values, std::int64_t vertex) {
  const auto first = static_cast<std::size_t>(3 * vertex);
  return {values[first], values[first + 1], values[first + 2]};
}

// (b - a) x (c - a)/2: area times outward normal.
Vector area_normal(const Vector& a, const Vector& b, const Vector& c) {
  const Vector u = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  return {(u[1] * v[2] - u[2] * v[1]) / 2, (u[2] * v[0] - u[0] * v[2]) / 2, (u[0] * v[1] - u[1] * v[0]) / 2};
}

// Integral of Phi . n over the boundary by a vector on the vertices, shape (3n).
std::vector<double> boundary_integral(const VolumeMesh& mesh) {
  const std::vector<std::int32_t> triangles = boundary_triangles(mesh);
  std::vector<double> result(mesh.vertices.size());
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    const Vector normal =
        area_normal(vertex_of(mesh.vertices, triangles[t]), vertex_of(mesh.vertices, triangles[t + 1]),
                    vertex_of(mesh.vertices, triangles[t + 2]));
    for (std::size_t corner = 0; corner < 3; ++corner)
      for (std::size_t c = 0; c < 3; ++c)
        result[3 * static_cast<std::size_t>(triangles[t + corner]) + c] += normal[c] / 3;
  }
  return result;
}

void require_positive(double value, const char* name) {
  if (!(value > 0 && std::isfinite(value)))
    throw InputError("the " + std::string(name) + " must be finite and > 0, not " + number_text(value, 6));
}

/// A vertex of the mesh, and how much of another moves with it.
struct Share {
  std::int64_t vertex;
  double weight;
};

std::vector<Share> shares_of(const ReducedModel& model, std::int64_t vertex, VertexOf of) {
  if (of == VertexOf::surface && !model.surface)
    throw InputError("the model has no embedded surface for a pickup; take a vertex of its mesh");
  const std::int64_t vertices = of == VertexOf::surface ? model.surface->vertex_count() : model.mesh.vertex_count();
  if (vertex < 0 || vertex >= vertices)
    throw InputError("there is no vertex " + std::to_string(vertex) + " for a pickup; the " +
                     (of == VertexOf::surface ? "embedded surface" : "model") + " has " + std::to_string(vertices) +
                     ", and the first is 0");
  if (of == VertexOf::mesh) return {{vertex, 1}};
  require_sound_embedding(*model.surface, model.mesh.vertex_count());
  std::vector<Share> shares;
  const auto width = static_cast<std::size_t>(model.surface->width);
  for (std::size_t place = static_cast<std::size_t>(vertex) * width, end = place + width; place < end; ++place)
    if (model.surface->weights[place] != 0)
      shares.push_back({model.surface->volume_vertices[place], model.surface->weights[place]});
  return shares;
}

}  // namespace

SoundWeights constant_weights(const ReducedModel& model) {
  require_modes(model);
  return {SoundSignal::displacement, 1, std::vector<double>(static_cast<std::size_t>(model.linear_modes.cols), 1.0)};
}

SoundWeights pickup_weights(const ReducedModel& model, std::int64_t vertex, const std::array<double, 3>& direction,
                            VertexOf vertex_of) {
  require_modes(model);
  const std::vector<Share> shares = shares_of(model, vertex, vertex_of);
  const double length = std::hypot(direction[0], direction[1], direction[2]);
  if (!(length > 0 && std::isfinite(length))) throw InputError("the direction of a pickup must be finite and not zero");
  SoundWeights weights{SoundSignal::velocity, 1, {}};
  for (std::int64_t i = 0; i < model.linear_modes.cols; ++i) {
    double sum = 0;
    for (const Share& share : shares)
      for (std::int64_t c = 0; c < 3; ++c)
        sum += share.weight * (direction[static_cast<std::size_t>(c)] / length) *
               model.linear_modes(3 * share.vertex + c, i);
    weights.values.push_back(sum);
  }
  return weights;
}

SoundWeights monopole_weights(const ReducedModel& model, double distance, double air_density) {
  require_modes(model);
  require_positive(distance, "distance of a listener");
  require_positive(air_density, "density of air");
  const std::vector<double> normals = boundary_integral(model.mesh);
  SoundWeights weights{SoundSignal::acceleration, 1, {}};
  for (std::int64_t i = 0; i < model.linear_modes.cols; ++i) {
    const auto mode = model.linear_modes.col(i);
    double sum = 0;
    for (std::size_t row = 0; row < normals.size(); ++row) sum += normals[row] * mode[row];
    weights.values.push_back(air_density / (4 * std::numbers::pi * distance) * sum);
  }
  return weights;
}

}  // namespace quartic
