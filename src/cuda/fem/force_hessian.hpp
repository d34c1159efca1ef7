// (H : x_i) x_j for many pairs of fields on the device: right-hand sides of modal derivatives. And of it what the
// stress that is quadratic in displacements does.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/fem/prepared_mesh.hpp"
#include "cuda/fem/device_incidence.hpp"
#include "cuda/fem/device_mesh.hpp"
#include "cuda/fem/second_derivatives.hpp"
#include "quartic/matrix.hpp"

namespace quartic::cuda {

/// A mesh and fields on it, ready for pairs. All work goes into the stream it was made with, which must outlive it.
class ForceHessian {
 public:
  /// @param mesh is copied
  /// @param fields on the device, column-major without gaps, shape (3n, field_count); must stay
  /// @param free_dofs ascending; forces on others are left out. Empty: all 3n
  /// @throws DeviceError if the device has too little memory for one element's share
  ForceHessian(const PreparedMesh& mesh, const double* fields, int field_count, std::span<const std::int32_t> free_dofs,
               cudaStream_t stream, StressTerms terms = StressTerms::all);

  [[nodiscard]] std::int64_t rows() const { return rows_; }  ///< free degrees of freedom
  /// Column p of `out`, column-major without gaps, becomes factor (H : x_i) x_j for pairs[p] = {i, j}. Synchronises
  /// once per 64 pairs.
  void fill(std::span<const std::array<int, 2>> pairs, double factor, double* out);

 private:
  void add_block(const DeviceBlock& block, const DeviceIncidence& incidence, int pair_count, double factor,
                 double* out);

  cudaStream_t stream_;
  StressTerms terms_;
  DeviceMesh mesh_;
  std::vector<DeviceIncidence> incidences_;
  const double* fields_;
  int field_count_;
  std::int64_t rows_ = 0;
  DeviceArray<std::int32_t> row_of_dof_;  // empty: all are free
  DeviceArray<FieldPair> pairs_;
  std::vector<std::int64_t> tile_elements_;                               // by block
  DeviceArray<double> weights_, shapes_, gradients_, stresses_, forces_;  // of a tile of elements
};

/// The same from and to the host, all degrees of freedom: as the function of fem.hpp.
[[nodiscard]] Matrix force_hessian(const PreparedMesh& mesh, const MatrixRef& fields,
                                   std::span<const std::array<int, 2>> pairs);
/// Nodal forces of the quadratic stress, a column per field, as RelaxationOperations has them.
[[nodiscard]] Matrix quadratic_forces(const PreparedMesh& mesh, const MatrixRef& fields);

}  // namespace quartic::cuda
