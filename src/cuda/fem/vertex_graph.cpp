#include "cuda/fem/vertex_graph.hpp"

#include <vector>

#include "core/fem/masses_and_springs.hpp"
#include "cuda/fem/device_incidence.hpp"
#include "cuda/fem/graph_rows.hpp"

namespace quartic::cuda {
namespace {

template <class T>
void append(const T* values, std::int64_t count, std::vector<T>& to, cudaStream_t stream) {
  const std::size_t before = to.size();
  to.resize(before + static_cast<std::size_t>(count));
  if (count == 0) return;
  check(cudaMemcpyAsync(to.data() + before, values, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDeviceToHost,
                        stream),
        "copy to the host");
  check(cudaStreamSynchronize(stream), "copy to the host");
}

struct SortedBlock {
  SortedBlock(const BlockImage& block, std::int64_t vertex_count, cudaStream_t stream)
      : corners(block.corners), vertices(block.vertices, stream), incidence(vertices, vertex_count, stream) {
    append(incidence.offsets().data(), vertex_count + 1, offsets, stream);
  }
  [[nodiscard]] std::int64_t first_place(std::int64_t vertex) const {
    return offsets[static_cast<std::size_t>(vertex)];
  }
  [[nodiscard]] IncidentPlaces places_of(const VertexRange& range) const {
    const std::int64_t first = first_place(range.first);
    return {vertices.data(), corners, incidence.places().data() + first, first_place(range.end) - first};
  }

  int corners;
  DeviceArray<std::int32_t> vertices;
  DeviceIncidence incidence;
  std::vector<std::int64_t> offsets;
};

// From `first` on as many vertices as have so many pairs together, but one in any case.
VertexRange next_range(const std::vector<SortedBlock>& blocks, std::int64_t first, std::int64_t vertex_count,
                       std::int64_t most_pairs) {
  VertexRange range{first, first};
  for (std::int64_t pairs = 0; range.end < vertex_count; ++range.end) {
    ++pairs;  // with itself
    for (const SortedBlock& block : blocks)
      pairs += block.corners * (block.first_place(range.end + 1) - block.first_place(range.end));
    if (pairs > most_pairs && range.end > first) break;
  }
  return range;
}

void append_rows(const GraphRows& rows, VertexGraph& graph, cudaStream_t stream) {
  std::vector<std::int64_t> offsets;
  append(rows.offsets.data(), rows.offsets.size(), offsets, stream);
  append(rows.neighbours.data(), offsets.back(), graph.neighbours, stream);
  const std::int64_t before = graph.offsets.back();
  for (std::size_t v = 1; v < offsets.size(); ++v) graph.offsets.push_back(before + offsets[v]);
}

}  // namespace

VertexGraph vertex_graph(const PreparedMesh& mesh, std::int64_t most_pairs) {
  const Stream stream;
  const std::int64_t vertex_count = mesh.vertex_count();
  std::vector<SortedBlock> blocks;
  for (const BlockImage& block : mesh.image().blocks) blocks.emplace_back(block, vertex_count, stream.get());
  VertexGraph graph;
  graph.offsets = {0};
  graph.offsets.reserve(static_cast<std::size_t>(vertex_count) + 1);
  for (VertexRange range{0, 0}; range.end < vertex_count;) {
    range = next_range(blocks, range.end, vertex_count, most_pairs);
    std::vector<IncidentPlaces> places;
    for (const SortedBlock& block : blocks) places.push_back(block.places_of(range));
    append_rows(graph_rows(range, vertex_count, places, stream.get()), graph, stream.get());
  }
  return with_attachments(std::move(graph), mesh.mesh());
}

}  // namespace quartic::cuda
