// Products of the linear strains of some fields with each other and with the quadratic ones. See
// core/relaxation/relaxation_operations.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/elements/elastic_constants.hpp"
#include "core/fem/prepared_mesh.hpp"
#include "quartic/matrix.hpp"
#include "quartic/relaxation.hpp"

namespace quartic::cpu {

[[nodiscard]] std::vector<StrainProducts> strain_products(const PreparedMesh& mesh, const MatrixRef& fields,
                                                          std::int64_t rank, std::span<const RegionConstants> sets,
                                                          std::int64_t workspace_bytes, const Progress& progress);

}  // namespace quartic::cpu
