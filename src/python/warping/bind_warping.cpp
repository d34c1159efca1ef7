// Warps of linear bodies, for arrays of float32 and float64.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <optional>

#include "python/bindings.hpp"
#include "python/choices.hpp"
#include "python/matrices/matrices.hpp"
#include "python/shared.hpp"
#include "quartic/error.hpp"
#include "quartic/warping.hpp"

namespace quartic::python {
namespace {

using Warped = Shared<ModalWarp>;

constexpr Choice<WarpMap, 2> warp_maps{{{"integrated", WarpMap::integrated}, {"rotation", WarpMap::rotation}}};
constexpr Choice<ForceMap, 2> force_maps{{{"exact", ForceMap::exact}, {"rotation", ForceMap::rotation}}};

/// Solves take turns.
struct StrainWarp {
  std::unique_ptr<RotationStrainWarp> warp;
  std::mutex mutex;
};

// (B, k)
Array coordinates(const ModalWarp& warp, nb::handle object) {
  const Array q = import_array(object, "q");
  require(q, "q", q.dtype == DType::float32 ? DType::float32 : DType::float64, {-1, warp.rank()});
  return q;
}

template <class T>
nb::object displacements(const ModalWarp& warp, const Array& q, const std::vector<std::int32_t>& vertices) {
  const std::int64_t count = vertices.empty() ? warp.vertex_count() : std::ssize(vertices);
  std::vector<T> result(static_cast<std::size_t>(q.shape[0] * count * 3));
  without_gil([&] { warp.displacements<T>(state_view<const T>(q), vertices, std::span<T>(result)); });
  return to_numpy(owning_array(std::move(result), {q.shape[0], count, 3}));
}

template <class T>
nb::object forces(const ModalWarp& warp, const Array& q, const Array& given,
                  const std::vector<std::int32_t>& vertices) {
  const VertexView<const T> on_vertices = {data_of<const T>(given), given.shape[0],   given.shape[1],
                                           given.strides[0],        given.strides[1], given.strides[2]};
  std::vector<T> result(static_cast<std::size_t>(q.shape[0] * warp.rank()));
  const StateView<T> sum = {result.data(), warp.rank(), q.shape[0], 1, warp.rank()};
  without_gil([&] { warp.add_forces<T>(vertices, on_vertices, state_view<const T>(q), sum); });
  return to_numpy(owning_array(std::move(result), {q.shape[0], warp.rank()}));
}

std::vector<std::int32_t> chosen_vertices(nb::handle object) {
  if (object.is_none()) return {};
  return indices(object, "vertices");
}

void bind_modal_warp(nb::module_& module) {
  nb::class_<Warped>(module, "ModalWarp", "Modal warping: each vertex turns its linear displacement by its rotation.")
      .def(
          "__init__",
          [](Warped* self, const Mesh& mesh, nb::handle modes, const std::string& map, const std::string& force_map) {
            const Matrix own = fields(modes, "modes", 3 * mesh->vertex_count());
            const ModalWarpOptions options{chosen(warp_maps, "map", map), chosen(force_maps, "force_map", force_map)};
            new (self) Warped(without_gil([&] { return share(ModalWarp(*mesh, own.map(), options)); }));
          },
          nb::arg("mesh"), nb::arg("modes"), nb::arg("map") = "integrated", nb::arg("force_map") = "exact",
          nb::sig("def __init__(self, mesh: VolumeMesh, modes: quartic._typing.ArrayLike, map: str = 'integrated', "
                  "force_map: str = 'exact') -> None"),
          "modes (k, n, 3); map: integrated, or rotation as the course notes print it; force_map: exact or rotation.")
      .def_prop_ro("rank", [](const Warped& w) { return w->rank(); })
      .def_prop_ro("vertex_count", [](const Warped& w) { return w->vertex_count(); })
      .def_prop_ro(
          "modes", [](const Warped& w) { return fields_view(w, w->modes()); },
          nb::sig("def modes(self) -> numpy.typing.NDArray[numpy.float64]"), "(k, n, 3)")
      .def_prop_ro(
          "rotations", [](const Warped& w) { return fields_view(w, w->rotations()); },
          nb::sig("def rotations(self) -> numpy.typing.NDArray[numpy.float64]"), "Half the curl of modes, (k, n, 3).")
      .def(
          "displacements",
          [](const Warped& w, nb::handle q, nb::handle vertices) {
            const Array given = coordinates(*w, q);
            const std::vector<std::int32_t> some = chosen_vertices(vertices);
            return given.dtype == DType::float32 ? displacements<float>(*w, given, some)
                                                 : displacements<double>(*w, given, some);
          },
          nb::arg("q"), nb::arg("vertices") = nb::none(),
          nb::sig("def displacements(self, q: quartic._typing.ArrayLike, vertices: quartic._typing.Indices | None = "
                  "None) -> numpy.typing.NDArray[numpy.float32] | numpy.typing.NDArray[numpy.float64]"),
          "Warped displacements [m] (B, n, 3) of q (B, k), float32 or float64.")
      .def(
          "forces",
          [](const Warped& w, nb::handle q, nb::handle force, nb::handle vertices) {
            const Array given = coordinates(*w, q), on_vertices = import_array(force, "forces");
            require(on_vertices, "forces", given.dtype, {-1, -1, 3});
            const std::vector<std::int32_t> some = chosen_vertices(vertices);
            return given.dtype == DType::float32 ? forces<float>(*w, given, on_vertices, some)
                                                 : forces<double>(*w, given, on_vertices, some);
          },
          nb::arg("q"), nb::arg("forces"), nb::arg("vertices") = nb::none(),
          nb::sig("def forces(self, q: quartic._typing.ArrayLike, forces: quartic._typing.ArrayLike, vertices: "
                  "quartic._typing.Indices | None = None) -> numpy.typing.NDArray[numpy.float32] | "
                  "numpy.typing.NDArray[numpy.float64]"),
          "Forces on the modes (B, k) of forces [N] (B, vertices, 3) on the shape that is shown: J^T f.")
      .def(
          "jacobian",
          [](const Warped& w, nb::handle q, nb::handle vertices) {
            const std::vector<double> state = doubles(q, "q", {w->rank()});
            const std::vector<std::int32_t> some = chosen_vertices(vertices);
            return fields_array(without_gil([&] { return w->jacobian(state, some); }));
          },
          nb::arg("q"), nb::arg("vertices") = nb::none(),
          nb::sig("def jacobian(self, q: quartic._typing.ArrayLike, vertices: quartic._typing.Indices | None = None) "
                  "-> numpy.typing.NDArray[numpy.float64]"),
          "Derivative of the displacements by each coordinate, (k, vertices, 3), at q (k).")
      .def(
          "largest_rotations",
          [](const Warped& w, nb::handle q) {
            const Array given = coordinates(*w, q);
            std::vector<double> angles = without_gil([&] {
              return given.dtype == DType::float32 ? w->largest_rotations(state_view<const float>(given))
                                                   : w->largest_rotations(state_view<const double>(given));
            });
            const std::int64_t bodies = std::ssize(angles);
            return to_numpy(owning_array(std::move(angles), {bodies}));
          },
          nb::arg("q"),
          nb::sig("def largest_rotations(self, q: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]"),
          "The largest angle of a vertex [rad], of each body.");
}

void bind_rotation_strain_warp(nb::module_& module) {
  nb::class_<StrainWarp>(module, "RotationStrainWarp", "Rotation-strain warping of displacements, by one solve each.")
      .def(
          "__init__",
          [](StrainWarp* self, const Mesh& mesh, nb::handle fixed_vertices) {
            std::vector<std::int32_t> fixed;
            if (!fixed_vertices.is_none()) fixed = indices(fixed_vertices, "fixed_vertices");
            new (self) StrainWarp{without_gil([&] { return std::make_unique<RotationStrainWarp>(*mesh, fixed); }), {}};
          },
          nb::arg("mesh"), nb::arg("fixed_vertices") = nb::none(),
          nb::sig("def __init__(self, mesh: VolumeMesh, fixed_vertices: quartic._typing.Indices | None = None) -> "
                  "None"))
      .def_prop_ro("vertex_count", [](const StrainWarp& w) { return w.warp->vertex_count(); })
      .def_prop_ro(
          "laplacian", [](const StrainWarp& w) { return share(SparseMatrix(w.warp->laplacian())); },
          nb::sig("def laplacian(self) -> SparseMatrix"), "Of all vertices, (n, n).")
      .def(
          "warp",
          [](StrainWarp& w, nb::handle displacements) {
            const Matrix own = fields(displacements, "displacements", 3 * w.warp->vertex_count());
            return fields_array(without_gil([&] {
              const std::lock_guard lock(w.mutex);
              return w.warp->warp(own.map());
            }));
          },
          nb::arg("displacements"),
          nb::sig("def warp(self, displacements: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]"),
          "Warped displacements of linear ones, (m, n, 3).");
}

}  // namespace

void bind_warping(nb::module_& module) {
  module.def(
      "modal_rotation",
      [](const Mesh& mesh, nb::handle modes) {
        const Matrix own = fields(modes, "fields", 3 * mesh->vertex_count());
        return fields_array(without_gil([&] { return modal_rotation(*mesh, own.map()); }));
      },
      nb::arg("mesh"), nb::arg("fields"),
      nb::sig("def modal_rotation(mesh: VolumeMesh, fields: quartic._typing.ArrayLike) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "Half the curl of fields (k, n, 3) at the vertices.");
  bind_modal_warp(module);
  bind_rotation_strain_warp(module);
}

}  // namespace quartic::python
