// Other materials, fewer coordinates.
#include "quartic/editing.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "python/batch.hpp"
#include "python/bindings.hpp"
#include "python/energy.hpp"

namespace quartic::python {

using Edit = Shared<MaterialEdit>;

void bind_editing(nb::module_& module) {
  nb::class_<Edit>(module, "MaterialEdit",
                   "A model's run-time data for other materials, in coordinates q' with q = T q'.")
      .def_prop_ro(
          "energy", [](const Edit& e) { return e.part(e->energy); }, nb::sig("def energy(self) -> QuarticEnergy"))
      .def_prop_ro(
          "transform", [](const Edit& e) { return matrix_view(e, e->transform); },
          nb::sig("def transform(self) -> numpy.typing.NDArray[numpy.float64]"), "T, (r, r).")
      .def_prop_ro(
          "unit_acceleration", [](const Edit& e) { return transposed_view(e, e->unit_acceleration); },
          nb::sig("def unit_acceleration(self) -> numpy.typing.NDArray[numpy.float64]"), "Of q', (3, r).")
      .def_prop_ro(
          "shift", [](const Edit& e) { return e->shift; }, "Of the mass centre at rest [m].")
      .def_prop_ro(
          "moments",
          [](const Edit& e) -> std::optional<Shared<FrameMoments>> {
            if (!e->moments) return std::nullopt;
            return e.part(*e->moments);
          },
          nb::sig("def moments(self) -> FrameMoments | None"))
      .def_prop_ro(
          "relaxation",
          [](const Edit& e) -> std::optional<Shared<Relaxation>> {
            if (!e->relaxation) return std::nullopt;
            return e.part(*e->relaxation);
          },
          nb::sig("def relaxation(self) -> Relaxation | None"))
      .def_prop_ro(
          "notices", [](const Edit& e) { return e->notices; }, "What couldn't be carried over.");
  module.def(
      "edit_materials",
      [](const Model& model, const std::vector<Material>& materials) {
        return without_gil([&] { return share(edit_materials(*model, materials)); });
      },
      nb::arg("model"), nb::arg("materials"),
      "The model's run-time data for other materials, one per region; needs reduce(..., region_parts=True).");
  module.def(
      "with_materials",
      [](const Model& model, const std::vector<Material>& materials) {
        return without_gil([&] { return share(with_materials(*model, materials)); });
      },
      nb::arg("model"), nb::arg("materials"), "The whole model for other materials.");
  module.def(
      "apply_edit",
      [](const BatchObject& batch, const Edit& edit, const std::optional<Edit>& previous, int group) {
        exclusive(batch, [&](auto& b) { apply_edit(b, *edit, previous ? &**previous : nullptr, group); });
      },
      nb::arg("batch"), nb::arg("edit"), nb::arg("previous") = nb::none(), nb::arg("group") = 0,
      "Gives a running batch the edit's energy, and its state the new coordinates.");
  module.def(
      "keep_basis_vectors",
      [](const Model& model, const std::vector<int>& kept) {
        return without_gil([&] { return share(keep_basis_vectors(*model, kept)); });
      },
      nb::arg("model"), nb::arg("kept"), "The model with some of its basis vectors.");
}

}  // namespace quartic::python
