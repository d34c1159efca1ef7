// Kernels between reduced coordinates and vertices.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "cuda/base/runtime.hpp"

namespace quartic::cuda {

/// Where coordinates go: entry (row = 3 vertex + coordinate, body) is `data[body * stride_body + (row / 3) *
/// stride_vertex + row % 3]`.
struct RowTarget {
  float* data;
  std::int64_t bodies, stride_body, stride_vertex;
};

/// Reduced coordinates of bodies: entry (mode, body) is `data[mode * stride_mode + body * stride_body]`.
template <class T>
struct StateSource {
  const T* data;
  std::int64_t stride_mode, stride_body;
  const std::int32_t* bodies;  // which ones, or null for 0, 1, ...
};

/// U on the device: mode i is `scales[i]` times `values[i * padded_rows ...]`, so that half precision has the range for
/// it.
template <class Number>
struct BasisView {
  const Number* values;
  const float* scales;             // powers of two, shape (rank)
  std::int64_t rows, padded_rows;  // padded to a multiple of 4
  int rank;
};

/// target = rest + U q; `rest` may be null.
template <class Number, class T>
void reconstruct(const BasisView<Number>& basis, const float* rest, const StateSource<T>& q, const RowTarget& target,
                 cudaStream_t stream);

/// Triangles around each vertex.
struct VertexTriangles {
  const std::int32_t* starts;     // shape (vertices + 1)
  const std::int32_t* triangles;  // numbers of triangles, shape (3 triangles)
  const std::int32_t* corners;    // vertices of the triangles, shape (triangles, 3)
};

void make_normals(const VertexTriangles& triangles, std::int64_t vertices, const RowTarget& positions,
                  const RowTarget& normals, cudaStream_t stream);

/// result(mode, body) += sum over the body's forces of U(vertex)^T f.
template <class Number, class T>
void gather_forces(const BasisView<Number>& basis, const std::int64_t* starts, const std::int32_t* vertices,
                   const float* forces, T* result, std::int64_t stride_mode, std::int64_t stride_body,
                   std::int64_t bodies, cudaStream_t stream);

}  // namespace quartic::cuda
