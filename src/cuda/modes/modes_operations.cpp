#include "cuda/modes/modes_operations.hpp"

#include <utility>

#include "cuda/fem/elastic_matrices.hpp"
#include "cuda/fem/vertex_graph.hpp"
#include "cuda/modes/elastic_system.hpp"
#include "cuda/modes/reduction_memory.hpp"

namespace quartic::cuda {
namespace {

std::unique_ptr<ElasticMatrices> assemble(const PreparedMesh& mesh, const FreedomMap& map, MassMatrix kind,
                                          const ReductionSizes* reduction) {
  MeshPattern pattern(vertex_graph(mesh), map.free_dofs());
  if (reduction != nullptr) require_reduction_memory(mesh, pattern, kind, *reduction);
  return std::make_unique<CudaElasticMatrices>(mesh, std::move(pattern), kind);
}

std::unique_ptr<SystemSolver> make_solver(const ElasticSystem::Impl& system) {
  return std::make_unique<CudaElasticSystem>(system);
}

}  // namespace

constinit const ModesOperations modes_operations = {.assemble = assemble, .make_solver = make_solver};

}  // namespace quartic::cuda
