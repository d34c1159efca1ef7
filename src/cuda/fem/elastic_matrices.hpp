// K and M of a body on its free vertices, on the device.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/fem/device_matrices.hpp"
#include "core/fem/prepared_mesh.hpp"
#include "cuda/algebra/sparse_matrix.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/fem/expand_blocks.hpp"

namespace quartic::cuda {

/// K + shift M on the device, with the pattern of its blocks on the host, too, where orders of elimination are found.
struct SystemMatrix {
  std::span<const std::int32_t> row_offsets, columns;  // the host's
  SparseView stiffness;
  ShiftedBlocks blocks;
  [[nodiscard]] std::int64_t rows() const { return 3 * stiffness.block_rows; }
  [[nodiscard]] BlockPattern pattern() const {
    return {stiffness.block_rows, stiffness.row_offsets, stiffness.columns, nullptr, nullptr};
  }
};

/// Numbers in its blocks. @throws InputError if 32-bit indices can't count them
[[nodiscard]] std::int64_t expanded_entries(const SystemMatrix& matrix);

/// Assembled where they are used: only sizes come to the host, and values when someone asks for them.
class CudaElasticMatrices final : public DeviceMatrices {
 public:
  /// Complete on return. @throws DeviceError for too little memory
  CudaElasticMatrices(const PreparedMesh& mesh, MeshPattern pattern, MassMatrix kind);

  [[nodiscard]] MatrixSizes stiffness_sizes() const override { return sizes(*stiffness_); }
  [[nodiscard]] MatrixSizes mass_sizes() const override { return sizes(*mass_); }
  [[nodiscard]] std::vector<double> stiffness_blocks() const override;
  [[nodiscard]] std::vector<double> masses() const override;
  [[nodiscard]] std::vector<double> vertex_masses() const override { return vertex_masses_; }
  [[nodiscard]] Eigen::MatrixXd stiffness_times(const Eigen::MatrixXd& x) const override;
  [[nodiscard]] Eigen::MatrixXd mass_times(const Eigen::MatrixXd& x) const override;

  [[nodiscard]] const std::shared_ptr<const Stream>& stream() const { return stream_; }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] const DeviceSparseMatrix& device_stiffness() const { return *stiffness_; }
  [[nodiscard]] const DeviceSparseMatrix& device_mass() const { return *mass_; }
  /// Must not outlive this object. @param shift 0: K alone
  [[nodiscard]] SystemMatrix shifted(double shift) const;

 private:
  [[nodiscard]] MatrixSizes sizes(const DeviceSparseMatrix& matrix) const;
  [[nodiscard]] Eigen::MatrixXd times(const DeviceSparseMatrix& a, const Eigen::MatrixXd& x) const;

  int device_;
  std::shared_ptr<const Stream> stream_;
  std::vector<std::int32_t> row_offsets_, columns_;  // of the free vertices' blocks
  std::unique_ptr<DeviceSparseMatrix> stiffness_, mass_;
  std::vector<double> vertex_masses_;
  DeviceArray<double> whole_mass_;  // of all vertices; empty if all are free
};

}  // namespace quartic::cuda
