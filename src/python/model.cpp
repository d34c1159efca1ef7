// Reduced models and their files.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>

#include "python/bindings.hpp"
#include "python/energy.hpp"
#include "python/reduction.hpp"

namespace quartic::python {
namespace {

std::string text_of(const Model& model) {
  return "ReducedModel(rank=" + std::to_string(model->rank()) + ", " + std::to_string(model->mesh.vertex_count()) +
         " vertices)";
}

void bind_arrays_of(nb::class_<Model>& type) {
  type.def_prop_ro(
          "basis", [](const Model& m) { return fields_view(m, m->basis); },
          nb::sig("def basis(self) -> numpy.typing.NDArray[numpy.float64]"), "U as fields, (r, n, 3).")
      .def_prop_ro(
          "linear_modes", [](const Model& m) { return fields_view(m, m->linear_modes); },
          nb::sig("def linear_modes(self) -> numpy.typing.NDArray[numpy.float64]"), "(k, n, 3)")
      .def_prop_ro(
          "unit_acceleration", [](const Model& m) { return transposed_view(m, m->unit_acceleration); },
          nb::sig("def unit_acceleration(self) -> numpy.typing.NDArray[numpy.float64]"),
          "Reduced forces of 1 m/s^2 along x, y, z, (3, r): gravity @ model.unit_acceleration.")
      .def_prop_ro(
          "eigenvalues", [](const Model& m) { return numpy_view(m, m->eigenvalues, {std::ssize(m->eigenvalues)}); },
          nb::sig("def eigenvalues(self) -> numpy.typing.NDArray[numpy.float64]"), "omega^2 [rad^2/s^2], (k).")
      .def_prop_ro(
          "frequencies", [](const Model& m) { return frequencies(m->eigenvalues); },
          nb::sig("def frequencies(self) -> numpy.typing.NDArray[numpy.float64]"), "Of the linear modes [Hz], (k).")
      .def_prop_ro(
          "fixed_vertices",
          [](const Model& m) { return numpy_view(m, m->fixed_vertices, {std::ssize(m->fixed_vertices)}); },
          nb::sig("def fixed_vertices(self) -> numpy.typing.NDArray[numpy.int32]"));
}

}  // namespace

void bind_models(nb::module_& module) {
  nb::class_<Model> type(
      module, "ReducedModel", nb::is_weak_referenceable(),
      "All that simulating and drawing a body need. Doesn't change once it is made; arrays are views of it.");
  bind_arrays_of(type);
  type.def_prop_ro("rank", [](const Model& m) { return m->rank(); })
      .def_prop_ro("mesh", [](const Model& m) { return m.part(m->mesh); })
      .def_prop_ro(
          "energy", [](const Model& m) { return m.part(m->energy); }, nb::sig("def energy(self) -> QuarticEnergy"))
      .def_prop_ro(
          "cubature",
          [](const Model& m) -> std::optional<SharedCubature> {
            if (!m->cubature) return std::nullopt;
            return m.part(*m->cubature);
          },
          nb::sig("def cubature(self) -> Cubature | None"), "What its forces come from, in place of the energy.")
      .def_prop_ro(
          "relaxation",
          [](const Model& m) -> std::optional<Shared<Relaxation>> {
            if (!m->relaxation) return std::nullopt;
            return m.part(*m->relaxation);
          },
          nb::sig("def relaxation(self) -> Relaxation | None"), "What relaxed the energy, if anything did.")
      .def_prop_ro(
          "supports", [](const Model& m) { return m->supports(); }, "What holds it.")
      .def_prop_ro(
          "rigid_modes", [](const Model& m) { return m->rigid_modes; }, "Their number: 0 for a held body.")
      .def_prop_ro("mass_matrix", [](const Model& m) { return word_for(mass_matrices, m->mass_matrix); })
      .def_prop_ro(
          "has_region_parts", [](const Model& m) { return !m->region_energy.empty(); },
          "Whether materials can be edited.")
      .def_prop_ro(
          "chambers",
          [](const Model& m) {
            std::vector<Shared<Chamber>> chambers;
            for (const ModelChamber& of : m->chambers) chambers.push_back(m.part(of.chamber));
            return chambers;
          },
          nb::sig("def chambers(self) -> list[Chamber]"), "That pressures act in, by number.")
      .def_prop_ro("created_by", [](const Model& m) { return m->created_by; })
      .def_prop_ro(
          "notices", [](const Model& m) { return m->notices; }, "What a file held and was left out.")
      .def("__repr__", &text_of);
  module.def(
      "load_model",
      [](const std::filesystem::path& path) { return without_gil([&] { return share(load_model(path)); }); },
      nb::arg("path"), "Reads a .qrt file.");
  module.def(
      "save_model",
      [](const Model& model, const std::filesystem::path& path) { without_gil([&] { save_model(*model, path); }); },
      nb::arg("model"), nb::arg("path"), "Writes a .qrt file.");
}

}  // namespace quartic::python
