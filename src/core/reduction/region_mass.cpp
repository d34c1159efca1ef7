#include "core/reduction/region_mass.hpp"

#include "core/algebra/blas.hpp"
#include "core/algebra/sparse_product.hpp"
#include "core/fem/scalar_mass.hpp"
#include "core/fem/unit_acceleration.hpp"
#include "core/reduction/mesh_moments.hpp"
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

// Of a region without elements.
FrameMoments no_moments(const std::array<double, 3>& origin, std::int64_t rank) {
  FrameMoments moments;
  moments.origin = origin;
  moments.unit_acceleration = Matrix(rank, 3);
  moments.moment0 = Matrix(3, 3);
  moments.moment1 = Matrix(9, rank);
  moments.moment2 = Matrix(9, rank * (rank + 1) / 2);
  return moments;
}

}  // namespace

Matrix unit_acceleration_of_region(const ReducedModel& model, std::int32_t region) {
  const VolumeMesh part = part_of(model.mesh, region);
  if (part.element_region.empty()) return {model.basis.cols, 3};
  return unit_acceleration(model.basis, mass_matrix(part, model.mass_matrix));
}

RegionMass region_mass(const ReducedModel& model, std::int32_t region, const std::array<double, 3>& origin) {
  const VolumeMesh part = part_of(model.mesh, region);
  const Eigen::Index r = model.basis.cols;
  if (part.element_region.empty()) return {Matrix(r, r), Matrix(r, 3), no_moments(origin, r)};
  const SparseMatrix mass = mass_matrix(part, model.mass_matrix);
  RegionMass result{to_matrix(blas::multiply_transposed(model.basis.map(), sparse_times(mass, model.basis.map()))),
                    unit_acceleration(model.basis, mass),
                    moments_about(origin, model.mesh.vertices, model.basis, scalar_mass(mass))};
  result.moments.unit_acceleration = result.unit_acceleration;
  return result;
}

}  // namespace quartic
