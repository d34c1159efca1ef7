// Closed chambers of meshes and models.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <string>
#include <vector>

#include "python/bindings.hpp"
#include "python/shared.hpp"
#include "quartic/chambers.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

using SharedChamber = Shared<Chamber>;

// A displacement (n, 3), or None: at rest.
std::vector<double> displacement_of(nb::handle object, const Mesh& mesh) {
  if (object.is_none()) return {};
  return doubles(object, "u", {mesh->vertex_count(), 3});
}

SharedChamber chamber_of(const Mesh& mesh, nb::handle vertices, const std::string& name) {
  if (nb::isinstance<nb::str>(vertices)) {
    Chamber found = find_chamber(*mesh, nb::cast<std::string>(vertices));
    if (!name.empty()) found.name = name;
    return share(std::move(found));
  }
  if (name.empty()) throw InputError("a chamber of vertices needs a name: find_chamber(mesh, vertices, name)");
  const std::vector<std::int32_t> numbers = indices(vertices, "vertices");
  return without_gil([&] { return share(find_chamber(*mesh, numbers, name)); });
}

}  // namespace

void bind_chambers(nb::module_& module) {
  nb::class_<SharedChamber>(module, "Chamber", "The faces around a closed cavity, which a pressure acts on.")
      .def_prop_ro("name", [](const SharedChamber& c) { return c->name; })
      .def_prop_ro(
          "faces",
          [](const SharedChamber& c) {
            return numpy_view(c, c->faces, {c->face_count(), chamber_face_size});
          },
          nb::sig("def faces(self) -> numpy.typing.NDArray[numpy.int32]"),
          "(f, 8): corners, -1 for a fourth that isn't there, then middles of edges or -1.");
  module.def("find_chamber", &chamber_of, nb::arg("mesh"), nb::arg("vertices"), nb::arg("name") = "",
             nb::sig("def find_chamber(mesh: VolumeMesh, vertices: str | quartic._typing.Indices, name: str = '') -> "
                     "Chamber"),
             "The chamber between boundary faces whose vertices are all among these, or in the vertex set of this "
             "name.");
  module.def(
      "find_cavities",
      [](const Mesh& mesh) {
        std::vector<Chamber> cavities = without_gil([&] { return find_cavities(*mesh); });
        std::vector<SharedChamber> shared;
        for (Chamber& cavity : cavities) shared.push_back(share(std::move(cavity)));
        return shared;
      },
      nb::arg("mesh"), "All closed cavities inside the body: cavity-1, cavity-2, ...");
  module.def(
      "enclosed_volume",
      [](const Mesh& mesh, const SharedChamber& chamber, nb::handle u) {
        const std::vector<double> displacement = displacement_of(u, mesh);
        return without_gil([&] { return enclosed_volume(*mesh, *chamber, displacement); });
      },
      nb::arg("mesh"), nb::arg("chamber"), nb::arg("u") = nb::none(),
      nb::sig("def enclosed_volume(mesh: VolumeMesh, chamber: Chamber, u: quartic._typing.ArrayLike | None = None) -> "
              "float"),
      "[m^3], at rest or at displacements u, (n, 3).");
  module.def(
      "enclosed_volume_gradient",
      [](const Mesh& mesh, const SharedChamber& chamber, nb::handle u) {
        const std::vector<double> displacement = displacement_of(u, mesh);
        std::vector<double> gradient =
            without_gil([&] { return enclosed_volume_gradient(*mesh, *chamber, displacement); });
        return to_numpy(owning_array(std::move(gradient), {mesh->vertex_count(), 3}));
      },
      nb::arg("mesh"), nb::arg("chamber"), nb::arg("u") = nb::none(),
      nb::sig("def enclosed_volume_gradient(mesh: VolumeMesh, chamber: Chamber, u: quartic._typing.ArrayLike | None = "
              "None) -> numpy.typing.NDArray[numpy.float64]"),
      "dV/du [m^2], (n, 3): the forces of 1 Pa.");
  module.def(
      "add_chamber",
      [](const Model& model, const SharedChamber& chamber) {
        return without_gil([&] {
          ReducedModel changed = *model;
          add_chamber(changed, *chamber);
          return share(std::move(changed));
        });
      },
      nb::arg("model"), nb::arg("chamber"),
      "The model with a chamber of its mesh, in which Batch.set_pressure acts on its bodies.");
}

}  // namespace quartic::python
