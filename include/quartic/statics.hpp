// Equilibria: where a body comes to rest under a load, unreduced or reduced.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "quartic/backend.hpp"
#include "quartic/chambers.hpp"
#include "quartic/cubature.hpp"
#include "quartic/energy.hpp"
#include "quartic/export.hpp"
#include "quartic/factorization.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/supports.hpp"
#include "quartic/thermal.hpp"

namespace quartic {

struct StaticsOptions {
  /// >= 1: number of equal steps in which the load grows; a step that fails is halved, and doubled again later.
  int load_steps = 1;
  int halvings = 10;            ///< >= 0: steps get as short as 2^-halvings of a load step before the solver gives up
  int newton_iterations = 100;  ///< >= 1, per load step
  /// In (0, 1), for `residual` or `energy_error`, whichever reaches it first. Where rounding is coarser, iterations end
  /// when corrections below 1e-7 no longer shrink.
  double tolerance = 1e-10;
  FactorizationOptions factorization = {};  ///< of the unreduced body; `updatable` is set in any case
  Heating heating = {};    ///< of the unreduced body; a reduced one's is in its energy (`heated_energy`)
  Progress progress = {};  ///< stage "equilibrium"
};

/// The result of a static solve.
struct Equilibrium {
  std::vector<double> solution;  ///< u [m], shape (3n), or q, shape (r): of the last load that was reached
  bool converged = false;        ///< the solution holds the whole load; else the part that `load_factor` says
  bool stable = false;           ///< the tangent stiffness there is positive definite
  double load_factor = 0;        ///< s in [0, 1]: the solution holds (1 - s) R(start) + s f, and s times the pressures
  /// Unbalanced force on free vertices, relative to |R(u)| on all vertices, or a thousandth of it at the start.
  double residual = 0;
  double energy_error = 0;  ///< Newton's last correction, in the energy norm relative to the solution
  int load_steps = 0;       ///< that converged
  int iterations = 0;       ///< Newton iterations, those of failed attempts included
  int regularised = 0;      ///< number of iterations whose tangent stiffness wasn't positive definite
};

/// Equilibria R(u) = f of one held body, or R(u) - sum p V'(u) = f under pressure in its chambers, under any number of
/// loads, by Newton's method: full corrections, and where they don't lead to a lower potential, a search along each.
/// With StVK the potential is a polynomial of degree four there, whose nearest minimum is found exactly (from two more
/// forces), so that it falls in each iteration; with other laws that is where the search begins, and is halved until
/// the potential falls. Where K(u) isn't positive definite it is shifted as in a Batch. The pattern is
/// analysed once, if the first K(u) is positive definite. One call at a time per object. Cost per iteration: an
/// evaluation of K, energy and forces, a factorisation and a solve.
class QUARTIC_EXPORT StaticSolver {
 public:
  /// @param supports that leave no rigid motion: a list of fixed vertices, or others (supports.hpp)
  /// @param chambers of the mesh, that pressures may act in
  /// @throws InputError as the functions of fem.hpp, for options out of range, if the body can move rigidly, or as
  /// enclosed_volume
  StaticSolver(const VolumeMesh& mesh, const Supports& supports, const StaticsOptions& options = {},
               std::span<const Chamber> chambers = {});
  StaticSolver(StaticSolver&&) noexcept;
  StaticSolver& operator=(StaticSolver&&) noexcept;
  ~StaticSolver();

  /// The equilibrium that the body reaches from `start` while the forces on its free vertices change linearly from
  /// R(start), which hold it there, to f, and pressures grow from 0. Where the body gives way before that, at a limit
  /// point or where it buckles, the solution is what it could hold; its `load_factor` tells how much. Doesn't throw for
  /// a load that can't be reached: see Equilibrium::converged.
  /// @param force f [N], shape (3n); ignored on fixed vertices
  /// @param start displacement [m], shape (3n), or empty: at rest. Fixed vertices keep it
  /// @param pressure in each chamber [Pa] above that outside, following the surface, shape (chambers), or empty: none
  /// @throws InputError for a wrong size or a number that isn't finite, NumericalError if the factorisation lacks
  /// memory
  [[nodiscard]] Equilibrium solve(std::span<const double> force, std::span<const double> start = {},
                                  std::span<const double> pressure = {});

  /// The solver: "MUMPS 5.5.1", "Eigen 3.4.0"; empty before the first solve.
  [[nodiscard]] std::string_view factorization_name() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The same for a reduced body: R(q) = f.
/// @param force reduced force U^T f, shape (r)
/// @param start q, shape (r), or empty: at rest
/// @throws InputError for a wrong size, a number that isn't finite or options out of range
[[nodiscard]] QUARTIC_EXPORT Equilibrium reduced_equilibrium(const QuarticEnergy& energy, std::span<const double> force,
                                                             std::span<const double> start = {},
                                                             const StaticsOptions& options = {});

/// R(q) = f under several loads f, each from rest: a result per load. The energy is prepared once for all of them.
/// @param forces shape (r, any number): a column per load
/// @throws InputError for another number of rows, a number that isn't finite or options out of range
[[nodiscard]] QUARTIC_EXPORT std::vector<Equilibrium> reduced_equilibria(const QuarticEnergy& energy, MatrixRef forces,
                                                                         const StaticsOptions& options = {});

/// reduced_equilibrium under pressure: R(q) - sum p dV/dq = f.
/// @param chambers volumes of the energy's rank
/// @param pressure [Pa], shape (chambers)
/// @throws InputError as without pressure, or for volumes of another rank
[[nodiscard]] QUARTIC_EXPORT Equilibrium reduced_equilibrium(
    const QuarticEnergy& energy, std::span<const EnclosedVolume> chambers, std::span<const double> pressure,
    std::span<const double> force, std::span<const double> start = {}, const StaticsOptions& options = {});

/// The same of a body whose forces come from a cubature.
/// @throws InputError for a wrong size, a number that isn't finite, options out of range, or as check_cubature
[[nodiscard]] QUARTIC_EXPORT Equilibrium reduced_equilibrium(const Cubature& cubature, std::span<const double> force,
                                                             std::span<const double> start = {},
                                                             const StaticsOptions& options = {});

/// Number of elements that a displacement inverts or flattens: a sign that the load is too large for a StVK material,
/// which softens under strong compression.
/// @param u displacement [m], shape (3n)
/// @throws InputError for a wrong size or a vertex number out of range
[[nodiscard]] QUARTIC_EXPORT std::int64_t inverted_elements(const VolumeMesh& mesh, std::span<const double> u);

}  // namespace quartic
