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
  nb::class_<FoldedElements>(module, "FoldedElements", "Elements whose Jacobian has both signs.")
      .def_ro("count", &FoldedElements::count)
      .def_ro("first", &FoldedElements::first, "Element number; -1: none.")
      .def_ro("ratio", &FoldedElements::ratio, "Of that element: the least determinant over the largest.")
      .def_ro("place", &FoldedElements::place, "Where it is least [m].");
  module.def(
      "folded_elements", [](const Mesh& mesh) { return without_gil([&] { return folded_elements(*mesh); }); },
      nb::arg("mesh"), "Which elements are folded, wherever in them.");
  nb::class_<LockingEstimate>(module, "LockingEstimate", "How much too stiff linear elements are in bending.")
      .def_ro("stiffness_ratio", &LockingEstimate::stiffness_ratio, "Over the exact stiffness, 1 or more.")
      .def_ro("frequency_ratio", &LockingEstimate::frequency_ratio)
      .def_ro("element", &LockingEstimate::element, "Where; -1: nothing was measured.")
      .def_ro("thickness", &LockingEstimate::thickness, "[m]")
      .def_ro("elements_across", &LockingEstimate::elements_across)
      .def_ro("poissons_ratio", &LockingEstimate::poissons_ratio);
  module.def(
      "estimate_locking", [](const Mesh& mesh) { return without_gil([&] { return estimate_locking(*mesh); }); },
      nb::arg("mesh"), "The place of a mesh that locks most, but for a twentieth of its boundary.");
  module.def(
      "locking_hints",
      [](const Mesh& mesh) { return without_gil([&] { return locking_hints(estimate_locking(*mesh)); }); },
      nb::arg("mesh"), "A sentence if elements lock so that frequencies come out more than 5 % too high, else none.");
}

}  // namespace quartic::python
