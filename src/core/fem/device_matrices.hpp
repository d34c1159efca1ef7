// Matrices of a body on a device; the backend implements them.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "core/fem/incidence.hpp"

namespace quartic {

/// The pattern of a mesh' matrices, found on the host. Both graphs have a row per vertex; that of the free ones has
/// nothing in rows and columns of fixed vertices.
struct MeshPattern {
  VertexGraph whole, free;
  std::vector<std::int32_t> free_vertices;  ///< ascending
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

}  // namespace quartic
