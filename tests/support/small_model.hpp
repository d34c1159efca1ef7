// A small reduced model with made-up numbers: for tests of files, which don't ask what the numbers mean.
#pragma once

#include <algorithm>

#include "quartic/model.hpp"
#include "support/support.hpp"

namespace quartic::test {

/// A hexahedron with a tetrahedron beside it, in two regions, k = 2 modes, rank r.
inline ReducedModel small_model(int rank) {
  ReducedModel model;
  VolumeMesh& mesh = model.mesh;
  mesh.vertices = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 2, 0, 0.5, 2, 1, 0.1};
  mesh.blocks = {{ElementType::tet4, {1, 8, 9, 5}}, {ElementType::hex8, {0, 1, 2, 3, 4, 5, 6, 7}}};
  mesh.element_region = {1, 0};
  mesh.regions = {{"box \"A\", \xC3\xA4", Material{.youngs_modulus = 1e6 / 3, .poissons_ratio = 0.3, .density = 1e3}},
                  {"tip", Material{.youngs_modulus = 2e6, .poissons_ratio = -0.1, .density = 7.7}}};
  const auto n = mesh.vertex_count();
  const auto fill = [](std::int64_t rows, std::int64_t cols, unsigned seed) {
    Matrix matrix(rows, cols);
    matrix.values = random_numbers(matrix.values.size(), seed);
    return matrix;
  };
  model.fixed_vertices = {0, 3, 7};
  model.rigid_modes = 1;
  model.mass_matrix = MassMatrix::lumped;
  model.eigenvalues = {12.5, 1e9 / 7};
  model.linear_modes = fill(3 * n, 2, 1);
  model.created_by = "quartic reduce \"a b\" --modes 2";
  if (rank == 0) return model;
  model.basis = fill(3 * n, rank, 2);
  for (std::int64_t j = 0; j < rank; ++j)
    for (const std::int64_t v : model.fixed_vertices) std::fill_n(model.basis.col(j).data() + 3 * v, 3, 0.0);
  model.unit_acceleration = fill(rank, 3, 3);
  const auto energy = [&](unsigned seed) {
    return QuarticEnergy{rank, random_numbers(static_cast<std::size_t>(quartic_coefficient_count(rank)), seed)};
  };
  model.energy = energy(4);
  model.region_energy = {{energy(5), energy(6)}, {energy(7), energy(8)}};
  model.region_mass = {fill(rank, rank, 9), fill(rank, rank, 10)};
  model.region_unit_acceleration = {fill(rank, 3, 11), fill(rank, 3, 12)};
  return model;
}

/// The model of rank 1 with a vertex in front of all others that belongs to no face.
inline ReducedModel small_model_with_loose_vertex() {
  ReducedModel model = small_model(1);
  model.mesh.vertices.insert(model.mesh.vertices.begin(), {9, 9, 9});
  for (auto& block : model.mesh.blocks)
    for (auto& v : block.vertices) ++v;
  for (auto& v : model.fixed_vertices) ++v;
  Matrix basis(model.basis.rows + 3, 1);
  std::copy(model.basis.values.begin(), model.basis.values.end(), basis.values.begin() + 3);
  model.basis = basis;
  return model;
}

}  // namespace quartic::test
