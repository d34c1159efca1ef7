// Contact points and their tree of bounding spheres.
#include <nanobind/stl/optional.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "python/contact/contact.hpp"
#include "quartic/model.hpp"

namespace quartic::python {
namespace {

static_assert(sizeof(BoundNode) == 4 * sizeof(std::int32_t));

// Nodes as rows of four numbers.
nb::object nodes_of(const PythonTree& tree) {
  Array array{tree.object, const_cast<BoundNode*>(tree->nodes.data()), DType::int32, {tree->node_count(), 4}, {4, 1}};
  return to_numpy(std::move(array));
}

template <class V>
nb::object view(const PythonTree& tree, const std::vector<V>& values, std::vector<std::int64_t> shape) {
  return to_numpy(constant_array(values, std::move(shape), tree.object));
}

template <class T>
Array refit(const PythonTree& tree, const Array& q) {
  const std::int64_t bodies = q.shape[0], nodes = tree->node_count();
  return without_gil([&] {
    std::vector<T> spheres(static_cast<std::size_t>(bodies * nodes * 4));
    tree.object->fit<T>().refit(state_view<const T>(q), spheres);
    return owning_array(std::move(spheres), {bodies, nodes, 4});
  });
}

nb::object spheres_of(const PythonTree& tree, nb::handle q) {
  const Array given = import_array(q, "q");
  const bool floats = given.dtype == DType::float32;
  require(given, "q", floats ? DType::float32 : DType::float64, {-1, tree->rank});
  return to_numpy(floats ? refit<float>(tree, given) : refit<double>(tree, given));
}

void bind_arrays_of(nb::class_<PythonTree>& type) {
  type.def_prop_ro(
          "triangles", [](const PythonTree& t) { return view(t, t->points.triangles, {t->points.count()}); },
          nb::sig("def triangles(self) -> numpy.typing.NDArray[numpy.int32]"),
          "Of the drawn surface, on which points are, (p).")
      .def_prop_ro(
          "weights",
          [](const PythonTree& t) {
            return view(t, t->points.weights, {t->points.count(), 3});
          },
          nb::sig("def weights(self) -> numpy.typing.NDArray[numpy.float64]"), "Barycentric coordinates there, (p, 3).")
      .def_prop_ro(
          "positions",
          [](const PythonTree& t) {
            return view(t, t->points.positions, {t->points.count(), 3});
          },
          nb::sig("def positions(self) -> numpy.typing.NDArray[numpy.float64]"), "Of the points at rest [m], (p, 3).")
      .def_prop_ro(
          "areas", [](const PythonTree& t) { return view(t, t->points.areas, {t->points.count()}); },
          nb::sig("def areas(self) -> numpy.typing.NDArray[numpy.float64]"),
          "Shares of the surface at rest [m^2], (p).")
      .def_prop_ro(
          "basis",
          [](const PythonTree& t) {
            return view(t, t->points.basis.values, {t->points.basis.cols, t->points.count(), 3});
          },
          nb::sig("def basis(self) -> numpy.typing.NDArray[numpy.float64]"), "U of the points as fields, (r, p, 3).")
      .def_prop_ro("nodes", &nodes_of, nb::sig("def nodes(self) -> numpy.typing.NDArray[numpy.int32]"),
                   "First child, number of children, first point, number of points, (n, 4); leaves have no children.")
      .def_prop_ro(
          "rest_spheres",
          [](const PythonTree& t) {
            return view(t, t->rest_spheres, {t->node_count(), 4});
          },
          nb::sig("def rest_spheres(self) -> numpy.typing.NDArray[numpy.float64]"),
          "Centre and radius at rest [m], (n, 4).");
}

}  // namespace

void bind_bound_trees(nb::module_& module) {
  nb::class_<PythonTree> type(module, "BoundTree",
                              "Contact points of a body in a tree of spheres that hold them, whatever q is.");
  bind_arrays_of(type);
  type.def_prop_ro("rank", [](const PythonTree& t) { return t->rank; })
      .def_prop_ro("point_count", [](const PythonTree& t) { return t->points.count(); })
      .def_prop_ro("node_count", [](const PythonTree& t) { return t->node_count(); })
      .def("spheres", &spheres_of, nb::arg("q"),
           nb::sig("def spheres(self, q: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float32 | "
                   "numpy.float64]"),
           "Centres and radii [m] of all nodes, (B, n, 4), in the mesh's coordinates; q (B, r), float32 or float64.")
      .def("__repr__", [](const PythonTree& t) {
        return "BoundTree(rank=" + std::to_string(t->rank) + ", " + std::to_string(t->points.count()) + " points)";
      });
  module.def(
      "bound_tree",
      [](const Model& model, double spacing) {
        return without_gil([&] { return python_tree(share(bound_tree(*model, {.spacing = spacing}))); });
      },
      nb::arg("model"), nb::arg("spacing") = std::numeric_limits<double>::infinity(),
      nb::sig("def bound_tree(model: ReducedModel, spacing: float = float('inf')) -> BoundTree"),
      "Of the vertices of the model's surface, and points between them so that none is farther than spacing [m] along "
      "an edge.");
  module.def(
      "refitted",
      [](const PythonTree& tree, const Model& model) {
        return without_gil([&] { return python_tree(share(refitted(*tree, *model))); });
      },
      nb::arg("tree"), nb::arg("model"), "The same points in the same tree for the model's present basis.");
  module.def(
      "require_sound", [](const PythonTree& tree) { without_gil([&] { require_sound(*tree); }); }, nb::arg("tree"),
      "Checks all that spheres rely on; raises an InputError that says what isn't so.");
  module.def(
      "add_bound_tree",
      [](const Model& model, const PythonTree& tree) {
        return without_gil([&] {
          ReducedModel changed = *model;
          changed.bound_tree = refitted(*tree, changed);
          return share(std::move(changed));
        });
      },
      nb::arg("model"), nb::arg("tree"), "The model with the tree, which its file keeps and edits take along.");
  module.def(
      "stored_bound_tree",
      [](const Model& model) -> std::optional<PythonTree> {
        if (!model->bound_tree) return std::nullopt;
        return python_tree(model.part(*model->bound_tree));
      },
      nb::arg("model"), nb::sig("def stored_bound_tree(model: ReducedModel) -> BoundTree | None"),
      "The model's own tree, if it has one.");
}

}  // namespace quartic::python
