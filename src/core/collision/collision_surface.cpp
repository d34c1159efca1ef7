// The triangles that a body is met by, in points of its bound tree.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/collision/surface_topology.hpp"
#include "core/contact/solids.hpp"
#include "core/frame/moments_fingerprint.hpp"
#include "core/surface/drawn_surface.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"

namespace quartic {
namespace {

// The point of the tree in each vertex of the surface, -1 where there is none.
std::vector<std::int32_t> points_in_vertices(const SurfaceEmbedding& surface, const ContactPoints& points) {
  std::vector<std::int32_t> found(static_cast<std::size_t>(surface.vertex_count()), -1);
  for (std::size_t p = 0; p < points.triangles.size(); ++p)
    for (std::size_t c = 0; c < 3; ++c)
      if (points.weights[3 * p + c] == 1) {
        const auto triangle = static_cast<std::size_t>(points.triangles[p]);
        if (points.triangles[p] < 0 || points.triangles[p] >= surface.triangle_count()) continue;
        found[static_cast<std::size_t>(surface.triangles[3 * triangle + c])] = static_cast<std::int32_t>(p);
      }
  return found;
}

void require_own_tree(const ReducedModel& model, const BoundTree& tree) {
  const std::string remedy = "; make it of this model (bound_tree)";
  if (tree.rank != model.rank())
    throw InputError("the bound tree has the rank " + std::to_string(tree.rank) + ", but the model " +
                     std::to_string(model.rank()) + remedy);
  const std::uint32_t own = short_fingerprint(model.frame_moments);
  if (own != 0 && tree.moments_fingerprint != 0 && own != tree.moments_fingerprint)
    throw InputError(
        "the bound tree is of another model than the collision surface, or of other densities, as its moments of mass "
        "tell" +
        remedy);
}

// Round-off aside.
void require_place(const SurfaceEmbedding& surface, std::size_t vertex, const ContactPoints& points,
                   std::int32_t point) {
  const double *x = surface.vertices.data() + 3 * vertex,
               *y = points.positions.data() + 3 * static_cast<std::size_t>(point);
  for (std::size_t k = 0; k < 3; ++k)
    if (!(std::abs(x[k] - y[k]) <= 1e-9 * std::abs(x[k])))
      throw InputError("the bound tree's point " + std::to_string(point) + " isn't at vertex " +
                       std::to_string(vertex) +
                       " of the model's surface: it is of another surface; make it of this model (bound_tree)");
}

std::vector<std::int32_t> triangles_of_points(const SurfaceEmbedding& surface, const ContactPoints& points) {
  const std::vector<std::int32_t> in_vertices = points_in_vertices(surface, points);
  std::map<std::array<double, 3>, std::int32_t> at;  // the first point at each place
  std::vector<std::int32_t> triangles;
  for (std::size_t t = 0; t < surface.triangles.size(); t += 3) {
    std::array<std::int32_t, 3> corners;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto v = static_cast<std::size_t>(surface.triangles[t + c]);
      if (in_vertices[v] < 0)
        throw InputError("the bound tree has no point in vertex " + std::to_string(v) +
                         " of the model's surface: it is of another surface; make it of this model (bound_tree)");
      require_place(surface, v, points, in_vertices[v]);
      const double* x = surface.vertices.data() + 3 * v;
      corners[c] = at.try_emplace({x[0], x[1], x[2]}, in_vertices[v]).first->second;
    }
    if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0])
      triangles.insert(triangles.end(), corners.begin(), corners.end());
  }
  return triangles;
}

// How deep places in it are, of a surface that is closed and wound outwards.
double checked_depth(const BoundTree& tree, const std::vector<std::int32_t>& triangles) {
  MeshShape mesh{.vertices = tree.points.positions, .triangles = triangles};
  try {
    return Shape(std::move(mesh)).solid().depth();
  } catch (const InputError& error) {
    throw InputError(std::string("bodies collide by their surface, which isn't sound: ") + error.what() +
                     "; without an embedded surface a model is met by its mesh's boundary");
  }
}

}  // namespace

CollisionSurface::CollisionSurface(const ReducedModel& model, std::shared_ptr<const BoundTree> tree)
    : tree_(std::move(tree)) {
  if (tree_ == nullptr) throw InputError("a collision surface needs a bound tree");
  require_own_tree(model, *tree_);
  triangles_ = triangles_of_points(drawn_surface(model), tree_->points);
  topology_ = std::make_unique<const Topology>(*tree_, triangles_, checked_depth(*tree_, triangles_));
}
CollisionSurface::~CollisionSurface() = default;

}  // namespace quartic
