// What a backend does with the finite elements of a mesh.
#pragma once

#include <array>
#include <span>

#include "core/fem/prepared_mesh.hpp"
#include "quartic/backend.hpp"
#include "quartic/fem.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

/// As the functions of fem.hpp, of arguments that have been checked.
struct FemOperations {
  SparseMatrix (*stiffness)(const PreparedMesh& mesh);
  SparseMatrix (*mass)(const PreparedMesh& mesh, MassMatrix kind);
  Matrix (*force_hessian)(const PreparedMesh& mesh, const MatrixRef& fields,
                          std::span<const std::array<int, 2>> pairs);  // one pair or more
};

extern const FemOperations cpu_fem_operations;

/// @throws BackendUnavailable
[[nodiscard]] const FemOperations& fem_operations(Backend backend);

}  // namespace quartic
