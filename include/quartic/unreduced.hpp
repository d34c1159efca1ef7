// The unreduced body, in which every vertex moves: the reference for reduced models, and a source of snapshots for
// bases.
//
// Displacements, velocities, accelerations and forces are vectors of 3n numbers, vertex-major. Fixed vertices keep
// the displacement that the caller prescribes, zero by default; forces on them are ignored. Where supports and joints
// hold directions alone, so do displacements along these, and forces act as far as they move something.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "quartic/backend.hpp"
#include "quartic/batch.hpp"
#include "quartic/chambers.hpp"
#include "quartic/export.hpp"
#include "quartic/factorization.hpp"
#include "quartic/fem.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/supports.hpp"
#include "quartic/thermal.hpp"

namespace quartic {

/// The options of BatchOptions that an unreduced body supports.
struct UnreducedOptions {
  Integrator integrator = Integrator::newmark;  ///< newmark or backward_euler
  double newmark_beta = 0.25;                   ///< (0, 1/2]
  double newmark_gamma = 0.5;                   ///< [0, 1]
  double rayleigh_mass = 0;                     ///< alpha [1/s] >= 0: C = alpha M + beta K(u)
  double rayleigh_stiffness = 0;                ///< beta [s] >= 0
  double strain_damping = 0;                    ///< tau [s] >= 0: viscous stress tau C : E', of StVK
  int newton_iterations = 1;                    ///< per step, >= 1; 1 = semi-implicit
  double newton_tolerance = 0;                  ///< stop when |residual|_2 on free vertices is below it [N]; 0 = never
  MassMatrix mass_matrix = MassMatrix::consistent;
  std::vector<Chamber> chambers = {};       ///< of the mesh, for `set_pressure`
  FactorizationOptions factorization = {};  ///< `updatable` is set in any case
  Heating heating = {};
  /// P of moved sets (`driven_fields`, quartic/driven.hpp), for `set_driven`, shape (3n, sets).
  Matrix driven = {};
};

/// M u'' + (alpha M + beta K(u) + tau D(u)) u' + R(u) = f, stepped as a Batch steps its projection on a basis, with the
/// same rules for damping, Newton iterations, shifts and divergence. Held or free; a free body also moves as a whole.
/// Cost of a step: as many evaluations, factorisations and solves as iterations. One call at a time per object, also of
/// the energies.
class QUARTIC_EXPORT UnreducedBody {
 public:
  /// At rest. @throws InputError as the functions of fem.hpp, for options out of range, or as enclosed_volume
  UnreducedBody(const VolumeMesh& mesh, const Supports& supports, const UnreducedOptions& options = {});
  UnreducedBody(UnreducedBody&&) noexcept;
  UnreducedBody& operator=(UnreducedBody&&) noexcept;
  ~UnreducedBody();

  /// The state itself, shape (3n) each; write to it freely between steps. A step sets velocity and acceleration of
  /// fixed vertices to zero, and makes others obey supports and joints.
  [[nodiscard]] std::span<double> displacement();  ///< u [m]
  [[nodiscard]] std::span<double> velocity();      ///< [m/s]
  [[nodiscard]] std::span<double> acceleration();  ///< [m/s^2]
  [[nodiscard]] std::span<double> force();         ///< external, constant until changed [N]
  [[nodiscard]] std::span<const double> displacement() const;
  [[nodiscard]] std::span<const double> velocity() const;
  [[nodiscard]] std::span<const double> acceleration() const;
  [[nodiscard]] std::span<const double> force() const;

  /// The pressure in a chamber [Pa] above that outside, from the next step on; 0 at the start. It follows the surface.
  /// @throws InputError for a chamber that isn't there, or a pressure that isn't finite
  void set_pressure(double pressure, int chamber = 0);
  /// @throws InputError for a chamber that isn't there
  [[nodiscard]] double pressure(int chamber = 0) const;
  [[nodiscard]] double enclosed_volume(int chamber = 0) const;  ///< of a chamber now [m^3]

  /// Where moved sets are to be at the end of the next step [m], shape (sets), 0 at the start. Their velocity is the
  /// step's mean one, carried on to its end. Of several substeps the first goes all the way.
  /// @throws InputError for a wrong size or a number that isn't finite
  void set_driven(std::span<const double> displacement);
  /// The same of where they are and how fast [m/s]: a start. Other vertices stay where they are.
  void place_driven(std::span<const double> displacement, std::span<const double> velocity);

  [[nodiscard]] const UnreducedOptions& options() const;
  [[nodiscard]] const SparseMatrix& mass() const;  ///< M, shape (3n, 3n)
  [[nodiscard]] std::string_view factorization_name() const;

  /// Advances by `substeps` steps of dt / substeps [s]. A body that diverges is frozen at its last finite state.
  /// @throws InputError unless dt > 0 and substeps >= 1, NumericalError if the factorisation lacks memory
  void step(double dt, int substeps = 1);

  [[nodiscard]] BodyStatus status() const;  ///< since construction or the last reset
  void reset_status();

  [[nodiscard]] double elastic_energy() const;  ///< [J]
  [[nodiscard]] double kinetic_energy() const;  ///< [J]

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The force of a uniform acceleration on each vertex: M times the field, f_z = sum_b M_ab g_z for g along z.
/// @param acceleration [m/s^2]
/// @return [N], shape (3n)
[[nodiscard]] QUARTIC_EXPORT std::vector<double> gravity_force(const SparseMatrix& mass,
                                                               std::span<const double, 3> acceleration);

}  // namespace quartic
