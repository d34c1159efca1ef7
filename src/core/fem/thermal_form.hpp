// What heat adds to a body's energy: a constant, a part linear in u, and a quadratic one.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "core/fem/prepared_mesh.hpp"
#include "quartic/quartic_energy.hpp"
#include "quartic/storage.hpp"
#include "quartic/thermal.hpp"

namespace quartic {

/// constant - g . u - 1/2 sum_ab G_ab u_a . u_b
class ThermalForm {
 public:
  /// @throws InputError as thermal.hpp says
  ThermalForm(const PreparedMesh& mesh, const Heating& heating);

  [[nodiscard]] double energy(std::span<const double> u) const;
  /// r += -g - G u
  void add_force(std::span<const double> u, double* r) const;
  /// K -= G times the 3 x 3 identity, block by block; K's pattern has all pairs of an element's vertices.
  void add_stiffness(SparseMatrix& k) const;
  /// Adds U^T of it to coefficients.
  void add_reduced(const MatrixRef& basis, QuarticEnergy& energy) const;

 private:
  std::int64_t vertices_ = 0;
  double constant_ = 0;             // [J]
  std::vector<double> force_;       // g, (3n) [N]
  std::vector<std::int64_t> rows_;  // of G, (n, n), by rows [N/m]
  std::vector<std::int32_t> columns_;
  std::vector<double> values_;
};

}  // namespace quartic
