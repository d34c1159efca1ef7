// K and M of a mesh, assembled on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fem/prepared_mesh.hpp"
#include "cuda/fem/block_sums.hpp"
#include "cuda/fem/device_incidence.hpp"
#include "cuda/fem/device_mesh.hpp"
#include "quartic/fem.hpp"

namespace quartic::cuda {

/// The pattern of a matrix of 3 x 3 blocks. A row per vertex of the mesh; rows may be empty, and columns left out.
class DeviceGraph {
 public:
  /// @throws InputError if 32-bit indices can't count the graph's edges
  DeviceGraph(const VertexGraph& graph, cudaStream_t stream);
  [[nodiscard]] GraphView view() const {
    return {row_offsets_.size() - 1, columns_.size(), row_offsets_.data(), columns_.data()};
  }

 private:
  DeviceArray<std::int32_t> row_offsets_, columns_;
};

/// A mesh whose matrices are wanted. All work goes into the stream it was made with, which must outlive it; nothing
/// that it returns synchronises.
class Assembly {
 public:
  /// @throws DeviceError for too little memory
  Assembly(const PreparedMesh& mesh, cudaStream_t stream);

  /// Blocks of nine numbers by rows, in the order of the graph, each `stride` numbers behind the one before; what is
  /// between is zero.
  [[nodiscard]] DeviceArray<double> stiffness(const GraphView& graph, int stride);
  /// Consistent: a number for each block, times the identity. Lumped: a number for each vertex of the mesh.
  [[nodiscard]] DeviceArray<double> mass(const GraphView& graph, MassMatrix kind);

 private:
  template <class Add>
  void for_each_tile(DeviceRule DeviceBlock::*rule, const Add& add);

  cudaStream_t stream_;
  DeviceMesh mesh_;
  std::vector<DeviceIncidence> incidences_;
  std::int64_t tile_elements_ = 0;
  DeviceArray<double> weights_, shapes_;  // of a tile of elements
};

/// The same from and to the host: nine numbers per block; a number per block or vertex.
/// @param graph of the mesh
[[nodiscard]] std::vector<double> stiffness_blocks(const PreparedMesh& mesh, const VertexGraph& graph);
[[nodiscard]] std::vector<double> masses(const PreparedMesh& mesh, const VertexGraph& graph, MassMatrix kind);

}  // namespace quartic::cuda
