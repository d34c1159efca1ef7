// What a backend does for ElasticSystem.
#pragma once

#include <cstdint>
#include <memory>

#include "core/fem/elastic_matrices.hpp"
#include "core/fem/prepared_mesh.hpp"
#include "core/modes/system_solver.hpp"
#include "core/supports/freedom_map.hpp"
#include "quartic/backend.hpp"
#include "quartic/modes.hpp"

namespace quartic {

/// What of a reduction takes memory; 0 for stages that are left out.
struct ReductionSizes {
  std::int64_t modes = 0, fields = 0, rank = 0;  ///< fields: modes, and their derivatives
};

struct ModesOperations {
  /// K and M of a mesh. @param map on a device, of whole vertices @param reduction what they are for, whose memory on a
  /// device is then compared with what is free
  /// (@throws InputError); or null
  std::unique_ptr<ElasticMatrices> (*assemble)(const PreparedMesh& mesh, const FreedomMap& map, MassMatrix kind,
                                               const ReductionSizes* reduction);
  /// Of a system whose factor is one of the backend's. The system must outlive it.
  std::unique_ptr<SystemSolver> (*make_solver)(const ElasticSystem::Impl& system);
};

extern const ModesOperations cpu_modes_operations;

/// @throws BackendUnavailable
[[nodiscard]] const ModesOperations& modes_operations(Backend backend);

}  // namespace quartic
