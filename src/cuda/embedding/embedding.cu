// Vertices: u = U q for many bodies, normals, and forces back.
//
// `reconstruct_rows`: a thread sums four neighbouring rows of U for 32 bodies, 128 sums in registers; U comes from L2
// once per 32 bodies, a mode ahead of its use; q from shared memory (the same address for all lanes). Per body and row
// 2 r flops and 4 bytes written: bound by the writes up to some r = 30. Shared memory: 32 chunk_modes values.
#include "cuda/base/shared_memory.cuh"
#include "cuda/embedding/embedding.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 256, row_threads = 128;
constexpr int rows_per_thread = 4;
constexpr int bodies_per_block = 32;
constexpr int chunk_modes = 64;
constexpr std::size_t shared_bytes = sizeof(float) * bodies_per_block * chunk_modes;

__device__ float4 four_rows(const float* at) {
  return *reinterpret_cast<const float4*>(at);
}
__device__ float4 four_rows(const __half* at) {
  const uint2 words = *reinterpret_cast<const uint2*>(at);
  const float2 first = __half22float2(*reinterpret_cast<const __half2*>(&words.x));
  const float2 second = __half22float2(*reinterpret_cast<const __half2*>(&words.y));
  return make_float4(first.x, first.y, second.x, second.y);
}
__device__ float4 multiply_add(const float4& u, float q, const float4& sum) {
  return make_float4(fmaf(u.x, q, sum.x), fmaf(u.y, q, sum.y), fmaf(u.z, q, sum.z), fmaf(u.w, q, sum.w));
}

// q of the block's bodies, modes first .. first + count: [mode][body], zero behind the last body.
template <class T>
__device__ void load_coordinates(const StateSource<T>& q, const float* scales, std::int64_t first_body,
                                 std::int64_t bodies, int first, int count, float* to) {
  for (int n = static_cast<int>(threadIdx.x); n < count * bodies_per_block; n += row_threads) {
    const int mode = n / bodies_per_block, slot = n % bodies_per_block;
    float value = 0;
    if (first_body + slot < bodies) {
      const std::int64_t body = q.bodies == nullptr ? first_body + slot : q.bodies[first_body + slot];
      value = scales[first + mode] * static_cast<float>(q.data[(first + mode) * q.stride_mode + body * q.stride_body]);
    }
    to[mode * bodies_per_block + slot] = value;
  }
}

__device__ float* address(const RowTarget& target, std::int64_t row, std::int64_t body) {
  return target.data + body * target.stride_body + row / 3 * target.stride_vertex + row % 3;
}

// How rows that are neighbours in U are stored: one by one, or those at whole 8 or 16 bytes in memory together.
enum class RowStores : std::uint8_t { single, pairs, fours };

__device__ void store_rows(const RowTarget& target, RowStores stores, std::int64_t row, std::int64_t rows,
                           std::int64_t body, const float4& value) {
  float* to = address(target, row, body);
  if (stores == RowStores::fours && row + 3 < rows) {
    *reinterpret_cast<float4*>(to) = value;
  } else if (stores != RowStores::single && row + 3 < rows) {
    *reinterpret_cast<float2*>(to) = make_float2(value.x, value.y);
    *reinterpret_cast<float2*>(to + 2) = make_float2(value.z, value.w);
  } else {
    *to = value.x;
    if (row + 1 < rows) *address(target, row + 1, body) = value.y;
    if (row + 2 < rows) *address(target, row + 2, body) = value.z;
    if (row + 3 < rows) *address(target, row + 3, body) = value.w;
  }
}

template <class Number, class T>
__global__ void __launch_bounds__(row_threads, sizeof(Number) == 4 ? 3 : 2)
    reconstruct_rows(const BasisView<Number> basis, const float* rest, const StateSource<T> q, const RowTarget target,
                     RowStores stores) {
  float* coordinates = reinterpret_cast<float*>(shared_memory());  // [mode][body]
  const std::int64_t row = rows_per_thread * (std::int64_t{blockIdx.x} * row_threads + threadIdx.x);
  const std::int64_t first_body = std::int64_t{blockIdx.y} * bodies_per_block;
  const bool has_rows = row < basis.rows;
  const Number* mode_rows = basis.values + (has_rows ? row : 0);
  float4 sums[bodies_per_block];
  const float4 start = has_rows && rest != nullptr ? four_rows(rest + row) : make_float4(0, 0, 0, 0);
#pragma unroll
  for (int b = 0; b < bodies_per_block; ++b) sums[b] = start;

  float4 next = four_rows(mode_rows);
  for (int first = 0; first < basis.rank; first += chunk_modes) {
    const int count = basis.rank - first < chunk_modes ? basis.rank - first : chunk_modes;
    __syncthreads();
    load_coordinates(q, basis.scales, first_body, target.bodies, first, count, coordinates);
    __syncthreads();
    for (int mode = 0; mode < count; ++mode) {
      const float4 u = next;
      if (first + mode + 1 < basis.rank) next = four_rows(mode_rows += basis.padded_rows);
#pragma unroll
      for (int b = 0; b < bodies_per_block; b += 4) {
        const float4 value = *reinterpret_cast<const float4*>(coordinates + mode * bodies_per_block + b);
        sums[b] = multiply_add(u, value.x, sums[b]);
        sums[b + 1] = multiply_add(u, value.y, sums[b + 1]);
        sums[b + 2] = multiply_add(u, value.z, sums[b + 2]);
        sums[b + 3] = multiply_add(u, value.w, sums[b + 3]);
      }
    }
  }
  if (!has_rows) return;
#pragma unroll
  for (int b = 0; b < bodies_per_block; ++b) {
    if (first_body + b >= target.bodies) return;
    store_rows(target, stores, row, basis.rows, first_body + b, sums[b]);
  }
}

__device__ float3 load_vertex(const RowTarget& positions, std::int64_t vertex, std::int64_t body) {
  const float* at = address(positions, 3 * vertex, body);
  return make_float3(at[0], at[1], at[2]);
}

// A power of two that takes lengths of about `largest` to where squares neither vanish nor overflow.
__device__ float safe_scale(float largest) {
  return largest < 0x1p-40F ? 0x1p80F : largest > 0x1p40F ? 0x1p-80F : 1.0F;
}

__device__ float largest_edge(const VertexTriangles& triangles, std::int64_t vertex, const RowTarget& positions,
                              std::int64_t body) {
  const float3 center = load_vertex(positions, vertex, body);
  float largest = 0;
  for (std::int32_t n = triangles.starts[vertex]; n < triangles.starts[vertex + 1]; ++n)
    for (int c = 0; c < 3; ++c) {
      const float3 corner =
          load_vertex(positions, triangles.corners[3 * std::int64_t{triangles.triangles[n]} + c], body);
      largest = fmaxf(largest,
                      fmaxf(fabsf(corner.x - center.x), fmaxf(fabsf(corner.y - center.y), fabsf(corner.z - center.z))));
    }
  return largest;
}

// The cross product of two edges is twice the triangle's area times its normal.
__global__ void __launch_bounds__(threads) vertex_normals(const VertexTriangles triangles, std::int64_t vertices,
                                                          const RowTarget positions, const RowTarget normals) {
  const std::int64_t vertex = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (vertex >= vertices) return;
  for (std::int64_t body = blockIdx.y; body < positions.bodies; body += gridDim.y) {
    float3 sum = make_float3(0, 0, 0);
    const float s = safe_scale(largest_edge(triangles, vertex, positions, body));
    for (std::int32_t n = triangles.starts[vertex]; n < triangles.starts[vertex + 1]; ++n) {
      const std::int32_t* corner = triangles.corners + 3 * std::int64_t{triangles.triangles[n]};
      const float3 a = load_vertex(positions, corner[0], body), b = load_vertex(positions, corner[1], body),
                   c = load_vertex(positions, corner[2], body);
      const float3 u = make_float3(s * (b.x - a.x), s * (b.y - a.y), s * (b.z - a.z)),
                   v = make_float3(s * (c.x - a.x), s * (c.y - a.y), s * (c.z - a.z));
      sum.x += u.y * v.z - u.z * v.y;
      sum.y += u.z * v.x - u.x * v.z;
      sum.z += u.x * v.y - u.y * v.x;
    }
    // In two steps, so that squares of small sums don't vanish.
    const float largest = fmaxf(fabsf(sum.x), fmaxf(fabsf(sum.y), fabsf(sum.z)));
    float scale = 0;
    if (largest > 0) {
      const float x = sum.x / largest, y = sum.y / largest, z = sum.z / largest;
      scale = 1 / (sqrtf(x * x + y * y + z * z));
      sum = make_float3(x, y, z);
    }
    float* to = address(normals, 3 * vertex, body);
    to[0] = scale * sum.x, to[1] = scale * sum.y, to[2] = scale * sum.z;
  }
}

template <class Number, class T>
__global__ void __launch_bounds__(threads)
    gather(const BasisView<Number> basis, const std::int64_t* starts, const std::int32_t* vertices, const float* forces,
           T* result, std::int64_t stride_mode, std::int64_t stride_body, std::int64_t bodies) {
  // Neighbouring threads: modes of one body, which share the list.
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const std::int64_t body = n / basis.rank, mode = n % basis.rank;
  if (body >= bodies) return;
  T sum = result[mode * stride_mode + body * stride_body];
  for (std::int64_t entry = starts[body]; entry < starts[body + 1]; ++entry) {
    const Number* u = basis.values + mode * basis.padded_rows + 3 * std::int64_t{vertices[entry]};
    const float* f = forces + 3 * entry;
#pragma unroll
    for (int c = 0; c < 3; ++c)
      sum += static_cast<T>(basis.scales[mode] * static_cast<float>(u[c])) * static_cast<T>(f[c]);
  }
  result[mode * stride_mode + body * stride_body] = sum;
}

unsigned blocks(std::int64_t work, int of_a_block = threads) {
  return static_cast<unsigned>((work + of_a_block - 1) / of_a_block);
}

RowStores stores_for(const RowTarget& target) {
  const auto address = reinterpret_cast<std::uintptr_t>(target.data);
  if (target.stride_vertex != 3) return RowStores::single;
  if (target.stride_body % 4 == 0 && address % sizeof(float4) == 0) return RowStores::fours;
  return target.stride_body % 2 == 0 && address % sizeof(float2) == 0 ? RowStores::pairs : RowStores::single;
}

}  // namespace

template <class Number, class T>
void reconstruct(const BasisView<Number>& basis, const float* rest, const StateSource<T>& q, const RowTarget& target,
                 cudaStream_t stream) {
  const RowStores stores = stores_for(target);
  // A grid has at most 65,535 blocks in y.
  constexpr std::int64_t most_bodies = std::int64_t{65535} * bodies_per_block;
  for (std::int64_t first = 0; first < target.bodies; first += most_bodies) {
    StateSource<T> source = q;
    RowTarget part = target;
    part.data += first * target.stride_body;
    part.bodies = target.bodies - first < most_bodies ? target.bodies - first : most_bodies;
    if (q.bodies == nullptr)
      source.data += first * q.stride_body;
    else
      source.bodies += first;
    const dim3 grid(blocks(basis.rows, rows_per_thread * row_threads),
                    static_cast<unsigned>((part.bodies + bodies_per_block - 1) / bodies_per_block));
    launch(reconstruct_rows<Number, T>, {grid, dim3(row_threads), shared_bytes}, stream, basis, rest, source, part,
           stores);
  }
}

void make_normals(const VertexTriangles& triangles, std::int64_t vertices, const RowTarget& positions,
                  const RowTarget& normals, cudaStream_t stream) {
  const auto rows = static_cast<unsigned>(positions.bodies < 65535 ? positions.bodies : 65535);
  launch(vertex_normals, {dim3(blocks(vertices), rows), dim3(threads)}, stream, triangles, vertices, positions,
         normals);
}

template <class Number, class T>
void gather_forces(const BasisView<Number>& basis, const std::int64_t* starts, const std::int32_t* vertices,
                   const float* forces, T* result, std::int64_t stride_mode, std::int64_t stride_body,
                   std::int64_t bodies, cudaStream_t stream) {
  launch(gather<Number, T>, {dim3(blocks(bodies * basis.rank)), dim3(threads)}, stream, basis, starts, vertices, forces,
         result, stride_mode, stride_body, bodies);
}

// For each precision of the basis and of the state.
template void reconstruct(const BasisView<float>&, const float*, const StateSource<float>&, const RowTarget&,
                          cudaStream_t);
template void reconstruct(const BasisView<float>&, const float*, const StateSource<double>&, const RowTarget&,
                          cudaStream_t);
template void reconstruct(const BasisView<__half>&, const float*, const StateSource<float>&, const RowTarget&,
                          cudaStream_t);
template void reconstruct(const BasisView<__half>&, const float*, const StateSource<double>&, const RowTarget&,
                          cudaStream_t);
template void gather_forces(const BasisView<float>&, const std::int64_t*, const std::int32_t*, const float*, float*,
                            std::int64_t, std::int64_t, std::int64_t, cudaStream_t);
template void gather_forces(const BasisView<float>&, const std::int64_t*, const std::int32_t*, const float*, double*,
                            std::int64_t, std::int64_t, std::int64_t, cudaStream_t);
template void gather_forces(const BasisView<__half>&, const std::int64_t*, const std::int32_t*, const float*, float*,
                            std::int64_t, std::int64_t, std::int64_t, cudaStream_t);
template void gather_forces(const BasisView<__half>&, const std::int64_t*, const std::int32_t*, const float*, double*,
                            std::int64_t, std::int64_t, std::int64_t, cudaStream_t);

}  // namespace quartic::cuda
