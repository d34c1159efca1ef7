// How a body is stepped by itself, for Evaluation::latency: by how many blocks, and what they keep in shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/energy/batch_view.hpp"

namespace quartic::cuda {

/// Where values of T lie in a block's shared memory, one array behind the other, and how many there are.
struct LatencyMemory {
  int coefficients, monomials, pairs, point, h, second_h, vectors, system, frame, size;
};

/// Vectors of one value per row: argument, residual, solution.
inline constexpr int latency_vectors = 3;

/// Behind the values: two mailboxes' barriers, and a command.
inline constexpr std::size_t latency_messages_bytes = 2 * sizeof(std::uint64_t) + sizeof(int);

struct LatencyPlan {
  int blocks = 1;           ///< of a cluster, per body
  int row_blocks = 0;       ///< of H, that each of them sums at most
  bool keeps_rows = false;  ///< their coefficients stay in shared memory for all substeps of a launch
  LatencyMemory memory = {};
  std::size_t shared_bytes = 0;
};

/// A function of rank, precision, integrator and device alone.
/// @param two_points whether H is kept at two points
/// @param has_frame whether bodies are free
/// @param clusters whether the device can start clusters, and the library has code for them
/// @throws InputError for a rank whose matrices don't fit into shared memory
template <class T>
[[nodiscard]] LatencyPlan plan_latency(int rank, bool two_points, bool has_frame, std::size_t shared_bytes,
                                       bool clusters);

}  // namespace quartic::cuda
