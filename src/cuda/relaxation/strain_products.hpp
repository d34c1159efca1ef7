// Products of the linear strains of fields with each other and with the quadratic ones of a basis, on the device. See
// core/relaxation/relaxation_operations.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/elements/elastic_constants.hpp"
#include "core/fem/prepared_mesh.hpp"
#include "quartic/matrix.hpp"
#include "quartic/relaxation.hpp"

namespace quartic::cuda {

/// The strains' way: nothing is gained here by the stiffness of pairs of vertices that the CPU goes by.
/// @throws DeviceError that says what is needed if the device has too little memory, BackendUnavailable without cuBLAS
[[nodiscard]] Matrix geometric_products(const PreparedMesh& mesh, const MatrixRef& basis, const MatrixRef& fields,
                                        std::int64_t workspace_bytes, const Progress& progress);
[[nodiscard]] std::vector<StrainProducts> strain_products(const PreparedMesh& mesh, const MatrixRef& fields,
                                                          std::int64_t rank, std::span<const RegionConstants> sets,
                                                          std::int64_t workspace_bytes, const Progress& progress);

}  // namespace quartic::cuda
