// Meshes made by formula.
#include <nanobind/stl/pair.h>

#include "python/bindings.hpp"
#include "python/elements.hpp"
#include "quartic/procedural.hpp"

namespace quartic::python {
namespace {

// (mesh, fixed_vertices)
nb::object pair_of(ProceduralMesh shape) {
  const std::int64_t count = std::ssize(shape.fixed_vertices);
  return nb::make_tuple(share(std::move(shape.mesh)), to_numpy(owning_array(std::move(shape.fixed_vertices), {count})));
}

nb::object box(double length, double width, double height, int cells_x, int cells_y, int cells_z,
               const std::string& type, const Material& material) {
  BoxOptions options{.length = length, .width = width, .height = height};
  options.cells_x = cells_x;
  options.cells_y = cells_y;
  options.cells_z = cells_z;
  options.type = chosen(element_types, "type", type);
  options.material = material;
  return pair_of(without_gil([&] { return make_box(options); }));
}

using Maker = ProceduralMesh (*)(int, ElementType);

template <Maker make>
nb::object shape(int resolution, const std::string& type) {
  const ElementType element = chosen(element_types, "type", type);
  return pair_of(without_gil([&] { return make(resolution, element); }));
}

template <Maker make>
void def_shape(nb::module_& module, const std::string& name, int resolution, const char* text) {
  const std::string signature = "def " + name + "(resolution: int = " + std::to_string(resolution) +
                                ", type: str = 'hex8') -> tuple[VolumeMesh, numpy.typing.NDArray[numpy.int32]]";
  module.def(name.c_str(), &shape<make>, nb::arg("resolution") = resolution, nb::arg("type") = "hex8",
             nb::sig(signature.c_str()), text);
}

}  // namespace

void bind_shapes(nb::module_& module) {
  const BoxOptions defaults;
  module.def("make_box", &box, nb::arg("length") = defaults.length, nb::arg("width") = defaults.width,
             nb::arg("height") = defaults.height, nb::arg("cells_x") = defaults.cells_x,
             nb::arg("cells_y") = defaults.cells_y, nb::arg("cells_z") = defaults.cells_z, nb::arg("type") = "hex8",
             nb::arg("material") = defaults.material,
             nb::sig("def make_box(length: float = 1.0, width: float = 0.1, height: float = 0.1, cells_x: int = 20, "
                     "cells_y: int = 2, "
                     "cells_z: int = 2, type: str = 'hex8', material: Material = ...) -> tuple[VolumeMesh, "
                     "numpy.typing.NDArray[numpy.int32]]"),
             "A box cut into elements; mesh and the fixed vertices, those of the face x = 0.");
  def_shape<&make_beam>(module, "make_beam", 40, "A cantilever of 1 m x 0.1 m x 0.08 m and its fixed vertices.");
  def_shape<&make_bridge>(module, "make_bridge", 100, "A foot bridge, fixed at both ends.");
  def_shape<&make_spoon>(module, "make_spoon", 100, "A spoon, fixed at the end of its handle.");
  def_shape<&make_tower>(module, "make_tower", 140, "A lattice tower, fixed at its feet.");
  def_shape<&make_basket>(module, "make_basket", 40, "A basket of ribs and rings, fixed at its floor.");
  def_shape<&make_heart>(module, "make_heart", 37, "A solid heart, fixed around the cleft between its lobes.");
  module.def(
      "split_into_tetrahedra",
      [](const Mesh& mesh) { return without_gil([&] { return share(split_into_tetrahedra(*mesh)); }); },
      nb::arg("mesh"), "Splits each hex8 into six tetrahedra.");
}

}  // namespace quartic::python
