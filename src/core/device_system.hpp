// What an elastic system on a device does; the backend implements it.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "quartic/matrix.hpp"
#include "quartic/modes.hpp"

namespace quartic {

/// Elastic pairs on the free degrees of freedom, before signs are fixed.
struct FoundModes {
  std::vector<double> values;  ///< ascending: the wanted ones, then guards
  Matrix vectors;              ///< mass-orthonormal, of the wanted ones
  std::vector<double> residuals;
  int iterations = 0;
  int solves = 0;
};

/// K, M, rigid motions and factor of one body on a device. Arguments and results are in the host's memory.
class DeviceSystem {
 public:
  DeviceSystem() = default;
  DeviceSystem(const DeviceSystem&) = delete;
  DeviceSystem& operator=(const DeviceSystem&) = delete;
  virtual ~DeviceSystem() = default;

  /// @throws as `linear_modes`
  [[nodiscard]] virtual FoundModes solve_modes(const ModesOptions& options) = 0;
  /// As ElasticSystem::Impl::solve_static.
  virtual void solve_static(Eigen::Ref<Eigen::MatrixXd> f) = 0;
};

}  // namespace quartic
