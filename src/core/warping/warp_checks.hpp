// What calls of a ModalWarp must fulfil.
#pragma once

#include <span>
#include <string>

#include "quartic/error.hpp"
#include "quartic/warping.hpp"

namespace quartic::warping {

inline void require_rank(const ModalWarp& warp, std::int64_t rank) {
  if (rank != warp.rank())
    throw InputError("there are " + std::to_string(rank) + " coordinates, but the warp has " +
                     std::to_string(warp.rank()) + " modes");
}

inline void require_vertex(const ModalWarp& warp, std::int32_t vertex, const std::string& what) {
  if (vertex < 0 || vertex >= warp.vertex_count())
    throw InputError(what + " is vertex " + std::to_string(vertex) + ", but the warp has vertices 0 .. " +
                     std::to_string(warp.vertex_count() - 1));
}

inline void require_vertices(const ModalWarp& warp, std::span<const std::int32_t> vertices) {
  for (std::size_t k = 0; k < vertices.size(); ++k)
    require_vertex(warp, vertices[k], "entry " + std::to_string(k) + " of vertices");
}

/// Of those that are chosen, or all.
[[nodiscard]] inline std::int64_t chosen_count(const ModalWarp& warp, std::span<const std::int32_t> vertices) {
  return vertices.empty() ? warp.vertex_count() : std::ssize(vertices);
}
[[nodiscard]] inline std::int64_t chosen(std::span<const std::int32_t> vertices, std::int64_t k) {
  return vertices.empty() ? k : std::int64_t{vertices[static_cast<std::size_t>(k)]};
}

template <class T>
void require_shape(const ModalWarp& warp, std::span<const std::int32_t> vertices, std::int64_t bodies,
                   const VertexView<T>& view, const std::string& what) {
  const std::int64_t count = chosen_count(warp, vertices);
  if (view.bodies != bodies || view.vertices != count)
    throw InputError(what + " the shape (" + std::to_string(view.bodies) + ", " + std::to_string(view.vertices) +
                     ", 3), but (" + std::to_string(bodies) + ", " + std::to_string(count) + ", 3) is needed");
}

template <class T>
void require_states(const ModalWarp& warp, const StateView<const T>& q, const StateView<T>& modal_force) {
  require_rank(warp, q.rank);
  require_rank(warp, modal_force.rank);
  if (q.bodies != modal_force.bodies)
    throw InputError("there are coordinates of " + std::to_string(q.bodies) + " bodies, but forces of " +
                     std::to_string(modal_force.bodies));
}

}  // namespace quartic::warping
