// Contacts, and the stages by which they are found.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "python/contact/contact.hpp"
#include "quartic/error.hpp"
#include "quartic/frame_moments.hpp"

namespace quartic::python {
namespace {

using Contacts = PythonContacts;

static_assert(sizeof(Contact) % sizeof(double) == 0);

// One of the members of all contacts: a view with strides, which keeps them.
template <class T>
nb::object column(const Contacts& c, const T* first, std::int64_t width) {
  const auto stride = static_cast<std::int64_t>(sizeof(Contact) / sizeof(T));
  Array array{c.contacts, const_cast<T*>(first), dtype_of<T>(), {std::ssize(*c.contacts)}, {stride}};
  if (width > 1) {
    array.shape.push_back(width);
    array.strides.push_back(1);
  }
  return to_numpy(std::move(array));
}

// The first contact, or one that stands for none.
const Contact* first_of(const Contacts& c) {
  static const Contact none;
  return c.contacts->empty() ? &none : c.contacts->data();
}

template <auto Member>
nb::object numbers(const Contacts& c) {
  return column(c, &(first_of(c)->*Member), 1);
}
template <auto Member>
nb::object vectors(const Contacts& c) {
  return column(c, (first_of(c)->*Member).data(), 3);
}

void bind_found(nb::module_& module) {
  nb::class_<Contacts>(module, "Contacts",
                       "Points of bodies in or near shapes, in order of body, shape and point: arrays, read-only.")
      .def_prop_ro("body", &numbers<&Contact::body>, nb::sig("def body(self) -> numpy.typing.NDArray[numpy.int64]"))
      .def_prop_ro("shape", &numbers<&Contact::shape>, nb::sig("def shape(self) -> numpy.typing.NDArray[numpy.int32]"),
                   "Of the colliders.")
      .def_prop_ro("point", &numbers<&Contact::point>, nb::sig("def point(self) -> numpy.typing.NDArray[numpy.int32]"),
                   "Of the bound tree.")
      .def_prop_ro("position", &vectors<&Contact::position>,
                   nb::sig("def position(self) -> numpy.typing.NDArray[numpy.float64]"), "In the world [m], (c, 3).")
      .def_prop_ro("normal", &vectors<&Contact::normal>,
                   nb::sig("def normal(self) -> numpy.typing.NDArray[numpy.float64]"), "Of the shape, (c, 3).")
      .def_prop_ro("gap", &numbers<&Contact::gap>, nb::sig("def gap(self) -> numpy.typing.NDArray[numpy.float64]"),
                   "[m], below 0 inside.")
      .def_prop_ro("area", &numbers<&Contact::area>, nb::sig("def area(self) -> numpy.typing.NDArray[numpy.float64]"),
                   "The point's share of the surface at rest [m^2].")
      .def_prop_ro("force", &vectors<&Contact::force>,
                   nb::sig("def force(self) -> numpy.typing.NDArray[numpy.float64]"),
                   "On the body [N], (c, 3); zero of contacts that were found without a step.")
      .def("__len__", [](const Contacts& c) { return c.contacts->size(); });
}

// Arguments that all stages have.
struct Scene {
  Array q, pose;
  std::array<double, 3> origin = {};
  std::vector<Collider> colliders;
  std::vector<double> margins;

  [[nodiscard]] bool floats() const { return q.dtype == DType::float32; }
  [[nodiscard]] std::int64_t bodies() const { return q.shape[0]; }
  template <class T>
  [[nodiscard]] BodyPlaces<T> places() const {
    BodyPlaces<T> places{.q = state_view<const T>(q), .origin = origin};
    if (pose.data != nullptr) places.pose = state_view<const T>(pose);
    return places;
  }
};

std::vector<double> margins_from(nb::handle object, std::int64_t bodies) {
  if (object.is_none()) return {};
  double all = 0;
  if (nb::try_cast(object, all)) return std::vector<double>(static_cast<std::size_t>(bodies), all);
  return doubles(object, "margin", {bodies});
}

Scene scene_from(const PythonTree& tree, nb::handle q, nb::handle colliders, nb::handle pose, nb::handle frame,
                 nb::handle margin) {
  Scene scene{.q = import_array(q, "q"), .pose = {}, .colliders = colliders_from(colliders), .margins = {}};
  const DType type = scene.floats() ? DType::float32 : DType::float64;
  require(scene.q, "q", type, {-1, tree->rank});
  if (pose.is_none() != frame.is_none())
    throw InputError("poses are those of a frame: give both pose= and frame=, or none for bodies that are held");
  if (!pose.is_none()) {
    scene.pose = import_array(pose, "pose");
    require(scene.pose, "pose", type, {scene.bodies(), 7});
    if (!nb::isinstance<Shared<FrameMoments>>(frame))
      throw InputError("frame= is what the group of bodies was given, free_frame(model)");
    scene.origin = nb::cast<const Shared<FrameMoments>&>(frame)->origin;
  }
  scene.margins = margins_from(margin, scene.bodies());
  return scene;
}

// Calls f with a number of q's type, without the GIL.
template <class F>
auto dispatch(const Scene& scene, F f) {
  return without_gil([&] { return scene.floats() ? f(float{}) : f(double{}); });
}

nb::object leaves_of(const PythonTree& tree, nb::handle spheres, nb::handle q, nb::handle colliders, nb::handle pose,
                     nb::handle frame, nb::handle margin) {
  const Scene scene = scene_from(tree, q, colliders, pose, frame, margin);
  Array given = import_array(spheres, "spheres");
  require(given, "spheres", scene.q.dtype, {scene.bodies(), tree->node_count(), 4});
  if (!given.is_contiguous()) given = copy_of(given);
  std::vector<std::int64_t> rows = dispatch(scene, [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> numbers(data_of<const T>(given), static_cast<std::size_t>(given.size()));
    std::vector<std::int64_t> found;
    for (const LeafPair& pair : touching_leaves<T>(*tree, numbers, scene.places<T>(), scene.colliders, scene.margins))
      found.insert(found.end(), {pair.body, pair.shape, pair.node});
    return found;
  });
  const auto count = static_cast<std::int64_t>(rows.size() / 3);
  return to_numpy(owning_array(std::move(rows), {count, 3}));
}

std::vector<LeafPair> pairs_from(nb::handle leaves) {
  const Array array = import_array(leaves, "leaves");
  require(array, "leaves", DType::int64, {-1, 3});
  std::vector<LeafPair> pairs;
  const auto at = [&](std::int64_t row, std::int64_t column) {
    return data_of<const std::int64_t>(array)[row * array.strides[0] + column * array.strides[1]];
  };
  for (std::int64_t row = 0; row < array.shape[0]; ++row) {
    if (!std::in_range<std::int32_t>(at(row, 1)) || !std::in_range<std::int32_t>(at(row, 2)))
      throw InputError("leaves[" + std::to_string(row) + "] has numbers that are too large");
    pairs.push_back({at(row, 0), static_cast<std::int32_t>(at(row, 1)), static_cast<std::int32_t>(at(row, 2))});
  }
  return pairs;
}

Contacts shared_contacts(std::vector<Contact> contacts) {
  return {std::make_shared<const std::vector<Contact>>(std::move(contacts))};
}

Contacts contacts_of_leaves(const PythonTree& tree, nb::handle leaves, nb::handle q, nb::handle colliders,
                            nb::handle pose, nb::handle frame, nb::handle margin) {
  const Scene scene = scene_from(tree, q, colliders, pose, frame, margin);
  const std::vector<LeafPair> pairs = pairs_from(leaves);
  return dispatch(scene, [&](auto zero) {
    using T = decltype(zero);
    return shared_contacts(leaf_contacts<T>(*tree, pairs, scene.places<T>(), scene.colliders, scene.margins));
  });
}

Contacts all_contacts(const PythonTree& tree, nb::handle q, nb::handle colliders, nb::handle pose, nb::handle frame,
                      nb::handle margin) {
  const Scene scene = scene_from(tree, q, colliders, pose, frame, margin);
  return dispatch(scene, [&](auto zero) {
    using T = decltype(zero);
    return shared_contacts(
        find_contacts<T>(*tree, tree.object->fit<T>(), scene.places<T>(), scene.colliders, scene.margins));
  });
}

}  // namespace

void bind_detection(nb::module_& module) {
  bind_found(module);
#define QUARTIC_PLACES                                                                                               \
  "q: quartic._typing.ArrayLike, colliders: collections.abc.Sequence[Collider], *, pose: quartic._typing.ArrayLike " \
  "| None = None, frame: FrameMoments | None = None, margin: float | quartic._typing.ArrayLike | None = None) -> "
  module.def("touching_leaves", &leaves_of, nb::arg("tree"), nb::arg("spheres"), nb::arg("q"), nb::arg("colliders"),
             nb::kw_only(), nb::arg("pose") = nb::none(), nb::arg("frame") = nb::none(), nb::arg("margin") = nb::none(),
             nb::sig("def touching_leaves(tree: BoundTree, spheres: quartic._typing.ArrayLike, " QUARTIC_PLACES
                     "numpy.typing.NDArray[numpy.int64]"),
             "Body, shape and node of leaves whose spheres, of tree.spheres(q), come as near to a shape as the margin "
             "[m], (k, 3).");
  module.def(
      "leaf_contacts", &contacts_of_leaves, nb::arg("tree"), nb::arg("leaves"), nb::arg("q"), nb::arg("colliders"),
      nb::kw_only(), nb::arg("pose") = nb::none(), nb::arg("frame") = nb::none(), nb::arg("margin") = nb::none(),
      nb::sig("def leaf_contacts(tree: BoundTree, leaves: quartic._typing.ArrayLike, " QUARTIC_PLACES "Contacts"),
      "Points of these leaves with a gap below the margin [m].");
  module.def("find_contacts", &all_contacts, nb::arg("tree"), nb::arg("q"), nb::arg("colliders"), nb::kw_only(),
             nb::arg("pose") = nb::none(), nb::arg("frame") = nb::none(), nb::arg("margin") = nb::none(),
             nb::sig("def find_contacts(tree: BoundTree, " QUARTIC_PLACES "Contacts"),
             "All stages. q (B, r) and pose (B, 7) as a Batch has them, float32 or float64; frame: of the bodies that "
             "have poses; margin [m]: of all bodies or of each, (B).");
#undef QUARTIC_PLACES
}

}  // namespace quartic::python
