#include "tested_bodies.hpp"

#include <Eigen/Geometry>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "quartic/factorization.hpp"
#include "quartic/fem.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/supports.hpp"
#include "quartic/unreduced.hpp"

namespace quartic::bench {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// ---- bodies -------------------------------------------------------------------------------------------------------

Vector3d vertex(const VolumeMesh& mesh, std::int64_t v) {
  return Vector3d::Map(&mesh.vertices[3 * static_cast<std::size_t>(v)]);
}

ProceduralMesh quadratic_box(const BoxOptions& options) {
  return {.mesh = make_quadratic(make_box(options).mesh), .fixed_vertices = {}};
}

// Holds where the coordinate is 0.
ProceduralMesh held(ProceduralMesh body, Index axis) {
  body.fixed_vertices.clear();
  for (std::int32_t v = 0; v < body.mesh.vertex_count(); ++v)
    if (std::abs(vertex(body.mesh, v)[axis]) < 1e-9) body.fixed_vertices.push_back(v);
  return body;
}

Material soft(double youngs_modulus, double poissons_ratio) {
  return {.youngs_modulus = youngs_modulus, .poissons_ratio = poissons_ratio, .density = 1000};
}

ProceduralMesh plate() {
  return held(quadratic_box({.length = 1,
                             .width = 0.6,
                             .height = 0.02,
                             .cells_x = 10,
                             .cells_y = 6,
                             .cells_z = 1,
                             .material = soft(1e7, 0.3)}),
              0);
}

// Of a cylinder of radius 1, clamped along a curved edge.
ProceduralMesh shell() {
  constexpr double angle = 1.6, length = 1.2, thickness = 0.02;
  ProceduralMesh body = quadratic_box(
      {.length = 1, .width = 1, .height = 1, .cells_x = 8, .cells_y = 8, .cells_z = 1, .material = soft(1e7, 0.3)});
  for (std::int64_t v = 0; v < body.mesh.vertex_count(); ++v) {
    const Vector3d x = vertex(body.mesh, v);
    const double a = angle * x[0], r = 1 + thickness * x[2];
    Vector3d::Map(&body.mesh.vertices[3 * static_cast<std::size_t>(v)]) =
        Vector3d(r * std::sin(a), length * x[1], r * std::cos(a));
  }
  return held(std::move(body), 1);
}

// A tenth of a square plate along two of its edges.
ProceduralMesh ell() {
  constexpr int cells = 20, arm = 2;
  VolumeMesh mesh = make_box({.length = 1,
                              .width = 1,
                              .height = 0.08,
                              .cells_x = cells,
                              .cells_y = cells,
                              .cells_z = 2,
                              .material = soft(1e6, 0.35)})
                        .mesh;
  ElementBlock& block = mesh.blocks.front();
  std::vector<std::int32_t> kept;
  for (std::int64_t e = 0; e < block.count(); ++e) {
    Vector3d middle = Vector3d::Zero();
    for (const std::int32_t v : block.element(e)) middle += vertex(mesh, v) / 8;
    if (middle[0] < double{arm} / cells || middle[1] > 1 - double{arm} / cells)
      kept.insert(kept.end(), block.element(e).begin(), block.element(e).end());
  }
  block.vertices = std::move(kept);
  mesh.element_region.assign(static_cast<std::size_t>(block.count()), 0);
  mesh.vertex_sets.clear();
  drop_unreferenced_vertices(mesh);
  return held({.mesh = make_quadratic(std::move(mesh)), .fixed_vertices = {}}, 1);
}

ProceduralMesh block() {
  return held(quadratic_box({.length = 1,
                             .width = 1,
                             .height = 1,
                             .cells_x = 5,
                             .cells_y = 5,
                             .cells_z = 5,
                             .material = soft(1e5, 0.45)}),
              2);
}

// ---- loads --------------------------------------------------------------------------------------------------------

class LoadMaker {
 public:
  LoadMaker(const ProceduralMesh& body, const VectorXd& mode)
      : mesh_(body.mesh), fixed_(body.fixed_vertices.begin(), body.fixed_vertices.end()), random_(11) {
    std::int32_t tip = 0;
    for (std::int32_t v = 0; v < mesh_.vertex_count(); ++v)
      if (mode.segment<3>(3 * v).norm() > mode.segment<3>(3 * tip).norm()) tip = v;
    tip_ = vertex(mesh_, tip);
    along_ = mode.segment<3>(3 * tip).normalized();
    Vector3d low = tip_, high = tip_;
    for (std::int32_t v = 0; v < mesh_.vertex_count(); ++v)
      low = low.cwiseMin(vertex(mesh_, v)), high = high.cwiseMax(vertex(mesh_, v));
    size_ = (high - low).maxCoeff(&longest_);
    for (const std::int32_t v : fixed_) base_ += vertex(mesh_, v) / static_cast<double>(fixed_.size());
  }

  [[nodiscard]] double size() const { return size_; }

  std::vector<VectorXd> patterns() {
    const SparseMatrix mass = mass_matrix(mesh_);
    const auto weight = [&](const Vector3d& g) {
      const std::vector<double> force = gravity_force(mass, std::array{g[0], g[1], g[2]});
      return VectorXd(VectorXd::Map(force.data(), std::ssize(force)));
    };
    const std::vector<std::int32_t> tip = patch(tip_, 0.06 * size_);
    const std::vector<std::int32_t> middle = patch(0.45 * base_ + 0.55 * tip_, 0.06 * size_);
    std::vector<VectorXd> all = {pull(tip, along_), pull(tip, along_ + direction()), weight({0, 0, -1}),
                                 weight(direction()), twist()};
    const Vector3d skew = along_ + 0.5 * direction();
    all.emplace_back(pull(tip, skew) - 2.5 * pull(middle, skew));
    std::int32_t single = 0;
    do
      single =
          std::uniform_int_distribution<std::int32_t>(0, static_cast<std::int32_t>(mesh_.vertex_count()) - 1)(random_);
    while (fixed_.contains(single));
    all.push_back(pull({single}, direction()));
    return all;
  }

 private:
  Vector3d direction() {
    std::normal_distribution<double> normal;
    Vector3d d;
    for (double& x : d) x = normal(random_);
    return d.normalized();
  }

  // Free vertices around a place, or the nearest one.
  [[nodiscard]] std::vector<std::int32_t> patch(const Vector3d& centre, double radius) const {
    std::vector<std::int32_t> found;
    std::int32_t nearest = -1;
    for (std::int32_t v = 0; v < mesh_.vertex_count(); ++v) {
      if (fixed_.contains(v)) continue;
      const double distance = (vertex(mesh_, v) - centre).norm();
      if (distance < radius) found.push_back(v);
      if (nearest < 0 || distance < (vertex(mesh_, nearest) - centre).norm()) nearest = v;
    }
    return found.empty() ? std::vector{nearest} : found;
  }

  [[nodiscard]] VectorXd pull(const std::vector<std::int32_t>& vertices, const Vector3d& force) const {
    VectorXd f = VectorXd::Zero(std::ssize(mesh_.vertices));
    for (const std::int32_t v : vertices) f.segment<3>(3 * v) = force / static_cast<double>(vertices.size());
    return f;
  }

  // Around the longest axis.
  [[nodiscard]] VectorXd twist() const {
    const std::vector<std::int32_t> around = patch(tip_, 0.15 * size_);
    Vector3d centre = Vector3d::Zero();
    for (const std::int32_t v : around) centre += vertex(mesh_, v) / static_cast<double>(around.size());
    VectorXd f = VectorXd::Zero(std::ssize(mesh_.vertices));
    for (const std::int32_t v : around) f.segment<3>(3 * v) = Vector3d::Unit(longest_).cross(vertex(mesh_, v) - centre);
    return f;
  }

  const VolumeMesh& mesh_;
  std::set<std::int32_t> fixed_;
  std::mt19937_64 random_;
  Vector3d tip_, along_, base_ = Vector3d::Zero();
  Index longest_ = 0;
  double size_ = 0;
};

}  // namespace

std::vector<TestedBody> tested_bodies() {
  return {{"beam", make_beam()},     {"beam of tet4", make_beam(40, ElementType::tet4)},
          {"spoon", make_spoon()},   {"plate", plate()},
          {"shell", shell()},        {"L", ell()},
          {"tower", make_tower(60)}, {"bridge", make_bridge(60)},
          {"heart", make_heart(14)}, {"block", block()}};
}

MatrixXd test_loads(const ProceduralMesh& body, const VectorXd& mode) {
  constexpr std::array<double, test_amplitudes> amplitudes = {0.1, 0.3, 0.8};
  LoadMaker maker(body, mode);
  const std::vector<VectorXd> patterns = maker.patterns();
  const SparseMatrix map = freedom_map(body.mesh, body.fixed_vertices), stiffness = stiffness_matrix(body.mesh);
  const Eigen::SparseMatrix<double> t = map.map(), k = t.transpose() * (stiffness.map() * t);
  const Factorization factor{to_sparse_matrix(k)};
  MatrixXd loads(mode.size(), std::ssize(patterns) * std::ssize(amplitudes));
  Index column = 0;
  for (const VectorXd& force : patterns) {
    MatrixXd x = t.transpose() * force;
    factor.solve(x);
    const VectorXd u = t * x;
    double largest = 0;
    for (Index v = 0; v < u.size(); v += 3) largest = std::max(largest, u.segment<3>(v).norm());
    for (const double amplitude : amplitudes) loads.col(column++) = amplitude * maker.size() / largest * force;
  }
  return loads;
}

}  // namespace quartic::bench
