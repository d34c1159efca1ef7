// Many bodies of one or several models, stepped together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "quartic/backend.hpp"
#include "quartic/body_flags.hpp"
#include "quartic/export.hpp"
#include "quartic/force_model.hpp"
#include "quartic/frame_moments.hpp"
#include "quartic/quartic_energy.hpp"
#include "quartic/range.hpp"
#include "quartic/state.hpp"
#include "quartic/storage.hpp"

namespace quartic {

/// What moves the frames of a group's bodies.
enum class FrameMotion : std::uint8_t {
  free,       ///< nothing but forces: rigid motion and deformation are coupled
  prescribed  ///< the caller, as a base that bodies are mounted on: newmark and backward_euler alone
};

/// Bodies of one model, stored contiguously in a batch.
struct BodyGroup {
  QuarticEnergy energy = {};
  std::int64_t bodies = 1;      ///< >= 1
  StrainForm strain_form = {};  ///< of the same energy, for Evaluation::accurate; otherwise ignored
  /// Instead of these two: what forces are computed from, with any Evaluation. Groups of a batch may differ in it.
  std::optional<ForceModel> force_model = {};
  ModelRange range = {};  ///< of the model, for Batch::check_range; rank 0: its bodies aren't looked at
  /// Of free bodies, `free_frame(model)`: they fly, with the rigid motion of `Batch::pose` coupled to the deformation q
  /// in the frame of their mass centre. Of bodies on a base that the caller moves, `base_frame(model, origin)`.
  /// Without: only q moves, in a frame at rest. Groups may differ.
  std::optional<FrameMoments> frame = {};
  FrameMotion motion = FrameMotion::free;  ///< of the frame; `prescribed` needs one
  /// Volumes of the model's chambers, of the energy's rank, for `Batch::set_pressure`; not beside a `force_model`,
  /// which has its own. Groups may differ in their number.
  std::vector<EnclosedVolume> chambers = {};
  /// D [1/s], a constant part of the damping C = alpha I + beta K(q) + D: symmetric, finite, without negative
  /// eigenvalues, shape (r, r), or empty for none. `modal_damping` (quartic/participation.hpp) has a ratio for each
  /// mode. On the CPU.
  Matrix damping = {};
  /// The last coordinates, whose motion is given: in [0, rank). `force()` of these isn't a force, but where they are to
  /// be at the end of the next step [m sqrt(kg)]; load curves scale it over substeps. Their velocity is the step's mean
  /// one, carried on to its end, which damping takes; what they do to the others is exact. `drive_sets`
  /// (quartic/driven.hpp) makes models that have them. On the CPU; not beside a `frame`.
  int driven = 0;
  /// Points whose energies are added to `energy`; not beside a `force_model`, which is the way to give one, and which
  /// sets `energy` to fit. With newmark, backward_euler, central_differences and energy_conserving. On the CPU; not
  /// beside a strain form or chambers.
  Cubature cubature = {};
};

/// A factor over time: linear between points, constant before the first and after the last. Two points at the same time
/// make a jump; the second one holds from that time on.
struct LoadCurve {
  std::vector<double> times = {};   ///< [s], ascending, shape (points), at least one
  std::vector<double> scales = {};  ///< [-], shape (points)
};

enum class Integrator : std::uint8_t {
  newmark,  ///< implicit Newmark (2005 paper, Appendix C)
  backward_euler,
  central_differences,  ///< explicit; damping C(q_n) times the half-step velocity, explicit
  energy_conserving     ///< discrete gradient with the two-point Gauss mean of the cubic force, or Gonzalez' of a
                        ///< cubature's; iterates to round-off
};

inline constexpr int integrator_count = 4;

/// "newmark", "backward-euler", "central-differences" or "energy-conserving"; "unknown" for any other value.
[[nodiscard]] QUARTIC_EXPORT std::string_view integrator_name(Integrator integrator);

/// The order in which forces are summed, which decides the last bits of results. With all but `cublas` these don't
/// depend on the batch that a body is in.
enum class Evaluation : std::uint8_t {
  strict,    ///< for many bodies: tiles with one body per SIMD lane
  latency,   ///< for one or a few bodies: each by itself, in a fraction of the time of a tile; on a GPU for up to some
             ///< dozens
  accurate,  ///< as strict, but forces come from strains (StrainForm): for slender, strongly bent bodies in `float`, at
             ///< twice the time. On a CPU, strict in `double` takes no longer and is more accurate still.
  cublas,    ///< GPU only: products by cuBLAS, whose last bits may depend on the number of bodies
  tensor     ///< GPU only: products on tensor cores, with errors as small as those of strict
};

inline constexpr int evaluation_count = 5;

/// "strict", "latency", "accurate", "cublas" or "tensor"; "unknown" for any other value.
[[nodiscard]] QUARTIC_EXPORT std::string_view evaluation_name(Evaluation evaluation);

/// The status of a body.
enum class BodyStatus : std::int32_t {
  ok = 0,
  regularised = 1,  ///< the system matrix needed a shift at least once
  diverged = 2      ///< frozen at its last finite state
};

struct BatchOptions {
  std::int64_t bodies = 1;  ///< B >= 1; ignored where groups give their own numbers
  /// Groups with a frame can't take central differences: their kinetic energy depends on q. Where its motion is
  /// prescribed, only newmark and backward_euler.
  Integrator integrator = Integrator::newmark;
  double newmark_beta = 0.25;     ///< (0, 1/2]
  double newmark_gamma = 0.5;     ///< [0, 1]; above 0 for groups with a frame
  double rayleigh_mass = 0;       ///< alpha [1/s] >= 0: C = alpha M + beta K(q); initial value of every body
  double rayleigh_stiffness = 0;  ///< beta [s] >= 0
  int newton_iterations = 1;      ///< per step, >= 1; 1 = semi-implicit. Free bodies that spin want 2 with newmark
  double newton_tolerance = 0;    ///< stop when |residual|_2 is below it [N in reduced coordinates]; 0 = never
  int threads = 0;                ///< 0 = default_thread_count(); results don't depend on it
  Evaluation evaluation = Evaluation::strict;
  Backend backend = Backend::cpu;
  int device = -1;  ///< number of the CUDA device, where all work of the batch runs; -1 = the current one
};

template <class T>
class BatchImpl;

/// B bodies, T = float or double. The state starts at zero. A body's trajectory is bitwise the same in any batch, at
/// any position in it, next to any other bodies and with any number of threads (but see Evaluation::cublas). A step
/// allocates nothing, except on a GPU the second of two equal steps, which prepares a graph of launches. One call at a
/// time per object, also of the energies. All calls throw DeviceError if the device fails. On the CPU, a forked process
/// may go on with its copy, with threads of its own, unless a step was running.
template <class T>
class QUARTIC_EXPORT Batch {
 public:
  /// `options.bodies` bodies of one model.
  /// @throws InputError for options out of range, an energy of the wrong size, a rank too large for the device's shared
  ///         memory or a wrong QUARTIC_CUDA_FUSED (docs/performance.md); BackendUnavailable
  explicit Batch(const QuarticEnergy& energy, const BatchOptions& options = {});
  /// Bodies of several models, group after group. Ranks may differ: a body of rank r uses the first r rows of the
  /// state, the rows after them are neither read nor written.
  /// @throws as above; InputError also if there are no groups
  explicit Batch(std::vector<BodyGroup> groups, const BatchOptions& options = {});
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  [[nodiscard]] int rank() const;  ///< the largest of the groups' ranks
  [[nodiscard]] std::int64_t bodies() const;
  [[nodiscard]] const BatchOptions& options() const;  ///< as at construction; `bodies` is the sum over all groups

  [[nodiscard]] int group_count() const;
  /// @throws InputError unless 0 <= group < group_count()
  [[nodiscard]] GroupRange group(int group) const;
  [[nodiscard]] const QuarticEnergy& energy(int group = 0) const;
  [[nodiscard]] const ForceModel& force_model(int group = 0) const;  ///< with a strain form if forces come from it
  [[nodiscard]] bool has_frame(int group = 0) const;                 ///< whether the group's bodies have poses
  /// @throws InputError if the group has none
  [[nodiscard]] const FrameMoments& frame(int group = 0) const;
  [[nodiscard]] FrameMotion frame_motion(int group = 0) const;  ///< `free` also without a frame
  /// Gives a group another energy of the same rank, for material editing at run time. The state doesn't change.
  /// @throws InputError for another rank, an energy of the wrong size, or if the group's forces come from a strain
  /// form or a cubature, which would no longer fit: see `set_force_model`; nothing is changed then
  void set_energy(const QuarticEnergy& energy, int group = 0);
  /// The same for any force model: with a strain form where the group has had one, and without where it hasn't, and
  /// with as many chambers. `set_energy` leaves the chambers as they are.
  /// @throws InputError for another rank, another kind of force model, another number of chambers, or an energy and a
  /// strain form that are wrong or don't belong together; nothing is changed then
  void set_force_model(const ForceModel& model, int group = 0);
  [[nodiscard]] const Matrix& damping(int group = 0) const;  ///< D; empty for none
  [[nodiscard]] int driven(int group = 0) const;             ///< how many of the last coordinates are driven
  /// Gives a group another constant damping, or none. @throws InputError as BodyGroup::damping; nothing is changed then
  void set_damping(Matrix damping, int group = 0);
  [[nodiscard]] const ModelRange& range(int group = 0) const;  ///< rank 0 for none
  /// Gives a group another range, or none. @throws InputError for another rank or wrong sizes; nothing is changed then
  void set_range(ModelRange range, int group = 0);

  /// Gives a group that has a frame other moments of the same rank, as edits of densities do. The state doesn't change.
  /// @throws InputError if the group has no frame, or for moments that BodyGroup::frame wouldn't take; nothing is
  /// changed then
  void set_frame(const FrameMoments& frame, int group = 0);

  /// The state itself: reduced coordinates q [m sqrt(kg)], velocity, acceleration, external force; mode-major, body
  /// contiguous, stride_mode padded to 128 bytes. Write to it freely between steps.
  ///
  /// On a GPU these are copies in host memory, made at the first call. From then on, each `step` sends those that may
  /// have been written (obtained from a batch that isn't const), and fetches q, velocity and acceleration where they
  /// have been obtained. To keep everything on the device, use quartic/cuda.hpp, where the caller decides what is
  /// copied.
  [[nodiscard]] StateView<T> q();
  [[nodiscard]] StateView<T> velocity();
  [[nodiscard]] StateView<T> acceleration();
  [[nodiscard]] StateView<T> force();
  [[nodiscard]] StateView<const T> q() const;
  [[nodiscard]] StateView<const T> velocity() const;
  [[nodiscard]] StateView<const T> acceleration() const;
  [[nodiscard]] StateView<const T> force() const;

  /// The rigid motion of bodies with a frame, as `q`: a column per body, of which those without a frame are neither
  /// read nor written. A point of the body, y = X + U q about the mass centre, is at position + R y.
  ///
  /// pose, 7 rows: position of the mass centre [m], rotation R as a quaternion x y z w. It is brought to unit length;
  /// zero or NaN makes the body diverge. Starts as 0 0 0, 0 0 0 1. twist, 6 rows: velocity of the mass centre [m/s] in
  /// world axes, angular velocity [rad/s] in BODY axes, as MuJoCo's free joint has it. twist_rate, 6 rows: the twist's
  /// rate at the end of the step, or the step's mean for energy_conserving. Newmark reads it at the start of a step.
  /// wrench, 6 rows: external force [N] and torque about the mass centre [N m], in world axes, on the whole body. A
  /// force on a point goes into `wrench` and, turned to body axes, into `force`; gravity is mass times g in `wrench`
  /// alone. Load curves scale both.
  ///
  /// Of bodies whose motion is prescribed, with "base's origin" for "mass centre", pose, twist and twist rate are the
  /// caller's, and steps only read them: those of the END of the step, which all substeps of a call take. So give a
  /// base that moves one substep per call. Gravity is part of the twist rate: its first rows are the acceleration of
  /// the base's origin MINUS that of gravity, in world axes, what an accelerometer there shows (`add_gravity`,
  /// quartic/frame_motion.hpp). Their wrench moves nothing; it sums up the forces on points for `base_wrench`.
  /// @throws InputError if no group has a frame
  [[nodiscard]] StateView<T> pose();
  [[nodiscard]] StateView<T> twist();
  [[nodiscard]] StateView<T> twist_rate();
  [[nodiscard]] StateView<T> wrench();
  [[nodiscard]] StateView<const T> pose() const;
  [[nodiscard]] StateView<const T> twist() const;
  [[nodiscard]] StateView<const T> twist_rate() const;
  [[nodiscard]] StateView<const T> wrench() const;

  /// Each body's own damping, shape (B) each: alpha [1/s] and beta [s], finite and >= 0, rounded to T.
  /// @throws InputError for a wrong size or value; nothing is changed then
  void set_rayleigh_damping(std::span<const double> mass, std::span<const double> stiffness);
  [[nodiscard]] std::span<const T> rayleigh_mass() const;
  [[nodiscard]] std::span<const T> rayleigh_stiffness() const;

  /// Each body's own factor of its energy, and so of R(q) and K(q), shape (B), 1 at the start: what all of the body's
  /// Young's moduli and springs are multiplied with. Normal numbers > 0, rounded to T.
  /// @throws InputError for a wrong size or value; nothing is changed then
  void set_stiffness_scale(std::span<const double> scale);
  [[nodiscard]] std::span<const T> stiffness_scale() const;

  /// The most chambers of a group; the others' bodies have fewer, and ignore pressures of those that they haven't.
  [[nodiscard]] int chamber_count() const;
  /// The pressure in a chamber of each body [Pa] above that outside, from the next step on, shape (B), 0 at the start:
  /// a control input. It follows the surface, with the force p dV/dq and the stiffness -p d2V/dq2, which also count in
  /// the damping C = alpha I + beta K: so a body that is in balance under pressure may turn without being damped.
  /// Load curves and stiffness scales don't scale it. Finite, of any sign, rounded to T.
  /// @throws InputError for a wrong size or value, or a chamber that no group has; nothing is changed then
  void set_pressure(std::span<const double> pressure, int chamber = 0);
  /// Shape (B). @throws InputError for a chamber that no group has
  [[nodiscard]] std::span<const T> pressure(int chamber = 0) const;

  /// Scales forces over time: the force on body b is scale(t) force(), t = time(), with the scale of curve
  /// `curve_of_body[b]`, or 1 where that is -1. Implicit integrators take the scale at the end of a step, central
  /// differences at both ends, the energy-conserving one the mean of both.
  /// @param curve_of_body shape (B), or empty for none
  /// @throws InputError for times that descend, numbers that aren't finite, or a curve that doesn't exist
  void set_load_curves(std::span<const LoadCurve> curves, std::span<const std::int32_t> curve_of_body);
  [[nodiscard]] std::span<const LoadCurve> load_curves() const;
  [[nodiscard]] std::span<const std::int32_t> curve_of_body() const;  ///< empty if there are none

  /// Simulated time [s], at which load curves are evaluated: 0 at the start, plus the length of each substep.
  [[nodiscard]] double time() const;
  /// @throws InputError unless finite
  void set_time(double time);

  /// Advances every body by `substeps` steps of dt / substeps [s] under `force()`, constant except for load curves.
  /// Complete on return, also on a GPU.
  /// @throws InputError unless dt > 0 and substeps >= 1
  void step(double dt, int substeps = 1);

  /// Status of each body since construction or the last reset, shape (B); call again after each step.
  [[nodiscard]] std::span<const BodyStatus> status() const;
  /// Sets the status of all bodies to ok, so that diverged ones move again; their state doesn't change.
  void reset_status();
  /// Sets the status, as saved from another batch, shape (B). @throws InputError for a wrong size or value
  void set_status(std::span<const BodyStatus> status);

  /// Flags of each body since construction or the last reset, shape (B); call again after each step or check. What was
  /// set stays, also where it no longer holds.
  [[nodiscard]] std::span<const BodyFlags> flags() const;
  void reset_flags();  ///< of all bodies, to none
  /// Sets the flags, as saved from another batch, shape (B). @throws InputError for a wrong size
  void set_flags(std::span<const BodyFlags> flags);

  /// Looks whether bodies are in their model's range now (quartic/range.hpp): `inverted` and `strained` of their
  /// present q, shape (B), none for groups without a range; also added to `flags()`. Costs points (9 r + 80)
  /// multiply-adds per body, and nothing in steps. Valid until the next call.
  std::span<const BodyFlags> check_range();

  /// The volume of a chamber of each body now [m^3], in double, shape (B); 0 where a body's group doesn't have it.
  /// While pressures are constant, energy-conserving steps keep elastic + kinetic energy - sum p V.
  /// @throws InputError for a chamber that no group has
  [[nodiscard]] std::vector<double> enclosed_volume(int chamber = 0) const;

  /// Elastic and kinetic energy [J] of each body, summed in double, shape (B) each. Kinetic energy of a body with a
  /// frame has that of its rigid motion.
  [[nodiscard]] std::vector<double> elastic_energy() const;
  [[nodiscard]] std::vector<double> kinetic_energy() const;
  /// Linear momentum [kg m/s] and angular momentum about the body's mass centre [kg m^2/s] of each body, in world axes,
  /// in double, shape (B, 3) each. About the base's origin if the motion is prescribed. Zero for bodies without a
  /// frame.
  [[nodiscard]] std::vector<double> linear_momentum() const;
  [[nodiscard]] std::vector<double> angular_momentum() const;

  /// Internal to quartic.
  [[nodiscard]] BatchImpl<T>& impl() { return *impl_; }
  [[nodiscard]] BatchImpl<T>& impl() const { return *impl_; }  // not const: reading may fetch

 private:
  std::unique_ptr<BatchImpl<T>> impl_;
};

/// Where bodies start, views of the batch's B columns each; one without data stands for zeros, or for the pose at the
/// origin.
template <class T>
struct BodyStart {
  StateView<const T> q = {};         ///< shape (r, B), or (b, B) with b at least each reset body's rank
  StateView<const T> velocity = {};  ///< of q
  StateView<const T> pose = {};      ///< shape (7, B)
  StateView<const T> twist = {};     ///< shape (6, B)
};

/// Puts the bodies whose mask isn't 0 at their start: q, its velocity, pose and twist as given, accelerations and twist
/// rate zero, status ok. Loads and all other bodies stay as they are, and so does a prescribed motion: pose and twist
/// where none is given, and the twist rate. Cost O(B r) at most.
/// @param mask shape (B)
/// @throws InputError for sizes that don't fit, a number that isn't finite, a quaternion of length zero, or a pose or
/// twist where no group has a frame; nothing is changed then
template <class T>
QUARTIC_EXPORT void reset_bodies(Batch<T>& batch, std::span<const std::uint8_t> mask, const BodyStart<T>& start = {});
/// The same of the bodies with these numbers, in any order; the start's views have columns of all bodies.
/// @throws InputError as above, and for a number that no body has
template <class T>
QUARTIC_EXPORT void reset_bodies(Batch<T>& batch, std::span<const std::int32_t> numbers,
                                 const BodyStart<T>& start = {});

}  // namespace quartic
