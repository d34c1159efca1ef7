// Fields on a body's free degrees of freedom that become a basis without leaving the device.
#pragma once

#include "core/modes/device_fields.hpp"
#include "cuda/modes/elastic_system.hpp"

namespace quartic::cuda {

class CudaFields final : public DeviceFields {
 public:
  /// @param fields (free dofs, N). The system must outlive this object
  CudaFields(CudaElasticSystem& system, DeviceMatrix fields);

  [[nodiscard]] Eigen::VectorXd mass_norms() const override;
  void arrange(const std::vector<Eigen::Index>& order, const Eigen::VectorXd& scales) override;
  [[nodiscard]] Eigen::MatrixXd orthonormalize() override;
  void combine(const Eigen::MatrixXd& coefficients) override;
  void remove_rigid_motions() override;
  [[nodiscard]] Eigen::MatrixXd mass_products() const override;
  [[nodiscard]] Matrix to_host() const override;

 private:
  void copy_column(const double* from, double* to) const;

  CudaElasticSystem& system_;
  DeviceMatrix fields_;
  Eigen::Index count_;  // of columns that are still in use, the first ones
};

}  // namespace quartic::cuda
