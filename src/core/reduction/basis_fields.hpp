// Fields of a body on their way to a basis, where its backend has them.
#pragma once

#include <memory>

#include "core/fem/prepared_mesh.hpp"
#include "quartic/basis.hpp"
#include "quartic/modes.hpp"

namespace quartic {

class BasisFields {
 public:
  BasisFields() = default;
  BasisFields(const BasisFields&) = delete;
  BasisFields& operator=(const BasisFields&) = delete;
  virtual ~BasisFields() = default;
  /// As mass_pca, or mass_pca_up_to if `lower_rank`, without rigid motions. Uses the fields up.
  [[nodiscard]] virtual Basis cut(int rank, bool lower_rank) = 0;
};

/// As scaled_fields of the modes alone, or of modes and their derivatives. System and modes must outlive them.
/// @param stiff_share of the basis that is chosen by energy (stiff_vectors.hpp); other than 0, fields are on the host
[[nodiscard]] std::unique_ptr<BasisFields> mode_fields(const PreparedMesh& mesh, const ElasticSystem& system,
                                                       const LinearModes& modes, double stiff_share);
[[nodiscard]] std::unique_ptr<BasisFields> derivative_fields(const PreparedMesh& mesh, const ElasticSystem& system,
                                                             const LinearModes& modes,
                                                             const ModalDerivativesOptions& options,
                                                             double stiff_share);

}  // namespace quartic
