// What the CPU does with the strains of all quadrature points: their products, and the triangle of their QR
// factorisation. See core/reduction/reduction_operations.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/elements/elastic_constants.hpp"
#include "core/fem/prepared_mesh.hpp"
#include "quartic/energy.hpp"
#include "quartic/matrix.hpp"

namespace quartic::cpu {

/// Energies as sums of all products, by rank-k updates tile by tile.
[[nodiscard]] std::vector<QuarticEnergy> reduce_energies(const PreparedMesh& mesh, const MatrixRef& basis,
                                                         std::span<const RegionConstants> sets,
                                                         std::int64_t workspace_bytes, const Progress& progress);

[[nodiscard]] StrainForm triangularize_strains(const PreparedMesh& mesh, const MatrixRef& basis,
                                               const RegionConstants& constants, std::int64_t workspace_bytes,
                                               const Progress& progress);

}  // namespace quartic::cpu
