// The kernels that stand between NVIDIA's libraries in LibraryPipeline. A body's values lie together in every array.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/batch/step_settings.hpp"

namespace quartic::measure {

/// Two indices in 0..r of the factors q^ = (1, q).
struct IndexPair {
  std::uint16_t first, second;  // first <= second
};

/// Device arrays of a pipeline.
template <class T>
struct PipelineView {
  int rank;
  std::int64_t bodies;
  int entries;             // r(r+1)/2: of K's triangle
  int monomials;           // (r+1)(r+2)/2
  int h_stride;            // from body to body, >= entries + r
  int monomial_stride;     // >= monomials
  const IndexPair* pairs;  // all of them, row by row; those of K's entries are the last ones, from (1, 1) on
  T *q, *velocity, *acceleration, *force;  // shape (B, r)
  T* products;                             // q^_c q^_d, shape (B, monomials)
  T* h;                                    // K's triangle, then H_i0, shape (B, entries + r)
  T* matrices;                             // A = K + a1 I: the lower triangle of r x r, column-major
  T* solutions;                            // residuals, then A^-1 times those, shape (B, r)
};

/// Shared memory that every device has for a block: it must hold K's triangle and q of one body at least.
inline constexpr std::size_t most_shared_bytes = 48 * 1024;
template <class T>
[[nodiscard]] constexpr std::size_t pipeline_shared_bytes(int rank) {
  return static_cast<std::size_t>(rank * (rank + 1) / 2 + rank) * sizeof(T);
}

template <class T>
void make_products(const PipelineView<T>& view, cudaStream_t stream);
/// A and the residual of the first Newton iteration of an undamped step, at q_{n+1} = q_n.
template <class T>
void make_systems(const PipelineView<T>& view, const StepSettings<T>& settings, cudaStream_t stream);
/// q, velocity and acceleration from `solutions`, by Newmark's formulas.
template <class T>
void move_on(const PipelineView<T>& view, const StepSettings<T>& settings, cudaStream_t stream);

}  // namespace quartic::measure
