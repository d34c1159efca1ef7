#include "support/conserving_mesh.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "support/dense.hpp"

namespace quartic::test {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

Matrix3d green_strain(const Matrix3d& f) {
  return 0.5 * (f.transpose() * f - Matrix3d::Identity());
}

}  // namespace

ConservingMesh::ConservingMesh(const VolumeMesh& mesh)
    : positions(Eigen::Map<const Matrix3Xd>(mesh.vertices.data(), 3, mesh.vertex_count())),
      velocities(Matrix3Xd::Zero(3, mesh.vertex_count())),
      mass_(MatrixXd::Zero(mesh.vertex_count(), mesh.vertex_count())) {
  const Material& material = *mesh.regions[0].material;
  const double e = material.youngs_modulus, nu = material.poissons_ratio;
  lambda_ = e * nu / ((1 + nu) * (1 - 2 * nu)), mu_ = e / (2 * (1 + nu));
  for (const ElementBlock& block : mesh.blocks)
    for (std::int64_t n = 0; n < block.count(); ++n) {
      Element element;
      for (std::size_t a = 0; a < 4; ++a) element.vertices[a] = block.element(n)[a];
      Matrix3d edges;
      for (int a = 0; a < 3; ++a)
        edges.col(a) =
            positions.col(element.vertices[static_cast<std::size_t>(a) + 1]) - positions.col(element.vertices[0]);
      element.gradients.rightCols<3>() = inverse(edges).transpose();
      element.gradients.col(0) = -element.gradients.rightCols<3>().rowwise().sum();
      element.volume = determinant(edges) / 6;
      for (std::size_t a = 0; a < 4; ++a)
        for (std::size_t b = 0; b < 4; ++b)
          mass_(element.vertices[a], element.vertices[b]) += material.density * element.volume * (a == b ? 0.1 : 0.05);
      elements_.push_back(element);
    }
}

Matrix3d ConservingMesh::deformation(const Element& element, const Matrix3Xd& at) const {
  Matrix3d f = Matrix3d::Zero();
  for (Index a = 0; a < 4; ++a)
    f += at.col(element.vertices[static_cast<std::size_t>(a)]) * element.gradients.col(a).transpose();
  return f;
}

// 2/h^2 M (x1 - x0 - h v0) + sum of Fm S grad N, Fm the mean deformation gradient and S the stress of the mean strain.
VectorXd ConservingMesh::residual(const Matrix3Xd& next, double h, MatrixXd& derivative) const {
  const Index n = positions.cols();
  Matrix3Xd forces = 2 / (h * h) * (next - positions - h * velocities) * mass_;
  derivative.setZero(3 * n, 3 * n);
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b < n; ++b)
      for (Index c = 0; c < 3; ++c) derivative(3 * a + c, 3 * b + c) = 2 / (h * h) * mass_(a, b);
  for (const Element& element : elements_) {
    const Matrix3d f0 = deformation(element, positions), f1 = deformation(element, next), mean = 0.5 * (f0 + f1);
    const Matrix3d strain = 0.5 * (green_strain(f0) + green_strain(f1));
    const Matrix3d stress = lambda_ * strain.trace() * Matrix3d::Identity() + 2 * mu_ * strain;
    const Eigen::Matrix<double, 3, 4>& g = element.gradients;
    const Eigen::Matrix<double, 3, 4> p = mean * g, q = f1 * g, s = stress * g;
    const Matrix3d both = mean * f1.transpose();
    for (Index a = 0; a < 4; ++a) {
      const Index row = element.vertices[static_cast<std::size_t>(a)];
      forces.col(row) += element.volume * mean * s.col(a);
      for (Index b = 0; b < 4; ++b) {
        const Index column = element.vertices[static_cast<std::size_t>(b)];
        const double along = g.col(a).dot(g.col(b));
        derivative.block<3, 3>(3 * row, 3 * column) +=
            element.volume / 2 *
            (lambda_ * p.col(a) * q.col(b).transpose() + mu_ * p.col(b) * q.col(a).transpose() + mu_ * along * both +
             g.col(a).dot(s.col(b)) * Matrix3d::Identity());
      }
    }
  }
  return Eigen::Map<const VectorXd>(forces.data(), forces.size());
}

// Newton's method until the residual no longer falls: the last iterations are round-off.
void ConservingMesh::step(double h) {
  Matrix3Xd next = positions + h * velocities;
  MatrixXd derivative;
  double last = HUGE_VAL;
  for (int iteration = 0; iteration < 20; ++iteration) {
    const VectorXd left = residual(next, h, derivative);
    const double size = left.norm(), terms = 2 / h * (velocities * mass_).norm();
    if (size < 1e-13 * terms || (size < 1e-10 * terms && size > 0.5 * last)) break;
    last = size;
    const VectorXd change = solve(derivative, left);
    next -= Eigen::Map<const Matrix3Xd>(change.data(), 3, next.cols());
  }
  velocities = (2 / h * (next - positions) - velocities).eval();
  positions = next;
}

double ConservingMesh::energy() const {
  double sum = 0.5 * velocities.cwiseProduct(velocities * mass_).sum();
  for (const Element& element : elements_) {
    const Matrix3d strain = green_strain(deformation(element, positions));
    sum += element.volume * (0.5 * lambda_ * strain.trace() * strain.trace() + mu_ * strain.squaredNorm());
  }
  return sum;
}

Vector3d ConservingMesh::angular_momentum() const {
  const Matrix3Xd momenta = velocities * mass_;
  Vector3d sum = Vector3d::Zero();
  for (Index v = 0; v < momenta.cols(); ++v) sum += Vector3d(positions.col(v)).cross(Vector3d(momenta.col(v)));
  return sum;
}

}  // namespace quartic::test
