// Loads that are combinations of a reduced body's modes.
#pragma once

#include <Eigen/Core>
#include <span>

#include "quartic/matrix.hpp"
#include "quartic/quartic_energy.hpp"

namespace quartic {

class ModalLoads {
 public:
  /// @param vertices rest positions @param modes at most, the lowest with a stiffness
  ModalLoads(std::span<const double> vertices, const MatrixRef& basis, const QuarticEnergy& energy, Eigen::Index modes);

  [[nodiscard]] Eigen::Index modes() const { return shapes_.cols(); }
  /// The reduced force sum of omega_i z_i v_i, shape (r), scaled to this largest linear displacement, in terms of the
  /// body's largest extent. @param z not all zero, shape (modes())
  [[nodiscard]] Eigen::VectorXd force(const Eigen::VectorXd& z, double amplitude) const;
  /// The largest displacement of that field, in the same terms. @param u shape (3n)
  [[nodiscard]] double amplitude(const Eigen::VectorXd& u) const;

 private:
  Eigen::VectorXd frequencies_;  // omega
  Eigen::MatrixXd shapes_;       // v, shape (r, modes)
  Eigen::MatrixXd fields_;       // U v, shape (3n, modes)
  double extent_ = 0;
};

}  // namespace quartic
