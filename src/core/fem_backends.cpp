// Finite elements on a backend: what is checked first, and matrices from the backends' blocks.
#include <string>

#include "core/backend_checks.hpp"
#include "core/cuda_backend.hpp"
#include "core/quadrature.hpp"
#include "cpu/force_hessian.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"

namespace quartic {
namespace {

// Writes blocks into the rows of a matrix with the graph's pattern: block n has `width` columns in each of its rows, at
// `blocks[n]`, `row_stride` numbers apart.
void fill_rows(const VertexGraph& graph, const std::vector<double>& blocks, std::size_t width, SparseMatrix& matrix) {
  const std::size_t size = width == 3 ? 9 : 1;
  for (std::size_t v = 0; v + 1 < graph.offsets.size(); ++v)
    for (std::size_t c = 0; c < 3; ++c) {
      auto to = matrix.values.begin() + matrix.row_offsets[3 * v + c];
      for (auto n = static_cast<std::size_t>(graph.offsets[v]); n < static_cast<std::size_t>(graph.offsets[v + 1]); ++n)
        for (std::size_t d = 0; d < width; ++d) *to++ = blocks[n * size + (width == 3 ? 3 * c + d : 0)];
    }
}

}  // namespace

SparseMatrix stiffness_matrix(const VolumeMesh& mesh, Backend backend) {
  if (backend == Backend::cpu) return stiffness_matrix(mesh);
  const CudaBackend& cuda = cuda_backend();
  require_usable(mesh);
  const std::vector<Incidence> incidences = incidences_of(mesh);
  const VertexGraph graph(mesh, incidences);
  SparseMatrix matrix = block_matrix(graph, true);
  fill_rows(graph, cuda.stiffness_blocks(MeshImage(mesh), incidences, graph), 3, matrix);
  return matrix;
}

SparseMatrix mass_matrix(const VolumeMesh& mesh, MassMatrix kind, Backend backend) {
  if (backend == Backend::cpu) return mass_matrix(mesh, kind);
  const CudaBackend& cuda = cuda_backend();
  require_usable(mesh);
  const std::vector<Incidence> incidences = incidences_of(mesh);
  const VertexGraph graph(mesh, incidences);
  const std::vector<double> masses = cuda.masses(MeshImage(mesh), incidences, graph, kind);
  if (kind == MassMatrix::lumped) return diagonal_matrix(masses);
  SparseMatrix matrix = block_matrix(graph, false);
  fill_rows(graph, masses, 1, matrix);
  return matrix;
}

Matrix force_hessian(const VolumeMesh& mesh, MatrixRef fields, std::span<const std::array<int, 2>> pairs,
                     Backend backend) {
  require_backend(backend);
  require_usable(mesh);
  if (fields.rows() != 3 * mesh.vertex_count())
    throw InputError("the fields have " + std::to_string(fields.rows()) + " rows, but the mesh has " +
                     std::to_string(mesh.vertex_count()) + " vertices; three rows per vertex are needed");
  for (const auto& pair : pairs)
    for (const int i : pair)
      if (i < 0 || i >= fields.cols())
        throw InputError("a pair names field " + std::to_string(i) + ", but there are " +
                         std::to_string(fields.cols()) + " fields, counted from 0");
  if (backend == Backend::cpu || pairs.empty()) return cpu::force_hessian(mesh, fields, pairs);
  return cuda_backend().force_hessian(MeshImage(mesh), incidences_of(mesh), fields, pairs);
}

Matrix force_hessian(const VolumeMesh& mesh, MatrixRef fields, std::span<const std::array<int, 2>> pairs) {
  return force_hessian(mesh, fields, pairs, Backend::cpu);
}

}  // namespace quartic
