#include "python/embeddings/embedding.hpp"

#include <string>
#include <utility>

#include "quartic/error.hpp"
#include "quartic/surface_embedding.hpp"

namespace quartic::python {
namespace {

Embedding with_frame(Embedding embedding, const ReducedModel& model) {
  if (model.supports().empty()) embedding.frame = frame_moments(model);
  return embedding;
}

}  // namespace

Embedding vertex_embedding(const ReducedModel& model, const std::vector<std::int32_t>* vertices) {
  const auto count = static_cast<std::int64_t>(model.mesh.vertex_count());
  if (vertices == nullptr) return with_frame({model.basis, model.mesh.vertices, {}}, model);
  const auto chosen = std::ssize(*vertices);
  Embedding result{Matrix(3 * chosen, model.basis.cols), {}, {}};
  for (const std::int32_t vertex : *vertices) {
    if (vertex < 0 || vertex >= count)
      throw InputError("there is no vertex " + std::to_string(vertex) + "; the model has " + std::to_string(count));
    const auto row = 3 * static_cast<std::int64_t>(vertex);
    const auto at = std::ssize(result.rest);
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      result.rest.push_back(model.mesh.vertices[static_cast<std::size_t>(row + axis)]);
      for (std::int64_t i = 0; i < model.basis.cols; ++i) result.basis(at + axis, i) = model.basis(row + axis, i);
    }
  }
  return with_frame(std::move(result), model);
}

Embedding surface_embedding(const ReducedModel& model) {
  const SurfaceEmbedding surface = model.surface ? *model.surface : boundary_surface(model.mesh);
  return with_frame({surface_basis(surface, model.basis.map()), surface.vertices, surface.triangles}, model);
}

}  // namespace quartic::python
