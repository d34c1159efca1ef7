// Motion as a stream of accelerations: a sender steps bodies, a receiver integrates what arrives, and packets may be
// lost, late or damaged on the way. No sockets here: packets are bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/export.hpp"
#include "quartic/modal_batch.hpp"
#include "quartic/state.hpp"
#include "quartic/storage.hpp"
#include "quartic/trajectory.hpp"

namespace quartic {

struct ReducedModel;  // quartic/model.hpp

/// How q and its velocity follow from accelerations a, with steps of h:
///   q += h v + h^2 (before a_n + after a_(n+1)),   v += h ((1 - gamma) a_n + gamma a_(n+1)).
struct AccelerationRule {
  double before = 0.25;
  double after = 0.25;
  double gamma = 0.5;
  /// The motion doesn't follow from its own accelerations by a rule, as that of exact steps: what is sent are second
  /// differences of q, which give q exactly, and the velocity as the mean one of the last step.
  bool of_differences = false;
};

/// That of a batch's integrator, with the acceleration that it stores: newmark (1/2 - beta, beta, gamma),
/// backward_euler (0, 1, 1), energy_conserving (0, 1/2, 1), central_differences (1/2, 0, 1/2), the last one while
/// forces don't jump between two calls of `step`.
[[nodiscard]] QUARTIC_EXPORT AccelerationRule acceleration_rule(const BatchOptions& options);

/// That of `ModalBatch`: (0, 1, 1) of differences.
inline constexpr AccelerationRule difference_rule = {0, 1, 1, true};

/// What is missing in the receiver after an acceleration of 1 has been taken for 0.
struct LossDistortion {
  double q = 0;         ///< [s^2]
  double velocity = 0;  ///< [s]
};

/// `steps` after the lost one: (after h^2, gamma h) at once, (steps - 1 + before + after + gamma) h^2 and h later. With
/// average acceleration h^2/4, h/2, and steps h^2, h: the lemma and the theorem of the course's appendix on modal
/// warping, part B (A.18-A.25). Losses add up.
[[nodiscard]] QUARTIC_EXPORT LossDistortion loss_distortion(const AccelerationRule& rule, double h, std::int64_t steps);

/// FNV-1a of the model's rest positions and of the basis or the linear modes: tells a receiver whether it has the model
/// that the numbers are of.
[[nodiscard]] QUARTIC_EXPORT std::uint64_t stream_fingerprint(const ReducedModel& model,
                                                              Coordinates coordinates = Coordinates::basis);

/// Numbers of accelerations in a packet.
enum class AccelerationType : std::uint8_t {
  fp16 = 0,  ///< half precision, times a power of two for each coordinate
  fp32 = 1,
  fp64 = 2
};

using Packet = std::vector<std::byte>;

struct SenderOptions {
  AccelerationRule rule = {};
  double step = 0.01;             ///< h [s] > 0
  std::uint64_t fingerprint = 0;  ///< stream_fingerprint
  AccelerationType type = AccelerationType::fp32;
  /// The sender integrates what it sends as a receiver does that loses nothing, and sends accelerations that lead that
  /// one back: a + velocity_gain dv/h + position_gain dq/h^2, so that rounding doesn't add up. Of differences: the one
  /// that leads it to q in one step.
  bool closed_loop = false;
  double position_gain = 0.1;
  double velocity_gain = 0.5;
  std::int64_t keyframe_interval = 0;  ///< steps from one whole state to the next; 0: the first step's alone
  std::int64_t history = 64;           ///< steps that can be sent again, >= 0
  std::int64_t most_bytes = 65507;     ///< of a packet: bodies are shared out; by default what UDP takes
};

/// Makes packets of the states of B bodies, step after step. The first step's are whole states. Numbers beyond the
/// range of the type that they are written in are sent as the largest that it has.
class QUARTIC_EXPORT AccelerationSender {
 public:
  /// @throws InputError for options out of range; a motion of differences without `closed_loop`, whose error would grow
  ///         without bound; gains for which the closed loop isn't stable; a rank for which `most_bytes` are too few
  AccelerationSender(std::int64_t rank, std::int64_t bodies, const SenderOptions& options);
  AccelerationSender(AccelerationSender&&) noexcept;
  AccelerationSender& operator=(AccelerationSender&&) noexcept;
  ~AccelerationSender();

  [[nodiscard]] const SenderOptions& options() const;
  [[nodiscard]] std::int64_t steps() const;  ///< that have been sent; the next one has this number

  /// The next step's packets, of views of the bodies' state, shape (r, B). A body that diverged is sent once more, as
  /// one that stays where it is, and again with each whole state.
  /// @param status shape (B), or empty: all move
  /// @return valid until the next call
  /// @throws InputError for other shapes; for what isn't finite of a body that hasn't diverged
  /// @throws NumericalError where a closed loop's numbers overflow
  template <class T>
  std::span<const Packet> send(StateView<const T> q, StateView<const T> velocity, StateView<const T> acceleration,
                               std::span<const BodyStatus> status = {});
  /// Of a batch's present state. @throws InputError also for bodies that fly, whose poses aren't sent, and for another
  /// rule than `acceleration_rule(batch.options())`, or a batch whose time hasn't moved by SenderOptions::step
  ///         since the last call, or whose last step was another
  template <class T>
  std::span<const Packet> send(const Batch<T>& batch);
  /// @throws InputError also for another rule than `difference_rule`, or a batch whose time hasn't moved by
  ///         SenderOptions::step since the last call
  template <class T>
  std::span<const Packet> send(const ModalBatch<T>& batch);

  /// The packets of an earlier step again, for a receiver that tells what it lacks (Recovery::late).
  /// @return none if the step isn't among the last `history` ones
  [[nodiscard]] std::vector<Packet> send_again(std::int64_t step);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// What a receiver takes for an acceleration that isn't there when it is needed.
enum class Recovery : std::uint8_t {
  zero,
  hold,         ///< the last one
  interpolate,  ///< the mean of its neighbours, if the next step's is there already: stay a step behind; else the last
  model,  ///< as the linear body's free vibration goes on from the accelerations before; r^2 products a body and step
  late    ///< zero, until it arrives after all, k steps late; then (k + 1) times what was missing is added to
          ///< the next step, and k times that taken off the one after: exact from the third step on, for any rule
};

/// "zero", "hold", "interpolate", "model" or "late"; "unknown" for any other value.
[[nodiscard]] QUARTIC_EXPORT std::string_view recovery_name(Recovery recovery);
inline constexpr int recovery_count = 5;

struct ReceiverOptions {
  Recovery recovery = Recovery::hold;
  std::uint64_t fingerprint = 0;  ///< of the receiver's model
  std::int64_t window = 64;       ///< steps before and after the present one whose packets are taken, >= 2
  Matrix stiffness = {};          ///< for `model`: K at rest, shape (r, r); of modes, diagonal
  double rayleigh_mass = 0;       ///< for `model`
  double rayleigh_stiffness = 0;
  /// For `model`: the force on bodies whose first state has no acceleration yet, shape (r), or empty for none. That on
  /// others is seen in what they send.
  std::vector<double> force = {};
};

/// What became of a packet.
enum class PacketFate : std::uint8_t {
  taken,      ///< its accelerations wait for their step
  state,      ///< a whole state
  stopped,    ///< it tells of bodies that stay where they are
  repaired,   ///< late, and what was missing is made up for
  late,       ///< too late for this recovery
  duplicate,  ///< all of it was there
  beyond,     ///< of a step that is too far ahead
  damaged,    ///< no packet, or not what was sent
  foreign     ///< of another model, or of bodies or steps that aren't the receiver's
};
inline constexpr int packet_fate_count = 9;

/// "taken", "state", ..., "foreign"; "unknown" for any other value.
[[nodiscard]] QUARTIC_EXPORT std::string_view packet_fate_name(PacketFate fate);

struct StreamCounts {
  std::int64_t packets[packet_fate_count] = {};  ///< by fate
  std::int64_t guessed = 0;                      ///< accelerations of a body in a step that weren't there in time
};

/// Integrates the accelerations of B bodies that arrive in packets, in any order, some not at all. Numbers are double.
/// Nothing is believed of a packet before its checksums are right. All memory is taken at construction,
/// 8 r B (4 window + 13) bytes, and 8 r (r + 6 B) more for `model`. A step reads four numbers of each coordinate
/// and writes three.
/// Bodies whose whole state is lost after the receiver had to jump ahead stay where they are until it comes: `missing`
/// names its step, and accelerations that came in between are taken from there on.
class QUARTIC_EXPORT AccelerationReceiver {
 public:
  /// @throws InputError for options out of range, for numbers that aren't finite, and for more than memory holds
  AccelerationReceiver(std::int64_t rank, std::int64_t bodies, const ReceiverOptions& options = {});
  AccelerationReceiver(AccelerationReceiver&&) noexcept;
  AccelerationReceiver& operator=(AccelerationReceiver&&) noexcept;
  ~AccelerationReceiver();

  PacketFate receive(std::span<const std::byte> packet);
  /// Forgets the motion, but not the counts: the next whole state is a first one. For a sender that begins anew, whose
  /// low steps are `late`; and where checksums don't keep strangers out, after a whole state of a step far ahead.
  void reset();

  [[nodiscard]] bool started() const;         ///< whether all bodies have had a whole state since the last jump
  [[nodiscard]] std::int64_t step() const;    ///< where the receiver is; -1 before the first state
  [[nodiscard]] std::int64_t latest() const;  ///< the last step that it has had a packet of; -1: none
  [[nodiscard]] double step_length() const;   ///< h [s]; 0 before the first state
  /// Moves by one step, with what is there. Whoever calls decides when that is: at the latest packet's step, or a
  /// little behind. Nothing before the first state.
  void advance();
  /// Whether every body's acceleration of a step is there, which is after the present one.
  [[nodiscard]] bool has(std::int64_t step) const;
  /// Steps of the last `window` ones in which some body's acceleration or first state is still missing, ascending: to
  /// be asked for.
  [[nodiscard]] std::vector<std::int64_t> missing() const;

  [[nodiscard]] StateView<const double> q() const;  ///< shape (r, B)
  [[nodiscard]] StateView<const double> velocity() const;
  [[nodiscard]] StateView<const double> acceleration() const;
  [[nodiscard]] std::span<const std::uint8_t> stopped() const;  ///< 1 for bodies that stay where they are, shape (B)
  [[nodiscard]] const StreamCounts& counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Finds the packets in a stream of bytes, such as a file or a pipe, that has one behind the other. What is no packet,
/// or a damaged or truncated one, is skipped.
class QUARTIC_EXPORT PacketReader {
 public:
  void feed(std::span<const std::byte> bytes);
  /// The next whole packet, or nothing until there are more bytes.
  [[nodiscard]] std::optional<Packet> next();
  [[nodiscard]] std::int64_t skipped_bytes() const { return skipped_; }

 private:
  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0;
  std::int64_t skipped_ = 0;
};

}  // namespace quartic
