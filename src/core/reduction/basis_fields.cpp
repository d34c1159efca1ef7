#include "core/reduction/basis_fields.hpp"

#include <array>
#include <utility>
#include <vector>

#include "core/modes/elastic_system.hpp"
#include "core/modes/mesh_derivatives.hpp"
#include "core/reduction/stiff_vectors.hpp"
#include "core/reduction/system_basis.hpp"

namespace quartic {
namespace {

void remove_rigid_motions(const ElasticSystem::Impl& system, Matrix& fields) {
  Eigen::MatrixXd free = system.restrict_displacements(fields.map());
  system.project_displacements(free);
  system.scatter_from_free(free, fields.map());
}

class FieldsOnHost final : public BasisFields {
 public:
  /// @param natural natural_fields, unless stiff_share is 0
  FieldsOnHost(const ElasticSystem& system, Matrix fields, Matrix natural, double stiff_share)
      : system_(system), fields_(std::move(fields)), natural_(std::move(natural)), stiff_share_(stiff_share) {}

  [[nodiscard]] Basis cut(int rank, bool lower_rank) override {
    const int stiff = stiff_count(stiff_share_, rank);
    Basis basis = mass_pca(std::move(fields_), system_, rank - stiff, lower_rank);
    if (system_.rigid_mode_count() > 0) {  // weak fields bring round-off of rigid motions along
      remove_rigid_motions(system_.impl(), basis.vectors);
      basis.vectors = mass_orthonormalize(basis.vectors.map(), system_.mass());
      fix_signs(basis.vectors);
    }
    // A rank that was lowered has taken all that there is.
    if (stiff > 0 && basis.vectors.cols == rank - stiff) append_stiff_vectors(system_, natural_, stiff, basis.vectors);
    return basis;
  }

 private:
  const ElasticSystem& system_;
  Matrix fields_, natural_;
  double stiff_share_;
};

class FieldsOnDevice final : public BasisFields {
 public:
  FieldsOnDevice(const ElasticSystem& system, const LinearModes& modes, std::vector<std::array<int, 2>> pairs,
                 std::unique_ptr<DeviceFields> fields)
      : system_(system), modes_(modes), pairs_(std::move(pairs)), fields_(std::move(fields)) {}

  [[nodiscard]] Basis cut(int rank, bool lower_rank) override {
    return mass_pca(*fields_, system_, modes_, pairs_, rank, lower_rank);
  }

 private:
  const ElasticSystem& system_;
  const LinearModes& modes_;
  std::vector<std::array<int, 2>> pairs_;
  std::unique_ptr<DeviceFields> fields_;
};

std::unique_ptr<BasisFields> fields_on_host(const PreparedMesh& mesh, const ElasticSystem& system,
                                            const LinearModes& modes, const ModalDerivatives& derivatives,
                                            DerivativeKind kind, double stiff_share) {
  Matrix natural = stiff_share != 0 ? natural_fields(mesh.mesh(), modes, derivatives, kind) : Matrix();
  return std::make_unique<FieldsOnHost>(system, scaled_fields(modes, derivatives, system.mass()), std::move(natural),
                                        stiff_share);
}

}  // namespace

std::unique_ptr<BasisFields> mode_fields(const PreparedMesh& mesh, const ElasticSystem& system,
                                         const LinearModes& modes, double stiff_share) {
  return fields_on_host(mesh, system, modes, {}, DerivativeKind::statics, stiff_share);
}

std::unique_ptr<BasisFields> derivative_fields(const PreparedMesh& mesh, const ElasticSystem& system,
                                               const LinearModes& modes, const ModalDerivativesOptions& options,
                                               double stiff_share) {
  if (options.kind == DerivativeKind::statics && stiff_share == 0) {
    auto pairs = static_pairs(static_cast<int>(modes.vectors.cols));
    if (auto fields = system.impl().solver->derivative_fields(mesh, modes.vectors.map(), pairs, options.progress))
      return std::make_unique<FieldsOnDevice>(system, modes, std::move(pairs), std::move(fields));
  }
  const ModalDerivatives derivatives = modal_derivatives(mesh, system, modes.vectors.map(), options);
  return fields_on_host(mesh, system, modes, derivatives, options.kind, stiff_share);
}

}  // namespace quartic
