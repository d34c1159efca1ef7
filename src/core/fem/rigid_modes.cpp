#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/algebra/dense.hpp"
#include "core/fem/rigid_motions.hpp"
#include "core/mesh/components.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using RigidMap = Eigen::Matrix<double, 3, 6>;

// A singular value below this share of the largest leaves its motion free. It stands between coordinates that were
// rounded to single precision in a file (1e-7 of the size: points meant to lie on a line) and real support: what moves
// so little at the fixed vertices has a stiffness of 1e-12 relative to the body's.
constexpr double rank_tolerance = 1e-6;

// A component's place and size, by which its rigid motions are made dimensionless.
struct Frame {
  Vector3d centre = Vector3d::Zero();
  double radius = 0;
};

Vector3d position(const VolumeMesh& mesh, std::int32_t v) {
  return Vector3d::Map(&mesh.vertices[3 * static_cast<std::size_t>(v)]);
}

Frame frame_of(const VolumeMesh& mesh, const std::vector<std::int32_t>& component) {
  Frame frame;
  for (const std::int32_t v : component) frame.centre += position(mesh, v) / static_cast<double>(component.size());
  for (const std::int32_t v : component)
    frame.radius = std::max(frame.radius, (position(mesh, v) - frame.centre).norm());
  return frame;
}

// u = t + omega x (x - centre) / radius as a matrix times (t, omega).
RigidMap rigid_map(const Frame& frame, const Vector3d& x) {
  const Vector3d d = (x - frame.centre) / frame.radius;
  RigidMap map;
  map << 1, 0, 0, 0, d.z(), -d.y(),  //
      0, 1, 0, -d.z(), 0, d.x(),     //
      0, 0, 1, d.y(), -d.x(), 0;
  return map;
}

// The rigid motions (t, omega) that vanish on the component's fixed vertices, one per column.
MatrixXd free_motions(const VolumeMesh& mesh, const Frame& frame, const std::vector<std::int32_t>& component,
                      const std::vector<bool>& fixed) {
  std::vector<std::int32_t> held;
  for (const std::int32_t v : component)
    if (fixed[static_cast<std::size_t>(v)]) held.push_back(v);
  if (held.empty()) return MatrixXd::Identity(6, 6);
  // At least six rows, so that the decomposition has all six right singular vectors.
  MatrixXd constraints = MatrixXd::Zero(std::max<Eigen::Index>(6, 3 * std::ssize(held)), 6);
  for (std::size_t i = 0; i < held.size(); ++i)
    constraints.middleRows<3>(3 * static_cast<Eigen::Index>(i)) = rigid_map(frame, position(mesh, held[i]));
  const dense::Svd svd = dense::svd(constraints);
  const Eigen::VectorXd& sigma = svd.values;
  const auto rank = (sigma.array() > rank_tolerance * sigma[0]).count();
  return svd.v_transposed.bottomRows(6 - rank).transpose();
}

std::vector<bool> mark_fixed(const VolumeMesh& mesh, std::span<const std::int32_t> fixed_vertices) {
  std::vector<bool> fixed(static_cast<std::size_t>(mesh.vertex_count()));
  for (const std::int32_t v : fixed_vertices) {
    if (v < 0 || v >= mesh.vertex_count())
      throw InputError("fixed vertex " + std::to_string(v) + " isn't among the mesh's " +
                       std::to_string(mesh.vertex_count()) + " vertices");
    fixed[static_cast<std::size_t>(v)] = true;
  }
  return fixed;
}

}  // namespace

// Twice, so that what rounding leaves of the first pass goes too.
void orthonormalize_rigid(MatrixXd& z, const std::function<MatrixXd(const MatrixXd&)>& mass_times) {
  for (int pass = 0; pass < 2 && z.cols() > 0; ++pass) {
    const std::optional<dense::Cholesky> factor = dense::cholesky(z.transpose() * mass_times(z));
    if (!factor)
      throw NumericalError("the rigid motions have no mass: the mass matrix isn't positive definite on them");
    factor->orthonormalize(z);
  }
}

void orthonormalize_rigid(MatrixXd& z, const SparseMatrix& mass) {
  orthonormalize_rigid(z, [&](const MatrixXd& x) -> MatrixXd { return mass.map() * x; });
}

MatrixXd rigid_motions(const PreparedMesh& prepared, std::span<const std::int32_t> fixed_vertices) {
  const VolumeMesh& mesh = prepared.mesh();
  const std::vector<bool> fixed = mark_fixed(mesh, fixed_vertices);
  const auto components = connected_components(mesh);
  std::vector<Frame> frames;
  std::vector<MatrixXd> motions;
  Eigen::Index count = 0;
  for (const auto& component : components) {
    frames.push_back(frame_of(mesh, component));
    motions.push_back(free_motions(mesh, frames.back(), component, fixed));
    count += motions.back().cols();
  }
  MatrixXd z = MatrixXd::Zero(3 * mesh.vertex_count(), count);
  Eigen::Index first = 0;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const Eigen::Index columns = motions[i].cols();
    for (const std::int32_t v : components[i])
      if (!fixed[static_cast<std::size_t>(v)])
        z.block(3 * Eigen::Index{v}, first, 3, columns) = rigid_map(frames[i], position(mesh, v)) * motions[i];
    first += columns;
  }
  return z;
}

Matrix rigid_modes(const VolumeMesh& mesh, const SparseMatrix& mass, std::span<const std::int32_t> fixed_vertices) {
  return rigid_modes(PreparedMesh(mesh), mass, fixed_vertices);
}

Matrix rigid_modes(const PreparedMesh& mesh, const SparseMatrix& mass, std::span<const std::int32_t> fixed_vertices) {
  if (mass.rows != 3 * mesh.vertex_count() || mass.cols != mass.rows)
    throw InputError("the mass matrix has " + std::to_string(mass.rows) + " rows and " + std::to_string(mass.cols) +
                     " columns, but the mesh has " + std::to_string(mesh.vertex_count()) +
                     " vertices; three rows and columns per vertex are needed");
  MatrixXd z = rigid_motions(mesh, fixed_vertices);
  orthonormalize_rigid(z, mass);
  return to_matrix(z);
}

}  // namespace quartic
