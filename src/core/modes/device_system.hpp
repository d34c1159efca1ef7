// What an elastic system on a device does; the backend implements it.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/fem/incidence.hpp"
#include "core/fem/mesh_image.hpp"
#include "core/reduction/mass_orthogonalization.hpp"
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

/// The pattern of a mesh' matrices, found on the host. Both graphs have a row per vertex; that of the free ones has
/// nothing in rows and columns of fixed vertices.
struct MeshPattern {
  VertexGraph whole, free;
  std::vector<std::int32_t> free_vertices;  ///< ascending
};

/// What of a reduction takes a device's memory; 0 for stages that are left out.
struct ReductionSizes {
  MassMatrix mass = MassMatrix::consistent;
  std::int64_t modes = 0, fields = 0, rank = 0;  ///< fields: modes, and their derivatives
};

struct MatrixSizes {
  double norm = 0;  ///< largest absolute row sum
  double trace = 0;
};

/// K and M of a mesh' free vertices, assembled on a device, where they stay.
class DeviceMatrices {
 public:
  DeviceMatrices() = default;
  DeviceMatrices(const DeviceMatrices&) = delete;
  DeviceMatrices& operator=(const DeviceMatrices&) = delete;
  virtual ~DeviceMatrices() = default;

  /// Each in a fixed order of summation.
  [[nodiscard]] virtual MatrixSizes sizes(bool of_mass) const = 0;
  /// Copies of the values: nine numbers for each block of the graph of the free vertices; a number for each block of
  /// the whole graph, or each vertex if M is lumped.
  [[nodiscard]] virtual std::vector<double> stiffness_blocks() const = 0;
  [[nodiscard]] virtual std::vector<double> masses() const = 0;
  /// M times the unit field of a direction, the same for all three: a number for each vertex of the mesh.
  [[nodiscard]] virtual std::vector<double> vertex_masses() const = 0;
  /// Products with a few columns, (free degrees of freedom, m), from and to the host.
  [[nodiscard]] virtual Eigen::MatrixXd stiffness_times(const Eigen::MatrixXd& x) const = 0;
  [[nodiscard]] virtual Eigen::MatrixXd mass_times(const Eigen::MatrixXd& x) const = 0;
};

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
