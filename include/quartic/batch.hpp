// Many bodies of one or several models, stepped together.
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
  /// The view of bodies `range.first_body ..` and their first `range.rank` coordinates: one group of a batch.
  [[nodiscard]] StateView part(const struct GroupRange& range) const;
  /// A view of const elements.
  operator StateView<const T>() const  // NOLINT(google-explicit-constructor): as span converts
      requires(!std::is_const_v<T>) {
    return {data, rank, bodies, stride_mode, stride_body};
  }
};

/// Bodies of one model that lie side by side in a batch.
struct BodyGroup {
  QuarticEnergy energy;
  std::int64_t bodies = 1;      ///< >= 1
  StrainForm strain_form = {};  ///< of the same energy, for Evaluation::accurate; not read otherwise
};

/// Where the bodies of a group are.
struct GroupRange {
  std::int64_t first_body = 0;
  std::int64_t bodies = 0;
  std::int64_t rank = 0;  ///< of the group's model
};

template <class T>
StateView<T> StateView<T>::part(const GroupRange& range) const {
  return {data + range.first_body * stride_body, range.rank, range.bodies, stride_mode, stride_body};
}

/// A factor over time: linear between points, constant before the first and after the last. Two points at one time
/// are a jump; from that time on the second one holds.
struct LoadCurve {
  std::vector<double> times = {};   ///< [s], ascending, shape (points), at least one
  std::vector<double> scales = {};  ///< [-], shape (points)
};

enum class Integrator : std::uint8_t {
  newmark,  ///< implicit Newmark (2005 paper, Appendix C)
  backward_euler,
  central_differences,  ///< explicit; damping C(q_n) times the half-step velocity, explicit
  energy_conserving     ///< discrete gradient with the two-point Gauss mean of the cubic force; iterates to round-off
};

/// The order of summation, and with it the last bits. Each but `cublas` is the same whatever the batch.
enum class Evaluation : std::uint8_t {
  strict,    ///< for many bodies: tiles of them, one per SIMD lane
  latency,   ///< for one or a few: each body by itself, which takes a fraction of the time of a tile; on a GPU up to
             ///< some dozens
  accurate,  ///< as strict, but forces come from strains (StrainForm): for `float` and slender, strongly bent bodies,
             ///< at twice the time. `double` takes no longer on a CPU and is better still.
  cublas,    ///< on a GPU alone: products by cuBLAS, whose last bits may depend on the number of bodies
  tensor     ///< on a GPU alone: products on tensor cores, with errors of the size of strict's
};

/// What became of a body.
enum class BodyStatus : std::int32_t {
  ok = 0,
  regularised = 1,  ///< the system matrix needed a shift at least once
  diverged = 2      ///< frozen at its last finite state
};

struct BatchOptions {
  std::int64_t bodies = 1;  ///< B >= 1; groups bring their own numbers
  Integrator integrator = Integrator::newmark;
  double newmark_beta = 0.25;     ///< (0, 1/2]
  double newmark_gamma = 0.5;     ///< [0, 1]
  double rayleigh_mass = 0;       ///< alpha [1/s] >= 0: C = alpha M + beta K(q); of every body at first
  double rayleigh_stiffness = 0;  ///< beta [s] >= 0
  int newton_iterations = 1;      ///< per step, >= 1; 1 = semi-implicit
  double newton_tolerance = 0;    ///< stop when |residual|_2 is below it [N in reduced coordinates]; 0 = never
  int threads = 0;                ///< 0 = the hardware's; results don't depend on it
  Evaluation evaluation = Evaluation::strict;
  Backend backend = Backend::cpu;
  int device = -1;  ///< of Backend::cuda: its number; -1 = the current one. All work of the batch goes there
};

template <class T>
class BatchImpl;

/// B bodies, T = float or double. State starts at zero. A body's trajectory is bitwise the same whatever batch it is
/// in, wherever and in whatever company it sits there and however many threads work. Nothing is allocated in a step; on
/// a GPU, but for the second of two equal ones, which prepares a graph of launches. One call at a time per object, also
/// of the energies. All calls throw DeviceError if the device fails. On the CPU, a forked process may go on with its
/// copy, with threads of its own, unless a step was under way.
template <class T>
class QUARTIC_EXPORT Batch {
 public:
  /// `options.bodies` bodies of one model.
  /// @throws InputError for options out of range, an energy of the wrong size, a rank too large for the device's shared
  ///         memory or a wrong QUARTIC_CUDA_FUSED (docs/performance.md); BackendUnavailable
  explicit Batch(const QuarticEnergy& energy, const BatchOptions& options = {});
  /// Bodies of several models, group after group. Ranks may differ: a body of rank r uses the first r rows of the
  /// state, the rows behind them are neither read nor written.
  /// @throws the same, also without any group
  explicit Batch(std::vector<BodyGroup> groups, const BatchOptions& options = {});
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  [[nodiscard]] int rank() const;  ///< the largest of the groups' ranks
  [[nodiscard]] std::int64_t bodies() const;
  [[nodiscard]] const BatchOptions& options() const;  ///< as at construction, `bodies` being the sum of all groups

  [[nodiscard]] int group_count() const;
  /// @throws InputError unless 0 <= group < group_count()
  [[nodiscard]] GroupRange group(int group) const;
  [[nodiscard]] const QuarticEnergy& energy(int group = 0) const;
  /// Gives a group another energy of the same rank, for material editing while bodies move. State stays as it is.
  /// @throws InputError for another rank, an energy of the wrong size, or with Evaluation::accurate, whose strain form
  /// would no longer fit; nothing is changed then
  void set_energy(const QuarticEnergy& energy, int group = 0);

  /// The state itself: reduced coordinates q [m sqrt(kg)], velocity, acceleration, external force; mode-major, body
  /// contiguous, stride_mode padded to 128 bytes. Write to it freely between steps.
  ///
  /// On a GPU these are copies in host memory, which exist from the first call on: from then on, each `step` sends
  /// those that may have been written (asked for by a batch that isn't const) and fetches q, velocity and acceleration
  /// if they were asked for. Who keeps everything on the device uses quartic/cuda.hpp, where copies are up to the
  /// caller.
  [[nodiscard]] StateView<T> q();
  [[nodiscard]] StateView<T> velocity();
  [[nodiscard]] StateView<T> acceleration();
  [[nodiscard]] StateView<T> force();
  [[nodiscard]] StateView<const T> q() const;
  [[nodiscard]] StateView<const T> velocity() const;
  [[nodiscard]] StateView<const T> acceleration() const;
  [[nodiscard]] StateView<const T> force() const;

  /// Each body's own damping, shape (B) each: alpha [1/s] and beta [s], finite and >= 0, rounded to T.
  /// @throws InputError for a wrong size or value; nothing is changed then
  void set_rayleigh_damping(std::span<const double> mass, std::span<const double> stiffness);
  [[nodiscard]] std::span<const T> rayleigh_mass() const;
  [[nodiscard]] std::span<const T> rayleigh_stiffness() const;

  /// Scales forces over time: body b feels scale(t) force(), t = time(), with the scale of curve `curve_of_body[b]`, or
  /// 1 where that is -1. Implicit integrators take the scale at the end of a step, central differences at both ends,
  /// the energy-conserving one the mean of both.
  /// @param curve_of_body shape (B), or empty to have none
  /// @throws InputError for times that descend, numbers that aren't finite, or a curve that isn't there
  void set_load_curves(std::span<const LoadCurve> curves, std::span<const std::int32_t> curve_of_body);
  [[nodiscard]] std::span<const LoadCurve> load_curves() const;
  [[nodiscard]] std::span<const std::int32_t> curve_of_body() const;  ///< empty if there are none

  /// The sum of all substeps so far [s], which load curves are looked up by; 0 at first.
  [[nodiscard]] double time() const;
  /// @throws InputError unless finite
  void set_time(double time);

  /// Advances every body by `substeps` steps of dt / substeps [s] under `force()`, constant but for load curves.
  /// Complete on return, also on a GPU.
  /// @throws InputError unless dt > 0 and substeps >= 1
  void step(double dt, int substeps = 1);

  /// Status of each body since construction or the last reset, shape (B); ask anew after a step.
  [[nodiscard]] std::span<const BodyStatus> status() const;
  /// Forgets status and thaws diverged bodies; their state stays as it is.
  void reset_status();
  /// As another batch or a file had it, shape (B). @throws InputError for a wrong size or value
  void set_status(std::span<const BodyStatus> status);

  /// Elastic and kinetic energy [J] of each body, summed in double, shape (B) each.
  [[nodiscard]] std::vector<double> elastic_energy() const;
  [[nodiscard]] std::vector<double> kinetic_energy() const;

  /// For quartic's own libraries.
  [[nodiscard]] BatchImpl<T>& impl() { return *impl_; }
  [[nodiscard]] const BatchImpl<T>& impl() const { return *impl_; }

 private:
  std::unique_ptr<BatchImpl<T>> impl_;
};

/// Copies between views of equal shape and any strides, for example NumPy's (B, r). @throws InputError if shapes differ
template <class T>
QUARTIC_EXPORT void copy_state(StateView<const T> from, StateView<T> to);

}  // namespace quartic
