// Modal derivatives of a mesh that has been checked.
#pragma once

#include <array>
#include <vector>

#include "core/fem/prepared_mesh.hpp"
#include "quartic/modes.hpp"

namespace quartic {

/// As the function of modes.hpp.
[[nodiscard]] ModalDerivatives modal_derivatives(const PreparedMesh& mesh, const ElasticSystem& system,
                                                 const MatrixRef& modes, const ModalDerivativesOptions& options);

/// (0,0), (0,1), ..., (0,k-1), (1,1), ...: those of static derivatives.
[[nodiscard]] std::vector<std::array<int, 2>> static_pairs(int modes);

}  // namespace quartic
