// Shapes, and where they are in the world.
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "python/contact/contact.hpp"
#include "quartic/error.hpp"
#include "quartic/pose_track.hpp"
#include "quartic/surface.hpp"
#include "quartic/world.hpp"

namespace quartic::python {
namespace {

using Vector = std::array<double, 3>;
using Surface = Shared<TriangleMesh>;
using Grid = Shared<DistanceGrid>;

template <class Geometry>
bool took(nb::handle object, std::optional<Shape>& shape) {
  if (!nb::isinstance<Geometry>(object)) return false;
  shape.emplace(nb::cast<const Geometry&>(object));
  return true;
}

// A Shape, or what one is made of.
Shape shape_from(nb::handle object) {
  if (nb::isinstance<Shape>(object)) return nb::cast<const Shape&>(object);
  std::optional<Shape> shape;
  if (took<PlaneShape>(object, shape) || took<SphereShape>(object, shape) || took<CapsuleShape>(object, shape) ||
      took<BoxShape>(object, shape))
    return *shape;
  if (nb::isinstance<Grid>(object)) return Shape(*nb::cast<const Grid&>(object));
  if (nb::isinstance<Surface>(object)) {
    const Surface& surface = nb::cast<const Surface&>(object);
    return without_gil([&] { return Shape(MeshShape{surface->vertices, surface->triangles}); });
  }
  throw InputError(
      "a shape is made of a PlaneShape, SphereShape, CapsuleShape, BoxShape, DistanceGrid or TriangleMesh, not of a " +
      nb::cast<std::string>(object.type().attr("__name__")));
}

Grid grid_from(const Vector& origin, double spacing, nb::handle values) {
  Array array = import_array(values, "values");
  require(array, "values", DType::float64, {-1, -1, -1});
  if (!array.is_contiguous()) array = copy_of(array);
  DistanceGrid grid{.origin = origin, .spacing = spacing};
  for (std::size_t k = 0; k < 3; ++k) {
    if (!std::in_range<std::int32_t>(array.shape[2 - k])) throw InputError("values has too many points along an axis");
    grid.counts[k] = static_cast<std::int32_t>(array.shape[2 - k]);
  }
  const auto* data = data_of<const double>(array);
  grid.values.assign(data, data + array.size());
  (void)Shape(grid);  // that it makes a solid
  return share(std::move(grid));
}

nb::tuple distances(const Shape& shape, nb::handle points) {
  const std::vector<double> x = doubles(points, "points", {-1, 3});
  const auto count = static_cast<std::int64_t>(x.size() / 3);
  std::vector<double> gaps(x.size() / 3), normals(x.size());
  without_gil([&] {
    for (std::size_t n = 0; n < gaps.size(); ++n) {
      const SurfaceDistance found = shape.distance({x[3 * n], x[3 * n + 1], x[3 * n + 2]});
      gaps[n] = found.gap;
      std::copy(found.normal.begin(), found.normal.end(), normals.begin() + static_cast<std::ptrdiff_t>(3 * n));
    }
  });
  return nb::make_tuple(to_numpy(owning_array(std::move(gaps), {count})),
                        to_numpy(owning_array(std::move(normals), {count, 3})));
}

void bind_geometries(nb::module_& module) {
  nb::class_<PlaneShape>(module, "PlaneShape", "What lies below normal . x = offset [m] is solid.")
      .def(
          "__init__",
          [](PlaneShape* self, const Vector& normal, double offset) {
            new (self) PlaneShape{normal, offset};
          },
          nb::arg("normal") = Vector{0, 0, 1}, nb::arg("offset") = 0.0,
          nb::sig(
              "def __init__(self, normal: collections.abc.Sequence[float] = (0, 0, 1), offset: float = 0.0) -> None"))
      .def_ro("normal", &PlaneShape::normal)
      .def_ro("offset", &PlaneShape::offset);
  nb::class_<SphereShape>(module, "SphereShape", "About the origin; radius [m].")
      .def(
          "__init__", [](SphereShape* self, double radius) { new (self) SphereShape{radius}; }, nb::arg("radius"))
      .def_ro("radius", &SphereShape::radius);
  nb::class_<CapsuleShape>(module, "CapsuleShape", "A cylinder along z with half spheres at its ends [m].")
      .def(
          "__init__",
          [](CapsuleShape* self, double radius, double half_length) {
            new (self) CapsuleShape{radius, half_length};
          },
          nb::arg("radius"), nb::arg("half_length"))
      .def_ro("radius", &CapsuleShape::radius)
      .def_ro("half_length", &CapsuleShape::half_length);
  nb::class_<BoxShape>(module, "BoxShape", "About the origin, its sides along the axes; half sizes [m].")
      .def(
          "__init__", [](BoxShape* self, const Vector& half_size) { new (self) BoxShape{half_size}; },
          nb::arg("half_size"), nb::sig("def __init__(self, half_size: collections.abc.Sequence[float]) -> None"))
      .def_ro("half_size", &BoxShape::half_size);
  nb::class_<Grid>(module, "DistanceGrid", "Signed distances at the points of a lattice, linear between them.")
      .def(
          "__init__",
          [](Grid* self, const Vector& origin, double spacing, nb::handle values) {
            new (self) Grid(grid_from(origin, spacing, values));
          },
          nb::arg("origin"), nb::arg("spacing"), nb::arg("values"),
          nb::sig("def __init__(self, origin: collections.abc.Sequence[float], spacing: float, values: "
                  "quartic._typing.ArrayLike) -> None"),
          "First point [m], spacing [m], distances [m], (nz, ny, nx) float64, >= 0 on the faces.")
      .def_prop_ro("origin", [](const Grid& g) { return g->origin; })
      .def_prop_ro("spacing", [](const Grid& g) { return g->spacing; })
      .def_prop_ro(
          "values",
          [](const Grid& g) {
            return numpy_view(g, g->values, {g->counts[2], g->counts[1], g->counts[0]});
          },
          nb::sig("def values(self) -> numpy.typing.NDArray[numpy.float64]"));
}

void bind_shape(nb::module_& module) {
  nb::class_<Shape>(module, "Shape", "A solid in its own frame, made once and shared by colliders.")
      .def(
          "__init__", [](Shape* self, nb::handle geometry) { new (self) Shape(shape_from(geometry)); },
          nb::arg("geometry"),
          nb::sig("def __init__(self, geometry: PlaneShape | SphereShape | CapsuleShape | BoxShape | DistanceGrid | "
                  "TriangleMesh | Shape) -> None"),
          "A mesh must be closed, its triangles counter-clockwise from outside.")
      .def("distance", &distances, nb::arg("points"),
           nb::sig("def distance(self, points: quartic._typing.ArrayLike) -> "
                   "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
           "Gaps [m], (n,), below 0 inside, and normals, (n, 3), at points (n, 3) of the shape's frame.")
      .def_prop_ro("slope", &Shape::slope, "The gaps of two points differ by at most so many times their distance.");
  module.def(
      "distance_grid",
      [](nb::handle shape, const Vector& low, const Vector& high, double spacing) {
        const Shape solid = shape_from(shape);
        return without_gil([&] { return share(distance_grid(solid, low, high, spacing)); });
      },
      nb::arg("shape"), nb::arg("low"), nb::arg("high"), nb::arg("spacing"),
      nb::sig(
          "def distance_grid(shape: Shape | PlaneShape | SphereShape | CapsuleShape | BoxShape | TriangleMesh, low: "
          "collections.abc.Sequence[float], high: collections.abc.Sequence[float], spacing: float) -> DistanceGrid"),
      "The distances of a shape on a lattice around the box from low to high [m].");
}

PoseTrack track_from(nb::handle times, nb::handle poses) {
  PoseTrack track{doubles(times, "times", {-1}), {}};
  const std::vector<double> numbers = doubles(poses, "poses", {static_cast<std::int64_t>(track.times.size()), 7});
  track.poses.resize(track.times.size());
  for (std::size_t n = 0; n < numbers.size(); ++n) track.poses[n / 7][n % 7] = numbers[n];
  return track;
}

void bind_tracks(nb::module_& module) {
  nb::class_<PoseTrack>(module, "PoseTrack", "Poses at times, for colliders that an animation moves.")
      .def(
          "__init__",
          [](PoseTrack* self, nb::handle times, nb::handle poses) { new (self) PoseTrack(track_from(times, poses)); },
          nb::arg("times"), nb::arg("poses"),
          nb::sig("def __init__(self, times: quartic._typing.ArrayLike, poses: quartic._typing.ArrayLike) -> None"),
          "times [s], ascending, (n,), and poses, (n, 7): position [m], quaternion x y z w.")
      .def_prop_ro(
          "times",
          [](const PoseTrack& t) { return to_numpy(owning_array(std::vector(t.times), {std::ssize(t.times)})); },
          nb::sig("def times(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def_prop_ro(
          "poses",
          [](const PoseTrack& t) {
            std::vector<double> numbers;
            for (const auto& pose : t.poses) numbers.insert(numbers.end(), pose.begin(), pose.end());
            return to_numpy(owning_array(std::move(numbers), {std::ssize(t.poses), 7}));
          },
          nb::sig("def poses(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def("at", &pose_at, nb::arg("time"), "The pose at a time [s]: even between two, else the first or the last.");
  module.def(
      "read_pose_track",
      [](const std::filesystem::path& path, const std::string& node) {
        return without_gil([&] { return read_pose_track(path, node); });
      },
      nb::arg("path"), nb::kw_only(), nb::arg("node") = "",
      "Text lines time,x,y,z or time,x,y,z,qx,qy,qz,qw, or the way of a node in a glTF file: the only one that moves "
      "if it isn't named.");
}

}  // namespace

std::vector<Collider> colliders_from(nb::handle object) {
  std::vector<Collider> colliders;
  for (const nb::handle item : object) {
    if (!nb::isinstance<Collider>(item))
      throw InputError("colliders has a " + nb::cast<std::string>(item.type().attr("__name__")) +
                       " among them; make a Collider(shape) of it");
    colliders.push_back(nb::cast<const Collider&>(item));
  }
  return colliders;
}

void bind_colliders(nb::module_& module) {
  bind_geometries(module);
  bind_shape(module);
  const Collider unit{Shape(SphereShape{})};
  nb::class_<Collider>(module, "Collider", "A shape in the world. Doesn't change once it is made.")
      .def(
          "__init__",
          [](Collider* self, nb::handle shape, const std::array<double, 7>& pose, const std::array<double, 6>& twist) {
            new (self) Collider{shape_from(shape), pose, twist};
          },
          nb::arg("shape"), nb::kw_only(), nb::arg("pose") = unit.pose, nb::arg("twist") = unit.twist,
          nb::sig(
              "def __init__(self, shape: Shape | PlaneShape | SphereShape | CapsuleShape | BoxShape | DistanceGrid | "
              "TriangleMesh, *, pose: collections.abc.Sequence[float] = (0, 0, 0, 0, 0, 0, 1), twist: "
              "collections.abc.Sequence[float] = (0, 0, 0, 0, 0, 0)) -> None"),
          "pose: position [m] and quaternion x y z w of the shape's frame; twist: its velocity [m/s] and angular "
          "velocity [rad/s], world axes.")
      .def_ro("shape", &Collider::shape)
      .def_ro("pose", &Collider::pose)
      .def_ro("twist", &Collider::twist);
  module.def("moved", &moved, nb::arg("collider"), nb::arg("time"), "To where its twist takes it after a time [s].");
  module.def("moving_to", &moving_to, nb::arg("collider"), nb::arg("pose"), nb::arg("time"),
             nb::sig("def moving_to(collider: Collider, pose: collections.abc.Sequence[float], time: float) -> "
                     "Collider"),
             "With the twist by which it is at a pose after a time [s], the short way round.");
  bind_tracks(module);
}

}  // namespace quartic::python
