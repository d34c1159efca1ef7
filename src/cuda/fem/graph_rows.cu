// For each place of a vertex in an element as many pairs (vertex, corner of the element) as this has corners, as keys
// that are sorted and of which one of each is kept; then a thread per pair and per vertex writes what has come out. 8
// bytes per pair, four times, and 16 for each eight bits of a key.
#include "cuda/fem/graph_rows.hpp"
#include "cuda/fem/sorted_keys.cuh"

namespace quartic::cuda {
namespace {

using Key = std::uint64_t;

constexpr int threads = 256;

LaunchShape thread_per(std::int64_t work) {
  return {dim3(static_cast<unsigned>((work + threads - 1) / threads)), dim3(threads)};
}

// (vertex, neighbour) as one number: the vertex, counted from the range's first, above the neighbour's bits.
struct KeyForm {
  std::int64_t first;
  int column_bits;
  __host__ __device__ Key key(std::int64_t vertex, std::int64_t neighbour) const {
    return static_cast<Key>(vertex - first) << column_bits | static_cast<Key>(neighbour);
  }
  __device__ std::int32_t neighbour(Key key) const {
    return static_cast<std::int32_t>(key & ((Key{1} << column_bits) - 1));
  }
};

__global__ void __launch_bounds__(threads) write_own_pairs(const KeyForm form, std::int64_t count, Key* keys) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (n < count) keys[n] = form.key(form.first + n, form.first + n);
}

__global__ void __launch_bounds__(threads) write_pairs(const KeyForm form, const IncidentPlaces block, Key* keys) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (n >= block.count * block.corners) return;
  const std::int64_t place = block.places[n / block.corners], element = place / block.corners;
  keys[n] = form.key(block.vertices[place], block.vertices[element * block.corners + n % block.corners]);
}

__global__ void __launch_bounds__(threads)
    write_neighbours(const KeyForm form, const Key* keys, const std::int64_t* kept, std::int32_t* neighbours) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (n < *kept) neighbours[n] = form.neighbour(keys[n]);
}

__global__ void __launch_bounds__(threads) write_offsets(const KeyForm form, const Key* keys, const std::int64_t* kept,
                                                         std::int64_t vertices, std::int64_t* offsets) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (n <= vertices) offsets[n] = lower_bound(keys, *kept, form.key(form.first + n, 0));
}

}  // namespace

GraphRows graph_rows(const VertexRange& range, std::int64_t vertex_count, std::span<const IncidentPlaces> blocks,
                     cudaStream_t stream) {
  const std::int64_t vertices = range.end - range.first;
  const KeyForm form{range.first, bits_below(vertex_count)};
  std::int64_t pairs = vertices;
  for (const IncidentPlaces& block : blocks) pairs += block.count * block.corners;
  const DeviceArray<Key> keys(pairs, stream), sorted(pairs, stream);
  launch(write_own_pairs, thread_per(vertices), stream, form, vertices, keys.data());
  Key* next = keys.data() + vertices;
  for (const IncidentPlaces& block : blocks) {
    if (block.count > 0) launch(write_pairs, thread_per(block.count * block.corners), stream, form, block, next);
    next += block.count * block.corners;
  }
  with_workspace("sort pairs of vertices", stream, [&](void* workspace, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(workspace, bytes, keys.data(), sorted.data(), pairs, 0,
                                          form.column_bits + bits_below(vertices), stream);
  });
  const DeviceArray<std::int64_t> kept(1, stream);
  with_workspace("keep one pair of each", stream, [&](void* workspace, std::size_t& bytes) {
    return cub::DeviceSelect::Unique(workspace, bytes, sorted.data(), keys.data(), kept.data(), pairs, stream);
  });
  GraphRows rows{DeviceArray<std::int64_t>(vertices + 1, stream), DeviceArray<std::int32_t>(pairs, stream)};
  launch(write_neighbours, thread_per(pairs), stream, form, keys.data(), kept.data(), rows.neighbours.data());
  launch(write_offsets, thread_per(vertices + 1), stream, form, keys.data(), kept.data(), vertices,
         rows.offsets.data());
  return rows;
}

}  // namespace quartic::cuda
