// What checks of meshes find.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "python/bindings.hpp"
#include "python/shared.hpp"
#include "quartic/element_quality.hpp"

namespace quartic::python {

void bind_mesh_checks(nb::module_& module) {
  nb::class_<MeshReport>(module, "MeshReport", "What check_mesh found; elements and vertices count from 0.")
      .def_ro("inverted", &MeshReport::inverted)
      .def_ro("degenerate", &MeshReport::degenerate)
      .def_ro("slivers", &MeshReport::slivers)
      .def_ro("first_inverted", &MeshReport::first_inverted)
      .def_ro("first_degenerate", &MeshReport::first_degenerate)
      .def_ro("worst_element", &MeshReport::worst_element)
      .def_ro("worst_quality", &MeshReport::worst_quality)
      .def_ro("repeated_elements", &MeshReport::repeated_elements)
      .def_ro("unreferenced_vertices", &MeshReport::unreferenced_vertices)
      .def_ro("coincident_vertices", &MeshReport::coincident_vertices)
      .def_ro("coincident_between_components", &MeshReport::coincident_between_components)
      .def_ro("elements_without_region", &MeshReport::elements_without_region)
      .def_ro("regions_without_material", &MeshReport::regions_without_material)
      .def_ro("regions_without_elements", &MeshReport::regions_without_elements)
      .def_ro("interface_triangles", &MeshReport::interface_triangles)
      .def_ro("components", &MeshReport::components)
      .def_ro("volume", &MeshReport::volume, "[m^3]")
      .def_ro("mass", &MeshReport::mass, "[kg]; None if a material is missing.")
      .def_ro("bounding_box", &MeshReport::bounding_box)
      .def_ro("warnings", &MeshReport::warnings, "A sentence per finding.")
      .def_ro("hints", &MeshReport::hints);
  module.def(
      "check_mesh", [](const Mesh& mesh) { return without_gil([&] { return check_mesh(*mesh); }); }, nb::arg("mesh"),
      "Checks a mesh without changing or rejecting it.");
  module.def(
      "require_no_repairs", [](const Mesh& mesh) { without_gil([&] { require_no_repairs(*mesh); }); }, nb::arg("mesh"),
      "Raises InputError for a mesh that `reduce` would repair, or accept with a warning.");
  module.def(
      "locking_hints",
      [](const Mesh& mesh) { return without_gil([&] { return locking_hints(estimate_locking(*mesh)); }); },
      nb::arg("mesh"), "A sentence if elements lock so that frequencies come out more than 5 % too high, else none.");
}

}  // namespace quartic::python
