// Batches as Python's objects hold them.
//
// Each has a lock: a call releases the GIL, then waits for the batch. So two threads that step one batch take turns.
// Views of its arrays have no lock, as those of any array library: who writes to one while another thread steps races.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "python/arrays/own_stream.hpp"
#include "python/shared.hpp"
#include "quartic/batch.hpp"

namespace quartic::python {

using AnyBatch = std::variant<Batch<float>, Batch<double>>;

/// Kept by Python's object and by all views of its arrays; holds no Python object.
struct LockedBatch {
  AnyBatch batch;
  std::mutex mutex;
  // On a device, once somebody has needed them:
  std::unique_ptr<OwnStream> pure_steps = {};  ///< comes behind those of all callers
  Array all_bodies = {};                       ///< a mask of ones
};

using SharedBatch = std::shared_ptr<LockedBatch>;

/// Python's `quartic.Batch`.
struct BatchObject {
  SharedBatch shared;
  Place place = {};        ///< of the state; on a device also the stream of the batch's work
  nb::object stream = {};  ///< whose that is, or nothing
};

/// float or double, of a Batch.
template <class B>
struct ScalarOf;
template <class T>
struct ScalarOf<Batch<T>> {
  using type = T;
};
template <class B>
using Scalar = typename ScalarOf<std::remove_cvref_t<B>>::type;

/// Calls f(batch) with the batch's own type, without the GIL, alone.
template <class F>
decltype(auto) exclusive(const BatchObject& object, F f) {
  const nb::gil_scoped_release released;
  const std::lock_guard lock(object.shared->mutex);
  return std::visit(f, object.shared->batch);
}

/// The same for what reads the host's copies of the state and waits for the device: behind all that is in the batch's
/// stream.
template <class F>
decltype(auto) on_host(const BatchObject& object, F f) {
  return exclusive(object, [&](auto& batch) -> decltype(auto) {
    if (object.place.on_device()) {
      device_operations().batch<Scalar<decltype(batch)>>().fetch(batch, object.place.stream);
      streams().synchronize(object.place.device, object.place.stream);
    }
    return f(batch);
  });
}

/// The same for what changes them; they are sent to the device in the batch's stream.
template <class F>
void change_on_host(const BatchObject& object, F f) {
  on_host(object, [&](auto& batch) {
    f(batch);
    if (object.place.on_device()) device_operations().batch<Scalar<decltype(batch)>>().send(batch, object.place.stream);
  });
}

/// Calls f(batch) with the GIL and without the lock, for what never changes: sizes, options, where arrays are.
template <class F>
decltype(auto) inspect(const BatchObject& object, F f) {
  return std::visit(f, object.shared->batch);
}

/// The place of a batch's work for a call that was given a stream, or None for the batch's own.
[[nodiscard]] Place place_of(const BatchObject& batch, nb::handle stream);

/// What a part of the state is, a view without a copy.
/// @param on_cpu, on_device callable: StateView from the batch, and from its cuda::DeviceState
template <class Host, class Device>
[[nodiscard]] Array state_array(const BatchObject& object, Host on_cpu, Device on_device) {
  return inspect(object, [&](auto& batch) {
    if (!object.place.on_device()) return array_of(on_cpu(batch), object.shared);
    const auto state = device_operations().batch<Scalar<decltype(batch)>>().state(batch);
    return array_of(on_device(state), object.shared, object.place);
  });
}

[[nodiscard]] std::int64_t bodies_of(const BatchObject& batch);
[[nodiscard]] DType dtype_of(const BatchObject& batch);

/// What Batch's constructor was given as its bodies.
[[nodiscard]] std::vector<BodyGroup> groups_of(nb::handle object, std::int64_t bodies);

void bind_load_curves(nb::module_& module);
void bind_batch_state(nb::class_<BatchObject>& type);
void bind_batch_loads(nb::class_<BatchObject>& type);
void bind_free_bodies(nb::class_<BatchObject>& type);
void bind_frame_motion(nb::class_<BatchObject>& type);
void bind_checkpoints(nb::module_& module);
void bind_batch_reset(nb::class_<BatchObject>& type);
void bind_pure_step(nb::class_<BatchObject>& type);

}  // namespace quartic::python
