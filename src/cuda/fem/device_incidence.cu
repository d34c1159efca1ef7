// Incidences: a radix sort of (vertex, place) by vertex, which keeps the order of places, 24 bytes per place for each
// eight bits of a vertex' number; then a thread per vertex looks where its own begin.
#include "cuda/fem/device_incidence.hpp"
#include "cuda/fem/sorted_keys.cuh"

namespace quartic::cuda {
namespace {

constexpr int threads = 256;

LaunchShape thread_per(std::int64_t work) {
  return {dim3(static_cast<unsigned>((work + threads - 1) / threads)), dim3(threads)};
}

__global__ void __launch_bounds__(threads) number_places(std::int64_t count, std::int64_t* places) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (n < count) places[n] = n;
}

__global__ void __launch_bounds__(threads)
    find_offsets(const std::int32_t* sorted, std::int64_t count, std::int64_t vertices, std::int64_t* offsets) {
  const std::int64_t vertex = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (vertex <= vertices) offsets[vertex] = lower_bound(sorted, count, static_cast<std::int32_t>(vertex));
}

}  // namespace

DeviceIncidence::DeviceIncidence(const DeviceArray<std::int32_t>& vertices, std::int64_t vertex_count,
                                 cudaStream_t stream)
    : offsets_(vertex_count + 1, stream), places_(vertices.size(), stream) {
  const std::int64_t count = vertices.size();
  const DeviceArray<std::int32_t> sorted(count, stream);
  const DeviceArray<std::int64_t> unsorted(count, stream);
  launch(number_places, thread_per(count), stream, count, unsorted.data());
  with_workspace("sort the corners of elements", stream, [&](void* workspace, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(workspace, bytes, vertices.data(), sorted.data(), unsorted.data(),
                                           places_.data(), count, 0, bits_below(vertex_count), stream);
  });
  launch(find_offsets, thread_per(vertex_count + 1), stream, sorted.data(), count, vertex_count, offsets_.data());
}

}  // namespace quartic::cuda
