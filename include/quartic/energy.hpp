// From a mesh to its reduced StVK energy, on a basis. The energy itself is in quartic/quartic_energy.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quartic/backend.hpp"
#include "quartic/export.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/quartic_energy.hpp"

namespace quartic {

struct ReduceEnergyOptions {
  Backend backend = Backend::cpu;  ///< cuda: on the current device; not for `reduce_strains`
  /// Memory for tiles of quadrature points, independent of the mesh's size. On cuda this is device memory and also
  /// holds all Gram matrices but one; tiles are smaller where less is free.
  std::int64_t workspace_bytes = std::int64_t{256} << 20;
  Progress progress = {};
};

/// Projects the StVK energy of a mesh on a basis: S such that V(q) is the mesh's energy at u = U q, exactly. A rank-k
/// update over all quadrature points: cost (r + r(r+1)/2)^2 x 6 x points flops at BLAS-3 speed.
/// @param basis U, shape (3n, r), any fields (orthonormality isn't needed)
/// @throws InputError for a wrong shape; as the functions of fem.hpp; BackendUnavailable; DeviceError if the device
///         fails or has too little memory
[[nodiscard]] QUARTIC_EXPORT QuarticEnergy reduce_energy(const VolumeMesh& mesh, MatrixRef basis,
                                                         const ReduceEnergyOptions& options = {});

/// The energy that `reduce_energy` gives, as a sum of squares: the triangle of a QR factorisation of all quadrature
/// points' strains, tile by tile; two to three times the work of `reduce_energy`. On the CPU only; Batch takes the form
/// on either backend.
/// @throws as reduce_energy; also if a point's strains and the triangle don't fit into `workspace_bytes` together, and
///         BackendUnavailable for the backend cuda
[[nodiscard]] QUARTIC_EXPORT StrainForm reduce_strains(const VolumeMesh& mesh, MatrixRef basis,
                                                       const ReduceEnergyOptions& options = {});

/// The energy's parts of one region for lambda = 1, mu = 0 and lambda = 0, mu = 1 [m^3]: energy = sum lambda_g L_g +
/// mu_g M_g.
struct RegionEnergy {
  QuarticEnergy lambda_part;
  QuarticEnergy mu_part;
};

/// `reduce_energy` with the parts of every region kept separate, for material editing at run time (2005 paper, 6.5).
[[nodiscard]] QUARTIC_EXPORT std::vector<RegionEnergy> reduce_region_energy(const VolumeMesh& mesh, MatrixRef basis,
                                                                            const ReduceEnergyOptions& options = {});

/// The energy for other materials: sum over regions of lambda times the first part plus mu times the second.
[[nodiscard]] QUARTIC_EXPORT QuarticEnergy combine_region_energy(std::span<const RegionEnergy> parts,
                                                                 std::span<const Material> materials);

}  // namespace quartic
