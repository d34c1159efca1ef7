// The CPU's second derivative of the internal force.
#pragma once

#include <array>
#include <span>

#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"

namespace quartic::cpu {

/// As the function of fem.hpp, of arguments that have been checked.
[[nodiscard]] Matrix force_hessian(const VolumeMesh& mesh, const MatrixRef& fields,
                                   std::span<const std::array<int, 2>> pairs);

}  // namespace quartic::cpu
