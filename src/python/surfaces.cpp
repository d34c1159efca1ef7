// Triangle meshes: filled with cubes, or carried by a model.
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>

#include "python/bindings.hpp"
#include "python/shared.hpp"
#include "quartic/error.hpp"
#include "quartic/surface.hpp"
#include "quartic/surface_embedding.hpp"

namespace quartic::python {
namespace {

using Surface = Shared<TriangleMesh>;
using Voxels = Shared<Voxelization>;

TriangleMesh make_surface(nb::handle vertices, nb::handle triangles) {
  TriangleMesh surface;
  surface.vertices = doubles(vertices, "vertices", {-1, 3});
  Array array = import_array(triangles, "triangles");
  require(array, "triangles", array.dtype, {-1, 3});
  if (!array.is_contiguous()) array = copy_of(array);
  array.shape = {array.size()};
  array.strides = {1};
  surface.triangles = indices(nb::cast(array), "triangles");
  return surface;
}

std::pair<Model, EmbedReport> embed(const Model& model, const Surface& surface, std::optional<double> max_distance) {
  return without_gil([&] {
    EmbedReport report;
    ReducedModel drawn = *model;
    drawn.surface = embed_surface(model->mesh, *surface, {.max_distance = max_distance}, &report);
    return std::pair(share(std::move(drawn)), std::move(report));
  });
}

void bind_surface(nb::module_& module) {
  nb::class_<Surface>(module, "TriangleMesh", "A surface of triangles; open, a soup, or not a manifold.")
      .def(
          "__init__",
          [](Surface* self, nb::handle vertices, nb::handle triangles) {
            new (self) Surface(share(make_surface(vertices, triangles)));
          },
          nb::arg("vertices"), nb::arg("triangles"),
          nb::sig(
              "def __init__(self, vertices: quartic._typing.ArrayLike, triangles: quartic._typing.ArrayLike) -> None"),
          "vertices (n, 3) float64 [m]; triangles (t, 3), 0-based.")
      .def_prop_ro(
          "vertices",
          [](const Surface& s) {
            return numpy_view(s, s->vertices, {s->vertex_count(), 3});
          },
          nb::sig("def vertices(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def_prop_ro(
          "triangles",
          [](const Surface& s) {
            return numpy_view(s, s->triangles, {s->triangle_count(), 3});
          },
          nb::sig("def triangles(self) -> numpy.typing.NDArray[numpy.int32]"))
      .def_prop_ro("warnings", [](const Surface& s) { return s->warnings; });
  module.def(
      "read_triangle_mesh",
      [](const std::filesystem::path& path) { return without_gil([&] { return share(read_triangle_mesh(path)); }); },
      nb::arg("path"), "Reads OBJ, PLY, STL or glTF, recognised by content.");
}

void bind_findings(nb::module_& module) {
  nb::class_<SurfaceReport>(module, "SurfaceReport", "Properties and defects of a surface.")
      .def_ro("components", &SurfaceReport::components, "Parts that share no vertex.")
      .def_ro("boundary_edges", &SurfaceReport::boundary_edges)
      .def_ro("nonmanifold_edges", &SurfaceReport::nonmanifold_edges)
      .def_ro("misoriented_edges", &SurfaceReport::misoriented_edges)
      .def_ro("degenerate_triangles", &SurfaceReport::degenerate_triangles)
      .def_ro("repeated_triangles", &SurfaceReport::repeated_triangles)
      .def_ro("unreferenced_vertices", &SurfaceReport::unreferenced_vertices)
      .def_ro("coincident_vertices", &SurfaceReport::coincident_vertices)
      .def_ro("area", &SurfaceReport::area, "[m^2]")
      .def_ro("enclosed_volume", &SurfaceReport::enclosed_volume, "[m^3]; None: open.")
      .def_ro("bounding_box", &SurfaceReport::bounding_box, "x0, y0, z0, x1, y1, z1 [m]")
      .def_ro("warnings", &SurfaceReport::warnings, "A sentence for each finding.")
      .def_prop_ro("closed", &SurfaceReport::closed);
  module.def(
      "check_surface", [](const Surface& surface) { return without_gil([&] { return check_surface(*surface); }); },
      nb::arg("surface"), "Checks a surface without changing or rejecting it.");
  nb::class_<BoundaryCurving>(module, "BoundaryCurving", "What curve_boundary did with the edges of a boundary.")
      .def_ro("curved", &BoundaryCurving::curved, "Edges whose middle moved onto the surface.")
      .def_ro("on_surface", &BoundaryCurving::on_surface)
      .def_ro("off_surface", &BoundaryCurving::off_surface)
      .def_ro("at_crease", &BoundaryCurving::at_crease)
      .def_ro("would_fold", &BoundaryCurving::would_fold)
      .def_ro("largest_distance", &BoundaryCurving::largest_distance, "That a middle was moved by [m].")
      .def_ro("volume_before", &BoundaryCurving::volume_before, "[m^3]")
      .def_ro("volume_after", &BoundaryCurving::volume_after)
      .def_ro("enclosed_volume", &BoundaryCurving::enclosed_volume, "By the surface [m^3]; None: open.")
      .def_prop_ro("away_from_surface", &BoundaryCurving::away_from_surface,
                   "Whether the mesh's volume is farther from the surface's than before.");
  module.def(
      "curve_boundary",
      [](const Mesh& mesh, const Surface& surface) {
        return without_gil([&] {
          VolumeMesh curved = *mesh;
          const BoundaryCurving report = curve_boundary(curved, *surface);
          return std::pair(share(std::move(curved)), report);
        });
      },
      nb::arg("mesh"), nb::arg("surface"),
      "The mesh of quadratic elements with middles of its boundary's edges on the surface that it was made for, and "
      "what was done.");
}

void bind_voxels(nb::module_& module) {
  nb::class_<Voxels>(module, "Voxelization", "A surface as cubes of one size.")
      .def_prop_ro("mesh", [](const Voxels& v) { return v.part(v->mesh); })
      .def_prop_ro(
          "edge", [](const Voxels& v) { return v->edge; }, "Of a cube [m].")
      .def_prop_ro("surface_voxels", [](const Voxels& v) { return v->surface_voxels; })
      .def_prop_ro("interior_voxels", [](const Voxels& v) { return v->interior_voxels; })
      .def_prop_ro("added_voxels", [](const Voxels& v) { return v->added_voxels; })
      .def_prop_ro("cavity_voxels", [](const Voxels& v) { return v->cavity_voxels; })
      .def_prop_ro(
          "parts", [](const Voxels& v) { return v->parts; }, "Voxels of each, descending.")
      .def_prop_ro(
          "volume", [](const Voxels& v) { return v->volume; }, "[m^3]")
      .def_prop_ro(
          "enclosed_volume", [](const Voxels& v) { return v->enclosed_volume; }, "By the surface; None: open.")
      .def_prop_ro(
          "thickness", [](const Voxels& v) { return v->thickness; }, "[m]");
  const VoxelOptions defaults;
  module.def(
      "voxelize",
      [](const Surface& surface, int resolution, const std::string& region, std::optional<Material> material,
         bool only_largest_part) {
        const VoxelOptions options{
            .resolution = resolution, .region = region, .material = material, .only_largest_part = only_largest_part};
        return without_gil([&] { return share(voxelize(*surface, options)); });
      },
      nb::arg("surface"), nb::kw_only(), nb::arg("resolution") = defaults.resolution,
      nb::arg("region") = defaults.region, nb::arg("material") = nb::none(), nb::arg("only_largest_part") = false,
      "All cubes of a lattice that the surface meets or encloses, `resolution` along the longest axis.");
}

}  // namespace

void bind_surfaces(nb::module_& module) {
  bind_surface(module);
  bind_voxels(module);
  bind_findings(module);
  nb::class_<EmbedReport>(module, "EmbedReport", "How well a surface and a volume fit.")
      .def_ro("inside", &EmbedReport::inside)
      .def_ro("outside", &EmbedReport::outside)
      .def_ro("largest_distance", &EmbedReport::largest_distance, "[m]")
      .def_ro("farthest_vertex", &EmbedReport::farthest_vertex)
      .def_ro("warnings", &EmbedReport::warnings);
  module.def("embed_surface", &embed, nb::arg("model"), nb::arg("surface"), nb::kw_only(),
             nb::arg("max_distance") = nb::none(),
             "The model, drawn by this surface, and how well they fit: see Embedding(model, surface=True).");
}

}  // namespace quartic::python
