// Fields of a body on a device; the backend implements them.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "quartic/matrix.hpp"

namespace quartic {

/// Fields on the free degrees of freedom that stay on a device while they become a basis; small matrices are the
/// host's.
class DeviceFields {
 public:
  DeviceFields() = default;
  DeviceFields(const DeviceFields&) = delete;
  DeviceFields& operator=(const DeviceFields&) = delete;
  virtual ~DeviceFields() = default;

  /// |x|_M of each.
  [[nodiscard]] virtual Eigen::VectorXd mass_norms() const = 0;
  /// Field j becomes scales[j] times field order[j]; others are dropped.
  virtual void arrange(const std::vector<Eigen::Index>& order, const Eigen::VectorXd& scales) = 0;
  /// As mass_qr: the fields become Q. @return R
  [[nodiscard]] virtual Eigen::MatrixXd orthonormalize() = 0;
  /// X <- X C.
  virtual void combine(const Eigen::MatrixXd& coefficients) = 0;
  virtual void remove_rigid_motions() = 0;
  /// X^T M X.
  [[nodiscard]] virtual Eigen::MatrixXd mass_products() const = 0;
  [[nodiscard]] virtual Matrix to_host() const = 0;
};

}  // namespace quartic
