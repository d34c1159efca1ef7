// Mass matrices: what each element adds. element_batches.hpp sums it up.
#include <algorithm>

#include "core/elements/quadrature.hpp"
#include "core/fem/masses_and_springs.hpp"
#include "cpu/fem/cpu_fem.hpp"
#include "cpu/fem/element_batches.hpp"

namespace quartic {
namespace {

// Calls body(block, block number, number of the block's first element).
template <class Body>
void for_each_block(const VolumeMesh& mesh, const Body& body) {
  std::int64_t first = 0;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    body(mesh.blocks[b], b, first);
    first += mesh.blocks[b].count();
  }
}

// m_ab = integral of rho phi_a phi_b of elements begin .. end-1, shape (element, a, b).
void mass_of_elements(const VolumeMesh& mesh, const ElementBlock& block, const TabulatedRule& rule,
                      const ElementMaterials& materials, std::int64_t first, std::int64_t begin, std::int64_t end,
                      double* out) {
  const auto corners = static_cast<std::size_t>(rule.vertex_count);
  std::fill(out, out + static_cast<std::size_t>(end - begin) * corners * corners, 0.0);
  for_each_point(mesh, block, rule, begin, end, [&](auto e, auto, const PointGeometry& geometry, std::size_t p) {
    const double mass = geometry.weight * materials.density[materials.region(first + e)];
    double* m = out + static_cast<std::size_t>(e - begin) * corners * corners;
    for (std::size_t a = 0; a < corners; ++a)
      for (std::size_t b = 0; b < corners; ++b) m[a * corners + b] += mass * (rule.values[p][a] * rule.values[p][b]);
  });
}

SparseMatrix consistent_mass(const PreparedMesh& prepared) {
  const VolumeMesh& mesh = prepared.mesh();
  const std::vector<Incidence>& incidences = prepared.incidences();
  const VertexGraph& graph = prepared.graph();
  SparseMatrix matrix = block_matrix(graph, false);
  for_each_block(mesh, [&](const ElementBlock& block, std::size_t b, std::int64_t first) {
    const ElementTable& table = element_table(block.type);
    const TabulatedRule rule(table, mass_rule(block));
    const auto corners = static_cast<std::size_t>(table.vertex_count);
    cpu::assemble(
        block, incidences[b], static_cast<std::int64_t>(corners * corners),
        [&](std::int64_t begin, std::int64_t end, double* out) {
          mass_of_elements(mesh, block, rule, prepared.materials(), first, begin, end, out);
        },
        [&](std::int64_t v, std::int64_t e, std::int64_t local, const double* in) {
          const auto vertices = block.element(e);
          for (std::size_t k = 0; k < corners; ++k) {
            const std::size_t column = graph.find(v, vertices[k]);
            const double mass = in[static_cast<std::size_t>(local) * corners + k];
            for (std::size_t c = 0; c < 3; ++c) {
              const auto row = static_cast<std::size_t>(3 * v) + c;
              matrix.values[static_cast<std::size_t>(matrix.row_offsets[row]) + column] += mass;
            }
          }
        });
  });
  return matrix;
}

// What is left of an element's mass matrix on the diagonal: row sums, or for quadratic elements, where some of these
// are negative, the diagonal scaled to the same total (Hinton, Rock & Zienkiewicz 1976).
void lump(std::size_t corners, bool quadratic, const double* matrix, double* diagonal) {
  double total = 0, trace = 0;
  for (std::size_t a = 0; a < corners; ++a) {
    double sum = 0;
    for (std::size_t b = 0; b < corners; ++b) sum += matrix[a * corners + b];
    diagonal[a] = quadratic ? matrix[a * corners + a] : sum;
    total += sum;
    trace += matrix[a * corners + a];
  }
  for (std::size_t a = 0; a < corners && quadratic; ++a) diagonal[a] *= total / trace;
}

SparseMatrix lumped_mass(const PreparedMesh& prepared) {
  const VolumeMesh& mesh = prepared.mesh();
  std::vector<double> masses(static_cast<std::size_t>(mesh.vertex_count()));
  for_each_block(mesh, [&](const ElementBlock& block, std::size_t b, std::int64_t first) {
    const ElementTable& table = element_table(block.type);
    const TabulatedRule rule(table, mass_rule(block));
    const auto corners = static_cast<std::size_t>(table.vertex_count);
    cpu::assemble(
        block, prepared.incidences()[b], static_cast<std::int64_t>(corners),
        [&](std::int64_t begin, std::int64_t end, double* out) {
          std::vector<double> matrix(corners * corners);
          for (std::int64_t e = begin; e < end; ++e) {
            mass_of_elements(mesh, block, rule, prepared.materials(), first, e, e + 1, matrix.data());
            lump(corners, is_quadratic(block.type), matrix.data(), out + static_cast<std::size_t>(e - begin) * corners);
          }
        },
        [&](std::int64_t v, std::int64_t, std::int64_t local, const double* in) {
          masses[static_cast<std::size_t>(v)] += in[local];
        });
  });
  return diagonal_matrix(masses);
}

}  // namespace

SparseMatrix cpu::mass(const PreparedMesh& mesh, MassMatrix kind) {
  SparseMatrix matrix = kind == MassMatrix::lumped ? lumped_mass(mesh) : consistent_mass(mesh);
  add_masses(mesh.mesh().masses, matrix);
  return matrix;
}

}  // namespace quartic
