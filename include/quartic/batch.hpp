// Many bodies of one model, stepped together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quartic/backend.hpp"
#include "quartic/energy.hpp"
#include "quartic/export.hpp"

namespace quartic {

/// A strided view of an (r, B) array: entry (mode, body) is `data[mode * stride_mode + body * stride_body]`.
/// A C-ordered (B, r) array has stride_mode = 1, stride_body = r.
template <class T>
struct StateView {
  T* data = nullptr;
  std::int64_t rank = 0;
  std::int64_t bodies = 0;
  std::int64_t stride_mode = 0;
  std::int64_t stride_body = 0;

  [[nodiscard]] T& operator()(std::int64_t mode, std::int64_t body) const {
    return data[mode * stride_mode + body * stride_body];
  }
  /// A view of const elements.
  operator StateView<const T>() const  // NOLINT(google-explicit-constructor): as span converts
      requires(!std::is_const_v<T>) {
    return {data, rank, bodies, stride_mode, stride_body};
  }
};

enum class Integrator : std::uint8_t {
  newmark,  ///< implicit Newmark (2005 paper, Appendix C)
  backward_euler,
  central_differences,  ///< explicit; damping C(q_n) times the half-step velocity, explicit
  energy_conserving     ///< discrete gradient with the two-point Gauss mean of the cubic force; iterates to round-off
};

enum class Evaluation : std::uint8_t { strict };  ///< one fixed order of summation, whatever the batch

/// What became of a body.
enum class BodyStatus : std::int32_t {
  ok = 0,
  regularised = 1,  ///< the system matrix needed a shift at least once
  diverged = 2      ///< frozen at its last finite state
};

struct BatchOptions {
  std::int64_t bodies = 1;  ///< B >= 1
  Integrator integrator = Integrator::newmark;
  double newmark_beta = 0.25;     ///< (0, 1/2]
  double newmark_gamma = 0.5;     ///< [0, 1]
  double rayleigh_mass = 0;       ///< alpha [1/s] >= 0: C = alpha M + beta K(q)
  double rayleigh_stiffness = 0;  ///< beta [s] >= 0
  int newton_iterations = 1;      ///< per step, >= 1; 1 = semi-implicit
  double newton_tolerance = 0;    ///< stop when |residual|_2 is below it [N in reduced coordinates]; 0 = never
  int threads = 0;                ///< 0 = the hardware's; results don't depend on it
  Evaluation evaluation = Evaluation::strict;
  Backend backend = Backend::cpu;
};

template <class T>
class BatchImpl;

/// B bodies of one model, T = float or double. State starts at zero. A body's trajectory is bitwise the same whatever
/// batch it is in, wherever it sits there and however many threads work. Nothing is allocated in a step.
/// One call at a time per object, also of the energies.
template <class T>
class QUARTIC_EXPORT Batch {
 public:
  /// @throws InputError for options out of range or an energy of the wrong size, BackendUnavailable
  explicit Batch(const QuarticEnergy& energy, const BatchOptions& options = {});
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  [[nodiscard]] int rank() const;
  [[nodiscard]] std::int64_t bodies() const;
  [[nodiscard]] const BatchOptions& options() const;

  /// The state itself: reduced coordinates q [m sqrt(kg)], velocity, acceleration, external force; mode-major, body
  /// contiguous, stride_mode padded to 128 bytes. Write to it freely between steps.
  [[nodiscard]] StateView<T> q();
  [[nodiscard]] StateView<T> velocity();
  [[nodiscard]] StateView<T> acceleration();
  [[nodiscard]] StateView<T> force();
  [[nodiscard]] StateView<const T> q() const;
  [[nodiscard]] StateView<const T> velocity() const;
  [[nodiscard]] StateView<const T> acceleration() const;
  [[nodiscard]] StateView<const T> force() const;

  /// Advances every body by `substeps` steps of dt / substeps [s] under constant `force()`.
  /// @throws InputError unless dt > 0 and substeps >= 1
  void step(double dt, int substeps = 1);

  /// Status of each body since construction or the last reset, shape (B).
  [[nodiscard]] std::span<const BodyStatus> status() const;
  /// Forgets status and thaws diverged bodies; their state stays as it is.
  void reset_status();

  /// Elastic and kinetic energy [J] of each body, summed in double, shape (B) each.
  [[nodiscard]] std::vector<double> elastic_energy() const;
  [[nodiscard]] std::vector<double> kinetic_energy() const;

 private:
  std::unique_ptr<BatchImpl<T>> impl_;
};

/// Copies between views of equal shape and any strides, for example NumPy's (B, r). @throws InputError if shapes differ
template <class T>
QUARTIC_EXPORT void copy_state(StateView<const T> from, StateView<T> to);

}  // namespace quartic
