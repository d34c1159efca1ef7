// K and M of a mesh, assembled on the device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/incidence.hpp"
#include "cuda/block_sums.hpp"
#include "cuda/device_incidence.hpp"
#include "cuda/device_mesh.hpp"
#include "quartic/fem.hpp"

namespace quartic::cuda {

/// A mesh with the pattern of its matrices, which the host works out: one pass over the elements, in less time than
/// their values would take to come back. All work goes into the stream it was made with, which must outlive it.
class Assembly {
 public:
  /// @param incidences one per block
  /// @throws InputError if 32-bit indices can't count the graph's edges, DeviceError for too little memory
  Assembly(const MeshImage& mesh, std::span<const Incidence> incidences, const VertexGraph& graph, cudaStream_t stream);

  /// Blocks of nine numbers by rows, in the order of the graph, each `stride` numbers behind the one before; what is
  /// between is zero. Doesn't synchronise.
  [[nodiscard]] DeviceArray<double> stiffness(int stride);
  /// Consistent: a number for each block, times the identity. Lumped: a number for each vertex. Doesn't synchronise.
  [[nodiscard]] DeviceArray<double> mass(MassMatrix kind);
  [[nodiscard]] GraphView graph() const {
    return {mesh_.vertex_count(), columns_.size(), row_offsets_.data(), columns_.data()};
  }

 private:
  template <class Add>
  void for_each_tile(DeviceRule DeviceBlock::*rule, const Add& add);

  cudaStream_t stream_;
  DeviceMesh mesh_;
  std::vector<DeviceIncidence> incidences_;
  DeviceArray<std::int32_t> row_offsets_, columns_;
  std::int64_t tile_elements_ = 0;
  DeviceArray<double> weights_, shapes_;  // of a tile of elements
};

/// The same from and to the host: nine numbers per block; a number per block or vertex.
[[nodiscard]] std::vector<double> stiffness_blocks(const MeshImage& mesh, std::span<const Incidence> incidences,
                                                   const VertexGraph& graph);
[[nodiscard]] std::vector<double> masses(const MeshImage& mesh, std::span<const Incidence> incidences,
                                         const VertexGraph& graph, MassMatrix kind);

}  // namespace quartic::cuda
