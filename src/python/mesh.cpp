// Volume meshes. Python's don't change once they are made: functions that change C++'s return a new one here.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <optional>

#include "python/bindings.hpp"
#include "python/choices.hpp"
#include "python/elements.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

constexpr Choice<HexahedronRule, 2> rules{
    {{"gauss-3x3x3", HexahedronRule::gauss_3x3x3}, {"gauss-2x2x2", HexahedronRule::gauss_2x2x2}}};

ElementBlock block_of(const std::string& type, nb::handle vertices, HexahedronRule rule) {
  const ElementType element = chosen(element_types, "elements", type);
  const std::string name = "elements[\"" + type + "\"]";
  Array array = import_array(vertices, name);
  if (array.dtype == DType::int64 || array.dtype == DType::int32) {
    require(array, name, array.dtype, {-1, element_vertex_count(element)});
    const std::int64_t count = array.size();
    array = array.is_contiguous() ? array : copy_of(array);
    array.shape = {count};
    array.strides = {1};
    return {element, indices(nb::cast(array), name), rule};
  }
  throw InputError(name + " is an array of " + dtype_name(array.dtype) + "; vertex numbers are int32 or int64");
}

std::vector<ElementBlock> blocks_of(const std::map<std::string, nb::object>& elements, HexahedronRule rule) {
  std::vector<ElementBlock> blocks;
  blocks.reserve(elements.size());
  for (const auto& [type, vertices] : elements) blocks.push_back(block_of(type, vertices, rule));
  std::sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.type < b.type; });
  return blocks;
}

Mesh make_mesh(nb::handle vertices, const std::map<std::string, nb::object>& elements, std::optional<Material> material,
               std::optional<std::vector<Region>> regions, nb::handle element_region,
               const std::map<std::string, nb::object>& vertex_sets, const std::string& hexahedron_rule) {
  VolumeMesh mesh;
  mesh.vertices = doubles(vertices, "vertices", {-1, 3});
  mesh.blocks = blocks_of(elements, chosen(rules, "hexahedron_rule", hexahedron_rule));
  if (material.has_value() == regions.has_value())
    throw InputError("a mesh takes either material=, for all of it, or regions= with element_region=");
  if (material) {
    mesh.regions = {{"body", material}};
    mesh.element_region.assign(static_cast<std::size_t>(mesh.element_count()), 0);
  } else {
    mesh.regions = *std::move(regions);
    mesh.element_region = indices(element_region, "element_region");
    if (std::ssize(mesh.element_region) != mesh.element_count())
      throw InputError("element_region has " + std::to_string(mesh.element_region.size()) + " entries for " +
                       std::to_string(mesh.element_count()) + " elements");
  }
  for (const auto& [name, set] : vertex_sets) {
    std::vector<std::int32_t> numbers = indices(set, "vertex_sets[\"" + name + "\"]");
    std::sort(numbers.begin(), numbers.end());
    mesh.vertex_sets.emplace(name, std::move(numbers));
  }
  return share(std::move(mesh));
}

nb::dict elements_of(const Mesh& mesh) {
  nb::dict result;
  for (const ElementBlock& block : mesh->blocks) {
    const std::string_view name = element_type_name(block.type);
    result[nb::str(name.data(), name.size())] =
        numpy_view(mesh, block.vertices, {block.count(), element_vertex_count(block.type)});
  }
  return result;
}

nb::dict sets_of(const Mesh& mesh) {
  nb::dict result;
  for (const auto& [name, set] : mesh->vertex_sets)
    result[nb::str(name.c_str())] = numpy_view(mesh, set, {std::ssize(set)});
  return result;
}

Mesh with_materials_of(const Mesh& mesh, const std::vector<Material>& materials) {
  if (materials.size() != mesh->regions.size())
    throw InputError("the mesh has " + std::to_string(mesh->regions.size()) +
                     " regions, and takes as many materials, not " + std::to_string(materials.size()));
  VolumeMesh changed = *mesh;
  for (std::size_t i = 0; i < materials.size(); ++i) changed.regions[i].material = materials[i];
  return share(std::move(changed));
}

std::string text_of(const Mesh& mesh) {
  return "VolumeMesh(" + std::to_string(mesh->vertex_count()) + " vertices, " + std::to_string(mesh->element_count()) +
         " elements, " + std::to_string(mesh->regions.size()) + " regions)";
}

}  // namespace

void bind_meshes(nb::module_& module) {
  nb::class_<Mesh>(module, "VolumeMesh", "Vertices, elements and regions. Doesn't change once it is made.")
      .def(
          "__init__",
          [](Mesh* self, nb::handle vertices, const std::map<std::string, nb::object>& elements,
             std::optional<Material> material, std::optional<std::vector<Region>> regions, nb::handle element_region,
             const std::map<std::string, nb::object>& vertex_sets, const std::string& hexahedron_rule) {
            new (self) Mesh(make_mesh(vertices, elements, material, std::move(regions), element_region, vertex_sets,
                                      hexahedron_rule));
          },
          nb::arg("vertices"), nb::arg("elements"), nb::kw_only(), nb::arg("material") = nb::none(),
          nb::arg("regions") = nb::none(), nb::arg("element_region") = nb::tuple(), nb::arg("vertex_sets") = nb::dict(),
          nb::arg("hexahedron_rule") = "gauss-3x3x3",
          nb::sig(
              "def __init__(self, vertices: quartic._typing.ArrayLike, elements: "
              "collections.abc.Mapping[str, quartic._typing.ArrayLike], *, material: Material | None = None, regions: "
              "collections.abc.Sequence[Region] | None = None, element_region: quartic._typing.Indices = (), "
              "vertex_sets: "
              "collections.abc.Mapping[str, quartic._typing.Indices] = {}, hexahedron_rule: str = 'gauss-3x3x3') -> "
              "None"),
          "vertices (n, 3) float64 [m]; elements {\"tet4\": (count, 4), ...}, 0-based, in VTK's order.")
      .def_prop_ro(
          "vertices",
          [](const Mesh& m) {
            return numpy_view(m, m->vertices, {m->vertex_count(), 3});
          },
          nb::sig("def vertices(self) -> numpy.typing.NDArray[numpy.float64]"), "Rest positions [m], (n, 3).")
      .def_prop_ro("elements", &elements_of,
                   nb::sig("def elements(self) -> dict[str, numpy.typing.NDArray[numpy.int32]]"))
      .def_prop_ro(
          "element_region",
          [](const Mesh& m) { return numpy_view(m, m->element_region, {std::ssize(m->element_region)}); },
          nb::sig("def element_region(self) -> numpy.typing.NDArray[numpy.int32]"),
          "Of each element its number in `regions`; -1: in none.")
      .def_prop_ro("regions", [](const Mesh& m) { return m->regions; })
      .def_prop_ro("vertex_sets", &sets_of,
                   nb::sig("def vertex_sets(self) -> dict[str, numpy.typing.NDArray[numpy.int32]]"))
      .def_prop_ro(
          "masses", [](const Mesh& m) { return m->masses; }, nb::sig("def masses(self) -> list[PointMass]"),
          "That are attached to vertices.")
      .def_prop_ro(
          "warnings", [](const Mesh& m) { return m->warnings; }, "What the reader repaired or skipped.")
      .def_prop_ro("vertex_count", [](const Mesh& m) { return m->vertex_count(); })
      .def_prop_ro("element_count", [](const Mesh& m) { return m->element_count(); })
      .def("with_materials", &with_materials_of, nb::arg("materials"), "The mesh with these materials, one per region.")
      .def("__repr__", &text_of);
}

}  // namespace quartic::python
