// Mirror planes of bodies, and what they save.
#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include "python/bindings.hpp"
#include "python/energy.hpp"
#include "python/supports.hpp"
#include "quartic/symmetry.hpp"

namespace quartic::python {

void bind_symmetry(nb::module_& module) {
  nb::class_<MirrorPlane>(module, "MirrorPlane", "The points x with normal . x = offset.")
      .def_ro("normal", &MirrorPlane::normal, "Of length 1.")
      .def_ro("offset", &MirrorPlane::offset, "[m]");
  nb::class_<TensorSymmetry>(module, "TensorSymmetry", "What zeros of an energy's tensor save.")
      .def_ro("parities", &TensorSymmetry::parities, "Independent ones, 0 to 3; a mirror plane is one.")
      .def_ro("work_share", &TensorSymmetry::work_share, "Multiply-adds over those of a tensor without zeros.");
  module.def(
      "mirror_planes",
      [](const Mesh& mesh, nb::handle fixed_vertices) {
        const Supports held = supports_from(fixed_vertices, "fixed_vertices");
        return without_gil([&] { return mirror_planes(*mesh, held); });
      },
      nb::arg("mesh"), nb::arg("fixed_vertices"),
      nb::sig("def mirror_planes(mesh: VolumeMesh, fixed_vertices: Supports | quartic._typing.Indices) -> "
              "list[MirrorPlane]"),
      "Planes at right angles, three at most, that mirror a body onto itself.");
  module.def(
      "tensor_symmetry", [](const Energy& energy) { return without_gil([&] { return tensor_symmetry(*energy); }); },
      nb::arg("energy"), "Found in exact zeros of the tensor alone.");
}

}  // namespace quartic::python
