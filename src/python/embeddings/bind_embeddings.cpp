// The class `quartic.Embedding`.
#include <nanobind/stl/optional.h>

#include <array>
#include <optional>
#include <utility>

#include "python/bindings.hpp"
#include "python/choices.hpp"
#include "python/embeddings/embedding.hpp"
#include "quartic/embedding.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

using Points = Shared<Embedding>;

Embedding chosen_points(const Model& model, nb::handle vertices, bool surface) {
  if (model->rank() == 0) throw InputError("the model has no basis, so that nothing moves with q");
  if (surface && !vertices.is_none()) throw InputError("an embedding takes vertices= or surface=True, not both");
  if (surface) return without_gil([&] { return surface_embedding(*model); });
  std::optional<std::vector<std::int32_t>> chosen;
  if (!vertices.is_none()) chosen = indices(vertices, "vertices");
  return vertex_embedding(*model, chosen ? &*chosen : nullptr);
}

void construct(Points* self, const Model& model, nb::handle vertices, bool surface, const std::string& device) {
  const DeviceChoice choice = device_of("device", device);
  Embedding points = chosen_points(model, vertices, surface);
  if (choice.backend == Backend::cuda)
    points.on_device = without_gil([&] {
      return std::make_shared<const DeviceEmbedding>(
          points.basis, points.rest, points.frame ? points.frame->origin : std::array<double, 3>{}, choice.device);
    });
  new (self) Points(share(std::move(points)));
}

// Where a call's arrays are and its work is done: in the given stream, or that of q.
Place place_of(const Points& points, nb::handle q, nb::handle stream) {
  if (points->on_device == nullptr) {
    if (!stream.is_none()) throw InputError("stream= is for embeddings on a GPU; this one is on the CPU");
    return {};
  }
  Place place{points->on_device->device(), stream_of(stream)};
  if (!stream.is_none()) return place;
  if (nb::isinstance<Array>(q)) place.stream = nb::cast<const Array&>(q).place.stream;
  if (place.stream == nullptr) require_no_capture_by_torch();
  return place;
}

// (B, r) of float32 or float64.
Array coordinates(nb::handle object, const std::string& name, const Points& points, const Place& place, bool output) {
  Array array = output ? import_output(object, name, place) : import_array(object, name, place);
  require(array, name, array.dtype == DType::float32 ? DType::float32 : DType::float64, {-1, points->basis.cols});
  return array;
}

template <class T>
VertexView<T> vertex_view(const Array& array) {
  return {data_of<T>(array), array.shape[0], array.shape[1], array.strides[0], array.strides[1], array.strides[2]};
}

// What is to be computed, all checked.
struct Wanted {
  Array q;
  bool from_rest = false;
  std::optional<Array> pose = {};
  Array out = {};
};

template <class T>
void displace(const Embedding& points, const Wanted& wanted) {
  const auto out = vertex_view<T>(wanted.out);
  const auto q = state_view<const T>(wanted.q);
  if (wanted.pose)
    return vertex_positions<T>(points.basis.map(), points.rest, *points.frame, q, state_view<const T>(*wanted.pose), {},
                               out);
  vertex_displacements<T>(points.basis.map(), q, {}, out);
  if (!wanted.from_rest) return;
  for (std::int64_t body = 0; body < out.bodies; ++body)
    for (std::int64_t point = 0; point < out.vertices; ++point)
      for (std::int64_t axis = 0; axis < 3; ++axis) {
        T& value = out(body, point, axis);
        value = static_cast<T>(points.rest[static_cast<std::size_t>(3 * point + axis)] + double{value});
      }
}

// Puts the array that results are written to into `wanted`. Returns what Python is given: `out`, or a new array.
nb::object take_output(Wanted& wanted, std::int64_t points, nb::handle out) {
  const std::vector<std::int64_t> shape = {wanted.q.shape[0], points, 3};
  const Place& place = wanted.q.place;
  const DType dtype = place.on_device() ? DType::float32 : wanted.q.dtype;
  if (out.is_none() && place.on_device()) {
    wanted.out = device_array(dtype, shape, place);
    return nb::cast(wanted.out);
  }
  if (out.is_none()) {
    wanted.out = host_array(dtype, shape);
    return nb::cast(wanted.out);
  }
  wanted.out = import_output(out, "out", place);
  require(wanted.out, "out", dtype, shape);
  if (overlap(wanted.out, wanted.q) || (wanted.pose && overlap(wanted.out, *wanted.pose)))
    throw InputError("out overlaps q or pose; pass an array of its own");
  return nb::borrow(out);
}

nb::object vertices_at(const Points& points, Wanted wanted, nb::handle out) {
  nb::object result = take_output(wanted, points->points(), out);
  if (points->on_device != nullptr) {
    points->on_device->vertices(wanted.q, wanted.from_rest, wanted.pose, wanted.out);
    return result;
  }
  without_gil(
      [&] { wanted.q.dtype == DType::float32 ? displace<float>(*points, wanted) : displace<double>(*points, wanted); });
  return result;
}

nb::object displacements(const Points& points, nb::handle q, nb::handle out, nb::handle stream) {
  return vertices_at(points, {.q = coordinates(q, "q", points, place_of(points, q, stream), false)}, out);
}

nb::object positions(const Points& points, nb::handle q, nb::handle out, nb::handle pose, nb::handle stream) {
  const Place place = place_of(points, q, stream);
  Wanted wanted{.q = coordinates(q, "q", points, place, false), .from_rest = true};
  if (!pose.is_none()) {
    if (!points->frame) throw InputError("the model's body is held, so that it has no pose; leave out pose=");
    wanted.pose = import_array(pose, "pose", place);
    require(*wanted.pose, "pose", wanted.q.dtype, {wanted.q.shape[0], pose_size});
  }
  return vertices_at(points, std::move(wanted), out);
}

// Forces in world axes on bodies with poses, all checked.
struct Posed {
  Array forces, reduced, q, pose, wrench;
};

template <class T>
void add_posed(const Embedding& points, const Posed& given) {
  const auto forces = vertex_view<const T>(given.forces);
  std::vector<VertexForce> list;
  for (std::int64_t body = 0; body < forces.bodies; ++body)
    for (std::int64_t point = 0; point < forces.vertices; ++point)
      list.push_back({body,
                      static_cast<std::int32_t>(point),
                      {forces(body, point, 0), forces(body, point, 1), forces(body, point, 2)}});
  add_vertex_forces<T>(points.basis.map(), points.rest, *points.frame, list, state_view<const T>(given.q),
                       state_view<const T>(given.pose), state_view<T>(given.reduced), state_view<T>(given.wrench));
}

void add_posed_forces(const Points& points, nb::handle forces, nb::handle reduced_force, nb::handle q, nb::handle pose,
                      nb::handle wrench) {
  if (points->on_device != nullptr)
    throw InputError("forces by pose are reduced on the CPU alone: make the embedding with device=\"cpu\"");
  if (!points->frame) throw InputError("the model's body is held, so that it has no pose; leave out pose=");
  const Array reduced = coordinates(reduced_force, "reduced_force", points, {}, true);
  const std::int64_t bodies = reduced.shape[0];
  Posed given{import_array(forces, "forces"), reduced, coordinates(q, "q", points, {}, false),
              import_array(pose, "pose"), import_output(wrench, "wrench")};
  require(given.forces, "forces", reduced.dtype, {bodies, points->points(), 3});
  require(given.q, "q", reduced.dtype, {bodies, points->basis.cols});
  require(given.pose, "pose", reduced.dtype, {bodies, pose_size});
  require(given.wrench, "wrench", reduced.dtype, {bodies, twist_size});
  for (const Array* in : {&given.forces, &given.q, &given.pose})
    if (overlap(*in, given.reduced) || overlap(*in, given.wrench) || overlap(given.reduced, given.wrench))
      throw InputError("reduced_force and wrench overlap what they are computed from, or each other; pass copies");
  without_gil(
      [&] { reduced.dtype == DType::float32 ? add_posed<float>(*points, given) : add_posed<double>(*points, given); });
}

void add_vertex_forces_to(const Points& points, nb::handle forces, nb::handle reduced_force, nb::handle q,
                          nb::handle pose, nb::handle wrench, nb::handle stream) {
  const int given_poses = !q.is_none() + !pose.is_none() + !wrench.is_none();
  if (given_poses == 3) return add_posed_forces(points, forces, reduced_force, q, pose, wrench);
  if (given_poses != 0) throw InputError("forces on bodies with poses take q=, pose= and wrench= together");
  const Place place = place_of(points, reduced_force, stream);
  const Array reduced = coordinates(reduced_force, "reduced_force", points, place, true);
  const Array given = import_array(forces, "forces", place);
  const DType dtype = place.on_device() ? DType::float32 : reduced.dtype;
  require(given, "forces", dtype, {reduced.shape[0], points->points(), 3});
  if (overlap(given, reduced)) throw InputError("forces overlap reduced_force; pass a copy of them");
  if (points->on_device != nullptr) return points->on_device->add_vertex_forces(given, reduced);
  without_gil([&] {
    const MatrixRef basis = points->basis.map();
    if (reduced.dtype == DType::float32)
      add_vertex_forces<float>(basis, {}, vertex_view<const float>(given), state_view<float>(reduced));
    else
      add_vertex_forces<double>(basis, {}, vertex_view<const double>(given), state_view<double>(reduced));
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
      .def_prop_ro(
          "device",
          [](const Points& p) {
            return Place{p->on_device == nullptr ? -1 : p->on_device->device(), nullptr}.text();
          },
          "\"cpu\", \"cuda:0\", ...")
      .def("displacements", &displacements, nb::arg("q"), nb::arg("out") = nb::none(), nb::kw_only(),
           nb::arg("stream") = nb::none(),
           nb::sig("def displacements(self, q: quartic._typing.ArrayLike, out: quartic._typing.ArrayLike | None = "
                   "None, *, stream: quartic._typing.Stream | None = None) -> typing.Any"),
           "U q [m], (B, v, 3), for q (B, r) of float32 or float64: in a new quartic.Array, or in `out`, which is "
           "returned. On a GPU in float32, and in the stream of q, or the given one.")
      .def("positions", &positions, nb::arg("q"), nb::arg("out") = nb::none(), nb::kw_only(),
           nb::arg("pose") = nb::none(), nb::arg("stream") = nb::none(),
           nb::sig("def positions(self, q: quartic._typing.ArrayLike, out: quartic._typing.ArrayLike | None = None, *, "
                   "pose: quartic._typing.ArrayLike | None = None, stream: quartic._typing.Stream | None = None) -> "
                   "typing.Any"),
           "Rest positions plus U q [m], (B, v, 3); with the poses of free bodies, (B, 7), where these take them.")
      .def("add_vertex_forces", &add_vertex_forces_to, nb::arg("forces"), nb::arg("reduced_force"), nb::kw_only(),
           nb::arg("q") = nb::none(), nb::arg("pose") = nb::none(), nb::arg("wrench") = nb::none(),
           nb::arg("stream") = nb::none(),
           nb::sig("def add_vertex_forces(self, forces: quartic._typing.ArrayLike, reduced_force: "
                   "quartic._typing.ArrayLike, *, q: quartic._typing.ArrayLike | None = None, pose: "
                   "quartic._typing.ArrayLike | None = None, wrench: quartic._typing.ArrayLike | None = None, stream: "
                   "quartic._typing.Stream | None = None) -> None"),
           "Adds U^T f of forces (B, v, 3) [N] to a reduced force (B, r), such as batch.force. With q, pose and "
           "wrench of bodies that fly, on the CPU: forces in world axes on their points as they lie now, which also "
           "add to the wrench (B, 6).");
}

}  // namespace quartic::python
