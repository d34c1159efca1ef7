#include "core/fem_backends.hpp"

#include <algorithm>
#include <string>

#include "core/backend_checks.hpp"
#include "core/cuda_backend.hpp"
#include "core/quadrature.hpp"
#include "core/thread_pool.hpp"
#include "cpu/force_hessian.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

// A mesh on its way to the device, with the pattern of its matrices.
struct Pattern {
  explicit Pattern(const VolumeMesh& mesh) : image(mesh), incidences(incidences_of(mesh)), graph(mesh, incidences) {}
  MeshImage image;
  std::vector<Incidence> incidences;
  VertexGraph graph;
};

// Writes blocks into the rows of a matrix with the graph's pattern: each row has `width` columns of each block, which
// has width^2 numbers.
void fill_rows(const VertexGraph& graph, const std::vector<double>& blocks, std::size_t width, SparseMatrix& matrix) {
  constexpr std::int64_t vertices_per_task = 2048;
  parallel_ranges(std::ssize(graph.offsets) - 1, vertices_per_task, [&](std::int64_t begin, std::int64_t end) {
    for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v)
      for (std::size_t c = 0; c < 3; ++c) {
        double* to = matrix.values.data() + matrix.row_offsets[3 * v + c];
        for (auto n = static_cast<std::size_t>(graph.offsets[v]); n < static_cast<std::size_t>(graph.offsets[v + 1]);
             ++n)
          to = std::copy_n(blocks.data() + n * width * width + (width == 3 ? 3 * c : 0), width, to);
      }
  });
}

SparseMatrix stiffness_on_device(const CudaBackend& cuda, const Pattern& pattern) {
  SparseMatrix matrix = block_matrix(pattern.graph, true);
  fill_rows(pattern.graph, cuda.stiffness_blocks(pattern.image, pattern.incidences, pattern.graph), 3, matrix);
  return matrix;
}

SparseMatrix mass_on_device(const CudaBackend& cuda, const Pattern& pattern, MassMatrix kind) {
  const std::vector<double> masses = cuda.masses(pattern.image, pattern.incidences, pattern.graph, kind);
  if (kind == MassMatrix::lumped) return diagonal_matrix(masses);
  SparseMatrix matrix = block_matrix(pattern.graph, false);
  fill_rows(pattern.graph, masses, 1, matrix);
  return matrix;
}

}  // namespace

SparseMatrix stiffness_matrix(const VolumeMesh& mesh, Backend backend) {
  if (backend == Backend::cpu) return stiffness_matrix(mesh);
  const CudaBackend& cuda = cuda_backend();
  require_usable(mesh);
  return stiffness_on_device(cuda, Pattern(mesh));
}

SparseMatrix mass_matrix(const VolumeMesh& mesh, MassMatrix kind, Backend backend) {
  if (backend == Backend::cpu) return mass_matrix(mesh, kind);
  const CudaBackend& cuda = cuda_backend();
  require_usable(mesh);
  return mass_on_device(cuda, Pattern(mesh), kind);
}

ElasticMatrices elastic_matrices(const VolumeMesh& mesh, MassMatrix kind, Backend backend) {
  if (backend == Backend::cpu) return {stiffness_matrix(mesh), mass_matrix(mesh, kind)};
  const CudaBackend& cuda = cuda_backend();
  require_usable(mesh);
  const Pattern pattern(mesh);
  return {stiffness_on_device(cuda, pattern), mass_on_device(cuda, pattern, kind)};
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
