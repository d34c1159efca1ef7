// Work of fields on the forces of quadratic stress. See core/relaxation/relaxation_operations.hpp.
#pragma once

#include <cstdint>

#include "core/fem/prepared_mesh.hpp"
#include "quartic/matrix.hpp"
#include "quartic/modes.hpp"

namespace quartic::cpu {

[[nodiscard]] Matrix geometric_products(const PreparedMesh& mesh, const MatrixRef& basis, const MatrixRef& fields,
                                        std::int64_t workspace_bytes, const Progress& progress);

}  // namespace quartic::cpu
