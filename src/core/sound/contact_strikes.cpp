#include <string>

#include "core/surface/drawn_surface.hpp"
#include "core/surface/embedding_check.hpp"
#include "quartic/contact_records.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

/// On a vertex of the surface that is drawn: the embedded one's own, or the mesh's.
void set_vertex(Strike& strike, const ReducedModel& model, const SurfaceEmbedding& surface, std::int32_t vertex) {
  strike.vertex_of = model.surface ? VertexOf::surface : VertexOf::mesh;
  strike.vertex =
      model.surface
          ? vertex
          : surface.volume_vertices[static_cast<std::size_t>(vertex) * static_cast<std::size_t>(surface.width)];
}

}  // namespace

std::vector<Strike> contact_strikes(const ReducedModel& model, const BoundTree& tree,
                                    std::span<const ContactRecord> records, std::optional<std::int64_t> body) {
  const SurfaceEmbedding surface = drawn_surface(model);
  require_sound_embedding(surface, model.mesh.vertex_count());
  std::vector<Strike> strikes;
  for (const ContactRecord& record : records) {
    if (body && record.body != *body) continue;
    if (record.point < 0 || record.point >= tree.points.count())
      throw InputError("a contact was at point " + std::to_string(record.point) + ", but the bound tree has " +
                       std::to_string(tree.points.count()) + "; take the tree that the world had");
    const auto point = static_cast<std::size_t>(record.point);
    const std::int32_t triangle = tree.points.triangles[point];
    if (triangle < 0 || triangle >= surface.triangle_count())
      throw InputError("the bound tree has a point on triangle " + std::to_string(triangle) +
                       ", but the model's surface has " + std::to_string(surface.triangle_count()));
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const double share = tree.points.weights[3 * point + corner];
      if (share == 0) continue;
      Strike strike{.time = record.time, .length = record.duration};
      set_vertex(strike, model, surface, surface.triangles[3 * static_cast<std::size_t>(triangle) + corner]);
      for (std::size_t k = 0; k < 3; ++k) strike.impulse[k] = share * record.impulse[k];
      strikes.push_back(strike);
    }
  }
  return strikes;
}

}  // namespace quartic
