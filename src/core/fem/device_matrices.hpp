// K and M of a body on a device; the backend implements what is pure here.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "core/fem/elastic_matrices.hpp"
#include "core/fem/incidence.hpp"
#include "core/supports/freedom_map.hpp"
#include "quartic/export.hpp"
#include "quartic/fem.hpp"

namespace quartic {

/// The pattern of a mesh' matrices, on the host. Both graphs have a row per vertex; that of the free ones has
/// nothing in rows and columns of fixed vertices.
struct QUARTIC_EXPORT MeshPattern {
  /// @param free_dofs three for each free vertex, ascending
  MeshPattern(const VertexGraph& graph, std::span<const std::int32_t> free_dofs);
  VertexGraph whole, free;
  std::vector<std::int32_t> free_vertices;  ///< ascending
};

/// Made when first asked for, also by several threads.
class HostCopy {
 public:
  template <class Make>
  [[nodiscard]] const SparseMatrix& get(const Make& make) const {
    std::call_once(made_, [&] { matrix_ = make(); });
    return matrix_;
  }

 private:
  mutable std::once_flag made_;
  mutable SparseMatrix matrix_;
};

/// Assembled on a device, where they stay.
class QUARTIC_EXPORT DeviceMatrices : public ElasticMatrices {
 public:
  DeviceMatrices(MeshPattern pattern, MassMatrix kind);
  ~DeviceMatrices() override;

  [[nodiscard]] const SparseMatrix& mass() const final;
  [[nodiscard]] const SparseMatrix& stiffness_free() const final;
  [[nodiscard]] const SparseMatrix& mass_free() const final;
  [[nodiscard]] SparseMatrix scalar_mass() const final;
  [[nodiscard]] Eigen::MatrixXd orthonormal_motions(Eigen::MatrixXd motions) const final;
  [[nodiscard]] Matrix unit_acceleration(const Matrix& basis) const final;
  [[nodiscard]] Factorization factorize(double shift, const FactorizationOptions& options) const final;

  /// Copies of the values: nine numbers for each block of the graph of the free vertices; a number for each block of
  /// the whole graph, or each vertex if M is lumped.
  [[nodiscard]] virtual std::vector<double> stiffness_blocks() const = 0;
  [[nodiscard]] virtual std::vector<double> masses() const = 0;
  /// M times the unit field of a direction, the same for all three: a number for each vertex of the mesh.
  [[nodiscard]] virtual std::vector<double> vertex_masses() const = 0;

 protected:
  [[nodiscard]] const MeshPattern& pattern() const { return pattern_; }
  [[nodiscard]] bool lumped() const { return kind_ == MassMatrix::lumped; }

 private:
  [[nodiscard]] FreedomMap freedom() const;

  MeshPattern pattern_;
  MassMatrix kind_;
  HostCopy mass_, stiffness_free_, mass_free_;
};

}  // namespace quartic
