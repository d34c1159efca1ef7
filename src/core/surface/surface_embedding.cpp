// W U and W^T f.
#include "quartic/surface_embedding.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/number_text.hpp"
#include "core/base/thread_pool.hpp"
#include "core/elements/elements.hpp"
#include "core/surface/embedding_check.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

constexpr std::int32_t largest_width = 20;  // hex20
constexpr std::int64_t vertices_per_task = 4096;

void require(bool sound, const std::string& what) {
  if (!sound) throw InputError("the embedded surface is damaged: " + what);
}

void require_indices_below(const std::vector<std::int32_t>& indices, std::int64_t count, const std::string& what) {
  for (const std::int32_t v : indices)
    require(v >= 0 && v < count, what + " vertex " + std::to_string(v) + ", but there are only " +
                                     std::to_string(count) + ", counted from 0");
}

// Where vertices hang far outside, large weights of both signs sum to 1 with the round-off of their sizes, and of a
// file's decimal digits.
void require_weights(std::span<const double> row, std::size_t vertex) {
  double sum = 0, size = 1;
  for (const double weight : row) {
    sum += weight;
    size += std::abs(weight);
  }
  constexpr double largest_size = 1e9;  // beyond, a sum of 1 would be accidental
  require(size <= largest_size && std::abs(sum - 1) <= 1e-12 * size,
          "the weights of surface vertex " + std::to_string(vertex) + " sum to " + number_text(sum, 6) +
              ", not to 1");  // not if one isn't finite either
}

}  // namespace

void require_sound_embedding(const SurfaceEmbedding& surface, std::int64_t volume_vertex_count) {
  require(surface.vertices.size() % 3 == 0 && surface.triangles.size() % 3 == 0,
          "its arrays hold three numbers for each vertex and each triangle");
  require(!surface.triangles.empty(), "it has no triangles");
  require(surface.width >= 1 && surface.width <= largest_width,
          "its vertices can't hang on " + std::to_string(surface.width) + " others");
  const auto width = static_cast<std::size_t>(surface.width);
  const std::size_t entries = surface.vertices.size() / 3 * width;
  require(surface.volume_vertices.size() == entries && surface.weights.size() == entries,
          "it must have " + std::to_string(width) + " weights and as many vertices for each of its vertices");
  require(std::all_of(surface.vertices.begin(), surface.vertices.end(), [](double x) { return std::isfinite(x); }),
          "a position isn't a finite number");
  require_indices_below(surface.triangles, surface.vertex_count(), "a triangle has");
  require_indices_below(surface.volume_vertices, volume_vertex_count, "a surface vertex hangs on");
  for (std::size_t v = 0; v < surface.vertices.size() / 3; ++v)
    require_weights(std::span(surface.weights).subspan(v * width, width), v);
}

Matrix surface_basis(const SurfaceEmbedding& surface, MatrixRef fields) {
  if (fields.rows() % 3 != 0)
    throw InputError("fields have three rows per vertex, but these have " + std::to_string(fields.rows()));
  require_sound_embedding(surface, fields.rows() / 3);
  const auto width = static_cast<std::size_t>(surface.width);
  Matrix result(3 * surface.vertex_count(), fields.cols());
  const std::int64_t count = surface.vertex_count();
  const std::int64_t tasks = (count + vertices_per_task - 1) / vertices_per_task;
  parallel_for(tasks * fields.cols(), [&](std::int64_t task) {
    const std::int64_t column = task / tasks, begin = task % tasks * vertices_per_task;
    const auto field = fields.col(column);
    for (std::int64_t s = begin; s < std::min(begin + vertices_per_task, count); ++s) {
      const auto row = static_cast<std::size_t>(s) * width;
      double sum[3] = {};
      for (std::size_t a = row; a < row + width; ++a)
        for (Eigen::Index c = 0; c < 3; ++c)
          sum[c] += surface.weights[a] * field[3 * Eigen::Index{surface.volume_vertices[a]} + c];
      for (std::int64_t c = 0; c < 3; ++c) result(3 * s + c, column) = sum[c];
    }
  });
  return result;
}

std::vector<double> volume_forces(const SurfaceEmbedding& surface, std::span<const double> forces,
                                  std::int64_t vertex_count) {
  if (std::ssize(forces) != 3 * surface.vertex_count())
    throw InputError("forces on the surface must be three numbers for each of its " +
                     std::to_string(surface.vertex_count()) + " vertices, not " + std::to_string(forces.size()));
  if (vertex_count < 1) throw InputError("a volume has at least one vertex, not " + std::to_string(vertex_count));
  require_sound_embedding(surface, vertex_count);
  const auto width = static_cast<std::size_t>(surface.width);
  std::vector<double> result(3 * static_cast<std::size_t>(vertex_count), 0.0);
  for (std::size_t a = 0; a < surface.weights.size(); ++a) {
    if (surface.weights[a] == 0) continue;  // of places that aren't used, too
    const auto vertex = static_cast<std::size_t>(surface.volume_vertices[a]);
    for (std::size_t c = 0; c < 3; ++c) result[3 * vertex + c] += surface.weights[a] * forces[3 * (a / width) + c];
  }
  return result;
}

}  // namespace quartic
