#include "quartic/modal_batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/memory.hpp"
#include "core/base/number_text.hpp"
#include "core/batch/batch_checks.hpp"
#include "core/modal/modal_checks.hpp"
#include "core/modal/modal_operations.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

template <class T>
std::unique_ptr<ModalImpl<T>> make_impl(std::int64_t rank, const ModalOptions& options) {
  const ModalOperations& operations = modal_operations(options.backend);
  const double bytes = 4.0 * static_cast<double>(rank) * static_cast<double>(options.bodies) * sizeof(T);
  constexpr double small = 1e9;  // not worth a question
  try {
    if (options.backend == Backend::cuda || bytes < small || bytes < available_memory_bytes()) {
      if constexpr (std::is_same_v<T, float>)
        return operations.make_float_batch(rank, options);
      else
        return operations.make_double_batch(rank, options);
    }
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  throw InputError("a modal batch of " + std::to_string(options.bodies) + " bodies of " + std::to_string(rank) +
                   " modes doesn't fit into memory; make smaller batches, one after the other");
}

/// The largest size of numbers whose squares, of k modes, q^2 times `weight` and all halved, are a finite energy.
template <class T>
T largest_number(std::size_t modes, double weight) {
  const double largest = std::sqrt(std::numeric_limits<double>::max() / static_cast<double>(modes) / weight);
  return static_cast<T>(std::min(largest, double{std::numeric_limits<T>::max()}));
}

template <class T>
PackedPropagator<T> packed(const ModalPropagator& p) {
  return {static_cast<T>(p.zz_less_one),
          static_cast<T>(p.zv),
          static_cast<T>(p.vz),
          static_cast<T>(p.vv_less_one),
          static_cast<T>(p.z_force),
          static_cast<T>(p.v_force),
          static_cast<T>(p.z_ramp),
          static_cast<T>(p.v_ramp),
          0,
          0};
}

/// Half the sum of weight x^2 over a body's modes.
template <class T>
std::vector<double> energies(const StateView<const T>& x, std::span<const double> weights) {
  std::vector<double> result(static_cast<std::size_t>(x.bodies));
  for (std::int64_t i = 0; i < x.rank; ++i) {
    const double half = 0.5 * (weights.empty() ? 1 : weights[static_cast<std::size_t>(i)]);
    for (std::int64_t b = 0; b < x.bodies; ++b) {
      const double value{x(i, b)};
      result[static_cast<std::size_t>(b)] += half * value * value;
    }
  }
  return result;
}

}  // namespace

/// What a batch keeps beside its state.
template <class T>
struct ModalBatch<T>::Waiting {
  struct Impulse {
    std::int64_t body;
    double delay;  // from now on [s]
    std::vector<double> jump;
  };
  std::vector<double> eigenvalues, damping;
  std::vector<Impulse> impulses;  // in the order in which they were given
  double time = 0;
  double step = 0;  // that `propagators` are of
  std::vector<PackedPropagator<T>> propagators;

  /// Propagators over h, anew where h isn't the last one.
  std::span<const PackedPropagator<T>> over(double h) {
    if (h != step)
      for (std::size_t i = 0; i < propagators.size(); ++i) {
        propagators[i] = packed<T>(modal_propagator(eigenvalues[i], damping[i], h));
        propagators[i].largest_z = largest_number<T>(propagators.size(), eigenvalues[i]);
        propagators[i].largest_v = largest_number<T>(propagators.size(), 1);
      }
    step = h;
    return propagators;
  }

  /// Adds what a jump of the velocity leads to in `h` seconds.
  void add_flow(const std::vector<double>& jump, double h, std::span<double> q, std::span<double> velocity) const {
    for (std::size_t i = 0; i < jump.size(); ++i) {
      const ModalPropagator p = modal_propagator(eigenvalues[i], damping[i], h);
      q[i] += p.zv * jump[i];
      velocity[i] += (1 + p.vv_less_one) * jump[i];
    }
  }
};

template <class T>
ModalBatch<T>::ModalBatch(std::span<const double> eigenvalues, const ModalOptions& options)
    : waiting_(std::make_unique<Waiting>()) {
  check_modal_options<T>(options, std::ssize(eigenvalues));
  waiting_->eigenvalues = checked_eigenvalues(eigenvalues);
  waiting_->damping = modal_damping(waiting_->eigenvalues, options);
  waiting_->propagators.resize(eigenvalues.size());
  impl_ = make_impl<T>(std::ssize(eigenvalues), options);
}
template <class T>
ModalBatch<T>::ModalBatch(ModalBatch&&) noexcept = default;
template <class T>
ModalBatch<T>& ModalBatch<T>::operator=(ModalBatch&&) noexcept = default;
template <class T>
ModalBatch<T>::~ModalBatch() = default;

template <class T>
std::int64_t ModalBatch<T>::rank() const {
  return impl_->rank();
}
template <class T>
std::int64_t ModalBatch<T>::bodies() const {
  return impl_->options().bodies;
}
template <class T>
const ModalOptions& ModalBatch<T>::options() const {
  return impl_->options();
}
template <class T>
std::span<const double> ModalBatch<T>::eigenvalues() const {
  return waiting_->eigenvalues;
}
template <class T>
std::span<const double> ModalBatch<T>::damping() const {
  return waiting_->damping;
}
template <class T>
std::int64_t ModalBatch<T>::overdamped_modes() const {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < waiting_->damping.size(); ++i) {
    const double lambda = waiting_->eigenvalues[i];
    if (lambda > 0 && waiting_->damping[i] >= 2 * std::sqrt(lambda)) ++count;
  }
  return count;
}

template <class T>
StateView<T> ModalBatch<T>::q() {
  return impl_->state(ModalArray::q);
}
template <class T>
StateView<T> ModalBatch<T>::velocity() {
  return impl_->state(ModalArray::velocity);
}
template <class T>
StateView<T> ModalBatch<T>::force() {
  return impl_->state(ModalArray::force);
}
template <class T>
StateView<T> ModalBatch<T>::force_before() {
  return impl_->state(ModalArray::force_before);
}
template <class T>
StateView<const T> ModalBatch<T>::q() const {
  return impl_->read_state(ModalArray::q);
}
template <class T>
StateView<const T> ModalBatch<T>::velocity() const {
  return impl_->read_state(ModalArray::velocity);
}
template <class T>
StateView<const T> ModalBatch<T>::force() const {
  return impl_->read_state(ModalArray::force);
}
template <class T>
StateView<const T> ModalBatch<T>::force_before() const {
  return impl_->read_state(ModalArray::force_before);
}

template <class T>
void ModalBatch<T>::impulse(std::int64_t body, std::span<const double> jump, double delay) {
  check_impulse<T>(body, jump, delay, bodies(), rank());
  waiting_->impulses.push_back({body, delay, {jump.begin(), jump.end()}});
}
template <class T>
std::int64_t ModalBatch<T>::waiting_impulses() const {
  return std::ssize(waiting_->impulses);
}

// Oscillators are linear: what impulses inside the step lead to by its end is added to where it ends without them.
template <class T>
void ModalBatch<T>::take_impulses(double dt) {
  if (waiting_->impulses.empty()) return;
  const auto k = static_cast<std::size_t>(rank());
  std::map<std::int64_t, std::vector<double>> sums;  // by body: q, then velocity
  std::erase_if(waiting_->impulses, [&](typename Waiting::Impulse& impulse) {
    if (impulse.delay > dt) {
      impulse.delay -= dt;
      return false;
    }
    std::vector<double>& sum = sums[impulse.body];
    sum.resize(2 * k);
    waiting_->add_flow(impulse.jump, dt - impulse.delay, std::span(sum).first(k), std::span(sum).last(k));
    return true;
  });
  StateJumps<T> jumps;
  for (const auto& [body, sum] : sums) {
    jumps.bodies.push_back(body);
    for (std::size_t i = 0; i < k; ++i) {
      jumps.q.push_back(static_cast<T>(sum[i]));
      jumps.velocity.push_back(static_cast<T>(sum[k + i]));
    }
  }
  if (!jumps.bodies.empty()) impl_->add(jumps, waiting_->over(waiting_->step));
}

template <class T>
void ModalBatch<T>::run(double dt, int substeps, ForceHold hold) {
  impl_->step(waiting_->over(dt / substeps), substeps, hold);
  take_impulses(dt);
  waiting_->time += dt;
}

template <class T>
void ModalBatch<T>::step(double dt, int substeps) {
  check_step<T>(dt, substeps);
  run(dt, substeps, impl_->options().hold);
}

template <class T>
void ModalBatch<T>::advance(double t) {
  if (!(t >= 0 && std::isfinite(t)))
    throw InputError("a modal batch can advance by a finite time >= 0 only, not by " + number_text(t, 6) +
                     " s; the past is gone");
  if (t == 0 && waiting_->impulses.empty()) return;
  run(t, 1, ForceHold::zero_order);
}

template <class T>
double ModalBatch<T>::time() const {
  return waiting_->time;
}
template <class T>
void ModalBatch<T>::set_time(double time) {
  if (!std::isfinite(time)) throw InputError("the time of a batch must be a finite number");
  waiting_->time = time;
}

template <class T>
std::span<const BodyStatus> ModalBatch<T>::status() const {
  return std::as_const(*impl_).status();
}
template <class T>
void ModalBatch<T>::reset_status() {
  impl_->set_status(std::vector<BodyStatus>(static_cast<std::size_t>(bodies()), BodyStatus::ok));
}
template <class T>
void ModalBatch<T>::set_status(std::span<const BodyStatus> status) {
  check_status(status, bodies());
  impl_->set_status(status);
}

template <class T>
std::vector<double> ModalBatch<T>::kinetic_energy() const {
  return energies(velocity(), {});
}
template <class T>
std::vector<double> ModalBatch<T>::elastic_energy() const {
  return energies(q(), eigenvalues());
}

template class ModalBatch<float>;
template class ModalBatch<double>;

}  // namespace quartic
