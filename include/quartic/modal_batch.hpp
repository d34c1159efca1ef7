// Linear bodies by their modes, stepped exactly: oscillators that are right at any time step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quartic/backend.hpp"
#include "quartic/batch.hpp"
#include "quartic/export.hpp"
#include "quartic/state.hpp"

namespace quartic {

/// What a force is between the two times of a step.
enum class ForceHold : std::uint8_t {
  zero_order,  ///< what `force` says, during the whole step
  first_order  ///< linear from the force at the end of the step before (zero at first) to what `force` says
};

/// An oscillator z'' + c z' + lambda z = f over h: (z, v) at the end from (z, v) at the start, by entries that hold for
/// every damping, of f = f0 + (f1 - f0) t/h. With s = c/2 and D = s^2 - lambda, A = e^(-s h) cosh(sqrt(D) h),
/// S = e^(-s h) sinh(sqrt(D) h)/sqrt(D) (cos and sin where D < 0), P1 = integral of S, P2 of P1, over 0 .. h:
///   z += zz_less_one z + zv v + z_force f0 + z_ramp (f1 - f0)
///   v += vz z + vv_less_one v + v_force f0 + v_ramp (f1 - f0)
/// The ones are left out because they would take the digits of slow motion away.
struct ModalPropagator {
  double zz_less_one = 0;  ///< A + s S - 1 = -lambda P1
  double zv = 0;           ///< S [s]
  double vz = 0;           ///< -lambda S [1/s]
  double vv_less_one = 0;  ///< A - s S - 1 = -c S - lambda P1
  double z_force = 0;      ///< P1 [s^2]
  double v_force = 0;      ///< S [s]
  double z_ramp = 0;       ///< P2/h [s^2]
  double v_ramp = 0;       ///< P1/h [s]
};

/// Errors are some round-offs of an entry's natural size, times max(1, sqrt(lambda) h) for the phase.
/// @param eigenvalue lambda [1/s^2] >= 0 @param damping c [1/s] >= 0 @param h [s] >= 0; 0 gives zeros
/// @throws InputError for other numbers
[[nodiscard]] QUARTIC_EXPORT ModalPropagator modal_propagator(double eigenvalue, double damping, double h);

struct ModalOptions {
  std::int64_t bodies = 1;                  ///< B >= 1
  double rayleigh_mass = 0;                 ///< alpha [1/s] >= 0
  double rayleigh_stiffness = 0;            ///< beta [s] >= 0
  std::vector<double> damping_ratios = {};  ///< added to that by mode, shape (k), finite and >= 0; empty: none
  ForceHold hold = ForceHold::zero_order;
  int threads = 0;  ///< 0 = default_thread_count(); results don't depend on it
  Backend backend = Backend::cpu;
  int device = -1;  ///< number of the CUDA device; -1 = the current one
};

template <class T>
class ModalImpl;

/// B linear bodies of one model in its k mass-orthonormal modes: u = Phi q. Each mode is an oscillator
/// q'' + c q' + lambda q = f, c = alpha + beta lambda + 2 ratio sqrt(lambda), that steps take exactly: stable at any
/// step, without an error of time, for every damping, and for lambda = 0 (a rigid motion). A body's motion is bitwise
/// the same in any batch and with any number of threads. A step allocates nothing where its length is the last one's
/// and no impulse falls into it. One call at a time per object. All calls throw DeviceError if the device fails.
///
/// Course notes "FEM simulation of 3D deformable solids" part 2 (2012), section 2.1; the propagators are derived in
/// docs/math.md.
template <class T>
class QUARTIC_EXPORT ModalBatch {
 public:
  /// @param eigenvalues lambda [1/s^2] of ReducedModel or of `linear_modes`, shape (k): finite; below 0 by no more than
  ///        1e-8 of the largest, for which 0 is taken
  /// @throws InputError for none, or options out of range; BackendUnavailable
  explicit ModalBatch(std::span<const double> eigenvalues, const ModalOptions& options = {});
  ModalBatch(ModalBatch&&) noexcept;
  ModalBatch& operator=(ModalBatch&&) noexcept;
  ~ModalBatch();

  [[nodiscard]] std::int64_t rank() const;  ///< k
  [[nodiscard]] std::int64_t bodies() const;
  [[nodiscard]] const ModalOptions& options() const;
  [[nodiscard]] std::span<const double> eigenvalues() const;  ///< as they are used, shape (k)
  [[nodiscard]] std::span<const double> damping() const;      ///< c of each mode [1/s], shape (k)
  [[nodiscard]] std::int64_t overdamped_modes() const;        ///< of them that don't swing: c >= 2 sqrt(lambda) > 0

  /// The state itself, mode-major as of `Batch`: modal coordinates [m sqrt(kg)], velocity, external force
  /// [N/sqrt(kg)] = Phi^T f. Write to it freely between steps. On a GPU, copies in host memory, as of `Batch`.
  [[nodiscard]] StateView<T> q();
  [[nodiscard]] StateView<T> velocity();
  [[nodiscard]] StateView<T> force();
  /// The force from which a step of first order starts; a step leaves the force at its end here.
  [[nodiscard]] StateView<T> force_before();
  [[nodiscard]] StateView<const T> q() const;
  [[nodiscard]] StateView<const T> velocity() const;
  [[nodiscard]] StateView<const T> force() const;
  [[nodiscard]] StateView<const T> force_before() const;

  /// Adds a jump of the velocity to a body in `delay` seconds, exact at any instant inside of steps: that of an impulse
  /// J [N s] at vertex x is Phi_x^T J.
  /// @param jump [m sqrt(kg)/s], shape (k), finite
  /// @throws InputError for a body that there isn't, a wrong size, a delay that is negative (the past is gone) or not
  ///         finite, or a jump that isn't finite
  void impulse(std::int64_t body, std::span<const double> jump, double delay = 0);
  [[nodiscard]] std::int64_t waiting_impulses() const;  ///< not reached yet

  /// Moves by dt seconds in `substeps` steps of equal length; forces are held over dt, not over each.
  /// @throws InputError unless dt is finite and > 0, substeps >= 1
  void step(double dt, int substeps = 1);
  /// Moves by t seconds at once, however long, under the constant force of `force`: not bit by bit what as many steps
  /// give, but as exact. @throws InputError unless t is finite and >= 0
  void advance(double t);

  [[nodiscard]] double time() const;  ///< [s], 0 at first
  void set_time(double time);         ///< impulses wait as long as before. @throws InputError unless finite

  /// By body. A mode whose next state or energy wouldn't be finite stays in its last one; its body is marked as
  /// diverged and not stepped from the next step on, until the status is reset.
  [[nodiscard]] std::span<const BodyStatus> status() const;
  void reset_status();
  /// @throws InputError for a wrong size or an unknown status
  void set_status(std::span<const BodyStatus> status);

  /// v^2/2 and lambda q^2/2 [J], summed over modes, shape (B).
  [[nodiscard]] std::vector<double> kinetic_energy() const;
  [[nodiscard]] std::vector<double> elastic_energy() const;

 private:
  struct Waiting;
  void run(double dt, int substeps, ForceHold hold);
  void take_impulses(double dt);
  std::unique_ptr<ModalImpl<T>> impl_;
  std::unique_ptr<Waiting> waiting_;
};

}  // namespace quartic
