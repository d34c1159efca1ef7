// The class `quartic.Embedding`.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

#include "python/bindings.hpp"
#include "python/choices.hpp"
#include "python/embedding.hpp"
#include "quartic/embedding.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

using Points = Shared<Embedding>;

void construct(Points* self, const Model& model, nb::handle vertices, bool surface, const std::string& device) {
  (void)device_of("device", device);
  if (model->rank() == 0) throw InputError("the model has no basis, so that nothing moves with q");
  if (surface && !vertices.is_none()) throw InputError("an embedding takes vertices= or surface=True, not both");
  if (surface) {
    new (self) Points(without_gil([&] { return share(surface_embedding(*model)); }));
    return;
  }
  std::optional<std::vector<std::int32_t>> chosen;
  if (!vertices.is_none()) chosen = indices(vertices, "vertices");
  new (self) Points(share(vertex_embedding(*model, chosen ? &*chosen : nullptr)));
}

// (B, r) of float32 or float64.
Array coordinates(nb::handle object, const std::string& name, const Points& points, bool output) {
  Array array = output ? import_output(object, name) : import_array(object, name);
  require(array, name, array.dtype == DType::float32 ? DType::float32 : DType::float64, {-1, points->basis.cols});
  return array;
}

// Computes into memory of its own, then copies to `out`, whatever its strides; nothing is written if that fails.
template <class T>
void displace(const Embedding& points, const Array& q, bool from_rest, const Array& out) {
  const std::int64_t bodies = q.shape[0], coordinates = 3 * points.points();
  std::vector<T> values(static_cast<std::size_t>(bodies * coordinates));
  vertex_displacements<T>(points.basis.map(), state_view<const T>(q), {}, values);
  const T* from = values.data();
  for (std::int64_t body = 0; body < bodies; ++body)
    for (std::int64_t i = 0; i < coordinates; ++i, ++from) {
      const double rest = from_rest ? points.rest[static_cast<std::size_t>(i)] : 0;
      data_of<T>(out)[body * out.strides[0] + i / 3 * out.strides[1] + i % 3 * out.strides[2]] =
          from_rest ? static_cast<T>(rest + double{*from}) : *from;
    }
}

nb::object vertices_at(const Points& points, nb::handle q, nb::object out, bool from_rest) {
  const Array given = coordinates(q, "q", points, false);
  const std::vector<std::int64_t> shape = {given.shape[0], points->points(), 3};
  const bool single = given.dtype == DType::float32;
  Array result;
  if (out.is_none()) {
    const auto size = static_cast<std::size_t>(shape[0] * shape[1] * shape[2]);
    result = single ? owning_array(std::vector<float>(size), shape) : owning_array(std::vector<double>(size), shape);
    out = nb::cast(result);
  } else {
    result = import_output(out, "out");
    require(result, "out", given.dtype, shape);
    if (overlap(result, given)) throw InputError("out overlaps q; pass an array of its own");
  }
  without_gil([&] {
    single ? displace<float>(*points, given, from_rest, result) : displace<double>(*points, given, from_rest, result);
  });
  return out;
}

template <class T>
void add_forces(const Embedding& points, const Array& forces, const Array& reduced) {
  std::vector<VertexForce> list;
  for (std::int64_t body = 0; body < forces.shape[0]; ++body)
    for (std::int64_t point = 0; point < forces.shape[1]; ++point) {
      const T* force = data_of<const T>(forces) + body * forces.strides[0] + point * forces.strides[1];
      const std::int64_t step = forces.strides[2];
      list.push_back({body, static_cast<std::int32_t>(point), {force[0], force[step], force[2 * step]}});
    }
  add_vertex_forces<T>(points.basis.map(), list, state_view<T>(reduced));
}

void add_vertex_forces_to(const Points& points, nb::handle forces, nb::handle reduced_force) {
  const Array reduced = coordinates(reduced_force, "reduced_force", points, true);
  const Array given = import_array(forces, "forces");
  require(given, "forces", reduced.dtype, {reduced.shape[0], points->points(), 3});
  if (overlap(given, reduced)) throw InputError("forces overlap reduced_force; pass a copy of them");
  without_gil([&] {
    reduced.dtype == DType::float32 ? add_forces<float>(*points, given, reduced)
                                    : add_forces<double>(*points, given, reduced);
  });
}

}  // namespace

void bind_embeddings(nb::module_& module) {
  nb::class_<Points>(module, "Embedding", "Vertices of a model that are moved by q, and take forces.")
      .def("__init__", &construct, nb::arg("model"), nb::arg("vertices") = nb::none(), nb::kw_only(),
           nb::arg("surface") = false, nb::arg("device") = "cpu",
           nb::sig("def __init__(self, model: ReducedModel, vertices: quartic._typing.Indices | None = None, *, "
                   "surface: bool = False, "
                   "device: str = 'cpu') -> None"),
           "All vertices of the mesh, or some, or surface=True: those of the surface that the model draws.")
      .def_prop_ro("vertex_count", [](const Points& p) { return p->points(); })
      .def_prop_ro(
          "rest_positions",
          [](const Points& p) {
            return numpy_view(p, p->rest, {p->points(), 3});
          },
          nb::sig("def rest_positions(self) -> numpy.typing.NDArray[numpy.float64]"), "[m], (v, 3).")
      .def_prop_ro(
          "triangles",
          [](const Points& p) {
            return numpy_view(p, p->triangles, {std::ssize(p->triangles) / 3, 3});
          },
          nb::sig("def triangles(self) -> numpy.typing.NDArray[numpy.int32]"), "Of a surface, (t, 3); else none.")
      .def(
          "displacements",
          [](const Points& p, nb::handle q, nb::object out) { return vertices_at(p, q, std::move(out), false); },
          nb::arg("q"), nb::arg("out") = nb::none(),
          nb::sig("def displacements(self, q: quartic._typing.ArrayLike, out: quartic._typing.ArrayLike | None = None) "
                  "-> typing.Any"),
          "U q [m], (B, v, 3), for q (B, r) of float32 or float64: in a new quartic.Array, or in `out`, which is "
          "returned.")
      .def(
          "positions",
          [](const Points& p, nb::handle q, nb::object out) { return vertices_at(p, q, std::move(out), true); },
          nb::arg("q"), nb::arg("out") = nb::none(),
          nb::sig("def positions(self, q: quartic._typing.ArrayLike, out: quartic._typing.ArrayLike | None = None) -> "
                  "typing.Any"),
          "Rest positions plus U q [m], (B, v, 3); of free bodies in their own frames.")
      .def("add_vertex_forces", &add_vertex_forces_to, nb::arg("forces"), nb::arg("reduced_force"),
           nb::sig("def add_vertex_forces(self, forces: quartic._typing.ArrayLike, reduced_force: "
                   "quartic._typing.ArrayLike) -> None"),
           "Adds U^T f of forces (B, v, 3) [N] to a reduced force (B, r), such as batch.force.");
}

}  // namespace quartic::python
