#include "core/cubature/mesh_points.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/algebra/sparse_product.hpp"
#include "core/base/memory.hpp"
#include "core/base/thread_pool.hpp"
#include "core/elements/quadrature.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/fem/fem_operations.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

struct Block {
  const ElementBlock& elements;
  TabulatedRule rule;
  std::int64_t first;  // element of the mesh
};

std::vector<Block> blocks_of(const VolumeMesh& mesh) {
  std::vector<Block> blocks;
  std::int64_t first = 0;
  for (const ElementBlock& block : mesh.blocks) {
    blocks.push_back({block, TabulatedRule(element_table(block.type), stiffness_rule(block)), first});
    first += block.count();
  }
  return blocks;
}

const Block& block_with(const std::vector<Block>& blocks, const CubaturePoint& point) {
  for (const Block& block : blocks)
    if (point.element >= block.first && point.element < block.first + block.elements.count() && point.point >= 0 &&
        std::cmp_less(point.point, block.rule.weights.size()))
      return block;
  throw InputError("the mesh has no point " + std::to_string(point.point) + " of element " +
                   std::to_string(point.element));
}

// One point's rows: gradients of all basis vectors, shape (3, 3, r).
void set_point(const PreparedMesh& mesh, const MatrixRef& basis, const Block& block, std::size_t p, Cubature& c) {
  const CubaturePoint& point = c.points[p];
  const auto vertices = block.elements.element(point.element - block.first);
  std::array<std::array<double, 3>, 20> x;
  gather_positions(mesh.mesh(), vertices, x);
  PointGeometry geometry;
  point_geometry(x, block.rule, static_cast<std::size_t>(point.point), geometry);
  c.volumes[p] = geometry.weight;
  const auto r = static_cast<std::size_t>(c.rank);
  double* gradients = c.gradients.data() + 9 * r * p;
  std::fill_n(gradients, 9 * r, 0.0);
  for (std::size_t i = 0; i < r; ++i)
    for (std::size_t a = 0; a < vertices.size(); ++a)
      for (std::size_t row = 0; row < 3; ++row) {
        const double u = basis(3 * vertices[a] + static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(i));
        for (std::size_t column = 0; column < 3; ++column)
          gradients[(3 * row + column) * r + i] += u * geometry.gradient[a][column];
      }
  const ElementMaterials& materials = mesh.materials();
  const std::size_t region = materials.region(point.element);
  c.materials[p] = {.law = materials.law[region],
                    .lambda = materials.lambda[region],
                    .mu = materials.mu[region],
                    .mooney_share = materials.mooney_share[region]};
}

}  // namespace

void require_cubature_basis(const PreparedMesh& mesh, MatrixRef basis) {
  if (basis.rows() != 3 * mesh.vertex_count() || basis.cols() < 1 || basis.cols() > rank_limit)
    throw InputError("the basis of a cubature must have three rows per vertex and 1 .. " + std::to_string(rank_limit) +
                     " columns, not the shape (" + std::to_string(basis.rows()) + ", " + std::to_string(basis.cols()) +
                     ")");
  if (!basis.allFinite()) throw InputError("the basis has an entry that isn't a finite number");
}

std::vector<CubaturePoint> all_points(const VolumeMesh& mesh) {
  std::vector<CubaturePoint> points;
  for (const Block& block : blocks_of(mesh))
    for (std::int64_t e = 0; e < block.elements.count(); ++e)
      for (std::size_t p = 0; p < block.rule.weights.size(); ++p)
        points.push_back({static_cast<std::int32_t>(block.first + e), static_cast<std::int32_t>(p)});
  return points;
}

Cubature points_of(const PreparedMesh& mesh, MatrixRef basis, std::vector<CubaturePoint> points) {
  const std::vector<Block> blocks = blocks_of(mesh.mesh());
  for (const CubaturePoint& point : points) static_cast<void>(block_with(blocks, point));
  Cubature c;
  c.rank = static_cast<int>(basis.cols());
  c.points = std::move(points);
  const std::size_t count = c.points.size();
  require_memory(72.0 * static_cast<double>(count) * c.rank,
                 "the gradients of " + std::to_string(count) + " quadrature points",
                 "use a coarser mesh or a smaller rank");
  c.weights.assign(count, 1);
  c.volumes.resize(count);
  c.materials.resize(count);
  c.gradients.resize(9 * count * static_cast<std::size_t>(c.rank));
  constexpr std::int64_t points_per_task = 256;
  parallel_ranges(std::ssize(c.points), points_per_task, [&](std::int64_t begin, std::int64_t end) {
    for (auto p = static_cast<std::size_t>(begin); std::cmp_less(p, end); ++p)
      set_point(mesh, basis, block_with(blocks, c.points[p]), p, c);
  });
  return c;
}

void set_base(const PreparedMesh& mesh, MatrixRef basis, ControlVariate base, Cubature& cubature) {
  if (base == ControlVariate::none && !mesh.mesh().springs.empty())
    throw InputError("springs have no quadrature points; take the control variate stiffness or stvk, which has them");
  cubature.base = base;
  cubature.stiffness = Matrix(basis.cols(), basis.cols());
  const Eigen::MatrixXd k = basis.transpose() * sparse_times(fem_operations(Backend::cpu).stiffness(mesh), basis);
  cubature.stiffness.map() = (k + k.transpose()) / 2;
  if (base != ControlVariate::stvk) return;
  VolumeMesh stvk = mesh.mesh();
  for (Region& region : stvk.regions)
    if (region.material) region.material->law = MaterialLaw::stvk;
  cubature.base_energy = reduce_energy(stvk, basis);
}

}  // namespace quartic
