#include "cuda/fem/assembly.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "cuda/base/devices.hpp"
#include "cuda/fem/workspace.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

std::vector<std::int32_t> narrow_offsets(const VertexGraph& graph) {
  if (graph.offsets.back() > std::numeric_limits<std::int32_t>::max())
    throw InputError("the mesh's matrix would have " + std::to_string(graph.offsets.back()) +
                     " blocks, more than 32-bit indices can count; use a coarser mesh");
  std::vector<std::int32_t> offsets;
  offsets.reserve(graph.offsets.size());
  for (const std::int64_t offset : graph.offsets) offsets.push_back(static_cast<std::int32_t>(offset));
  return offsets;
}

// Points and numbers for shape functions of an element, by the larger of its rules.
struct TileShare {
  std::int64_t points, shapes;
  explicit TileShare(const BlockImage& block)
      : points(std::max(std::ssize(block.stiffness.weights), std::ssize(block.mass.weights))),
        shapes(std::int64_t{3} * block.corners * points) {}
};

std::vector<double> to_host(const DeviceArray<double>& values, cudaStream_t stream) {
  std::vector<double> host(static_cast<std::size_t>(values.size()));
  check(cudaMemcpyAsync(host.data(), values.data(), values.bytes(), cudaMemcpyDeviceToHost, stream),
        "copy to the host");
  check(cudaStreamSynchronize(stream), "copy to the host");
  return host;
}

}  // namespace

DeviceGraph::DeviceGraph(const VertexGraph& graph, cudaStream_t stream)
    : row_offsets_(std::span<const std::int32_t>(narrow_offsets(graph)), stream),
      columns_(std::span<const std::int32_t>(graph.neighbours), stream) {}

Assembly::Assembly(const PreparedMesh& mesh, cudaStream_t stream) : stream_(stream), mesh_(mesh.image(), stream) {
  for (const DeviceBlock& block : mesh_.blocks())
    incidences_.emplace_back(block.vertices, mesh_.vertex_count(), stream);
  std::int64_t points = 0, shapes = 0, most = 0;
  for (const BlockImage& block : mesh.image().blocks) {
    points = std::max(points, TileShare(block).points);
    shapes = std::max(shapes, TileShare(block).shapes);
    most = std::max(most, block.count());
  }
  const auto available = static_cast<std::int64_t>(device_memory().available);
  tile_elements_ =
      std::clamp<std::int64_t>(std::min(most_workspace, available / 4) / (number_bytes * (points + shapes)), 1, most);
  weights_ = DeviceArray<double>(tile_elements_ * points, stream);
  shapes_ = DeviceArray<double>(tile_elements_ * shapes, stream);
}

// Calls add(block, tile) for all elements, with the geometry of their points by one of the rules.
template <class Add>
void Assembly::for_each_tile(DeviceRule DeviceBlock::*rule, const Add& add) {
  for (std::size_t b = 0; b < incidences_.size(); ++b) {
    const DeviceBlock& block = mesh_.blocks()[b];
    const RuleView points = (block.*rule).view();
    for (std::int64_t first = 0; first < block.count; first += tile_elements_) {
      const auto count = static_cast<int>(std::min(tile_elements_, block.count - first)) * points.points;
      const ElementTile tile{.range = {.block = block.view,
                                       .rule = points,
                                       .elements = nullptr,
                                       .first = first * points.points,
                                       .count = count,
                                       .pitch = count},
                             .geometries = {weights_.data(), shapes_.data()},
                             .incidence = incidences_[b].view()};
      measure_points(tile.range, tile.geometries, stream_);
      add(block, tile);
    }
  }
}

DeviceArray<double> Assembly::stiffness(const GraphView& graph, int stride) {
  DeviceArray<double> values(graph.blocks * stride, stream_);
  values.fill_zero(stream_);
  for_each_tile(&DeviceBlock::stiffness, [&](const DeviceBlock&, const ElementTile& tile) {
    add_stiffness(tile, graph, mesh_.lambda(), mesh_.mu(), values.data(), stride, stream_);
  });
  return values;
}

DeviceArray<double> Assembly::mass(const GraphView& graph, MassMatrix kind) {
  const bool lumped = kind == MassMatrix::lumped;
  DeviceArray<double> values(lumped ? mesh_.vertex_count() : graph.blocks, stream_);
  values.fill_zero(stream_);
  for_each_tile(&DeviceBlock::mass, [&](const DeviceBlock& block, const ElementTile& tile) {
    if (lumped)
      add_lumped_mass(tile, block.quadratic, mesh_.vertex_count(), mesh_.density(), values.data(), stream_);
    else
      add_mass(tile, graph, mesh_.density(), values.data(), stream_);
  });
  return values;
}

std::vector<double> stiffness_blocks(const PreparedMesh& mesh, const VertexGraph& graph) {
  const Stream stream;
  const DeviceGraph on_device(graph, stream.get());
  return to_host(Assembly(mesh, stream.get()).stiffness(on_device.view(), 9), stream.get());
}

std::vector<double> masses(const PreparedMesh& mesh, const VertexGraph& graph, MassMatrix kind) {
  const Stream stream;
  const DeviceGraph on_device(graph, stream.get());
  return to_host(Assembly(mesh, stream.get()).mass(on_device.view(), kind), stream.get());
}

}  // namespace quartic::cuda
