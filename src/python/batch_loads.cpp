// Damping and load curves of a batch.
#include <nanobind/stl/vector.h>

#include "python/batch.hpp"
#include "quartic/error.hpp"

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

void set_damping(const BatchObject& batch, nb::handle mass, nb::handle stiffness) {
  const std::vector<double> alpha = per_body(mass, "mass", batch), beta = per_body(stiffness, "stiffness", batch);
  exclusive(batch, [&](auto& b) { b.set_rayleigh_damping(alpha, beta); });
}

Array damping(const BatchObject& batch, bool of_mass) {
  return inspect(batch, [&](auto& b) {
    const auto values = exclusive(batch, [&](auto& locked) {
      const auto span = of_mass ? locked.rayleigh_mass() : locked.rayleigh_stiffness();
      return std::vector<double>(span.begin(), span.end());
    });
    Array array = owning_array(std::vector<Scalar<decltype(b)>>(values.begin(), values.end()), {std::ssize(values)});
    array.read_only = true;
    return array;
  });
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
  type.def("set_rayleigh_damping", &set_damping, nb::arg("mass"), nb::arg("stiffness"),
           nb::sig("def set_rayleigh_damping(self, mass: float | quartic._typing.ArrayLike, stiffness: float | "
                   "quartic._typing.ArrayLike) -> None"),
           "alpha [1/s] and beta [s] of C = alpha M + beta K(q): numbers for all bodies, or arrays (B).")
      .def_prop_ro(
          "rayleigh_mass", [](const BatchObject& b) { return damping(b, true); }, "(B): a copy.")
      .def_prop_ro(
          "rayleigh_stiffness", [](const BatchObject& b) { return damping(b, false); }, "(B): a copy.")
      .def(
          "set_load_curves",
          [](const BatchObject& b, const std::vector<LoadCurve>& curves, nb::handle curve_of_body) {
            const std::vector<std::int32_t> numbers = indices(curve_of_body, "curve_of_body");
            exclusive(b, [&](auto& batch) { batch.set_load_curves(curves, numbers); });
          },
          nb::arg("curves"), nb::arg("curve_of_body"),
          nb::sig("def set_load_curves(self, curves: collections.abc.Sequence[LoadCurve], curve_of_body: "
                  "quartic._typing.Indices) -> None"),
          "The force on body b is force[b] times curve curve_of_body[b] at time t; -1: times 1.");
}

}  // namespace quartic::python
