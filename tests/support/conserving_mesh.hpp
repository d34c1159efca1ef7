// An unreduced body of tet4 that conserves energy and momenta to round-off: the scheme of Simo and Tarnow (1992) for
// St. Venant-Kirchhoff material. What flights of reduced bodies are compared with.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic::test {

class ConservingMesh {
 public:
  /// @param mesh tet4 of one region
  explicit ConservingMesh(const VolumeMesh& mesh);

  Eigen::Matrix3Xd positions, velocities;  ///< of the vertices, shape (3, n)

  void step(double h);

  [[nodiscard]] double energy() const;
  [[nodiscard]] Eigen::Vector3d angular_momentum() const;              ///< about the origin
  [[nodiscard]] const Eigen::MatrixXd& mass() const { return mass_; }  ///< m_ab, shape (n, n)

 private:
  struct Element {
    std::array<Eigen::Index, 4> vertices;
    Eigen::Matrix<double, 3, 4> gradients;  // of the shape functions, at rest
    double volume;
  };
  [[nodiscard]] Eigen::Matrix3d deformation(const Element& element, const Eigen::Matrix3Xd& at) const;
  /// The mean force's residual at the end `next`, and its derivative.
  [[nodiscard]] Eigen::VectorXd residual(const Eigen::Matrix3Xd& next, double h, Eigen::MatrixXd& derivative) const;

  std::vector<Element> elements_;
  Eigen::MatrixXd mass_;
  double lambda_, mu_;
};

}  // namespace quartic::test
