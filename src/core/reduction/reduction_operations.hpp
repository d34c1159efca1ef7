// What a backend does for the reduction of an energy.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/elements/elastic_constants.hpp"
#include "core/fem/prepared_mesh.hpp"
#include "quartic/backend.hpp"
#include "quartic/energy.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

/// Of bases that have been checked.
struct ReductionOperations {
  /// An energy for each set of Lame constants.
  std::vector<QuarticEnergy> (*reduce_energies)(const PreparedMesh& mesh, const MatrixRef& basis,
                                                std::span<const RegionConstants> sets, std::int64_t workspace_bytes,
                                                const Progress& progress);
  /// The energy as a sum of squares; null on cuda. @throws InputError if the triangle and a point don't fit into the
  /// workspace
  StrainForm (*triangularize_strains)(const PreparedMesh& mesh, const MatrixRef& basis,
                                      const RegionConstants& constants, std::int64_t workspace_bytes,
                                      const Progress& progress);
};

extern const ReductionOperations cpu_reduction_operations;

/// @throws BackendUnavailable
[[nodiscard]] const ReductionOperations& reduction_operations(Backend backend);

}  // namespace quartic
