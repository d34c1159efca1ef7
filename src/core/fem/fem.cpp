// fem.hpp's functions that every backend has: the backend is found, the mesh is checked, the backend works.
#include "quartic/fem.hpp"

#include <string>

#include "core/fem/fem_operations.hpp"
#include "quartic/error.hpp"

namespace quartic {

SparseMatrix stiffness_matrix(const VolumeMesh& mesh, Backend backend) {
  const FemOperations& operations = fem_operations(backend);
  return operations.stiffness(PreparedMesh(mesh));
}

SparseMatrix stiffness_matrix(const VolumeMesh& mesh) {
  return stiffness_matrix(mesh, Backend::cpu);
}

SparseMatrix mass_matrix(const VolumeMesh& mesh, MassMatrix kind, Backend backend) {
  const FemOperations& operations = fem_operations(backend);
  return operations.mass(PreparedMesh(mesh), kind);
}

SparseMatrix mass_matrix(const VolumeMesh& mesh, MassMatrix kind) {
  return mass_matrix(mesh, kind, Backend::cpu);
}

Matrix force_hessian(const VolumeMesh& mesh, MatrixRef fields, std::span<const std::array<int, 2>> pairs,
                     Backend backend) {
  const FemOperations& operations = fem_operations(backend);
  const PreparedMesh prepared(mesh);
  if (fields.rows() != 3 * mesh.vertex_count())
    throw InputError("the fields have " + std::to_string(fields.rows()) + " rows, but the mesh has " +
                     std::to_string(mesh.vertex_count()) + " vertices; three rows per vertex are needed");
  for (const auto& pair : pairs)
    for (const int i : pair)
      if (i < 0 || i >= fields.cols())
        throw InputError("a pair names field " + std::to_string(i) + ", but there are " +
                         std::to_string(fields.cols()) + " fields, counted from 0");
  return pairs.empty() ? Matrix(fields.rows(), 0) : operations.force_hessian(prepared, fields, pairs);
}

Matrix force_hessian(const VolumeMesh& mesh, MatrixRef fields, std::span<const std::array<int, 2>> pairs) {
  return force_hessian(mesh, fields, pairs, Backend::cpu);
}

}  // namespace quartic
