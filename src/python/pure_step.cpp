// Steps as functions of a state, for array libraries whose programs are functions: the state goes into a batch and out
// of it again. With the bits of Batch::step.
#include "python/pure_step.hpp"

#include <array>

#include "python/batch.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

constexpr std::array<const char*, 3> names = {"q", "velocity", "acceleration"};

template <class T>
StateView<const T> constant(const StateView<T>& view) {
  return {view.data, view.rank, view.bodies, view.stride_mode, view.stride_body};
}

// Of all bodies, also of those that had diverged.
template <class T>
void enqueue_step(const LockedBatch& locked, Batch<T>& batch, const PureStep<T>& call, const Place& place) {
  const DeviceBatchOperations<T>& operations = device_operations().batch<T>();
  const cuda::DeviceState<T> state = operations.state(batch);
  operations.reset_masked(batch, data_of<const std::uint8_t>(locked.all_bodies),
                          {.q = call.from[0], .velocity = call.from[1]}, place.stream);
  operations.copy_state(call.from[2], state.acceleration, place.stream);
  operations.copy_state(call.force, state.force, place.stream);
  operations.step(batch, call.dt, call.substeps, place.stream);
  const StateView<T> after[] = {state.q, state.velocity, state.acceleration};
  for (std::size_t n = 0; n < names.size(); ++n) operations.copy_state(constant(after[n]), call.to[n], place.stream);
}

// One batch has the steps of many programs, which may come in different streams: they take turns.
template <class T>
void step_on_device(LockedBatch& locked, Batch<T>& batch, const PureStep<T>& call, const Place& place) {
  if (locked.pure_steps == nullptr) locked.pure_steps = std::make_unique<OwnStream>(place.device);
  if (locked.all_bodies.data == nullptr)
    locked.all_bodies = device_copy_of(
        owning_array(std::vector<std::uint8_t>(static_cast<std::size_t>(batch.bodies()), 1), {batch.bodies()}),
        locked.pure_steps->place());
  locked.pure_steps->lead(place);
  enqueue_step(locked, batch, call, place);
  locked.pure_steps->follow(place);
}

template <class T>
void step_on_cpu(Batch<T>& batch, const PureStep<T>& call) {
  const StateView<T> own[] = {batch.q(), batch.velocity(), batch.acceleration()};
  for (std::size_t n = 0; n < names.size(); ++n) copy_state<T>(call.from[n], own[n]);
  copy_state<T>(call.force, batch.force());
  batch.reset_status();
  batch.step(call.dt, call.substeps);
  for (std::size_t n = 0; n < names.size(); ++n) copy_state<T>(constant(own[n]), call.to[n]);
}

// All seven arrays, checked.
struct Arrays {
  std::array<Array, 3> from, to;
  Array force;

  template <class T>
  [[nodiscard]] PureStep<T> call(double dt, int substeps) const {
    return {{state_view<const T>(from[0]), state_view<const T>(from[1]), state_view<const T>(from[2])},
            state_view<const T>(force),
            {state_view<T>(to[0]), state_view<T>(to[1]), state_view<T>(to[2])},
            dt,
            substeps};
  }
};

Arrays checked_arrays(const BatchObject& batch, nb::handle state, nb::handle force, nb::handle out,
                      const Place& place) {
  const DType dtype = dtype_of(batch);
  const std::vector<std::int64_t> shape = {bodies_of(batch),
                                           inspect(batch, [](const auto& b) { return std::int64_t{b.rank()}; })};
  if (nb::len(state) != names.size() || nb::len(out) != names.size())
    throw InputError("a state is q, velocity and acceleration");
  Arrays arrays;
  for (std::size_t n = 0; n < names.size(); ++n) {
    arrays.from[n] = import_array(state[n], names[n], place);
    require(arrays.from[n], names[n], dtype, shape);
    arrays.to[n] = import_output(out[n], std::string("out's ") + names[n], place);
    require(arrays.to[n], std::string("out's ") + names[n], dtype, shape);
  }
  arrays.force = import_array(force, "force", place);
  require(arrays.force, "force", dtype, shape);
  for (std::size_t n = 0; n < names.size(); ++n)
    for (std::size_t m = 0; m < n; ++m)
      if (overlap(arrays.to[n], arrays.to[m])) throw InputError("arrays of out overlap; each needs its own memory");
  return arrays;
}

void advance(const BatchObject& batch, nb::handle state, nb::handle force, double dt, int substeps, nb::handle out,
             nb::handle stream) {
  const Place place = place_of(batch, stream);
  const Arrays arrays = checked_arrays(batch, state, force, out, place);
  exclusive(batch,
            [&](auto& b) { pure_step(*batch.shared, b, arrays.call<Scalar<decltype(b)>>(dt, substeps), place); });
}

}  // namespace

template <class T>
void pure_step(LockedBatch& locked, Batch<T>& batch, const PureStep<T>& call, const Place& place) {
  for (int g = 0; g < batch.group_count(); ++g)
    if (batch.has_frame(g))
      throw InputError("bodies with a frame have more state than q, velocity and acceleration; step a batch of them");
  if (place.on_device())
    step_on_device(locked, batch, call, place);
  else
    step_on_cpu(batch, call);
}

template void pure_step(LockedBatch&, Batch<float>&, const PureStep<float>&, const Place&);
template void pure_step(LockedBatch&, Batch<double>&, const PureStep<double>&, const Place&);

void bind_pure_step(nb::class_<BatchObject>& type) {
  type.def("advance", &advance, nb::arg("state"), nb::arg("force"), nb::arg("dt"), nb::arg("substeps") = 1,
           nb::kw_only(), nb::arg("out"), nb::arg("stream") = nb::none(),
           nb::sig("def advance(self, state: collections.abc.Sequence[quartic._typing.ArrayLike], force: "
                   "quartic._typing.ArrayLike, dt: float, substeps: int = 1, *, out: "
                   "collections.abc.Sequence[quartic._typing.ArrayLike], stream: quartic._typing.Stream | None = None) "
                   "-> None"),
           "Steps as a function: `out` is the (q, velocity, acceleration) behind `substeps` steps from `state` under "
           "`force`, all (B, r). It may be the state itself. What the batch had as its own state, force and status is "
           "lost.");
}

}  // namespace quartic::python
