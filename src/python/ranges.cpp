// The range of a model, and flags of bodies.
#include <nanobind/stl/vector.h>

#include "python/bindings.hpp"
#include "python/shared.hpp"
#include "quartic/range.hpp"

namespace quartic::python {

using Range = Shared<ModelRange>;

void bind_ranges(nb::module_& module) {
  nb::enum_<BodyFlags>(module, "BodyFlags", nb::is_flag(), nb::is_arithmetic(),
                       "What has happened to a body; bits of Batch.flags.")
      .value("none", BodyFlags::none)
      .value("inverted", BodyFlags::inverted)
      .value("strained", BodyFlags::strained)
      .value("not_converged", BodyFlags::not_converged)
      .value("contacts_lost", BodyFlags::contacts_lost)
      .value("too_fast", BodyFlags::too_fast);
  nb::class_<Range>(module, "ModelRange", "Points of a model's elements that tell whether a body is in its range.")
      .def_prop_ro("rank", [](const Range& r) { return r->rank; })
      .def_prop_ro("points", [](const Range& r) { return r->points(); })
      .def_prop_ro(
          "elements", [](const Range& r) { return numpy_view(r, r->elements, {r->points()}); },
          nb::sig("def elements(self) -> numpy.typing.NDArray[numpy.int64]"))
      .def_prop_ro(
          "gradients",
          [](const Range& r) {
            return numpy_view(r, r->gradients, {r->points(), 3, 3, r->rank});
          },
          nb::sig("def gradients(self) -> numpy.typing.NDArray[numpy.float64]"), "(points, 3, 3, r)");
  const RangeOptions defaults;
  module.def(
      "model_range",
      [](const Model& model, int points, int directions) {
        return without_gil([&] { return share(model_range(*model, {.points = points, .directions = directions})); });
      },
      nb::arg("model"), nb::kw_only(), nb::arg("points") = defaults.points, nb::arg("directions") = defaults.directions,
      "Chooses the points, for BodyGroup(..., range=).");
  module.def(
      "range_flags",
      [](const Range& range, nb::handle q) { return range_flags(*range, doubles(q, "q", {range->rank})); },
      nb::arg("range"), nb::arg("q"),
      nb::sig("def range_flags(range: ModelRange, q: quartic._typing.ArrayLike) -> BodyFlags"),
      "`inverted` and `strained` of one body, in double.");
}

}  // namespace quartic::python
