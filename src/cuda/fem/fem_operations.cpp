#include "cuda/fem/fem_operations.hpp"

#include "core/fem/masses_and_springs.hpp"
#include "cuda/fem/assembly.hpp"
#include "cuda/fem/force_hessian.hpp"
#include "cuda/fem/vertex_graph.hpp"

namespace quartic::cuda {
namespace {

SparseMatrix stiffness(const PreparedMesh& mesh) {
  const VertexGraph graph = vertex_graph(mesh);
  SparseMatrix matrix = block_matrix(graph, stiffness_blocks(mesh, graph), true);
  add_springs(mesh.mesh().springs, matrix);
  return matrix;
}

SparseMatrix mass(const PreparedMesh& mesh, MassMatrix kind) {
  const VertexGraph graph = vertex_graph(mesh);
  const std::vector<double> values = masses(mesh, graph, kind);
  SparseMatrix matrix = kind == MassMatrix::lumped ? diagonal_matrix(values) : block_matrix(graph, values, false);
  add_masses(mesh.mesh().masses, matrix);
  return matrix;
}

}  // namespace

constinit const FemOperations fem_operations = {.stiffness = stiffness, .mass = mass, .force_hessian = force_hessian};

}  // namespace quartic::cuda
