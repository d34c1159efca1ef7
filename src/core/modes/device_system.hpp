// What an elastic system on a device does; the backend implements it.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/algebra/mass_qr.hpp"
#include "core/fem/incidence.hpp"
#include "core/fem/mesh_image.hpp"
#include "core/modes/device_fields.hpp"
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

/// What of a reduction takes a device's memory; 0 for stages that are left out.
struct ReductionSizes {
  MassMatrix mass = MassMatrix::consistent;
  std::int64_t modes = 0, fields = 0, rank = 0;  ///< fields: modes, and their derivatives
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
  /// Static modal derivatives, a column per pair of modes, shape (3n, pairs): right-hand sides made on the device and
  /// solved for there. @param incidences of the mesh, one per block
  [[nodiscard]] virtual Matrix static_derivatives(const MeshImage& mesh, std::span<const Incidence> incidences,
                                                  const MatrixRef& modes, std::span<const std::array<int, 2>> pairs,
                                                  const Progress& progress) = 0;
  /// The same, with the modes before them, on the device: shape (free dofs, k + pairs). The system must outlive them.
  [[nodiscard]] virtual std::unique_ptr<DeviceFields> derivative_fields(const MeshImage& mesh,
                                                                        std::span<const Incidence> incidences,
                                                                        const MatrixRef& modes,
                                                                        std::span<const std::array<int, 2>> pairs,
                                                                        const Progress& progress) = 0;
  /// As the function of mass_orthogonalization.hpp, with fields on the free degrees of freedom.
  [[nodiscard]] virtual MassQr mass_qr(Eigen::MatrixXd fields) = 0;
};

}  // namespace quartic
