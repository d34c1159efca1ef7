#include "core/fem/fem_backends.hpp"

#include <string>

#include "core/base/cuda_backend.hpp"
#include "core/elements/quadrature.hpp"
#include "cpu/fem/force_hessian.hpp"
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

SparseMatrix stiffness_on_device(const CudaBackend& cuda, const Pattern& pattern) {
  return block_matrix(pattern.graph, cuda.stiffness_blocks(pattern.image, pattern.incidences, pattern.graph), true);
}

SparseMatrix mass_on_device(const CudaBackend& cuda, const Pattern& pattern, MassMatrix kind) {
  const std::vector<double> masses = cuda.masses(pattern.image, pattern.incidences, pattern.graph, kind);
  return kind == MassMatrix::lumped ? diagonal_matrix(masses) : block_matrix(pattern.graph, masses, false);
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
