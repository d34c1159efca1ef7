// Relaxed strains of a mesh that has been checked.
#pragma once

#include "core/fem/prepared_mesh.hpp"
#include "quartic/relaxation.hpp"

namespace quartic {

/// As the functions of relaxation.hpp. @param orthonormal fields are K-orthonormal, and K-orthogonal to the basis, to
/// round-off
[[nodiscard]] Matrix following_fields(const PreparedMesh& mesh, const ElasticSystem& system, const MatrixRef& basis,
                                      const MatrixRef& states);
[[nodiscard]] Relaxation relax_strains(const PreparedMesh& mesh, const MatrixRef& basis, const MatrixRef& fields,
                                       bool orthonormal, const RelaxStrainsOptions& options);
[[nodiscard]] Relaxation relax_strains(const PreparedMesh& mesh, const ElasticSystem& system, const MatrixRef& basis,
                                       const QuarticEnergy& energy, const RelaxStrainsOptions& options,
                                       const NaturalStatesOptions& states);

}  // namespace quartic
