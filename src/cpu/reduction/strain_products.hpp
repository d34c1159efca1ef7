// What the CPU does with the strains of all quadrature points: their products, and the triangle of their QR
// factorisation.
#pragma once

#include <cstdint>
#include <functional>

#include "core/elements/elastic_constants.hpp"
#include "quartic/energy.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"

namespace quartic::cpu {

/// The energy as the sum of all products, by rank-k updates tile by tile. The mesh and the basis have been checked.
[[nodiscard]] QuarticEnergy sum_strain_products(const VolumeMesh& mesh, const MatrixRef& basis,
                                                const RegionConstants& constants, std::int64_t workspace_bytes,
                                                const Progress& progress);

/// The energy as a sum of squares. @throws InputError if the triangle and a point don't fit into the workspace
[[nodiscard]] StrainForm triangularize_strains(const VolumeMesh& mesh, const MatrixRef& basis,
                                               const RegionConstants& constants, std::int64_t workspace_bytes,
                                               const Progress& progress);

}  // namespace quartic::cpu
