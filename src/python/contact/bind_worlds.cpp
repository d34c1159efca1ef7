// Batches whose bodies meet shapes.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "python/bindings.hpp"
#include "python/contact/contact.hpp"
#include "python/contact/world.hpp"
#include "quartic/error.hpp"
#include "quartic/world.hpp"

namespace quartic::python {
namespace {

using Trees = std::vector<std::shared_ptr<const BoundTree>>;

Trees trees_from(nb::handle object) {
  if (nb::isinstance<PythonTree>(object)) return {nb::cast<const PythonTree&>(object).object->tree().value};
  Trees trees;
  for (const nb::handle item : object) {
    if (item.is_none())
      trees.emplace_back();
    else if (nb::isinstance<PythonTree>(item))
      trees.push_back(nb::cast<const PythonTree&>(item).object->tree().value);
    else
      throw InputError("trees has a " + nb::cast<std::string>(item.type().attr("__name__")) +
                       " among them; give a BoundTree for each group of bodies, or None for those that touch nothing");
  }
  return trees;
}

void construct(WorldObject* self, nb::object batch, nb::handle trees, double stiffness, double dissipation,
               double friction, double friction_velocity, int iterations, double tolerance) {
  const ContactOptions options{stiffness, dissipation, friction, friction_velocity, iterations, tolerance};
  const auto& object = nb::cast<const BatchObject&>(batch);
  Trees of_groups = trees_from(trees);
  auto world = exclusive(object, [&](auto& own) {
    using T = Scalar<decltype(own)>;
    const std::shared_ptr<Batch<T>> shared(object.shared, &own);
    return std::make_shared<AnyWorld>(std::in_place_type<World<T>>, shared, std::move(of_groups), options);
  });
  new (self) WorldObject{std::move(batch), object, std::move(world)};
}

void set_colliders(const WorldObject& object, nb::handle colliders) {
  std::vector<Collider> given = colliders_from(colliders);
  alone(object, [&](auto& world) { world.colliders() = std::move(given); });
}

nb::tuple colliders_of(const WorldObject& object) {
  const std::vector<Collider> colliders = alone(object, [](auto& world) { return world.colliders(); });
  nb::list list;
  for (const Collider& collider : colliders) list.append(collider);
  return nb::tuple(list);
}

PythonContacts contacts_of(const WorldObject& object) {
  return {alone(object, [](auto& world) {
    return std::make_shared<const std::vector<Contact>>(world.contacts().begin(), world.contacts().end());
  })};
}

// A copy of what holds after the last step, (B, 6).
template <class F>
nb::object six_numbers(const WorldObject& object, F values) {
  std::vector<double> numbers = alone(object, [&](auto& world) {
    const auto found = values(world);
    return std::vector<double>(found.begin(), found.end());
  });
  Array array = owning_array(std::move(numbers), {bodies_of(object.batch), 6});
  array.read_only = true;
  return to_numpy(std::move(array));
}

void bind_readout(nb::class_<WorldObject>& type) {
  type.def("contacts", &contacts_of, "Points that were in a shape at the end of the last substep, with their forces.")
      .def(
          "contact_wrench",
          [](const WorldObject& w) { return six_numbers(w, [](auto& world) { return world.contact_wrench(); }); },
          nb::sig("def contact_wrench(self) -> numpy.typing.NDArray[numpy.float64]"),
          "Sum of each body's contact forces then [N], and torque [N m] about its mass centre, or the mesh's origin "
          "without a frame; world axes, (B, 6).")
      .def(
          "contact_impulse",
          [](const WorldObject& w) { return six_numbers(w, [](auto& world) { return world.contact_impulse(); }); },
          nb::sig("def contact_impulse(self) -> numpy.typing.NDArray[numpy.float64]"),
          "Impulses [N s] of the last call of `step`, and about the world's origin [N m s], (B, 6); zero without a "
          "frame.");
}

}  // namespace

void bind_worlds(nb::module_& module) {
  nb::class_<WorldObject> type(
      module, "World",
      "A batch on the CPU and the shapes that its bodies meet. Calls take turns with those of the "
      "batch.");
  const ContactOptions defaults;
  type.def(
          "__init__", &construct, nb::arg("batch"), nb::arg("trees"), nb::kw_only(),
          nb::arg("stiffness") = defaults.stiffness, nb::arg("dissipation") = defaults.dissipation,
          nb::arg("friction") = defaults.friction, nb::arg("friction_velocity") = defaults.friction_velocity,
          nb::arg("iterations") = defaults.iterations, nb::arg("tolerance") = defaults.tolerance,
          nb::sig("def __init__(self, batch: Batch, trees: BoundTree | collections.abc.Sequence[BoundTree | None], *, "
                  "stiffness: float = 1e7, dissipation: float = 0.0, friction: float = 0.5, friction_velocity: float = "
                  "1e-3, iterations: int = 40, tolerance: float = 1e-9) -> None"),
          "trees: of the batch's groups, None for those that touch nothing; stiffness [Pa/m], dissipation [s/m], "
          "friction, and the speed below which it is smooth [m/s].")
      .def(
          "step",
          [](const WorldObject& w, double dt, int substeps) {
            alone(w, [&](auto& world) { world.step(dt, substeps); });
          },
          nb::arg("dt"), nb::arg("substeps") = 1, "As Batch.step, with contacts; moves the colliders by their twists.")
      .def_prop_ro(
          "batch", [](const WorldObject& w) { return w.batch_object; }, nb::sig("def batch(self) -> Batch"),
          "Its state, loads and parameters may be changed between steps.")
      .def_prop_rw("colliders", &colliders_of, &set_colliders,
                   nb::for_getter(nb::sig("def colliders(self) -> tuple[Collider, ...]")),
                   nb::for_setter(nb::sig("def colliders(self, value: collections.abc.Sequence[Collider], /) -> None")),
                   "To be set between steps: world.colliders = [*world.colliders, another].");
  bind_readout(type);
}

void bind_contacts(nb::module_& module) {
  bind_bound_trees(module);
  bind_colliders(module);
  bind_detection(module);
  bind_worlds(module);
  bind_collisions(module);
  bind_contact_records(module);
  bind_haptics(module);
}

}  // namespace quartic::python
