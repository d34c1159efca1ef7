// Element integrals of fem.hpp: what each element adds to M, K, R and the energy. assembly.hpp sums them up.
#include "quartic/fem.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "core/quadrature.hpp"
#include "core/stvk.hpp"
#include "cpu/assembly.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using stvk::Matrix3;
using Vector3 = std::array<double, 3>;

void require_displacement(const VolumeMesh& mesh, std::span<const double> u) {
  if (std::ssize(u) == 3 * mesh.vertex_count()) return;
  throw InputError("the displacement has " + std::to_string(u.size()) + " numbers, but the mesh has " +
                   std::to_string(mesh.vertex_count()) + " vertices; three numbers per vertex are needed");
}

std::vector<Incidence> incidences_of(const VolumeMesh& mesh) {
  std::vector<Incidence> incidences;
  incidences.reserve(mesh.blocks.size());
  for (const ElementBlock& block : mesh.blocks) incidences.emplace_back(block, mesh.vertex_count());
  return incidences;
}

// Calls body(block, block number, number of the block's first element).
template <class Body>
void for_each_block(const VolumeMesh& mesh, const Body& body) {
  std::int64_t first = 0;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    body(mesh.blocks[b], b, first);
    first += mesh.blocks[b].count();
  }
}

// A = sum of u_a g_a^T.
Matrix3 displacement_gradient(std::span<const std::int32_t> vertices, const PointGeometry& geometry,
                              std::span<const double> u) {
  Matrix3 a{};
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const double* ua = &u[3 * static_cast<std::size_t>(vertices[v])];
    const Vector3& g = geometry.gradient[v];
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) a[3 * r + c] += ua[r] * g[c];
  }
  return a;
}

Matrix3 plus_identity(Matrix3 a) {
  a[0] += 1;
  a[4] += 1;
  a[8] += 1;
  return a;
}

Vector3 times(const Matrix3& a, const Vector3& x) {
  return {a[0] * x[0] + a[1] * x[1] + a[2] * x[2], a[3] * x[0] + a[4] * x[1] + a[5] * x[2],
          a[6] * x[0] + a[7] * x[1] + a[8] * x[2]};
}

double dot(const Vector3& x, const Vector3& y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

// ---- tangent stiffness ---------------------------------------------------------------------------------------

// Adds one point's share of the blocks K_ab, b >= a, to `blocks`, shape (a, b, 3, 3). With F = I + A:
//   K_ab = w ((g_a . S g_b) I + lambda F g_a (F g_b)^T + mu F g_b (F g_a)^T + mu (g_a . g_b) F F^T).
void add_tangent_blocks(std::size_t corners, const PointGeometry& geometry, const Matrix3& gradient, double lambda,
                        double mu, double* blocks) {
  const double w = geometry.weight;
  const Matrix3 f = plus_identity(gradient);
  const Matrix3 s = stvk::second_piola_stress(stvk::green_strain(gradient), lambda, mu);
  Matrix3 fft;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c)
      fft[3 * r + c] = f[3 * r] * f[3 * c] + f[3 * r + 1] * f[3 * c + 1] + f[3 * r + 2] * f[3 * c + 2];
  std::array<Vector3, 20> fg, sg;
  for (std::size_t a = 0; a < corners; ++a) {
    fg[a] = times(f, geometry.gradient[a]);
    sg[a] = times(s, geometry.gradient[a]);
  }
  for (std::size_t a = 0; a < corners; ++a)
    for (std::size_t b = a; b < corners; ++b) {
      double* block = blocks + 9 * (a * corners + b);
      const double stress = w * dot(geometry.gradient[a], sg[b]);
      const double shear = w * mu * dot(geometry.gradient[a], geometry.gradient[b]);
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c)
          block[3 * r + c] += w * (lambda * fg[a][r] * fg[b][c] + mu * fg[b][r] * fg[a][c]) + shear * fft[3 * r + c];
        block[4 * r] += stress;
      }
    }
}

// K_ba = K_ab^T, also within the blocks K_aa, whose two halves are rounded differently.
void mirror_blocks(std::size_t corners, double* blocks) {
  for (std::size_t a = 0; a < corners; ++a)
    for (std::size_t b = a; b < corners; ++b) {
      const double* upper = blocks + 9 * (a * corners + b);
      double* lower = blocks + 9 * (b * corners + a);
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = a == b ? r + 1 : 0; c < 3; ++c) lower[3 * c + r] = upper[3 * r + c];
    }
}

// ---- mass ----------------------------------------------------------------------------------------------------

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

SparseMatrix consistent_mass(const VolumeMesh& mesh, const ElementMaterials& materials) {
  const auto incidences = incidences_of(mesh);
  const VertexGraph graph(mesh, incidences);
  SparseMatrix matrix = block_matrix(graph, false);
  for_each_block(mesh, [&](const ElementBlock& block, std::size_t b, std::int64_t first) {
    const ElementTable& table = element_table(block.type);
    const TabulatedRule rule(table, table.mass_rule);
    const auto corners = static_cast<std::size_t>(table.vertex_count);
    assemble(
        block, incidences[b], static_cast<std::int64_t>(corners * corners),
        [&](std::int64_t begin, std::int64_t end, double* out) {
          mass_of_elements(mesh, block, rule, materials, first, begin, end, out);
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

SparseMatrix lumped_mass(const VolumeMesh& mesh, const ElementMaterials& materials) {
  std::vector<double> masses(static_cast<std::size_t>(mesh.vertex_count()));
  for_each_block(mesh, [&](const ElementBlock& block, std::size_t, std::int64_t first) {
    const ElementTable& table = element_table(block.type);
    const TabulatedRule rule(table, table.mass_rule);
    const auto corners = static_cast<std::size_t>(table.vertex_count);
    assemble(
        block, Incidence(block, mesh.vertex_count()), static_cast<std::int64_t>(corners),
        [&](std::int64_t begin, std::int64_t end, double* out) {
          std::vector<double> matrix(corners * corners);
          for (std::int64_t e = begin; e < end; ++e) {
            mass_of_elements(mesh, block, rule, materials, first, e, e + 1, matrix.data());
            lump(corners, is_quadratic(block.type), matrix.data(), out + static_cast<std::size_t>(e - begin) * corners);
          }
        },
        [&](std::int64_t v, std::int64_t, std::int64_t local, const double* in) {
          masses[static_cast<std::size_t>(v)] += in[local];
        });
  });
  SparseMatrix matrix;
  matrix.rows = matrix.cols = 3 * mesh.vertex_count();
  if (matrix.rows >= std::numeric_limits<std::int32_t>::max())
    throw InputError("the mesh has more degrees of freedom than 32-bit indices can count; use a coarser mesh");
  matrix.columns.resize(static_cast<std::size_t>(matrix.rows));
  std::iota(matrix.columns.begin(), matrix.columns.end(), 0);
  matrix.row_offsets = matrix.columns;
  matrix.row_offsets.push_back(static_cast<std::int32_t>(matrix.rows));
  matrix.values.reserve(matrix.columns.size());
  for (const double mass : masses) matrix.values.insert(matrix.values.end(), 3, mass);
  return matrix;
}

}  // namespace

SparseMatrix mass_matrix(const VolumeMesh& mesh, MassMatrix kind) {
  require_usable(mesh);
  const ElementMaterials materials(mesh);
  return kind == MassMatrix::lumped ? lumped_mass(mesh, materials) : consistent_mass(mesh, materials);
}

SparseMatrix tangent_stiffness(const VolumeMesh& mesh, std::span<const double> u) {
  require_usable(mesh);
  require_displacement(mesh, u);
  const ElementMaterials materials(mesh);
  const auto incidences = incidences_of(mesh);
  const VertexGraph graph(mesh, incidences);
  SparseMatrix matrix = block_matrix(graph, true);
  for_each_block(mesh, [&](const ElementBlock& block, std::size_t b, std::int64_t first) {
    const ElementTable& table = element_table(block.type);
    const TabulatedRule rule(table, table.stiffness_rule);
    const auto corners = static_cast<std::size_t>(table.vertex_count);
    const std::size_t numbers = 9 * corners * corners;
    assemble(
        block, incidences[b], static_cast<std::int64_t>(numbers),
        [&](std::int64_t begin, std::int64_t end, double* out) {
          std::fill(out, out + static_cast<std::size_t>(end - begin) * numbers, 0.0);
          for_each_point(mesh, block, rule, begin, end,
                         [&](auto e, auto vertices, const PointGeometry& geometry, auto) {
                           const auto region = materials.region(first + e);
                           add_tangent_blocks(corners, geometry, displacement_gradient(vertices, geometry, u),
                                              materials.lambda[region], materials.mu[region],
                                              out + static_cast<std::size_t>(e - begin) * numbers);
                         });
          for (std::int64_t e = begin; e < end; ++e)
            mirror_blocks(corners, out + static_cast<std::size_t>(e - begin) * numbers);
        },
        [&](std::int64_t v, std::int64_t e, std::int64_t local, const double* in) {
          const auto vertices = block.element(e);
          for (std::size_t k = 0; k < corners; ++k) {
            const std::size_t column = 3 * graph.find(v, vertices[k]);
            const double* from = in + 9 * (static_cast<std::size_t>(local) * corners + k);
            for (std::size_t r = 0; r < 3; ++r) {
              const auto row = static_cast<std::size_t>(matrix.row_offsets[static_cast<std::size_t>(3 * v) + r]);
              for (std::size_t c = 0; c < 3; ++c) matrix.values[row + column + c] += from[3 * r + c];
            }
          }
        });
  });
  return matrix;
}

SparseMatrix stiffness_matrix(const VolumeMesh& mesh) {
  return tangent_stiffness(mesh, std::vector<double>(mesh.vertices.size()));
}

std::vector<double> internal_force(const VolumeMesh& mesh, std::span<const double> u) {
  require_usable(mesh);
  require_displacement(mesh, u);
  const ElementMaterials materials(mesh);
  std::vector<double> force(u.size());
  for_each_block(mesh, [&](const ElementBlock& block, std::size_t, std::int64_t first) {
    const ElementTable& table = element_table(block.type);
    const TabulatedRule rule(table, table.stiffness_rule);
    const std::size_t numbers = 3 * static_cast<std::size_t>(table.vertex_count);
    assemble(
        block, Incidence(block, mesh.vertex_count()), static_cast<std::int64_t>(numbers),
        [&](std::int64_t begin, std::int64_t end, double* out) {
          std::fill(out, out + static_cast<std::size_t>(end - begin) * numbers, 0.0);
          for_each_point(
              mesh, block, rule, begin, end, [&](auto e, auto vertices, const PointGeometry& geometry, auto) {
                const auto region = materials.region(first + e);
                const Matrix3 a = displacement_gradient(vertices, geometry, u);
                const Matrix3 s =
                    stvk::second_piola_stress(stvk::green_strain(a), materials.lambda[region], materials.mu[region]);
                const Matrix3 p = stvk::product(plus_identity(a), s);
                double* element_force = out + static_cast<std::size_t>(e - begin) * numbers;
                for (std::size_t k = 0; k < vertices.size(); ++k) {
                  const Vector3 f = times(p, geometry.gradient[k]);
                  for (std::size_t c = 0; c < 3; ++c) element_force[3 * k + c] += geometry.weight * f[c];
                }
              });
        },
        [&](std::int64_t v, std::int64_t, std::int64_t local, const double* in) {
          for (std::size_t c = 0; c < 3; ++c)
            force[static_cast<std::size_t>(3 * v) + c] += in[static_cast<std::size_t>(3 * local) + c];
        });
  });
  return force;
}

double strain_energy(const VolumeMesh& mesh, std::span<const double> u) {
  require_usable(mesh);
  require_displacement(mesh, u);
  constexpr std::int64_t elements_per_task = 1024;
  const ElementMaterials materials(mesh);
  double energy = 0;
  for_each_block(mesh, [&](const ElementBlock& block, std::size_t, std::int64_t first) {
    const ElementTable& table = element_table(block.type);
    const TabulatedRule rule(table, table.stiffness_rule);
    std::vector<double> parts(static_cast<std::size_t>(block.count() / elements_per_task + 1));
    parallel_ranges(block.count(), elements_per_task, [&](std::int64_t begin, std::int64_t end) {
      double part = 0;
      for_each_point(mesh, block, rule, begin, end, [&](auto e, auto vertices, const PointGeometry& geometry, auto) {
        const auto region = materials.region(first + e);
        const Matrix3 strain = stvk::green_strain(displacement_gradient(vertices, geometry, u));
        part += geometry.weight * stvk::energy_density(strain, materials.lambda[region], materials.mu[region]);
      });
      parts[static_cast<std::size_t>(begin / elements_per_task)] = part;
    });
    for (const double part : parts) energy += part;
  });
  return energy;
}

}  // namespace quartic
