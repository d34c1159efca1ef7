// Damping, stiffness and load curves of a batch.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "python/batch.hpp"
#include "python/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/gas.hpp"
#include "quartic/strain_damping.hpp"

namespace quartic::python {
namespace {

// One number for all bodies, or an array (B) of float64 or of the batch's dtype.
std::vector<double> per_body(nb::handle object, const std::string& name, const BatchObject& batch) {
  const auto count = static_cast<std::size_t>(bodies_of(batch));
  double value = 0;
  if (nb::isinstance<nb::float_>(object) || nb::isinstance<nb::int_>(object)) {
    value = nb::cast<double>(nb::float_(nb::borrow(object)));
    return std::vector<double>(count, value);
  }
  const Array array = import_array(object, name);
  const DType type = array.dtype == DType::float32 ? dtype_of(batch) : DType::float64;
  require(array, name, type, {bodies_of(batch)});
  std::vector<double> values;
  values.reserve(count);
  for (std::int64_t i = 0; i < array.shape[0]; ++i) {
    const std::int64_t at = i * array.strides[0];
    values.push_back(type == DType::float32 ? double{data_of<const float>(array)[at]}
                                            : data_of<const double>(array)[at]);
  }
  return values;
}

// The same as an array of a device, of the batch's dtype: a given one, or a copy of numbers of the host.
Array on_device(nb::handle object, const std::string& name, const BatchObject& batch, const Place& place) {
  if (!is_on_device(object)) {
    const std::vector<double> values = per_body(object, name, batch);
    const std::int64_t bodies = std::ssize(values);
    return dtype_of(batch) == DType::float32
               ? device_copy_of(owning_array(std::vector<float>(values.begin(), values.end()), {bodies}), place)
               : device_copy_of(owning_array(values, {bodies}), place);
  }
  Array array = import_array(object, name, place);
  require(array, name, dtype_of(batch), {bodies_of(batch)});
  return array.is_contiguous() ? array : copy_of(array);
}

// Whether all of it is on the host, so that it is checked there.
bool are_on_host(const BatchObject& batch, std::initializer_list<nb::handle> objects) {
  return !batch.place.on_device() || std::none_of(objects.begin(), objects.end(), is_on_device);
}

void set_damping(const BatchObject& batch, nb::handle mass, nb::handle stiffness, nb::handle stream) {
  const Place place = place_of(batch, stream);
  if (are_on_host(batch, {mass, stiffness})) {
    const std::vector<double> alpha = per_body(mass, "mass", batch), beta = per_body(stiffness, "stiffness", batch);
    return on_host(batch, [&](auto& b) { b.set_rayleigh_damping(alpha, beta); });
  }
  const Array alpha = on_device(mass, "mass", batch, place), beta = on_device(stiffness, "stiffness", batch, place);
  exclusive(batch, [&](auto& b) {
    using T = Scalar<decltype(b)>;
    device_operations().batch<T>().set_rayleigh_damping(b, data_of<const T>(alpha), data_of<const T>(beta),
                                                        place.stream);
  });
}

void set_stiffness_scale(const BatchObject& batch, nb::handle scale, nb::handle stream) {
  const Place place = place_of(batch, stream);
  if (are_on_host(batch, {scale})) {
    const std::vector<double> values = per_body(scale, "scale", batch);
    return on_host(batch, [&](auto& b) { b.set_stiffness_scale(values); });
  }
  const Array values = on_device(scale, "scale", batch, place);
  exclusive(batch, [&](auto& b) {
    using T = Scalar<decltype(b)>;
    device_operations().batch<T>().set_stiffness_scale(b, data_of<const T>(values), place.stream);
  });
}

void set_pressure(const BatchObject& batch, nb::handle pressure, int chamber, nb::handle stream) {
  const Place place = place_of(batch, stream);
  if (are_on_host(batch, {pressure})) {
    const std::vector<double> values = per_body(pressure, "pressure", batch);
    return on_host(batch, [&](auto& b) { b.set_pressure(values, chamber); });
  }
  const Array values = on_device(pressure, "pressure", batch, place);
  exclusive(batch, [&](auto& b) {
    using T = Scalar<decltype(b)>;
    device_operations().batch<T>().set_pressure(b, data_of<const T>(values), chamber, place.stream);
  });
}

// @param forms None, one for all groups, or a sequence with one or None for each
void set_strain_rates(const BatchObject& batch, nb::handle time, nb::handle forms) {
  const std::vector<double> values = per_body(time, "time", batch);
  std::vector<StrainForm> each;
  if (nb::isinstance<SharedStrainForm>(forms)) {
    const auto groups = static_cast<std::size_t>(inspect(batch, [](auto& b) { return b.group_count(); }));
    each.assign(groups, *nb::cast<SharedStrainForm&>(forms));
  } else if (!forms.is_none()) {
    for (const auto& form : nb::cast<std::vector<std::optional<SharedStrainForm>>>(forms))
      each.push_back(form ? **form : StrainForm{});
  }
  on_host(batch, [&](auto& b) { set_strain_damping(b, values, each); });
}

// A copy of what each body has. @param values callable: the batch's own numbers
template <class F>
Array parameter(const BatchObject& batch, F values) {
  return inspect(batch, [&](auto& b) {
    const auto copied = exclusive(batch, [&](auto& locked) {
      const auto span = values(locked);
      return std::vector<double>(span.begin(), span.end());
    });
    Array array = owning_array(std::vector<Scalar<decltype(b)>>(copied.begin(), copied.end()), {std::ssize(copied)});
    array.read_only = true;
    return array;
  });
}

// @param values callable: numbers of the bodies, in double
template <class F>
Array computed(const BatchObject& batch, F values) {
  std::vector<double> all = on_host(batch, [&](auto& b) { return values(b); });
  const std::int64_t bodies = std::ssize(all);
  Array array = owning_array(std::move(all), {bodies});
  array.read_only = true;
  return array;
}

}  // namespace

void bind_load_curves(nb::module_& module) {
  nb::class_<LoadCurve>(module, "LoadCurve",
                        "A factor over time, linear between points; two at the same time make a jump.")
      .def(
          "__init__",
          [](LoadCurve* self, std::vector<double> times, std::vector<double> scales) {
            new (self) LoadCurve{std::move(times), std::move(scales)};
          },
          nb::arg("times"), nb::arg("scales"))
      .def_ro("times", &LoadCurve::times, "[s], ascending.")
      .def_ro("scales", &LoadCurve::scales);
}

void bind_batch_loads(nb::class_<BatchObject>& type) {
  type.def("set_rayleigh_damping", &set_damping, nb::arg("mass"), nb::arg("stiffness"), nb::kw_only(),
           nb::arg("stream") = nb::none(),
           nb::sig("def set_rayleigh_damping(self, mass: float | quartic._typing.ArrayLike, stiffness: float | "
                   "quartic._typing.ArrayLike, *, stream: quartic._typing.Stream | None = None) -> None"),
           "alpha [1/s] and beta [s] of C = alpha M + beta K(q): numbers for all bodies, or arrays (B). With arrays on "
           "the batch's GPU nothing waits, and their numbers aren't checked.")
      .def("set_stiffness_scale", &set_stiffness_scale, nb::arg("scale"), nb::kw_only(), nb::arg("stream") = nb::none(),
           nb::sig("def set_stiffness_scale(self, scale: float | quartic._typing.ArrayLike, *, stream: "
                   "quartic._typing.Stream | None = None) -> None"),
           "What R(q) and K(q) of each body are multiplied with, > 0: all of its Young's moduli. As damping.")
      .def("set_strain_damping", &set_strain_rates, nb::arg("time"), nb::arg("forms") = nb::none(),
           nb::sig("def set_strain_damping(self, time: float | quartic._typing.ArrayLike, forms: StrainForm | "
                   "collections.abc.Sequence[StrainForm | None] | None = None) -> None"),
           "Damps by strain rates, tau [s] times the moduli: a number for all bodies, or an array (B). forms: of "
           "reduce_strains, one for each group, or one for all; None for what the group has from an earlier call, or "
           "that its forces come from. On the CPU.")
      .def_prop_ro(
          "strain_damping",
          [](const BatchObject& b) { return computed(b, [](auto& batch) { return strain_damping(batch); }); },
          "tau of each body [s], (B) float64: a copy.")
      .def(
          "set_pressure", &set_pressure, nb::arg("pressure"), nb::arg("chamber") = 0, nb::kw_only(),
          nb::arg("stream") = nb::none(),
          nb::sig("def set_pressure(self, pressure: float | quartic._typing.ArrayLike, chamber: int = 0, *, stream: "
                  "quartic._typing.Stream | None = None) -> None"),
          "The pressure in a chamber of the model [Pa] above that outside, which follows the surface: a number for all "
          "bodies, or an array (B). As damping.")
      .def(
          "set_gas",
          [](const BatchObject& b, nb::handle amount, int chamber, double atmosphere) {
            const std::vector<double> values = per_body(amount, "amount", b);
            on_host(b, [&](auto& batch) { set_gas(batch, values, chamber, atmosphere); });
          },
          nb::arg("amount"), nb::arg("chamber") = 0, nb::kw_only(), nb::arg("atmosphere") = standard_atmosphere,
          nb::sig("def set_gas(self, amount: float | quartic._typing.ArrayLike, chamber: int = 0, *, atmosphere: float "
                  "= 101325.0) -> None"),
          "Shuts a gas that keeps p V [J], absolute, into a chamber: a number for all bodies, or an array (B); 0 takes "
          "it out. It pushes with p V / volume - atmosphere [Pa], beside set_pressure.")
      .def(
          "gas_amount",
          [](const BatchObject& b, int chamber) {
            return computed(b, [chamber](auto& batch) { return gas_amount(batch, chamber); });
          },
          nb::arg("chamber") = 0, "p V of the gas in a chamber [J], (B) float64; 0 where there is none.")
      .def(
          "gas_pressure",
          [](const BatchObject& b, int chamber) {
            return computed(b, [chamber](auto& batch) { return gas_pressure(batch, chamber); });
          },
          nb::arg("chamber") = 0, "What the gas pushes with now [Pa] above the atmosphere, (B) float64.")
      .def(
          "gas_atmosphere",
          [](const BatchObject& b) { return exclusive(b, [](auto& batch) { return gas_atmosphere(batch); }); },
          "Outside of all chambers with a gas [Pa]; 0 if there is none.")
      .def(
          "gas_energy", [](const BatchObject& b) { return computed(b, [](auto& batch) { return gas_energy(batch); }); },
          "Of all gases and the atmosphere that they push away [J], from rest on, (B) float64.")
      .def(
          "pressure",
          [](const BatchObject& b, int chamber) {
            return parameter(b, [chamber](auto& batch) { return batch.pressure(chamber); });
          },
          nb::arg("chamber") = 0, "(B): a copy.")
      .def_prop_ro("chamber_count",
                   [](const BatchObject& b) { return inspect(b, [](auto& batch) { return batch.chamber_count(); }); })
      .def_prop_ro(
          "rayleigh_mass",
          [](const BatchObject& b) { return parameter(b, [](auto& batch) { return batch.rayleigh_mass(); }); },
          "(B): a copy.")
      .def_prop_ro(
          "rayleigh_stiffness",
          [](const BatchObject& b) { return parameter(b, [](auto& batch) { return batch.rayleigh_stiffness(); }); },
          "(B): a copy.")
      .def_prop_ro(
          "stiffness_scale",
          [](const BatchObject& b) { return parameter(b, [](auto& batch) { return batch.stiffness_scale(); }); },
          "(B): a copy.")
      .def(
          "set_load_curves",
          [](const BatchObject& b, const std::vector<LoadCurve>& curves, nb::handle curve_of_body) {
            const std::vector<std::int32_t> numbers = indices(curve_of_body, "curve_of_body");
            on_host(b, [&](auto& batch) { batch.set_load_curves(curves, numbers); });
          },
          nb::arg("curves"), nb::arg("curve_of_body"),
          nb::sig("def set_load_curves(self, curves: collections.abc.Sequence[LoadCurve], curve_of_body: "
                  "quartic._typing.Indices) -> None"),
          "The force on body b is force[b] times curve curve_of_body[b] at time t; -1: times 1.");
}

}  // namespace quartic::python
