// The reduction of the energy of a mesh that has been checked.
#pragma once

#include <vector>

#include "core/fem/prepared_mesh.hpp"
#include "quartic/energy.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

/// As the functions of energy.hpp.
[[nodiscard]] QuarticEnergy reduce_energy(const PreparedMesh& mesh, const MatrixRef& basis,
                                          const ReduceEnergyOptions& options);
[[nodiscard]] std::vector<RegionEnergy> reduce_region_energy(const PreparedMesh& mesh, const MatrixRef& basis,
                                                             const ReduceEnergyOptions& options);

}  // namespace quartic
