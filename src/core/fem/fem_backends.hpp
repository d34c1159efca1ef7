// K and M together, on a backend.
#pragma once

#include "quartic/fem.hpp"

namespace quartic {

struct ElasticMatrices {
  SparseMatrix stiffness, mass;
};

/// What `stiffness_matrix` and `mass_matrix` of fem.hpp give, with one pattern worked out for both. @throws as they
[[nodiscard]] ElasticMatrices elastic_matrices(const VolumeMesh& mesh, MassMatrix kind, Backend backend);

}  // namespace quartic
