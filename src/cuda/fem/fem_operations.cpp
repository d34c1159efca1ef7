#include "cuda/fem/fem_operations.hpp"

#include "cuda/fem/assembly.hpp"
#include "cuda/fem/force_hessian.hpp"

namespace quartic::cuda {
namespace {

SparseMatrix stiffness(const PreparedMesh& mesh) {
  return block_matrix(mesh.graph(), stiffness_blocks(mesh), true);
}

SparseMatrix mass(const PreparedMesh& mesh, MassMatrix kind) {
  const std::vector<double> values = masses(mesh, kind);
  return kind == MassMatrix::lumped ? diagonal_matrix(values) : block_matrix(mesh.graph(), values, false);
}

}  // namespace

constinit const FemOperations fem_operations = {.stiffness = stiffness, .mass = mass, .force_hessian = force_hessian};

}  // namespace quartic::cuda
