// The strains of a mesh's quadrature points, a tile after the other, in device memory: what energies and relaxed
// strains are sums of products of.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/elements/elastic_constants.hpp"
#include "core/fem/mesh_image.hpp"
#include "cuda/base/cublas.hpp"
#include "cuda/base/device_matrix.hpp"
#include "cuda/fem/device_mesh.hpp"
#include "cuda/fem/quadrature_points.hpp"
#include "cuda/strains/strain_plan.hpp"
#include "quartic/matrix.hpp"
#include "quartic/modes.hpp"

namespace quartic::cuda {

/// Six numbers per column and point where any set of constants wants them, else one.
[[nodiscard]] int strain_count_of(std::span<const RegionConstants> sets);

/// What the device must hold besides the tile is known: the tile gets what is left, if that is less than was asked for.
/// @param other_numbers on the device besides the mesh, the fields, the tile and its sums
/// @param purpose for the message, "the reduction to rank 30" @param otherwise what else can be done: "lower the rank"
/// @throws DeviceError if there is too little memory
[[nodiscard]] StrainPlan plan_strain_memory(const MeshImage& mesh, const StrainShape& shape, std::int64_t other_numbers,
                                            std::int64_t workspace_bytes, const std::string& purpose,
                                            const std::string& otherwise);

/// Tiles, the stream they are made in, and cuBLAS in that stream.
class StrainTiles {
 public:
  /// @param fields of the plan's rank, then the linear ones @param purpose for a message where there is no cuBLAS
  StrainTiles(const MeshImage& mesh, const MatrixRef& fields, const StrainPlan& plan, const std::string& purpose);

  /// After each tile, when its strains are in the stream: use(slices, rows), with rows = strains per point x slice
  /// points. @param stage what progress calls the work
  void for_each(const RegionConstants& constants, const std::string& stage, const Progress& progress,
                const std::function<void(int slices, int rows)>& use);

  /// Of column `column` of the first slice, [slice][column][strain][slice_points]: slices are columns() x rows apart.
  [[nodiscard]] const double* strains(int column, int rows) const {
    return strains_.data() + std::int64_t{column} * rows;
  }
  [[nodiscard]] const StrainPlan& plan() const { return plan_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  [[nodiscard]] Cublas& cublas() { return cublas_; }

 private:
  [[nodiscard]] std::vector<std::int32_t> chosen_elements(const DeviceBlock& block,
                                                          const RegionConstants& constants) const;
  int set_constants(const RegionConstants& constants);
  void fill_tile(const PointRange& range, int strains);

  const StrainPlan plan_;
  const MeshImage& image_;
  const Stream stream_;
  const DeviceMesh mesh_;
  const DeviceMatrix fields_;
  Cublas cublas_;
  const DeviceArray<unsigned char> library_;
  DeviceArray<double> lambda_, mu_;                                            // by region
  const DeviceArray<double> weights_, shapes_, scales_, gradients_, strains_;  // of a tile of points
};

}  // namespace quartic::cuda
