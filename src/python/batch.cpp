// Batches: how they are made and stepped.
#include "python/batch.hpp"

#include <nanobind/stl/optional.h>

#include <cmath>
#include <limits>

#include "python/bindings.hpp"
#include "python/choices.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

enum class Precision { float32, float64 };
constexpr Choice<Precision, 2> precisions{{{"float32", Precision::float32}, {"float64", Precision::float64}}};

Integrator integrator_of(std::string_view word) {
  Choice<Integrator, integrator_count> choice;
  for (std::size_t i = 0; i < choice.size(); ++i) {
    const auto integrator = static_cast<Integrator>(i);
    choice[i] = {integrator_name(integrator), integrator};
  }
  return chosen(choice, "integrator", word);
}

Evaluation evaluation_of(std::string_view word) {
  Choice<Evaluation, evaluation_count> choice;
  for (std::size_t i = 0; i < choice.size(); ++i) {
    const auto evaluation = static_cast<Evaluation>(i);
    choice[i] = {evaluation_name(evaluation), evaluation};
  }
  return chosen(choice, "evaluation", word);
}

SharedBatch make_batch(std::vector<BodyGroup> groups, const BatchOptions& options, Precision precision) {
  return without_gil([&]() -> SharedBatch {
    if (precision == Precision::float32)
      return SharedBatch(
          new LockedBatch{AnyBatch(std::in_place_type<Batch<float>>, std::move(groups), options), {}, {}, {}});
    return SharedBatch(
        new LockedBatch{AnyBatch(std::in_place_type<Batch<double>>, std::move(groups), options), {}, {}, {}});
  });
}

void construct(BatchObject* self, nb::handle model, std::int64_t bodies, const std::string& dtype,
               const std::string& device, const std::string& integrator, const std::string& evaluation,
               double newmark_beta, double newmark_gamma, double rayleigh_mass, double rayleigh_stiffness,
               int newton_iterations, double newton_tolerance, int threads, nb::object stream) {
  const Precision precision = chosen(precisions, "dtype", dtype);
  BatchOptions options;
  const DeviceChoice choice = device_of("device", device);
  options.backend = choice.backend;
  options.device = choice.device;
  options.integrator = integrator_of(integrator);
  options.evaluation = evaluation_of(evaluation);
  options.newmark_beta = newmark_beta;
  options.newmark_gamma = newmark_gamma;
  options.rayleigh_mass = rayleigh_mass;
  options.rayleigh_stiffness = rayleigh_stiffness;
  options.newton_iterations = newton_iterations;
  options.newton_tolerance = newton_tolerance;
  options.threads = threads;
  Place place{-1, nullptr};
  if (choice.backend == Backend::cuda)
    place.stream = stream_of(stream);
  else if (!stream.is_none())
    throw InputError("stream= is for batches on a GPU, but device=\"cpu\"");
  BatchObject made{make_batch(groups_of(model, bodies), options, precision), place, std::move(stream)};
  if (choice.backend == Backend::cuda)
    made.place.device =
        inspect(made, [](auto& batch) { return device_operations().batch<Scalar<decltype(batch)>>().device(batch); });
  new (self) BatchObject(std::move(made));
}

// A given force is copied in once everything has been checked.
template <class T>
void step_with(Batch<T>& batch, double dt, int substeps, const Array* force, const Place& place) {
  // What Batch::step asks of a step. Else it says what is wrong, and the old force stays.
  const T substep = static_cast<T>(dt / substeps), square = substep * substep;
  const bool sound = dt > 0 && substeps >= 1 && square >= 16 * std::numeric_limits<T>::min() && std::isfinite(square);
  if (!place.on_device()) {
    if (force != nullptr && sound) copy_state<T>(state_view<const T>(*force), batch.force());
    return batch.step(dt, substeps);
  }
  const DeviceBatchOperations<T>& operations = device_operations().batch<T>();
  if (force != nullptr && sound)
    operations.copy_state(state_view<const T>(*force), operations.state(batch).force, place.stream);
  operations.step(batch, dt, substeps, place.stream);
}

Array force_of(const BatchObject& batch) {
  return state_array(
      batch, [](auto& b) { return b.force(); }, [](const auto& state) { return state.force; });
}

// Evaluations of the forces in a substep, at most.
int evaluations(const BatchOptions& options) {
  constexpr int most_of_conserving = 60;  // iterations to round-off: of free bodies; held ones take up to 20
  switch (options.integrator) {
    case Integrator::newmark:
    case Integrator::backward_euler:
      return options.newton_iterations;
    case Integrator::energy_conserving:
      return most_of_conserving;
    case Integrator::central_differences:
      return 1;
  }
  return most_of_conserving;
}

// Whether a step on the CPU is over in some ten microseconds, before giving up the GIL would help another thread.
// Costs are in multiply-adds, whose number counts at high ranks; at low ones what comes with each body and substep
// does.
bool is_short(const BatchObject& batch, int substeps) {
  constexpr double most = 1e5, of_substep = 1e3, of_body = 100;
  return !batch.place.on_device() && inspect(batch, [&](const auto& b) {
    const double rank = b.rank(), square = (rank + 1) * (rank + 1);
    const double of_evaluation = static_cast<double>(b.bodies()) * (square * square / 6 + of_body);
    return substeps * (evaluations(b.options()) * of_evaluation + of_substep) < most;
  });
}

// Keeps the GIL for what is short, unless another thread has the batch.
void step_alone(const BatchObject& batch, double dt, int substeps, const Array* force, const Place& place) {
  const auto run = [&](auto& b) { step_with(b, dt, substeps, force, place); };
  if (is_short(batch, substeps)) {
    const std::unique_lock lock(batch.shared->mutex, std::try_to_lock);
    if (lock.owns_lock()) return std::visit(run, batch.shared->batch);
  }
  exclusive(batch, run);
}

void step(const BatchObject& batch, double dt, int substeps, nb::handle force, nb::handle stream) {
  const Place place = place_of(batch, stream);
  if (place.on_device()) (void)is_capturing(place);  // that the stream takes work
  if (force.is_none()) return step_alone(batch, dt, substeps, nullptr, place);
  const Array given = import_array(force, "force", place);
  const Array own = force_of(batch);
  require(given, "force", own.dtype, own.shape);
  const bool same = given.data == own.data && given.strides == own.strides;
  if (!same && overlap(given, own)) throw InputError("force overlaps the batch's own force; pass a copy of it");
  step_alone(batch, dt, substeps, same ? nullptr : &given, place);
}

nb::tuple group_range(const BatchObject& batch, int group) {
  const GroupRange range = inspect(batch, [&](const auto& b) { return b.group(group); });
  return nb::make_tuple(range.first_body, range.bodies, range.rank);
}

std::string text_of(const BatchObject& batch) {
  return inspect(batch, [&](const auto& b) {
    return "Batch(" + std::to_string(b.bodies()) + " bodies, rank=" + std::to_string(b.rank()) +
           ", dtype=" + dtype_name(dtype_of(batch)) +
           (batch.place.on_device() ? ", device=" + batch.place.text() : "") +
           ", integrator=" + std::string(integrator_name(b.options().integrator)) + ")";
  });
}

void bind_constructor(nb::class_<BatchObject>& type) {
  const BatchOptions defaults;
  type.def(
      "__init__", &construct, nb::arg("model"), nb::kw_only(), nb::arg("bodies") = 1, nb::arg("dtype") = "float32",
      nb::arg("device") = "cpu", nb::arg("integrator") = "newmark", nb::arg("evaluation") = "strict",
      nb::arg("newmark_beta") = defaults.newmark_beta, nb::arg("newmark_gamma") = defaults.newmark_gamma,
      nb::arg("rayleigh_mass") = 0.0, nb::arg("rayleigh_stiffness") = 0.0,
      nb::arg("newton_iterations") = defaults.newton_iterations, nb::arg("newton_tolerance") = 0.0,
      nb::arg("threads") = 0, nb::arg("stream") = nb::none(),
      nb::sig(
          "def __init__(self, model: ReducedModel | QuarticEnergy | BodyGroup | collections.abc.Sequence[BodyGroup | "
          "tuple[ReducedModel | QuarticEnergy, int]], *, bodies: int = 1, dtype: str = 'float32', device: str = 'cpu', "
          "integrator: str = 'newmark', evaluation: str = 'strict', newmark_beta: float = 0.25, newmark_gamma: float = "
          "0.5, "
          "rayleigh_mass: float = 0.0, rayleigh_stiffness: float = 0.0, newton_iterations: int = 1, "
          "newton_tolerance: float = 0.0, threads: int = 0, stream: quartic._typing.Stream | None = None) -> None"),
      "integrator: newmark, backward-euler, central-differences or energy-conserving; evaluation: strict, latency or "
      "accurate, on a GPU also cublas or tensor. A list of groups: [(model, bodies), BodyGroup(...), ...]. device: "
      "cpu, "
      "cuda or cuda:1; stream: the CUDA stream of its work, by default the legacy default stream.");
}

}  // namespace

Place place_of(const BatchObject& batch, nb::handle stream) {
  if (stream.is_none()) {
    if (batch.place.on_device() && batch.place.stream == nullptr) require_no_capture_by_torch();
    return batch.place;
  }
  if (!batch.place.on_device()) throw InputError("stream= is for batches on a GPU; this one is on the CPU");
  return {batch.place.device, stream_of(stream)};
}

std::int64_t bodies_of(const BatchObject& batch) {
  return inspect(batch, [](const auto& b) { return b.bodies(); });
}

DType dtype_of(const BatchObject& batch) {
  return std::holds_alternative<Batch<float>>(batch.shared->batch) ? DType::float32 : DType::float64;
}

void bind_batches(nb::module_& module) {
  nb::enum_<BodyStatus>(module, "BodyStatus", nb::is_arithmetic(), "The status of a body.")
      .value("ok", BodyStatus::ok)
      .value("regularised", BodyStatus::regularised, "The system matrix needed a shift at least once.")
      .value("diverged", BodyStatus::diverged, "Frozen at its last finite state.");
  bind_load_curves(module);
  bind_checkpoints(module);
  nb::class_<BatchObject> type(module, "Batch",
                               "Bodies of one or several models, stepped together. The state starts at zero. Calls "
                               "from several threads take turns.");
  bind_constructor(type);
  type.def(
          "step", &step, nb::arg("dt"), nb::arg("substeps") = 1, nb::arg("force") = nb::none(),
          nb::arg("stream") = nb::none(),
          nb::sig("def step(self, dt: float, substeps: int = 1, force: quartic._typing.ArrayLike | None = None, "
                  "stream: quartic._typing.Stream | None = None) -> None"),
          "Advances every body by `substeps` steps of dt / substeps [s] under the present force; a given one (B, r), "
          "of "
          "the batch's dtype and any strides, is copied to `force` first. On a GPU this only enqueues the work, in the "
          "batch's stream or the given one.")
      .def_prop_ro("rank",
                   [](const BatchObject& b) { return inspect(b, [](const auto& batch) { return batch.rank(); }); })
      .def_prop_ro("bodies", &bodies_of)
      .def_prop_ro("dtype", [](const BatchObject& b) { return std::string(dtype_name(dtype_of(b))); })
      .def_prop_ro(
          "device", [](const BatchObject& b) { return b.place.text(); }, "\"cpu\", \"cuda:0\", ...")
      .def_prop_ro(
          "stream",
          [](const BatchObject& b) {
            return b.place.on_device() ? nb::object(nb::int_(stream_number(b.place.stream))) : nb::none();
          },
          nb::sig("def stream(self) -> int | None"), "The number of its CUDA stream, 1 for the legacy default one.")
      .def_prop_ro(
          "group_count",
          [](const BatchObject& b) { return inspect(b, [](const auto& batch) { return batch.group_count(); }); })
      .def("group", &group_range, nb::arg("group"), nb::sig("def group(self, group: int) -> tuple[int, int, int]"),
           "First body, number of bodies, and rank.")
      .def_prop_rw(
          "time", [](const BatchObject& b) { return exclusive(b, [](const auto& batch) { return batch.time(); }); },
          [](const BatchObject& b, double time) { exclusive(b, [&](auto& batch) { batch.set_time(time); }); },
          "Simulated time [s].")
      .def("__len__", &bodies_of)
      .def("__repr__", &text_of);
  bind_batch_state(type);
  bind_batch_loads(type);
  bind_free_bodies(type);
  bind_frame_motion(type);
  bind_batch_reset(type);
  bind_pure_step(type);
}

}  // namespace quartic::python
