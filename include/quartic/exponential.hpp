// Nonlinear bodies at the rate of sound: exact oscillators for what swings slowly enough, and the rest at rest beside
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quartic/body_flags.hpp"
#include "quartic/export.hpp"
#include "quartic/quartic_energy.hpp"
#include "quartic/state.hpp"

namespace quartic {

enum class BodyStatus : std::int32_t;  // quartic/batch.hpp

struct ExponentialOptions {
  std::int64_t bodies = 1;        ///< B >= 1
  double rayleigh_mass = 0;       ///< alpha [1/s] >= 0
  double rayleigh_stiffness = 0;  ///< beta [s] >= 0: c = alpha + beta lambda, of the stiffness at rest
  double highest = 0.45;          ///< oscillators up to this frequency, as a share of the steps', in (0, 0.5)
  /// Of the others towards rest in each step, at most, >= 1: they end for a body once one after the first has moved
  /// these by less than 1e-5 of themselves.
  int sweeps = 12;
  int threads = 0;  ///< 0 = default_thread_count(); results don't depend on it
};

template <class T>
class ExponentialImpl;

/// B bodies of one nonlinear model, T = float or double, whose pitch doesn't depend on the step. In coordinates z in
/// which the stiffness at rest is diagonal, R = Lambda z + N(z). Those whose frequency is below `highest` of the steps'
/// are oscillators, stepped exactly between two half kicks by -N, tan(w h/2) / w long: so that what stays displaces
/// them as it does at rest (Gautschi's filter: Hairer, Lubich, Wanner 2006, XIII.2). The others (membrane modes of thin
/// bodies, above all) can't be heard, but give way when the body bends: without inertia, they follow at rest, z_s =
/// (f_s - N_s(z)) / lambda_s, by sweeps from the last step. Undamped that is a symplectic splitting but for the sweeps'
/// error: thin bars keep their energy to 5e-4 in a second at 44.1 kHz. Where oscillators are large,
/// several thicknesses, the others' inertia shows: take more substeps, with which more become oscillators.
///
/// Forces are constant during a step. A body's motion is bitwise the same in any batch and with any number of threads.
/// Cost of a step: (1 + sweeps) products, three to five sweeps in bodies that swing far, of at most r r^3/6
/// multiply-adds; a step allocates nothing where its length is the last one's. On the CPU. One call at a time per
/// object.
template <class T>
class QUARTIC_EXPORT ExponentialBatch {
 public:
  /// @throws InputError for options out of range, an energy of the wrong size, a stiffness at rest with an eigenvalue
  ///         below zero, or a coefficient too large for T
  explicit ExponentialBatch(const QuarticEnergy& energy, const ExponentialOptions& options = {});
  ExponentialBatch(ExponentialBatch&&) noexcept;
  ExponentialBatch& operator=(ExponentialBatch&&) noexcept;
  ~ExponentialBatch();

  [[nodiscard]] int rank() const;
  [[nodiscard]] std::int64_t bodies() const;
  [[nodiscard]] const ExponentialOptions& options() const;
  [[nodiscard]] std::span<const double> eigenvalues()
      const;  ///< of the stiffness at rest [1/s^2], ascending, shape (r)
  /// How many coordinates are oscillators with steps of h [s].
  [[nodiscard]] int oscillators(double h) const;

  /// The state itself, as of `Batch`: reduced coordinates [m sqrt(kg)], velocity, external force. Write to it freely
  /// between steps. Steps take the oscillators' part of the velocity alone, and leave the others' at zero.
  [[nodiscard]] StateView<T> q();
  [[nodiscard]] StateView<T> velocity();
  [[nodiscard]] StateView<T> force();
  [[nodiscard]] StateView<const T> q() const;
  [[nodiscard]] StateView<const T> velocity() const;
  [[nodiscard]] StateView<const T> force() const;

  /// Moves by dt seconds in `substeps` steps of equal length. @throws InputError unless dt > 0, substeps >= 1
  void step(double dt, int substeps = 1);

  [[nodiscard]] double time() const;  ///< [s], 0 at first
  void set_time(double time);         ///< @throws InputError unless finite

  /// By body: ok, or diverged and stopped at its last finite state.
  [[nodiscard]] std::span<const BodyStatus> status() const;
  void reset_status();
  /// `not_converged` of bodies whose last sweep has moved more than the one before, or by a hundredth of what follows:
  /// take more substeps.
  [[nodiscard]] std::span<const BodyFlags> flags() const;
  void reset_flags();

  /// V(q) and v^2/2 [J], shape (B).
  [[nodiscard]] std::vector<double> elastic_energy() const;
  [[nodiscard]] std::vector<double> kinetic_energy() const;

 private:
  std::unique_ptr<ExponentialImpl<T>> impl_;
};

}  // namespace quartic
