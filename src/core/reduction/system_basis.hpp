// Bases of fields of an elastic system, on its backend.
#pragma once

#include <array>
#include <vector>

#include "core/modes/device_fields.hpp"
#include "quartic/basis.hpp"
#include "quartic/matrix.hpp"
#include "quartic/modes.hpp"

namespace quartic {

/// mass_pca, or mass_pca_up_to if `lower_rank`, of fields that are zero on fixed vertices, on the system's backend.
[[nodiscard]] Basis mass_pca(Matrix fields, const ElasticSystem& system, int rank, bool lower_rank);

/// The same of scaled_fields of modes and static derivatives (k + pairs) that are on the system's device, without
/// rigid motions; only the basis comes to the host.
[[nodiscard]] Basis mass_pca(DeviceFields& fields, const ElasticSystem& system, const LinearModes& modes,
                             const std::vector<std::array<int, 2>>& pairs, int rank, bool lower_rank);

}  // namespace quartic
