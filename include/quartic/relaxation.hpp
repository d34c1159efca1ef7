// Relaxed strains: an energy that locks less, at no cost while running.
//
// The weighted Green strain of u = U q is quadratic, A q + 1/2 B(q, q). Bending makes strains B that further small
// displacements y would take away, which the basis U lacks: the body locks. Let fields Y outside U follow at rest, to
// first order, against a share of their own stiffness:
//   V_beta(q) = min_y 1/2 |A q + A_Y y + 1/2 B(q,q)|^2 + 1/2 (1/beta - 1) |A_Y y|^2 = V(q) - 1/2 beta |t m|^2,
//   t = K_YY^(-1/2) Y^T g,   m = (q_i q_j), i <= j,   Y K-orthogonal to U,
// with g_ij the nodal forces of the quadratic stress C : B_ij. V_beta is a minimum of sums of squares and thus one
// itself: (1 - beta) V <= V_beta <= V everywhere. It is a quartic of the same layout, whose constant, quadratic and
// cubic terms are those of V (docs/relaxation.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quartic/backend.hpp"
#include "quartic/export.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/modes.hpp"
#include "quartic/quartic_energy.hpp"
#include "quartic/supports.hpp"

namespace quartic {

/// Products of the strains of fields W, h that the others are kept K-orthogonal to and n that follow.
struct StrainProducts {
  Matrix stiffness;  ///< W^T K W, shape (h + n, h + n), symmetric
  Matrix forces;     ///< W^T g_ij, shape (h + n, r(r+1)/2): a column per pair i <= j, in pair order
};

/// A region's parts of the products, for lambda = 1, mu = 0 and lambda = 0, mu = 1.
struct RegionRelaxation {
  StrainProducts lambda_part;
  StrainProducts mu_part;
};

/// What became of a load in a calibration.
enum class CalibrationUse : std::uint8_t {
  used,
  no_equilibrium,    ///< unreduced or reduced
  inverted,          ///< elements of the unreduced body are turned inside out
  outside_of_basis,  ///< the unrelaxed model is 30 % off or more
};

/// A load that a share was calibrated with. Errors are of equilibria in the mass norm, relative to the unreduced
/// body's; 0 where there is no equilibrium.
struct CalibrationLoad {
  double amplitude = 0;        ///< largest linear displacement over the body's largest extent
  double unrelaxed_error = 0;  ///< of V
  double relaxed_error = 0;    ///< of V_beta
  CalibrationUse use = CalibrationUse::used;
};

/// What an energy is relaxed by.
struct Relaxation {
  Matrix products;                             ///< t [J^(1/2) / q^2], shape (n, r(r+1)/2); n = 0: nothing follows
  double share = 0;                            ///< beta, in [0, 1]
  double reach = 0;                            ///< largest 1/2 q^T K q, K at rest, of the states that Y answers to [J]
  std::vector<RegionRelaxation> regions = {};  ///< optional: empty or one per region
  std::vector<CalibrationLoad> calibration = {};  ///< where the share was chosen by loads

  [[nodiscard]] std::int64_t field_count() const { return products.rows; }
};

/// V_beta from V, or V from V_beta up to rounding. A share of 0 leaves every bit as it is. Cost O(n r^4).
/// @throws InputError if sizes don't fit or the share isn't in [0, 1]
[[nodiscard]] QUARTIC_EXPORT QuarticEnergy relaxed(const QuarticEnergy& energy, const Relaxation& relaxation);
[[nodiscard]] QUARTIC_EXPORT QuarticEnergy unrelaxed(const QuarticEnergy& relaxed_energy, const Relaxation& relaxation);

/// V_beta as a sum of squares, from V's: what `Evaluation::accurate` needs of a relaxed model. Cost O(r^6).
/// @throws InputError as above
[[nodiscard]] QUARTIC_EXPORT StrainForm relaxed(const StrainForm& form, const Relaxation& relaxation);

/// sigma(q) = 1/2 |t m|^2 / V(q), in [0, 1]: the share of the unrelaxed energy that the fields would take away. It
/// tells of locking alone, not of what the basis lacks: of 297 equilibria of unrelaxed models, those below 0.003 had a
/// median error of 0.3 %, those from 0.01 to 0.03 one of 5 %, those above 0.1 one of 35 %. 0 at rest.
/// @param relaxed_energy V_beta @param q reduced coordinates, shape (r)
/// @throws InputError for sizes that don't fit
[[nodiscard]] QUARTIC_EXPORT double relaxable_share(const QuarticEnergy& relaxed_energy, const Relaxation& relaxation,
                                                    std::span<const double> q);

/// 1/2 q^T K q with K at rest [J]: what `reach` bounds. @throws InputError as relaxable_share
[[nodiscard]] QUARTIC_EXPORT double linear_energy(const QuarticEnergy& energy, std::span<const double> q);

/// How far a state can be trusted.
struct StateTrust {
  double relaxable_share = 0;  ///< sigma(q)
  double linear_energy = 0;    ///< 1/2 q^T K q [J]
  bool beyond_reach = false;   ///< that is more than the relaxation's reach
};
/// @throws InputError as relaxable_share
[[nodiscard]] QUARTIC_EXPORT StateTrust state_trust(const QuarticEnergy& relaxed_energy, const Relaxation& relaxation,
                                                    std::span<const double> q);

struct NaturalStatesOptions {
  int states = 0;  ///< n >= 1, at most r(r+1)/2; 0: max(40, 5 r / 2)
  Progress progress = {};
};

/// Equilibria of a reduced body under random forces of its first eight modes, with linear displacements of 0.1, 0.2,
/// 0.4 and 0.8 times its largest extent in turn: a column per state, shape (r, n). The same on every run, and, as
/// states of the body, in any coordinates of the same space. Where a load can't be reached whole, what was reached.
/// @param vertices rest positions, shape (vertices, 3) @param basis U, shape (3 vertices, r)
/// @throws InputError for sizes that don't fit or options out of range
[[nodiscard]] QUARTIC_EXPORT Matrix natural_states(std::span<const double> vertices, MatrixRef basis,
                                                   const QuarticEnergy& energy,
                                                   const NaturalStatesOptions& options = {});

/// Y = K^-1 g(q_s), with g the forces of the quadratic stress at the states: orthonormal in K and K-orthogonal to U,
/// those that are (nearly) in the space of the others or of U left out. A solve with the system's factor and a force
/// evaluation per state, on the system's backend.
/// @param states shape (r, n) @return shape (3 vertices, at most n)
/// @throws InputError for sizes that don't fit
[[nodiscard]] QUARTIC_EXPORT Matrix following_fields(const VolumeMesh& mesh, const ElasticSystem& system,
                                                     MatrixRef basis, MatrixRef states);

struct RelaxStrainsOptions {
  double share = 0.75;  ///< beta, in [0, 1]
  /// Keep the parts per region, so that edits of materials relax exactly; not of a mesh with springs.
  bool region_parts = false;
  std::int64_t workspace_bytes = std::int64_t{256} << 20;  ///< for tiles of quadrature points
  Backend backend = Backend::cpu;                          ///< where products of strains are made
  Progress progress = {};
};

/// The relaxation of an energy by fields of the caller's. Cost: (r + n) r (r + 1) flops at BLAS-3 speed per pair of
/// vertices that share an element, and some 500 (r + n) per quadrature point of a hex8; with `region_parts` a pass over
/// the strains for each region and constant, 12 (r + n) (r + n + r (r + 1) / 2) per point. Fields that are (nearly) in
/// the space of the others or of U count as one or none. Springs of the mesh are strains of their own, which are
/// linear. On a device the strains' way throughout.
/// @param fields Y, shape (3 vertices, n), zero on fixed vertices; n may be 0
/// @throws InputError for sizes that don't fit or options out of range; BackendUnavailable
[[nodiscard]] QUARTIC_EXPORT Relaxation relax_strains(const VolumeMesh& mesh, MatrixRef basis, MatrixRef fields,
                                                      const RelaxStrainsOptions& options = {});

/// The same by the fields that follow natural states, with their reach.
/// @param energy V on the basis
[[nodiscard]] QUARTIC_EXPORT Relaxation relax_strains(const VolumeMesh& mesh, const ElasticSystem& system,
                                                      MatrixRef basis, const QuarticEnergy& energy,
                                                      const RelaxStrainsOptions& options = {},
                                                      const NaturalStatesOptions& states = {});

struct CalibrationOptions {
  /// Loads of the caller's [N], shape (3 vertices, any number); modal ones make them up to `loads_in_all`.
  Matrix loads = {};
  int loads_in_all = 16;  ///< >= 1
  Progress progress = {};
};

/// Chooses the share by loads, for which the unreduced body is solved: the smallest share of 0, 0.25, 0.5, ..., 0.95
/// whose mean logarithm of the error is within 5 % of the best one's. Modal loads are combinations of the first six
/// modes, with linear displacements of 0.1, 0.2, 0.4 and 0.8 times the largest extent; the same on every run. Left out
/// are loads without equilibrium, with inverted elements, or where the unrelaxed model is 30 % off or more. With fewer
/// than three left, or where nothing is gained, the share is 0; one that makes the error of any of them worse than
/// twice isn't taken. On loads that it wasn't calibrated with a relaxed model may be worse than the unrelaxed one.
/// Cost: some five factorisations per load, on the CPU.
/// @param mass of the mesh, shape (3 vertices, 3 vertices) @param basis U, mass-orthonormal @param energy V
/// @param relaxation by which fields; its share is ignored
/// @param warnings receives a sentence if the share is 0
/// @return with the share, the loads, and the reach of those that were used
/// @throws InputError for sizes that don't fit, or as StaticSolver
[[nodiscard]] QUARTIC_EXPORT Relaxation choose_share(const VolumeMesh& mesh, const Supports& supports,
                                                     const SparseMatrix& mass, MatrixRef basis,
                                                     const QuarticEnergy& energy, Relaxation relaxation,
                                                     const CalibrationOptions& options,
                                                     std::vector<std::string>& warnings);

/// What `reduce` relaxes.
struct RelaxOptions {
  /// beta, in [0, 1]; unset: nothing is relaxed. 0.75 for bodies of any shape, 0.9 to 0.95 for thin ones; with 0 the
  /// energy stays as it is, and the model knows what could be relaxed.
  std::optional<double> share = {};
  bool automatic = false;  ///< choose_share decides instead
  Matrix loads = {};       ///< for it, as CalibrationOptions has them
};

/// In other coordinates: q = T q'. @param transform T, shape (r, s) @throws InputError for a wrong shape
[[nodiscard]] QUARTIC_EXPORT Relaxation transform_relaxation(const Relaxation& relaxation, MatrixRef transform);

/// Of some of the coordinates, the others being zero: these don't follow. @throws InputError for indices that don't fit
[[nodiscard]] QUARTIC_EXPORT Relaxation keep_coordinates(const Relaxation& relaxation, std::span<const int> kept);

/// For other materials of the same fields: exact from parts per region, or where all constants change by one factor;
/// else nothing. `reach` falls with the least stiffening of any region, so that states within it were within it before.
/// @param before, after a material per region, shape (regions)
/// @throws InputError for numbers of regions that don't fit; NumericalError if the fields lose their stiffness
[[nodiscard]] QUARTIC_EXPORT std::optional<Relaxation> edit_relaxation(const Relaxation& relaxation,
                                                                       std::span<const Material> before,
                                                                       std::span<const Material> after);

}  // namespace quartic
