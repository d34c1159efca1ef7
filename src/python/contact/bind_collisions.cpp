// Bodies that collide with each other.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/contact/contact.hpp"
#include "python/contact/world.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/collision.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"

namespace quartic::python {
namespace {

using Surfaces = std::vector<std::shared_ptr<const CollisionSurface>>;

/// Python's `quartic.CollisionSurface`.
struct PythonSurface {
  std::shared_ptr<const CollisionSurface> surface;
};

/// Python's `quartic.BodyContacts`: as they were read out.
struct PythonBodyContacts {
  std::shared_ptr<const std::vector<BodyContact>> contacts;
};

static_assert(sizeof(BodyContact) % sizeof(double) == 0);

// One of the members of all contacts: a view with strides, which keeps them.
template <class T>
nb::object body_column(const PythonBodyContacts& c, const T* first, std::int64_t width) {
  const auto stride = static_cast<std::int64_t>(sizeof(BodyContact) / sizeof(T));
  Array array{c.contacts, const_cast<T*>(first), dtype_of<T>(), {std::ssize(*c.contacts)}, {stride}};
  if (width > 1) {
    array.shape.push_back(width);
    array.strides.push_back(1);
  }
  return to_numpy(std::move(array));
}

const BodyContact* first_contact(const PythonBodyContacts& c) {
  static const BodyContact none;
  return c.contacts->empty() ? &none : c.contacts->data();
}

template <auto Member>
nb::object numbers(const PythonBodyContacts& c) {
  return body_column(c, &(first_contact(c)->*Member), 1);
}
template <auto Member>
nb::object vectors(const PythonBodyContacts& c) {
  return body_column(c, (first_contact(c)->*Member).data(), 3);
}

void bind_body_contacts(nb::module_& module) {
  nb::class_<PythonBodyContacts>(module, "BodyContacts", "Points of bodies in or near other bodies: arrays, read-only.")
      .def_prop_ro("body", &numbers<&BodyContact::body>, nb::sig("def body(self) -> numpy.typing.NDArray[numpy.int64]"))
      .def_prop_ro("other", &numbers<&BodyContact::other>,
                   nb::sig("def other(self) -> numpy.typing.NDArray[numpy.int64]"), "In or near which it is.")
      .def_prop_ro("point", &numbers<&BodyContact::point>,
                   nb::sig("def point(self) -> numpy.typing.NDArray[numpy.int32]"), "Of the body's bound tree.")
      .def_prop_ro("corners", &vectors<&BodyContact::corners>,
                   nb::sig("def corners(self) -> numpy.typing.NDArray[numpy.int32]"),
                   "Of the nearest triangle: points of the other's bound tree, (c, 3).")
      .def_prop_ro("weights", &vectors<&BodyContact::weights>,
                   nb::sig("def weights(self) -> numpy.typing.NDArray[numpy.float64]"),
                   "Barycentric coordinates there, (c, 3).")
      .def_prop_ro("position", &vectors<&BodyContact::position>,
                   nb::sig("def position(self) -> numpy.typing.NDArray[numpy.float64]"),
                   "Of the point, in the world [m], (c, 3).")
      .def_prop_ro("normal", &vectors<&BodyContact::normal>,
                   nb::sig("def normal(self) -> numpy.typing.NDArray[numpy.float64]"),
                   "Of the other's surface, (c, 3).")
      .def_prop_ro("gap", &numbers<&BodyContact::gap>, nb::sig("def gap(self) -> numpy.typing.NDArray[numpy.float64]"),
                   "[m], below 0 inside.")
      .def_prop_ro("area", &numbers<&BodyContact::area>,
                   nb::sig("def area(self) -> numpy.typing.NDArray[numpy.float64]"),
                   "Half the point's share of the surface at rest [m^2].")
      .def_prop_ro("force", &vectors<&BodyContact::force>,
                   nb::sig("def force(self) -> numpy.typing.NDArray[numpy.float64]"),
                   "On the body [N], (c, 3); the other has the opposite one.")
      .def("__len__", [](const PythonBodyContacts& c) { return c.contacts->size(); });
}

Surfaces surfaces_from(nb::handle object) {
  if (nb::isinstance<PythonSurface>(object)) return {nb::cast<const PythonSurface&>(object).surface};
  Surfaces surfaces;
  for (const nb::handle item : object) {
    if (item.is_none())
      surfaces.emplace_back();
    else if (nb::isinstance<PythonSurface>(item))
      surfaces.push_back(nb::cast<const PythonSurface&>(item).surface);
    else
      throw InputError("surfaces has a " + nb::cast<std::string>(item.type().attr("__name__")) +
                       " among them; give a CollisionSurface for each group of bodies, or None for those that meet no "
                       "others");
  }
  return surfaces;
}

void bind_collision_report(nb::module_& module) {
  nb::class_<CollisionReport>(module, "CollisionReport", "Of the last substep.")
      .def_ro("islands", &CollisionReport::islands, "Bodies with points near each other, as a whole.")
      .def_ro("bodies", &CollisionReport::bodies, "In islands.")
      .def_ro("largest_island", &CollisionReport::largest_island, "Its bodies.")
      .def_ro("contacts", &CollisionReport::contacts)
      .def_ro("unsettled_islands", &CollisionReport::unsettled_islands,
              "Whose impulses still changed by more than the tolerance.");
}

}  // namespace

void bind_collisions(nb::module_& module) {
  nb::class_<PythonSurface>(module, "CollisionSurface",
                            "The closed surface of a model's bodies, by the points of its bound tree.")
      .def(
          "__init__",
          [](PythonSurface* self, const Model& model, const PythonTree& tree) {
            auto surface =
                without_gil([&] { return std::make_shared<CollisionSurface>(*model, tree.object->tree().value); });
            new (self) PythonSurface{std::move(surface)};
          },
          nb::arg("model"), nb::arg("tree"))
      .def_prop_ro(
          "triangles",
          [](const PythonSurface& s) {
            const auto found = s.surface->triangles();
            const std::int64_t count = std::ssize(found) / 3;
            return to_numpy(owning_array(std::vector<std::int32_t>(found.begin(), found.end()), {count, 3}));
          },
          nb::sig("def triangles(self) -> numpy.typing.NDArray[numpy.int32]"), "Points of the tree, (t, 3).");
  bind_body_contacts(module);
  bind_collision_report(module);
  module.def(
      "let_collide",
      [](const WorldObject& object, nb::handle surfaces, int sweeps, std::vector<std::int32_t> ids,
         std::vector<std::int32_t> environments) {
        Surfaces given = surfaces_from(surfaces);
        const CollisionOptions options{
            .sweeps = sweeps, .ids = std::move(ids), .environments = std::move(environments)};
        alone(object, [&](auto& world) { let_collide(world, std::move(given), options); });
      },
      nb::arg("world"), nb::arg("surfaces"), nb::kw_only(), nb::arg("sweeps") = CollisionOptions{}.sweeps,
      nb::arg("ids") = std::vector<std::int32_t>{}, nb::arg("environments") = std::vector<std::int32_t>{},
      nb::sig("def let_collide(world: World, surfaces: CollisionSurface | collections.abc.Sequence[CollisionSurface | "
              "None], *, sweeps: int = 50, ids: collections.abc.Sequence[int] = [], environments: "
              "collections.abc.Sequence[int] = []) -> None"),
      "From now on the world's bodies meet each other. surfaces: of the batch's groups, of the world's trees; ids: of "
      "the bodies, all different; environments: bodies of different ones never meet.");
  module.def(
      "body_contacts",
      [](const WorldObject& object) {
        return PythonBodyContacts{alone(object, [](auto& world) {
          const auto found = body_contacts(world);
          return std::make_shared<const std::vector<BodyContact>>(found.begin(), found.end());
        })};
      },
      nb::arg("world"), "Between bodies at the end of the last substep.");
  module.def(
      "collision_report",
      [](const WorldObject& object) { return alone(object, [](auto& world) { return collision_report(world); }); },
      nb::arg("world"));
  module.def(
      "save_world",
      [](const WorldObject& object, const std::filesystem::path& path) {
        alone(object, [&](auto& world) { save_checkpoint(world, path); });
      },
      nb::arg("world"), nb::arg("path"), "As Batch.save_checkpoint, with the forces that contacts begin with.");
  module.def(
      "load_world",
      [](const WorldObject& object, const std::filesystem::path& path) {
        return alone(object, [&](auto& world) { return load_checkpoint(world, path); });
      },
      nb::arg("world"), nb::arg("path"), "As Batch.load_checkpoint, to go on bit by bit.");
}

}  // namespace quartic::python
