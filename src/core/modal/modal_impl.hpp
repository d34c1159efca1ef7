// What a backend does for `ModalBatch`.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/batch/state_layout.hpp"
#include "quartic/modal_batch.hpp"

namespace quartic {

/// The blocks of a modal batch's state, in the order of its layout.
enum class ModalArray : std::uint8_t { q, velocity, force, force_before };

inline constexpr StateBlock modal_state[] = {{"modal_q", "m sqrt(kg)", 0, true},
                                             {"modal_velocity", "m sqrt(kg)/s", 0, true},
                                             {"modal_force", "N/sqrt(kg)", 0, false},
                                             {"modal_force_before", "N/sqrt(kg)", 0, true}};

/// A propagator in the batch's precision, as kernels read it, and up to which size the mode's numbers may go for a
/// body's energy to be finite in double.
template <class T>
struct PackedPropagator {
  T zz_less_one, zv, vz, vv_less_one, z_force, v_force, z_ramp, v_ramp;
  T largest_z, largest_v;
};

/// What is added to the states of some bodies, each named once.
template <class T>
struct StateJumps {
  std::vector<std::int64_t> bodies;  // ascending, shape (n)
  std::vector<T> q, velocity;        // shape (n, k), C order
};

/// The state of a modal batch and the work on it. Whoever calls has checked the arguments.
template <class T>
class ModalImpl {
 public:
  ModalImpl(ModalOptions options, std::int64_t rank) : options_(std::move(options)), rank_(rank) {}
  virtual ~ModalImpl() = default;
  ModalImpl(const ModalImpl&) = delete;
  ModalImpl& operator=(const ModalImpl&) = delete;

  [[nodiscard]] const ModalOptions& options() const { return options_; }
  [[nodiscard]] std::int64_t rank() const { return rank_; }

  /// What the state is read and written by, on the host; always up to date while no step runs.
  [[nodiscard]] virtual StateView<T> state(ModalArray which) = 0;
  /// The same for a caller who only reads.
  [[nodiscard]] virtual StateView<const T> read_state(ModalArray which) { return state(which); }
  /// `substeps` equal steps of bodies that haven't diverged. @param steps of a substep, shape (k)
  virtual void step(std::span<const PackedPropagator<T>> steps, int substeps, ForceHold hold) = 0;
  /// Of bodies that haven't diverged. @param steps of the last step
  virtual void add(const StateJumps<T>& jumps, std::span<const PackedPropagator<T>> steps) = 0;
  [[nodiscard]] virtual std::span<const BodyStatus> status() const = 0;
  virtual void set_status(std::span<const BodyStatus> status) = 0;

 private:
  ModalOptions options_;
  std::int64_t rank_;
};

}  // namespace quartic
