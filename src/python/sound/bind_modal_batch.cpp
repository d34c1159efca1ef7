// Modal bodies: their state as views on the CPU, and as copies of a GPU's.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "python/choices.hpp"
#include "python/shared.hpp"
#include "python/sound/batch_numbers.hpp"
#include "python/sound/modal_object.hpp"
#include "python/sound/sound_options.hpp"
#include "python/sound_bindings.hpp"
#include "quartic/error.hpp"
#include "quartic/participation.hpp"

namespace quartic::python {
namespace {

constexpr Choice<ForceHold, 2> holds{{{"zero-order", ForceHold::zero_order}, {"first-order", ForceHold::first_order}}};

void construct(ModalObject* self, nb::handle eigenvalues, std::int64_t bodies, const std::string& dtype,
               const std::string& device, const std::optional<RayleighDamping>& damping, nb::handle damping_ratios,
               const std::string& hold, int threads) {
  const std::vector<double> lambda = doubles(eigenvalues, "eigenvalues", {-1});
  const bool single = is_float32(dtype);
  const DeviceChoice choice = device_of("device", device);
  const RayleighDamping rayleigh = damping.value_or(RayleighDamping{});
  const ModalOptions options{.bodies = bodies,
                             .rayleigh_mass = rayleigh.mass,
                             .rayleigh_stiffness = rayleigh.stiffness,
                             .damping_ratios = optional_doubles(damping_ratios, "damping_ratios"),
                             .hold = chosen(holds, "hold", hold),
                             .threads = threads,
                             .backend = choice.backend,
                             .device = choice.device};
  auto shared = without_gil([&] {
    if (single) return std::make_shared<LockedModal>(AnyModal(std::in_place_type<ModalBatch<float>>, lambda, options));
    return std::make_shared<LockedModal>(AnyModal(std::in_place_type<ModalBatch<double>>, lambda, options));
  });
  new (self) ModalObject{std::move(shared)};
}

// Which part of the state: a callable from a batch to a StateView.
constexpr auto q_of = [](auto& batch) { return batch.q(); };
constexpr auto velocity_of = [](auto& batch) { return batch.velocity(); };
constexpr auto force_of = [](auto& batch) { return batch.force(); };
constexpr auto force_before_of = [](auto& batch) { return batch.force_before(); };

template <class F>
Array state_of(const ModalObject& object, F part) {
  if (object.on_cpu())
    return std::visit([&](auto& batch) { return array_of(part(batch), object.shared); }, object.shared->batch);
  return object.alone([&](const auto& batch) {
    const auto view = part(batch);
    std::vector<std::remove_cvref_t<decltype(view(0, 0))>> values;
    values.reserve(static_cast<std::size_t>(view.bodies * view.rank));
    for (std::int64_t b = 0; b < view.bodies; ++b)
      for (std::int64_t i = 0; i < view.rank; ++i) values.push_back(view(i, b));
    Array array = owning_array(std::move(values), {view.bodies, view.rank});
    array.read_only = true;
    return array;
  });
}

template <class F>
void set_state(const ModalObject& object, nb::handle value, const char* name, F part) {
  const Array given = import_array(value, name);
  const Array own = state_of(object, part);
  require(given, name, own.dtype, own.shape);
  if (object.on_cpu() && given.data == own.data && given.strides == own.strides) return;  // batch.q += x
  if (object.on_cpu() && overlap(given, own))
    throw InputError(std::string(name) + " overlaps the batch's own; pass a copy of it");
  object.alone([&](auto& batch) {
    const auto view = part(batch);
    const auto from = state_view<const std::remove_cvref_t<decltype(view(0, 0))>>(given);
    for (std::int64_t i = 0; i < view.rank; ++i)
      for (std::int64_t b = 0; b < view.bodies; ++b) view(i, b) = from(i, b);
  });
}

template <class F>
void bind_part(nb::class_<ModalObject>& type, const char* name, F part, const char* text) {
  type.def_prop_rw(
      name, [part](const ModalObject& m) { return state_of(m, part); },
      [part, name](const ModalObject& m, nb::handle value) { set_state(m, value, name, part); },
      nb::for_setter(
          nb::sig((std::string("def ") + name + "(self, value: quartic._typing.ArrayLike, /) -> None").c_str())),
      text);
}

void bind_state(nb::class_<ModalObject>& type) {
  bind_part(type, "q", q_of,
            "Modal coordinates [m sqrt(kg)], (B, k): on the CPU the batch's own memory, on a GPU a read-only copy. An "
            "assignment copies numbers in. So the next three.");
  bind_part(type, "velocity", velocity_of, "[m sqrt(kg)/s], (B, k).");
  bind_part(type, "force", force_of, "Phi^T f [N/sqrt(kg)], (B, k), constant until it is changed.");
  bind_part(type, "force_before", force_before_of, "From which a step with hold=\"first-order\" starts.");
  type.def_prop_ro(
          "status",
          [](const ModalObject& m) {
            return copied<std::int32_t>(m, [](const auto& batch) { return batch.status(); });
          },
          nb::sig("def status(self) -> numpy.typing.NDArray[numpy.int32]"), "BodyStatus of each body, a copy.")
      .def("reset_status", [](const ModalObject& m) { m.alone([](auto& batch) { batch.reset_status(); }); })
      .def(
          "set_status",
          [](const ModalObject& m, nb::handle status) {
            std::vector<BodyStatus> words;
            for (const std::int32_t word : indices(status, "status")) words.push_back(static_cast<BodyStatus>(word));
            m.alone([&](auto& batch) { batch.set_status(words); });
          },
          nb::arg("status"), nb::sig("def set_status(self, status: quartic._typing.Indices) -> None"))
      .def(
          "kinetic_energy",
          [](const ModalObject& m) {
            return copied<double>(m, [](const auto& batch) { return batch.kinetic_energy(); });
          },
          nb::sig("def kinetic_energy(self) -> numpy.typing.NDArray[numpy.float64]"), "[J], (B).")
      .def(
          "elastic_energy",
          [](const ModalObject& m) {
            return copied<double>(m, [](const auto& batch) { return batch.elastic_energy(); });
          },
          nb::sig("def elastic_energy(self) -> numpy.typing.NDArray[numpy.float64]"), "[J], (B).");
}

void bind_motion(nb::class_<ModalObject>& type) {
  type.def(
          "step",
          [](const ModalObject& m, double dt, int substeps) {
            m.alone([&](auto& batch) { batch.step(dt, substeps); });
          },
          nb::arg("dt"), nb::arg("substeps") = 1, "Moves by dt [s]; the forces are held over all of it.")
      .def(
          "advance", [](const ModalObject& m, double t) { m.alone([&](auto& batch) { batch.advance(t); }); },
          nb::arg("t"), "Moves by t [s] >= 0 at once under a constant force.")
      .def(
          "impulse",
          [](const ModalObject& m, std::int64_t body, nb::handle jump, double delay) {
            const std::vector<double> values = doubles(jump, "jump", {-1});
            m.alone([&](auto& batch) { batch.impulse(body, values, delay); });
          },
          nb::arg("body"), nb::arg("jump"), nb::arg("delay") = 0.0,
          nb::sig("def impulse(self, body: int, jump: quartic._typing.ArrayLike, delay: float = 0.0) -> None"),
          "A jump of the velocity, (k) float64, in `delay` seconds: of an impulse J [N s] at a vertex, modes[:, "
          "vertex] "
          "@ J.")
      .def_prop_ro(
          "waiting_impulses",
          [](const ModalObject& m) { return m.alone([](const auto& batch) { return batch.waiting_impulses(); }); })
      .def_prop_rw(
          "time", [](const ModalObject& m) { return m.alone([](const auto& batch) { return batch.time(); }); },
          [](const ModalObject& m, double time) { m.alone([&](auto& batch) { batch.set_time(time); }); }, "[s]");
}

nb::object propagator_entry(const ModalPropagator& p) {
  return nb::make_tuple(nb::make_tuple(1 + p.zz_less_one, p.zv), nb::make_tuple(p.vz, 1 + p.vv_less_one));
}

void bind_propagator(nb::module_& module) {
  nb::class_<ModalPropagator>(module, "ModalPropagator",
                              "(z, v) after h of z'' + c z' + lambda z = f0 + (f1 - f0) t/h, from (z, v) before.")
      .def_prop_ro("flow", &propagator_entry,
                   nb::sig("def flow(self) -> tuple[tuple[float, float], tuple[float, float]]"),
                   "Of (z, v) without a force, row by row.")
      .def_ro("zz_less_one", &ModalPropagator::zz_less_one)
      .def_ro("zv", &ModalPropagator::zv)
      .def_ro("vz", &ModalPropagator::vz)
      .def_ro("vv_less_one", &ModalPropagator::vv_less_one)
      .def_ro("z_force", &ModalPropagator::z_force, "Of f0, to z.")
      .def_ro("v_force", &ModalPropagator::v_force)
      .def_ro("z_ramp", &ModalPropagator::z_ramp, "Of f1 - f0, to z.")
      .def_ro("v_ramp", &ModalPropagator::v_ramp);
  module.def("modal_propagator", &modal_propagator, nb::arg("eigenvalue"), nb::arg("damping"), nb::arg("h"),
             "Of lambda [1/s^2], c [1/s] and h [s], none negative.");
}

}  // namespace

void bind_modal_batches(nb::module_& module) {
  bind_propagator(module);
  nb::class_<ModalObject> type(module, "ModalBatch",
                               "Linear bodies of one model by their modes, stepped exactly at any time step.");
  type.def("__init__", &construct, nb::arg("eigenvalues"), nb::kw_only(), nb::arg("bodies") = 1,
           nb::arg("dtype") = "float32", nb::arg("device") = "cpu", nb::arg("damping") = nb::none(),
           nb::arg("damping_ratios") = nb::none(), nb::arg("hold") = "zero-order", nb::arg("threads") = 0,
           nb::sig("def __init__(self, eigenvalues: quartic._typing.ArrayLike, *, bodies: int = 1, dtype: str = "
                   "'float32', device: str = 'cpu', damping: RayleighDamping | None = None, damping_ratios: "
                   "quartic._typing.ArrayLike | None = None, hold: str = 'zero-order', threads: int = 0) -> None"),
           "eigenvalues: float64, as ReducedModel has them; damping_ratios: added by mode, (k) float64; hold: "
           "zero-order "
           "or first-order, what the force is within a step; device: cpu, cuda or cuda:1.")
      .def_prop_ro("rank", [](const ModalObject& m) { return m.inspect([](const auto& b) { return b.rank(); }); })
      .def_prop_ro("bodies", [](const ModalObject& m) { return m.inspect([](const auto& b) { return b.bodies(); }); })
      .def_prop_ro("dtype",
                   [](const ModalObject& m) {
                     const bool single = std::holds_alternative<ModalBatch<float>>(m.shared->batch);
                     return std::string(dtype_name(single ? DType::float32 : DType::float64));
                   })
      .def_prop_ro(
          "eigenvalues",
          [](const ModalObject& m) { return copied<double>(m, [](const auto& b) { return b.eigenvalues(); }); },
          nb::sig("def eigenvalues(self) -> numpy.typing.NDArray[numpy.float64]"), "[1/s^2], (k).")
      .def_prop_ro(
          "damping", [](const ModalObject& m) { return copied<double>(m, [](const auto& b) { return b.damping(); }); },
          nb::sig("def damping(self) -> numpy.typing.NDArray[numpy.float64]"), "c of each mode [1/s], (k).")
      .def_prop_ro(
          "overdamped_modes",
          [](const ModalObject& m) { return m.inspect([](const auto& b) { return b.overdamped_modes(); }); },
          "How many creep.");
  bind_state(type);
  bind_motion(type);
}

}  // namespace quartic::python
