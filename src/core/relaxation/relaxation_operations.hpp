// What a backend does for relaxed strains.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/elements/elastic_constants.hpp"
#include "core/fem/prepared_mesh.hpp"
#include "quartic/backend.hpp"
#include "quartic/matrix.hpp"
#include "quartic/relaxation.hpp"

namespace quartic {

/// Of arguments that have been checked.
struct RelaxationOperations {
  /// Nodal forces of the quadratic stress, a column per field, shape (3n, fields).
  Matrix (*quadratic_forces)(const PreparedMesh& mesh, const MatrixRef& fields);
  /// y . g_ij: the work of each field y on the forces of the quadratic stress of each pair i <= j of the basis, shape
  /// (fields, r(r+1)/2).
  Matrix (*geometric_products)(const PreparedMesh& mesh, const MatrixRef& basis, const MatrixRef& fields,
                               std::int64_t workspace_bytes, const Progress& progress);
  /// Products of the strains for each set of Lame constants, of all fields.
  /// @param fields (U, Y) @param rank columns of U
  std::vector<StrainProducts> (*strain_products)(const PreparedMesh& mesh, const MatrixRef& fields, std::int64_t rank,
                                                 std::span<const RegionConstants> sets, std::int64_t workspace_bytes,
                                                 const Progress& progress);
};

extern const RelaxationOperations cpu_relaxation_operations;

/// @throws BackendUnavailable
[[nodiscard]] const RelaxationOperations& relaxation_operations(Backend backend);

}  // namespace quartic
