#include "core/reduction/region_mass.hpp"

#include "core/algebra/blas.hpp"
#include "core/algebra/sparse_product.hpp"
#include "quartic/fem.hpp"

namespace quartic {
namespace {

// The elements of one region at density 1, on all vertices.
VolumeMesh part_of(const VolumeMesh& mesh, std::int32_t region) {
  VolumeMesh part;
  part.vertices = mesh.vertices;
  part.regions = {{.name = "", .material = Material{.youngs_modulus = 1, .poissons_ratio = 0, .density = 1}}};
  std::int64_t element = 0;
  for (const ElementBlock& block : mesh.blocks) {
    ElementBlock kept{.type = block.type, .vertices = {}, .hexahedron_rule = block.hexahedron_rule};
    for (std::int64_t e = 0; e < block.count(); ++e, ++element)
      if (mesh.element_region[static_cast<std::size_t>(element)] == region) {
        const auto vertices = block.element(e);
        kept.vertices.insert(kept.vertices.end(), vertices.begin(), vertices.end());
        part.element_region.push_back(0);
      }
    if (!kept.vertices.empty()) part.blocks.push_back(std::move(kept));
  }
  return part;
}

}  // namespace

Matrix unit_acceleration(const Matrix& basis, const SparseMatrix& mass) {
  Eigen::MatrixXd unit = Eigen::MatrixXd::Zero(mass.rows, 3);
  for (Eigen::Index i = 0; i < unit.rows(); ++i) unit(i, i % 3) = 1;
  return to_matrix(blas::multiply_transposed(basis.map(), sparse_times(mass, unit)));
}

Matrix unit_acceleration(const Matrix& basis, std::span<const double> vertex_masses) {
  Matrix result(basis.cols, 3);
  for (std::int64_t j = 0; j < basis.cols; ++j) {
    const auto column = basis.col(j);
    for (std::size_t i = 0; i < column.size(); ++i)
      result.map()(j, static_cast<Eigen::Index>(i % 3)) += column[i] * vertex_masses[i / 3];
  }
  return result;
}

RegionMass region_mass(const ReducedModel& model, std::int32_t region) {
  const VolumeMesh part = part_of(model.mesh, region);
  const Eigen::Index r = model.basis.cols;
  if (part.element_region.empty()) return {Matrix(r, r), Matrix(r, 3)};
  const SparseMatrix mass = mass_matrix(part, model.mass_matrix);
  return {to_matrix(blas::multiply_transposed(model.basis.map(), sparse_times(mass, model.basis.map()))),
          unit_acceleration(model.basis, mass)};
}

}  // namespace quartic
