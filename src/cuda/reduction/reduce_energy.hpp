// Reduction of the energy's coefficients on the device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/elements/elastic_constants.hpp"
#include "core/fem/prepared_mesh.hpp"
#include "quartic/energy.hpp"
#include "quartic/matrix.hpp"

namespace quartic::cuda {

/// The energy for each set of Lame constants: strains of tiles of quadrature points, their products by cuBLAS in a
/// fixed order, then the distinct coefficients, which alone come back to the host.
/// @throws DeviceError that says what is needed if the device has too little memory, BackendUnavailable without cuBLAS
[[nodiscard]] std::vector<QuarticEnergy> reduce_energies(const PreparedMesh& mesh, const MatrixRef& basis,
                                                         std::span<const RegionConstants> sets,
                                                         std::int64_t workspace_bytes, const Progress& progress);

}  // namespace quartic::cuda
