// Mesh files, and what selects and changes vertices and elements.
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <filesystem>
#include <optional>

#include "python/bindings.hpp"
#include "python/shared.hpp"
#include "quartic/selection.hpp"

namespace quartic::python {
namespace {

namespace fs = std::filesystem;
using Box = std::array<double, 6>;

nb::object index_array(std::vector<std::int32_t> numbers) {
  const std::int64_t count = std::ssize(numbers);
  return to_numpy(owning_array(std::move(numbers), {count}));
}

// A copy of the mesh after `change`, which returns what it found.
template <class F>
auto changed(const Mesh& mesh, F change) {
  return without_gil([&] {
    VolumeMesh copy = *mesh;
    auto found = change(copy);
    return std::pair(share(std::move(copy)), found);
  });
}

void bind_files(nb::module_& module) {
  module.def(
      "read_mesh", [](const fs::path& path) { return without_gil([&] { return share(read_mesh(path)); }); },
      nb::arg("path"), "Reads a volume mesh; the format is recognised by the content.");
  module.def(
      "write_mesh",
      [](const Mesh& mesh, const fs::path& path, bool binary) {
        return without_gil([&] { return write_mesh(*mesh, path, {.binary = binary}); });
      },
      nb::arg("mesh"), nb::arg("path"), nb::arg("binary") = false,
      "Writes .msh, .vtu or .veg; returns a sentence for everything that the format can't hold.");
  module.def(
      "read_fixed_vertices",
      [](const fs::path& path, std::int64_t vertex_count) {
        return index_array(read_fixed_vertices(path, vertex_count));
      },
      nb::arg("path"), nb::arg("vertex_count"),
      nb::sig("def read_fixed_vertices(path: str | os.PathLike[str], vertex_count: int) -> "
              "numpy.typing.NDArray[numpy.int32]"),
      "Reads a .bou file; 0-based.");
  module.def(
      "write_fixed_vertices",
      [](nb::handle vertices, const fs::path& path) { write_fixed_vertices(indices(vertices, "vertices"), path); },
      nb::arg("vertices"), nb::arg("path"),
      nb::sig("def write_fixed_vertices(vertices: quartic._typing.Indices, path: str | os.PathLike[str]) -> None"));
}

void bind_selection(nb::module_& module) {
  nb::class_<BoxSelection>(module, "BoxSelection", "The vertices that a box selects, and how near to it others are.")
      .def_prop_ro(
          "vertices", [](const BoxSelection& s) { return index_array(s.vertices); },
          nb::sig("def vertices(self) -> numpy.typing.NDArray[numpy.int32]"))
      .def_ro("tolerance", &BoxSelection::tolerance)
      .def_ro("just_outside", &BoxSelection::just_outside)
      .def_ro("just_outside_distance", &BoxSelection::just_outside_distance)
      .def_ro("nearest_outside", &BoxSelection::nearest_outside)
      .def_ro("nearest_outside_distance", &BoxSelection::nearest_outside_distance);
  module.def(
      "select_in_box",
      [](const Mesh& mesh, const Box& box, std::optional<double> tolerance) {
        return without_gil([&] { return select_in_box(*mesh, box, tolerance); });
      },
      nb::arg("mesh"), nb::arg("box"), nb::arg("tolerance") = nb::none(),
      "Vertices within a distance [m] from the box x0, y0, z0, x1, y1, z1.");
  module.def(
      "vertices_in_box", [](const Mesh& mesh, const Box& box) { return index_array(vertices_in_box(*mesh, box)); },
      nb::arg("mesh"), nb::arg("box"),
      nb::sig("def vertices_in_box(mesh: VolumeMesh, box: collections.abc.Sequence[float]) -> "
              "numpy.typing.NDArray[numpy.int32]"));
  module.def(
      "find_vertex_set",
      [](const Mesh& mesh, const std::string& name) {
        const std::vector<std::int32_t>& set = find_vertex_set(*mesh, name);
        return numpy_view(mesh, set, {std::ssize(set)});
      },
      nb::arg("mesh"), nb::arg("name"),
      nb::sig("def find_vertex_set(mesh: VolumeMesh, name: str) -> numpy.typing.NDArray[numpy.int32]"));
  module.def(
      "find_regions", [](const Mesh& mesh, const std::string& name) { return find_regions(*mesh, name); },
      nb::arg("mesh"), nb::arg("name"));
}

void bind_changes(nb::module_& module) {
  module.def(
      "make_quadratic", [](const Mesh& mesh) { return without_gil([&] { return share(make_quadratic(*mesh)); }); },
      nb::arg("mesh"), "The mesh with quadratic elements; edges stay straight.");
  module.def(
      "repair_orientation",
      [](const Mesh& mesh) { return changed(mesh, [](VolumeMesh& copy) { return repair_orientation(copy); }); },
      nb::arg("mesh"), "The mesh with elements of negative volume turned round, and their number.");
  module.def(
      "weld_vertices",
      [](const Mesh& mesh, std::optional<double> tolerance) {
        return changed(mesh, [&](VolumeMesh& copy) {
          return weld_vertices(copy, tolerance ? *tolerance : default_weld_tolerance(copy));
        });
      },
      nb::arg("mesh"), nb::arg("tolerance") = nb::none(),
      "The mesh with vertices within the tolerance [m] made one, and the number of those removed.");
  module.def(
      "boundary_triangles",
      [](const Mesh& mesh) {
        std::vector<std::int32_t> triangles = without_gil([&] { return boundary_triangles(*mesh); });
        const std::int64_t count = std::ssize(triangles) / 3;
        return to_numpy(owning_array(std::move(triangles), {count, 3}));
      },
      nb::arg("mesh"), nb::sig("def boundary_triangles(mesh: VolumeMesh) -> numpy.typing.NDArray[numpy.int32]"),
      "The boundary surface, (t, 3), wound outwards.");
}

}  // namespace

void bind_mesh_files(nb::module_& module) {
  bind_files(module);
  bind_selection(module);
  bind_changes(module);
}

}  // namespace quartic::python
