#include "core/modes/modes_operations.hpp"

#include "core/fem/fem_operations.hpp"
#include "core/fem/host_matrices.hpp"
#include "cpu/modes/system_solver.hpp"

namespace quartic {
namespace {

// What a reduction takes of the host's memory isn't compared with what is free.
std::unique_ptr<ElasticMatrices> assemble(const PreparedMesh& mesh, const FreedomMap& map, MassMatrix kind,
                                          const ReductionSizes* /*reduction*/) {
  const SparseMatrix stiffness = cpu_fem_operations.stiffness(mesh);
  return std::make_unique<HostMatrices>(stiffness, cpu_fem_operations.mass(mesh, kind), map);
}

std::unique_ptr<SystemSolver> make_solver(const ElasticSystem::Impl& system) {
  return std::make_unique<cpu::CpuSystemSolver>(system);
}

}  // namespace

constinit const ModesOperations cpu_modes_operations = {.assemble = assemble, .make_solver = make_solver};

}  // namespace quartic
