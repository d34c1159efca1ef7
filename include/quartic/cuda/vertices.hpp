// Vertices of many bodies in device memory, and forces on them: where they are. Without CUDA's headers.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace quartic::cuda {

/// Coordinates of vertices in device memory: coordinate c of vertex v of body b is
/// `data[b * stride_body + v * stride_vertex + c]`, c = 0, 1, 2. A packed (B, n, 3) array has strides 3 n and 3; a
/// vertex buffer with position, normal and texture coordinate has stride_vertex = 8.
struct VertexView {
  float* data = nullptr;
  std::int64_t bodies = 0;
  std::int64_t vertices = 0;
  std::int64_t stride_body = 0;
  std::int64_t stride_vertex = 3;
};

/// How U is stored on the device. Half precision has errors of 2^-11 of each mode's part: good for rendering, not for
/// contact.
enum class BasisPrecision : std::uint8_t { single, half };

struct EmbeddingOptions {
  std::span<const std::int32_t> vertices = {};  ///< which of the mesh's, 0-based; empty = all, in the mesh's order
  /// For normals: triangles of vertex positions in `vertices` (of the mesh if that is empty), shape (t, 3),
  /// counter-clockwise from outside.
  std::span<const std::int32_t> triangles = {};
  BasisPrecision precision = BasisPrecision::single;
  int device = -1;  ///< -1 = the current one
  /// For bodies with poses: what these turn about and put in place, the `origin` of the group's frame [m].
  std::array<double, 3> origin = {0, 0, 0};
};

/// Forces on vertices, in device memory, sorted by body: body b has the entries `starts[b] .. starts[b + 1]`.
struct DeviceVertexForces {
  const std::int64_t* starts = nullptr;    ///< shape (B + 1)
  const std::int32_t* vertices = nullptr;  ///< numbers among the embedding's vertices, shape (entries)
  const float* forces = nullptr;           ///< [N], shape (entries, 3)
};

}  // namespace quartic::cuda
